package show

import (
	"fmt"
	"strconv"
	"strings"
)

// bare is a value without the pointer to it, with whole numbers of one type.
func bare(v any) any {
	switch v := v.(type) {
	case *float64:
		if v != nil {
			return *v
		}
		return nil
	case *int:
		if v != nil {
			return int64(*v)
		}
		return nil
	case *int64:
		if v != nil {
			return *v
		}
		return nil
	case *string:
		if v != nil {
			return *v
		}
		return nil
	case *Interval:
		if v != nil {
			return *v
		}
		return nil
	case int:
		return int64(v)
	}
	return v
}

// plain is a value as programs have it.
func plain(v any) any {
	v = bare(v)
	if s, ok := v.(Shown); ok {
		return plain(s.Value)
	}
	return v
}

// words are text, or a list.
func words(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, ",")
	case []int:
		var out []string
		for _, n := range v {
			out = append(out, strconv.Itoa(n))
		}
		return strings.Join(out, ",")
	}
	panic(fmt.Sprintf("show: a value is a %T", v))
}

// A field is a value of a row with its key, an interval having made two.
type field struct {
	key   string
	at    *Column
	value any
}

// ends are the keys of an interval.
func (c *Column) ends() (low, high string) {
	before := c.Key[:len(c.Key)-len("low")]
	return c.Key, before + "high"
}

// fields are the keys of a table with the values of a row, which is nil for the keys alone.
func (t *Table) fields(row []any) []field {
	var out []field
	for i := range t.Columns {
		c := &t.Columns[i]
		var v any
		if row != nil {
			v = plain(row[i])
		}
		switch {
		case c.Key == "":
		case c.span:
			low, high := c.ends()
			var a, b any
			if in, ok := v.(Interval); ok {
				a, b = in.Low, in.High
			}
			out = append(out, field{low, c, a}, field{high, c, b})
		default:
			out = append(out, field{c.Key, c, v})
		}
	}
	return out
}

// shown are the columns that people see, as places in Columns.
func (t *Table) shown() []int {
	var out []int
	for i, c := range t.Columns {
		if c.Title != "" || c.Key == "" {
			out = append(out, i)
		}
	}
	return out
}

// cells are those of a row that people see.
func (t *Table) cells(row []any) []string {
	var out []string
	for _, i := range t.shown() {
		out = append(out, t.Columns[i].people(row[i]))
	}
	return out
}

// grid is the table as people see it, with its header and what stands below the rows.
func (t *Table) grid() (header []string, rows, foot [][]string) {
	for _, i := range t.shown() {
		header = append(header, t.Columns[i].Title)
	}
	for _, r := range t.rows {
		rows = append(rows, t.cells(r))
	}
	for _, r := range t.foot {
		cells := t.cells(r)
		for i, at := range t.shown() {
			if r[at] == nil { // a sum is not of all columns
				cells[i] = ""
			}
		}
		foot = append(foot, cells)
	}
	return header, rows, foot
}
