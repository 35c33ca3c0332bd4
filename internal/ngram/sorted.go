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
// counts, and of the time to make it. It is made by a Sorter, and safe for concurrent use.
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

// layout says how codes stand in keys.
type layout struct {
	width int // of a code, in bits
	part  int // codes in a number
	parts int // numbers of a place
}

// layout is that of keys for an order; part·parts is as much or a little more.
func (g *Sorted) layout(order int) layout {
	l := layout{width: bits.Len(uint(len(g.symbols) + 1))}
	room := 63 / l.width // so that the highest number is above all
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
	high    Trie               // of one symbol, of those above
	codes   []uint32           // of high, by node less one
	symbols []uint32
	text    []uint32 // in codes
	places  [2][]int32
	starts  []int32 // of each code's places
	next    []int32
	packed  []uint64
	keys    []uint64
}

// code is that of a symbol, unknown if it has none.
func (s *Sorter) code(symbol uint32) uint32 {
	if symbol < lowSymbols {
		return s.low[symbol]
	}
	if node := s.high.Next(0, symbol); node != 0 {
		return s.codes[node-1]
	}
	return unknown
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
			if node := s.high.Add(0, symbol); int(node) <= len(s.codes) {
				continue
			}
			s.codes = append(s.codes, code)
		}
		s.symbols = append(s.symbols, symbol)
	}
}

// forget takes all codes away.
func (s *Sorter) forget() {
	for _, symbol := range s.symbols {
		if symbol < lowSymbols {
			s.low[symbol] = unknown
		}
	}
	s.symbols = s.symbols[:0]
	if n := len(s.codes); n > 1<<12 { // takes long to clear for a short text
		s.high, s.codes = Trie{}, nil
	} else if n > 0 {
		s.high.Reset()
		s.codes = s.codes[:0]
	}
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
	if err := s.sort(w, text, l, len(g.symbols), unknown); err != nil {
		return err
	}
	var apart [2 * MaxOrder]int
	if err := merge(w, g.keys, s.keys, l, &apart); err != nil {
		return err
	}
	both := (len(g.keys)+len(s.keys))/l.parts - 2
	for n := range common {
		common[n] = float64((both - apart[n]) / 2)
	}
	return nil
}

// stretch is how many places are looked at between two looks at the context.
const stretch = 1 << 14

// sort sets keys to those of a text whose symbols have so many codes. Behind its end are codes
// of the value after. Places whose own code is unknown are left out.
func (s *Sorter) sort(w *pace.Pace, text []uint32, l layout, symbols int, after uint32) error {
	n := len(text)
	s.text = slices.Grow(s.text[:0], n)[:n]
	s.starts = slices.Grow(s.starts[:0], symbols+first+1)[:symbols+first+1]
	clear(s.starts)
	for i, symbol := range text {
		var code uint32
		if symbol < lowSymbols {
			code = s.low[symbol]
		} else {
			code = s.code(symbol)
		}
		s.text[i] = code
		s.starts[code+1]++
	}
	known := n - int(s.starts[unknown+1])
	sum := int32(0)
	for i, n := range s.starts {
		sum += n
		s.starts[i] = sum
	}
	if n == 0 {
		s.keys = s.keys[:0]
		return nil
	}
	if err := s.order(w, l.part*l.parts); err != nil {
		return err
	}

	// What stands at a place is the code there and, shifted by one, what stands at the next.
	s.packed = slices.Grow(s.packed[:0], n+1)[:n+1]
	top := l.width * (l.part - 1)
	key := uint64(0)
	for range l.part {
		key = key<<l.width | uint64(after)
	}
	s.packed[n] = key
	for i := n - 1; i >= 0; i-- {
		key = key>>l.width | uint64(s.text[i])<<top
		s.packed[i] = key
	}
	if err := w.Done(4 * n); err != nil {
		return err
	}
	s.keys = slices.Grow(s.keys[:0], l.parts*(known+1))[:0]
	for part := range l.parts {
		for _, i := range s.places[0][n-known : n] {
			s.keys = append(s.keys, s.packed[min(n, int(i)+part*l.part)])
		}
		s.keys = append(s.keys, math.MaxUint64)
		if err := w.Done(4 * n); err != nil {
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
			for _, i := range places {
				if i == 0 {
					continue
				}
				code := s.text[i-1]
				at := next[code]
				next[code] = at + 1
				to[at] = i - 1
			}
			if err := w.Done(4 * len(places)); err != nil {
				return err
			}
		}
	}
	s.places = [2][]int32{to, from}
	return nil
}

// merge walks along two lists of keys, and sets apart, for each order less one, to how many
// n-grams of either list have none in the other to go with.
func merge(w *pace.Pace, a, b []uint64, l layout, apart *[2 * MaxOrder]int) error {
	if l.parts > 1 {
		return mergeParts(w, a, b, l, apart)
	}
	// By order: what more was in b than in a when the n-gram at hand began.
	var before [2 * MaxOrder]int
	more, i, j := 0, 0, 0
	unused := 64 - l.width*l.part
	inverse := 1<<16/l.width + 1 // as a division takes longer
	last := min(a[0], b[0])
	for left := len(a) + len(b) - 2; left > 0; {
		n := min(left, stretch)
		left -= n
		for range n {
			x, y := a[i], b[j]
			key := min(x, y)
			same := (bits.LeadingZeros64(key^last) - unused) * inverse >> 16
			last = key
			for k := l.part - 1; k >= same; k-- {
				apart[k] += max(more-before[k], before[k]-more)
				before[k] = more
			}
			if x <= y {
				i++
				more--
			} else {
				j++
				more++
			}
		}
		if err := w.Done(8 * n); err != nil {
			return err
		}
	}
	for k := range l.part {
		apart[k] += max(more-before[k], before[k]-more)
	}
	return nil
}

// mergeParts is merge of keys of several parts.
func mergeParts(w *pace.Pace, a, b []uint64, l layout, apart *[2 * MaxOrder]int) error {
	var before [2 * MaxOrder]int
	more, i, j := 0, 0, 0
	unused := 64 - l.width*l.part
	an, bn := len(a)/l.parts, len(b)/l.parts
	var all [MaxOrder]uint64
	last := all[:l.parts]
	for left := an + bn - 2; left > 0; {
		n := min(left, stretch)
		left -= n
		for range n {
			p := 0
			for p < l.parts-1 && a[p*an+i] == b[p*bn+j] {
				p++
			}
			keys, n, at := a, an, i
			later := a[p*an+i] > b[p*bn+j]
			if later {
				keys, n, at = b, bn, j
			}
			same, equal := 0, true
			for p := range last {
				key := keys[p*n+at]
				if equal {
					k := (bits.LeadingZeros64(key^last[p]) - unused) / l.width
					same += k
					equal = k == l.part
				}
				last[p] = key
			}
			for k := l.part*l.parts - 1; k >= same; k-- {
				apart[k] += max(more-before[k], before[k]-more)
				before[k] = more
			}
			if later {
				j++
				more++
			} else {
				i++
				more--
			}
		}
		if err := w.Done(steps * n); err != nil {
			return err
		}
	}
	for k := range l.part * l.parts {
		apart[k] += max(more-before[k], before[k]-more)
	}
	return nil
}
