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
	Alpha []struct {
		Ratings [][]*float64
		Alpha   [4]float64
	}
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
	if len(r.Cohen) < 50 || len(r.Alpha) < 40 || len(r.TTest) < 30 {
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
