package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// records is rows of CSV.
func records(s *source, do func(r *row) error) error {
	in := &recordText{source: s, last: 1}
	c := csv.NewReader(in)
	c.FieldsPerRecord = -1
	for {
		fields, err := c.Read()
		in.since = 0
		if in.err != nil { // which csv may not come to
			return in.err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			return &LineError{s.name, wrong.Line, wrong.Err}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		r := row{path: s.name, fields: fields}
		r.line, _ = c.FieldPos(0)
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if len(fields) == 1 && fields[0] == "" {
			continue
		}
		s.end.add(fields[len(fields)-1], r.line)
		if err := do(&r); err != nil {
			return err
		}
	}
}

// recordText is the lines of a source as a text for package csv, with as many lines as the
// file has, so that numbers of lines are the same.
type recordText struct {
	*source
	line   string // what is left of it
	breaks int    // to come before it
	last   int    // line that was read
	since  int64  // bytes since the last record
	err    error
}

func (t *recordText) Read(p []byte) (int, error) {
	for t.breaks == 0 && t.line == "" {
		line, n, err := t.next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.err = err
			}
			return 0, err
		}
		t.line, t.breaks, t.last = line, n-t.last, n
		if t.since += int64(len(line)) + 1; t.since-1<<16 > t.limit { // csv reads ahead
			t.err = &LineError{t.name, n, fmt.Errorf("%w: a row of more than %d bytes: is a double quote open?", ErrTooLarge, t.limit)}
			return 0, t.err
		}
	}
	n := min(t.breaks, len(p))
	for i := range p[:n] {
		p[i] = '\n'
	}
	t.breaks -= n
	m := copy(p[n:], t.line)
	t.line = t.line[m:]
	return n + m, nil
}
