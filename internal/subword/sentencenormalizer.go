package subword

import (
	"bytes"
	"unicode/utf8"
)

// wordMark takes the place of a space: U+2581.
const wordMark = "\u2581"

// userSymbols are symbols that stay as they are and whole, wherever they stand.
type userSymbols struct {
	trie  *trie     // nil: there are none
	first [256]bool // how they begin
}

// maxUsers is how many symbols that begin one another are looked at, as in SentencePiece.
const maxUsers = 64

// match returns the length of the longest symbol that b begins with, 0 if there is none.
func (u *userSymbols) match(b []byte) int {
	if !u.first[b[0]] {
		return 0
	}
	end, found := 0, 0
	node := int32(root)
	for i, c := range b {
		if node = u.trie.next(node, c); node == noNode {
			break
		}
		if u.trie.nodes[node].value >= 0 {
			end = i + 1
			if found++; found == maxUsers {
				break
			}
		}
	}
	return end
}

// A sentenceNormalizer is SentencePiece's: characters are replaced by the map, user-defined
// symbols left alone, white space marked and counted once. It reads s.text as it was given,
// bytes that are not UTF-8 among it: each is U+FFFD, and not looked up in the map.
type sentenceNormalizer struct {
	charsmap *charsmap // nil: none
	users    userSymbols
	space    string // what a space becomes
	dummy    bool   // a space is put at the beginning
	suffix   bool   // at the end instead
	squeeze  bool   // spaces at the ends go, and of those that follow each other all but one
	// plain are the bytes that stand for themselves where an ASCII character follows.
	plain [utf8.RuneSelf]bool
}

// findPlain makes plain.
func (n *sentenceNormalizer) findPlain() {
	for c := range n.plain {
		n.plain[c] = c != ' ' && !n.users.first[c]
		if n.charsmap == nil {
			continue
		}
		n.plain[c] = n.plain[c] && !n.charsmap.ascii[c]
		for next := byte(0); next < utf8.RuneSelf && n.plain[c]; next++ {
			n.plain[c] = !n.charsmap.begins([]byte{byte(c), next})
		}
	}
}

// prefix returns what the beginning of b becomes, and how long that is.
func (n *sentenceNormalizer) prefix(b []byte) (by []byte, size int) {
	if n.users.trie != nil {
		if size := n.users.match(b); size > 0 {
			return b[:size], size
		}
	}
	if n.charsmap != nil {
		if by, size := n.charsmap.find(b[:min(len(b), maxKey)], true); size > 0 {
			return by, size
		}
	}
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size == 1 {
		return replacement, 1
	}
	return b[:size], size
}

var replacement = []byte("\ufffd")

func (n *sentenceNormalizer) normalize(s *scratch) {
	src, dst := s.text.b, &s.spare
	base := s.text.base
	dst.reset(base)
	i := 0
	for look := lookBytes; n.squeeze && i < len(src); {
		if i >= look {
			look = s.look(i)
		}
		by, size := n.prefix(src[i:])
		if len(by) != 1 || by[0] != ' ' {
			break
		}
		i += size
	}
	if i < len(src) {
		if n.dummy && !n.suffix {
			dst.addString(n.space, span{base + int32(i), base + int32(i)})
		}
		n.rest(s, src, i)
	}
	s.text, s.spare = s.spare, s.text
}

// rest writes what src becomes from i on.
func (n *sentenceNormalizer) rest(s *scratch, src []byte, i int) {
	dst := &s.spare
	base := s.text.base
	after := n.squeeze // a space, or the beginning
	look := lookBytes
	for i < len(src) {
		if i >= look {
			look = s.look(i)
		}
		if c := src[i]; c < utf8.RuneSelf && n.plain[c] && (i+1 == len(src) || src[i+1] < utf8.RuneSelf) {
			dst.addByte(c, span{base + int32(i), base + int32(i) + 1})
			after = false
			i++
			continue
		}
		by, size := n.prefix(src[i:])
		if len(dst.b)+len(by)-i > s.room {
			s.cut = true
			return
		}
		a := span{base + int32(i), base + int32(i+size)}
		for after && len(by) > 0 && by[0] == ' ' {
			by = by[1:]
		}
		for _, c := range by {
			if c == ' ' {
				dst.addString(n.space, a)
			} else {
				dst.addByte(c, a)
			}
		}
		if len(by) > 0 {
			after = n.squeeze && by[len(by)-1] == ' '
		}
		i += size
	}
	end := base + int32(i)
	for n.squeeze && bytes.HasSuffix(dst.b, []byte(n.space)) {
		length := len(dst.b) - len(n.space)
		end = dst.align[length].start
		dst.b, dst.align = dst.b[:length], dst.align[:length]
	}
	if n.dummy && n.suffix {
		dst.addString(n.space, span{end, end})
	}
}
