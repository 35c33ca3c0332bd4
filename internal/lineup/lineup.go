// Package lineup lines parses up with the texts that they are of.
package lineup

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parses says of parses, which stand in the file name: their number, the line and the forms
// of each, and what they are called in errors.
type Parses struct {
	Name, Thing string
	Len         int
	At          func(i int) (line int, forms []string)
}

// With returns, for each text, where its parses begin and end: one or more for each, in
// order, whose forms have the characters of the text, white space aside. A text without
// any character takes none. The error names the file and line of the parse, and the line
// of the text, of the first that has not.
func (p *Parses) With(texts []string) ([][2]int, error) {
	next := 0
	out := make([][2]int, len(texts))
	for i, text := range texts {
		rest, start := Compact(text), next
		for rest != "" {
			if next == p.Len {
				return nil, fmt.Errorf("%s: the %ss end before the text of line %d does: %q is left", p.Name, p.Thing, i+1, short(rest))
			}
			line, forms := p.At(next)
			for _, f := range forms {
				after, ok := strings.CutPrefix(rest, Compact(f))
				if !ok {
					return nil, fmt.Errorf("%s:%d: the %s has %q where the text of line %d goes on with %q", p.Name, line, p.Thing, short(f), i+1, short(rest))
				}
				rest = after
			}
			next++
		}
		out[i] = [2]int{start, next}
	}
	if next < p.Len {
		line, _ := p.At(next)
		return nil, fmt.Errorf("%s:%d: a %s after the last text, line %d", p.Name, line, p.Thing, len(texts))
	}
	return out, nil
}

// Compact is a text without white space.
func Compact(text string) string {
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

// Key is what a text is found by: the text with one space wherever it has white space, and
// none around it, as readers of files trim texts.
func Key(text string) string { return strings.Join(strings.Fields(text), " ") }
