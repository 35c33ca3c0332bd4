package multilevel

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/prf"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/internal/vocab"
	"github.com/mteval/mteval/tunable"
)

// F is the F1 of things that texts are made of, words or triples: the things in common,
// each as often as it is in both, against those of the hypothesis (precision) and those of
// the reference (recall). It implements mteval.PRFScorer; scores are from 0 to 1. A row is
// the things in common, those of the hypothesis, and those of the reference with which F is
// highest.
type F struct {
	info   mteval.Info
	reader reader
}

var _ mteval.PRFScorer = (*F)(nil)

func newF(name string, signature mteval.Signature, r reader) *F {
	return &F{mteval.Info{Name: name, Signature: signature, Scale: 1}, r}
}

// NewWordF returns F_W, the F of words. It is an error if w can't split.
func NewWordF(w Words) (*F, error) {
	if w.reader == nil {
		return nil, errNoWords
	}
	return newF("wordf", mteval.Signature{{Key: "words", Abbr: "w", Value: w.name}}, w.reader), nil
}

// Width is the length of a row.
func (s *F) Width() int { return prf.Width }

// Info describes the scorer.
func (s *F) Info() mteval.Info {
	return s.info
}

// Score returns F of a row or a sum of rows.
func (s *F) Score(row []float64) float64 { return s.PRF(row).F }

// PRF returns precision, recall and F of a row or a sum of rows, each from 0 to 1, and 0
// where a side is empty.
func (s *F) PRF(row []float64) mteval.PRF { return prf.Of(row, 1) }

// Prepare takes the references apart.
func (s *F) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return tunable.PrepareBest(ctx, s, fStatistics{s}, refs)
}

// fStatistics are F's rows.
type fStatistics struct{ *F }

func (fStatistics) AppendRow(dst, statistics []float64) []float64 { return append(dst, statistics...) }

func (s fStatistics) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	if s.reader == nil {
		return nil, errors.New("multilevel: an F that no constructor made")
	}
	p := &bags{s: s.F, refs: make([][]uint32, len(refs))}
	err := readAll(ctx, s.reader, refs, func(text int, thing []byte) {
		p.refs[text] = append(p.refs[text], p.vocab.Add(thing))
	})
	if err != nil {
		return nil, err
	}
	for _, ids := range p.refs {
		slices.Sort(ids)
	}
	return p, ctx.Err()
}

// bags holds the things of references, by number, in order.
type bags struct {
	s     *F
	vocab vocab.Vocab
	refs  [][]uint32
}

// bagCalls is for all prepared references: a pool is known to the runtime, and one in them would keep
// them until the garbage was collected twice.
var bagCalls sync.Pool // *bagCall

// A bagCall is what a call of Append works with.
type bagCall struct {
	vocab *vocab.Vocab
	ids   []uint32                     // of a block of hypotheses
	ends  [block]int                   // where those of each end, 0 if it has none
	add   func(text int, thing []byte) // made once
}

func (p *bags) Len() int { return len(p.refs) }

func (p *bags) call() *bagCall {
	if c, ok := bagCalls.Get().(*bagCall); ok {
		c.vocab = &p.vocab
		return c
	}
	c := &bagCall{vocab: &p.vocab}
	c.add = func(text int, thing []byte) {
		c.ids = append(c.ids, c.vocab.Get(thing))
		c.ends[text] = len(c.ids)
	}
	return c
}

// keptThings is of how many things of a block of texts the memory is kept for others.
const keptThings = 1 << 18

func (p *bags) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(p.Len(), segs, hyps); err != nil {
		return dst, err
	}
	start := len(dst)
	c := p.call()
	defer func() {
		if cap(c.ids) <= keptThings {
			c.vocab = nil
			bagCalls.Put(c)
		}
	}()
	for lo := 0; lo < len(hyps); lo += block {
		hi := min(lo+block, len(hyps))
		c.ids = c.ids[:0]
		clear(c.ends[:hi-lo])
		if err := p.s.reader.read(ctx, hyps[lo:hi:hi], c.add); err != nil {
			var at *mteval.SegmentError // a reader knows no hypotheses
			if errors.As(err, &at) && at.Segment >= 0 && at.Segment < hi-lo {
				err = rows.HypothesisError(segs, lo+at.Segment, at.Err)
			}
			return dst[:start], err
		}
		from := 0
		for k := lo; k < hi; k++ {
			if err := ctx.Err(); err != nil {
				return dst[:start], err
			}
			ids := c.ids[from:max(from, c.ends[k-lo])]
			from += len(ids)
			slices.Sort(ids)
			ref := p.refs[rows.Segment(segs, k)]
			dst = append(dst, float64(common(ids, ref)), float64(len(ids)), float64(len(ref)))
		}
	}
	if err := ctx.Err(); err != nil {
		return dst[:start], err
	}
	return dst, nil
}

// common is how many numbers two sorted lists share. 0 stands for what no reference has.
func common(a, b []uint32) int {
	n := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}
