package subword

import (
	"strings"
	"unicode/utf8"
)

// A model splits a word into pieces: it appends to s.tokens.
type model interface {
	tokenize(s *scratch, w span)
}

// A token is a piece of a model and a range of s.text. Where piece is negative, it is the
// unknown piece ^piece, and has the text that it stands for.
type token struct {
	piece      int32
	start, end int32
}

// A vocabulary holds the pieces of a model, which have numbers of their own, from 0 up.
type vocabulary struct {
	text []string
	ids  []int32
	trie *trie
}

// find returns the piece that the trie spells b, or -1.
func (v *vocabulary) find(b []byte) int32 {
	node := int32(root)
	for i := 0; i < len(b) && node != noNode; i++ {
		node = v.trie.next(node, b[i])
	}
	if node == noNode {
		return -1
	}
	return v.trie.nodes[node].value
}

// wordPiece takes the longest piece, again and again.
type wordPiece struct {
	*vocabulary
	unk       int32
	maxChars  int
	continued int32 // where the trie goes on within words, or noNode
}

func (m *wordPiece) tokenize(s *scratch, w span) {
	b := s.text.b[w.start:w.end]
	if len(b) > m.maxChars && utf8.RuneCount(b) > m.maxChars {
		s.tokens = append(s.tokens, token{m.unk, w.start, w.end})
		return
	}
	before := len(s.tokens)
	nodes := m.trie.nodes
	node := int32(root)
	look := lookBytes
	for start := 0; start < len(b); node = m.continued {
		if start >= look {
			look = s.look(start)
		}
		piece, end := int32(-1), start
		for i := start; i < len(b) && node != noNode; i++ {
			n := nodes[node].base ^ int32(b[i])
			if nodes[n].parent != node {
				break
			}
			node = n
			if v := nodes[n].value; v >= 0 {
				piece, end = v, i+1
			}
		}
		if piece < 0 {
			s.tokens = append(s.tokens[:before], token{m.unk, w.start, w.end})
			return
		}
		s.tokens = append(s.tokens, token{piece, w.start + int32(start), w.start + int32(end)})
		start = end
	}
}

// A precision is what scores are added in, which settles ties: Hugging Face's is double,
// and SentencePiece's single.
type precision interface{ float32 | float64 }

// unigram takes the most likely pieces.
type unigram[F precision] struct {
	*vocabulary
	steps    func(s *scratch) *[]step[F] // where they are kept
	scores   []F
	unk      int32
	unkScore F
	bytes    *[256]int32 // the pieces of bytes; nil: no fall-back
	// sentence is SentencePiece's way with unknown characters: a run of them is not looked
	// up, and bytes take the place of each.
	sentence bool
}

// A step is the best way to a place.
type step[F precision] struct {
	score F
	from  int32 // -1: there is no way yet
	piece int32
}

func doubleSteps(s *scratch) *[]step[float64] { return &s.doubleSteps }
func singleSteps(s *scratch) *[]step[float32] { return &s.singleSteps }

func (m *unigram[F]) tokenize(s *scratch, w span) {
	b := s.text.b[w.start:w.end]
	kept := m.steps(s)
	if cap(*kept) <= len(b) {
		*kept = make([]step[F], len(b)+len(b)/2+64)
	}
	steps := (*kept)[:len(b)+1]
	for i := range steps {
		steps[i] = step[F]{0, -1, 0}
	}
	nodes := m.trie.nodes
	look := lookBytes
	for at := 0; at < len(b); {
		if at >= look {
			look = s.look(at)
		}
		score := steps[at].score
		_, size := utf8.DecodeRune(b[at:])
		single := false
		node := int32(root)
		for i := at; i < len(b); i++ {
			n := nodes[node].base ^ int32(b[i])
			if nodes[n].parent != node {
				break
			}
			node = n
			if v := nodes[n].value; v >= 0 {
				t := &steps[i+1]
				if c := m.scores[v] + score; t.from < 0 || c > t.score {
					*t = step[F]{c, int32(at), v}
				}
				single = single || i+1-at == size
			}
		}
		if !single {
			t := &steps[at+size]
			if c := m.unkScore + score; t.from < 0 || c > t.score {
				*t = step[F]{c, int32(at), m.unk}
			}
		}
		at += size
	}
	m.takePath(s, w, b, steps)
}

// takePath appends the pieces of the best way to the end of a word.
func (m *unigram[F]) takePath(s *scratch, w span, b []byte, steps []step[F]) {
	before := len(s.tokens)
	for end := int32(len(b)); end > 0; {
		t := steps[end]
		from := t.from
		if t.piece != m.unk {
			s.tokens = append(s.tokens, token{t.piece, w.start + from, w.start + end})
			end = from
			continue
		}
		// Unknown pieces that follow each other are one.
		for from > 0 && steps[from].piece == m.unk && !(m.sentence && m.bytes != nil) {
			from = steps[from].from
		}
		m.addUnknown(s, b[from:end], w.start+from, w.start+end)
		end = from
	}
	reverse(s.tokens[before:])
}

func (m *unigram[F]) addUnknown(s *scratch, b []byte, start, end int32) {
	if p := m.find(b); p >= 0 && !m.sentence {
		s.tokens = append(s.tokens, token{p, start, end})
		return
	}
	if m.bytes != nil && known(m.bytes, b) {
		for i := len(b) - 1; i >= 0; i-- { // all is reversed later
			s.tokens = append(s.tokens, token{m.bytes[b[i]], start, end})
		}
		return
	}
	s.tokens = append(s.tokens, token{^m.unk, start, end})
}

// known says whether all bytes have pieces.
func known(pieces *[256]int32, b []byte) bool {
	for _, c := range b {
		if pieces[c] < 0 {
			return false
		}
	}
	return true
}

func reverse(t []token) {
	for i, j := 0, len(t)-1; i < j; i, j = i+1, j-1 {
		t[i], t[j] = t[j], t[i]
	}
}

// bpe joins pieces, the pairs that come first in its list first.
type bpe struct {
	*vocabulary
	merges       pairTable
	unk          int32 // -1: what is unknown is left out
	fuse         bool
	ignoreMerges bool        // for a word that is a piece
	byteLevel    bool        // words are bytes, and pieces and the trie spell them so
	pieces       [256]int32  // of bytes, with byteLevel
	bytes        *[256]int32 // fall-back for unknown characters; nil: none
	prefix       string      // of pieces within a word
	suffix       string      // of pieces at the end of a word
}

// A symbol is a piece of the word, in a chain.
type symbol struct {
	piece      int32
	len        int32 // 0: joined to the one before
	prev, next int32
}

func (m *bpe) tokenize(s *scratch, w span) {
	b := s.text.b[w.start:w.end]
	if m.ignoreMerges {
		if p := m.find(b); p >= 0 {
			s.tokens = append(s.tokens, token{p, w.start, w.end})
			return
		}
	}
	s.symbols = s.symbols[:0]
	if m.byteLevel {
		m.splitBytes(s, b)
	} else {
		m.splitChars(s, b)
	}
	m.merge(s)
	at := w.start
	for i := 0; i < len(s.symbols); i++ {
		if y := s.symbols[i]; y.len > 0 {
			s.tokens = append(s.tokens, token{y.piece, at, at + y.len})
			at += y.len
		}
	}
}

func (s *scratch) addSymbol(piece int32, n int) {
	i := int32(len(s.symbols))
	s.symbols = append(s.symbols, symbol{piece, int32(n), i - 1, i + 1})
}

func (m *bpe) splitBytes(s *scratch, b []byte) {
	unknown := 0
	for _, c := range b {
		m.add(s, m.pieces[c], 1, &unknown)
	}
	if unknown > 0 {
		s.addSymbol(m.unk, unknown)
	}
}

// add appends a piece of n bytes; unknown is the length of the unknown text before it.
func (m *bpe) add(s *scratch, piece int32, n int, unknown *int) {
	if piece < 0 && m.unk < 0 {
		return
	}
	if *unknown > 0 && (piece >= 0 || !m.fuse) {
		s.addSymbol(m.unk, *unknown)
		*unknown = 0
	}
	if piece < 0 {
		*unknown += n
	} else {
		s.addSymbol(piece, n)
	}
}

func (m *bpe) splitChars(s *scratch, b []byte) {
	unknown := 0
	look := lookBytes
	for i := 0; i < len(b); {
		if i >= look {
			look = s.look(i)
		}
		_, n := utf8.DecodeRune(b[i:])
		node := int32(root)
		if i > 0 {
			node = m.trie.walk(node, m.prefix)
		}
		for k := i; k < i+n && node != noNode; k++ {
			node = m.trie.next(node, b[k])
		}
		if i+n == len(b) && node != noNode {
			node = m.trie.walk(node, m.suffix)
		}
		piece := int32(-1)
		if node != noNode {
			piece = m.trie.nodes[node].value
		}
		if piece < 0 && m.bytes != nil && known(m.bytes, b[i:i+n]) {
			for _, c := range b[i : i+n] {
				s.addSymbol(m.bytes[c], 1)
			}
		} else {
			m.add(s, piece, n, &unknown)
		}
		i += n
	}
	if unknown > 0 {
		s.addSymbol(m.unk, unknown)
	}
}

func (m *bpe) merge(s *scratch) {
	y := s.symbols
	if len(y) < 2 {
		return
	}
	y[len(y)-1].next = -1
	s.heap = s.heap[:0]
	look := lookBytes
	for i := range y[1:] {
		if i >= look {
			look = s.look(i)
		}
		if p, ok := m.merges.get(y[i].piece, y[i+1].piece); ok {
			s.heap.push(uint64(p.rank)<<32 | uint64(i))
		}
	}
	look = lookBytes
	for n := 0; len(s.heap) > 0; n++ {
		if n >= look {
			look = s.look(n)
		}
		top := s.heap.pop()
		rank, i := int32(top>>32), int32(top&(1<<32-1))
		if y[i].len == 0 || y[i].next < 0 {
			continue
		}
		next := y[i].next
		p, ok := m.merges.get(y[i].piece, y[next].piece)
		if !ok || p.rank != rank {
			continue // one of the two has changed since
		}
		y[i].piece = p.piece
		y[i].len += y[next].len
		y[next].len = 0
		y[i].next = y[next].next
		if n := y[i].next; n >= 0 {
			y[n].prev = i
			if p, ok := m.merges.get(y[i].piece, y[n].piece); ok {
				s.heap.push(uint64(p.rank)<<32 | uint64(i))
			}
		}
		if prev := y[i].prev; prev >= 0 {
			if p, ok := m.merges.get(y[prev].piece, y[i].piece); ok {
				s.heap.push(uint64(p.rank)<<32 | uint64(prev))
			}
		}
	}
}

// A heap gives the least number first.
type heap []uint64

func (h *heap) push(x uint64) {
	a := append(*h, x)
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 2
		if a[up] <= x {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = x
	*h = a
}

func (h *heap) pop() uint64 {
	a := *h
	top, x := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	i := 0
	for {
		c := 2*i + 1
		if c >= len(a) {
			break
		}
		if c+1 < len(a) && a[c+1] < a[c] {
			c++
		}
		if x <= a[c] {
			break
		}
		a[i] = a[c]
		i = c
	}
	if len(a) > 0 {
		a[i] = x
	}
	*h = a
	return top
}

// A pairTable maps pairs of pieces to what they make: open addressing, the length a power
// of two.
type pairTable struct {
	slots []pairSlot
	n     int // that are taken
}

type pairSlot struct {
	a, b int32 // a < 0: free
	pair pair
}

type pair struct{ rank, piece int32 }

// grow makes the table twice as large.
func (t *pairTable) grow() {
	old := t.slots
	t.slots = make([]pairSlot, max(16, 2*len(old)))
	for i := range t.slots {
		t.slots[i].a = -1
	}
	for _, s := range old {
		if s.a >= 0 {
			*t.slot(s.a, s.b) = s
		}
	}
}

// add adds a pair that makes p, unless it is there.
func (t *pairTable) add(a, b int32, p pair) bool {
	if 2*t.n >= len(t.slots) {
		t.grow()
	}
	s := t.slot(a, b)
	if s.a >= 0 {
		return false
	}
	*s = pairSlot{a, b, p}
	t.n++
	return true
}

func (t *pairTable) slot(a, b int32) *pairSlot {
	h := (uint64(uint32(a))<<32 | uint64(uint32(b))) * 0x9e3779b97f4a7c15
	for i := int(h>>32) & (len(t.slots) - 1); ; i = (i + 1) & (len(t.slots) - 1) {
		if s := &t.slots[i]; s.a < 0 || s.a == a && s.b == b {
			return s
		}
	}
}

func (t *pairTable) get(a, b int32) (pair, bool) {
	s := t.slot(a, b)
	return s.pair, s.a >= 0
}

// byteChars returns the characters that ByteLevel spells bytes with: printable ones stand
// for themselves, the others come from U+0100 on.
func byteChars() [256]rune {
	var chars [256]rune
	next := rune(0x100)
	for b := range chars {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			chars[b] = rune(b)
		} else {
			chars[b] = next
			next++
		}
	}
	return chars
}

// byteSpelling turns ByteLevel's spelling into bytes; ok is false where it is none.
func byteSpelling(s string, of map[rune]byte) (string, bool) {
	var b strings.Builder
	for _, r := range s {
		c, ok := of[r]
		if !ok {
			return "", false
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

// trimmed counts the characters at the ends of a piece that stand for white space.
func (t *Tokenizer) trimmed(s string) (left, right int) {
	const space = 'Ġ'
	if s[0] > ' ' && s[0] < utf8.RuneSelf && s[len(s)-1] > ' ' && s[len(s)-1] < utf8.RuneSelf {
		return 0, 0
	}
	b := s
	for len(b) > 0 {
		r, n := utf8.DecodeRuneInString(b)
		if r != space && !t.isSpace(r) {
			break
		}
		left++
		b = b[n:]
	}
	for b = s; len(b) > 0; right++ {
		r, n := utf8.DecodeLastRuneInString(b)
		if r != space && !t.isSpace(r) {
			break
		}
		b = b[:len(b)-n]
	}
	return left, right
}
