package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mteval/mteval/internal/escape"
	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/internal/lookalike"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/sidefile"
)

// The standard limits of [Options].
const (
	MaxLine = lines.MaxLine // 64 MiB
	MaxText = lines.MaxText // 1 GiB
)

// ErrTooLarge is wrapped by errors of files that are beyond the limits of [Options].
var ErrTooLarge = lines.ErrTooLarge

// Options of reading. The zero value is the standard.
type Options struct {
	// MaxLine bounds a line, in bytes, and a row of CSV of several lines; 0 is the constant
	// MaxLine.
	MaxLine int64
	// MaxText bounds the whole text, in bytes, each line counting 16 more than it has; 0 is
	// the constant MaxText, or 16 times MaxLine if that is more.
	MaxText int64
	// Encoding of the file, one of [Encodings] or another name of one of them; "" is UTF-8.
	Encoding string
	// FirstSegment is the number that files of metrics' scores give their first segment, "0" or
	// "1", where they have numbers that do not say it as comet-score's do. "" is told by the texts that
	// rows have, where Beside has them too; or by a segment 0. Otherwise MetricX counts from 0,
	// unless one of its numbers is that of the last segment, and tables from 1. Where that is not
	// sure, the error wraps [ErrNumbering].
	FirstSegment string
	// Beside is what [OpenMetricFiles], [ReadMetrics] and [ReadPeople] line their segments up with,
	// by numbers; nil: nothing.
	Beside *Segments
	// Note, unless it is nil, is told what was changed in reading a file, such as that a
	// byte order mark was removed, before the function that reads it returns.
	Note func(name, what string)
}

// A LineError says on which line of a file something is wrong. Its message says what to
// do where that is not plain.
type LineError struct {
	Path string
	Line int // from 1
	Err  error
}

// Error names the file and the line. Of a message that quotes much of the line it has the beginning
// and the end.
func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, escape.Short(fmt.Sprint(e.Err)))
}

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// A source is the lines of a file, the first of which can be seen before it is read.
type source struct {
	name  string
	limit int64 // of what may belong together
	note  func(name, what string)
	in    *lines.Reader

	beside    *Segments
	numbering numbering // as far as it is read
	end       lastNumber
	fixed     bool // all numbers of the form have as many decimals

	first   string // that is not blank, if at is above 0
	at      int
	pending bool
}

func newSource(r io.Reader, name string, o Options) *source {
	if o.MaxLine <= 0 {
		o.MaxLine = MaxLine
	}
	r = decoded(r, o.Encoding, max(sidefile.Anyway, o.MaxLine))
	s := &source{name: name, limit: o.MaxLine, note: o.Note, beside: o.Beside, in: lines.NewReader(r, lines.Limits{Line: o.MaxLine, Text: o.MaxText})}
	if s.in.BOM && o.Note != nil {
		o.Note(name, "byte order mark removed")
	}
	return s
}

// next returns the next line and its number, and io.EOF after the last.
func (s *source) next() (string, int, error) {
	if s.pending {
		s.pending = false
		return s.first, s.at, nil
	}
	line, err := s.in.Next()
	if err == nil || errors.Is(err, io.EOF) {
		return line, s.in.Line(), err
	}
	var failed *fs.PathError
	if errors.As(err, &failed) && s.in.Line() == 1 { // a folder, say
		return "", 0, fmt.Errorf("%s: %w", s.name, failed.Err)
	}
	return "", 0, &LineError{s.name, s.in.Line(), sidefile.Plain(err)}
}

// look reads the first line that is not blank. It is called once, before next.
func (s *source) look() error {
	for {
		line, at, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !blank(line) {
			if object := strings.TrimLeft(line, " "); strings.HasPrefix(object, "{") { // JSON may be indented
				line = object
			}
			s.first, s.at, s.pending = line, at, true
			return nil
		}
	}
}

// A parser makes something of the lines of a file.
type parser[T any] func(s *source) (T, error)

// read makes something of what a reader holds.
func read[T any](r io.Reader, name string, o Options, parse parser[T]) (T, error) {
	return parse(newSource(r, name, o))
}

// table is a parser of tables, that sees the first line that is not blank.
func table[T any](parse parser[T]) parser[T] {
	return func(s *source) (T, error) {
		if err := s.look(); err != nil {
			var none T
			return none, err
		}
		return parse(s)
	}
}

// open makes something of a file, unless ctx is cancelled before.
func open[T any](ctx context.Context, path string, o Options, parse parser[T]) (T, error) {
	type note struct{ name, what string }
	type result struct {
		v     T
		notes []note
	}
	if err := ctx.Err(); err != nil {
		var none T
		return none, err
	}
	in := os.Stdin // as it is now, not when this is left to end alone
	out, err := parallel.Await(ctx, func() (result, error) {
		var out result
		within := o
		within.Note = func(name, what string) { out.notes = append(out.notes, note{name, what}) }
		if path == "" { // such as of a variable that is not set
			return out, errors.New(`files: a path is "": name a file`)
		}
		if path != "-" {
			f, err := os.Open(path)
			if err != nil {
				return out, fmt.Errorf("%s: %w%s", path, sidefile.Plain(err), twin(path, err))
			}
			defer f.Close()
			in = f
		}
		var err error
		out.v, err = read(sidefile.Until(ctx, in), path, within, parse)
		return out, err
	})
	if stop := ctx.Err(); stop != nil && err != nil {
		err = stop
	}
	if o.Note != nil {
		for _, n := range out.notes {
			o.Note(n.name, n.what)
		}
	}
	return out.v, err
}

// twin says that there is no such file, but one whose name is shown alike.
func twin(path string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	base := filepath.Base(path)
	other, ok := lookalike.Twin(base, names)
	if !ok {
		return ""
	}
	return fmt.Sprintf(": %s is in other characters than the file's name, %s, that looks like it (NFC, NFD)", lookalike.Spell(base), lookalike.Spell(other))
}
