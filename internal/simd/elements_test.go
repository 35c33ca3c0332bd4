package simd

import (
	"fmt"
	"math"
	"testing"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// lengths of rows: all small ones, and those of models.
func lengths() []int {
	n := []int{384, 512, 768, 1000, 1024, 1 << 14, 1<<14 + 5}
	for i := range 71 {
		n = append(n, i)
	}
	return n
}

func TestAdd(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		mem := newMemory()
		for _, n := range lengths() {
			x, y := mem.random(n, 1), mem.random(n, 1)
			if n > 2 {
				x[n-1], y[n-2] = nan, inf
			}
			want := append([]float32(nil), x...)
			Add(x, y)
			for i := range x {
				if w := want[i] + y[i]; x[i] != w && (w == w || x[i] == x[i]) {
					t.Fatalf("%d: [%d] = %v, want %v", n, i, x[i], w)
				}
			}
			mem.check(t, "%d", n)
		}
	})
}

func TestSoftmax(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		mem := newMemory()
		for _, n := range lengths() {
			for _, scale := range []float32{0, 1, 10, 300} {
				x := mem.random(n, scale)
				if n > 3 {
					x[n/2] = -inf
				}
				most := math.Inf(-1)
				for _, v := range x {
					most = max(most, float64(v))
				}
				want := make([]float64, n)
				sum := 0.0
				for i, v := range x {
					want[i] = math.Exp(float64(v) - most)
					sum += want[i]
				}
				Softmax(x, len(x), 1, len(x))
				for i, w := range want {
					w /= sum
					// An exponent of −d is rounded by d·6e-8.
					limit := 5e-7 * w * (1 - math.Log(w+1e-40)/4)
					if n > 1<<10 { // more than a row has; its sum is rounded more often
						limit *= 10
					}
					if d := math.Abs(float64(x[i]) - w); d > limit+1e-37 {
						t.Fatalf("%d numbers to %v: [%d] = %v, want %v", n, scale, i, x[i], w)
					}
				}
				if n > 3 && x[n/2] != 0 {
					t.Fatalf("%d: −Inf to %v", n, x[n/2])
				}
				mem.check(t, "%d", n)
			}
		}
		for _, n := range []int{1, 7, 8, 9, 33} {
			for name, set := range map[string]func(x []float32){
				"NaN first":  func(x []float32) { x[0] = nan },
				"NaN last":   func(x []float32) { x[n-1] = nan },
				"NaN before": func(x []float32) { x[0], x[n-1] = nan, 5 },
				"+Inf":       func(x []float32) { x[n/2] = inf },
				"all −Inf": func(x []float32) {
					for i := range x {
						x[i] = -inf
					}
				},
			} {
				if name == "NaN before" && n == 1 {
					continue
				}
				x := make([]float32, n)
				set(x)
				Softmax(x, len(x), 1, len(x))
				for i, v := range x {
					if v == v {
						t.Errorf("%s in %d numbers: [%d] = %v", name, n, i, v)
					}
				}
			}
		}
	})
}

func TestLayerNorm(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		mem := newMemory()
		for _, n := range lengths() {
			x, gamma, beta, out := mem.random(n, 2), mem.random(n, 1), mem.random(n, 1), mem.make(n)
			for i := range x {
				x[i]++
			}
			const eps = 1e-12
			mean, variance := 0.0, 0.0
			for _, v := range x {
				mean += float64(v) / float64(n)
			}
			for _, v := range x {
				variance += (float64(v) - mean) * (float64(v) - mean) / float64(n)
			}
			LayerNorm(out, x, gamma, beta, eps)
			if n > 1 { // one number has no variance but what rounding leaves
				for i, v := range x {
					d := (float64(v) - mean) / math.Sqrt(variance+eps)
					want := d*float64(gamma[i]) + float64(beta[i])
					// The mean is rounded too, by more than the variance if that is small.
					if math.Abs(float64(out[i])-want) > 1e-6*(1+math.Abs(d))+1e-6/math.Sqrt(variance) {
						t.Fatalf("%d: [%d] = %v, want %v", n, i, out[i], want)
					}
				}
			}
			LayerNorm(x, x, gamma, beta, eps)
			for i := range x {
				if !same(x[i], out[i]) {
					t.Fatalf("%d: in place [%d] = %v, not %v", n, i, x[i], out[i])
				}
			}
			mem.check(t, "%d", n)
		}
		x := []float32{3, 3, 3, 3, 3, 3, 3, 3, 3}
		one := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1}
		LayerNorm(x, x, one, one, 1e-12)
		for i, v := range x {
			if v != 1 {
				t.Errorf("constant row: [%d] = %v", i, v)
			}
		}
		x[4] = nan
		LayerNorm(x, x, one, one, 1e-12)
		for i, v := range x {
			if v == v {
				t.Errorf("NaN in the row: [%d] = %v", i, v)
			}
		}
	})
}

func TestGelu(t *testing.T) {
	for _, f := range []struct {
		name  string
		do    func(x []float32)
		exact func(x float64) float64
	}{
		{"erf", Gelu, func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) }},
		{"tanh", GeluTanh, func(x float64) float64 {
			return x / (1 + math.Exp(-2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			eachSet(t, func(t *testing.T) {
				worst := 0.0
				x := make([]float32, 1<<14)
				for from := float32(-16); from < 16; from++ {
					for i := range x {
						x[i] = from + float32(i)/float32(len(x))
					}
					y := append([]float32(nil), x...)
					f.do(y)
					for i, v := range x {
						want := f.exact(float64(v))
						// Beyond 1 the result itself has rounding errors of its size.
						e := math.Abs(float64(y[i])-want) / max(1, math.Abs(want))
						if worst = max(worst, e); e > 1e-7 {
							t.Fatalf("of %v is %v, want %v", v, y[i], want)
						}
					}
				}
				t.Logf("largest error %.2g", worst)

				mem := newMemory()
				for _, n := range lengths() {
					x := mem.random(n, 5)
					y := append([]float32(nil), x...)
					f.do(x)
					for i := range y {
						f.do(y[i : i+1])
						if !same(x[i], y[i]) {
							t.Fatalf("%d: [%d] = %v, alone %v", n, i, x[i], y[i])
						}
					}
					mem.check(t, "%d", n)
				}

				x = []float32{0, inf, -inf, nan, 1e38, -1e38, 1e-40, 100, -100}
				f.do(x)
				for i, want := range []float32{0, inf, 0, nan, 1e38, 0, 5e-41, 100, 0} {
					if got := x[i]; math.Abs(float64(got-want)) > 1e-44 && got != want || (got == got) != (want == want) {
						t.Errorf("number %d is %v, want %v", i, got, want)
					}
				}
			})
		})
	}
}

func TestMax(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		mem := newMemory()
		for cols := range 40 {
			for rows := 1; rows < 12; rows++ {
				x := mem.make(rows * cols)
				for i := range x { // few values, thus many ties
					x[i] = float32(mem.rng.IntN(6)) - 5
				}
				if cols > 0 && rows%3 == 0 {
					x[mem.rng.IntN(len(x))] = -inf
				}
				most := mem.make(cols)
				at := make([]int32, cols)
				MaxCols(most, at, x, rows)
				for j := range cols {
					column := make([]float32, rows)
					for i := range column {
						column[i] = x[i*cols+j]
					}
					v, k := maxRowPortable(column)
					if most[j] != v || int(at[j]) != k {
						t.Fatalf("%d×%d: column %d has %v at %d, want %v at %d", rows, cols, j, most[j], at[j], v, k)
					}
				}
				if cols > 0 {
					v, k := MaxRow(x[:cols])
					if w, l := maxRowPortable(x[:cols]); v != w || k != l {
						t.Fatalf("%d: %v at %d, want %v at %d", cols, v, k, w, l)
					}
				}
				mem.check(t, "%d×%d", rows, cols)
			}
		}
	})
}

func BenchmarkElements(b *testing.B) {
	const n = 384
	mem := newMemory()
	x, y, z, fixed := mem.random(n, 3), mem.random(n, 1), mem.random(n, 1), mem.random(n, 3)
	for _, f := range []struct {
		name string
		do   func()
	}{
		{"Softmax", func() { Softmax(x, len(x), 1, len(x)) }},
		{"LayerNorm", func() { LayerNorm(x, fixed, y, z, 1e-12) }},
		{"Gelu", func() { Gelu(x) }},
		{"GeluTanh", func() { GeluTanh(x) }},
		{"Add", func() { Add(x, y) }},
		{"MaxRow", func() { MaxRow(fixed) }},
	} {
		b.Run(f.name, func(b *testing.B) {
			for b.Loop() {
				copy(x, fixed)
				f.do()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/number")
		})
	}
	rows := mem.random(30*30, 1)
	b.Run("Softmax30x30", func(b *testing.B) {
		for b.Loop() {
			Softmax(rows, 30, 30, 30)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/900, "ns/number")
	})
	most, at := mem.make(30), make([]int32, 30)
	b.Run(fmt.Sprintf("MaxCols%dx%d", 30, 30), func(b *testing.B) {
		for b.Loop() {
			MaxCols(most, at, rows, 30)
		}
	})
}
