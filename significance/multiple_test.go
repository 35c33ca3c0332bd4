package significance

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMultiple(t *testing.T) {
	for i, c := range readGolden(t).Multiple {
		got, err := Holm(c.P)
		if err != nil || len(got) != len(c.P) {
			t.Fatal(got, err)
		}
		for k := range got {
			if !near(got[k], c.Holm[k]) {
				t.Errorf("case %d: number %d is %v, statsmodels has %v", i, k, got[k], c.Holm[k])
			}
		}
	}
	for _, p := range [][]float64{{math.NaN()}, {.5, -1e-9}, {1.1}} {
		if got, err := Holm(p); err == nil {
			t.Errorf("Holm(%v) = %v", p, got)
		}
	}
}

// Adjusted p-values are no smaller, and in the same order.
func TestMultipleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		holm, err := Holm(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if !(p[i] <= holm[i] && holm[i] <= 1) {
				t.Fatalf("%v, %v", p[i], holm[i])
			}
			for j := range p {
				if p[i] <= p[j] && holm[i] > holm[j] {
					t.Fatalf("%v and %v become %v and %v", p[i], p[j], holm[i], holm[j])
				}
			}
		}
	})
}
