package selection_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/selection"
)

// Three systems on 40 segments: on the even ones people have a before b before c, by more each
// time than any noise, on the odd ones all are level.
func halves() *metaeval.Scores {
	scores := map[string][]float64{}
	for i := range 40 {
		apart := float64((i + 1) % 2)
		for k, name := range []string{"c", "b", "a"} {
			scores[name] = append(scores[name], apart*float64(k))
		}
	}
	return metric(scores, []string{"b", "a", "c"}).Scores
}

// The even segments have Kendall 1 and three clusters, the odd ones level systems, which is
// Kendall 0 and one cluster.
func TestEvaluate(t *testing.T) {
	human := halves()
	even, odd := make([]float64, 40), make([]float64, 40)
	for i := range even {
		even[i], odd[i] = float64((i+1)%2), float64(i%2)
	}
	candidates := []selection.Candidate{{Name: "even", Utilities: even}, {Name: "odd", Utilities: odd}}
	o := selection.EvaluateOptions{Sizes: []int{10, 20}, Random: 20, Permutations: 200}
	got, err := selection.Evaluate(t.Context(), human, candidates, o)
	if err != nil {
		t.Fatal(err)
	}
	want := []selection.Curve{
		{Name: "even", Kendall: 1, Clusters: 3, Points: []selection.Point{{10, 1, 3}, {20, 1, 3}}, KendallAbove: .5, ClustersAbove: got.Curves[0].ClustersAbove},
		{Name: "odd", Kendall: 0, Clusters: 1, Points: []selection.Point{{10, 0, 1}, {20, 0, 1}}},
	}
	if diff := cmp.Diff(want, got.Curves); diff != "" {
		t.Error(diff)
	}
	if got.Clusters != 3 || got.Segments != 40 || got.Random.Kendall.Mean != 1 {
		t.Errorf("%+v", got)
	}
	// However many work at it.
	for _, o.Workers = range []int{1, 3} {
		again, err := selection.Evaluate(t.Context(), human, candidates, o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Error(diff)
		}
	}
}

// 5% to 50% of 10 segments are .5, 1, 1.5 and so on to 5.
func TestEvaluateSizes(t *testing.T) {
	human := halves()
	human, err := human.Select(human.Systems, human.Items[:10])
	if err != nil {
		t.Fatal(err)
	}
	got, err := selection.Evaluate(t.Context(), human, nil, selection.EvaluateOptions{Random: 1, Permutations: 10})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5}, got.Sizes); diff != "" {
		t.Error(diff)
	}
}

// What nobody judged is no part of it.
func TestEvaluateUnjudged(t *testing.T) {
	human := halves()
	for i := 1; i < 40; i += 2 {
		for k := range human.Systems {
			human.Set(k, i, math.NaN())
		}
	}
	u := make([]float64, 40)
	for i := range u {
		u[i] = float64(i)
	}
	got, err := selection.Evaluate(t.Context(), human, []selection.Candidate{{Name: "last", Utilities: u}}, selection.EvaluateOptions{Sizes: []int{10}, Random: 3})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]selection.Point{{10, 1, 3}}, got.Curves[0].Points); diff != "" || got.Segments != 20 {
		t.Errorf("%d: %s", got.Segments, diff)
	}
}

// Random choices differ: of one segment some have Kendall 1, and some 0.
func TestEvaluateRandom(t *testing.T) {
	got, err := selection.Evaluate(t.Context(), halves(), nil, selection.EvaluateOptions{Sizes: []int{1}, Random: 40})
	if err != nil {
		t.Fatal(err)
	}
	if k := got.Random.Kendalls[0]; k.Low != 0 || k.High != 1 {
		t.Errorf("Kendall %+v", k)
	}
}

// With 2 words to each segment, 20 words are what 10 segments are.
func TestEvaluateByWords(t *testing.T) {
	human := halves()
	u, lengths := make([]float64, 40), make([]int, 40)
	for i := range u {
		u[i], lengths[i] = float64(i%7), 2
	}
	candidates := []selection.Candidate{{Name: "u", Utilities: u}}
	want, err := selection.Evaluate(t.Context(), human, candidates, selection.EvaluateOptions{Sizes: []int{10}, Random: 5})
	if err != nil {
		t.Fatal(err)
	}
	got, err := selection.Evaluate(t.Context(), human, candidates, selection.EvaluateOptions{Sizes: []int{20}, Lengths: lengths, Random: 5})
	if err != nil {
		t.Fatal(err)
	}
	if got.Curves[0].Points[0].Segments != 10 {
		t.Errorf("%d segments, want 10", got.Curves[0].Points[0].Segments)
	}
	got.Sizes = want.Sizes
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Systems that share no judged segment of a choice are not told apart by it; one without any
// in the choice has no part in its tau.
func TestEvaluateUnpaired(t *testing.T) {
	nan := math.NaN()
	human := metric(map[string][]float64{"a": {3, nan, 3}, "b": {nan, 2, 2}, "c": {1, nan, 1}}, []string{"a", "b", "c"}).Scores
	candidates := []selection.Candidate{{Name: "first", Utilities: []float64{3, 2, 1}}}
	got, err := selection.Evaluate(t.Context(), human, candidates, selection.EvaluateOptions{Sizes: []int{1, 2}, Random: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]selection.Point{{1, 1, 1}, {2, 1, 1}}, got.Curves[0].Points); diff != "" {
		t.Error(diff)
	}
	for i := range human.Items {
		human.Set(1, i, nan)
	}
	if _, err := selection.Evaluate(t.Context(), human, candidates, selection.EvaluateOptions{Sizes: []int{1}}); err == nil || !strings.Contains(err.Error(), "no segment of b") {
		t.Errorf("a system that nobody judged: %v", err)
	}
}

func TestEvaluateErrors(t *testing.T) {
	human := halves()
	level := metaeval.NewScores([]string{"a", "b"}, []string{"1", "2"})
	for i := range level.Values {
		level.Values[i] = 1
	}
	if _, err := selection.Evaluate(t.Context(), level, nil, selection.EvaluateOptions{Sizes: []int{1}}); !errors.Is(err, metaeval.ErrUndefined) {
		t.Errorf("level systems: %v", err)
	}
	one := metric(map[string][]float64{"a": {1, 2}}, []string{"a"}).Scores
	if _, err := selection.Evaluate(t.Context(), one, nil, selection.EvaluateOptions{Sizes: []int{1}}); !errors.Is(err, metaeval.ErrUndefined) {
		t.Errorf("one system: %v", err)
	}
	for name, o := range map[string]selection.EvaluateOptions{
		"size 0": {Sizes: []int{0}}, "no sizes": {Sizes: []int{}}, "documents": {Documents: []string{"x"}}, "lengths": {Lengths: []int{1}}, "alpha": {Alpha: 2}, "random": {Random: -1},
	} {
		if _, err := selection.Evaluate(t.Context(), human, nil, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := selection.Evaluate(t.Context(), human, []selection.Candidate{{Name: "short", Utilities: []float64{1}}}, selection.EvaluateOptions{}); err == nil {
		t.Error("utilities of another set: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := selection.Evaluate(ctx, human, nil, selection.EvaluateOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// At each of two sizes random choices have tau from .4 to .6 and from 2 to 3 clusters: what is on
// their ends is within.
func TestVerdicts(t *testing.T) {
	e := &selection.Evaluation{Sizes: []int{10, 20}, Curves: []selection.Curve{{
		Points:       []selection.Point{{Kendall: .6, Clusters: 1.9}, {Kendall: .61, Clusters: 3}},
		KendallAbove: .975, ClustersAbove: .03,
	}, {Points: []selection.Point{{Kendall: .4}, {Kendall: .39, Clusters: 3.1}}, KendallAbove: .97, ClustersAbove: .025}}}
	e.Random.Kendalls = slices.Repeat([]selection.Interval{{Mean: .5, Low: .4, High: .6}}, 2)
	e.Random.ClusterCounts = slices.Repeat([]selection.Interval{{Mean: 2.5, Low: 2, High: 3}}, 2)
	for i, want := range [][2]selection.Verdict{
		{{Sizes: []int{0, 1}, Mean: 1}, {Sizes: []int{-1, 0}, Mean: 0}},
		{{Sizes: []int{0, -1}, Mean: 0}, {Sizes: []int{-1, 1}, Mean: -1}},
	} {
		kendall, clusters := e.Verdicts(i)
		if got := [2]selection.Verdict{kendall, clusters}; !cmp.Equal(got, want) {
			t.Errorf("%d: %+v", i, got)
		}
	}
}
