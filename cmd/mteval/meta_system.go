package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// metaSystems compares scores of systems.
func (a *app) metaSystems(ctx context.Context, start time.Time, s *study, ms []scored) error {
	scores, err := s.humanSystems(ms)
	if err != nil {
		return err
	}
	metrics, segmental, err := s.alignSystems(ms, scores)
	if err != nil {
		return err
	}
	s.human = scores.SystemMeans()
	s.measures = []measure{
		{"pearson", "Pearson", true}, {"spearman", "Spearman", false}, {"kendall", "Kendall", false},
		{"pairwise_accuracy", "accuracy", false},
	}
	for _, m := range metrics {
		f := &studied{Metric: m, found: make(map[string]*finding), systems: m.Scores.SystemMeans()}
		s.metrics = append(s.metrics, f)
		for key, correlation := range map[string]metaeval.Correlation{"pearson": metaeval.Pearson, "spearman": metaeval.Spearman, "kendall": metaeval.Kendall} {
			r, err := metaeval.SystemLevel(scores, m, correlation)
			if err := f.find(key, r.Value, err); err != nil {
				return err
			}
		}
		accuracy, err := metaeval.PairwiseAccuracy(scores, m, nil)
		if err != nil {
			return err
		}
		f.accuracy = &accuracy
		v, err := accuracy.Value()
		if err := f.find("pairwise_accuracy", v, err); err != nil {
			return err
		}
		if slices.Min(f.systems) == slices.Max(f.systems) {
			s.warn("%s gives every system the same score, which says nothing", m.Name)
		}
	}
	s.sort(func(m *studied) (float64, bool) {
		f := m.found["pearson"]
		if f == nil {
			return 0, false
		}
		return f.value, true
	})
	s.tests = mteval.Signature{{Key: "level", Value: "system"}}
	if s.options.samples == 0 {
		s.signature()
		return nil
	}
	if s.people.scores != nil && segmental {
		if err := a.softAccuracy(ctx, start, s, scores); err != nil {
			return err
		}
	}
	return a.testSystems(ctx, start, s, scores, segmental)
}

// humanSystems returns people's scores of the systems that all metrics have scores for,
// and sets which these are.
func (s *study) humanSystems(ms []scored) (*metaeval.Scores, error) {
	p := s.people
	scores := p.systems
	switch {
	case scores != nil:
		s.humanAxis = "people's score"
	case p.scores != nil:
		scores = p.scores
		s.humanAxis = "people's mean score"
		if p.column != "" {
			s.humanAxis += " (" + p.column + ")"
		}
	default:
		s.humanAxis = "people's expected wins"
		counts, err := p.pairs.Counts()
		if err != nil {
			return nil, err
		}
		wins, err := human.ExpectedWins(len(p.pairs.Systems), counts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: name a file of scores of systems with --human-system", p.path, err)
		}
		scores = metaeval.NewScores(p.pairs.Systems, []string{""})
		copy(scores.Values, wins)
	}
	means := scores.SystemMeans()
	judged := make(map[string]bool)
	lacking := make([][]string, len(ms))
	for k, name := range scores.Systems {
		if math.IsNaN(means[k]) {
			continue
		}
		judged[name] = true
		whole := true
		for i, m := range ms {
			if !m.scoresOf(name) {
				lacking[i] = append(lacking[i], name)
				whole = false
			}
		}
		if whole {
			s.systems = append(s.systems, name)
		}
	}
	for i, m := range ms {
		if len(lacking[i]) > 0 {
			s.warn("%s has no score of %s: left out for all metrics", m.name, few(lacking[i]))
		}
	}
	s.warnUnjudged(ms, judged)
	if len(s.systems) < 2 {
		return nil, fmt.Errorf("%d systems have scores by people and by every metric: people's are %s, %s's %s",
			len(s.systems), few(scores.Systems), ms[0].name, few(ms[0].scores.Systems))
	}
	if err := s.leaveApart(ms, scores); err != nil {
		return nil, err
	}
	if s.options.outliers {
		if err := s.leaveOutliers(scores); err != nil {
			return nil, err
		}
	}
	s.warnHumans()
	return scores.Select(s.systems, scores.Items)
}

// scoresOf says whether the metric has any score of a system.
func (m *scored) scoresOf(system string) bool {
	k := slices.Index(m.scores.Systems, system)
	if k < 0 {
		return false
	}
	n := len(m.scores.Items)
	return slices.ContainsFunc(m.scores.Values[k*n:(k+1)*n], func(v float64) bool { return !math.IsNaN(v) })
}

// warnUnjudged says of which systems there are metrics' scores and none of people.
func (s *study) warnUnjudged(ms []scored, judged map[string]bool) {
	var names []string
	for _, m := range ms {
		for _, name := range m.scores.Systems {
			if !judged[name] && !s.options.excluded(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 {
		s.warn("%s: scored by a metric and not by people, left out", few(names))
	}
}

// leaveApart leaves out the systems of which people judged other outputs than metrics have
// scores of, so that no mean is of other outputs than people's. If that is so of nearly all,
// the segments have other names.
func (s *study) leaveApart(ms []scored, people *metaeval.Scores) error {
	if s.people.systems != nil || s.people.scores == nil {
		return nil
	}
	common, err := people.Select(s.systems, people.Items)
	if err != nil {
		return err
	}
	for _, m := range ms {
		if m.systemsOnly {
			continue
		}
		scores, err := m.scores.Select(s.systems, people.Items)
		if err != nil {
			return err
		}
		mask(common, scores)
	}
	var names, rest []string
	for k, mean := range common.SystemMeans() {
		if math.IsNaN(mean) {
			names = append(names, s.systems[k])
		} else {
			rest = append(rest, s.systems[k])
		}
	}
	if len(names) > 0 && len(rest) > 1 {
		s.warn("%s: people judged no output that all metrics have a score of, left out", few(names))
		s.systems = rest
	}
	return nil
}

func (s *study) leaveOutliers(scores *metaeval.Scores) error {
	in, err := scores.Select(s.systems, scores.Items)
	if err != nil {
		return err
	}
	at, err := metaeval.Outliers(in.SystemMeans(), 0)
	if errors.Is(err, metaeval.ErrUndefined) {
		s.warn("more than half of the systems have the same human score: outliers are not defined")
		return nil
	}
	if err != nil || len(at) == 0 {
		return err
	}
	var names, rest []string
	for k, name := range s.systems {
		if slices.Contains(at, k) {
			names = append(names, name)
		} else {
			rest = append(rest, name)
		}
	}
	s.warn("%s: outliers by human score, left out", strings.Join(names, ", "))
	s.systems = rest
	return nil
}

// alignSystems brings the metrics' scores of the systems into one order. Segmental says
// that all have scores of the same segments; else each has one item, its mean. Where people
// judged segments, means are over the outputs that they judged, and people's own over those
// that metrics have scores of.
func (s *study) alignSystems(ms []scored, people *metaeval.Scores) (out []metaeval.Metric, segmental bool, err error) {
	segmental = true
	var items []string
	seen := make(map[string]bool)
	for _, m := range ms {
		segmental = segmental && !m.systemsOnly
		for _, name := range m.scores.Items {
			if !seen[name] {
				seen[name] = true
				items = append(items, name)
			}
		}
	}
	judged := s.people.systems == nil && s.people.scores != nil
	if segmental && judged {
		if out, err := s.alignJudged(ms, people); err != nil || out != nil {
			return out, true, err
		}
	}
	if segmental {
		out, lost, all, err := align(ms, s.systems, items, func(int, int) bool { return true })
		if err != nil {
			return nil, false, err
		}
		if whole(out[0].Scores) {
			if judged {
				s.warn("metrics have no scores of what people judged of some system, which is such as segment %s, and %s's %s: means of metrics are over all segments",
					people.Items[0], ms[0].name, ms[0].scores.Items[0])
			}
			s.warnLost("outputs", ms, lost, all, len(s.systems)*len(items))
			return out, true, nil
		}
		s.warn("metrics have no segments in common: each has the mean of its own as score of a system")
	}
	more := make([]int, len(ms))
	for i, m := range ms {
		scores, err := m.scores.Select(s.systems, m.scores.Items)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", m.path, err)
		}
		if judged && !m.systemsOnly {
			of, err := m.scores.Select(s.systems, people.Items)
			if err != nil {
				return nil, false, err
			}
			if mask(of, people); whole(of) {
				more[i] = present(scores) - present(of)
				scores = of
			}
		}
		means := metaeval.NewScores(s.systems, []string{""})
		copy(means.Values, scores.SystemMeans())
		out = append(out, m.metric(means))
	}
	s.warnMore(ms, more)
	return out, false, nil
}

// alignJudged is alignSystems for the outputs that people judged and all metrics have scores
// of. It returns nil if some system has none.
func (s *study) alignJudged(ms []scored, people *metaeval.Scores) ([]metaeval.Metric, error) {
	out, lost, all, err := align(ms, s.systems, people.Items, func(system, item int) bool { return !math.IsNaN(people.At(system, item)) })
	if err != nil {
		return nil, err
	}
	judged, more := present(people), make([]int, len(ms))
	for i, m := range ms {
		scores, err := m.scores.Select(s.systems, m.scores.Items)
		if err != nil {
			return nil, err
		}
		more[i] = present(scores) - (judged - lost[i])
		mask(out[i].Scores, people)
	}
	if !whole(out[0].Scores) {
		return nil, nil
	}
	mask(people, out[0].Scores)
	s.warnLost("outputs", ms, lost, all, judged)
	s.warnMore(ms, more)
	return out, nil
}

// warnMore says which metrics have scores of more outputs than people judged, and of how many.
func (s *study) warnMore(ms []scored, more []int) {
	var by []string
	for i, n := range more {
		if n > 0 {
			by = append(by, fmt.Sprintf("%s %d", ms[i].name, n))
		}
	}
	if len(by) > 0 {
		s.warn("metrics have scores of outputs that people did not judge (%s): left out of the means", few(by))
	}
}

// mask makes missing what other has not, which has the same systems and items.
func mask(s, other *metaeval.Scores) {
	for at, v := range other.Values {
		if math.IsNaN(v) {
			s.Values[at] = v
		}
	}
}

// whole says whether every system has a score.
func whole(s *metaeval.Scores) bool { return !slices.ContainsFunc(s.SystemMeans(), math.IsNaN) }

// softAccuracy finds soft pairwise accuracies, on the outputs that people judged. People's
// are their scores of systems, or else of the segments.
func (a *app) softAccuracy(ctx context.Context, start time.Time, s *study, people *metaeval.Scores) error {
	ctx, done := a.withProgress(ctx, start, "soft pairwise accuracy")
	defer done()
	if s.people.systems != nil {
		var err error
		if people, err = s.people.scores.Select(s.systems, s.people.scores.Items); err != nil {
			return err
		}
	}
	humanP, err := significance.PairwiseP(ctx, metaeval.Metric{Name: "people", Scores: people}, s.options.significance())
	if errors.Is(err, metaeval.ErrUndefined) {
		s.warn("no soft pairwise accuracy: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	s.measures = append(s.measures, measure{"soft_pairwise_accuracy", "soft", false})
	for _, m := range s.metrics {
		scores, err := m.Scores.Select(people.Systems, people.Items)
		if err != nil {
			return err
		}
		mask(scores, people)
		p, err := significance.PairwiseP(ctx, metaeval.Metric{Name: m.Name, Scores: scores, LowerIsBetter: m.LowerIsBetter}, s.options.significance())
		soft := 0.0
		if err == nil {
			soft, err = metaeval.SoftPairwiseAccuracy(humanP, p)
		}
		if err := m.find("soft_pairwise_accuracy", soft, err); err != nil {
			return err
		}
	}
	return nil
}

// testSystems finds intervals and clusters by Pearson's correlation.
func (a *app) testSystems(ctx context.Context, start time.Time, s *study, scores *metaeval.Scores, segmental bool) error {
	sampling, interval, test := significance.SampleSystems, "boot-systems", "williams"
	if segmental {
		sampling, interval, test = significance.SampleBoth, "boot-both", "perm-both"
		s.warnSamples("permutations")
	}
	if err := a.pearsonIntervals(ctx, start, s, scores, significance.System, sampling, s.warnDirection); err != nil {
		return err
	}
	ctx, done := a.withProgress(ctx, start, "tests")
	defer done()
	err := s.compare(ctx, "pearson", s.pearson, func(ctx context.Context, x, y int) (float64, error) {
		if segmental {
			d, err := significance.PermutationTest(ctx, scores, s.metrics[x].Metric, s.metrics[y].Metric, significance.Measure{}, significance.SwapOutputs, s.options.significance())
			return d.P, err
		}
		return s.williams(x, y)
	})
	s.signature(mteval.Field{Key: "interval", Value: interval}, mteval.Field{Key: "test", Value: test})
	return err
}

// pearson is a metric's correlation.
func (s *study) pearson(m int) float64 { return s.metrics[m].found["pearson"].value }

// pearsonIntervals finds the intervals of Pearson's correlation, of the metrics that have
// one, and calls do with each.
func (a *app) pearsonIntervals(ctx context.Context, start time.Time, s *study, scores *metaeval.Scores, level significance.Level, sampling significance.Sampling, do func(*studied, significance.Interval)) error {
	var defined []*studied
	var metrics []metaeval.Metric
	for _, m := range s.metrics {
		if m.found["pearson"] != nil {
			defined, metrics = append(defined, m), append(metrics, m.Metric)
		}
	}
	if len(metrics) == 0 {
		return nil
	}
	ctx, done := a.withProgress(ctx, start, "bootstrap")
	defer done()
	agreements, err := significance.BootstrapAgreement(ctx, scores, metrics, significance.Measure{Level: level}, sampling, s.options.significance())
	if errors.Is(err, metaeval.ErrUndefined) { // on each of the samples
		return nil
	}
	if err != nil {
		return err
	}
	for i, m := range defined {
		in := agreements.Interval(i)
		m.found["pearson"].interval = &in
		do(m, in)
	}
	return nil
}

func (s *study) williams(x, y int) (float64, error) {
	mx, my := s.metrics[x], s.metrics[y]
	rxy, err := metaeval.Pearson(mx.systems, my.systems)
	if err != nil {
		return 0, err
	}
	if mx.LowerIsBetter != my.LowerIsBetter {
		rxy = -rxy
	}
	t, err := significance.Williams(s.pearson(x), s.pearson(y), rxy, len(s.systems))
	return t.P, err
}
