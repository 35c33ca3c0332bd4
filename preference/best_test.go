package preference

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/shareddata"
)

// The strengths of another algorithm, by scripts/record_preference.py.
func TestBestRecorded(t *testing.T) {
	var want struct {
		Strengths []struct {
			P    [][]float64
			Best []float64
		}
	}
	shareddata.ReadJSON(t, "testdata/recorded.json", &want)
	if len(want.Strengths) != 5 {
		t.Errorf("%d cases", len(want.Strengths))
	}
	for _, c := range want.Strengths {
		r := &Result{Systems: systems(len(c.P)), P: c.P}
		for k, p := range r.Best() {
			if math.Abs(p-c.Best[k]) > 1e-9 {
				t.Errorf("%d systems: %d is the best with %v, want %v", len(c.P), k, p, c.Best[k])
			}
		}
	}
}

// Strengths are those of Bradley and Terry if Σ_b P(a,b) = Σ_b σ(θ_a − θ_b) for all a.
func TestStrengths(t *testing.T) {
	check := func(t *rapid.T, odds func() float64, most int) {
		n := rapid.IntRange(2, most).Draw(t, "systems")
		p := make([][]float64, n)
		for a := range p {
			p[a] = make([]float64, n)
			p[a][a] = .5
			for b := range a {
				p[a][b] = sigmoid(odds())
				p[b][a] = 1 - p[a][b]
			}
		}
		r := &Result{Systems: systems(n), P: p}
		order := r.Order()
		theta := strengths(p, order)
		for i, a := range order {
			left := 0.0
			for j, b := range order {
				if a != b {
					left += p[a][b] - sigmoid(theta[i]-theta[j])
				}
			}
			if math.Abs(left) > 1e-9 {
				t.Errorf("system %d: %v is left", a, left)
			}
		}
		best := r.Best()
		sum := 0.0
		for _, v := range best {
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 || slices.Min(best) < 0 {
			t.Errorf("best: %v, sum %v", best, sum)
		}
		if n == 2 && best[0] != p[0][1] {
			t.Errorf("best of two: %v, P is %v", best, p)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		odds := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.Float64Range(-60, 60), rapid.SampledFrom([]float64{0, -1000, 1000}))
		check(t, func() float64 { return odds.Draw(t, "odds") }, 8)
	})
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		spread := rapid.SampledFrom([]float64{1, 10, 1000}).Draw(t, "spread")
		check(t, func() float64 { return spread * r.NormFloat64() }, 40)
	})
}

// Log odds that are differences of strengths have these strengths, however far apart.
func TestStrengthsOfChain(t *testing.T) {
	for apart, n := range map[float64]int{.01: 100, .2: 100, 1: 30, 5: 20} {
		p := make([][]float64, n)
		for a := range p {
			for b := range n {
				p[a] = append(p[a], sigmoid(apart*float64(b-a)))
			}
		}
		r := &Result{Systems: systems(n), P: p}
		theta := strengths(p, r.Order())
		for i := range n - 1 {
			if d := theta[i] - theta[i+1]; math.Abs(d-apart) > 1e-6*apart {
				t.Errorf("%v apart: places %d and %d are %v", apart, i+1, i+2, d)
			}
		}
		if best, want := r.Best()[0], -math.Expm1(-apart)/-math.Expm1(-apart*float64(n)); math.Abs(best-want) > 1e-6 {
			t.Errorf("%v apart: the best is it with %v, want %v", apart, best, want)
		}
	}
}

// The steps get there for hundreds of systems, too, and for ones that are all told apart.
func TestStrengthsOfMany(t *testing.T) {
	for apart, n := range map[float64]int{.5: 300, 1000: 120} {
		p := make([][]float64, n)
		for a := range p {
			for b := range n {
				p[a] = append(p[a], sigmoid(apart*float64(b-a)))
			}
		}
		r := &Result{Systems: systems(n), P: p}
		theta := strengths(p, r.Order())
		for i := range n {
			left := 0.0
			for j := range n {
				if i != j {
					left += (1-drawn)*p[i][j] + drawn/2 - sigmoid(theta[i]-theta[j])
				}
			}
			if math.Abs(left) > 1e-9 {
				t.Fatalf("%v apart: %v is left of place %d", apart, left, i+1)
			}
		}
	}
}

func BenchmarkBest(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 100
	p := make([][]float64, n)
	for a := range p {
		p[a] = make([]float64, n)
		p[a][a] = .5
		for c := range a {
			p[a][c] = sigmoid(float64(a-c)/5 + r.NormFloat64())
			p[c][a] = 1 - p[a][c]
		}
	}
	result := &Result{Systems: systems(n), P: p}
	for b.Loop() {
		result.Best()
	}
}
