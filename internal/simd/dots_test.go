package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every product equals Dot's to the last bit, for all shapes, and nothing is
// written beside the result.
func TestDots(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const guard = 12345
	for na := range 10 {
		for nb := range 6 {
			for _, dim := range []int{0, 1, 3, 8, 65} {
				a, b := make([]float32, na*dim), make([]float32, nb*dim)
				for i := range a {
					a[i] = rng.Float32() - .5
				}
				for i := range b {
					b[i] = rng.Float32() - .5
				}
				out := make([]float32, na*nb+4)
				for i := range out {
					out[i] = guard
				}
				Dots(out[:na*nb], a, b, na, nb, dim)
				for i := range na {
					for j := range nb {
						exact := 0.0
						for k := range dim {
							exact += float64(a[i*dim+k]) * float64(b[j*dim+k])
						}
						got := out[i*nb+j]
						if want := Dot(a[i*dim:(i+1)*dim], b[j*dim:(j+1)*dim]); got != want {
							t.Fatalf("%d×%d×%d: [%d,%d] = %v, Dot says %v", na, nb, dim, i, j, got, want)
						}
						if math.Abs(float64(got)-exact) > 1e-5 {
							t.Fatalf("%d×%d×%d: [%d,%d] = %v, in float64 %v", na, nb, dim, i, j, got, exact)
						}
					}
				}
				for _, x := range out[na*nb:] {
					if x != guard {
						t.Fatalf("%d×%d×%d: wrote past the end", na, nb, dim)
					}
				}
			}
		}
	}
}

func TestNormalize(t *testing.T) {
	v := []float32{3, 0, -4}
	Normalize(v)
	if v[0] != .6 || v[1] != 0 || v[2] != -.8 {
		t.Errorf("%v", v)
	}
	zero := []float32{0, 0}
	Normalize(zero)
	if zero[0] != 0 {
		t.Errorf("%v", zero)
	}
}

func BenchmarkDots(b *testing.B) {
	const n, dim = 24, 512
	x, out := make([]float32, n*dim), make([]float32, n*n)
	for i := range x {
		x[i] = float32(i%7) / 7
	}
	b.SetBytes(n * n * dim) // MB/s is millions of multiply-adds a second
	for b.Loop() {
		Dots(out, x, x, n, n, dim)
	}
}
