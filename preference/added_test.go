package preference_test

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/preference"
)

// sampleData are the texts of examples/data.
func sampleData(t testing.TB) ([][]string, []mteval.System) {
	t.Helper()
	refs, err := mteval.Segments(shareddata.ReadLines(t, "../examples/data/ref.de"))
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("../examples/data/sys/*.txt")
	if err != nil || len(paths) != 5 {
		t.Fatalf("%d systems, error %v", len(paths), err)
	}
	var systems []mteval.System
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		systems = append(systems, mteval.System{Name: name, Hyps: shareddata.ReadLines(t, path)})
	}
	return refs, systems
}

// judge are the probabilities that the embedded calibration has.
func judge(t testing.TB, refs [][]string, systems []mteval.System) ([]*preference.Evidence, *preference.Result) {
	t.Helper()
	evidence, err := collect(t.Context(), refs, systems)
	if err != nil {
		t.Fatal(err)
	}
	r, err := preference.Default().Judge(evidence)
	if err != nil {
		t.Fatal(err)
	}
	return evidence, r
}

// A system more changes what is said of the others only through difficulty, and by little: on the
// sample .0082 at most (on 14 judged sets .001 in the mean, and .06 at most). With equal outputs
// systems have ½.
func TestAddedSystem(t *testing.T) {
	refs, systems := sampleData(t)
	evidence, all := judge(t, refs, systems)
	most := 0.0
	for out := range systems {
		left := slices.Delete(slices.Clone(systems), out, out+1)
		e, r := judge(t, refs, left)
		for i := range left {
			for j := range left {
				a, b := i, j // among all
				if i >= out {
					a++
				}
				if j >= out {
					b++
				}
				for m, plain := range []bool{true, false, true} {
					if plain && e[m].Z[i][j] != evidence[m].Z[a][b] {
						t.Errorf("%s: z of %s and %s is %v, and %v without %s", e[m].Metric, left[i].Name, left[j].Name, evidence[m].Z[a][b], e[m].Z[i][j], systems[out].Name)
					}
				}
				most = max(most, math.Abs(r.P[i][j]-all.P[a][b]))
			}
		}
	}
	if most == 0 || most > .01 {
		t.Errorf("a system more changed probabilities by up to %v", most)
	}
	t.Logf("a system more changed probabilities by up to %.4f", most)

	same := append(slices.Clone(systems), mteval.System{Name: "same", Hyps: systems[2].Hyps})
	_, r := judge(t, refs, same)
	for k := range same {
		if r.P[5][2] != .5 || r.P[5][k] != r.P[2][k] {
			t.Errorf("equal outputs: %v and %v", r.P[2], r.P[5])
		}
	}
	// In another order, the same.
	turned := slices.Clone(systems)
	slices.Reverse(turned)
	_, r = judge(t, refs, turned)
	for a, row := range all.P {
		for b, p := range row {
			if other := r.P[4-a][4-b]; other != p {
				t.Errorf("P is %v, and %v with the systems in another order", p, other)
			}
		}
	}
}
