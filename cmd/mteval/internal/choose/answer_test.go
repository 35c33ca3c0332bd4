package choose

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/selection"
)

// At each of two budgets random choices have tau from .4 to .6 and from 2 to 3 clusters.
func TestSelectAnswer(t *testing.T) {
	curve := func(name string, above float64, taus ...float64) selection.Curve {
		c := selection.Curve{Name: name, KendallAbove: above, ClustersAbove: .5}
		for _, tau := range taus {
			c.Points = append(c.Points, selection.Point{Kendall: tau, Clusters: 2.5})
		}
		return c
	}
	level := curve("variance", .9, .6, .4)
	for name, tt := range map[string]struct {
		curves []selection.Curve
		want   string
		worse  []string
	}{
		"one, no better": {[]selection.Curve{level}, "variance does not beat random choice of segments, with budgets of 10 to 20 segments or of 10 to 20 words of the source.", nil},
		"no better": {[]selection.Curve{level, curve("length", .02, .5, .39)}, "None of the 2 methods beats random choice of segments, with budgets of 10 to 20 segments or of 10 to 20 words of the source.",
			[]string{
				"With budgets of 10 to 20 segments random choice beats length (in ranking systems at 20 and on the mean over budgets).",
				"With budgets of 10 to 20 words of the source random choice beats length (in ranking systems at 20 and on the mean over budgets).",
			}},
		"better": {[]selection.Curve{level, curve("length", .975, .5, .61), curve("random", .5, .7, .7)},
			"Random choice of segments is beaten with budgets of 10 to 20 segments by length (in ranking systems at 20 and on the mean over budgets) and random (in ranking systems at every budget), " +
				"and with budgets of 10 to 20 words of the source by length (in ranking systems at 20 and on the mean over budgets) and random (in ranking systems at every budget).", nil},
	} {
		t.Run(name, func(t *testing.T) {
			e := &selection.Evaluation{Sizes: []int{10, 20}, Curves: tt.curves}
			e.Random.Kendalls = slices.Repeat([]selection.Interval{{Mean: .5, Low: .4, High: .6}}, 2)
			e.Random.ClusterCounts = slices.Repeat([]selection.Interval{{Mean: 2.5, Low: 2, High: 3}}, 2)
			c := &selectCurves{costs: []costCurves{{unit: "segments", Evaluation: e}, {unit: "words", of: "source", Evaluation: e}}}
			if got := c.answer(); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
			if d := cmp.Diff(tt.worse, c.worse()); d != "" {
				t.Error(d)
			}
		})
	}
}
