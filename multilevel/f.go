package multilevel

import (
	"context"
	"errors"
	"slices"

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
	info  mteval.Info
	split func(ctx context.Context, texts []string) ([][]string, error)
}

var _ mteval.PRFScorer = (*F)(nil)

func newF(name string, signature mteval.Signature, split func(context.Context, []string) ([][]string, error)) *F {
	return &F{mteval.Info{Name: name, Signature: signature, Scale: 1}, split}
}

// NewWordF returns F_W, the F of words. It is an error if w has no Split.
func NewWordF(w Words) (*F, error) {
	if w.Split == nil {
		return nil, errNoSplit
	}
	return newF("wordf", mteval.Signature{{Key: "words", Abbr: "w", Value: w.Name}}, w.split), nil
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
	if s.split == nil {
		return nil, errors.New("multilevel: an F that no constructor made")
	}
	p := &bags{s: s.F, refs: make([][]uint32, len(refs))}
	things, err := s.split(ctx, refs)
	if err != nil {
		return nil, err
	}
	for i := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ids := make([]uint32, len(things[i]))
		for k, t := range things[i] {
			ids[k] = p.vocab.Add([]byte(t))
		}
		slices.Sort(ids)
		p.refs[i] = ids
	}
	return p, nil
}

// bags holds the things of references, by number, in order.
type bags struct {
	s     *F
	vocab vocab.Vocab
	refs  [][]uint32
}

func (p *bags) Len() int { return len(p.refs) }

func (p *bags) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(p.Len(), segs, hyps); err != nil {
		return dst, err
	}
	start := len(dst)
	var ids []uint32
	for lo := 0; lo < len(hyps); lo += block {
		hi := min(lo+block, len(hyps))
		things, err := p.s.split(ctx, hyps[lo:hi:hi])
		if err != nil {
			var at *mteval.SegmentError // split knows no hypotheses
			if errors.As(err, &at) && at.Segment >= 0 && at.Segment < hi-lo {
				err = rows.HypothesisError(segs, lo+at.Segment, at.Err)
			}
			return dst[:start], err
		}
		for k := lo; k < hi; k++ {
			if err := ctx.Err(); err != nil {
				return dst[:start], err
			}
			ids = ids[:0]
			for _, t := range things[k-lo] {
				ids = append(ids, p.vocab.Get([]byte(t)))
			}
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
