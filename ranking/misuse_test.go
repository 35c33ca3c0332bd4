package ranking_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/ranking"
)

// Zero values, nil and what does not fit are errors.
func TestMisuse(t *testing.T) {
	three := letters("abc")
	for name, tt := range map[string]struct {
		systems []string
		m       ranking.FieldMetric
		o       ranking.Options
	}{
		"nil metric":        {three, nil, ranking.Options{}},
		"nil table":         {three, ranking.FromTable(nil), ranking.Options{}},
		"zero table":        {three, ranking.FromTable(&mteval.Table{}), ranking.Options{}},
		"human, no system":  {nil, metric("none"), ranking.Options{Human: human("a", 1)}},
		"human score twice": {three, metric("m", 1, 2, 3), ranking.Options{Human: human("aa", 1, 2)}},
	} {
		if r, err := ranking.Rank(t.Context(), tt.systems, []ranking.FieldMetric{tt.m}, tt.o); err == nil || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	for _, k := range []int{math.MinInt, -1, 0, 4, math.MaxInt} {
		if best, _, err := ranking.Best([]mteval.System{{Name: "a"}, {Name: "b"}, {Name: "c"}}, human("abc", 1, 2, 3), k); err == nil {
			t.Errorf("the best %d: %v", k, best)
		}
	}
	// What has no error has a documented result.
	if r, err := ranking.Rank(t.Context(), nil, nil, ranking.Options{}); err != nil || len(r.Systems) > 0 {
		t.Error(r, err)
	}
	if r, err := ranking.Rank(t.Context(), nil, []ranking.FieldMetric{ranking.FromTable(nil)}, ranking.Options{}); err != nil || len(r.Systems) > 0 {
		t.Error(r, err)
	}
	// Scores of any size have correlations, equal ones none.
	r := rank(t, three, ranking.Options{Human: human("abc", 1e308, -1e308, 5e-324)}, metric("m", 1e308, -1e308, 0), metric("equal", .1, .1, .1))
	if c := r.Correlations; c[0].Pearson == nil || math.Abs(*c[0].Pearson-1) > 1e-12 || c[1].Pearson != nil || c[1].Spearman != nil || c[1].Kendall != nil {
		t.Errorf("%+v", c)
	}
}

func TestRanksOfNaN(t *testing.T) {
	nan := math.NaN()
	for _, lower := range []bool{false, true} {
		if d := cmp.Diff([]int{3, 1, 3, 1}, ranking.Ranks([]float64{nan, 7, nan, 7}, lower)); d != "" {
			t.Errorf("lower is better: %v (-want +got):\n%s", lower, d)
		}
	}
	if out := ranking.Ranks(nil, false); len(out) != 0 {
		t.Error(out)
	}
	many := make([]float64, 300_000) // in quadratic time, minutes
	for i := range many {
		many[i] = float64(int64(i) * 7919 % int64(len(many)))
	}
	if out := ranking.Ranks(many, true); out[0] != 1 {
		t.Error(out[0])
	}
}
