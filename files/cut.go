package files

import (
	"errors"
	"strings"
)

// lastNumber tells whether a file may end within the number at the end of its last row, or before it.
type lastNumber struct {
	rows   int // that end with a number
	fewest int // decimals of those but the last
	last   int // its decimals, −1 if it is no number
	empty  bool
	line   int
}

// add takes the last field of a row.
func (l *lastNumber) add(field string, line int) {
	if l.rows > 0 && l.last >= 0 && (l.rows == 1 || l.last < l.fewest) {
		l.fewest = l.last
	}
	l.last, l.empty, l.line = -1, field == "", line
	if field != "" && strings.IndexByte("-+.0123456789", field[0]) >= 0 {
		l.last = decimalsOf(field)
		l.rows++
	}
}

// cut says whether the last row has no line end, and a number with fewer decimals than any other has, or
// none.
func (l *lastNumber) cut(s *source) bool {
	return l.rows > 2 && (l.empty || l.last >= 0 && l.last < l.fewest) && s.in.Open()
}

// checkCut returns an error for a table that may end within a number, if all have the same decimals in
// its form, or else notes it.
func (s *source) checkCut(fixed bool) error {
	switch {
	case !s.end.cut(s):
	case fixed:
		return &LineError{s.name, s.end.line, errors.New("the file ends within this line: all others end in a number with more decimals")}
	case s.note != nil:
		s.note(s.name, "the last line ends in no number, or in one with fewer decimals than all others have, and has no line end: is the file whole?")
	}
	return nil
}
