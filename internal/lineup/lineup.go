// Package lineup lines parses up with the texts that they are of, and finds them by the text.
package lineup

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Kind of parses: what one is called in errors, and the line and the forms of each.
type Kind[P any] struct {
	Name string
	Of   func(p *P) (line int, forms []string)
}

// A Bank holds the parses of texts. Texts are added first; then it is safe for concurrent
// use. The zero value is empty.
type Bank[P any] struct{ parses map[string][]P }

// Add adds the parses of texts, which stand in the file name: one or more for each text, in
// order, whose forms have the characters of the text, white space aside. A text without any
// character takes none. Of a text that comes again the first parses stay.
//
// The error names the file and line of the parse, and the line of the text, of the first that
// does not line up; nothing is added then.
func (b *Bank[P]) Add(texts []string, parses []P, name string, k Kind[P]) error {
	ends, err := k.ends(texts, parses, name)
	if err != nil {
		return err
	}
	if b.parses == nil {
		b.parses = make(map[string][]P, len(texts))
	}
	start := 0
	for i, text := range texts {
		if key := key(text); b.parses[key] == nil {
			b.parses[key] = parses[start:ends[i]:ends[i]]
		}
		start = ends[i]
	}
	return nil
}

// Get returns the parses of a text that was added, whatever white space is around it and
// however much is between its words. One without any character has none.
func (b *Bank[P]) Get(text string) (parses []P, ok bool) {
	buf := keys.Get().(*[]byte)
	*buf = (*buf)[:0]
	for word := range strings.FieldsSeq(text) {
		if len(*buf) > 0 {
			*buf = append(*buf, ' ')
		}
		*buf = append(*buf, word...)
	}
	parses, ok = b.parses[string(*buf)]
	if cap(*buf) <= 1<<16 {
		keys.Put(buf)
	}
	return parses, ok || compact(text) == ""
}

// keys has room for the key of a text that is looked up, *[]byte.
var keys = sync.Pool{New: func() any { return new([]byte) }}

// ends returns, for each text, where its parses end.
func (k *Kind[P]) ends(texts []string, parses []P, name string) ([]int, error) {
	next := 0
	out := make([]int, len(texts))
	for i, text := range texts {
		for rest := compact(text); rest != ""; next++ {
			if next == len(parses) {
				return nil, fmt.Errorf("%s: the %ss end before the text of line %d does: %q is left", name, k.Name, i+1, short(rest))
			}
			line, forms := k.Of(&parses[next])
			for _, f := range forms {
				after, ok := strings.CutPrefix(rest, compact(f))
				if !ok {
					return nil, fmt.Errorf("%s:%d: the %s has %q where the text of line %d goes on with %q", name, line, k.Name, short(f), i+1, short(rest))
				}
				rest = after
			}
		}
		out[i] = next
	}
	if next < len(parses) {
		line, _ := k.Of(&parses[next])
		return nil, fmt.Errorf("%s:%d: a %s after the last text, line %d", name, line, k.Name, len(texts))
	}
	return out, nil
}

// compact is a text without white space.
func compact(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}

// short is the start of a text, long enough to be found.
func short(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	n := most
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// key is what a text is found by: the text with one space wherever it has white space, and
// none around it, as readers of files trim texts.
func key(text string) string { return strings.Join(strings.Fields(text), " ") }
