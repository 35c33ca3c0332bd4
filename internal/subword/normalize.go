package subword

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A normalizer changes the text: it reads s.text and, unless nothing changes, writes
// s.spare and exchanges the two.
type normalizer interface {
	normalize(s *scratch)
}

// growth is how many bytes longer than its n bytes normalizers may make a text: 64 for
// every one, 1 MB where it is short, 32 MB at most. Only files made to exhaust memory come
// near it.
func growth(n int) int { return min(1<<20+64*min(n, 1<<20), 1<<25) }

// apply normalizes the text, unless it grows too long: then nothing is left of it.
func (s *scratch) apply(n normalizer) {
	before := len(s.text.b)
	n.normalize(s)
	if _, is := n.(sequence); is {
		return // has told room already
	}
	if s.room -= max(0, len(s.text.b)-before); s.room < 0 {
		s.cut = true
	}
	if s.cut {
		s.text.reset(s.text.base)
	}
}

type sequence []normalizer

func (n sequence) normalize(s *scratch) {
	for _, one := range n {
		s.apply(one)
	}
}

// rewrite calls f for every character of the text, to write what it becomes.
func (s *scratch) rewrite(f func(dst *buffer, r rune, a span)) {
	src, dst := &s.text, &s.spare
	dst.reset(src.base)
	look := lookBytes
	for i := 0; i < len(src.b); {
		if i >= look {
			look = s.look(i)
		}
		r, n := utf8.DecodeRune(src.b[i:])
		f(dst, r, src.source(i, i+n))
		i += n
	}
	s.text, s.spare = s.spare, s.text
}

type lowercase struct{}

func (lowercase) normalize(s *scratch) {
	s.rewrite(func(dst *buffer, r rune, a span) {
		dst.addRune(lower(r), a)
		if r == dottedI {
			dst.addRune(dotAbove, a)
		}
	})
}

// strip removes white space at the ends.
type strip struct{ left, right bool }

func (n strip) normalize(s *scratch) {
	start, end := 0, len(s.text.b)
	for n.left && start < end {
		r, size := utf8.DecodeRune(s.text.b[start:])
		if !s.t.isSpace(r) {
			break
		}
		start += size
	}
	for n.right && start < end {
		r, size := utf8.DecodeLastRune(s.text.b[start:end])
		if !s.t.isSpace(r) {
			break
		}
		end -= size
	}
	if start == 0 && end == len(s.text.b) {
		return
	}
	s.spare.reset(s.text.base)
	s.addFrom(&s.spare, &s.text, start, end)
	s.text, s.spare = s.spare, s.text
}

// remove drops the characters of some classes.
type remove uint16

func (n remove) normalize(s *scratch) {
	s.rewrite(func(dst *buffer, r rune, a span) {
		if s.t.classes.of(r)&uint16(n) == 0 {
			dst.addRune(r, a)
		}
	})
}

// prepend puts text in front.
type prepend string

func (n prepend) normalize(s *scratch) {
	if len(s.text.b) == 0 || n == "" {
		return
	}
	s.spare.reset(s.text.base)
	s.spare.addString(string(n), s.text.at(0))
	s.addFrom(&s.spare, &s.text, 0, len(s.text.b))
	s.text, s.spare = s.spare, s.text
}

// replace puts content in the place of what find finds.
type replace struct {
	find    finder
	content string
}

func (n replace) normalize(s *scratch) {
	start, end := n.find.find(s, s.text.b, 0)
	if start < 0 {
		return
	}
	src, dst := &s.text, &s.spare
	dst.reset(src.base)
	done, look := 0, lookBytes
	for start >= 0 {
		if start >= look {
			look = s.look(start)
		}
		s.addFrom(dst, src, done, start)
		if len(dst.b)+len(n.content)-end > s.room {
			s.cut = true
			return
		}
		a := span{src.base, src.base}
		if end > 0 {
			a = src.at(end - 1)
		}
		dst.addString(n.content, a)
		done = end
		start, end = n.find.find(s, src.b, end)
	}
	s.addFrom(dst, src, done, len(src.b))
	s.text, s.spare = s.spare, s.text
}

// A finder finds a pattern that never matches nothing.
type finder interface {
	// find returns the first match at from or later, or -1.
	find(s *scratch, b []byte, from int) (start, end int)
}

type findString string

func (f findString) find(_ *scratch, b []byte, from int) (int, int) {
	i := bytes.Index(b[from:], []byte(f))
	if i < 0 {
		return -1, -1
	}
	return from + i, from + i + len(f)
}

// findRun finds least or more of one and the same string.
type findRun struct {
	one   string
	least int
}

func (f findRun) find(_ *scratch, b []byte, from int) (int, int) {
	for {
		i := bytes.Index(b[from:], []byte(f.one))
		if i < 0 {
			return -1, -1
		}
		start := from + i
		end, n := start+len(f.one), 1
		for bytes.HasPrefix(b[end:], []byte(f.one)) {
			end += len(f.one)
			n++
		}
		if n >= f.least {
			return start, end
		}
		from = end
	}
}

type findRegexp struct{ re *regexp.Regexp }

// longMatch is the length of text from which an expression reads a character at a time, so
// that one which goes through much of the text for each match can be stopped.
const longMatch = 1 << 12

func (f findRegexp) find(s *scratch, b []byte, from int) (int, int) {
	var m []int
	if len(b)-from < longMatch {
		m = f.re.FindIndex(b[from:])
	} else {
		m = f.re.FindReaderIndex(&runeReader{s: s, b: b[from:]})
	}
	if m == nil {
		return -1, -1
	}
	return from + m[0], from + m[1]
}

// A runeReader gives text to an expression, and looks at the context.
type runeReader struct {
	s    *scratch
	b    []byte
	read int
}

func (r *runeReader) ReadRune() (rune, int, error) {
	if r.read == len(r.b) {
		return 0, 0, io.EOF
	}
	// An expression takes far longer for a character than another loop.
	if r.s.passed += 32; r.s.passed >= lookBytes {
		r.s.passed = 0
		r.s.look(0)
	}
	c, n := utf8.DecodeRune(r.b[r.read:])
	r.read += n
	return c, n, nil
}

// bert is BertNormalizer.
type bert struct {
	clean, chinese, strip, lower bool
}

func (n bert) normalize(s *scratch) {
	if n.strip && s.hasMovingMark() {
		n.normalizeInSteps(s)
		return
	}
	src, dst := &s.text, &s.spare
	dst.reset(src.base)
	c := s.t.classes
	look := lookBytes
	for i := 0; i < len(src.b); {
		if i >= look {
			look = s.look(i)
		}
		if b := src.b[i]; b < utf8.RuneSelf {
			class := c.ascii[b]
			if n.clean {
				if class&isOther != 0 {
					i++
					continue
				}
				if class&gptMask == gptSpace {
					b = ' '
				}
			}
			if n.lower && class&isCased != 0 {
				b += 'a' - 'A'
			}
			if src.aligned {
				dst.addByte(b, src.align[i])
			} else {
				dst.addByte(b, span{src.base + int32(i), src.base + int32(i) + 1})
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(src.b[i:])
		a := span{src.base + int32(i), src.base + int32(i+size)}
		if src.aligned {
			a = src.align[i]
		}
		i += size
		class := c.of(r)
		if n.clean {
			if class&isOther != 0 || r == utf8.RuneError {
				continue
			}
			if class&gptMask == gptSpace {
				dst.addByte(' ', a)
				continue
			}
		}
		spaced := n.chinese && isChinese(r)
		if spaced {
			dst.addByte(' ', a)
		}
		if n.strip && !c.isInert(r) {
			s.decomposed = appendDecomposed(s.decomposed[:0], r, norm.NFD)
			for _, d := range s.decomposed {
				if c.of(d)&isMn == 0 {
					n.addLower(dst, d, a)
				}
			}
		} else if !n.strip || class&isMn == 0 {
			n.addLower(dst, r, a)
		}
		if spaced {
			dst.addByte(' ', a)
		}
	}
	s.text, s.spare = s.spare, s.text
}

func (n bert) addLower(dst *buffer, r rune, a span) {
	if n.lower && r == dottedI {
		dst.addRune('i', a)
		r = dotAbove
	} else if n.lower {
		r = lower(r)
	}
	dst.addRune(r, a)
}

// hasMovingMark says whether there are characters that decomposition may move and
// stripping accents leaves.
func (s *scratch) hasMovingMark() bool {
	c := s.t.classes
	look := lookBytes
	for i := 0; i < len(s.text.b); {
		if i >= look {
			look = s.look(i)
		}
		if s.text.b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(s.text.b[i:])
		i += size
		if r >= 0x300 && c.of(r)&isMn == 0 && !c.isInert(r) {
			if c.combining(r) != 0 {
				return true
			}
			if r >= 0xac00 && r < 0xac00+11172 {
				continue
			}
			s.decomposed = appendDecomposed(s.decomposed[:0], r, norm.NFD)
			for _, d := range s.decomposed {
				if c.of(d)&isMn == 0 && c.combining(d) != 0 {
					return true
				}
			}
		}
	}
	return false
}

func (n bert) normalizeInSteps(s *scratch) {
	bert{clean: n.clean, chinese: n.chinese}.normalize(s)
	form{norm.NFD, false}.normalize(s)
	remove(isMn).normalize(s)
	bert{lower: n.lower}.normalize(s)
}

// form is one of Unicode's normalization forms: f is NFD or NFKD.
type form struct {
	f       norm.Form
	compose bool
}

// A mark is a character to be put in order, and whether it is new.
type mark struct {
	r     rune
	class uint8
	n     int
}

func (t *classTable) combining(r rune) uint8 {
	if t.isInert(r) {
		return 0
	}
	var b [utf8.UTFMax]byte
	return norm.NFD.Properties(utf8.AppendRune(b[:0], r)).CCC()
}

// appendDecomposed appends what r decomposes to.
func appendDecomposed(dst []rune, r rune, f norm.Form) []rune {
	if r >= 0xac00 && r < 0xac00+11172 {
		h := r - 0xac00
		dst = append(dst, 0x1100+h/588, 0x1161+h%588/28)
		if h%28 != 0 {
			dst = append(dst, 0x11a7+h%28)
		}
		return dst
	}
	var b [utf8.UTFMax]byte
	d := f.Properties(utf8.AppendRune(b[:0], r)).Decomposition()
	if len(d) == 0 {
		return append(dst, r)
	}
	for len(d) > 0 {
		r, n := utf8.DecodeRune(d)
		dst = append(dst, r)
		d = d[n:]
	}
	return dst
}

func (n form) normalize(s *scratch) {
	c := s.t.classes
	ascii := true
	for _, b := range s.text.b {
		if b >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return
	}
	out := s.changes[:0]
	pending := 0 // out[pending:] are marks not in order yet
	s.marks = s.marks[:0]
	flush := func() {
		if len(s.marks) > manyMarks {
			s.placeMarks(out[pending:])
		} else if len(s.marks) > 1 {
			slices.SortStableFunc(s.marks, func(a, b mark) int { return int(a.class) - int(b.class) })
			for i, m := range s.marks {
				out[pending+i] = change{m.r, m.n}
			}
		}
		s.marks = s.marks[:0]
	}
	add := func(r rune, n int) {
		class := uint8(0)
		if r >= 0x300 {
			class = c.combining(r)
		}
		if class == 0 {
			flush()
			out = append(out, change{r, n})
			pending = len(out)
			return
		}
		out = append(out, change{r, n})
		s.marks = append(s.marks, mark{r, class, n})
	}
	look := lookBytes
	for i := 0; i < len(s.text.b); {
		if i >= look {
			look = s.look(i)
		}
		r, size := utf8.DecodeRune(s.text.b[i:])
		i += size
		if r < utf8.RuneSelf || c.isInert(r) {
			add(r, 0)
			continue
		}
		s.decomposed = appendDecomposed(s.decomposed[:0], r, n.f)
		for k, d := range s.decomposed {
			add(d, min(k, 1))
		}
	}
	flush()
	if n.compose {
		out = s.recompose(out)
	}
	s.changes = out
	s.transform()
}

// manyMarks is from where on marks are counted and not sorted.
const manyMarks = 64

// placeMarks puts the marks into dst in the order of their classes, those of a class in
// the order that they have: in linear time.
func (s *scratch) placeMarks(dst []change) {
	var at [257]int // of the next mark of each class
	for _, m := range s.marks {
		at[int(m.class)+1]++
	}
	for i := range 256 {
		at[i+1] += at[i]
	}
	for _, m := range s.marks {
		dst[at[m.class]] = change{m.r, m.n}
		at[m.class]++
	}
}

// recompose composes, in place.
func (s *scratch) recompose(in []change) []change {
	t, pairs := s.t.classes, compositions()
	out := in[:0]
	starter := -1 // in out
	last := 0     // class of the character before, -1: the starter itself
	look := lookBytes
	for i, c := range in {
		if i >= look {
			look = s.look(i)
		}
		class := 0
		if c.r >= 0x300 {
			class = int(t.combining(c.r))
		}
		if starter >= 0 && (last == -1 || last < class) {
			if r, ok := compose(pairs, out[starter].r, c.r); ok {
				out[starter].r = r
				out[starter].n += c.n - 1
				continue
			}
		}
		if class == 0 {
			starter, last = len(out), -1
		} else {
			last = class
		}
		out = append(out, c)
	}
	return out
}

func compose(pairs map[[2]rune]rune, a, b rune) (rune, bool) {
	switch {
	case a >= 0x1100 && a < 0x1113 && b >= 0x1161 && b < 0x1176:
		return 0xac00 + ((a-0x1100)*21+b-0x1161)*28, true
	case a >= 0xac00 && a < 0xac00+11172 && (a-0xac00)%28 == 0 && b > 0x11a7 && b < 0x11c3:
		return a + b - 0x11a7, true
	}
	r, ok := pairs[[2]rune{a, b}]
	return r, ok
}

// compositions returns the pairs of characters that make one.
var compositions = sync.OnceValue(func() map[[2]rune]rune {
	t := classes()
	pairs := make(map[[2]rune]rune)
	var d []rune
	for r := rune(0xc0); r < 0x30000; r++ {
		if r >= 0xac00 && r < 0xf900 || t.isInert(r) || !norm.NFC.IsNormalString(string(r)) {
			continue
		}
		d = appendDecomposed(d[:0], r, norm.NFD)
		if len(d) < 2 {
			continue
		}
		first := []rune(norm.NFC.String(string(d[:len(d)-1])))
		if len(first) == 1 {
			pairs[[2]rune{first[0], d[len(d)-1]}] = r
		}
	}
	return pairs
})
