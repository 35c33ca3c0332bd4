package subword

import (
	"math"
	"unicode/utf8"
)

// A sentenceVocabulary has what the models of SentencePiece share, but for unigram.
type sentenceVocabulary struct {
	*vocabulary
	users userSymbols
	unk   int32
	bytes *[256]int32 // the pieces of bytes; nil: no fall-back
}

// add appends a piece of the text from start to end, negative if it is unknown. first is
// where the tokens of the word begin.
func (v *sentenceVocabulary) add(s *scratch, first int, piece, start, end int32) {
	if piece >= 0 && piece != v.unk {
		s.tokens = append(s.tokens, token{piece, start, end})
		return
	}
	if v.bytes != nil {
		for _, c := range s.text.b[start:end] {
			s.tokens = append(s.tokens, token{v.bytes[c], start, end})
		}
		return
	}
	// Unknown pieces that follow each other are one.
	if n := len(s.tokens); n > first && s.tokens[n-1].piece == ^v.unk {
		s.tokens[n-1].end = end
		return
	}
	s.tokens = append(s.tokens, token{^v.unk, start, end})
}

// unit returns the length of the user-defined symbol or the character at the beginning of b.
func (v *sentenceVocabulary) unit(b []byte) (n int, user bool) {
	if v.users.trie != nil {
		if n := v.users.match(b); n > 0 {
			return n, true
		}
	}
	_, n = utf8.DecodeRune(b)
	return n, false
}

// sentenceChars has a piece for every character.
type sentenceChars struct{ sentenceVocabulary }

func (m *sentenceChars) tokenize(s *scratch, w span) {
	b, first := s.text.b[:w.end], len(s.tokens)
	look := lookBytes
	for i := int(w.start); i < len(b); {
		if i >= look {
			look = s.look(i)
		}
		n, _ := m.unit(b[i:])
		m.add(s, first, m.find(b[i:i+n]), int32(i), int32(i+n))
		i += n
	}
}

// sentenceWords has a piece for every word.
type sentenceWords struct{ sentenceVocabulary }

func (m *sentenceWords) tokenize(s *scratch, w span) {
	b, first := s.text.b[:w.end], len(s.tokens)
	start := int(w.start)
	look := start + lookBytes
	for i := start; i < len(b); {
		if i >= look {
			look = s.look(i)
		}
		_, n := utf8.DecodeRune(b[i:])
		if i += n; i == len(b) || len(b)-i >= len(wordMark) && string(b[i:i+len(wordMark)]) == wordMark {
			m.add(s, first, m.find(b[start:i]), int32(start), int32(i))
			start = i
		}
	}
}

// sentenceBPE joins neighbours that make a piece, the piece with the highest score first,
// and of equal ones the first in the text.
type sentenceBPE struct {
	sentenceVocabulary
	ranks  []uint32 // of pieces, the lowest first
	unused []bool   // that a piece comes apart in the end; nil: none does
}

// noRank is the rank of what is no piece.
const noRank = math.MaxUint32

func newSentenceBPE(v sentenceVocabulary, scores []float32, kinds []pieceKind) *sentenceBPE {
	m := &sentenceBPE{sentenceVocabulary: v, ranks: make([]uint32, len(scores))}
	for i, k := range kinds {
		m.ranks[i] = rankOf(scores[i])
		if k == unusedPiece {
			if m.unused == nil {
				m.unused = make([]bool, len(kinds))
			}
			m.unused[i] = true
		}
	}
	return m
}

// rankOf turns scores round: the higher, the lower is the rank.
func rankOf(score float32) uint32 {
	bits := math.Float32bits(score)
	if bits>>31 != 0 {
		return bits
	}
	return 1<<31 - 1 - bits
}

// A sentencePart is a part of the text, in a chain, that may be joined to its neighbours.
type sentencePart struct {
	start, len int32  // len 0: joined to the one before
	prev, next int32  // -1: there is none
	node       int32  // of the trie, for its text; noNode: no piece begins so
	pair       int32  // the same for its text and that of the next
	rank       uint32 // of the piece that the pair makes, or noRank
	user       bool   // a user-defined symbol, which is never joined
}

func (m *sentenceBPE) tokenize(s *scratch, w span) {
	if m.unused != nil {
		if s.halves == nil {
			s.halves = make(map[int32]int32)
		}
		clear(s.halves)
	}
	m.split(s, w)
	m.join(s)
	first := len(s.tokens)
	look := lookBytes
	for i := int32(0); i >= 0; i = s.chain[i].next {
		if int(i) >= look {
			look = s.look(int(i))
		}
		p := &s.chain[i]
		m.addJoined(s, first, m.piece(p.node), p.start, p.start+p.len, 0)
	}
}

// piece returns the piece that ends at a node of the trie, or -1.
func (m *sentenceBPE) piece(node int32) int32 {
	if node == noNode {
		return -1
	}
	return m.trie.nodes[node].value
}

// walk returns the node that b leads to, from a node or from none.
func (m *sentenceBPE) walk(node int32, b []byte) int32 {
	for i := 0; i < len(b) && node != noNode; i++ {
		node = m.trie.next(node, b[i])
	}
	return node
}

// split makes a part of every character and every user-defined symbol.
func (m *sentenceBPE) split(s *scratch, w span) {
	b := s.text.b[:w.end]
	s.chain = s.chain[:0]
	look := lookBytes
	for i := int(w.start); i < len(b); {
		if i >= look {
			look = s.look(i)
		}
		n, user := m.unit(b[i:])
		at := int32(len(s.chain))
		s.chain = append(s.chain, sentencePart{
			start: int32(i), len: int32(n), prev: at - 1, next: at + 1,
			node: m.walk(root, b[i:i+n]), rank: noRank, user: user,
		})
		i += n
	}
	s.chain[len(s.chain)-1].next = -1
}

// pair looks up the part i and the one after it, and puts them on the heap if they make a
// piece.
func (m *sentenceBPE) pair(s *scratch, i int32) {
	p := &s.chain[i]
	p.rank = noRank
	if p.user || p.node == noNode || p.next < 0 {
		return
	}
	next := &s.chain[p.next]
	if next.user {
		return
	}
	p.pair = m.walk(p.node, s.text.b[next.start:next.start+next.len])
	piece := m.piece(p.pair)
	if piece < 0 {
		return
	}
	p.rank = m.ranks[piece]
	s.heap.push(uint64(p.rank)<<32 | uint64(i))
	if m.unused != nil && m.unused[piece] {
		s.halves[piece] = p.len
	}
}

// join joins parts until none makes a piece with the next.
func (m *sentenceBPE) join(s *scratch) {
	s.heap = s.heap[:0]
	look := lookBytes
	for i := range s.chain {
		if i >= look {
			look = s.look(i)
		}
		m.pair(s, int32(i))
	}
	look = lookBytes
	for n := 0; len(s.heap) > 0; n++ {
		if n >= look {
			look = s.look(n)
		}
		top := s.heap.pop()
		i := int32(top & (1<<32 - 1))
		p := &s.chain[i]
		if p.len == 0 || p.rank != uint32(top>>32) {
			continue // one of the two has changed since
		}
		next := &s.chain[p.next]
		p.len += next.len
		p.node = p.pair
		p.next = next.next
		next.len = 0
		if p.next >= 0 {
			s.chain[p.next].prev = i
		}
		if p.prev >= 0 {
			m.pair(s, p.prev)
		}
		m.pair(s, i)
	}
}

// maxHalving is how deep, as in SentencePiece, what is unused comes apart.
const maxHalving = 100

// addJoined appends a piece, or the two that it was made of if it is unused. An unused one
// that was not made of two is unknown.
func (m *sentenceBPE) addJoined(s *scratch, first int, piece, start, end int32, depth int) {
	if m.unused != nil && piece >= 0 && m.unused[piece] && depth <= maxHalving {
		if n, ok := s.halves[piece]; ok {
			for _, half := range [2]span{{start, start + n}, {start + n, end}} {
				m.addJoined(s, first, m.find(s.text.b[half.start:half.end]), half.start, half.end, depth+1)
			}
			return
		}
		piece = -1
	}
	m.add(s, first, piece, start, end)
}
