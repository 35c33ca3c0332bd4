// Package lines reads text line by line, and numbers.
package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mteval/mteval/internal/sidefile"
)

// ErrTooLarge is wrapped by errors of lines and texts that are beyond the limits.
var ErrTooLarge = errors.New("too large to be read")

// Limits bound what is read, in bytes. A limit of 0 is the standard.
type Limits struct {
	// Line bounds a line; 0 is MaxLine.
	Line int64
	// Text bounds all lines together, each counting LineCost more than it has; 0 is
	// MaxText, or 16 times Line if that is more.
	Text int64
}

// The standard limits.
const (
	MaxLine = 64 << 20
	MaxText = 1 << 30
	// LineCost is what it takes to hold a line beside its bytes.
	LineCost = 16
)

func (l Limits) withDefaults() Limits {
	if l.Line <= 0 {
		l.Line = MaxLine
	}
	if l.Text <= 0 {
		l.Text = MaxText
		if l.Line > MaxText/16 {
			l.Text = max(16*l.Line, l.Line) // which may be too large to be held
		}
	}
	l.Line = min(l.Line, l.Text)
	return l
}

// A Reader reads lines, of plain text or of gzip data, told by the first bytes. Lines end
// with LF and nothing else: a CR before the LF is dropped, and other characters that may
// count as line ends, such as U+2028, U+0085 and a CR within the line, are text. An LF at the
// end of the text ends the last line and starts none.
type Reader struct {
	// BOM says that there was a byte order mark before the text, which was removed.
	BOM bool

	in     *bufio.Reader
	limits Limits
	n      int
	open   bool  // the last line has no LF
	size   int64 // of the lines so far
	long   []byte
	hold   strings.Builder // holds many lines, so that each does not take memory of its own
	err    error
}

// NewReader returns a Reader. What is wrong at the start is the error of the first Next.
func NewReader(r io.Reader, l Limits) *Reader {
	out := &Reader{limits: l.withDefaults()}
	out.in, out.BOM, out.err = sidefile.Unpack(r, 1<<16, max(sidefile.Anyway, out.limits.Line))
	if out.err != nil {
		out.n = 1
	}
	return out
}

// Open says that the line that Next returned last has no LF, which is the last of the text.
func (r *Reader) Open() bool { return r.open }

// Line is the number, from 1, of the line that Next returned, or at which it failed.
func (r *Reader) Line() int { return r.n }

// Next returns the next line, and io.EOF after the last. Another error, which comes back from
// each further call, is of the line that is numbered by Line: it is longer than the limit, or
// all lines are together, it is not UTF-8, or can't be read.
func (r *Reader) Next() (string, error) {
	if r.err != nil {
		return "", r.err
	}
	line, err := r.next()
	if err != nil {
		r.err, r.long = err, nil
		return "", err
	}
	return r.keep(line), nil
}

// next returns the next line, which is good until it is called again.
func (r *Reader) next() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = r.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) && int64(len(r.long)+len(line)) <= r.limits.Line {
			r.lengthen(line)
			line, err = r.in.ReadSlice('\n')
		}
		r.lengthen(line)
		line = r.long
	}
	if len(line) == 0 && errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	r.n++
	ended := err == nil
	if r.open = !ended; ended {
		line = line[:len(line)-1]
	}
	r.size += int64(len(line)) + LineCost
	switch {
	case int64(len(line)) > r.limits.Line:
		return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrTooLarge, r.limits.Line)
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case r.size > r.limits.Text:
		return nil, fmt.Errorf("%w: more than %d bytes of text", ErrTooLarge, r.limits.Text)
	}
	if !utf8.Valid(line) {
		err := Valid(string(line))
		if r.n == 1 && len(line) > 1 && (string(line[:2]) == "\xff\xfe" || string(line[:2]) == "\xfe\xff") {
			err = fmt.Errorf("%w: the text begins as UTF-16 does", err)
		}
		return nil, err
	}
	if r.n == 1 && looksUTF16(line) {
		return nil, errUTF16
	}
	if n := len(line); ended && n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, nil
}

var errUTF16 error = wrongEncoding("every other byte is zero: the text looks like utf-16le or utf-16be")

// wrongEncoding is an ErrEncoding that is told in other words.
type wrongEncoding string

func (e wrongEncoding) Error() string        { return string(e) }
func (e wrongEncoding) Is(target error) bool { return target == ErrEncoding }

// looksUTF16 says whether a line that is valid UTF-8 is ASCII in UTF-16.
func looksUTF16(line []byte) bool {
	if len(line) < 4 {
		return false
	}
	for i := range len(line) - 1 {
		if (line[i] == 0) == (line[i+1] == 0) {
			return false
		}
	}
	return true
}

// lengthen adds to a long line. It takes little more memory than the longest may have.
func (r *Reader) lengthen(part []byte) {
	if n := len(r.long) + len(part); n > cap(r.long) {
		size := max(int64(n), min(2*int64(cap(r.long)), r.limits.Line))
		r.long = append(make([]byte, 0, size), r.long...)
	}
	r.long = append(r.long, part...)
}

// Sizes of what holds many lines.
const (
	leastHold = 1 << 12
	mostHold  = 1 << 18
)

// keep is the line as a string.
func (r *Reader) keep(line []byte) string {
	if len(line) > leastHold {
		return string(line)
	}
	if size := r.hold.Cap(); size-r.hold.Len() < len(line) {
		r.hold = strings.Builder{}
		r.hold.Grow(min(max(2*size, leastHold), mostHold))
	}
	at := r.hold.Len()
	r.hold.Write(line)
	return r.hold.String()[at:]
}

// Valid returns an error that tells the first byte of a line that is not UTF-8, if any.
func Valid(line string) error {
	if utf8.ValidString(line) {
		return nil
	}
	at := invalid(line)
	return &invalidError{at, line[at]}
}

// ErrEncoding is what errors of bytes that are not valid in their encoding are.
var ErrEncoding = errors.New("bytes that are not valid in the encoding")

// An invalidError says which byte of a line is not UTF-8.
type invalidError struct {
	at    int // from 0
	value byte
}

func (e *invalidError) Error() string {
	return fmt.Sprintf("byte %d (0x%02x) is not valid UTF-8", e.at+1, e.value)
}

// Is says that it is ErrEncoding.
func (e *invalidError) Is(target error) bool { return target == ErrEncoding }

// invalid is the place of the first byte that is not UTF-8.
func invalid(line string) int {
	for i, r := range line {
		if r == utf8.RuneError {
			if _, w := utf8.DecodeRuneInString(line[i:]); w == 1 {
				return i
			}
		}
	}
	return len(line)
}
