// Package conllu reads dependency parses from CoNLL-U files, the format that dependency
// parsers write (https://universaldependencies.org/format.html), and lines them up with
// the texts that were parsed.
package conllu

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/internal/sidefile"
)

// A Word of a sentence: a syntactic one, which has a governor.
type Word struct {
	Form     string
	Head     int // 1-based place of the governor among Words, 0 for the root
	Relation string
}

// A Sentence with its parse.
type Sentence struct {
	Words []Word
	// Surface is how the text is written, in order, where that is not the forms of
	// Words: French "du", say, is the words "de" and "le". nil: the forms of Words.
	Surface []string
	Line    int // where it starts in its file, 0 if it is in none
}

// forms are what the sentence's text is made of.
func (s *Sentence) forms() []string {
	if s.Surface != nil {
		return s.Surface
	}
	out := make([]string, len(s.Words))
	for i, w := range s.Words {
		out[i] = w.Form
	}
	return out
}

// Open reads the CoNLL-U file at path, see Read.
func Open(path string) ([]Sentence, error) {
	return sidefile.Load(path, Read)
}

// Read reads a CoNLL-U file, plain or gzip, with or without a byte order mark. Of each word it
// takes the form, the governor and the relation, as they are. The words of a range ("1-2") are Words, its form is part
// of Surface; empty nodes ("1.1") and comments are left out. There can be several roots.
//
// The error names the first line that is wrong: it is not UTF-8, has not ten columns, an
// ID out of order, no form, a governor that is no number or out of range; or, at the line
// where a sentence starts, governors in a ring, and so a sentence without a root.
func Read(r io.Reader, name string) ([]Sentence, error) {
	in := lines.NewReader(r, lines.Limits{Line: maxLine, Text: math.MaxInt64})
	p := reader{known: make(map[string]string)}
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, lines.ErrTooLarge) {
			return nil, fmt.Errorf("%s:%d: a line of more than %d bytes: no parses", name, in.Line(), maxLine)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, in.Line(), sidefile.Plain(err))
		}
		if at, err := p.line(in.Line(), line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, at, err)
		}
	}
	if at, err := p.end(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, at, err)
	}
	return p.out, nil
}

// maxLine bounds a line, in bytes: it has one word, or is a comment, such as the text of the
// sentence.
const maxLine = 1 << 19

// reader holds the sentence that is being read.
type reader struct {
	out   []Sentence
	known map[string]string // forms and relations, so that the file need not be kept

	start   int // line of the sentence's first word or range, 0 between sentences
	words   []Word
	lines   []int // of words
	surface []string
	ranges  bool
	last    int // the last word of the range that is open
	rangeAt int // its line
	empty   int // the last empty node after the last word
}

// line reads the line with this number, and returns the line that is wrong.
func (p *reader) line(n int, line string) (int, error) {
	switch {
	case line == "":
		return p.end()
	case line[0] == '#':
		if p.start > 0 {
			return n, fmt.Errorf("a comment within the sentence that starts in line %d: is an empty line missing?", p.start)
		}
		return 0, nil
	}
	var columns [10]string
	rest := line
	for i := range columns {
		var more bool
		columns[i], rest, more = strings.Cut(rest, "\t")
		if more != (i < len(columns)-1) {
			return n, fmt.Errorf("%d columns, where CoNLL-U has ten with tabs between", strings.Count(line, "\t")+1)
		}
	}
	if p.start == 0 {
		p.start = n
	}
	if columns[1] == "" {
		return n, fmt.Errorf("no form")
	}
	if first, last, ok := strings.Cut(columns[0], "-"); ok {
		return p.span(n, first, last, columns[1])
	}
	if word, node, ok := strings.Cut(columns[0], "."); ok {
		return p.emptyNode(n, word, node)
	}
	return p.word(n, &columns)
}

// span reads a range of words, which is written as form.
func (p *reader) span(n int, first, last, form string) (int, error) {
	lo, ok1 := number(first)
	hi, ok2 := number(last)
	if !ok1 || !ok2 || lo != len(p.words)+1 || hi < lo || lo <= p.last {
		return n, fmt.Errorf("the range %q, where word %d was to come", first+"-"+last, len(p.words)+1)
	}
	p.ranges, p.last, p.rangeAt, p.empty = true, hi, n, 0
	p.surface = append(p.surface, p.intern(form))
	return 0, nil
}

// emptyNode reads one, which is left out.
func (p *reader) emptyNode(n int, word, node string) (int, error) {
	w, ok1 := number(word)
	k, ok2 := number(node)
	if !ok1 || !ok2 || w != len(p.words) || k != p.empty+1 {
		return n, fmt.Errorf("the empty node %q, where %d.%d was to come", word+"."+node, len(p.words), p.empty+1)
	}
	p.empty = k
	return 0, nil
}

// word reads a word.
func (p *reader) word(n int, columns *[10]string) (int, error) {
	if i, ok := number(columns[0]); !ok || i != len(p.words)+1 {
		return n, fmt.Errorf("the ID %q, where %d was to come", columns[0], len(p.words)+1)
	}
	head, ok := number(columns[6])
	if !ok {
		return n, fmt.Errorf("the governor %q is no number", columns[6])
	}
	form := p.intern(columns[1])
	p.words = append(p.words, Word{Form: form, Head: head, Relation: p.intern(columns[7])})
	p.lines = append(p.lines, n)
	p.empty = 0
	if len(p.words) > p.last {
		p.surface = append(p.surface, form)
	}
	return 0, nil
}

// number reads a number of digits only.
func number(s string) (int, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func (p *reader) intern(s string) string {
	t, ok := p.known[s]
	if !ok {
		t = strings.Clone(s)
		p.known[t] = t
	}
	return t
}

// end ends the sentence, if there is one, and returns the line that is wrong.
func (p *reader) end() (int, error) {
	if p.start == 0 {
		return 0, nil
	}
	if p.last > len(p.words) {
		return p.rangeAt, fmt.Errorf("a range to word %d of a sentence of %d", p.last, len(p.words))
	}
	if len(p.words) == 0 {
		return p.start, fmt.Errorf("a sentence without words")
	}
	for i, w := range p.words {
		if w.Head > len(p.words) {
			return p.lines[i], fmt.Errorf("the governor %d in a sentence of %d words", w.Head, len(p.words))
		}
	}
	if i := ring(p.words); i >= 0 {
		return p.start, fmt.Errorf("the governors of word %d form a ring, without a root", i+1)
	}
	s := Sentence{Words: append([]Word(nil), p.words...), Line: p.start}
	if p.ranges {
		s.Surface = append([]string(nil), p.surface...)
	}
	p.out = append(p.out, s)
	*p = reader{out: p.out, known: p.known, words: p.words[:0], lines: p.lines[:0], surface: p.surface[:0]}
	return 0, nil
}

// ring is the first word from which governors do not lead to a root, −1 if there is none.
func ring(words []Word) int {
	// By word, in which walk it was come to, 1 for that from the first word.
	walk := make([]int, len(words))
	for i := range words {
		at := i
		for walk[at] == 0 {
			walk[at] = i + 1
			if words[at].Head == 0 {
				break
			}
			at = words[at].Head - 1
			if walk[at] == i+1 {
				return i
			}
		}
	}
	return -1
}
