package compare_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// metric makes one of scores by system.
func metric(scores map[string][]float64) metaeval.Metric {
	systems := slices.Sorted(maps.Keys(scores))
	s := &metaeval.Scores{Systems: systems}
	for i := range scores[systems[0]] {
		s.Items = append(s.Items, fmt.Sprint(i+1))
	}
	for _, name := range systems {
		s.Values = append(s.Values, scores[name]...)
	}
	return metaeval.Metric{Name: "m", Scores: s}
}

func tables(t *testing.T) map[string]map[string][]float64 {
	t.Helper()
	var out map[string]map[string][]float64
	read(t, "testdata/scores.json", &out)
	return out
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func one(t testing.TB, m metaeval.Metric, o compare.Options) compare.Result {
	t.Helper()
	r, err := compare.Compare(t.Context(), []metaeval.Metric{m}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r[0]
}

// pair finds a pair by the names of its systems, and the sign of a's side.
func pair(t *testing.T, r compare.Result, a, b string) (compare.Pair, float64) {
	t.Helper()
	for _, p := range r.Pairs {
		switch x, y := r.Systems[p.A].Name, r.Systems[p.B].Name; {
		case x == a && y == b:
			return p, 1
		case x == b && y == a:
			return p, -1
		}
	}
	t.Fatalf("no pair of %s and %s", a, b)
	return compare.Pair{}, 0
}

// near is equal but for a part of the number.
func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// SciPy's tests, and comet-compare's, which is SciPy's on 32 bits.
func TestSciPy(t *testing.T) {
	var want []struct {
		Table, A, B              string
		T, P, T32, P32           float64
		Permutation              float64
	}
	read(t, "testdata/scipy.json", &want)
	scores := tables(t)
	results := make(map[string]compare.Result)
	for name := range scores {
		results[name] = one(t, metric(scores[name]), compare.Options{})
	}
	for _, w := range want {
		p, sign := pair(t, results[w.Table], w.A, w.B)
		what := fmt.Sprintf("%s: %s and %s", w.Table, w.A, w.B)
		near(t, what+": t", sign*p.T.T, w.T, 1e-11)
		near(t, what+": p of t", p.T.P.P, w.P, 1e-11)
		// 32 bits leave seven digits of scores, and fewer of differences.
		near(t, what+": comet-compare's t", sign*p.T.T, w.T32, 1e-4)
		near(t, what+": comet-compare's p", p.T.P.P, w.P32, 1e-3)
		if w.Table == "short" {
			near(t, what+": exact permutations", p.Randomization.P, w.Permutation, 1e-12)
			continue
		}
		// Five standard errors of both programs' samples.
		if far := 5 * math.Sqrt(w.Permutation*(1-w.Permutation)*(1./10000+1./200000)); math.Abs(p.Randomization.P-w.Permutation) > far+1e-4 {
			t.Errorf("%s: permutations: %v, want %v ± %v", what, p.Randomization.P, w.Permutation, far)
		}
	}
}

// mean is a metric whose texts are numbers and whose score is their mean.
type mean struct{}

func (mean) Info() mteval.Info                     { return mteval.Info{Name: "mean"} }
