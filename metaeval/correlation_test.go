package metaeval

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"
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
		for name, f := range map[string]func(x, y []float64) (float64, error){"Pearson": Pearson, "Spearman": Spearman, "Kendall": Kendall} {
			got, err := f(tt.x, tt.y)
			if err == nil || got != 0 || errors.Is(err, ErrUndefined) != tt.undefined {
				t.Errorf("%s(%v, %v) = %v, %v", name, tt.x, tt.y, got, err)
			}
		}
	}
}

// Kendall by merging is Kendall by looking at all pairs.
func TestKendallAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		v := rapid.SliceOfN(rapid.IntRange(0, 5), 2*n, 2*n).Draw(t, "v")
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(v[i]), float64(v[n+i])
		}
		var s, nx, ny float64
		for i := range x {
			for j := range i {
				a, b := sign(x[i]-x[j]), sign(y[i]-y[j])
				s += a * b
				nx += a * a
				ny += b * b
			}
		}
		got, err := Kendall(x, y)
		if nx == 0 || ny == 0 {
			if !errors.Is(err, ErrUndefined) {
				t.Fatalf("%v, %v", got, err)
			}
			return
		}
		if want := s / math.Sqrt(nx*ny); err != nil || math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, %v; want %v", got, err, want)
		}
	})
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
