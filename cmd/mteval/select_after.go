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
	"github.com/mteval/mteval/internal/escape"
)

// readAfter reads which segments were chosen before, from what select wrote or any table with a
// column of segments.
func (in *selectInput) readAfter(ctx context.Context) (map[string]bool, error) {
	known := make(map[string]bool, len(in.segments))
	for _, name := range in.segments {
		known[name] = true
	}
	out := make(map[string]bool)
	for _, path := range in.options.after {
		t, err := files.OpenText(ctx, path, in.work.app.reading())
		if err != nil {
			return nil, advise(err)
		}
		first := firstRow(t)
		if first == "" {
			return nil, fmt.Errorf("%s is empty", path)
		}
		add := func(line int, name string) error {
			if name = strings.TrimSpace(name); !known[name] {
				name = escape.FromCell(name)
			}
			if !known[name] {
				return fmt.Errorf("%s:%d: segment %q is none of the %d that there are", path, line, name, len(in.segments))
			}
			out[name] = true
			return nil
		}
		_, number := strconv.Atoi(first)
		switch {
		case strings.HasPrefix(first, "{"):
			err = afterJSON(t, add)
		case number == nil || known[first]:
			err = afterNames(t, add)
		default:
			err = afterTable(t, add)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// firstRow is the first line with something on it; "": there is none.
func firstRow(t *files.Text) string {
	for _, line := range t.Lines {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// afterJSON reads JSON lines, or the one object of --format json, however they are laid out.
func afterJSON(t *files.Text, add func(line int, name string) error) error {
	text := strings.Join(t.Lines, "\n")
	d := json.NewDecoder(strings.NewReader(text))
	line, from := 1, 0
	for {
		// An item is called by the line that it begins on.
		rest := text[d.InputOffset():]
		at := len(text) - len(strings.TrimLeft(rest, " \t\r\n"))
		line, from = line+strings.Count(text[from:at], "\n"), at
		var item struct {
			ID     jsonName `json:"item_id"`
			Chosen []struct {
				Segment jsonName `json:"segment"`
			} `json:"chosen"`
		}
		err := d.Decode(&item)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", t.Name, line, err)
		}
		if item.ID == "" && item.Chosen == nil {
			return fmt.Errorf("%s:%d: no item_id, which would name the segment", t.Name, line)
		}
		if item.ID != "" {
			if err := add(line, string(item.ID)); err != nil {
				return err
			}
		}
		for _, c := range item.Chosen {
			if err := add(line, string(c.Segment)); err != nil {
				return err
			}
		}
	}
}

// A jsonName is a name that may be written as a number.
type jsonName string

func (n *jsonName) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		*n = jsonName(strings.TrimPrefix(string(data), "null"))
		return nil
	}
	return json.Unmarshal(data, (*string)(n))
}

// afterNames reads a segment a line.
func afterNames(t *files.Text, add func(line int, name string) error) error {
	for i, line := range t.Lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := add(i+1, line); err != nil {
			return err
		}
	}
	return nil
}

// segmentColumns are what tables call the column of the segment.
var segmentColumns = []string{"segment", "segid", "seg_id", "sid", "seg", "item", "item_id"}

// afterTable reads a table with a header.
func afterTable(t *files.Text, add func(line int, name string) error) error {
	column := -1
	return afterRows(t, func(line int, cells []string) error {
		if column < 0 {
			column = slices.IndexFunc(cells, func(c string) bool { return slices.Contains(segmentColumns, strings.ToLower(strings.TrimSpace(c))) })
			if column < 0 {
				return fmt.Errorf("%s:%d: no column segment: want a table with one, as mteval select -o writes, or a segment a line", t.Name, line)
			}
			return nil
		}
		if column >= len(cells) {
			return fmt.Errorf("%s:%d: %d columns, and the segment is in column %d", t.Name, line, len(cells), column+1)
		}
		return add(line, cells[column])
	})
}

// afterRows calls do with the rows of a table that are not blank. Its first line tells what stands
// between its columns: tabs, commas or the semicolons of some spreadsheets, or spaces, two or more
// if there are such, as in --format text.
func afterRows(t *files.Text, do func(line int, cells []string) error) error {
	first := firstRow(t)
	split := strings.Fields
	switch {
	case strings.Contains(first, "\t"):
		split = func(line string) []string { return strings.Split(line, "\t") }
	case strings.Contains(first, ","):
		return afterCSV(t, ',', do)
	case strings.Contains(first, ";"):
		return afterCSV(t, ';', do)
	case strings.Contains(first, "  "):
		split = func(line string) []string {
			return slices.DeleteFunc(strings.Split(line, "  "), func(c string) bool { return c == "" })
		}
	case !strings.Contains(first, " "):
		return afterCSV(t, ',', do)
	}
	for i, line := range t.Lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := do(i+1, split(line)); err != nil {
			return err
		}
	}
	return nil
}

// afterCSV is afterRows of CSV, in which a field may have several lines.
func afterCSV(t *files.Text, comma rune, do func(line int, cells []string) error) error {
	c := csv.NewReader(strings.NewReader(strings.Join(t.Lines, "\n")))
	c.Comma, c.FieldsPerRecord = comma, -1
	for {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
			return fmt.Errorf("%s:%d: %w", t.Name, bad.StartLine, bad.Err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		if len(cells) == 1 && strings.TrimSpace(cells[0]) == "" {
			continue
		}
		line, _ := c.FieldPos(0)
		if err := do(line, cells); err != nil {
			return err
		}
	}
}
