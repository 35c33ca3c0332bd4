package human_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/human"
)

func TestQuality(t *testing.T) {
	js, err := files.OpenJudgements(t.Context(), "../files/testdata/hits.csv", files.JudgementOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, judges := human.Filter(js, human.Quality{MaxP: 1e-9}) // which leaves out all
	if len(judges) != 3 {
		t.Fatalf("%+v", judges)
	}
	// ann's drops are 39, 44 and 28: t = 37 / (√(67) / √3) = 7.83 with two degrees of
	// freedom, p = (1 − t / √(2 + t²)) / 2.
	tt := 37 / math.Sqrt(67./3)
	ann := human.Judge{Name: "ann", Source: "xx", Target: "yy", Judgements: 8,
		Degraded: 3, Drop: 37, P: (1 - tt/math.Sqrt(2+tt*tt)) / 2}
	if d := cmp.Diff(human.Rejection{Judge: ann, Reason: human.UnnoticedDamage}, judges[0], cmpopts.EquateApprox(1e-12, 1e-12)); d != "" {
		t.Error(d)
	}
	reasons := func(q human.Quality) map[string]human.Reason {
		kept, rejected := human.Filter(js, q)
		out := make(map[string]human.Reason)
		n := len(kept)
		for _, r := range rejected {
			out[r.Name] = r.Reason
			n += r.Judgements
		}
		if n != len(js) {
			t.Errorf("%+v: %d judgements of %d", q, n, len(js))
		}
		return out
	}
	for _, c := range []struct {
		q    human.Quality
		want map[string]human.Reason
	}{
		{human.Quality{}, map[string]human.Reason{"bob": human.UnnoticedDamage, "eve": human.NoVariance}},
		{human.Quality{MaxP: .9}, map[string]human.Reason{"eve": human.NoVariance}},
		{human.Quality{IgnoreDegraded: true}, map[string]human.Reason{"eve": human.NoVariance}},
	} {
		if d := cmp.Diff(c.want, reasons(c.q)); d != "" {
			t.Errorf("%+v: %s", c.q, d)
		}
	}
	// A judge without degraded outputs among others who have them.
	for i, s := range []float64{10, 20, 30} {
		js = append(js, human.Judgement{Judge: "dan", Source: "xx", Target: "yy", System: "north.1", Item: fmt.Sprint(i), Score: s})
	}
	if d := cmp.Diff(map[string]human.Reason{"bob": human.UnnoticedDamage, "eve": human.NoVariance, "dan": human.NoDegraded}, reasons(human.Quality{})); d != "" {
		t.Error(d)
	}
	// In another language pair nobody has them.
	for i := range 3 {
		js[len(js)-1-i].Target = "zz"
	}
	if d := cmp.Diff(map[string]human.Reason{"bob": human.UnnoticedDamage, "eve": human.NoVariance}, reasons(human.Quality{})); d != "" {
		t.Error(d)
	}
}

func TestMQM(t *testing.T) {
	es, err := files.OpenMQM(t.Context(), "../files/testdata/mqm.tsv", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		weights human.MQMWeights
		want    []float64 // of the two segments of north, then of south
	}{
		// north: rater1 has 1 + 0.1 and rater2 nothing, then nothing. south: 25 from
		// both, then 5 + 5 + 0.
		{nil, []float64{.55, 0, 25, 10}},
		{human.MQMWeights{"Major": 10, "minor": 1, "NEUTRAL": .5, "no-error": 0, "major/Fluency": 2}, []float64{1, 0, 10, 12.5}},
	} {
		js, err := human.MQMJudgements(es, c.weights)
		if err != nil {
			t.Fatal(err)
		}
		scores, _, err := human.Average(js)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, scores.Values, cmpopts.EquateApprox(0, 1e-12)); d != "" {
			t.Error(d)
		}
	}
	es[3].Severity = "Critical"
	if _, err := human.MQMJudgements(es, nil); !errors.Is(err, human.ErrNoWeight) {
		t.Errorf("%v", err)
	}
	w := human.FreitagWeights()
	w["critical"] = 10
	if _, err := human.MQMJudgements(es, w); err != nil {
		t.Errorf("%v", err)
	}
	w["minor"] = math.NaN()
	if _, err := human.MQMJudgements(es, w); err == nil {
		t.Error("a weight of NaN: no error")
	}
	es[3].Severity = "Minor"
	es[3].Doc = "another"
	if _, err := human.MQMJudgements(es, nil); err == nil {
		t.Error("a segment number in two documents: no error")
	}
}
