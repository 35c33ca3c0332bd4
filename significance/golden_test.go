package significance

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/mteval/mteval/metaeval"
)

// golden is testdata/tests.json, the values of SciPy, NumPy and statsmodels: see
// scripts/record_tests.py.
type golden struct {
	Signs     [][4]float64 // better, ties, worse, p
	Tails     [][3]float64 // df, t, p
	Dependent []struct {
		Rx, Ry, Rxy float64
		N           int
		Williams    [3]float64 // statistic, p, greater
	}
	Multiple []struct{ P, Holm []float64 }
	Pairwise []struct {
		Systems, Items int
		Scores         []*float64
		Seed           uint64
		Samples        int
		P              [][]float64
	}
	Bootstraps struct {
		Systems, Items int
		X, Y, Z, Apart []*float64
		Cases          []struct {
			Coefficient, Level, Sampling string
			Apart                        bool
			Seed                         uint64
			Values                       [][]float64 // null: undefined
		}
	}
	Permutations []struct {
		Systems, Items int
		X, Y, Z        []*float64
		Cases          []struct {
			Coefficient, Level, Swap string
			Samples                  int
			Seed                     uint64
			Differences              []float64
			Want                     Difference
		}
	}
}

func readGolden(t testing.TB) *golden {
	t.Helper()
	data, err := os.ReadFile("testdata/tests.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return &g
}

var (
	coefficients = map[string]Coefficient{"pearson": Pearson, "spearman": Spearman, "kendall": Kendall}
	levels       = map[string]Measure{
		"system": {}, "segment": {Segments: true}, "item": {Segments: true, Grouping: metaeval.ByItem}, "by system": {Segments: true, Grouping: metaeval.BySystem},
	}
	swaps     = map[string]Swap{"outputs": SwapOutputs, "items": SwapItems, "systems": SwapSystems}
	samplings = map[string]Sampling{"items": SampleItems, "systems": SampleSystems, "both": SampleBoth}
)

// numbered are scores of systems and items that have numbers for names; nil is missing.
func numbered(systems, items int, values []*float64) *metaeval.Scores {
	s := metaeval.NewScores(names(systems), names(items))
	for i, v := range values {
		if v != nil {
			s.Values[i] = *v
		}
	}
	return s
}

func names(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

func metric(name string, s *metaeval.Scores) metaeval.Metric {
	return metaeval.Metric{Name: name, Scores: s}
}

// near says whether a and b agree to 1e-12, of themselves where they are small.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) || math.Abs(a-b) < 1e-300 }

// at is a measure of the same level as another, with a coefficient.
func at(level Measure, c Coefficient) Measure {
	level.Coefficient = c
	return level
}
