package selection_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/selection"
)

func TestSumErrors(t *testing.T) {
	u := []float64{1, 2}
	for _, c := range []struct {
		terms []selection.Term
		want  string
	}{
		{nil, "nothing to add up"},
		{[]selection.Term{{Weight: -1, Utilities: u}}, "weight of -1"},
		{[]selection.Term{{Weight: math.NaN(), Utilities: u}}, "weight of NaN"},
		{[]selection.Term{{Weight: math.Inf(1), Utilities: u}}, "weight of +Inf"},
		{[]selection.Term{{Utilities: u}, {Utilities: u[:1]}}, "term 2 has 1 segments"},
		{[]selection.Term{{Utilities: []float64{math.NaN(), 1}}}, "segment 1"},
	} {
		if _, err := selection.Sum(c.terms...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want one with %q", c.terms, err, c.want)
		}
	}
}

// Whatever the texts and however few the systems, utilities are finite, within their range,
// and do not depend on the order of the systems.
func TestDiversityOfAnyTexts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(rt, "segments")
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab ä。\u00a0")), 0, 6, -1)
		var systems []mteval.System
		for k := range rapid.IntRange(1, 4).Draw(rt, "systems") {
			systems = append(systems, mteval.System{Name: string(rune('a' + k)), Hyps: rapid.SliceOfN(text, n, n).Draw(rt, "outputs")})
		}
		turned := append(append([]mteval.System{}, systems[1:]...), systems[0])
		for name, f := range map[string]func([]mteval.System) ([]float64, error){
			"words": func(s []mteval.System) ([]float64, error) { return selection.WordDiversity(t.Context(), s) },
			"chrF":  func(s []mteval.System) ([]float64, error) { return selection.Diversity(t.Context(), s, newChrF(t)) },
		} {
			u, err := f(systems)
			if err != nil || len(u) != n {
				rt.Fatal(name, u, err)
			}
			v, err := f(turned)
			if err != nil {
				rt.Fatal(name, err)
			}
			for i := range u {
				if !(u[i] <= 0 && u[i] >= -100-1e-9) || math.Abs(u[i]-v[i]) > 1e-9 {
					rt.Fatal(name, u, v)
				}
			}
		}
	})
}

// A system without a segment, and none, are errors.
func TestDiversityErrors(t *testing.T) {
	uneven := []mteval.System{{Name: "a", Hyps: []string{"x"}}, {Name: "b"}}
	for name, systems := range map[string][]mteval.System{"none": nil, "uneven": uneven} {
		if _, err := selection.WordDiversity(t.Context(), systems); err == nil {
			t.Errorf("words, %s: no error", name)
		}
		if _, err := selection.Diversity(t.Context(), systems, newChrF(t)); err == nil {
			t.Errorf("chrF, %s: no error", name)
		}
	}
	if _, err := selection.Diversity(t.Context(), uneven[:1], nil); err == nil {
		t.Error("no metric: no error")
	}
}
