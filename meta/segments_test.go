package meta

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/metaeval"
)

// The figures of segments, by plain loops.
func TestSegmentsPlain(t *testing.T) {
	people, ms := sample(4, 30, 8)
	threshold := 12.
	r, err := Segments(ctx, people, ms, SegmentOptions{Options: Options{NoTests: true}, Threshold: &threshold, Grouping: metaeval.BySystem})
	if err != nil {
		t.Fatal(err)
	}
	h := people.Scores
	var ranked, ties int64
	type counts struct{ right, wrong, tie, both, loose float64 } // of the ranked; of people's ties
	of := make(map[string]*counts)
	for _, m := range ms {
		c := &counts{}
		of[m.Name] = c
		ranked, ties = 0, 0
		for i := range 30 {
			for a := range 4 {
				for b := range a {
					dh, dm := h.At(a, i)-h.At(b, i), m.Scores.At(a, i)-m.Scores.At(b, i)
					if m.LowerIsBetter {
						dm = -dm
					}
					switch {
					case math.Abs(dh) < threshold && dm == 0:
						ties++
						c.both++
					case math.Abs(dh) < threshold:
						ties++
						c.loose++
					case dm == 0:
						ranked++
						c.tie++
					case dh*dm > 0:
						ranked++
						c.right++
					default:
						ranked++
						c.wrong++
					}
				}
			}
		}
	}
	want := make(map[string]map[string]float64)
	for _, m := range ms {
		c := of[m.Name]
		five := (c.right - c.wrong + c.both) / float64(ranked+ties)
		if m.LowerIsBetter {
			five = -five
		}
		pearson := 0.0
		for k := range 4 {
			p := plainPearson(m.Scores.Values[k*30:(k+1)*30], h.Values[k*30:(k+1)*30])
			if m.LowerIsBetter {
				p = -p
			}
			pearson += p / 4
		}
		want[m.Name] = map[string]float64{
			"kendall_4a": (c.right - c.wrong) / (c.right + c.wrong), "kendall_4b": (c.right - c.wrong) / float64(ranked),
			"kendall_4c": (c.right - c.wrong - c.tie) / float64(ranked), "kendall_5": five, "pearson": pearson,
		}
	}
	got := values(r)
	for _, v := range got {
		for _, key := range []string{"acc_eq", "tau_eq", "acc_eq_0", "spearman", "kendall", "tau_c", "pairwise_difference_pearson"} {
			if _, ok := v[key]; !ok {
				t.Errorf("no %s", key)
			}
			delete(v, key)
		}
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(&PairCount{ranked, ties, &threshold}, r.Pairs); d != "" {
		t.Errorf("pairs (-want +got):\n%s", d)
	}
}

// Pairs that are made of scores, given as people's, say the same.
func TestSegmentsByPairs(t *testing.T) {
	people, ms := sample(5, 20, 10)
	threshold := 10.
	o := Options{Samples: 100}
	made, err := Segments(ctx, people, ms, SegmentOptions{Options: o, Threshold: &threshold})
	if err != nil {
		t.Fatal(err)
	}
	given, err := Segments(ctx, People{Pairs: pairs(t, people.Scores)}, ms, SegmentOptions{Options: o})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range given.Metrics {
		if m.Systems != nil || m.Epsilon != nil || len(m.Values) != 4 {
			t.Errorf("%+v", m)
		}
		for key, v := range m.Values {
			if d := cmp.Diff(made.Metrics[i].Values[key], v); d != "" {
				t.Errorf("%s %s (-of scores +given):\n%s", m.Name, key, d)
			}
		}
	}
	if given.Pairs.Ranked != made.Pairs.Ranked || given.Pairs.Ties != made.Pairs.Ties || given.Pairs.Threshold != nil || given.Human != nil {
		t.Errorf("%+v, %+v", made.Pairs, given.Pairs)
	}
	if d := cmp.Diff(given.Comparisons, made.Comparisons[:len(given.Comparisons)]); d != "" {
		t.Errorf("(-given +of scores):\n%s", d)
	}
	if s := given.Signature.String(); !strings.HasPrefix(s, "level:segment|interval:boot-items|test-kendall:boot-items|samples:100|") {
		t.Error(s)
	}
}

// The default threshold is WMT's, and a sweep has what each threshold has alone.
func TestSweep(t *testing.T) {
	people, ms := sample(4, 15, 11)
	forms := metaeval.KendallForms()[1:3]
	o := SegmentOptions{Options: Options{NoTests: true}, Forms: forms, Sweep: []float64{0, 25, 60}}
	r, err := Segments(ctx, people, ms, o)
	if err != nil {
		t.Fatal(err)
	}
	if *r.Pairs.Threshold != 25 || len(r.Sweep) != 3 {
		t.Fatalf("%+v, %d points", r.Pairs, len(r.Sweep))
	}
	for _, p := range r.Sweep {
		o.Threshold, o.Sweep = &p.Threshold, nil
		alone, err := Segments(ctx, people, ms, o)
		if err != nil {
			t.Fatal(err)
		}
		if p.Ranked != alone.Pairs.Ranked || p.Ties != alone.Pairs.Ties {
			t.Errorf("%+v, alone %+v", p, alone.Pairs)
		}
		for i, m := range alone.Metrics {
			for f, form := range forms {
				if v := m.Values["kendall_"+form.Name]; v.Value != *p.Metrics[i].Taus[f] {
					t.Errorf("%s at %v: %v, alone %v", m.Name, p.Threshold, *p.Metrics[i].Taus[f], v)
				}
			}
		}
	}
}

// acc_eq of many pairs is left out, and nothing else.
func TestTooManyPairs(t *testing.T) {
	people, m := metaeval.NewScores([]string{"a", "b"}, nil), metaeval.NewScores([]string{"a", "b"}, nil)
	for i := range 3000 {
		people.Items = append(people.Items, string(rune(0x4e00+i)))
	}
	m.Items = people.Items
	for k := range 2 {
		for i := range 3000 {
			people.Values = append(people.Values, float64((i*7+k*31)%101))
			m.Values = append(m.Values, float64((i*7+k*29)%97))
		}
	}
	r, err := Segments(ctx, People{Scores: people}, []Candidate{metric("m", m)}, SegmentOptions{Options: Options{NoTests: true}})
	if err != nil {
		t.Fatal(err)
	}
	v := r.Metrics[0].Values
	want := []Warning{{Kind: ManyPairs, Text: "no acc_eq: grouping none compares 17997000 pairs of scores, more than the 16777216 there is room for"}}
	if d := cmp.Diff(want, r.Warnings); d != "" || v["acc_eq"] != nil || v["pearson"] == nil {
		t.Errorf("%v, warnings (-want +got):\n%s", v, d)
	}
}
