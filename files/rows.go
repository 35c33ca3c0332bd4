package files

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/lines"
)

// A row is one line of a table.
type row struct {
	path   string
	line   int
	fields []string
}

func (r *row) errorf(format string, args ...any) error {
	return &LineError{r.path, r.line, fmt.Errorf(format, args...)}
}

// number is the finite number in a column, on no other scale than human.AnyScore.
func (r *row) number(column int, what string) (float64, error) {
	v, err := lines.ParseWithin(r.fields[column], human.AnyScore().Max)
	switch {
	case errors.Is(err, lines.ErrNumber):
		return 0, r.errorf("the %s is %q, which is no finite number in decimal notation", what, r.fields[column])
	case err != nil:
		return 0, r.errorf("the %s is %q, %w", what, r.fields[column], err)
	}
	return v, nil
}

// score is number in tables in which scores can be missing: NaN.
func (r *row) score(column int, what string) (float64, error) {
	if missing(r.fields[column]) {
		return math.NaN(), nil
	}
	return r.number(column, what)
}

// missing says whether a field stands for no score.
func missing(field string) bool {
	switch strings.ToLower(field) {
	case "", "na", "nan", "none":
		return true
	}
	return false
}

// numeric says whether a field is a number.
func numeric(field string) bool {
	_, err := lines.ParseNumber(field)
	return err == nil
}

// count is the whole number from 0 in a column.
func (r *row) count(column int, what string) (int, error) {
	n, err := strconv.ParseUint(r.fields[column], 10, 31)
	if err != nil {
		return 0, r.errorf("the %s is %q, which is no whole number from 0", what, r.fields[column])
	}
	return int(n), nil
}

// named returns an error if one of the columns is empty, for names that can't be.
func (r *row) named(columns ...int) error {
	for _, c := range columns {
		if r.fields[c] == "" {
			return r.errorf("column %d is empty", c+1)
		}
	}
	return nil
}

// A separator says how the fields of a line are told apart.
type separator uint8

const (
	tabs   separator = iota
	spaces           // and tabs, one or more, as R reads them: fields may be in double quotes
	commas           // CSV, in which fields may be in double quotes
)

// separator tells by its first line how a table's fields are separated.
func (s *source) separator() separator {
	switch {
	case strings.Contains(s.first, "\t"):
		return tabs
	case strings.Contains(s.first, ","):
		return commas
	}
	return spaces
}

// blank says whether there is nothing on a line.
func blank(line string) bool { return strings.TrimSpace(line) == "" }

// rows calls do with the rows of a file that are not blank.
func rows(s *source, by separator, do func(r *row) error) error {
	if by == commas {
		return records(s, do)
	}
	r := row{path: s.name}
	for {
		line, n, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if blank(line) {
			continue
		}
		r.line = n
		if by == spaces {
			if r.fields, err = words(r.fields[:0], line); err != nil {
				return r.errorf("%w", err)
			}
		} else {
			r.fields = cut(r.fields[:0], line)
		}
		if n := len(r.fields); n > 0 {
			s.end.add(r.fields[n-1], r.line)
		}
		if err := do(&r); err != nil {
			return err
		}
	}
}

// cut appends the fields between the tabs of a line, without space around them.
func cut(dst []string, line string) []string {
	for {
		field, rest, more := strings.Cut(line, "\t")
		dst = append(dst, strings.TrimSpace(field))
		if !more {
			return dst
		}
		line = rest
	}
}

var errQuote = errors.New("a double quote is open at the end of the line")

// words appends the fields of a line that are separated by space.
func words(dst []string, line string) ([]string, error) {
	const space = " \t"
	for {
		line = strings.TrimLeft(line, space)
		if line == "" {
			return dst, nil
		}
		if line[0] == '"' {
			field, rest, ok := strings.Cut(line[1:], `"`)
			if !ok {
				return dst, errQuote
			}
			dst, line = append(dst, field), rest
			continue
		}
		n := strings.IndexAny(line, space)
		if n < 0 {
			n = len(line)
		}
		dst, line = append(dst, line[:n]), line[n:]
	}
}

// A header says where columns are.
type header struct {
	names []string // in lower case
}

func headerOf(fields []string) header {
	var h header
	for _, f := range fields {
		h.names = append(h.names, strings.ToLower(f))
	}
	return h
}

// find returns the column that has one of the names, the first of them that there is,
// or −1.
func (h header) find(names ...string) int {
	for _, name := range names {
		for i, n := range h.names {
			if n == name {
				return i
			}
		}
	}
	return -1
}

// twice returns one of the names that several columns have, or "".
func (h header) twice(names ...string) string {
	for _, name := range names {
		if i := slices.Index(h.names, name); i >= 0 && slices.Contains(h.names[i+1:], name) {
			return name
		}
	}
	return ""
}

// need is find for columns that must be there.
func (h header) need(r *row, names ...string) (int, error) {
	if i := h.find(names...); i >= 0 {
		return i, nil
	}
	return 0, r.errorf("no column is called %s: the header has %s", strings.Join(names, " or "), strings.Join(h.names, ", "))
}

// A column is one that must be there: at is set to where it is.
type column struct {
	at    *int
	names []string
}

// locate finds columns.
func (h header) locate(r *row, columns ...column) (err error) {
	for _, c := range columns {
		if *c.at, err = h.need(r, c.names...); err != nil {
			return err
		}
	}
	return nil
}

// fits returns an error for a row that does not have the header's number of columns.
func (h header) fits(r *row) error {
	if len(r.fields) != len(h.names) {
		return r.errorf("%d columns, the header has %d", len(r.fields), len(h.names))
	}
	return nil
}

// Names of columns that several forms have.
var (
	systemNames  = []string{"system", "sys", "sys_id"}
	segmentNames = []string{"segment", "segid", "seg_id", "sid", "seg", "item"}
	judgeNames   = []string{"judge", "rater", "workerid"}
)

// empty is the error for a file without any scores.
func (s *source) empty() error { return fmt.Errorf("%s: no scores in it", s.name) }
