package meta

import (
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/metaeval"
)

// on returns the metric with its scores of these systems and items.
func (m *Candidate) on(systems, items []string) (metaeval.Metric, error) {
	scores, err := m.Scores.Select(systems, items)
	if err != nil {
		return metaeval.Metric{}, fmt.Errorf("meta: %s: %w", m.Name, err)
	}
	return m.with(scores), nil
}

// with returns the metric with other scores.
func (m *Candidate) with(s *metaeval.Scores) metaeval.Metric {
	return metaeval.Metric{Name: m.Name, Scores: s, LowerIsBetter: m.LowerIsBetter}
}

// scoresOf says whether the metric has any score of a system.
func (m *Candidate) scoresOf(system string) bool {
	k := slices.Index(m.Scores.Systems, system)
	if k < 0 {
		return false
	}
	n := len(m.Scores.Items)
	return slices.ContainsFunc(m.Scores.Values[k*n:(k+1)*n], func(v float64) bool { return !math.IsNaN(v) })
}

// example names a system and a segment of the scores, for errors.
func example(systems, items []string) string {
	first := func(names []string) string {
		if len(names) == 0 {
			return "none"
		}
		return names[0]
	}
	return fmt.Sprintf("system %s, segment %s", first(systems), first(items))
}

// align brings metrics' scores into the order of the systems and of the items. What one
// has no score for is made missing for all, of what is judged: lost is how many of the
// judged ones have no score by each metric, and all how many by any.
func align(ms []Candidate, systems, items []string, judged func(system, item int) bool) (out []metaeval.Metric, lost []int, all int, err error) {
	for _, m := range ms {
		of, err := m.on(systems, items)
		if err != nil {
			return nil, nil, 0, err
		}
		out = append(out, of)
	}
	lost = make([]int, len(ms))
	n := len(items)
	for at := range len(systems) * n {
		some := false
		for m := range out {
			if math.IsNaN(out[m].Scores.Values[at]) && judged(at/n, at%n) {
				lost[m]++
				some = true
			}
		}
		if some {
			all++
			for m := range out {
				out[m].Scores.Values[at] = math.NaN()
			}
		}
	}
	return out, lost, all, nil
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

// align brings the metrics' scores of the systems into one order. Where people judged
// segments, means are over the outputs that they judged, and people's own over those that
// metrics have scores of.
func (j *systems) align() ([]metaeval.Metric, error) {
	j.segmental = !slices.ContainsFunc(j.given, func(m Candidate) bool { return m.SystemsOnly })
	if j.segmental {
		if j.byMeans() {
			if out, err := j.alignJudged(); err != nil || out != nil {
				return out, err
			}
		}
		if out, err := j.alignItems(); err != nil || out != nil {
			return out, err
		}
		j.segmental = false
		j.note("metrics have no segments in common: each has the mean of its own as score of a system")
	}
	return j.alignMeans()
}

// alignJudged is align for the outputs that people judged and all metrics have scores of.
// It returns nil if some system has none.
func (j *systems) alignJudged() ([]metaeval.Metric, error) {
	people := j.scores
	out, lost, all, err := align(j.given, j.Systems, people.Items, func(system, item int) bool { return !math.IsNaN(people.At(system, item)) })
	if err != nil {
		return nil, err
	}
	judged, more := people.Present(), make([]int, len(j.given))
	for i, m := range j.given {
		of, err := m.on(j.Systems, m.Scores.Items)
		if err != nil {
			return nil, err
		}
		more[i] = of.Scores.Present() - (judged - lost[i])
		mask(out[i].Scores, people)
	}
	if !whole(out[0].Scores) {
		return nil, nil
	}
	mask(people, out[0].Scores)
	j.warnLost("outputs", j.given, lost, all, judged)
	j.warnMore(j.given, more)
	return out, nil
}

// alignItems is align for all segments that any metric has scores of. It returns nil if
// metrics have no segment in common, of some system.
func (j *systems) alignItems() ([]metaeval.Metric, error) {
	var items []string
	seen := make(map[string]bool)
	for _, m := range j.given {
		for _, name := range m.Scores.Items {
			if !seen[name] {
				seen[name] = true
				items = append(items, name)
			}
		}
	}
	out, lost, all, err := align(j.given, j.Systems, items, func(int, int) bool { return true })
	if err != nil || !whole(out[0].Scores) {
		return nil, err
	}
	if j.byMeans() {
		first := j.given[0]
		j.note("metrics have no scores of what people judged of some system, which is such as segment %s, and %s's %s: means of metrics are over all segments",
			j.scores.Items[0], first.Name, first.Scores.Items[0])
	}
	j.warnLost("outputs", j.given, lost, all, len(j.Systems)*len(items))
	return out, nil
}

// alignMeans gives each metric the means of its own segments, of those that people judged
// if it has such of every system.
func (j *systems) alignMeans() (out []metaeval.Metric, err error) {
	more := make([]int, len(j.given))
	for i, m := range j.given {
		all, err := m.on(j.Systems, m.Scores.Items)
		if err != nil {
			return nil, err
		}
		scores := all.Scores
		if j.byMeans() && !m.SystemsOnly {
			of, err := m.on(j.Systems, j.scores.Items)
			if err != nil {
				return nil, err
			}
			if mask(of.Scores, j.scores); whole(of.Scores) {
				more[i] = scores.Present() - of.Scores.Present()
				scores = of.Scores
			}
		}
		means := metaeval.NewScores(j.Systems, []string{""})
		copy(means.Values, scores.SystemMeans())
		out = append(out, m.with(means))
	}
	j.warnMore(j.given, more)
	return out, nil
}
