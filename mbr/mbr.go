// Package mbr is minimum Bayes risk decoding (Kumar and Byrne, NAACL 2004; Eikema and
// Aziz, COLING 2020): of many candidates for a segment it finds those that a metric says
// agree most with samples of what the model means, which usually are the candidates
// themselves. A candidate's expected utility is the weighted mean of its sentence scores
// against each sample as the only reference.
//
// Where a metric allows it, samples become one mean reference (mteval.AggregateScorer,
// mteval.SourceAggregateScorer), against which each candidate is scored once: of chrF and BLEU
// the mean counts, of COMET's regression models the mean vector. BERTScore has a vector for
// each token and none for a text, so that there is no mean. Where there is none, candidates
// that are most likely not the best can be given up early (Pruning).
//
// BERTScore and COMET's regression models embed each different text once; what is done for
// each pair is the matching of tokens, and the small network. COMET's unified models embed
// each pair. BERTScore with IDF, or over a backend.Matcher, embeds candidates again in each
// step of Pruning, where IDF is that of the step's references.
//
// Memory is bounded: scores are made in blocks of a few megabytes at most, whatever the
// number of candidates, and added up. What grows with the candidates is their texts, what an
// mteval.PairScorer knows of each, and with Pruning the scores that were made. Scores
// appends as much as it returns.
package mbr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/ngram"
	"github.com/mteval/mteval/internal/rows"
)

// Options of a Decoder. The zero value scores each candidate against each sample.
type Options struct {
	// Aggregate makes one reference of the samples; the metric is to be an
	// mteval.AggregateScorer or an mteval.SourceAggregateScorer.
	Aggregate bool
	// Prune gives up candidates early; nil gives up none. Not with Aggregate.
	Prune *Pruning
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
	// count; none is negative, and they are not all 0. Nil is equal ones. A reference of
	// weight 0 is left out.
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
	// Order has the candidates' indices, the best first, of equals the first. Candidates
	// that were pruned come last, those that were given up last before the others.
	Order []int
	// Utilities are the expected scores by candidate, in the metric's own direction: of
	// an error metric less is better.
	Utilities []float64
	// Kept is how many candidates were not pruned, the first ones of Order.
	Kept int
	// Samples are, by candidate, how many references its utility is the mean of, with
	// Options.Prune; without it, nil, as each has them all. Their sum is the number of
	// pairs that were scored, equal ones more than once.
	Samples []int
}

// A Decoder finds the best candidates of one segment after another by one metric. It keeps
// its memory between segments, and so is for one goroutine at a time.
type Decoder struct {
	s      mteval.Scorer
	o      Options
	width  int
	block  int          // mostNumbers
	call   int          // mostPairs
	pair   mteval.Pairs // nil if s is no PairScorer
	set    texts
	shares []float64 // by reference
	sums   []float64 // by text: what is known of its utility
	counts []float64 // by text: what it weighs as a reference
	rows   []float64
	pruner pruner
	grid   grid
	spare  sync.Pool // *[]float64, rows of a goroutine
	mean   struct {  // of references
		refs    [1][]string
		weights [1][]float64
	}
	// Methods, which would be allocated where they are given.
	part               func(lo, hi int) error
	add, put, remember func(h, r int, score float64)
}

// New returns a Decoder by this metric, or an error if the metric can't do what o asks for.
func New(s mteval.Scorer, o Options) (*Decoder, error) {
	if err := rows.CheckScorer(s); err != nil {
		return nil, fmt.Errorf("mbr: %w", err)
	}
	_, mean := s.(mteval.AggregateScorer)
	_, sourceMean := s.(mteval.SourceAggregateScorer)
	if o.Aggregate && !mean && !sourceMean {
		return nil, fmt.Errorf("mbr: %s has no mean of references: leave Aggregate out", s.Info().Name)
	}
	if o.Aggregate && o.Prune != nil {
		return nil, errors.New("mbr: a mean of references leaves no pairs to prune: leave Aggregate or Prune out")
	}
	d := &Decoder{s: s, o: o, width: s.Width(), block: mostNumbers, call: mostPairs}
	if o.Prune != nil {
		p, err := o.Prune.filled()
		if err != nil {
			return nil, err
		}
		pcg := rand.NewPCG(0, 0)
		d.pruner = pruner{Pruning: p, pcg: pcg, random: rand.New(pcg)}
	}
	if p, ok := s.(mteval.PairScorer); ok {
		d.pair = p.NewPairs()
	}
	d.spare.New = func() any { return new([]float64) }
	d.part, d.add, d.put, d.remember = d.doPart, d.addScore, d.putScore, d.rememberScore
	return d, nil
}

// Decode returns the expected utilities of the candidates and their order.
func (d *Decoder) Decode(ctx context.Context, seg Segment) (*Result, error) {
	r := new(Result)
	if err := d.DecodeTo(ctx, r, seg); err != nil {
		return nil, err
	}
	return r, nil
}

// DecodeTo is Decode that sets r, whose memory it uses again. On error what r holds is
// undefined.
func (d *Decoder) DecodeTo(ctx context.Context, r *Result, seg Segment) error {
	if r == nil {
		return errors.New("mbr: no Result to set: it is nil")
	}
	if err := d.check(&seg); err != nil {
		return err
	}
	n := len(seg.Candidates)
	r.Order, r.Utilities, r.Kept = resize(r.Order, n), resize(r.Utilities, n), n
	if d.o.Prune == nil {
		r.Samples = nil
	}
	for i := range r.Order {
		r.Order[i] = i
	}
	var err error
	switch {
	case d.o.Aggregate:
		err = d.aggregate(ctx, r.Utilities, &seg)
	case d.o.Prune != nil:
		err = d.prune(ctx, r, &seg)
	default:
		err = d.expect(ctx, r.Utilities, &seg)
	}
	if err != nil {
		return err
	}
	for i, u := range r.Utilities {
		if math.IsNaN(u) {
			return fmt.Errorf("mbr: metric %q: the utility of candidate %d is NaN", d.s.Info().Name, i+1)
		}
	}
	lower := d.s.Info().LowerIsBetter
	slices.SortStableFunc(r.Order, func(a, b int) int {
		if r.Samples != nil && r.Samples[a] != r.Samples[b] {
			return cmp.Compare(r.Samples[b], r.Samples[a])
		}
		if lower {
			a, b = b, a
		}
		return cmp.Compare(r.Utilities[b], r.Utilities[a])
	})
	return nil
}

// check looks at the texts' and weights' numbers, and sets d.shares.
func (d *Decoder) check(s *Segment) (err error) {
	if d.s == nil {
		return errors.New("mbr: the Decoder was not made by New")
	}
	if len(s.Candidates) == 0 {
		return errors.New("mbr: no candidate")
	}
	n := len(s.references())
	if n == 0 {
		return fmt.Errorf("mbr: %w: leave References nil to take the candidates", mteval.ErrNoReference)
	}
	if d.shares, err = ngram.AppendShares(d.shares[:0], n, s.Weights); err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	return nil
}

// checkRows returns an error unless what the metric appended is a row for each text.
func (d *Decoder) checkRows(rows []float64, texts int) error {
	if len(rows) == texts*d.width {
		return nil
	}
	return fmt.Errorf("mbr: %w", contract.Length(d.s.Info().Name, len(rows), texts, d.width))
}

// resize returns a slice of n, in the memory of s if there is enough.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
