package files

import (
	"fmt"
	"strings"
)

const maxColumns = 1 << 16

// Columns are the n texts that stand beside each other in t, with tabs between: each line is split
// at its first n−1 tabs, as sacreBLEU's --num-refs does. A line with fewer is an error with its
// place. The texts are called as t.
func (t *Text) Columns(n int) ([]*Text, error) {
	if n < 1 {
		return nil, fmt.Errorf("files: %d columns: want 1 or more", n)
	}
	if n > maxColumns {
		return nil, fmt.Errorf("files: %d columns: want no more than %d", n, maxColumns)
	}
	if len(t.Lines) > 0 && strings.Count(t.Lines[0], "\t") < n-1 { // before room is made
		return nil, &LineError{t.Name, 1, fmt.Errorf("%d columns, want %d with tabs between", 1+strings.Count(t.Lines[0], "\t"), n)}
	}
	flat := make([]string, n*len(t.Lines))
	out := make([]*Text, n)
	for k := range out {
		out[k] = &Text{t.Name, flat[k*len(t.Lines) : (k+1)*len(t.Lines)]}
	}
	for i, line := range t.Lines {
		for k := range n {
			field, rest, more := line, "", false
			if k < n-1 {
				if field, rest, more = strings.Cut(line, "\t"); !more {
					return nil, &LineError{t.Name, i + 1, fmt.Errorf("%d columns, want %d with tabs between", k+1, n)}
				}
			}
			out[k].Lines[i], line = field, rest
		}
	}
	return out, nil
}

// systemColumns are the outputs that stand in the columns of a text, as many as its first line
// has.
func systemColumns(t *Text) ([]*stream, error) {
	n := 1
	if len(t.Lines) > 0 {
		n += strings.Count(t.Lines[0], "\t")
	}
	for i, line := range t.Lines {
		if has := 1 + strings.Count(line, "\t"); has != n {
			return nil, &LineError{t.Name, i + 1, fmt.Errorf("%d columns, the first line has %d: a system in each, with tabs between", has, n)}
		}
	}
	columns, err := t.Columns(n)
	if err != nil {
		return nil, err
	}
	var out []*stream
	for k, c := range columns {
		out = append(out, &stream{Text: c, of: fmt.Sprintf("System %d", k+1)})
	}
	return out, nil
}
