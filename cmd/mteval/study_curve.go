package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// coefficients are the correlations of a study.
var coefficients = [...]struct {
	key, title string
	of         metaeval.Correlation
	measure    significance.Coefficient
}{
	{"pearson", "Pearson", metaeval.Pearson, significance.Pearson},
	{"kendall", "Kendall", metaeval.Kendall, significance.Kendall},
	{"spearman", "Spearman", metaeval.Spearman, significance.Spearman},
}

// A curve is what study finds: correlations with people for the K best systems.
type curve struct {
	options  *studyOptions
	systems  []string  // best first by human score
	human    []float64 // of the systems
	segments int
	metrics  []*curved
	warnings []string
}

// curved is a metric, or a difficulty-aware form of one.
type curved struct {
	studyForm         // zero for a metric as it is
	base      *curved // the metric that it is a form of; nil for a metric as it is
	info      mteval.Info
	points    []curvePoint // by K, from fewest up
}

// curvePoint is what is found for one K.
type curvePoint struct {
	scores []float64 // of the K systems
	found  [len(coefficients)]curveAgreement
}

// curveAgreement is how far a metric agrees with people by one coefficient.
type curveAgreement struct {
	value             *float64 // nil: undefined
	segments, systems sampledInterval
	difference        *formDifference // nil for a metric as it is, and where undefined
}

// sampledInterval is of samples, of which some are undefined and left out. It means
// nothing where all are.
type sampledInterval struct {
	significance.Interval
	defined, undefined int
}

// formDifference is how much better a form agrees than its metric.
type formDifference struct {
	value             float64
	segments, systems sampledInterval
	// p of the paired bootstrap over segments, and adjusted by Holm over all K; nil
	// where all samples are undefined.
	p, holm *float64
	// perm is PERM-INPUTS, on means of segments' scores; nil where these have no
	// correlation.
	perm *significance.Difference
}

func (c *curve) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// name is what a metric or form is called for people.
func (m *curved) name() string {
	name := m.info.Name
	if m.base != nil {
		name += " " + m.mode
	}
	if m.leaveOneOut {
		name += " loo"
	}
	return name
}

// scoreRows are the rows of the outputs of some systems, from which their scores on any
// sample of segments come.
type scoreRows struct {
	score                    func(row []float64) float64
	lower                    bool
	width, systems, segments int
	rows                     []float64 // [segment][system][width]
}

// newScoreRows fills the rows by segment and system.
func newScoreRows(ctx context.Context, s mteval.Scorer, systems, segments int, fill func(row []float64, system, segment int)) (*scoreRows, error) {
	info := s.Info()
	r := &scoreRows{score: s.Score, lower: info.LowerIsBetter, width: s.Width(), systems: systems, segments: segments}
	r.rows = make([]float64, segments*systems*r.width)
	err := parallel.For(ctx, segments, 0, 16, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			for k := range systems {
				fill(r.row(k, i), k, i)
			}
		}
		return nil
	})
	return r, err
}

func (r *scoreRows) row(system, segment int) []float64 {
	at := (segment*r.systems + system) * r.width
	return r.rows[at : at+r.width : at+r.width]
}

// matchedRows are those of the first systems, from their matchings.
func matchedRows(ctx context.Context, s mteval.MatchScorer, ms *mteval.Matchings, systems int) (*scoreRows, error) {
	return newScoreRows(ctx, s, systems, ms.Len(), func(row []float64, k, i int) {
		s.AppendMatch(row[:0], i, ms.RefTokens(i), ms.At(k, i))
	})
}

// scores sets out to the systems' scores where segment i is drawn counts[i] times; nil is
// once each. The scratch is for sums.
func (r *scoreRows) scores(out []float64, counts []uint32, scratch []float64) {
	stride := r.systems * r.width
	sums := scratch[:stride]
	clear(sums)
	for i := range r.segments {
		times := 1.0
		if counts != nil {
			times = float64(counts[i])
		}
		if times == 0 {
			continue
		}
		for j, v := range r.rows[i*stride : (i+1)*stride] {
			sums[j] += float64(times * v)
		}
	}
	for k := range out {
		out[k] = r.score(sums[k*r.width : (k+1)*r.width])
	}
}

// segmentScores are the first systems' scores of segments, as metaeval.Scores has them.
func (r *scoreRows) segmentScores(systems int) []float64 {
	out := make([]float64, 0, systems*r.segments)
	for k := range systems {
		for i := range r.segments {
			out = append(out, r.score(r.row(k, i)))
		}
	}
	return out
}

// sampledScores are the scores of systems, and on samples of the segments.
type sampledScores struct {
	rows    *scoreRows
	scores  []float64
	samples [][]float64 // by system and sample
}

// sample draws the segments once for all rows. Draws depend on the seed and the number of
// segments alone, so that all calls have the same.
func (c *curve) sample(ctx context.Context, rows []*scoreRows) ([]sampledScores, error) {
	values, largest := 0, 0
	for _, r := range rows {
		values += r.systems
		largest = max(largest, r.systems*r.width)
	}
	samples, err := significance.Resample(ctx, c.segments, c.options.significance(), values, func(draws []uint32, out []float64) error {
		counts := make([]uint32, c.segments)
		for _, i := range draws {
			counts[i]++
		}
		scratch := make([]float64, largest)
		for _, r := range rows {
			r.scores(out[:r.systems], counts, scratch)
			out = out[r.systems:]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]sampledScores, len(rows))
	for i, r := range rows {
		s := sampledScores{r, make([]float64, r.systems), samples[:r.systems]}
		samples = samples[r.systems:]
		r.scores(s.scores, nil, make([]float64, largest))
		for k, v := range s.scores {
			if v-v != 0 {
				return nil, fmt.Errorf("the score of %s is %v", c.systems[k], v)
			}
		}
		out[i] = s
	}
	return out, nil
}

// studyMetric finds the curves of a metric and of its forms.
func (a *app) studyMetric(ctx context.Context, start time.Time, c *curve, s mteval.Scorer, forms []studyForm, refs [][]string, systems []mteval.System) error {
	base := &curved{info: s.Info()}
	base.info.Signature = base.info.Signature.Complete(refs)
	c.metrics = append(c.metrics, base)
	all := []*curved{base}
	var ms *mteval.Matchings
	var rows *scoreRows
	match, ok := s.(mteval.MatchScorer)
	if ok {
		for _, f := range forms {
			m := &curved{studyForm: f, base: base}
			all = append(all, m)
			c.metrics = append(c.metrics, m)
		}
		var err error
		if ms, err = a.match(ctx, start, match, refs, systems); err != nil {
			return err
		}
		if rows, err = matchedRows(ctx, match, ms, len(systems)); err != nil {
			return err
		}
	} else {
		ctx, done := a.withProgress(ctx, start, base.info.Name)
		t, err := mteval.Systems(ctx, s, refs, systems)
		done()
		if err != nil {
			return err
		}
		a.noteLimits(s, t)
		if rows, err = newScoreRows(ctx, s, len(systems), t.Len(), func(row []float64, k, i int) { copy(row, t.Row(k, i)) }); err != nil {
			return err
		}
	}
	ctx, done := a.withProgress(ctx, start, base.info.Name+" samples")
	defer done()
	// What is done inside is told by K, each taking time in proportion to it.
	inside := mteval.WithProgress(ctx, func(int, int) {})
	got, err := c.sample(inside, []*scoreRows{rows})
	if err != nil {
		return err
	}
	total := len(systems) * (len(systems) + 1) / 2
	for k := fewest; k <= len(systems); k++ {
		// A metric as it is does not depend on the K.
		at := []sampledScores{{rows, got[0].scores[:k], got[0].samples[:k]}}
		if len(all) > 1 {
			of, err := c.formScores(inside, match, ms, all[1:], refs, k)
			if err != nil {
				return err
			}
			at = append(at, of...)
		}
		if err := c.point(inside, all, at, k); err != nil {
			return err
		}
		mteval.ReportProgress(ctx, k*(k+1)/2, total)
	}
	return nil
}

// formScores are the scores of the k best systems by forms whose difficulty these k give.
func (c *curve) formScores(ctx context.Context, base mteval.MatchScorer, ms *mteval.Matchings, forms []*curved, refs [][]string, k int) ([]sampledScores, error) {
	voters := make([]int, k)
	for i := range voters {
		voters[i] = i
	}
	w, err := difficulty.EstimateFrom(ms, voters, difficulty.Function{})
	if err != nil {
		return nil, err
	}
	var rows []*scoreRows
	for _, f := range forms {
		s, err := difficulty.New(base, w, f.options)
		if err != nil {
			return nil, err
		}
		f.info = s.Info() // at last with the weights of all
		f.info.Signature = f.info.Signature.Complete(refs)
		r, err := matchedRows(ctx, s, ms, k)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return c.sample(ctx, rows)
}

// point finds all for the k best systems. The first metric is that of which the others are
// forms.
func (c *curve) point(ctx context.Context, metrics []*curved, scores []sampledScores, k int) error {
	people := c.human[:k]
	for i, m := range metrics {
		p := curvePoint{scores: scores[i].scores}
		x := turned(p.scores, scores[i].rows.lower)
		for j, f := range coefficients {
			v, err := f.of(x, people)
			switch {
			case err == nil:
				p.found[j].value = &v
			case !errors.Is(err, metaeval.ErrUndefined):
				return err
			}
		}
		m.points = append(m.points, p)
	}
	segments, err := c.overSegments(ctx, scores, people)
	if err != nil {
		return err
	}
	systems, err := c.overSystems(ctx, scores, people)
	if err != nil {
		return err
	}
	for i, m := range metrics {
		for j := range coefficients {
			f := &m.points[k-fewest].found[j]
			f.segments, f.systems = intervalOf(segments[i][j]), intervalOf(systems[i][j])
			base := metrics[0].points[k-fewest].found[j].value
			if i == 0 || f.value == nil || base == nil {
				continue
			}
			d := &formDifference{value: *f.value - *base}
			_, d.segments, d.p = differenceOf(*f.value, *base, segments[i][j], segments[0][j])
			_, d.systems, _ = differenceOf(*f.value, *base, systems[i][j], systems[0][j])
			f.difference = d
		}
	}
	return c.permute(ctx, metrics, scores, k)
}

// turned are scores such that more is better.
func turned(scores []float64, lower bool) []float64 {
	out := slices.Clone(scores)
	if lower {
		for i := range out {
			out[i] = -out[i]
		}
	}
	return out
}

// correlations sets out to the coefficients of x with people, NaN where undefined.
func correlations(out, x, people []float64) error {
	for j, f := range coefficients {
		v, err := f.of(x, people)
		switch {
		case err == nil:
			out[j] = v
		case errors.Is(err, metaeval.ErrUndefined):
			out[j] = math.NaN()
		default:
			return err
		}
	}
	return nil
}

// overSegments are the correlations on samples of the segments, by metric, coefficient and
// sample.
func (c *curve) overSegments(ctx context.Context, scores []sampledScores, people []float64) ([][][]float64, error) {
	n := c.options.samples
	out := make([][][]float64, len(scores))
	for i := range out {
		out[i] = make([][]float64, len(coefficients))
		for j := range out[i] {
			out[i][j] = make([]float64, n)
		}
	}
	err := parallel.For(ctx, n, 0, 64, func(lo, hi int) error {
		x := make([]float64, len(people))
		var r [len(coefficients)]float64
		for s := lo; s < hi; s++ {
			for i, m := range scores {
				for k := range x {
					x[k] = m.samples[k][s]
				}
				if err := correlations(r[:], turned(x, m.rows.lower), people); err != nil {
					return fmt.Errorf("sample %d: %w", s+1, err)
				}
				for j, v := range r {
					out[i][j][s] = v
				}
			}
		}
		return nil
	})
	return out, err
}

// overSystems are those on samples of the systems, with their scores as they are.
func (c *curve) overSystems(ctx context.Context, scores []sampledScores, people []float64) ([][][]float64, error) {
	n := len(coefficients)
	got, err := significance.Resample(ctx, len(people), c.options.significance(), len(scores)*n, func(draws []uint32, out []float64) error {
		x, y := make([]float64, len(draws)), make([]float64, len(draws))
		for i, m := range scores {
			for at, k := range draws {
				x[at], y[at] = m.scores[k], people[k]
			}
			if err := correlations(out[i*n:(i+1)*n], turned(x, m.rows.lower), y); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(got, n)), nil
}

func intervalOf(samples []float64) sampledInterval {
	var defined []float64
	for _, v := range samples {
		if !math.IsNaN(v) {
			defined = append(defined, v)
		}
	}
	return sampledInterval{significance.Interval95(defined), len(defined), len(samples) - len(defined)}
}

// differenceOf is the difference of x and y with its interval and p-value, by samples on
// which both are defined. P is nil if there is none.
func differenceOf(x, y float64, xs, ys []float64) (float64, sampledInterval, *float64) {
	a := significance.Agreements{Values: []float64{x, y}, Samples: make([][]float64, 2)}
	for s := range xs {
		if math.IsNaN(xs[s]) || math.IsNaN(ys[s]) {
			a.Undefined++
			continue
		}
		a.Samples[0], a.Samples[1] = append(a.Samples[0], xs[s]), append(a.Samples[1], ys[s])
	}
	d, in, p := a.Difference(0, 1)
	n := len(a.Samples[0])
	if n == 0 {
		return d, sampledInterval{undefined: a.Undefined}, nil
	}
	return d, sampledInterval{in, n, a.Undefined}, &p
}

// permute tests the forms' differences by PERM-INPUTS.
func (c *curve) permute(ctx context.Context, metrics []*curved, scores []sampledScores, k int) error {
	if len(metrics) == 1 {
		return nil
	}
	people := metaeval.NewScores(c.systems[:k], []string{""})
	copy(people.Values, c.human)
	items := make([]string, c.segments)
	for i := range items {
		items[i] = strconv.Itoa(i + 1)
	}
	tested := func(i int) metaeval.Metric {
		s := &metaeval.Scores{Systems: people.Systems, Items: items, Values: scores[i].rows.segmentScores(k)}
		return metaeval.Metric{Name: metrics[i].name(), Scores: s, LowerIsBetter: scores[i].rows.lower}
	}
	base := tested(0)
	for i := 1; i < len(metrics); i++ {
		form := tested(i)
		for j, f := range coefficients {
			found := &metrics[i].points[k-fewest].found[j]
			if found.difference == nil {
				continue
			}
			d, err := significance.PermutationTest(ctx, people, form, base, significance.Measure{Coefficient: f.measure}, significance.SwapItems, c.options.significance())
			switch {
			case err == nil:
				found.difference.perm = &d
			case !errors.Is(err, metaeval.ErrUndefined):
				return err
			}
		}
	}
	return nil
}

// adjust corrects the p-values for the number of K.
func (c *curve) adjust() error {
	for _, m := range c.metrics {
		for j := range coefficients {
			var of []*formDifference
			var p []float64
			for k := range m.points {
				if d := m.points[k].found[j].difference; d != nil && d.p != nil {
					of, p = append(of, d), append(p, *d.p)
				}
			}
			adjusted, err := significance.Holm(p)
			if err != nil {
				return err
			}
			for i, d := range of {
				d.holm = &adjusted[i]
			}
		}
	}
	if tests := len(c.systems) - fewest + 1; c.forms() && float64(tests)/float64(c.options.samples+1) > c.options.alpha {
		c.warn("%d samples are too few: after Holm's correction for %d K no difference can be significant at %v; --samples %v would do",
			c.options.samples, tests, c.options.alpha, math.Ceil(float64(tests)/c.options.alpha))
	}
	return nil
}

// forms says whether there is any.
func (c *curve) forms() bool {
	return slices.ContainsFunc(c.metrics, func(m *curved) bool { return m.base != nil })
}

// chance is what the ranks of so many systems can say.
type chance struct {
	k        int
	rankings float64 // how many there are, k!
	step     float64 // by how much one swapped pair changes Kendall's tau
	// least is the smallest tau, from 0 up, that is above what chance gives at the
	// level, two-sided, by KendallTest; nil: not even 1 is.
	least *float64
}

func chanceOf(k int, alpha float64) (chance, error) {
	c := chance{k: k, rankings: 1, step: 4 / float64(k*(k-1))}
	x, y := make([]float64, k), make([]float64, k)
	for i := range k {
		c.rankings *= float64(i + 1)
		x[i], y[i] = float64(i), float64(i)
	}
	// One neighbouring pair after the other is swapped, as in sorting, until tau is no
	// longer beyond chance.
	for last := k - 1; last > 0; last-- {
		for i := range last {
			t, err := metaeval.KendallTest(x, y, metaeval.KendallAuto)
			if err != nil || t.P > alpha || t.Correlation < 0 {
				return c, err
			}
			c.least = &t.Correlation
			y[i], y[i+1] = y[i+1], y[i]
		}
	}
	return c, nil
}
