package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/files"
)

// readAfter reads which segments were chosen before, from what select wrote or any table with a
// column of segments.
func (in *selectInput) readAfter(ctx context.Context) (map[string]bool, error) {
	path := in.options.after
	t, err := files.OpenText(ctx, path, in.work.app.reading())
	if err != nil {
		return nil, advise(err)
	}
	if len(t.Lines) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	known := make(map[string]bool, len(in.segments))
	for _, name := range in.segments {
		known[name] = true
	}
	out := make(map[string]bool)
	add := func(line int, name string) error {
		if !known[name] {
			return fmt.Errorf("%s:%d: segment %q is none of the %d that there are", path, line, name, len(in.segments))
		}
		out[name] = true
		return nil
	}
	switch first := strings.TrimSpace(t.Lines[0]); {
	case strings.HasPrefix(first, "{"):
		err = afterJSON(t, add)
	default:
		if _, number := strconv.Atoi(first); number == nil && known[first] {
			err = afterNumbers(t, add)
		} else {
			err = afterTable(t, add)
		}
	}
	return out, err
}

// afterJSON reads JSON lines, or the one object of --format json.
func afterJSON(t *files.Text, add func(line int, name string) error) error {
	for i, line := range t.Lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var item struct {
			ID     string `json:"item_id"`
			Chosen []struct {
				Segment string `json:"segment"`
			} `json:"chosen"`
		}
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			return fmt.Errorf("%s:%d: %w", t.Name, i+1, err)
		}
		if item.ID == "" && item.Chosen == nil {
			return fmt.Errorf("%s:%d: no item_id, which would name the segment", t.Name, i+1)
		}
		if item.ID != "" {
			if err := add(i+1, item.ID); err != nil {
				return err
			}
		}
		for _, c := range item.Chosen {
			if err := add(i+1, c.Segment); err != nil {
				return err
			}
		}
	}
	return nil
}

// afterNumbers reads a segment a line.
func afterNumbers(t *files.Text, add func(line int, name string) error) error {
	for i, line := range t.Lines {
		if name := strings.TrimSpace(line); name != "" {
			if err := add(i+1, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// segmentColumns are what tables call the column of the segment.
var segmentColumns = []string{"segment", "segid", "seg_id", "sid", "seg", "item", "item_id"}

// afterTable reads a table with a header, with tabs or commas between.
func afterTable(t *files.Text, add func(line int, name string) error) error {
	split := func(line string) ([]string, error) { return strings.Split(line, "\t"), nil }
	if !strings.Contains(t.Lines[0], "\t") {
		split = func(line string) ([]string, error) {
			cells, err := csv.NewReader(strings.NewReader(line)).Read()
			if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
				return nil, bad.Err
			}
			return cells, err
		}
	}
	column := -1
	for i, line := range t.Lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		cells, err := split(line)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s:%d: %w", t.Name, i+1, err)
		}
		if column < 0 {
			column = slices.IndexFunc(cells, func(c string) bool { return slices.Contains(segmentColumns, strings.ToLower(strings.TrimSpace(c))) })
			if column < 0 {
				return fmt.Errorf("%s:%d: no column segment: want a table with one, tab- or comma-separated, as mteval select -o writes, or a segment a line", t.Name, i+1)
			}
			continue
		}
		if column >= len(cells) {
			return fmt.Errorf("%s:%d: %d columns, and the segment is in column %d", t.Name, i+1, len(cells), column+1)
		}
		if err := add(i+1, strings.TrimSpace(cells[column])); err != nil {
			return err
		}
	}
	return nil
}
