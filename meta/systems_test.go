package meta

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// mean and pearson as they are written down, for what has no missing scores.
func mean(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

func plainPearson(x, y []float64) float64 {
	var xy, xx, yy float64
	mx, my := mean(x), mean(y)
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}

// The figures of systems, by plain loops.
func TestSystemsPlain(t *testing.T) {
	people, ms := sample(6, 25, 9)
	r, err := Systems(ctx, people, ms, SystemOptions{Options: Options{NoTests: true}})
	if err != nil {
		t.Fatal(err)
	}
	means := func(s *metaeval.Scores) (out []float64) {
		for k := range s.Systems {
			out = append(out, mean(s.Values[k*25:(k+1)*25]))
		}
		return out
	}
	want := make(map[string]map[string]float64)
	h := means(people.Scores)
	for _, m := range ms {
		x := means(m.Scores)
		if m.LowerIsBetter {
			for k := range x {
				x[k] = -x[k]
			}
		}
		agree, pairs, order, tiesX, tiesH := 0.0, 0.0, 0.0, 0.0, 0.0
		for a := range x {
			for b := range a {
				pairs++
				if x[a] == x[b] {
					tiesX++
				}
				if h[a] == h[b] {
					tiesH++
				}
				if x[a] == x[b] && h[a] == h[b] {
					agree++
				}
				switch d := (x[a] - x[b]) * (h[a] - h[b]); {
				case d > 0:
					agree++
					order++
				case d < 0:
					order--
				}
			}
		}
		want[m.Name] = map[string]float64{"pearson": plainPearson(x, h), "kendall": order / math.Sqrt((pairs-tiesX)*(pairs-tiesH)), "pairwise_accuracy": agree / pairs}
	}
	got := values(r)
	for name := range got {
		for _, key := range []string{"spearman", "tau_c", "soft_pairwise_accuracy"} {
			if _, ok := got[name][key]; !ok {
				t.Errorf("no %s", key)
			}
			delete(got[name], key)
		}
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(h, r.Human, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Errorf("people (-want +got):\n%s", d)
	}
	for i, m := range r.Metrics[1:] {
		if m.Values["pearson"].Value > r.Metrics[i].Values["pearson"].Value {
			t.Errorf("%s comes after one that agrees less", m.Name)
		}
	}
}

// Means are over what people judged, of each system, and of all metrics and people alike.
func TestSystemsJudged(t *testing.T) {
	for _, tt := range []struct {
		name          string
		people        *metaeval.Scores
		metric        *metaeval.Scores
		beside        *metaeval.Scores
		besideSystems bool
		human         []float64
		note          string
	}{
		{"more than judged", table(row{"a", []float64{1, 2}}, row{"b", []float64{2, 3}}, row{"c", []float64{3, 5}}),
			table(row{"a", []float64{1, 2, 9, 9}}, row{"b", []float64{2, 3, 5, 5}}, row{"c", []float64{3, 5, 0, 0}}), nil, false,
			[]float64{1.5, 2.5, 4}, "people did not judge (m 6)"},
		{"beside one that has the judged only", table(row{"a", []float64{1, 2}}, row{"b", []float64{2, 3}}, row{"c", []float64{3, 5}}),
			table(row{"a", []float64{1, 2, 9, 9}}, row{"b", []float64{2, 3, 5, 5}}, row{"c", []float64{3, 5, 0, 0}}),
			table(row{"a", []float64{1, 2}}, row{"b", []float64{2, 3}}, row{"c", []float64{3, 5}}), false,
			[]float64{1.5, 2.5, 4}, "people did not judge (m 6)"},
		{"beside scores of systems", table(row{"a", []float64{1, 2}}, row{"b", []float64{2, 3}}, row{"c", []float64{3, 5}}),
			table(row{"a", []float64{1, 2, 9, 9}}, row{"b", []float64{2, 3, 5, 5}}, row{"c", []float64{3, 5, 0, 0}}), ofSystems(1, 2, 3), true,
			[]float64{1.5, 2.5, 4}, "people did not judge (m 6)"},
		{"the judged", table(row{"a", []float64{1, 2}}, row{"b", []float64{2, 3}}, row{"c", []float64{3, 5}}),
			table(row{"a", []float64{1, 2}}, row{"b", []float64{2, 3}}, row{"c", []float64{3, 5}}), nil, false,
			[]float64{1.5, 2.5, 4}, ""},
		{"judged here and there", table(row{"a", []float64{1, 2, nan, nan}}, row{"b", []float64{nan, 3, 5, nan}}, row{"c", []float64{nan, nan, nan, 6}}),
			table(row{"a", []float64{1, 2, 9, 9}}, row{"b", []float64{9, 3, 5, 9}}, row{"c", []float64{0, 0, 0, 6}}), nil, false,
			[]float64{1.5, 4, 6}, "people did not judge (m 7)"},
		{"a judged one lacks", table(row{"a", []float64{1, 2, nan, nan}}, row{"b", []float64{nan, 3, 5, nan}}, row{"c", []float64{nan, nan, nan, 6}}),
			table(row{"a", []float64{nan, 2, 9}}, row{"b", []float64{9, 3, 5}}, row{"c", []float64{0, nan, nan, 6}}), nil, false,
			[]float64{2, 4, 6}, "1 of 5 outputs have no score by some metric (m 1)"},
		{"other outputs of d", table(row{"a", []float64{1, 2}}, row{"b", []float64{2, 3}}, row{"c", []float64{3, 5}}, row{"d", []float64{0, 0}}),
			table(row{"a", []float64{1, 2, 9}}, row{"b", []float64{2, 3, 5}}, row{"c", []float64{3, 5, 0}}, row{"d", []float64{nan, nan, 9}}), nil, false,
			[]float64{1.5, 2.5, 4}, "d: people judged no output that all metrics have a score of, left out"},
	} {
		ms := []Candidate{metric("m", tt.metric)}
		if tt.beside != nil {
			ms = append(ms, metric("beside", tt.beside))
			ms[1].SystemsOnly = tt.besideSystems
		}
		r, err := Systems(ctx, People{Scores: tt.people}, ms, SystemOptions{Options: Options{NoTests: true}})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d := cmp.Diff(tt.human, r.Human); d != "" {
			t.Errorf("%s: people (-want +got):\n%s", tt.name, d)
		}
		m := r.metric(t, "m")
		if d := cmp.Diff(tt.human, m.Systems); d != "" || math.Abs(m.Values["pearson"].Value-1) > 1e-12 {
			t.Errorf("%s: Pearson %v, metric (-want +got):\n%s", tt.name, m.Values["pearson"], d)
		}
		if tt.note == "" && len(r.Warnings) > 0 || tt.note != "" && !strings.Contains(r.Warnings[0].Text, tt.note) {
			t.Errorf("%s: %v, want %q", tt.name, r.Warnings, tt.note)
		}
	}
}

// By hand: a beats b in three of four pairs that are not ties, and b beats c in all.
func TestSystemsByPairs(t *testing.T) {
	p := &human.Pairs{Systems: []string{"a", "b", "c"}, Items: []string{"1"}, Pairs: []metaeval.Pair{
		{A: 0, B: 1, Human: 1}, {A: 0, B: 1, Human: 1}, {A: 0, B: 1, Human: 1}, {A: 1, B: 0, Human: 1}, {A: 1, B: 0}, {A: 2, B: 1, Human: -1},
	}}
	m := metric("m", ofSystems(3, 2, 1))
	m.SystemsOnly = true
	r, err := Systems(ctx, People{Pairs: p}, []Candidate{m}, SystemOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]float64{.75, (.25 + 1) / 2, 0}, r.Human, cmpopts.EquateApprox(0, 1e-15)); d != "" || r.Pairs != nil {
		t.Errorf("%v (-want +got):\n%s", r.Pairs, d)
	}
	if a := r.Metrics[0].Accuracy; *a != (metaeval.PairAccuracy{Agree: 3, Pairs: 3}) {
		t.Error(a)
	}
	if s := r.Signature.String(); !strings.HasPrefix(s, "level:system|interval:boot-systems|test:williams|samples:1000|seed:12345|correction:holm|alpha:0.05|version:") {
		t.Error(s)
	}
}

// A metric that says nothing comes last, and is in no cluster; the others are as they are
// without it.
func TestConstant(t *testing.T) {
	people, ms := sample(5, 30, 7)
	same := metric("same", metaeval.NewScores(people.Scores.Systems, people.Scores.Items))
	clear(same.Scores.Values)
	o := Options{Samples: 100}
	for level, judge := range map[string]func(ms []Candidate) (*Result, error){
		"systems": func(ms []Candidate) (*Result, error) { return Systems(ctx, people, ms, SystemOptions{Options: o}) },
		"segments": func(ms []Candidate) (*Result, error) {
			return Segments(ctx, people, ms, SegmentOptions{Options: o, Forms: []metaeval.KendallForm{metaeval.Table4a()}})
		},
	} {
		got, err := judge(append([]Candidate{same}, ms...))
		if err != nil {
			t.Fatal(level, err)
		}
		last := got.Metrics[len(got.Metrics)-1]
		if last.Name != "same" || last.Values["pearson"] != nil || last.Values["kendall_4a"] != nil {
			t.Errorf("%s: %+v", level, got.Metrics)
		}
		for _, c := range got.Comparisons {
			if c.X == "same" || c.Y == "same" {
				t.Errorf("%s: %+v", level, c)
			}
		}
		without, err := judge(ms)
		if err != nil {
			t.Fatal(level, err)
		}
		if d := cmp.Diff(without.Metrics, got.Metrics[:3]); d != "" {
			t.Errorf("%s (-without +with):\n%s", level, d)
		}
	}
}
