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
	// Sum is the sum of the segments' rows. Score is the metric's score of it.
	Sum []float64
	// Rows holds the segments' rows one after another, each as long as Sum. They are what
	// adds up, such as counts, and no scores: those of segments are SegmentScores.
	Rows []float64
	// Signature is complete: number of references, options, version.
	Signature Signature

	scorer Scorer
}

// Row returns the row of segment i. It shares the result's memory, and panics if there is no
// segment i.
func (r *Result) Row(i int) []float64 {
	w := len(r.Sum)
	return r.Rows[i*w : (i+1)*w : (i+1)*w]
}

// SegmentScore returns the metric's score of segment i. It panics if there is no segment i, or if
// Corpus did not make r.
func (r *Result) SegmentScore(i int) float64 { return r.scorer.Score(r.Row(i)) }

// SegmentScores returns the metric's score of every segment, by the scorer's options: sentence
// BLEU as sacreBLEU has it needs bleu.Options.EffectiveOrder. Their mean is the corpus's score in
// some metrics, such as BERTScore, and not in others, such as BLEU. It is nil if Corpus did not
// make r.
func (r *Result) SegmentScores() []float64 {
	if r.scorer == nil {
		return nil
	}
	out := make([]float64, len(r.Rows)/len(r.Sum))
	for i := range out {
		out[i] = r.SegmentScore(i)
	}
	return out
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
		Sum:       sum,
		Rows:      rows,
		Signature: info.Signature.Complete(readBy(s, refs)),
		scorer:    s,
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
