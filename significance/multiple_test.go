package significance

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestMultiple(t *testing.T) {
	for i, c := range readGolden(t).Multiple {
		for name, f := range map[string]struct {
			adjust func([]float64) ([]float64, error)
			want   []float64
		}{"Holm": {Holm, c.Holm}, "BenjaminiHochberg": {BenjaminiHochberg, c.BH}} {
			got, err := f.adjust(c.P)
			if err != nil || len(got) != len(c.P) {
				t.Fatalf("%s: %v, %v", name, got, err)
			}
			for k := range got {
				if !near(got[k], f.want[k]) {
					t.Errorf("case %d, %s: number %d is %v, statsmodels has %v", i, name, k, got[k], f.want[k])
				}
			}
		}
	}
	for _, p := range [][]float64{{math.NaN()}, {.5, -1e-9}, {1.1}} {
		if got, err := Holm(p); err == nil {
			t.Errorf("Holm(%v) = %v", p, got)
		}
		if got, err := BenjaminiHochberg(p); err == nil {
			t.Errorf("BenjaminiHochberg(%v) = %v", p, got)
		}
	}
}

// Adjusted p-values are no smaller, Holm's no smaller than Benjamini and Hochberg's, and in
// the same order.
func TestMultipleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		holm, err := Holm(p)
		if err != nil {
			t.Fatal(err)
		}
		bh, err := BenjaminiHochberg(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if !(p[i] <= bh[i] && bh[i] <= holm[i] && holm[i] <= 1) {
				t.Fatalf("%v, %v, %v", p[i], bh[i], holm[i])
			}
			for j := range p {
				if p[i] <= p[j] && (holm[i] > holm[j] || bh[i] > bh[j]) {
					t.Fatalf("%v and %v become %v and %v, %v and %v", p[i], p[j], holm[i], holm[j], bh[i], bh[j])
				}
			}
		}
	})
}
