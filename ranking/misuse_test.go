package ranking_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
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

// What is no curve is an error, the only thing that comes.
func TestCurveMisuse(t *testing.T) {
	order := &ranking.Order{Systems: []int{0, 1, 2}, Human: []float64{3, 2, 1}}
	none := []ranking.FieldMetric{metric("m", 3, 2, 1), nil}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx     context.Context
		order   *ranking.Order
		metrics []ranking.FieldMetric
		want    string
	}{
		"nil order":                {t.Context(), nil, none[:1], "ranking: no order: it is nil"},
		"a human score too few":    {t.Context(), &ranking.Order{Systems: order.Systems, Human: order.Human[:2]}, none[:1], "ranking: an order of 3 systems has 2 human scores"},
		"nil metric":               {t.Context(), order, none, "ranking: metric 2 is nil"},
		"nil metric of no systems": {t.Context(), new(ranking.Order), none, "ranking: metric 2 is nil"},
		"cancelled":                {done, order, none[:1], "ranking: context canceled"},
		"cancelled, no metric":     {done, order, nil, "ranking: context canceled"},
	} {
		n := 0
		for at, err := range ranking.Curve(tt.ctx, tt.order, tt.metrics) {
			n++
			if err == nil || err.Error() != tt.want || at.K != 0 || tt.ctx == done && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %+v, error %v, want %s", name, at, err, tt.want)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d points", name, n)
		}
	}
	for _, err := range ranking.Curve(t.Context(), order, nil) {
		if err != nil {
			t.Errorf("no metric: %v", err)
		}
	}
}

func TestHumanOf(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		scores *metaeval.Scores
		want   []ranking.Human
	}{
		{nil, nil},
		{new(metaeval.Scores), nil},
		{metaeval.NewScores([]string{"a"}, nil), nil},
		{&metaeval.Scores{Systems: []string{"b", "a", "c"}, Items: []string{""}, Values: []float64{.5, nan, -1}}, human("bc", .5, -1)},
		{&metaeval.Scores{Systems: []string{"a", "b"}, Items: []string{"1", "2"}, Values: []float64{1, 2, nan, 3}}, human("ab", 1.5, 3)},
	} {
		if d := cmp.Diff(tt.want, ranking.HumanOf(tt.scores)); d != "" {
			t.Errorf("%v (-want +got):\n%s", tt.scores, d)
		}
	}
}
