package tunable

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/rows"
)

// block is how many hypotheses are worked on at a time, which bounds what is held.
const block = 512

// flat are references each of which is a segment of its own.
type flat struct {
	mteval.Prepared
	numbers int   // of statistics, for a hypothesis and a reference
	first   []int // the first reference of each segment, and their number
	segment []int // by reference
}

func prepareFlat(ctx context.Context, st Statistics, refs [][]string) (*flat, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	if err := contract.Width("statistics", st.Width()); err != nil {
		return nil, fmt.Errorf("tunable: %w", err)
	}
	f := &flat{numbers: st.Width(), first: make([]int, 0, len(refs)+1)}
	var single []string
	for i, r := range refs {
		f.first = append(f.first, len(single))
		single = append(single, r...)
		for range r {
			f.segment = append(f.segment, i)
		}
	}
	f.first = append(f.first, len(single))
	var err error
	if f.Prepared, err = st.Prepare(ctx, single); err != nil {
		return nil, f.at(err, nil)
	}
	if contract.Nil(f.Prepared) {
		return nil, errors.New("tunable: the Prepare of the statistics returned nil without an error")
	}
	return f, nil
}

// Len is the number of segments.
func (f *flat) Len() int { return len(f.first) - 1 }

// A call is what a call of Append of hypotheses against each reference takes.
type call struct {
	at    []int    // references
	of    []int    // hypotheses
	texts []string // of these
}

// add adds a hypothesis of a segment.
func (c *call) add(f *flat, segment, hyp int, text string) {
	for r := f.first[segment]; r < f.first[segment+1]; r++ {
		c.at, c.of, c.texts = append(c.at, r), append(c.of, hyp), append(c.texts, text)
	}
}

func (c *call) reset() { c.at, c.of, c.texts = c.at[:0], c.of[:0], c.texts[:0] }

// append appends the statistics.
func (f *flat) append(ctx context.Context, dst []float64, c *call) ([]float64, error) {
	out, err := f.Prepared.Append(ctx, dst, c.at, c.texts)
	if err != nil {
		return out, f.at(err, c.of)
	}
	if n := len(out) - len(dst); n != len(c.texts)*f.numbers {
		return dst, fmt.Errorf("tunable: %d statistics were appended for %d texts: Width is %d, so that they must be %d", n, len(c.texts), f.numbers, len(c.texts)*f.numbers)
	}
	return out, nil
}

// at returns an error at a reference that was a segment of its own as one at its segment.
// of has the hypotheses whose texts were in the call.
func (f *flat) at(err error, of []int) error {
	var at *mteval.SegmentError
	if !errors.As(err, &at) || at.Segment < 0 || at.Segment >= len(f.segment) {
		return err
	}
	moved := *at
	moved.Segment = f.segment[at.Segment]
	switch at.Side {
	case mteval.ReferenceSide:
		moved.Index = at.Segment - f.first[moved.Segment]
	case mteval.HypothesisSide:
		if at.Index < 0 || at.Index >= len(of) { // a Scorer that breaks its contract
			return err
		}
		moved.Index = of[at.Index]
	}
	return &moved
}

// PrepareBest prepares any number of references a segment for a scorer with these
// statistics: the row of a hypothesis is that against the reference with which its score
// is best, the first of equals. It is what the Prepare of a Reducer returns.
//
// The statistics must do their own work on references, and not by the Prepare of s, which
// would call PrepareBest for ever. So StatisticsOf a scorer of the type of s, which is no
// Reducer, is an error, and so is a scorer or statistics that are nil.
func PrepareBest(ctx context.Context, s mteval.Scorer, st Statistics, refs [][]string) (mteval.Prepared, error) {
	if contract.Nil(s) || contract.Nil(st) {
		return nil, errors.New("tunable: PrepareBest needs a scorer and its statistics, and one of them is nil")
	}
	if of, ok := st.(ofRows); ok && reflect.TypeOf(of.Scorer) == reflect.TypeOf(s) {
		return nil, fmt.Errorf("tunable: PrepareBest needs statistics with a Prepare of their own: those of %T, which is no Reducer, call its own", s)
	}
	f, err := prepareFlat(ctx, st, refs)
	if err != nil {
		return nil, err
	}
	return &best{flat: f, chooser: newChooser(s, st)}, nil
}

// best scores hypotheses against each of their references, and keeps the best rows.
type best struct {
	*flat
	chooser
}

// bestCalls is for all prepared references: a pool is known to the runtime, and one in them would keep
// them until the garbage was collected twice.
var bestCalls sync.Pool // *bestCall

// A bestCall is what a call of Append works with.
type bestCall struct {
	call
	statistics []float64
}

// keptTexts is of how many texts the memory is kept for other calls.
const keptTexts = 1 << 14

// release forgets the texts.
func (b *best) release(c *bestCall) {
	if cap(c.texts) <= keptTexts {
		clear(c.texts[:cap(c.texts)])
		c.reset()
		bestCalls.Put(c)
	}
}

func (b *best) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(b.Len(), segs, hyps); err != nil {
		return dst, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	start := len(dst)
	c, _ := bestCalls.Get().(*bestCall)
	if c == nil {
		c = new(bestCall)
	}
	defer b.release(c)
	for lo := 0; lo < len(hyps); lo += block {
		hi := min(lo+block, len(hyps))
		c.reset()
		for k := lo; k < hi; k++ {
			c.add(b.flat, rows.Segment(segs, k), k, hyps[k])
		}
		var err error
		if c.statistics, err = b.append(ctx, c.statistics[:0], &c.call); err != nil {
			return dst[:start], err
		}
		rest := c.statistics
		for k := lo; k < hi; k++ {
			seg := rows.Segment(segs, k)
			n := (b.first[seg+1] - b.first[seg]) * b.width
			dst = b.appendRow(dst, rest[:n])
			rest = rest[n:]
		}
	}
	return dst, nil
}

// A chooser makes the row of a hypothesis from its statistics against several references:
// that with the best score, of equals the first.
type chooser struct {
	s     mteval.Scorer
	st    Statistics
	width int // of statistics
	lower bool
}

func newChooser(s mteval.Scorer, st Statistics) chooser {
	return chooser{s, st, st.Width(), s.Info().LowerIsBetter}
}

// appendRow appends the row. statistics are those against each reference, one after
// another, at least one. It allocates nothing but room in dst, one row more than it needs.
func (c *chooser) appendRow(dst, statistics []float64) []float64 {
	start := len(dst)
	dst = c.st.AppendRow(dst, statistics[:c.width])
	end := len(dst)
	best := 0.0
	for at := c.width; at < len(statistics); at += c.width {
		if at == c.width {
			best = c.s.Score(dst[start:end])
		}
		dst = c.st.AppendRow(dst, statistics[at:at+c.width])
		if v := c.s.Score(dst[end:]); c.lower && v < best || !c.lower && v > best {
			best = v
			copy(dst[start:end], dst[end:])
		}
		dst = dst[:end]
	}
	return dst
}
