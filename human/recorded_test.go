package human

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/mteval/mteval/metaeval"
)

// recorded is what other packages have: see scripts/record_human.py. Missing is null.
type recorded struct {
	Cohen []struct {
		A, B  []*float64
		Kappa [3]*float64
	}
	Fleiss []struct {
		Units [][]float64
		Kappa float64
	}
	Alpha []struct {
		Ratings [][]*float64
		Alpha   [4]float64
	}
	TrueSkill []struct {
		Systems   int
		Games     [][3]int
		Options   struct{ Mu, Sigma, Beta, Tau, Draw float64 }
		Mu, Sigma []float64
	}
	Tails [][6]float64 // t, e, v and w of a win, v and w of a draw
	TTest []struct {
		D       []float64
		P, Mean float64
	}
	DA struct {
		Judgements [][4]any
		Raw, Z     map[string]float64
	}
}

func readRecorded(t *testing.T) *recorded {
	data, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Cohen) < 50 || len(r.Fleiss) < 30 || len(r.Alpha) < 40 || len(r.TrueSkill) < 25 || len(r.TTest) < 30 {
		t.Fatal("too few recorded cases")
	}
	return &r
}

func values(v []*float64) []float64 {
	out := make([]float64, len(v))
	for i, p := range v {
		out[i] = math.NaN()
		if p != nil {
			out[i] = *p
		}
	}
	return out
}

func close12(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

// scikit-learn.
func TestCohenRecorded(t *testing.T) {
	for i, c := range readRecorded(t).Cohen {
		for w, want := range c.Kappa {
			got, err := CohenKappa(values(c.A), values(c.B), KappaWeights(w))
			if want == nil {
				if !errors.Is(err, metaeval.ErrUndefined) || got != 0 {
					t.Errorf("case %d, weights %d: %v, %v; want undefined", i, w, got, err)
				}
			} else if err != nil || !close12(got, *want) {
				t.Errorf("case %d, weights %d: %v, %v; scikit-learn has %v", i, w, got, err, *want)
			}
		}
	}
}

// statsmodels.
func TestFleissRecorded(t *testing.T) {
	for i, c := range readRecorded(t).Fleiss {
		if got, err := FleissKappa(c.Units); err != nil || !close12(got, c.Kappa) {
			t.Errorf("case %d: %v, %v; statsmodels has %v", i, got, err, c.Kappa)
		}
	}
}

// present returns the ratings of each unit without what is missing.
func present(ratings [][]*float64) [][]float64 {
	units := make([][]float64, len(ratings))
	for i, u := range ratings {
		for _, v := range u {
			if v != nil {
				units[i] = append(units[i], *v)
			}
		}
	}
	return units
}

// The package krippendorff.
func TestKrippendorffRecorded(t *testing.T) {
	for i, c := range readRecorded(t).Alpha {
		for level, want := range c.Alpha {
			if got, err := Krippendorff(present(c.Ratings), Measurement(level)); err != nil || !close12(got, want) {
				t.Errorf("case %d, level %d: %v, %v; krippendorff has %v", i, level, got, err, want)
			}
		}
	}
}

// The package trueskill, with SciPy's normal distribution.
func TestTrueSkillRecorded(t *testing.T) {
	for i, c := range readRecorded(t).TrueSkill {
		p := &Pairs{Systems: make([]string, c.Systems), Items: []string{"1"}}
		for _, g := range c.Games {
			p.Pairs = append(p.Pairs, metaeval.Pair{A: g[0], B: g[1], Human: int8(g[2])})
		}
		o := c.Options
		got, err := TrueSkill(p, TrueSkillOptions{Mu: o.Mu, Sigma: o.Sigma, Beta: o.Beta, Tau: o.Tau, DrawProbability: o.Draw})
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range got {
			if !close12(r.Mu, c.Mu[k]) || !close12(r.Sigma, c.Sigma[k]) {
				t.Errorf("case %d, system %d: %v; trueskill has %v, %v", i, k, r, c.Mu[k], c.Sigma[k])
			}
		}
	}
}

// mpmath, with 400 digits.
func TestTails(t *testing.T) {
	for _, c := range readRecorded(t).Tails {
		x, e := c[0], c[1]
		v, w := win(x - e)
		// t − e itself is rounded to 1e-14 or so, of which v and w get their share.
		if !near(v, c[2], 1e-12) || !near(w, c[3], 1e-12) {
			t.Errorf("win(%v − %v) = %v, %v; want %v, %v", x, e, v, w, c[2], c[3])
		}
		v, w = drawn(x, e)
		if !near(v, c[4], 1e-11) || math.Abs(w-c[5]) > 1e-7 {
			t.Errorf("drawn(%v, %v) = %v, %v; want %v, %v", x, e, v, w, c[4], c[5])
		}
	}
}

// near compares to a relative difference, and 1e-300 for numbers next to 0.
func near(a, b, within float64) bool { return math.Abs(a-b) <= within*math.Abs(b)+1e-300 }

// SciPy.
func TestPairedTRecorded(t *testing.T) {
	for i, c := range readRecorded(t).TTest {
		if mean, p := pairedT(c.D); !close12(mean, c.Mean) || math.Abs(p-c.P) > 1e-12 {
			t.Errorf("case %d, n = %d: mean %v, p %v; SciPy has %v, %v", i, len(c.D), mean, p, c.Mean, c.P)
		}
	}
}

// WMT21's way of scoring in pandas: standard deviations by judge, then segments' means,
// then systems'.
func TestDARecorded(t *testing.T) {
	rec := readRecorded(t).DA
	var js []Judgement
	for _, j := range rec.Judgements {
		js = append(js, Judgement{Judge: j[0].(string), System: j[1].(string), Item: j[2].(string), Score: j[3].(float64)})
	}
	z, dropped := Standardize(js)
	if len(dropped) != 1 || dropped[0].Name != "same" || dropped[0].Judgements != 25 {
		t.Errorf("dropped %+v", dropped)
	}
	kept, rejected := Filter(js, Quality{})
	if len(kept) != len(z) || len(rejected) != 1 || rejected[0].Reason != NoVariance {
		t.Errorf("%d kept, rejected %+v", len(kept), rejected)
	}
	for _, c := range []struct {
		js   []Judgement
		want map[string]float64
	}{{kept, rec.Raw}, {z, rec.Z}} {
		scores, n, err := Average(c.js)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, n := range n.Values {
			if n > 0 { // not NaN
				sum += n
			}
		}
		if sum != float64(len(kept)) {
			t.Errorf("%v judgements, want %d", sum, len(kept))
		}
		for k, got := range scores.SystemMeans() {
			if want := c.want[scores.Systems[k]]; !close12(got, want) {
				t.Errorf("%s: %v, pandas has %v", scores.Systems[k], got, want)
			}
		}
	}
}
