package tokenize

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// A Span is a token and the part of the line that it was made of: the same text,
// except where 13a resolved an entity or removed "<skipped>" or a line end. Start and
// End are both 0 for a token that is not found in the line, as one that a tokenizer
// has changed, and for those after it. Tercom and tokenizers of other packages may have
// such; of the others every token is found, whatever bytes are in the line.
type Span struct {
	Text       string
	Start, End int // in bytes
}

// rewritten holds lines as tokenizers write them, *[]byte, for AppendSpans; none of more than
// keptBytes.
var rewritten = sync.Pool{New: func() any { return new([]byte) }}

const keptBytes = 1 << 18

// AppendSpans appends the tokens of the line, with their places in it, to dst, in order.
// A Text that is the line's own shares its memory. It panics if t is nil.
func AppendSpans(dst []Span, t Tokenizer, line string) []Span {
	text := line
	var origin []place
	if t == V13a && needsUnescape(line) {
		text, origin = unescapePlaces(line)
	}
	kept := rewritten.Get().(*[]byte)
	defer func() {
		if cap(*kept) <= keptBytes {
			rewritten.Put(kept)
		}
	}()
	if most := 3 * len(line); cap(*kept) < most {
		*kept = make([]byte, 0, most)
	}
	*kept = t.Append((*kept)[:0], line)
	out := *kept
	pos := 0
	for at := 0; ; {
		lo, hi, ok := Next(out, at)
		if !ok {
			return dst
		}
		at = hi
		// The tokenizers of this package but Tercom insert and remove white space
		// only, so that every token follows the last one after nothing but that. It
		// is skipped first: the bytes of a token that is no UTF-8 can be the first of
		// a white space character.
		for pos < len(text) {
			r, w := utf8.DecodeRuneInString(text[pos:])
			if !IsSpace(r) {
				break
			}
			pos += w
		}
		end := pos + hi - lo
		if end > len(text) || text[pos:end] != string(out[lo:hi]) {
			dst = append(dst, Span{Text: string(out[lo:hi])})
			continue
		}
		s := Span{Text: text[pos:end], Start: pos, End: end}
		if origin != nil {
			s.Start, s.End = origin[pos].start, origin[end-1].end
		}
		dst = append(dst, s)
		pos = end
	}
}

// A place is the part of the original line that a byte comes from.
type place struct{ start, end int }

// unescapePlaces is unescape, with the place of every byte that is left: nil where nothing
// was replaced.
func unescapePlaces(line string) (string, []place) {
	var origin []place
	replace := func(old, with string) {
		if !strings.Contains(line, old) {
			return
		}
		if origin == nil {
			origin = make([]place, len(line))
			for i := range origin {
				origin[i] = place{i, i + 1}
			}
		}
		var text strings.Builder
		var places []place
		for i := 0; i < len(line); {
			if !strings.HasPrefix(line[i:], old) {
				text.WriteByte(line[i])
				places = append(places, origin[i])
				i++
				continue
			}
			for range with {
				places = append(places, place{origin[i].start, origin[i+len(old)-1].end})
			}
			text.WriteString(with)
			i += len(old)
		}
		line, origin = text.String(), places
	}
	for i := 0; i < len(cleaner); i += 2 {
		replace(cleaner[i], cleaner[i+1])
	}
	for i := 0; i < len(entities); i += 2 {
		replace(entities[i], entities[i+1])
	}
	return line, origin
}

// AppendLowerSpans is AppendSpans of Lower(line), with places in line itself. It panics if t is
// nil.
func AppendLowerSpans(dst []Span, t Tokenizer, line string) []Span {
	n := len(dst)
	lower := Lower(line)
	dst = AppendSpans(dst, t, lower)
	var places []place // by byte of lower, if they differ
	differ := false
	for i, j := 0, 0; i < len(line); {
		r, w := utf8.DecodeRuneInString(line[i:])
		_, v := utf8.DecodeRuneInString(lower[j:])
		if r == 'İ' { // becomes an i and a combining dot
			_, dot := utf8.DecodeRuneInString(lower[j+v:])
			v += dot
		}
		if v != w && !differ {
			differ = true
			for k := range j {
				places = append(places, place{k, k + 1})
			}
		}
		if differ {
			for range v {
				places = append(places, place{i, i + w})
			}
		}
		i += w
		j += v
	}
	if !differ {
		return dst
	}
	for k := n; k < len(dst); k++ {
		if dst[k].End > 0 {
			dst[k].Start, dst[k].End = places[dst[k].Start].start, places[dst[k].End-1].end
		}
	}
	return dst
}
