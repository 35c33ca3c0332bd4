package metaeval

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"
)

// The values of testdata/scipy.json are SciPy's: see scripts/record_scipy.py.
func TestSciPy(t *testing.T) {
	data, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var rec struct {
		Cases []struct {
			X, Y                       []float64
			Pearson, Spearman, Kendall float64
		}
	}
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	if len(rec.Cases) < 80 {
		t.Fatalf("%d cases", len(rec.Cases))
	}
	for i, c := range rec.Cases {
		for _, f := range []struct {
			name string
			f    func(x, y []float64) (float64, error)
			want float64
		}{{"Pearson", Pearson, c.Pearson}, {"Spearman", Spearman, c.Spearman}, {"Kendall", Kendall, c.Kendall}} {
			if got, err := f.f(c.X, c.Y); err != nil || math.Abs(got-f.want) > 1e-12 {
				t.Errorf("case %d, n = %d: %s = %v, %v; SciPy has %v", i, len(c.X), f.name, got, err, f.want)
			}
		}
	}
}

func TestUndefined(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		x, y      []float64
		undefined bool
	}{
		{[]float64{1, 1, 1}, []float64{1, 2, 3}, true},
		{[]float64{1, 2, 3}, []float64{.1, .1, .1}, true},
		{[]float64{1}, []float64{1}, true},
		{nil, nil, true},
		{[]float64{1, 2, nan}, []float64{1, 2, 3}, false},
		{[]float64{1, 2, 3}, []float64{inf, 2, 3}, false},
		{[]float64{1, 2}, []float64{1, 2, 3}, false},
	} {
		for name, f := range byName {
			got, err := f(tt.x, tt.y)
			if err == nil || got != 0 || errors.Is(err, ErrUndefined) != tt.undefined {
				t.Errorf("%s(%v, %v) = %v, %v", name, tt.x, tt.y, got, err)
			}
		}
	}
}

// Values that hardly differ, and values so large or small that squares vanish or
// overflow, correlate as any do.
func TestPearsonExtremes(t *testing.T) {
	next := math.Nextafter
	big := math.MaxFloat64
	for _, tt := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, 1},
		{[]float64{.1, .2, .7}, []float64{-.1, -.2, -.7}, -1},
		{[]float64{1, next(1, 2)}, []float64{0, 1}, 1},
		{[]float64{1e9, 1e9, 1e9 + 1}, []float64{0, 0, 1}, 1},
		{[]float64{-big, big}, []float64{-1, 1}, 1},
		{[]float64{-big, big, big}, []float64{big, -big, -big}, -1},
		{[]float64{0, 5e-324, 0}, []float64{1, 2, 1}, 1},
		{[]float64{1e-200, 2e-200, 3e-200, 4e-200}, []float64{1e200, 4e200, 2e200, 3e200}, .4},
		{[]float64{0, math.Copysign(0, -1), 1}, []float64{5, 5, 6}, 1},
	} {
		for _, f := range []Correlation{Pearson, Spearman} {
			if got, err := f(tt.x, tt.y); err != nil || math.Abs(got-tt.want) > 1e-15 {
				t.Errorf("%v, %v: %v, %v, want %v", tt.x, tt.y, got, err, tt.want)
			}
		}
	}
}
