package meta

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// soft has the soft pairwise accuracies by metric.
func soft(r *Result) map[string]float64 {
	out := make(map[string]float64)
	for _, m := range r.Metrics {
		if v := m.Values["soft_pairwise_accuracy"]; v != nil {
			out[m.Name] = v.Value
		}
	}
	return out
}

// It is of mt-metrics-eval's permutations where no score is missing of what people judged, and
// then the same with and without tests, whatever the seed; else of the seed's, and no test, no
// value.
func TestSoftAccuracy(t *testing.T) {
	people, ms := sample(5, 40, 3)
	run := func(people People, ms []Candidate, o Options) *Result {
		t.Helper()
		r, err := Systems(ctx, people, ms, SystemOptions{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	p := func(m metaeval.Metric) [][]float64 {
		p, err := metaeval.PermutationPValues(t.Context(), &metaeval.Scores{Systems: m.Scores.Systems, Items: m.Scores.Items,
			Values: metaeval.Oriented(m.Scores.Values, m.LowerIsBetter)}, 1000, 4)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := make(map[string]float64)
	for _, m := range ms {
		v, err := metaeval.SoftPairwiseAccuracy(p(metaeval.Metric{Scores: people.Scores}), p(m.Metric))
		if err != nil {
			t.Fatal(err)
		}
		want[m.Name] = v
	}
	// An item that people did not judge is none.
	more := People{Scores: metaeval.NewScores(people.Scores.Systems, append([]string{"unjudged"}, people.Scores.Items...))}
	for k := range people.Scores.Systems {
		for i := range people.Scores.Items {
			more.Scores.Set(k, i+1, people.Scores.At(k, i))
		}
	}
	for name, r := range map[string]*Result{
		"tests":    run(people, ms, Options{}),
		"no tests": run(people, ms, Options{NoTests: true}),
		"a seed":   run(people, ms, Options{Seed: 9, Samples: 1000}),
		"unjudged": run(more, ms, Options{NoTests: true}),
	} {
		if d := cmp.Diff(want, soft(r)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if !strings.Contains(r.Signature.String(), "soft:numpy-1000-4") {
			t.Errorf("%s: %s", name, r.Signature)
		}
	}
	people.Scores.Set(2, 7, nan)
	if got := soft(run(people, ms, Options{NoTests: true})); len(got) > 0 {
		t.Errorf("with a missing score and no tests: %v", got)
	}
	r := run(people, ms, Options{Samples: 100, Seed: 9})
	human, err := significance.PairwiseP(ctx, metaeval.Metric{Name: "people", Scores: people.Scores}, significance.Options{Samples: 100, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Metrics {
		p, err := significance.PairwiseP(ctx, m.Metric, significance.Options{Samples: 100, Seed: 9})
		if err != nil {
			t.Fatal(err)
		}
		v, err := metaeval.SoftPairwiseAccuracy(human, p)
		if got := soft(r); err != nil || got[m.Name] != v {
			t.Errorf("%s: %v, want %v, %v", m.Name, got[m.Name], v, err)
		}
	}
}

// Scores of systems can have those of segments beside them, which soft pairwise accuracy is of.
func TestSegmentsBeside(t *testing.T) {
	people, ms := sample(5, 40, 3)
	r, err := Systems(ctx, people, ms, SystemOptions{Options: Options{NoTests: true}})
	if err != nil {
		t.Fatal(err)
	}
	want := values(r)
	people.Systems = metaeval.NewScores(people.Scores.Systems, []string{""})
	copy(people.Systems.Values, people.Scores.SystemMeans())
	var beside []Candidate
	for _, m := range ms {
		of := metaeval.NewScores(m.Scores.Systems, []string{""})
		copy(of.Values, m.Scores.SystemMeans())
		beside = append(beside, Candidate{metaeval.Metric{Name: m.Name, Scores: of, LowerIsBetter: m.LowerIsBetter}, true, m.Scores})
	}
	beside = append(beside, Candidate{metaeval.Metric{Name: "alone", Scores: people.Systems}, true, nil})
	r, err = Systems(ctx, people, beside, SystemOptions{Options: Options{Samples: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	got := values(r)
	if v, ok := got["alone"]["soft_pairwise_accuracy"]; ok {
		t.Errorf("of a metric without segments: %v", v)
	}
	delete(got, "alone")
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if !slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Text == "no soft pairwise accuracy of alone: no scores of segments" }) {
		t.Errorf("%v", r.Warnings)
	}
	beside[0].SystemsOnly = false
	if _, err := Systems(ctx, people, beside, SystemOptions{}); err == nil || !strings.Contains(err.Error(), "has scores of segments twice") {
		t.Error(err)
	}
	// A system that is left out is left out of both.
	beside[0].SystemsOnly = true
	if r, err = Systems(ctx, people, beside, SystemOptions{Options: Options{NoTests: true, Exclude: func(s string) bool { return s == people.Scores.Systems[1] }}}); err != nil || len(r.Systems) != 4 || len(soft(r)) != len(ms) {
		t.Errorf("%v, %+v", err, r)
	}
}

// How probable a correlation is by chance is that of metaeval, and groups are counted.
func TestValuesBeside(t *testing.T) {
	people, ms := sample(5, 30, 4)
	r, err := Systems(ctx, people, ms, SystemOptions{Options: Options{NoTests: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Metrics {
		x := metaeval.Oriented(m.Systems, m.LowerIsBetter)
		pearson, err1 := metaeval.PearsonTest(r.Human, x)
		kendall, err2 := metaeval.KendallTest(r.Human, x, metaeval.KendallAuto)
		if err1 != nil || err2 != nil || *m.Values["pearson"].P != pearson.P || *m.Values["tau_c"].P != kendall.P || m.Values["pairwise_accuracy"].P != nil {
			t.Errorf("%s: %+v, want %v and %v", m.Name, m.Values, pearson, kendall)
		}
	}
	for i := range 7 { // on which no correlation exists
		for k := range people.Scores.Systems {
			people.Scores.Set(k, i, 50)
		}
	}
	r, err = Segments(ctx, people, ms, SegmentOptions{Options: Options{NoTests: true}, Grouping: metaeval.ByItem})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Metrics {
		if v := m.Values["pearson"]; v.Groups+v.Undefined != 30 || v.Undefined < 7 || m.Values["acc_eq_0"].Groups != 30 || m.TauEpsilon == nil {
			t.Errorf("%s: %+v, %+v", m.Name, v, m.Values["acc_eq_0"])
		}
	}
}

// tau_eq is 2·acc_eq − 1, whatever the groups.
func TestTauEq(t *testing.T) {
	people, ms := sample(4, 12, 5)
	for _, g := range []metaeval.Grouping{metaeval.NoGrouping, metaeval.ByItem, metaeval.BySystem} {
		r, err := Segments(ctx, people, ms, SegmentOptions{Options: Options{NoTests: true}, Grouping: g})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Metrics {
			if acc, tau := m.Values["acc_eq"], m.Values["tau_eq"]; math.Abs(tau.Value-(2*acc.Value-1)) > 1e-12 {
				t.Errorf("%v: %s: acc_eq %v, tau_eq %v", g, m.Name, acc.Value, tau.Value)
			}
		}
	}
}

// There is room for one calibration at least, however large, and for no more than fit.
func TestRoom(t *testing.T) {
	var r room
	r.take(2 * mostAccPairs)
	began, done := make(chan bool), make(chan bool)
	go func() {
		close(began)
		r.take(mostAccPairs)
		r.take(0)
		close(done)
	}()
	<-began
	select {
	case <-done:
		t.Error("it did not wait")
	default:
	}
	r.giveBack(2 * mostAccPairs)
	<-done
	if r.pairs != mostAccPairs {
		t.Error(r.pairs)
	}
}
