package mteval

import (
	"context"
	"fmt"

	"github.com/mteval/mteval/internal/contract"
)

// Result is the score of a corpus or a sentence, with what it is made of.
type Result struct {
	// Score is the score, on the metric's scale.
	Score float64
	// Row is the sum of the segments' rows.
	Row []float64
	// Segments holds the segments' rows one after another, each as long as
	// Row.
	Segments []float64
	// Signature is complete: number of references, options, version.
	Signature Signature
}

// Segment returns the row of segment i. It panics if there is no such segment.
func (r *Result) Segment(i int) []float64 {
	w := len(r.Row)
	return r.Segments[i*w : (i+1)*w : (i+1)*w]
}

// Corpus scores one system: refs[i] are the references of segment i (see Segments for
// references that come as streams), hyps[i] is its translation of that segment.
// An empty corpus has the score of a row of zeros.
func Corpus(ctx context.Context, s Scorer, refs [][]string, hyps []string) (*Result, error) {
	p, width, err := prepare(ctx, s, refs)
	if err != nil {
		return nil, err
	}
	rows, err := p.Append(ctx, nil, nil, hyps)
	if err != nil {
		return nil, err
	}
	info := s.Info()
	if err := contract.Rows(info.Name, rows, len(hyps), width); err != nil {
		return nil, err
	}
	sum := make([]float64, width)
	sumRows(sum, rows)
	return &Result{
		Score:     s.Score(sum),
		Row:       sum,
		Segments:  rows,
		Signature: info.Signature.Complete(readBy(s, refs)),
	}, nil
}

// Sentence scores one hypothesis against its references, at least one.
func Sentence(ctx context.Context, s Scorer, refs []string, hyp string) (*Result, error) {
	return Corpus(ctx, s, [][]string{refs}, []string{hyp})
}

// prepare is s.Prepare of a scorer that may be nil or break its contract, with its Width.
func prepare(ctx context.Context, s Scorer, refs [][]string) (Prepared, int, error) {
	if contract.Nil(s) {
		return nil, 0, fmt.Errorf("mteval: %w", contract.ErrNoMetric)
	}
	p, err := s.Prepare(ctx, refs)
	if err != nil {
		return nil, 0, err
	}
	if contract.Nil(p) {
		return nil, 0, contract.NoPrepared(s.Info().Name)
	}
	return p, s.Width(), contract.Width(s.Info().Name, s.Width())
}

// sumRows adds the rows to sum, in order: real-valued rows then give the same
// sum whoever computed them.
func sumRows(sum, rows []float64) {
	w := len(sum)
	if w == 0 {
		return
	}
	for ; len(rows) >= w; rows = rows[w:] {
		for j, x := range rows[:w] {
			sum[j] += x
		}
	}
}
