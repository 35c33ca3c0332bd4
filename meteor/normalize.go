package meteor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/tokenize"
)

// A Normalization is what is done to a line before its words are taken.
type Normalization int

// The normalizations. Words are what stands between spaces, tabs and line ends.
const (
	Raw          Normalization = iota // the line as it is, case and all
	Lower                             // in lower case: for text that is tokenized already
	Full                              // punctuation split off and made plain, in lower case: for raw text
	FullNoPunct                       // Full, and then without punctuation
	noMoreNormal                      // how many there are
)

var normalizationNames = [...]string{"no_norm", "lc_only", "norm", "norm_nopunct"}

// String is the name in the program's evaluation ID.
func (n Normalization) String() string {
	return names.Of("Normalization", normalizationNames[:], n)
}

// prefixes are abbreviations, without their last full stop, which stays with them.
type prefixes struct {
	always  map[string]bool
	numbers map[string]bool // before a number only
}

// splitter takes the words of lines.
type splitter struct {
	norm     Normalization
	english  bool // how apostrophes are taken apart
	french   bool
	prefixes prefixes
}

// A cell is a character and its place in the line, which a space that was put in has none of.
type cell struct {
	r          rune
	start, end int32
}

// A span is a word, in the text of its words.
type span struct {
	lo, hi     int32 // its bytes in words.text
	start, end int32 // its bytes in the line, both 0 where there are none
}

// words are the words of a line, to be used again for another.
type words struct {
	text  []byte
	spans []span
	cells []cell
	other []cell // what the next pass fills
	pace  pace.Pace
	err   error // the context's
}

// split puts the words of the line into w. It ends early with an error if the context of
// w.pace is cancelled.
func (s *splitter) split(w *words, line string) error {
	w.text, w.spans, w.err = w.text[:0], w.spans[:0], nil
	if s.norm == Full || s.norm == FullNoPunct {
		for at := 0; at <= len(line) && w.err == nil; {
			end := cut(line, at)
			s.normalize(w, line[at:end], int32(at))
			at = end + 1
		}
		return w.err
	}
	for i := 0; i < len(line); {
		if javaBlank(rune(line[i])) {
			i++
			continue
		}
		start := i
		for i < len(line) && !javaBlank(rune(line[i])) {
			i++
		}
		lo := len(w.text)
		if s.norm == Lower {
			w.text = tokenize.AppendLower(w.text, line[start:i])
		} else {
			w.text = append(w.text, line[start:i]...)
		}
		w.spans = append(w.spans, span{int32(lo), int32(len(w.text)), int32(start), int32(i)})
		if err := w.pace.Done(20 + i - start); err != nil {
			return err
		}
	}
	return nil
}

// piece is the length in bytes after which a line is cut, where it can be.
const piece = 1 << 14

// cut returns where a long line can be cut so that its two parts, without the space there,
// become the same as in one: at a space between two letters or digits, which no rule looks
// across.
func cut(line string, from int) int {
	for at := from + piece; at < len(line); at++ {
		if line[at] != ' ' {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(line[:at])
		after, _ := utf8.DecodeRuneInString(line[at+1:])
		if isAlnum(before) && isAlnum(after) {
			return at
		}
	}
	return len(line)
}

// javaBlank says whether a character divides words: Java's StringTokenizer's.
func javaBlank(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' && r != '\v' }

// isLetter and isDigit are of the characters that the program takes for such.
func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return r >= 0xc0 && r <= 0x17e && r != 0xd7 && r != 0xf7 ||
		r >= 0x400 && r <= 0x527 || r >= 0xa640 && r <= 0xa66e || r >= 0xa67e && r <= 0xa697 || r >= 0x1d00 && r <= 0x1d7f
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isAlnum(r rune) bool { return isLetter(r) || isDigit(r) }

func isSpace(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }

// normalize does the work of Full and FullNoPunct: each rule is a pass over the line from left
// to right, the next match beginning where the last one ended. The line is a part of one
// that begins at base.
func (s *splitter) normalize(w *words, line string, base int32) {
	has := s.spread(w, line, base)
	has.dots = has.dots || strings.Contains(line, "DOT"+multi)
	if has.dots {
		w.hideDots()
	}
	if has.comma {
		not := func(r rune) bool { return !isDigit(r) }
		w.between(not, ',', not, " , ")
		w.between(isDigit, ',', not, " , ")
		w.between(not, ',', isDigit, " , ")
	}
	if has.quote {
		w.quotes()
	}
	if has.hyphen {
		w.hyphens()
		w.between(func(r rune) bool { return isAlnum(r) || r == '.' }, '-', isAlnum, " ")
	}
	if has.quote {
		s.apostrophes(w)
	}
	s.stops(w)
	if has.dots {
		w.showDots()
	}
	s.emit(w)
}

// features are what a line has that rules look for.
type features struct{ dots, comma, quote, hyphen bool }

// spread puts the line into w.cells, with a space before and after it, and before and after every
// character that is no part of words.
func (s *splitter) spread(w *words, line string, base int32) (has features) {
	out := put(w.cells[:0], " ")
	for i, r := range line {
		width := int32(utf8.RuneLen(r))
		if r == utf8.RuneError {
			_, n := utf8.DecodeRuneInString(line[i:])
			width = int32(n)
		}
		c := cell{r, base + int32(i), base + int32(i) + width}
		switch {
		case isAlnum(r) || isSpace(r):
			out = append(out, c)
			continue
		case r == '.':
			has.dots = has.dots || i > 0 && line[i-1] == '.'
		case r == ',':
			has.comma = true
		case r == '\'' || r == '`' || r == '‘' || r == '’':
			has.quote = true
		case r == '-':
			has.hyphen = true
		default:
			has.quote = has.quote || r == '“' || r == '”'
			has.hyphen = has.hyphen || r == '–'
			out = put(append(put(out, " "), c), " ")
			continue
		}
		out = append(out, c)
	}
	w.cells = put(out, " ")
	return has
}

// put appends characters that are not in the line.
func put(out []cell, s string) []cell {
	for _, r := range s {
		out = append(out, cell{r, 0, 0})
	}
	return out
}

// putAt appends characters in the place of another.
func putAt(out []cell, s string, at cell) []cell {
	for _, r := range s {
		out = append(out, cell{r, at.start, at.end})
	}
	return out
}

// quotes makes quotation marks plain, two apostrophes among them, with spaces around.
func (w *words) quotes() {
	for i, c := range w.cells {
		if c.r == '`' || c.r == '‘' || c.r == '’' {
			w.cells[i].r = '\''
		}
	}
	w.pass(func(in, out []cell) []cell {
		for i := 0; i < len(in); i++ {
			switch {
			case in[i].r == '“' || in[i].r == '”':
				out = put(putAt(put(out, " "), `"`, in[i]), " ")
			case in[i].r == '\'' && i+1 < len(in) && in[i+1].r == '\'':
				out = put(putAt(put(out, " "), `"`, cell{0, in[i].start, in[i+1].end}), " ")
				i++
			default:
				out = append(out, in[i])
			}
		}
		return out
	})
}

// hyphens makes dashes, and two hyphens, one hyphen.
func (w *words) hyphens() {
	w.pass(func(in, out []cell) []cell {
		for i := 0; i < len(in); i++ {
			switch {
			case in[i].r == '–':
				out = putAt(out, "-", in[i])
			case in[i].r == '-' && i+1 < len(in) && in[i+1].r == '-':
				out = putAt(out, "-", cell{0, in[i].start, in[i+1].end})
				i++
			default:
				out = append(out, in[i])
			}
		}
		return out
	})
}

// pass replaces the cells by what f appends to out.
func (w *words) pass(f func(in, out []cell) []cell) {
	if w.err == nil {
		w.err = w.pace.Done(4 * len(w.cells))
	}
	if w.err != nil {
		return
	}
	out := f(w.cells, w.other[:0])
	w.other, w.cells = w.cells, out
}

// between replaces mid between two characters by other ones.
func (w *words) between(left func(rune) bool, mid rune, right func(rune) bool, by string) {
	w.pass(func(in, out []cell) []cell {
		for i := 0; i < len(in); i++ {
			out = append(out, in[i])
			if i+2 < len(in) && in[i+1].r == mid && left(in[i].r) && right(in[i+2].r) {
				for _, r := range by {
					if r == ' ' {
						out = put(out, " ")
					} else {
						out = append(out, cell{r, in[i+1].start, in[i+1].end})
					}
				}
				out = append(out, in[i+2])
				i += 2
			}
		}
		return out
	})
}

// apostrophes sets them apart by the rules of the language.
func (s *splitter) apostrophes(w *words) {
	notLetter := func(r rune) bool { return !isLetter(r) }
	switch {
	case s.english:
		w.between(notLetter, '\'', notLetter, " ' ")
		w.between(func(r rune) bool { return !isAlnum(r) }, '\'', isLetter, " ' ")
		w.between(isLetter, '\'', notLetter, " ' ")
		w.between(isLetter, '\'', isLetter, " '")
		w.between(isDigit, '\'', func(r rune) bool { return r == 's' }, " '")
	case s.french:
		w.between(notLetter, '\'', notLetter, " ' ")
		w.between(notLetter, '\'', isLetter, " ' ")
		w.between(isLetter, '\'', notLetter, " ' ")
		w.between(isLetter, '\'', isLetter, "' ")
	default:
		w.pass(func(in, out []cell) []cell {
			for _, c := range in {
				if c.r == '\'' {
					out = put(append(put(out, " "), c), " ")
				} else {
					out = append(out, c)
				}
			}
			return out
		})
	}
}

// stops finds the tokens, and takes from each the full stop that ends a sentence and not
// an abbreviation.
func (s *splitter) stops(w *words) {
	in, out := w.cells, w.other[:0]
	for i := 0; ; {
		for i < len(in) && javaBlank(in[i].r) {
			i++
		}
		if i == len(in) {
			break
		}
		lo := i
		for i < len(in) && !javaBlank(in[i].r) {
			i++
		}
		token := in[lo:i]
		if last := len(token) - 1; last == 0 || token[last].r != '.' {
			out = append(out, token...)
		} else if stem := token[:last]; acronym(stem) {
			for _, c := range token {
				if c.r != '.' {
					out = append(out, c)
				}
			}
		} else {
			next := i
			for next < len(in) && javaBlank(in[next].r) {
				next++
			}
			out = append(out, stem...)
			if next == len(in) && !s.stays(w, stem, 0) || next < len(in) && !s.stays(w, stem, in[next].r) {
				out = put(out, " ")
			}
			out = append(out, token[last])
		}
		out = put(out, " ")
	}
	w.cells, w.other = out, in
}

func acronym(stem []cell) bool {
	dot, letter := false, false
	for _, c := range stem {
		dot = dot || c.r == '.'
		letter = letter || isLetter(c.r)
	}
	return dot && letter
}

// stays says whether the full stop after stem is a part of the word, where the next token
// begins with next.
func (s *splitter) stays(w *words, stem []cell, next rune) bool {
	return s.known(w, stem, s.prefixes.always) || 'a' <= next && next <= 'z' ||
		isDigit(next) && s.known(w, stem, s.prefixes.numbers)
}

func (s *splitter) known(w *words, stem []cell, list map[string]bool) bool {
	n := len(w.text)
	for _, c := range stem {
		w.text = utf8.AppendRune(w.text, c.r)
	}
	known := list[string(w.text[n:])]
	w.text = w.text[:n]
	return known
}

// divides says whether a character ends a word at last: what the program takes for white
// space when all is done.
func (s *splitter) divides(r rune) bool {
	return javaBlank(r) || r == 0xa0 || r >= 0x2000 && r <= 0x200a || r == 0x202f || r == 0x205f || r == 0x3000 ||
		s.norm == FullNoPunct && !isAlnum(r)
}

// emit puts the words of the cells into w.text and w.spans, in lower case. No word has a
// capital sigma, whose form depends on its neighbours, among other letters.
func (s *splitter) emit(w *words) {
	in := w.cells
	for len(in) > 0 && (in[0].r < ' ' || s.divides(in[0].r)) { // the program trims the line
		in = in[1:]
	}
	for len(in) > 0 && (in[len(in)-1].r < ' ' || s.divides(in[len(in)-1].r)) {
		in = in[:len(in)-1]
	}
	for i := 0; i < len(in); {
		if s.divides(in[i].r) {
			i++
			continue
		}
		at := span{lo: int32(len(w.text)), start: in[i].start, end: -1}
		for ; i < len(in) && !s.divides(in[i].r); i++ {
			if r := in[i].r; r == 'İ' {
				w.text = append(w.text, "i\u0307"...)
			} else {
				w.text = utf8.AppendRune(w.text, unicode.ToLower(r))
			}
			at.end = in[i].end
		}
		at.hi = int32(len(w.text))
		w.spans = append(w.spans, at)
	}
}

// multi stands for a run of n full stops while the other rules are at work: "DOT" n times,
// and this. The program does so, and the word in a text does the same.
const multi = "MULTI"

// hideDots sets apart the runs of two and more.
func (w *words) hideDots() {
	w.pass(func(in, out []cell) []cell {
		for i := 0; i < len(in); i++ {
			n := 0
			for i+n < len(in) && in[i+n].r == '.' {
				n++
			}
			if n > 1 {
				place := cell{0, in[i].start, in[i+n-1].end}
				out = put(out, " ")
				for range n {
					out = putAt(out, "DOT", place)
				}
				out = put(putAt(out, multi, place), " ")
				i += n - 1
			} else if k := len(out) - len("DOT"+multi); n == 1 && k >= 0 && hasText(out[k:], "DOT"+multi) {
				out = put(putAt(out[:len(out)-len(multi)], "DOT"+multi, in[i]), " ")
			} else {
				out = append(out, in[i])
			}
		}
		return out
	})
}

// showDots puts the full stops in the place of what stands for them.
func (w *words) showDots() {
	w.pass(func(in, out []cell) []cell {
		for i := 0; i < len(in); i++ {
			n := 0
			for hasText(in[i+3*n:], "DOT") {
				n++
			}
			if n == 0 {
				out = append(out, in[i])
				continue
			}
			if !hasText(in[i+3*n:], multi) { // nor after fewer of them
				out = append(out, in[i:i+3*n]...)
				i += 3*n - 1
				continue
			}
			end := i + 3*n + len(multi) - 1
			for range n {
				out = putAt(out, ".", cell{0, in[i].start, in[end].end})
			}
			i = end
		}
		return out
	})
}

func hasText(cells []cell, ascii string) bool {
	if len(cells) < len(ascii) {
		return false
	}
	for i := range len(ascii) {
		if cells[i].r != rune(ascii[i]) {
			return false
		}
	}
	return true
}
