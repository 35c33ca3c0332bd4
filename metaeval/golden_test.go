package metaeval

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/internal/student"
)

// recorded is testdata/metaeval.json, of SciPy and of a plain reference in NumPy: see
// scripts/record_metaeval.py.
type recorded struct {
	Correlations []struct {
		X, Y               []float64
		TauA               float64 `json:"tau_a"`
		TauB               float64 `json:"tau_b"`
		TauC               float64 `json:"tau_c"`
		Pearson, Spearman  float64
		PearsonP           *float64 `json:"pearson_p"`
		SpearmanP          *float64 `json:"spearman_p"`
		KendallAuto        *float64 `json:"kendall_auto"`
		KendallExactValue  *float64 `json:"kendall_exact"`
		KendallNormalValue *float64 `json:"kendall_normal"`
	}
	Student []struct {
		N    int
		R, P float64
	}
	Tables   []table
	Outliers []struct {
		X        []float64
		Cutoff   float64
		Outliers []int
	}
}

type table struct {
	Human, Metric [][]*float64
	Same          [][]int
	Sweep         []struct {
		Threshold, Own                   float64
		Ranked, Ties, Identical, Missing int64
		Counts                           Counts
		Taus                             map[string]*float64
		TausLower                        map[string]*float64 `json:"taus_lower"`
	}
	SegmentLevel []struct {
		By, Correlation string
		Value           float64
		Groups, Missing int
		Undefined       []int
	} `json:"segment_level"`
	SystemLevel      map[string]float64 `json:"system_level"`
	PairwiseAccuracy [2]int64           `json:"pairwise_accuracy"`
	AccEq            []struct {
		By             string
		Epsilon, Value float64
	} `json:"acc_eq"`
	Calibrated []struct {
		By             string
		Value, Epsilon float64
	}
	PHuman  [][]float64 `json:"p_human"`
	PMetric [][]float64 `json:"p_metric"`
	Soft    float64     `json:"soft_pairwise_accuracy"`
}

func golden(t testing.TB) *recorded {
	t.Helper()
	data, err := os.ReadFile("testdata/metaeval.json")
	if err != nil {
		t.Fatal(err)
	}
	rec := new(recorded)
	if err := json.Unmarshal(data, rec); err != nil {
		t.Fatal(err)
	}
	return rec
}

// scores makes Scores of a table of numbers by system, null where one is missing.
func scores(values [][]*float64) *Scores {
	var systems, items []string
	for k := range values {
		systems = append(systems, "system "+strconv.Itoa(k))
	}
	for i := range values[0] {
		items = append(items, "item "+strconv.Itoa(i))
	}
	s := NewScores(systems, items)
	for k, row := range values {
		for i, v := range row {
			if v != nil {
				s.Set(k, i, *v)
			}
		}
	}
	return s
}

var (
	byName = map[string]Correlation{"pearson": Pearson, "spearman": Spearman, "kendall": Kendall, "kendall_a": KendallA, "kendall_c": KendallC}
	by     = map[string]Grouping{"none": NoGrouping, "item": ByItem, "system": BySystem}
	approx = cmpopts.EquateApprox(0, 1e-12)
)

func TestCorrelationsAndPValues(t *testing.T) {
	rec := golden(t)
	if len(rec.Correlations) < 120 {
		t.Fatalf("%d cases", len(rec.Correlations))
	}
	exact := 0
	for i, c := range rec.Correlations {
		for _, v := range []struct {
			name string
			f    Correlation
			want float64
		}{{"tau-a", KendallA, c.TauA}, {"tau-b", Kendall, c.TauB}, {"tau-c", KendallC, c.TauC}, {"Pearson", Pearson, c.Pearson}, {"Spearman", Spearman, c.Spearman}} {
			if got, err := v.f(c.X, c.Y); err != nil || math.Abs(got-v.want) > 1e-12 {
				t.Errorf("case %d, n = %d: %s = %v, %v; SciPy has %v", i, len(c.X), v.name, got, err, v.want)
			}
		}
		for _, v := range []struct {
			name string
			test func() (CorrelationTest, error)
			want *float64
		}{
			{"Kendall", func() (CorrelationTest, error) { return KendallTest(c.X, c.Y, KendallAuto) }, c.KendallAuto},
			{"Kendall, exact", func() (CorrelationTest, error) { return KendallTest(c.X, c.Y, KendallExact) }, c.KendallExactValue},
			{"Kendall, normal", func() (CorrelationTest, error) { return KendallTest(c.X, c.Y, KendallNormal) }, c.KendallNormalValue},
			{"Pearson", func() (CorrelationTest, error) { return PearsonTest(c.X, c.Y) }, c.PearsonP},
			{"Spearman", func() (CorrelationTest, error) { return SpearmanTest(c.X, c.Y) }, c.SpearmanP},
		} {
			got, err := v.test()
			if v.want == nil {
				// Not defined there: SciPy has NaN, or ties and no exact test.
				if err == nil && len(c.X) > 2 {
					t.Errorf("case %d, n = %d: p of %s = %v, SciPy has none", i, len(c.X), v.name, got.P)
				}
				continue
			}
			if v.name == "Kendall, exact" {
				exact++
			}
			tolerance := min(1e-12, 1e-9**v.want)
			if r := math.Abs(got.Correlation); r > 1-1e-12 && !strings.HasPrefix(v.name, "Kendall") {
				tolerance = 1e-7 // hangs on the last digits of the correlation
			} else if r > .999 {
				tolerance = 1e-12
			}
			if err != nil || math.Abs(got.P-*v.want) > tolerance {
				t.Errorf("case %d, n = %d: p of %s = %v, %v; SciPy has %v", i, len(c.X), v.name, got.P, err, *v.want)
			}
		}
	}
	if exact < 40 {
		t.Errorf("%d exact tests", exact)
	}
}

// Student's tail by itself, to 1e-12 of its value.
func TestStudent(t *testing.T) {
	for _, c := range golden(t).Student {
		if got := student.Correlation(c.R, c.N-2); math.Abs(got-c.P) > 1e-12*c.P {
			t.Errorf("n = %d, r = %v: %v, SciPy has %v", c.N, c.R, got, c.P)
		}
		if got, turned := student.Correlation(c.R, c.N-2), student.Correlation(-c.R, c.N-2); got != turned {
			t.Errorf("n = %d: %v for r = %v, %v for its negation", c.N, got, c.R, turned)
		}
	}
}

func TestTables(t *testing.T) {
	rec := golden(t)
	if len(rec.Tables) != 5 {
		t.Fatalf("%d tables", len(rec.Tables))
	}
	for n, tab := range rec.Tables {
		human, metric := scores(tab.Human), scores(tab.Metric)
		o := DARROptions{Identical: func(item, a, b int) bool { return tab.Same[item][a] == tab.Same[item][b] }}
		for _, lower := range []bool{false, true} {
			own := []float64{0, .1, .5}
			thresholds := []float64{0, 1, 5, 25, 50}
			points, err := Sweep(human, thresholds, []SweepMetric{{Metric{"m", metric, lower}, own}}, KendallForms(), o)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range tab.Sweep {
				p := points[i/len(own)]
				got := p.Metrics[i%len(own)]
				taus := make(map[string]*float64)
				for k, f := range KendallForms() {
					taus[f.Name] = got.Taus[k]
				}
				wantTaus := want.Taus
				if lower {
					wantTaus = want.TausLower
				}
				if p.Threshold != want.Threshold || got.Threshold != want.Own || p.Ranked != want.Ranked || p.Ties != want.Ties ||
					p.Identical != want.Identical || got.Missing != want.Missing || got.Counts != want.Counts || !cmp.Equal(taus, wantTaus, approx) {
					t.Errorf("table %d, lower %v: %+v, %+v, want %+v; taus (-want +got):\n%s", n, lower, p, got, want, cmp.Diff(wantTaus, taus, approx))
				}
			}
		}
		for _, want := range tab.SegmentLevel {
			a, err := SegmentLevel(human, Metric{Scores: metric}, by[want.By], byName[want.Correlation])
			if err != nil || math.Abs(a.Value-want.Value) > 1e-12 || a.Groups != want.Groups || a.Missing != want.Missing || !slices.Equal(a.Undefined, want.Undefined) {
				t.Errorf("table %d: %+v, %v, want %+v", n, a, err, want)
			}
			e, err := SegmentLevel(human, Metric{Scores: metric, LowerIsBetter: true}, by[want.By], byName[want.Correlation])
			if err != nil || math.Abs(a.Value+e.Value) > 1e-15 {
				t.Errorf("table %d: %+v as an error metric: %+v, %v", n, want, e, err)
			}
		}
		for name, want := range tab.SystemLevel {
			if a, err := SystemLevel(human, Metric{Scores: metric}, byName[name]); err != nil || math.Abs(a.Value-want) > 1e-12 {
				t.Errorf("table %d: %s %+v, %v, want %v", n, name, a, err, want)
			}
		}
		if got, err := PairwiseAccuracy(human, Metric{Scores: metric}, nil); err != nil || got != (PairAccuracy{tab.PairwiseAccuracy[0], tab.PairwiseAccuracy[1]}) {
			t.Errorf("table %d: pairwise accuracy %+v, %v, want %v", n, got, err, tab.PairwiseAccuracy)
		}
		for _, want := range tab.AccEq {
			if a, err := AccEq(human, Metric{Scores: metric}, by[want.By], want.Epsilon); err != nil || math.Abs(a.Value-want.Value) > 1e-12 {
				t.Errorf("table %d: acc_eq %+v, %v, want %+v", n, a, err, want)
			}
		}
		for _, want := range tab.Calibrated {
			epsilon, a, err := CalibrateTies(human, Metric{Scores: metric}, by[want.By])
			if err != nil || epsilon != want.Epsilon || math.Abs(a.Value-want.Value) > 1e-12 {
				t.Errorf("table %d: calibrated %v, %+v, %v, want %+v", n, epsilon, a, err, want)
			}
		}
		if got, err := SoftPairwiseAccuracy(tab.PHuman, tab.PMetric); err != nil || math.Abs(got-tab.Soft) > 1e-12 {
			t.Errorf("table %d: soft pairwise accuracy %v, %v, want %v", n, got, err, tab.Soft)
		}
	}
}

func TestOutliers(t *testing.T) {
	for _, c := range golden(t).Outliers {
		got, err := Outliers(c.X, c.Cutoff)
		if diff := cmp.Diff(c.Outliers, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%v beyond %v, %v (-want +got):\n%s", c.X, c.Cutoff, err, diff)
		}
	}
}
