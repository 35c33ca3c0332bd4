package stream

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/lines"
)

// A beginning is what lines begin with, as far as their layout hangs on it.
type beginning struct {
	format Format
	line   string // of a table: the first, without its end
	none   bool   // there is no line
}

// look finds out the format, and the first line of a table: all of it, as columns are counted on it
// and a header is written again. Nothing is read by that.
func (r *reader) look() (beginning, error) {
	l := &r.x.o.Layout
	out := beginning{format: l.Format}
	if l.NoHeader && out.format == "" { // which only a table has not
		out.format = TSV
	}
	if out.format == JSONLines {
		return out, nil
	}
	var text []byte
	defer func() { r.unread(text) }()
	for seen, end := 0, -1; ; {
		part, err := r.in.ReadSlice('\n')
		if i := bytes.IndexByte(part, '\n'); i >= 0 && end < 0 {
			end = len(text) + i
		}
		text = append(text, part...)
		full := errors.Is(err, bufio.ErrBufferFull)
		if out.format == "" {
			n, blank := skipBlank(text[seen:], full)
			if seen += n; !blank {
				if out.format = TSV; text[seen] == '{' {
					out.format = JSONLines
					return out, nil
				}
			}
		}
		line := text
		if end >= 0 {
			line = text[:end]
		}
		switch {
		case err != nil && !full && !errors.Is(err, io.EOF):
			r.at += int64(bytes.Count(text, []byte("\n")))
			return out, r.failed(err)
		case int64(len(line)) > r.x.o.MaxLine:
			return out, r.failed(fmt.Errorf("%w: a first line of more than %d bytes, which says what the columns are", lines.ErrTooLarge, r.x.o.MaxLine))
		case errors.Is(err, io.EOF), end >= 0 && out.format != "":
			out.line, out.none = string(line), len(text) == 0
			return out, nil
		case int64(len(text)) > r.x.o.MaxLine:
			return out, fmt.Errorf("%s: %w: it begins with more than %d bytes of white space", r.x.o.Name, files.ErrTooLarge, r.x.o.MaxLine)
		}
	}
}

// skipBlank is how many bytes of white space text begins with, and whether it has no other. Of
// text that is cut the last bytes may be half a character, and are neither.
func skipBlank(text []byte, cut bool) (n int, all bool) {
	for n < len(text) {
		c, size := utf8.DecodeRune(text[n:])
		if cut && !utf8.FullRune(text[n:]) {
			return n, true
		}
		if !unicode.IsSpace(c) && c != '\ufeff' {
			return n, false
		}
		n += size
	}
	return n, true
}

// unread puts back what was read.
func (r *reader) unread(text []byte) {
	buffered, _ := r.in.Peek(r.in.Buffered())
	r.feed.rest = append(append(text, buffered...), r.feed.rest...)
	r.in.Reset(r.feed)
}
