package selection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// A Candidate is a way of choosing, by the utilities that it gives the segments.
type Candidate struct {
	Name      string
	Utilities []float64
}

// EvaluateOptions of Evaluate. The zero value is subset2evaluate's sizes, 5% to 50% of the
// segments in steps of 5%, each size once, and 100 random choices.
type EvaluateOptions struct {
	// Sizes are the budgets, in segments, or in words if there are Lengths.
	Sizes []int
	// Lengths has the number of words of each segment. With it choices are compared that
	// cost the same, which matters: a method that prefers long segments is worth more
	// for each segment, and not so for each hour of work.
	Lengths []int
	// Random is how many random choices a method is compared with; 0 is 100.
	Random int
	// Documents has documents chosen whole: see Options.
	Documents []string
	// Seed of the random choices and of the tests; 0 is 12345.
	Seed uint64
	// Permutations of the tests that make clusters; 0 is 1,000.
	Permutations int
	// Alpha is the level of significance of the clusters; 0 is 0.05.
	Alpha float64
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on it.
	Workers int
}

// A Point is what a choice of segments tells of the systems.
type Point struct {
	// Segments is how many were chosen.
	Segments int
	// Kendall is tau-b of the systems' mean scores on the segments chosen and on all that
	// people judged; 0 where it is undefined, as where the chosen have all systems level.
	Kendall float64
	// Clusters is how many clusters of systems the judgements of the chosen segments make:
	// significance.Clusters of significance.PairwiseP. It is 1 where two systems share no segment.
	Clusters float64
}

// A Curve is what a way of choosing is worth, by size, and on average over the sizes.
type Curve struct {
	Name   string
	Points []Point
	// Kendall and Clusters are the means over the points.
	Kendall, Clusters float64
	// KendallAbove and ClustersAbove are the shares of the random choices whose means are
	// below these, those that are equal counting half: at .975 and above the method beats
	// random choice.
	KendallAbove, ClustersAbove float64
}

// An Interval has the mean of random choices, and Low and High, the ends of their middle 95%.
type Interval = significance.Interval

// RandomCurve is what random choices are worth, the middle 95% of them.
type RandomCurve struct {
	// Kendalls and ClusterCounts are by size.
	Kendalls, ClusterCounts []Interval
	// Kendall and Clusters are of the means over the sizes.
	Kendall, Clusters Interval
}

// An Evaluation says what ways of choosing are worth on a set that people judged whole.
type Evaluation struct {
	// Sizes are the budgets, and Segments is how many segments people judged.
	Sizes    []int
	Segments int
	// Clusters of all that people judged.
	Clusters int
	Random   RandomCurve
	Curves   []Curve
}

// A Verdict compares a way of choosing with random choices: 1 is above their middle 95%, −1 below it
// and 0 within.
type Verdict struct {
	Sizes []int // by size
	Mean  int   // over the sizes
}

// Verdicts are those of a curve, by index: by its taus and by its clusters. They are empty for a
// curve that is not there, and have the sizes that random choices have too.
func (e *Evaluation) Verdicts(curve int) (kendall, clusters Verdict) {
	if e == nil || curve < 0 || curve >= len(e.Curves) {
		return kendall, clusters
	}
	c, r := &e.Curves[curve], &e.Random
	for s, p := range c.Points[:min(len(c.Points), len(r.Kendalls), len(r.ClusterCounts))] {
		kendall.Sizes = append(kendall.Sizes, beyond(p.Kendall, r.Kendalls[s].Low, r.Kendalls[s].High))
		clusters.Sizes = append(clusters.Sizes, beyond(p.Clusters, r.ClusterCounts[s].Low, r.ClusterCounts[s].High))
	}
	kendall.Mean, clusters.Mean = share(c.KendallAbove), share(c.ClustersAbove)
	return kendall, clusters
}

func beyond(v, low, high float64) int {
	switch {
	case v > high:
		return 1
	case v < low:
		return -1
	}
	return 0
}

// share is the verdict of a share of random choices that are below.
func share(above float64) int {
	switch {
	case above >= .975:
		return 1
	case above <= .025:
		return -1
	}
	return 0
}

// Evaluate says how well the systems are told apart by people's judgements of the segments
// that each candidate chooses, against random choices. It is for sets that people judged
// whole: human has their scores of segments, more being better (NetWins makes such of pairs),
// and utilities are of its items. Items that nobody judged can't be chosen.
//
// The chosen are part of all, so that tau rises with size for any choice: what counts is a
// method's distance from random. A method that knows people's scores would be worth more
// than any can be in use.
func Evaluate(ctx context.Context, human *metaeval.Scores, candidates []Candidate, o EvaluateOptions) (*Evaluation, error) {
	e, err := newEvaluator(human, candidates, o)
	if err != nil {
		return nil, err
	}
	all := make([]int, len(e.human.Items))
	for i := range all {
		all[i] = i
	}
	e.means = e.human.SystemMeans()
	for k, v := range e.means {
		if math.IsNaN(v) {
			return nil, fmt.Errorf("selection: people judged no segment of %s: leave it out", human.Systems[k])
		}
	}
	if _, err := metaeval.Kendall(e.means, e.means); err != nil {
		return nil, fmt.Errorf("selection: people's ranking of the systems: %w", err)
	}
	whole, err := e.point(ctx, all)
	if err != nil {
		return nil, err
	}
	// The candidates, then the random choices, of which one at a time is kept.
	points, err := e.points(ctx, len(candidates)+e.Random, func(u int) []float64 {
		if u < len(candidates) {
			return e.judgedOnly(candidates[u].Utilities)
		}
		return Random(len(all), e.Seed+uint64(u-len(candidates)))
	})
	if err != nil {
		return nil, err
	}
	out := &Evaluation{Sizes: e.Sizes, Segments: len(all), Clusters: int(whole.Clusters)}
	out.summarize(candidates, points)
	return out, nil
}

// An evaluator has what is judged, by people.
type evaluator struct {
	EvaluateOptions
	human  *metaeval.Scores // of what is judged
	judged []int            // by index into the items that were given
	means  []float64
}

func newEvaluator(human *metaeval.Scores, candidates []Candidate, o EvaluateOptions) (*evaluator, error) {
	if err := human.Check(); err != nil {
		return nil, fmt.Errorf("selection: people's scores: %w", err)
	}
	for _, c := range candidates {
		if len(c.Utilities) != len(human.Items) {
			return nil, fmt.Errorf("selection: %s has utilities of %d segments, people's scores are of %d", c.Name, len(c.Utilities), len(human.Items))
		}
		if err := checkUtilities(c.Utilities); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	all := Options{Lengths: o.Lengths, Documents: o.Documents}
	if err := all.check(make([]float64, len(human.Items))); err != nil {
		return nil, err
	}
	if o.Random < 0 || o.Permutations < 0 || o.Alpha < 0 || o.Alpha > 1 {
		return nil, errors.New("selection: random choices, permutations and alpha can't be negative, nor alpha above 1")
	}
	e := &evaluator{EvaluateOptions: o}
	e.Random = cmp.Or(o.Random, 100)
	e.Seed = cmp.Or(o.Seed, 12345)
	e.Alpha = cmp.Or(o.Alpha, .05)
	if err := e.keepJudged(human); err != nil {
		return nil, err
	}
	if e.Sizes == nil {
		e.Sizes = e.defaultSizes()
	}
	if len(e.Sizes) == 0 || len(e.judged) == 0 {
		return nil, fmt.Errorf("selection: people judged %d segments, of which nothing can be chosen", len(e.judged))
	}
	for _, n := range e.Sizes {
		if n < 1 {
			return nil, fmt.Errorf("selection: a budget of %d, which must be above 0", n)
		}
	}
	return e, nil
}

// defaultSizes are 5% to 50% of what there is to choose, each once.
func (e *evaluator) defaultSizes() []int {
	total := len(e.judged)
	if e.Lengths != nil {
		total = 0
		for _, n := range e.Lengths {
			total += min(n, math.MaxInt/20-total)
		}
	}
	var sizes []int
	for share := 1; share <= 10; share++ {
		if n := total * share / 20; n > 0 {
			sizes = append(sizes, n)
		}
	}
	return slices.Compact(sizes)
}

// keepJudged leaves out the items without any score.
func (e *evaluator) keepJudged(human *metaeval.Scores) error {
	var items, documents []string
	var lengths []int
	for i, item := range human.Items {
		judged := false
		for k := range human.Systems {
			judged = judged || !math.IsNaN(human.At(k, i))
		}
		if !judged {
			continue
		}
		e.judged = append(e.judged, i)
		items = append(items, item)
		if e.Documents != nil {
			documents = append(documents, e.Documents[i])
		}
		if e.Lengths != nil {
			lengths = append(lengths, e.Lengths[i])
		}
	}
	e.Documents, e.Lengths = documents, lengths
	var err error
	e.human, err = human.Select(human.Systems, items)
	return err
}

// choose is Choose with the budget of a size.
func (e *evaluator) choose(utilities []float64, size int) ([]int, error) {
	o := Options{Lengths: e.Lengths, Documents: e.Documents}
	if e.Lengths != nil {
		o.Words = size
	} else {
		o.Segments = size
	}
	return Choose(utilities, o)
}

// judgedOnly are the utilities of what is judged.
func (e *evaluator) judgedOnly(u []float64) []float64 {
	out := make([]float64, len(e.judged))
	for j, i := range e.judged {
		out[j] = u[i]
	}
	return out
}

// points returns those of n ways of choosing, by size.
func (e *evaluator) points(ctx context.Context, n int, utilities func(u int) []float64) ([][]Point, error) {
	out := make([][]Point, n)
	quiet := mteval.WithProgress(ctx, nil)
	for u := range out {
		mteval.ReportProgress(ctx, u, len(out))
		out[u] = make([]Point, len(e.Sizes))
		of := utilities(u)
		err := parallel.For(quiet, len(e.Sizes), e.Workers, 1, func(lo, hi int) error {
			for s := lo; s < hi; s++ {
				chosen, err := e.choose(of, e.Sizes[s])
				if err != nil {
					return err
				}
				if out[u][s], err = e.point(quiet, chosen); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	mteval.ReportProgress(ctx, len(out), len(out))
	return out, nil
}

// point says what a choice tells.
func (e *evaluator) point(ctx context.Context, chosen []int) (Point, error) {
	p := Point{Segments: len(chosen), Clusters: 1}
	if len(chosen) == 0 {
		return p, nil
	}
	sorted := slices.Sorted(slices.Values(chosen))
	items := make([]string, len(sorted))
	for j, i := range sorted {
		items[j] = e.human.Items[i]
	}
	part, err := e.human.Select(e.human.Systems, items)
	if err != nil {
		return p, err
	}
	means := part.SystemMeans()
	var x, y []float64
	order := make([]int, len(means))
	for k, v := range means {
		order[k] = k
		if !math.IsNaN(v) {
			x, y = append(x, v), append(y, e.means[k])
		}
	}
	if p.Kendall, err = metaeval.Kendall(x, y); err != nil && !errors.Is(err, metaeval.ErrUndefined) {
		return p, err
	}
	pairwise, err := significance.PairwiseP(ctx, metaeval.Metric{Scores: part}, significance.Options{Samples: e.Permutations, Seed: e.Seed, Workers: 1})
	if errors.Is(err, metaeval.ErrUndefined) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(means[b], means[a]) })
	clusters, err := significance.Clusters(order, pairwise, e.Alpha)
	if err != nil {
		return p, err
	}
	p.Clusters = float64(slices.Max(clusters))
	return p, nil
}

// summarize fills in the curves of the points of the candidates and of random choices.
func (e *Evaluation) summarize(candidates []Candidate, points [][]Point) {
	random := points[len(candidates):]
	column := func(value func(Point) float64) (bySize []Interval, means []float64) {
		for s := range e.Sizes {
			var values []float64
			for _, r := range random {
				values = append(values, value(r[s]))
			}
			bySize = append(bySize, significance.Interval95(values))
		}
		for _, r := range random {
			means = append(means, average(r, value))
		}
		return bySize, means
	}
	kendall := func(p Point) float64 { return p.Kendall }
	clusters := func(p Point) float64 { return p.Clusters }
	var kendalls, counts []float64
	e.Random.Kendalls, kendalls = column(kendall)
	e.Random.ClusterCounts, counts = column(clusters)
	e.Random.Kendall, e.Random.Clusters = significance.Interval95(kendalls), significance.Interval95(counts)
	for c, candidate := range candidates {
		curve := Curve{Name: candidate.Name, Points: points[c], Kendall: average(points[c], kendall), Clusters: average(points[c], clusters)}
		curve.KendallAbove, curve.ClustersAbove = below(kendalls, curve.Kendall), below(counts, curve.Clusters)
		e.Curves = append(e.Curves, curve)
	}
}

func average(points []Point, value func(Point) float64) float64 {
	var sum float64
	for _, p := range points {
		sum += value(p)
	}
	return sum / float64(len(points))
}

// below is the share of values that are below v, equal ones counting half.
func below(values []float64, v float64) float64 {
	var n float64
	for _, w := range values {
		switch {
		case w < v:
			n++
		case w == v:
			n += .5
		}
	}
	return n / float64(len(values))
}
