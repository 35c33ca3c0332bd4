package files

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

	"github.com/mteval/mteval/internal/escape"
	"github.com/mteval/mteval/internal/jsonline"
)

// ReadSegmentNames reads which of the segments a list names, in its order: a segment a line, a
// table with a column segment (or segid, sid, item, item_id and the like) and tabs, commas,
// semicolons or spaces between, or JSON lines or an object as mteval select writes them, with
// item_id or chosen. Escapes of tables are taken back where that makes a name. Where there is a segment
// 0 in the list alone, its numbers are from 0, and a note says so. A name that is none of the segments'
// is an error with file and line.
func ReadSegmentNames(r io.Reader, name string, segments []string, o Options) ([]string, error) {
	t, err := ReadText(r, name, o)
	if err != nil {
		return nil, err
	}
	return namesIn(t, segments, o)
}

// OpenSegmentNames is [ReadSegmentNames] of a file.
func OpenSegmentNames(ctx context.Context, path string, segments []string, o Options) ([]string, error) {
	t, err := OpenText(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return namesIn(t, segments, o)
}

func namesIn(t *Text, segments []string, o Options) ([]string, error) {
	first := firstRow(t)
	if first == "" {
		return nil, fmt.Errorf("%s is empty", t.Name)
	}
	known := make(map[string]bool, len(segments))
	for _, name := range segments {
		known[name] = true
	}
	var out []string
	var at []int
	add := func(line int, name string) error {
		if name = strings.TrimSpace(name); !known[name] {
			name = escape.FromCell(name)
		}
		out, at = append(out, name), append(at, line)
		return nil
	}
	var err error
	_, number := strconv.Atoi(first)
	switch {
	case strings.HasPrefix(first, "{"):
		err = namesOfJSON(t, len(segments), add)
	case number == nil || known[first]:
		err = namesOfLines(t, add)
	default:
		err = namesOfTable(t, add)
	}
	if err != nil {
		return nil, err
	}
	if !known["0"] && slices.Contains(out, "0") && numbersOf(t.Name, numbering{}, out) != nil && areNumbered(segments) {
		out = renumbered(out, 1)
		if o.Note != nil {
			o.Note(t.Name, "segments are numbered from 0: 0 is segment 1, and so on")
		}
	}
	for i, name := range out {
		if !known[name] {
			return nil, &LineError{t.Name, at[i], fmt.Errorf("segment %q is none of the %d that there are", name, len(segments))}
		}
	}
	return out, nil
}

// firstRow is the first line with something on it; "": there is none.
func firstRow(t *Text) string {
	for _, line := range t.Lines {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// namesOfJSON reads JSON lines, or the one object of --format json, however they are laid out.
func namesOfJSON(t *Text, segments int, add func(line int, name string) error) error {
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
			Segments *int `json:"segments"` // of which they were chosen
		}
		err := d.Decode(&item)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = jsonline.CheckKeys(text[at:d.InputOffset()], &item)
		}
		if err != nil {
			return &LineError{t.Name, line, err}
		}
		if item.ID == "" && item.Chosen == nil {
			return &LineError{t.Name, line, errors.New("no item_id, which would name the segment")}
		}
		if item.ID != "" {
			if err := add(line, string(item.ID)); err != nil {
				return err
			}
		}
		if n := item.Segments; n != nil && item.Chosen != nil && *n != segments {
			return &LineError{t.Name, line, fmt.Errorf("field segments: it was chosen of %d segments, and there are %d", *n, segments)}
		}
		seen := make(map[jsonName]bool)
		for _, c := range item.Chosen {
			if seen[c.Segment] {
				return &LineError{t.Name, line, fmt.Errorf("field chosen: segment %q stands there twice", c.Segment)}
			}
			seen[c.Segment] = true
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

// namesOfLines reads a segment a line.
func namesOfLines(t *Text, add func(line int, name string) error) error {
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

// isSegmentColumn says whether a column is the segment's, which Pearmut calls item_id.
func isSegmentColumn(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return name == "item_id" || slices.Contains(segmentNames, name)
}

// namesOfTable reads a table with a header.
func namesOfTable(t *Text, add func(line int, name string) error) error {
	column := -1
	return namedRows(t, func(line int, cells []string) error {
		if column < 0 {
			column = slices.IndexFunc(cells, isSegmentColumn)
			if column < 0 {
				return &LineError{t.Name, line, errors.New("no column segment: want a table with one, as mteval select -o writes, or a segment a line")}
			}
			return nil
		}
		if column >= len(cells) {
			return &LineError{t.Name, line, fmt.Errorf("%d columns, and the segment is in column %d", len(cells), column+1)}
		}
		return add(line, cells[column])
	})
}

// namedRows calls do with the rows of a table that are not blank. Its first line tells what stands
// between its columns: tabs, commas or the semicolons of some spreadsheets, or spaces, two or more
// if there are such, as in --format text.
func namedRows(t *Text, do func(line int, cells []string) error) error {
	first := firstRow(t)
	split := strings.Fields
	switch {
	case strings.Contains(first, "\t"):
		split = func(line string) []string { return strings.Split(line, "\t") }
	case strings.Contains(first, ","):
		return namedRecords(t, ',', do)
	case strings.Contains(first, ";"):
		return namedRecords(t, ';', do)
	case strings.Contains(first, "  "):
		split = func(line string) []string {
			return slices.DeleteFunc(strings.Split(line, "  "), func(c string) bool { return c == "" })
		}
	case !strings.Contains(first, " "):
		return namedRecords(t, ',', do)
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

// namedRecords is namedRows of CSV, in which a field may have several lines.
func namedRecords(t *Text, comma rune, do func(line int, cells []string) error) error {
	c := csv.NewReader(strings.NewReader(strings.Join(t.Lines, "\n")))
	c.Comma, c.FieldsPerRecord = comma, -1
	for {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
			return &LineError{t.Name, bad.StartLine, bad.Err}
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
