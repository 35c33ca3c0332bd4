package subword

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// added are tokens that are looked for in the text before anything splits it.
type added struct {
	trie   *trie // nil: there are none
	tokens []addedToken
	first  [256]bool // how tokens begin
	only   int       // the byte that all begin with, or -1
}

type addedToken struct {
	content        string // as the file has it
	id             int32
	word           bool // not within a word
	lstrip, rstrip bool // with the white space around it
}

func newAdded(tokens map[string]addedToken) added {
	a := added{only: -1}
	var entries []trieEntry
	for content, t := range tokens {
		entries = append(entries, trieEntry{content, int32(len(a.tokens))})
		a.tokens = append(a.tokens, t)
		a.first[content[0]] = true
		a.only = int(content[0])
	}
	if len(entries) == 0 {
		return a
	}
	for c, is := range a.first {
		if is && c != a.only {
			a.only = -1
			break
		}
	}
	slices.SortFunc(entries, func(x, y trieEntry) int { return strings.Compare(x.key, y.key) })
	a.trie = newTrie(entries)
	return a
}

// An addedMatch is where a token is.
type addedMatch struct {
	start, end int
	token      *addedToken
}

// matches gives the tokens in text from left to right, the longest where several begin.
func (a *added) matches(s *scratch, text []byte) iter.Seq[addedMatch] {
	return func(yield func(addedMatch) bool) {
		t := s.t
		done := 0 // the end of the last match
		look := lookBytes
		for at := 0; at < len(text); {
			if at >= look {
				look = s.look(at)
			}
			if a.only >= 0 {
				i := bytes.IndexByte(text[at:], byte(a.only))
				if i < 0 {
					return
				}
				at += i
			} else if !a.first[text[at]] {
				at++
				continue
			}
			which, end := int32(-1), at
			for n, i := int32(root), at; i < len(text); i++ {
				if n = a.trie.next(n, text[i]); n == noNode {
					break
				}
				if v := a.trie.nodes[n].value; v >= 0 {
					which, end = v, i+1
				}
			}
			if which < 0 {
				at++
				continue
			}
			m := addedMatch{at, end, &a.tokens[which]}
			at = end
			if m.token.word {
				before, _ := utf8.DecodeLastRune(text[:m.start])
				after, _ := utf8.DecodeRune(text[m.end:])
				if m.start > 0 && t.classes.of(before)&isWord != 0 || m.end < len(text) && t.classes.of(after)&isWord != 0 {
					continue
				}
			}
			if m.end <= done {
				continue // white space that the one before took, with all around it
			}
			for m.token.lstrip && m.start > done {
				r, n := utf8.DecodeLastRune(text[:m.start])
				if !t.isSpace(r) {
					break
				}
				m.start -= n
			}
			for m.token.rstrip && m.end < len(text) {
				r, n := utf8.DecodeRune(text[m.end:])
				if !t.isSpace(r) {
					break
				}
				m.end += n
			}
			// A token that the white space before it took part of.
			m.start = max(m.start, done)
			done = m.end
			if !yield(m) {
				return
			}
		}
	}
}
