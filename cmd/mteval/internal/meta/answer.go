package meta

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/meta"
)

// answer says which metric agrees best with people by the main measure, and which are not
// significantly worse.
func (s *metaOutput) answer() string {
	key := s.mainMeasure()
	ranked := s.ranked(key)
	on := "about " + s.options.Level + "s"
	if len(ranked) == 0 {
		return fmt.Sprintf("How far metrics agree with people %s is undefined by %s, for all of them.", on, s.fullTitle(key))
	}
	best := ranked[0]
	of := s.fullTitle(key) + " " + valueWithInterval(best.Values[key])
	if len(s.Metrics) == 1 {
		return fmt.Sprintf("%s agrees with people %s by %s.", best.Name, on, of)
	}
	same := []string{best.Name}
	for _, m := range ranked[1:] {
		if s.goodness(best, key)-s.goodness(m, key) <= app.Rounding {
			same = append(same, m.Name)
		}
	}
	verb := "agrees best with people"
	if len(same) > 1 {
		verb = "agree best with people, and equally,"
	}
	if s.goodness(best, key) <= 0 {
		return fmt.Sprintf("No metric agrees with people %s: the least against them %s %s (%s).", on, app.Plural(len(same), "is", "are"), app.These(same), of)
	}
	out := fmt.Sprintf("%s %s %s (%s).", app.These(same), verb, on, of)
	return strings.Join(append([]string{out}, s.compared(key, ranked, same)...), " ")
}

// compared says which metrics are significantly worse than the best, and which are not.
func (s *metaOutput) compared(key string, ranked []meta.MetricResult, best []string) []string {
	var alike, worse app.ComparedOthers
	for _, m := range ranked {
		if slices.Contains(best, m.Name) {
			continue
		}
		i := slices.IndexFunc(s.Comparisons, func(c meta.Comparison) bool {
			return c.Measure == key && (c.X == best[0] && c.Y == m.Name || c.X == m.Name && c.Y == best[0])
		})
		if i < 0 {
			return []string{app.NotTested + "."}
		}
		if p := s.Comparisons[i].Adjusted; p <= s.options.Alpha {
			worse.Add(m.Name, p)
		} else {
			alike.Add(m.Name, p)
		}
	}
	return app.Tested(app.ItOf(best), worse, alike, "all pairs of metrics")
}

// answer says which metric has the best average, and which are not significantly worse.
func (s *tasksOutput) answer() string {
	if len(s.Metrics) == 0 {
		return "No metric has scores for all tasks, so none is the best on average."
	}
	var same []string
	var alike, worse app.ComparedOthers
	first := s.Metrics[0].Average
	for i, m := range s.Metrics {
		switch {
		case first-m.Average <= app.Rounding:
			same = append(same, m.Metric)
		case s.P == nil:
		case s.P[0][i] <= s.options.Alpha:
			worse.Add(m.Metric, s.P[0][i])
		default:
			alike.Add(m.Metric, s.P[0][i])
		}
	}
	out := []string{fmt.Sprintf("%s %s the best average over %s (%.3f).", app.These(same), app.Plural(len(same), "has", "have"), app.Count(len(s.Tasks), "task"), first)}
	if s.P == nil && len(same) < len(s.Metrics) {
		out = append(out, app.NotTested+".")
	}
	return strings.Join(append(out, app.Tested(app.ItOf(same), worse, alike, "")...), " ")
}

// mainMeasure is what the answer is about.
func (s *metaOutput) mainMeasure() string {
	has := func(key string) bool {
		return slices.ContainsFunc(s.Measures, func(x meta.Measure) bool { return x.Key == key })
	}
	switch {
	case s.options.Level == "system":
		return "pearson"
	case s.showsKendall() && has("kendall_4c"): // WMT's
		return "kendall_4c"
	case s.showsKendall() && len(s.options.Forms) > 0:
		return "kendall_" + s.options.Forms[0].Name
	case has("acc_eq"):
		return "acc_eq"
	}
	return "pearson"
}

// goodness is a value such that more is better.
func (s *metaOutput) goodness(m meta.MetricResult, key string) float64 {
	v := m.Values[key].Value
	for _, f := range s.options.Forms {
		if key == "kendall_"+f.Name && m.LowerIsBetter && f.Error != f.Accuracy.Negated() {
			return -v
		}
	}
	return v
}

// ranked are the metrics that have a value, best first.
func (s *metaOutput) ranked(key string) []meta.MetricResult {
	out := slices.DeleteFunc(slices.Clone(s.Metrics), func(m meta.MetricResult) bool { return m.Values[key] == nil })
	slices.SortStableFunc(out, func(a, b meta.MetricResult) int {
		return cmp.Compare(s.goodness(b, key), s.goodness(a, key))
	})
	return out
}

func valueWithInterval(v *meta.Value) string {
	if v.Interval == nil {
		return app.Fixed(v.Value)
	}
	return fmt.Sprintf("%s, 95%% interval %s to %s", app.Fixed(v.Value), app.Fixed(v.Interval.Low), app.Fixed(v.Interval.High))
}
