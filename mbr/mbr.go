// Package mbr is minimum Bayes risk decoding (Kumar and Byrne, NAACL 2004; Eikema and
// Aziz, COLING 2020): of many candidates for a segment it finds those that a metric says
// agree most with samples of what the model means, which usually are the candidates
// themselves. A candidate's expected utility is the weighted mean of its sentence scores
// against each sample as the only reference.
//
// Where a metric allows it, samples become one mean reference (mteval.AggregateScorer,
// mteval.SourceAggregateScorer), against which each candidate is scored once: of chrF and BLEU
// the mean counts, of COMET's regression models the mean vector. BERTScore has a vector for
// each token and none for a text, so that there is no mean.
package mbr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/ngram"
)

// Options of a Decoder. The zero value scores each candidate against each sample.
type Options struct {
	// Aggregate makes one reference of the samples; the metric is to be an
	// mteval.AggregateScorer or an mteval.SourceAggregateScorer.
	Aggregate bool
	// Workers bounds the goroutines beside the metric's own; 0 is GOMAXPROCS. Results do
	// not depend on it.
	Workers int
}

// A Segment is what is to be decided.
type Segment struct {
	Candidates []string // at least one
	// References are the samples, or pseudo-references; nil is the candidates.
	References []string
	// Weights are the references' probabilities, such as the model's. Only their ratios
	// count; none is negative, and they are not all 0. Nil is equal ones.
	Weights []float64
	// Source is what was translated, for a metric that reads it; nil is none.
	Source *string
}

// references of the segment, the candidates if it has none of its own.
func (s *Segment) references() []string {
	if s.References == nil {
		return s.Candidates
	}
	return s.References
}

// A Result says which candidates are best.
type Result struct {
	// Order has the candidates' indices, the best first, of equals the first.
	Order []int
	// Utilities are the expected scores by candidate, in the metric's own direction: of
	// an error metric less is better.
	Utilities []float64
}

// A Decoder finds the best candidates of one segment after another by one metric. It keeps
// its memory between segments, and so is for one goroutine at a time.
type Decoder struct {
	s    mteval.Scorer
	o    Options
	pair mteval.Pairs // nil if s is no PairScorer
	set  texts
	rows []float64
	out  []float64
}

// New returns a Decoder by this metric, or an error if the metric can't do what o asks for.
func New(s mteval.Scorer, o Options) (*Decoder, error) {
	if s == nil {
		return nil, errors.New("mbr: no metric")
	}
	_, mean := s.(mteval.AggregateScorer)
	_, sourceMean := s.(mteval.SourceAggregateScorer)
	if o.Aggregate && !mean && !sourceMean {
		return nil, fmt.Errorf("mbr: %s has no mean of references: leave Aggregate out", s.Info().Name)
	}
	d := &Decoder{s: s, o: o}
	if p, ok := s.(mteval.PairScorer); ok {
		d.pair = p.NewPairs()
	}
	return d, nil
}

// Decode returns the expected utilities of the candidates and their order.
func (d *Decoder) Decode(ctx context.Context, seg Segment) (*Result, error) {
	if err := seg.check(); err != nil {
		return nil, err
	}
	r := &Result{Order: make([]int, len(seg.Candidates)), Utilities: make([]float64, len(seg.Candidates))}
	var err error
	if d.o.Aggregate {
		err = d.aggregate(ctx, r.Utilities, &seg)
	} else {
		err = d.expect(ctx, r.Utilities, &seg)
	}
	if err != nil {
		return nil, err
	}
	for i := range r.Order {
		r.Order[i] = i
	}
	lower := d.s.Info().LowerIsBetter
	slices.SortStableFunc(r.Order, func(a, b int) int {
		if lower {
			a, b = b, a
		}
		return cmp.Compare(r.Utilities[b], r.Utilities[a])
	})
	return r, nil
}

// check looks at the texts' and weights' numbers.
func (s *Segment) check() error {
	if len(s.Candidates) == 0 {
		return errors.New("mbr: no candidate")
	}
	n := len(s.references())
	if n == 0 {
		return fmt.Errorf("mbr: %w: leave References nil to take the candidates", mteval.ErrNoReference)
	}
	if _, err := ngram.Shares(n, s.Weights); err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	return nil
}

// expect sets utilities to the weighted means of the scores.
func (d *Decoder) expect(ctx context.Context, utilities []float64, seg *Segment) (err error) {
	if d.out, err = d.Scores(ctx, d.out[:0], *seg); err != nil {
		return err
	}
	m := len(seg.references())
	shares, err := ngram.Shares(m, seg.Weights)
	if err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	for i := range utilities {
		sum := 0.0
		for j, score := range d.out[i*m : (i+1)*m] {
			if seg.Weights == nil {
				sum += score / float64(m) // a share would be rounded before
			} else {
				sum += score * shares[j]
			}
		}
		utilities[i] = sum
	}
	return nil
}

// aggregate sets utilities to the scores against the mean reference.
func (d *Decoder) aggregate(ctx context.Context, utilities []float64, seg *Segment) error {
	var weights [][]float64
	if seg.Weights != nil {
		weights = [][]float64{seg.Weights}
	}
	p, err := d.mean(ctx, seg, [][]string{seg.references()}, weights)
	if err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	d.set.reset()
	d.set.add(seg.Candidates)
	d.set.all = d.set.all[:0]
	for range d.set.texts {
		d.set.all = append(d.set.all, 0)
	}
	if d.rows, err = p.Append(ctx, d.rows[:0], d.set.all, d.set.texts); err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	width := d.s.Width()
	for i, t := range d.set.at {
		utilities[i] = d.s.Score(d.rows[t*width : (t+1)*width])
	}
	return nil
}

// mean is the segment's mean reference, beside its source if that is given and read.
func (d *Decoder) mean(ctx context.Context, seg *Segment, refs [][]string, weights [][]float64) (mteval.Prepared, error) {
	if s, ok := d.s.(mteval.SourceAggregateScorer); ok && seg.Source != nil {
		return s.PrepareSourcesAggregate(ctx, []string{*seg.Source}, refs, weights)
	}
	if s, ok := d.s.(mteval.AggregateScorer); ok {
		return s.PrepareAggregate(ctx, refs, weights)
	}
	return nil, fmt.Errorf("%w: %s reads it: set Segment.Source", mteval.ErrNoSource, d.s.Info().Name)
}
