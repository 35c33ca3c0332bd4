package subword

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A pretokenizer splits the words of a text further. It reads s.words, ranges of
// s.text, and writes them anew; it may change the text as well.
type pretokenizer interface {
	pretokenize(s *scratch)
}

type preSequence []pretokenizer

func (p preSequence) pretokenize(s *scratch) {
	for _, one := range p {
		one.pretokenize(s)
	}
}

// split replaces every word by what f appends for it.
func (s *scratch) split(f func(dst []span, w span) []span) {
	s.newWords = s.newWords[:0]
	look := lookBytes
	for _, w := range s.words {
		if int(w.start) >= look {
			look = s.look(int(w.start))
		}
		s.newWords = f(s.newWords, w)
	}
	s.words, s.newWords = s.newWords, s.words
}

// addWord appends a word unless it is empty.
func addWord(dst []span, start, end int) []span {
	if start < end {
		dst = append(dst, span{int32(start), int32(end)})
	}
	return dst
}

// bertPre splits at white space, and around punctuation.
type bertPre struct{}

func (bertPre) pretokenize(s *scratch) {
	c, b := s.t.classes, s.text.b
	s.split(func(dst []span, w span) []span {
		start := int(w.start)
		look := start + lookBytes
		for i := start; i < int(w.end); {
			if i >= look {
				look = s.look(i)
			}
			var class uint16
			n := 1
			if b[i] < utf8.RuneSelf {
				class = c.ascii[b[i]]
			} else {
				var r rune
				r, n = utf8.DecodeRune(b[i:])
				class = c.of(r)
			}
			switch {
			case class&gptMask == gptSpace:
				dst = addWord(dst, start, i)
				start = i + n
			case class&isPunct != 0:
				dst = addWord(dst, start, i)
				dst = addWord(dst, i, i+n)
				start = i + n
			}
			i += n
		}
		return addWord(dst, start, int(w.end))
	})
}

// whitespaceSplit splits at white space.
type whitespaceSplit struct{}

func (whitespaceSplit) pretokenize(s *scratch) {
	s.split(func(dst []span, w span) []span {
		start := int(w.start)
		look := start + lookBytes
		for i := start; i < int(w.end); {
			if i >= look {
				look = s.look(i)
			}
			r, n := utf8.DecodeRune(s.text.b[i:])
			if s.t.isSpace(r) {
				dst = addWord(dst, start, i)
				start = i + n
			}
			i += n
		}
		return addWord(dst, start, int(w.end))
	})
}

// whitespace splits into runs of word characters and of other ones: \w+|[^\w\s]+
type whitespace struct{}

func (whitespace) pretokenize(s *scratch) {
	const space, word, sign = 0, 1, 2
	s.split(func(dst []span, w span) []span {
		start, kind := int(w.start), space
		look := start + lookBytes
		for i := start; i < int(w.end); {
			if i >= look {
				look = s.look(i)
			}
			r, n := utf8.DecodeRune(s.text.b[i:])
			class := s.t.classes.of(r)
			k := sign
			if class&isWord != 0 {
				k = word
			} else if class&gptMask == gptSpace {
				k = space
			}
			if k != kind {
				if kind != space {
					dst = addWord(dst, start, i)
				}
				start, kind = i, k
			}
			i += n
		}
		if kind != space {
			dst = addWord(dst, start, int(w.end))
		}
		return dst
	})
}

// A behaviour says what becomes of what a pattern matches.
type behaviour string

const (
	removed            behaviour = "Removed"
	isolated           behaviour = "Isolated"
	mergedWithPrevious behaviour = "MergedWithPrevious"
	mergedWithNext     behaviour = "MergedWithNext"
	contiguous         behaviour = "Contiguous"
)

var behaviours = []behaviour{removed, isolated, mergedWithPrevious, mergedWithNext, contiguous}

// splitter splits by a pattern.
type splitter struct {
	find      finder // nil: punctuation
	behaviour behaviour
	invert    bool
}

// A part is a match, or what is between two.
type part struct {
	start, end int
	match      bool
}

func (p splitter) pretokenize(s *scratch) {
	s.split(func(dst []span, w span) []span {
		b := s.text.b[:w.end]
		parts := s.parts[:0]
		done := int(w.start)
		look := done + lookBytes
		for {
			if done >= look {
				look = s.look(done)
			}
			var start, end int
			if p.find == nil {
				start, end = s.t.findPunct(b, done)
			} else {
				start, end = p.find.find(s, b, done)
			}
			if start < 0 {
				break
			}
			if start > done {
				parts = append(parts, part{done, start, p.invert})
			}
			parts = append(parts, part{start, end, !p.invert})
			done = end
		}
		if done < len(b) {
			parts = append(parts, part{done, len(b), p.invert})
		}
		s.parts = parts
		return p.apply(dst, parts)
	})
}

func (p splitter) apply(dst []span, parts []part) []span {
	first := len(dst)
	previous := false
	switch p.behaviour {
	case removed, isolated:
		for _, x := range parts {
			if p.behaviour == isolated || !x.match {
				dst = addWord(dst, x.start, x.end)
			}
		}
	case contiguous, mergedWithPrevious:
		for _, x := range parts {
			joins := x.match && !previous
			if p.behaviour == contiguous {
				joins = x.match == previous
			}
			if joins && len(dst) > first {
				dst[len(dst)-1].end = int32(x.end)
			} else {
				dst = addWord(dst, x.start, x.end)
			}
			previous = x.match
		}
	case mergedWithNext:
		for _, x := range slices.Backward(parts) {
			if x.match && !previous && len(dst) > first {
				dst[len(dst)-1].start = int32(x.start)
			} else {
				dst = addWord(dst, x.start, x.end)
			}
			previous = x.match
		}
		slices.Reverse(dst[first:])
	}
	return dst
}

func (t *Tokenizer) findPunct(b []byte, from int) (int, int) {
	for i := from; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if t.classes.of(r)&isPunct != 0 {
			return i, i + n
		}
		i += n
	}
	return -1, -1
}

// respell writes the text anew, word by word.
func (s *scratch) respell(f func(dst, src *buffer, w span)) {
	dst := &s.spare
	dst.reset(s.text.base)
	look := lookBytes
	for i, w := range s.words {
		if int(w.start) >= look {
			look = s.look(int(w.start))
		}
		start := int32(len(dst.b))
		f(dst, &s.text, w)
		s.words[i] = span{start, int32(len(dst.b))}
	}
	if s.room -= max(0, len(dst.b)-len(s.text.b)); s.room < 0 {
		s.cut = true
		s.words = s.words[:0]
	}
	s.text, s.spare = s.spare, s.text
}

// metaspace marks the beginning of words by a character of its own, and splits there.
type metaspace struct {
	mark   string
	scheme string // always, first, never
	split  bool
}

func (p metaspace) pretokenize(s *scratch) {
	s.respell(func(dst, src *buffer, w span) {
		b := src.b[w.start:w.end]
		if !bytes.HasPrefix(b, []byte(p.mark)) && b[0] != ' ' &&
			(p.scheme == "always" || p.scheme == "first" && src.at(int(w.start)).start == 0) {
			dst.addString(p.mark, src.at(int(w.start)))
		}
		done := int(w.start)
		look := done + lookBytes
		for i := done; i < int(w.end); i++ {
			if i >= look {
				look = s.look(i)
			}
			if src.b[i] == ' ' {
				s.addFrom(dst, src, done, i)
				dst.addString(p.mark, src.at(i))
				done = i + 1
			}
		}
		s.addFrom(dst, src, done, int(w.end))
	})
	if !p.split {
		return
	}
	s.split(func(dst []span, w span) []span {
		start := int(w.start)
		look := start + lookBytes
		for i := start + 1; i < int(w.end); i++ {
			if i >= look {
				look = s.look(i)
			}
			if s.text.b[i] == p.mark[0] && bytes.HasPrefix(s.text.b[i:w.end], []byte(p.mark)) {
				dst = addWord(dst, start, i)
				start = i
			}
		}
		return addWord(dst, start, int(w.end))
	})
}

// byteLevel is GPT-2's. That a byte is spelled as a character the model knows of.
type byteLevel struct {
	prefix bool // a space in front
	split  bool
}

func (p byteLevel) pretokenize(s *scratch) {
	if p.prefix {
		for _, w := range s.words {
			if s.text.b[w.start] != ' ' {
				s.respell(func(dst, src *buffer, w span) {
					if src.b[w.start] != ' ' {
						dst.addString(" ", src.at(int(w.start)))
					}
					s.addFrom(dst, src, int(w.start), int(w.end))
				})
				break
			}
		}
	}
	if p.split {
		s.split(func(dst []span, w span) []span {
			look := int(w.start) + lookBytes
			for i := int(w.start); i < int(w.end); {
				if i >= look {
					look = s.look(i)
				}
				n := s.t.classes.gptWord(s.text.b[i:w.end])
				dst = addWord(dst, i, i+n)
				i += n
			}
			return dst
		})
	}
}

const gptExpression = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// gptWord returns the length of gptExpression's match at the beginning of b.
func (t *classTable) gptWord(b []byte) int {
	class := func(i int) (uint16, int) {
		if b[i] < utf8.RuneSelf {
			return t.ascii[b[i]] & gptMask, 1
		}
		r, n := utf8.DecodeRune(b[i:])
		return t.of(r) & gptMask, n
	}
	if b[0] == '\'' && len(b) > 1 {
		switch b[1] {
		case 's', 't', 'm', 'd':
			return 2
		case 'r', 'v', 'l':
			if len(b) > 2 && (b[2] == 'e' && b[1] != 'l' || b[2] == 'l' && b[1] == 'l') {
				return 3
			}
		}
	}
	kind, end := class(0)
	if b[0] == ' ' && len(b) > 1 {
		if k, n := class(1); k != gptSpace {
			kind, end = k, 1+n
		}
	}
	last := 0 // where the last character begins
	for end < len(b) {
		k, n := class(end)
		if k != kind {
			break
		}
		last = end
		end += n
	}
	if kind == gptSpace && end < len(b) && last > 0 {
		return last // the last one belongs to the word after it
	}
	return end
}
