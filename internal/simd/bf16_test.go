package simd

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"unsafe"
)

// Rounding is to nearest even, of what is too small to zero, and NaN stays NaN. The bits are
// worked out by hand from the format: a sign, 8 bits of exponent, 7 of fraction.
func TestRoundBF16(t *testing.T) {
	tests := []struct{ x, want uint32 }{
		{0x00000000, 0x0000}, {0x80000000, 0x8000},
		{0x3f800000, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f808001, 0x3f81}, {0x3f818000, 0x3f82}, {0xbf817fff, 0xbf81},
		{0x7f7f7fff, 0x7f7f}, {0x7f7f8000, 0x7f80}, {0xff7fffff, 0xff80}, // to infinity
		{0x7f800000, 0x7f80}, {0xff800000, 0xff80},
		{0x7fc00000, 0x7fc0}, {0x7f800001, 0x7fc0}, {0xffffffff, 0xffff},
		{0x007fffff, 0x0000}, {0x807fffff, 0x8000}, {0x00000001, 0x0000}, {0x00800000, 0x0080}, {0x00808000, 0x0080},
	}
	eachBF16(t, func(t *testing.T) {
		for shift := range len(tests) { // each by kernels and as what is left
			x := make([]float32, 64+len(tests))
			for i := range x {
				x[i] = math.Float32frombits(tests[(i+shift)%len(tests)].x)
			}
			var r RowsBF16
			r.Set(x, 1, len(x))
			for i := range x {
				if got, want := r.at(0, i), tests[(i+shift)%len(tests)].want; got != want {
					t.Errorf("%08x at %d is %04x, want %04x", math.Float32bits(x[i]), i, got, want)
				}
			}
		}
	})
}

// words are numbers' memory as words.
func words(x []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// at is number i of a row, as its bits.
func (r *RowsBF16) at(row, i int) uint32 {
	pairs := (r.k + 1) / 2
	if wideBF16() {
		return math.Float32bits(r.wide[row*2*pairs+i]) >> 16
	}
	return r.pairs[row*pairs+i/2] >> (i % 2 * 16) & 0xffff
}

// fusedBF16 is a sum's next step in exact numbers: sum + x·y rounded to 24 bits, to nearest even,
// and to zero below the least exponent.
func fusedBF16(sum, x, y float32) float32 {
	if s := sum + x*y; s-s != 0 { // infinite, or will be: no exact number
		return s
	}
	exact := func(x float32) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(float64(x)) }
	total := exact(x)
	total.Mul(total, exact(y)).Add(total, exact(sum)).SetPrec(24)
	v, _ := total.Float32()
	if total.Sign() == 0 {
		return sum + x*y // the sign of a zero
	}
	if total.MantExp(nil) < -125 {
		return float32(math.Copysign(0, float64(v)))
	}
	return v
}

func wholeOrZero(x float32) float32 {
	if math.Abs(float64(x)) < 0x1p-126 {
		return float32(math.Copysign(0, float64(x)))
	}
	return x
}

// odd are numbers of sizes where sums and products are rounded, or are too small or too large.
func (m *memory) odd(n int) []float32 {
	s := m.random(n, 1)
	for i := range s {
		switch m.rng.IntN(8) {
		case 0:
			s[i] = 0
		case 1:
			s[i] = float32(math.Ldexp(float64(s[i]), -100+m.rng.IntN(140)))
		case 2:
			s[i] = float32(math.Ldexp(float64(s[i]), -63+m.rng.IntN(3)))
		case 3:
			s[i] = float32(math.Ldexp(float64(s[i]), -126-m.rng.IntN(24)))
		case 4:
			s[i] = -s[max(0, i-2)]
		}
	}
	return s
}

// Products are what exact numbers give, rounded after each of them, of all shapes, and to the
// same bits by every way to compute them but AMX, whose order of sums is its own.
func TestGemmBF16(t *testing.T) {
	eachBF16(t, func(t *testing.T) {
		want := productBF16
		if AMX() {
			want = productAMX
		}
		checkGemmBF16(t, want, func(c, a []float32, m, k int, b *PackedBF16, bias []float32) {
			var r RowsBF16
			r.Set(full(m*(k+1)), m, k+1) // what was there is gone
			r.Set(a, m, k)
			GemmBF16(c, &r, b, bias)
		})
	})
}

// full are n numbers that are not zero.
func full(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%7) - 3.5
	}
	return x
}

// checkGemmBF16 compares gemm's products, of m rows of k numbers, with those of want.
func checkGemmBF16(t *testing.T, want func(a, b, bias []float32, j int) float32, gemm func(c, a []float32, m, k int, b *PackedBF16, bias []float32)) {
	mem := newMemory()
	for _, s := range [][3]int{{0, 3, 2}, {2, 0, 3}, {2, 3, 0}, {1, 1, 1}, {1, 32, 2}, {2, 33, 3}, {3, 31, 5}, {5, 64, 8}, {11, 40, 9}, {12, 32, 6}, {13, 65, 7}, {17, 20, 64}, {3, 34, 769}, {200, 33, 4}, {33, 49, 70}, {16, 16, 31}} {
		m, n, k := s[0], s[1], s[2]
		a, b, bias, c := mem.odd(m*k), mem.odd(n*k), mem.odd(n), mem.random(m*n, 1)
		p := PackBF16(b, k, n)
		for _, bias := range [][]float32{nil, bias} {
			gemm(c, a, m, k, p, bias)
			for i := range m {
				for j := range n {
					got, want := c[i*n+j], want(a[i*k:(i+1)*k], b[j*k:(j+1)*k], bias, j)
					if !same(got, want) && (got == got || want == want) {
						t.Fatalf("%d×%d×%d: [%d,%d] = %v, want %v", m, n, k, i, j, got, want)
					}
				}
			}
			mem.checkOnly(t, "%d×%d×%d", m, n, k)
		}
		mem.check(t, "%d×%d×%d", m, n, k)
	}
}

// A sum is too small if it is so once it is rounded to 24 bits, whatever the exponent: below
// 2⁻¹²⁶ those are 2⁻¹⁵⁰ apart, so 2⁻¹⁵¹ below it is the middle, which goes up to the even one.
func TestSmallSumsBF16(t *testing.T) {
	const least = 0x1p-126
	eachBF16(t, func(t *testing.T) {
		if AMX() {
			return // TestSmallSumsAMX
		}
		for _, tt := range []struct{ x, y, want float32 }{
			{0x1p-75, 0x1p-75, least},
			{0x1p-75, -0x1p-76, least},
			{0x1.02p-75, -0x1p-76, 0},
			{0x1.8p-75, -0x1p-76, 0},
			{0x1p-75, -0x1p-75, 0},
			{0x1p-74, -0x1p-75, 0},
			{0x1p-63, -0x1p-63, 0},
			{-0x1.8p-63, 0x1p-63, float32(math.Copysign(0, -1))}, // -2⁻¹²⁷
			{-0x1p-62, 0x1p-63, -least},
		} {
			for _, small := range []bool{false, true} { // a whole panel, and less
				n := 32
				if small {
					n = 1
				}
				b, bias, c := make([]float32, 2*n), make([]float32, n), make([]float32, n)
				for i := range n {
					b[2*i], bias[i] = tt.y, least
				}
				var r RowsBF16
				r.Set([]float32{tt.x, 1}, 1, 2)
				GemmBF16(c, &r, PackBF16(b, 2, n), bias)
				if !same(c[0], tt.want) {
					t.Errorf("2⁻¹²⁶ + %x·%x = %x, want %x", tt.x, tt.y, c[0], tt.want)
				}
			}
		}
	})
}

// checkOnly is check without forgetting.
func (m *memory) checkOnly(t *testing.T, format string, args ...any) {
	t.Helper()
	all := m.all
	m.check(t, format, args...)
	m.all = all
}

func productBF16(a, b, bias []float32, j int) float32 {
	var sum float32
	if bias != nil {
		sum = wholeOrZero(bias[j])
	}
	for i := 0; i < len(a); i += 2 {
		sum = fusedBF16(sum, rounded(a, i+1), rounded(b, i+1))
		sum = fusedBF16(sum, rounded(a, i), rounded(b, i))
	}
	return sum
}

// rounded is number i, or the zero that is beside the last of an odd number.
func rounded(v []float32, i int) float32 {
	if i >= len(v) {
		return 0
	}
	return math.Float32frombits(bf16(v[i]) << 16)
}

func TestGemmBF16Panics(t *testing.T) {
	var r RowsBF16
	r.Set(make([]float32, 6), 2, 3)
	for name, do := range map[string]func(){
		"few columns":     func() { PackBF16(make([]float32, 5), 3, 2) },
		"few rows":        func() { new(RowsBF16).Set(make([]float32, 5), 2, 3) },
		"another k":       func() { GemmBF16(make([]float32, 4), &r, PackBF16(make([]float32, 8), 4, 2), nil) },
		"few results":     func() { GemmBF16(make([]float32, 3), &r, PackBF16(make([]float32, 6), 3, 2), nil) },
		"few of the bias": func() { GemmBF16(make([]float32, 4), &r, PackBF16(make([]float32, 6), 3, 2), make([]float32, 1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
}

// BenchmarkGemmBF16 has the matrices of a MiniLM, in both types.
func BenchmarkGemmBF16(b *testing.B) {
	mem := newMemory()
	for _, s := range [][3]int{{192, 1152, 384}, {192, 384, 1536}, {2048, 1536, 384}} {
		m, n, k := s[0], s[1], s[2]
		a, w, c := mem.random(m*k, 1), mem.random(n*k, 1), make([]float32, m*n)
		report := func(b *testing.B) {
			b.ReportMetric(float64(2*m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		}
		b.Run(fmt.Sprintf("%dx%dx%d/fp32", m, n, k), func(b *testing.B) {
			p := Pack(w, k, n)
			for b.Loop() {
				Gemm(c, a, m, p, nil)
			}
			report(b)
		})
		b.Run(fmt.Sprintf("%dx%dx%d/bf16", m, n, k), func(b *testing.B) {
			p := PackBF16(w, k, n)
			var r RowsBF16
			for b.Loop() {
				r.Set(a, m, k)
				GemmBF16(c, &r, p, nil)
			}
			report(b)
		})
	}
}
