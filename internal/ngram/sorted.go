package ngram

import (
	"math"
	"math/bits"
	"slices"

	"github.com/mteval/mteval/internal/pace"
)

// Sorted holds the n-grams of a text up to an order, exactly: for each place of the text the
// symbols from there on, as many as the order, packed into numbers, which are in order. The
// n-grams of all lengths that begin alike are then neighbours, and those that two texts have
// in common are found by one walk along both. It takes a tenth of the memory of a trie with
// counts, and a fifth of the time to make it. It is made by a Sorter, and safe for concurrent
// use.
type Sorted struct {
	length  int
	symbols []uint32 // those of the text, each once; the code of symbols[i] is i+2
	// keys are the places' codes, and at the end one above all. Where a number does not hold
	// them all, the first parts of all places come first, then all second parts.
	keys []uint64
}

// MaxOrder is the highest order of a Sorted.
const MaxOrder = 16

// Codes of what is no symbol of the text that is sorted: of two texts no n-gram with one of
// them is the same.
const (
	unknown = iota // in the other text; also its end
	end            // the end of the sorted text
	first
)

// beyond ends keys, above all of them. Differences of keys are then numbers with a sign.
const beyond = math.MaxInt64

// layout says how codes stand in keys.
type layout struct {
	width int // of a code, in bits
	part  int // codes in a number
	parts int // numbers of a place
}

// layout is that of keys for an order; part·parts is as much or a little more.
func (g *Sorted) layout(order int) layout {
	l := layout{width: bits.Len(uint(len(g.symbols) + 1))}
	room := 62 / l.width // so that no key is beyond
	l.parts = (order + room - 1) / room
	l.part = (order + l.parts - 1) / l.parts
	return l
}

// Len is the length of the text.
func (g *Sorted) Len() int { return g.length }

// lowSymbols is how many symbols have a code without a search: all of one and two bytes in
// UTF-8.
const lowSymbols = 1 << 11

// A Sorter sorts the n-grams of texts. It is the memory for that, which one goroutine needs
// at a time; the zero value is ready.
type Sorter struct {
	low     [lowSymbols]uint32 // codes by symbol, all zero between uses
	high    []coded            // a hash table of those above, open addressing; its length is a power of two
	highs   int                // how many it has
	symbols []uint32           // that have codes, in their order
	text    []uint32           // in codes
	places  [2][]int32
	starts  []int32 // of each code's places
	next    []int32
	packed  []uint64
	keys    []uint64
	events  []int64
}

// coded is a symbol of lowSymbols or more and its code, unknown where there is none.
type coded struct{ symbol, code uint32 }

// slot is where the search for a symbol in high begins.
func (s *Sorter) slot(symbol uint32) int {
	h := symbol * 0x9e3779b1
	return int(h^h>>16) & (len(s.high) - 1)
}

// find returns where a symbol is in high, or would be.
func (s *Sorter) find(symbol uint32) *coded {
	for i := s.slot(symbol); ; i = (i + 1) & (len(s.high) - 1) {
		if c := &s.high[i]; c.symbol == symbol || c.code == unknown {
			return c
		}
	}
}

// code is that of a symbol, unknown if it has none.
func (s *Sorter) code(symbol uint32) uint32 {
	if s.highs == 0 {
		return unknown
	}
	return s.find(symbol).code
}

// learn gives symbols the codes from first up, those that they have not yet.
func (s *Sorter) learn(symbols []uint32) {
	for _, symbol := range symbols {
		code := uint32(len(s.symbols) + first)
		if symbol < lowSymbols {
			if s.low[symbol] != unknown {
				continue
			}
			s.low[symbol] = code
		} else {
			if 2*s.highs >= len(s.high) {
				s.grow()
			}
			c := s.find(symbol)
			if c.code != unknown {
				continue
			}
			*c = coded{symbol, code}
			s.highs++
		}
		s.symbols = append(s.symbols, symbol)
	}
}

func (s *Sorter) grow() {
	s.high = make([]coded, max(64, 4*len(s.high)))
	for i, symbol := range s.symbols {
		if symbol >= lowSymbols {
			*s.find(symbol) = coded{symbol, uint32(i + first)}
		}
	}
}

// forget takes all codes away.
func (s *Sorter) forget() {
	for _, symbol := range s.symbols {
		if symbol < lowSymbols {
			s.low[symbol] = unknown
			continue
		}
		// Those that others had to pass may be gone, so that only the symbol counts.
		i := s.slot(symbol)
		for s.high[i].symbol != symbol {
			i = (i + 1) & (len(s.high) - 1)
		}
		s.high[i] = coded{}
	}
	s.symbols, s.highs = s.symbols[:0], 0
}

// Sort returns the n-grams of a text, of symbols above 0, up to an order of 1 to MaxOrder.
func (s *Sorter) Sort(w *pace.Pace, text []uint32, order int) (Sorted, error) {
	defer s.forget()
	s.learn(text)
	g := Sorted{length: len(text), symbols: slices.Clone(s.symbols)}
	if err := s.sort(w, text, g.layout(order), len(g.symbols), end); err != nil {
		return Sorted{}, err
	}
	g.keys = slices.Clone(s.keys)
	return g, nil
}

// Common sets common, by order less one, to how many n-grams a text has in common with g,
// which was sorted up to that order. A symbol of the text that is 0 is none of g's.
func (s *Sorter) Common(w *pace.Pace, g *Sorted, text []uint32, common []float64) error {
	clear(common)
	if g.length == 0 || len(text) == 0 {
		return nil
	}
	defer s.forget()
	s.learn(g.symbols)
	l := g.layout(len(common))
	if err := s.sort(w, text, l, len(g.symbols), unknown); err != nil || len(s.keys) == 0 {
		return err
	}
	if err := s.merge(w, g.keys, s.keys, l); err != nil {
		return err
	}
	both := (len(g.keys)+len(s.keys))/l.parts - 2
	for n := l.part * l.parts; n > 0; n-- {
		apart, err := s.apart(w, n)
		if err != nil {
			return err
		}
		if n <= len(common) {
			common[n-1] = float64((both - apart) / 2)
		}
	}
	return nil
}

// stretch is how many places are looked at between two looks at the context.
const stretch = 1 << 14

// few is how many places are in order sooner by comparison than by their codes.
const few = 20

// sort sets keys to those of a text whose symbols have so many codes. Behind its end are codes
// of the value after. Places whose own code is unknown are left out.
func (s *Sorter) sort(w *pace.Pace, text []uint32, l layout, symbols int, after uint32) error {
	n := len(text)
	s.text = slices.Grow(s.text[:0], n)[:n]
	s.starts = slices.Grow(s.starts[:0], symbols+first+1)[:symbols+first+1]
	clear(s.starts)
	codes, counts := s.text, s.starts[1:]
	for i, symbol := range text {
		code := uint32(0)
		if symbol < lowSymbols {
			code = s.low[symbol]
		} else {
			code = s.code(symbol)
		}
		codes[i] = code
		counts[code]++
	}
	known := n - int(counts[unknown])
	if known == 0 { // an empty text, or one of another script
		s.keys = s.keys[:0]
		return nil
	}
	// What stands at a place is the code there and, shifted by one, what stands at the next.
	s.packed = slices.Grow(s.packed[:0], n+1)[:n+1]
	top := l.width * (l.part - 1)
	key := uint64(0)
	for range l.part {
		key = key<<l.width | uint64(after)
	}
	s.packed[n] = key
	packed, width := s.packed, l.width
	for i, code := range slices.Backward(s.text) {
		key = key>>width | uint64(code)<<top
		packed[i] = key
	}
	s.keys = slices.Grow(s.keys[:0], l.parts*(known+1))[:l.parts*(known+1)]
	if known <= few && l.parts == 1 {
		keys := s.keys[:0]
		for i, code := range s.text {
			if code != unknown {
				keys = append(keys, packed[i])
			}
		}
		slices.Sort(keys)
		s.keys[known] = beyond
		return w.Done(8 * n)
	}
	if err := w.Done(8 * n); err != nil {
		return err
	}

	sum := int32(0)
	for i, n := range s.starts {
		sum += n
		s.starts[i] = sum
	}
	if err := s.order(w, l.part*l.parts); err != nil {
		return err
	}
	for part := range l.parts {
		keys, ahead := s.keys[part*(known+1):], part*l.part
		for k, i := range s.places[0][n-known:] {
			keys[k] = packed[min(n, int(i)+ahead)]
		}
		keys[known] = beyond
		if err := w.Done(8 * n); err != nil {
			return err
		}
	}
	return nil
}

// order sets places[0] to the places of the text, in the order of the depth codes that stand
// there. Places that are in the order of what stands behind them are put, one after another,
// to those with the same code, which makes the order one code deeper.
func (s *Sorter) order(w *pace.Pace, depth int) error {
	n := len(s.text)
	from, to := slices.Grow(s.places[0][:0], n)[:n], slices.Grow(s.places[1][:0], n)[:n]
	s.next = append(s.next[:0], s.starts...)
	next := s.next
	for i, code := range s.text {
		at := next[code]
		next[code] = at + 1
		to[at] = int32(i)
	}
	for range depth - 1 {
		from, to = to, from
		copy(next, s.starts)
		// The end comes before all.
		at := next[s.text[n-1]]
		next[s.text[n-1]] = at + 1
		to[at] = int32(n - 1)
		for lo := 0; lo < n; lo += stretch {
			places := from[lo:min(n, lo+stretch)]
			deepen(to, places, s.text, next)
			if err := w.Done(8 * len(places)); err != nil {
				return err
			}
		}
	}
	s.places = [2][]int32{to, from}
	return nil
}

// deepen is a stretch of order, a function of its own as its variables then all have registers.
//
//go:noinline
func deepen(to, from []int32, text []uint32, next []int32) {
	for _, i := range from {
		if i--; i >= 0 {
			code := text[i]
			at := next[code]
			to[at] = i
			next[code] = at + 1
		}
	}
}
