package significance

import (
	"context"
	"math/bits"

	"github.com/mteval/mteval"
)

// segments holds the rows of all systems for one segment after the other, so that a
// sample adds up memory that lies together.
type segments struct {
	rows         []float64
	width, inner int // of all systems, and of one
	// packed holds the same rows, where all their numbers are small and whole as
	// counts are, four in 64 bits: one addition adds four numbers. The sum of as many
	// rows as flush can't carry from one into the next. Nil for other rows.
	packed []uint64
	words  int // for a row
	flush  int
	// look has the bits that are 0 in the number of a row before which to look at the
	// context.
	look int
}

// stretch is how many numbers are drawn, added or sorted between two looks at a context:
// some hundred microseconds' worth.
const stretch = 1 << 16

// lanes is how many numbers a word holds, of laneBits each.
const (
	lanes    = 4
	laneBits = 64 / lanes
	laneMax  = 1<<laneBits - 1
)

func bySegment(ctx context.Context, t *mteval.Table) (*segments, error) {
	s := &segments{inner: t.Width(), width: t.Width() * len(t.Systems)}
	s.look = 1<<bits.Len(uint(stretch/max(1, s.width))) - 1
	s.rows = make([]float64, s.width*t.Len())
	whole, largest := true, 1.0
	for i := range t.Len() {
		if i&s.look == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		for k := range t.Systems {
			row := t.Row(k, i)
			copy(s.rows[i*s.width+k*s.inner:], row)
			for _, x := range row {
				whole = whole && x >= 0 && x <= laneMax && x == float64(uint64(x))
				largest = max(largest, x)
			}
		}
	}
	// The sum of eight rows at least, so that packing pays.
	if whole && largest <= laneMax/8 && s.width > 0 {
		s.pack(int(laneMax / largest))
	}
	return s, nil
}

func (s *segments) pack(flush int) {
	s.flush = flush
	s.words = (s.width + lanes - 1) / lanes
	n := len(s.rows) / max(1, s.width)
	s.packed = make([]uint64, n*s.words)
	for i := range n {
		words := s.packed[i*s.words : (i+1)*s.words]
		for j, x := range s.of(i) {
			words[j/lanes] |= uint64(x) << (j % lanes * laneBits)
		}
	}
}

func (s *segments) of(i int) []float64 { return s.rows[i*s.width : (i+1)*s.width] }

// sum adds up the rows of the segments drawn. Whole numbers have the same sum either
// way; others are added in the order of the draws.
func (s *segments) sum(ctx context.Context, draws []uint32) ([]float64, error) {
	sum := make([]float64, s.width)
	if s.packed == nil {
		for k, i := range draws {
			if k&s.look == 0 {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			for j, x := range s.of(int(i)) {
				sum[j] += x
			}
		}
		return sum, nil
	}
	// A row that was drawn several times is added once, multiplied, and rows are
	// read about in the order in which they lie.
	return sum, s.add(ctx, sum, countDraws(draws, len(s.packed)/s.words))
}

// countDraws says how many times each of n things was drawn.
func countDraws(draws []uint32, n int) []uint32 {
	times := make([]uint32, n)
	for _, i := range draws {
		times[i]++
	}
	return times
}

// add adds to sum the row of each segment as many times as times says, in the order of
// the segments.
func (s *segments) add(ctx context.Context, sum []float64, times []uint32) error {
	if s.packed != nil {
		return s.addPacked(ctx, sum, times)
	}
	for i, n := range times {
		if i&s.look == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if n == 0 {
			continue
		}
		factor := float64(n)
		for j, x := range s.of(i) {
			sum[j] += float64(factor * x) // rounded alike on all processors
		}
	}
	return nil
}

func (s *segments) addPacked(ctx context.Context, sum []float64, times []uint32) error {
	acc := make([]uint64, s.words)
	room := s.flush // rows until acc is full
	empty := func() {
		for j := range sum {
			sum[j] += float64(acc[j/lanes] >> (j % lanes * laneBits) & laneMax)
		}
		clear(acc)
		room = s.flush
	}
	need := func(n int) {
		if room < n {
			empty()
		}
		room -= n
	}
	row := func(i int) []uint64 { return s.packed[i*s.words:][:len(acc)] }
	var once [4]int // rows that were drawn once, added four at a time
	waiting := 0
	for i, n := range times {
		if i&s.look == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		switch {
		case n == 1:
			once[waiting] = i
			waiting++
			if waiting == len(once) {
				waiting = 0
				need(len(once))
				a, b, c, d := row(once[0]), row(once[1]), row(once[2]), row(once[3])
				for j := range acc {
					acc[j] += a[j] + b[j] + c[j] + d[j]
				}
			}
		case n > 1:
			for n > 0 {
				now := min(n, uint32(s.flush))
				n -= now
				need(int(now))
				for j, x := range row(i) {
					acc[j] += x * uint64(now)
				}
			}
		}
	}
	for _, i := range once[:waiting] {
		need(1)
		for j, x := range row(i) {
			acc[j] += x
		}
	}
	empty()
	return nil
}

func (s *segments) system(sum []float64, k int) []float64 { return sum[k*s.inner : (k+1)*s.inner] }
