package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// guard stands around every slice that tests hand out.
const guard = float32(-987654.25)

// memory hands out slices with guards at both ends, at all alignments.
type memory struct {
	rng *rand.Rand
	all [][]float32
}

func newMemory() *memory { return &memory{rng: rand.New(rand.NewPCG(1, 2))} }

// make is a slice of n guards.
func (m *memory) make(n int) []float32 {
	front := 8 + m.rng.IntN(17)
	s := make([]float32, front+n+24)
	for i := range s {
		s[i] = guard
	}
	m.all = append(m.all, s[:front], s[front+n:])
	return s[front : front+n : front+n]
}

// random is a slice of n numbers from −scale to scale.
func (m *memory) random(n int, scale float32) []float32 {
	s := m.make(n)
	for i := range s {
		s[i] = (2*m.rng.Float32() - 1) * scale
	}
	return s
}

// check fails if a number beside a slice was written, and forgets the slices.
func (m *memory) check(t *testing.T, format string, args ...any) {
	t.Helper()
	for _, s := range m.all {
		for _, x := range s {
			if x != guard {
				t.Fatalf("%s: wrote beside a slice", fmt.Sprintf(format, args...))
			}
		}
	}
	m.all = m.all[:0]
}

// strided is rows×cols numbers, ld apart, with guards between.
func (m *memory) strided(rows, cols, ld int) []float32 {
	n := 0
	if rows > 0 {
		n = (rows-1)*ld + cols
	}
	s := m.random(n, 1)
	for i := range s {
		if i%ld >= cols {
			s[i] = guard
		}
	}
	return s
}

// same tells whether two numbers have the same bits.
func same(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }

// scalar is a product in float64, and the product of the lengths.
func scalar(a, b []float32) (dot, lengths float64) {
	var aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		aa += x * x
		bb += y * y
	}
	return dot, math.Sqrt(aa * bb)
}

// Products are right for all dimensions and strides, and each has the bits of the
// same two vectors alone, in either order.
func TestDotsStrided(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		m := newMemory()
		dims := []int{384, 768, 1027, 4096}
		for d := range 71 {
			dims = append(dims, d)
		}
		for _, dim := range dims {
			for _, shape := range [][2]int{{0, 3}, {3, 0}, {1, 1}, {3, 4}, {4, 5}, {5, 6}, {7, 11}, {12, 3}} {
				na, nb := shape[0], shape[1]
				lda, ldb, ldo := dim+1+m.rng.IntN(3), dim+1+m.rng.IntN(3), nb+1+m.rng.IntN(3)
				a, b := m.strided(na, dim, lda), m.strided(nb, dim, ldb)
				out := m.strided(na, nb, ldo)
				DotsStrided(out, ldo, a, lda, na, b, ldb, nb, dim)
				for i := range na {
					for j := range nb {
						u, v := a[i*lda:i*lda+dim], b[j*ldb:j*ldb+dim]
						got := out[i*ldo+j]
						want, lengths := scalar(u, v)
						if math.Abs(float64(got)-want) > 1e-6*lengths {
							t.Fatalf("%d×%d×%d: [%d,%d] = %v, in float64 %v", na, nb, dim, i, j, got, want)
						}
						if x, y := Dot(u, v), Dot(v, u); !same(got, x) || !same(got, y) {
							t.Fatalf("%d×%d×%d: [%d,%d] = %v, alone %v and %v", na, nb, dim, i, j, got, x, y)
						}
					}
				}
				checkGaps(t, out, nb, ldo)
				m.check(t, "%d×%d×%d", na, nb, dim)
			}
		}
	})
}

func checkGaps(t *testing.T, s []float32, cols, ld int) {
	t.Helper()
	for i, x := range s {
		if i%ld >= cols && x != guard {
			t.Fatalf("wrote between rows of %d", cols)
		}
	}
}

// shapes of products: all small ones of one kind, and some from around the edges
// of blocks and tiles.
func shapes(short bool) [][3]int {
	var s [][3]int
	for i := range 71 {
		s = append(s, [3]int{i % 29, i, (i * 7) % 71}, [3]int{7, 33, i}, [3]int{i, 17, 5})
	}
	for m := range 27 {
		s = append(s, [3]int{m, 49, 9})
	}
	s = append(s, [3]int{blockRows - 1, 40, 30}, [3]int{blockRows + 1, 16, 385}, [3]int{5, 64, 769}, [3]int{13, 31, 1536}, [3]int{2*blockRows + 7, 15, 400},
		[3]int{24, 130, 2047}) // rows of a a multiple of 4 KB apart
	if !short {
		s = append(s, [3]int{200, 384, 1153})
	}
	return s
}

// blockRows is how many rows a block has where there are blocks.
const blockRows = 240

// Products are right for all shapes, and each number has the bits that it has
// where a is its row alone, and b its column alone.
func TestGemm(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		mem := newMemory()
		for _, s := range shapes(testing.Short()) {
			m, n, k := s[0], s[1], s[2]
			lda, ldb, ldc := k+1, k+2, n+3
			a, b := mem.strided(m, k, lda), mem.strided(n, k, ldb)
			var bias []float32
			if (m+n+k)%3 > 0 {
				bias = mem.random(n, 1)
			}
			c := mem.strided(m, n, ldc)
			p := new(Packed)
			p.SetColumns(b, ldb, k, n)
			if p.K() != k || p.N() != n {
				t.Fatalf("packed %d×%d as %d×%d", k, n, p.K(), p.N())
			}
			GemmStrided(c, ldc, a, lda, m, p, bias)
			for i := range m {
				row := a[i*lda : i*lda+k]
				for j := range n {
					want, lengths := scalar(row, b[j*ldb:j*ldb+k])
					if bias != nil {
						want += float64(bias[j])
						lengths++
					}
					if got := c[i*ldc+j]; math.Abs(float64(got)-want) > 1e-6*lengths {
						t.Fatalf("%d×%d×%d: [%d,%d] = %v, in float64 %v", m, n, k, i, j, got, want)
					}
				}
				if i%5 == 0 {
					alone := mem.make(n)
					Gemm(alone, row, 1, p, bias)
					for j := range n {
						if !same(alone[j], c[i*ldc+j]) {
							t.Fatalf("%d×%d×%d: row %d depends on the others", m, n, k, i)
						}
					}
				}
			}
			for j := 0; j < n; j += 7 {
				var one []float32
				if bias != nil {
					one = bias[j : j+1]
				}
				column := mem.make(m)
				q := Pack(b[j*ldb:j*ldb+k], k, 1)
				GemmStrided(column, 1, a, lda, m, q, one)
				for i := range m {
					if !same(column[i], c[i*ldc+j]) {
						t.Fatalf("%d×%d×%d: column %d depends on the others", m, n, k, j)
					}
				}
			}
			checkGaps(t, c, n, ldc)
			checkGaps(t, a, k, lda)
			mem.check(t, "%d×%d×%d", m, n, k)
		}
	})
}

// Rows and columns pack to the same, in memory used before too.
func TestPackAgain(t *testing.T) {
	mem := newMemory()
	p, q := Pack(mem.random(50*60, 1), 50, 60), new(Packed)
	for _, s := range [][2]int{{3, 70}, {20, 33}, {64, 16}, {1, 1}, {0, 5}, {5, 0}, {40, 17}} {
		k, n := s[0], s[1]
		columns := mem.random(n*k, 1)
		rows := mem.make(k*n + 5)
		for i := range k {
			for j := range n {
				rows[i*n+j] = columns[j*k+i]
			}
		}
		p.SetColumns(columns, k, k, n)
		q.SetRows(rows[:k*n], n, k, n)
		if len(p.data) != len(q.data) {
			t.Fatalf("%d×%d: %d and %d numbers", k, n, len(p.data), len(q.data))
		}
		for i := range p.data {
			if !same(p.data[i], q.data[i]) {
				t.Fatalf("%d×%d: differ at %d", k, n, i)
			}
		}
	}
}

// The columns that Fill adds are zeros, and change no others.
func TestFill(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		mem := newMemory()
		const m, k = 7, 21
		for _, n := range []int{1, 15, 16, 17, 40} {
			a, p := mem.random(m*k, 1), Pack(mem.random(n*k, 1), k, n)
			want := mem.make(m * n)
			Gemm(want, a, m, p, nil)
			p.Fill()
			if p.N()%16 != 0 || p.N() < n || p.N() > n+15 {
				t.Fatalf("%d columns are filled to %d", n, p.N())
			}
			got := mem.make(m * p.N())
			Gemm(got, a, m, p, nil)
			for i, x := range got {
				switch i, j := i/p.N(), i%p.N(); {
				case j >= n && x != 0, j < n && !same(x, want[i*n+j]):
					t.Fatalf("%d columns: [%d,%d] = %v", n, i, j, x)
				}
			}
		}
		mem.check(t, "filled")
	})
}

// A NaN or an infinity stays in its row.
func TestGemmNaN(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		mem := newMemory()
		const m, n, k = 13, 37, 21
		a, b, c := mem.random(m*k, 1), mem.random(n*k, 1), mem.make(m*n)
		a[4*k+20] = float32(math.NaN())
		a[7*k] = float32(math.Inf(1))
		Gemm(c, a, m, Pack(b, k, n), nil)
		for i := range m {
			for j := range n {
				x := float64(c[i*n+j])
				switch {
				case i == 4 && !math.IsNaN(x), i == 7 && !math.IsInf(x, 0), i != 4 && i != 7 && x-x != 0:
					t.Fatalf("[%d,%d] = %v", i, j, x)
				}
			}
		}
	})
}

func TestPanics(t *testing.T) {
	s := make([]float32, 12)
	p := Pack(s, 3, 4)
	for name, do := range map[string]func(){
		"out":          func() { Dots(s[:11], s, s, 3, 4, 1) },
		"a ":           func() { Dots(s, s[:5], s, 3, 4, 2) },
		"b ":           func() { Dots(s, s, s[:7], 3, 4, 2) },
		"-1 rows":      func() { Dots(s, s, s, -1, 4, 2) },
		"start 1":      func() { DotsStrided(s, 4, s, 1, 3, s, 2, 4, 2) },
		"too few":      func() { Pack(s, 4, 4) },
		"want 6":       func() { Gemm(s[:8], s[:7], 2, p, nil) },
		"c has":        func() { Gemm(s[:9], s[:6], 2, p, nil) },
		"bias":         func() { Gemm(s[:8], s[:6], 2, p, s[:3]) },
		"too few for ": func() { GemmStrided(s[:8], 5, s, 3, 2, p, nil) },
		"-2 rows":      func() { Gemm(nil, nil, -2, p, nil) },
		"gamma":        func() { LayerNorm(s, s, s[:2], s, 0) },
		"y has":        func() { Add(s, s[:3]) },
		"of none":      func() { MaxRow(nil) },
		"of 0 rows":    func() { MaxCols(s, make([]int32, 12), nil, 0) },
		"at has":       func() { MaxCols(s, make([]int32, 11), s, 1) },
		"out of range": func() { Dot(s, s[:11:11]) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, strings.TrimSpace(name)) {
					t.Errorf("%s", got)
				}
			}()
			do()
		})
	}
}

// BenchmarkGemm reports billions of additions and multiplications a second.
func BenchmarkGemm(b *testing.B) {
	for _, s := range [][3]int{{1024, 1536, 384}, {1024, 768, 768}, {192, 384, 1536}, {192, 384, 384}, {30, 64, 30}} {
		m, n, k := s[0], s[1], s[2]
		b.Run(fmt.Sprintf("M%d_K%d_N%d", m, k, n), func(b *testing.B) {
			mem := newMemory()
			a, c, bias := mem.random(m*k, 1), mem.make(m*n), mem.random(n, 1)
			p := Pack(mem.random(n*k, 1), k, n)
			for b.Loop() {
				Gemm(c, a, m, p, bias)
			}
			b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
		})
	}
}

func BenchmarkPack(b *testing.B) {
	s := newMemory().random(384*1536, 1)
	p := new(Packed)
	b.SetBytes(4 * 384 * 1536)
	for b.Loop() {
		p.SetColumns(s, 384, 384, 1536)
	}
}

// BenchmarkDotsOf is Dots at the sizes of sentences, and of heads of attention.
func BenchmarkDotsOf(b *testing.B) {
	for _, s := range [][3]int{{30, 30, 768}, {30, 30, 64}, {37, 41, 32}, {200, 200, 384}} {
		na, nb, dim := s[0], s[1], s[2]
		b.Run(fmt.Sprintf("%dx%dx%d", na, nb, dim), func(b *testing.B) {
			mem := newMemory()
			x, y, out := mem.random(na*dim, 1), mem.random(nb*dim, 1), mem.make(na*nb)
			for b.Loop() {
				Dots(out, x, y, na, nb, dim)
			}
			b.ReportMetric(float64(na)*float64(nb)*float64(dim)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Gmadd/s")
		})
	}
}
