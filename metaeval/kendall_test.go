package metaeval

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// allPairs counts orders by looking at all pairs.
func allPairs(x, y []float64) orders {
	c := orders{n: int64(len(x))}
	for i := range x {
		for j := range i {
			a, b := cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])
			if a == 0 && b == 0 {
				c.both++
			}
			if a*b < 0 {
				c.discordant++
			}
		}
	}
	runs := func(v []float64) (t ties) {
		n := make(map[float64]int64)
		for _, f := range v {
			n[f]++
		}
		for _, f := range slices.Sorted(slices.Values(v)) {
			if n[f] > 0 {
				t.add(n[f])
				n[f] = 0
			}
		}
		return t
	}
	c.x, c.y = runs(x), runs(y)
	return c
}

func TestKendallAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		v := rapid.SliceOfN(rapid.IntRange(0, 5), 2*n, 2*n).Draw(t, "v")
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(v[i]), float64(v[n+i])
		}
		want := allPairs(x, y)
		got, err := countOrders(x, y)
		if want.x.distinct == 1 || want.y.distinct == 1 {
			if !errors.Is(err, ErrUndefined) {
				t.Fatalf("%v, %v", got, err)
			}
			return
		}
		if err != nil || got != want {
			t.Fatalf("%+v, %v, want %+v", got, err, want)
		}
	})
}

// shapes are ways to draw values that take the sort through its parts: crowded values
// differ in their last bits only, wide ones in all.
var shapes = map[string]func(r *rand.Rand) float64{
	"few":     func(r *rand.Rand) float64 { return float64(r.IntN(4)) },
	"signed":  func(r *rand.Rand) float64 { return float64(r.IntN(200) - 100) },
	"normal":  func(r *rand.Rand) float64 { return r.NormFloat64() },
	"crowded": func(r *rand.Rand) float64 { return 1 + float64(r.IntN(1000))*0x1p-52 },
	"wide":    func(r *rand.Rand) float64 { return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000) },
	"zeros":   func(r *rand.Rand) float64 { return math.Copysign(float64(r.IntN(2))*5e-324, r.NormFloat64()) },
	"two crowds": func(r *rand.Rand) float64 {
		return math.Copysign(1e6+float64(r.IntN(50))*0x1p-32, float64(r.IntN(2))-.5)
	},
}

func TestKendallShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for nameX, drawX := range shapes {
		for nameY, drawY := range shapes {
			for _, n := range []int{2, 255, 256, 1500} {
				x, y := make([]float64, n), make([]float64, n)
				for i := range x {
					x[i], y[i] = drawX(r), drawY(r)
				}
				x[0], x[1], y[0], y[1] = 1, 2, 1, 2 // not constant
				want := allPairs(x, y)
				if got := countSorted(x, y); !equalOrders(got, want) {
					t.Errorf("%s and %s, n = %d: %+v, want %+v", nameX, nameY, n, got, want)
				}
				if got, ok, _ := countTable(x, y); ok && !equalOrders(got, want) {
					t.Errorf("%s and %s, n = %d, by table: %+v, want %+v", nameX, nameY, n, got, want)
				}
			}
		}
	}
}

// equalOrders lets the sums in float64 be added up in another order.
func equalOrders(a, b orders) bool {
	near := func(p, q *float64) bool {
		ok := math.Abs(*p-*q) <= 1e-12**q
		*p, *q = 0, 0
		return ok
	}
	return near(&a.x.cubic, &b.x.cubic) && near(&a.y.cubic, &b.y.cubic) && near(&a.x.linear, &b.x.linear) && near(&a.y.linear, &b.y.linear) && a == b
}

// Large inputs by each way: a table, sorted, and sorted with x and y changed places.
func TestKendallWays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = contingencyFrom + 1000
	draw := func(levels int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(r.IntN(levels))
		}
		return v
	}
	for _, levels := range [][2]int{{5, 7}, {fewValues, fewValues}, {fewValues + 1, 3}, {3, 5000}, {5000, 3}, {20000, 20000}} {
		x, y := draw(levels[0]), draw(levels[1])
		got, err := countOrders(x, y)
		if err != nil {
			t.Fatal(err)
		}
		want := countSorted(x, y)
		if !equalOrders(got, want) {
			t.Errorf("%v: %+v, want %+v", levels, got, want)
		}
		turned := countSorted(y, x)
		turned.x, turned.y = turned.y, turned.x
		if !equalOrders(turned, want) {
			t.Errorf("%v turned: %+v, want %+v", levels, turned, want)
		}
	}
}

// Counts whose products pass 2⁶³: of n(n − 1)/2 pairs n/2 are tied in x, and none is
// discordant, so tau-b is √(1 − 1/(n − 1)).
func TestKendallLarge(t *testing.T) {
	const n = 1 << 18
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = float64(i/2), float64(i)
	}
	all := float64(n) * (n - 1) / 2
	if all*all < 1<<63 {
		t.Fatal("too few")
	}
	if got, err := Kendall(x, y); err != nil || math.Abs(got-math.Sqrt(1-1./(n-1))) > 1e-15 {
		t.Errorf("tau-b %v, %v", got, err)
	}
	if got, err := KendallA(x, y); err != nil || math.Abs(got-(1-1./(n-1))) > 1e-15 {
		t.Errorf("tau-a %v, %v", got, err)
	}
	slices.Reverse(y)
	if got, err := Kendall(x, y); err != nil || math.Abs(got+math.Sqrt(1-1./(n-1))) > 1e-15 {
		t.Errorf("tau-b reversed %v, %v", got, err)
	}
	// Half are one value, half another: the cubic sums pass 2⁵³.
	for i := range x {
		x[i], y[i] = float64(2*i/n), float64(i%2)
	}
	if got, err := KendallTest(x, y, KendallAuto); err != nil || math.Abs(got.P-1) > 1e-12 || got.Correlation != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// All are symmetrical, change sign with either, and do not look at the values but their
// order.
func TestKendallProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 300).Draw(t, "n")
		x := rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, "x")
		y := rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, "y")
		for name, f := range byName {
			v, err := f(x, y)
			if err != nil {
				if !errors.Is(err, ErrUndefined) {
					t.Fatal(err)
				}
				continue
			}
			if v < -1 || v > 1 || math.IsNaN(v) {
				t.Fatalf("%s: %v", name, v)
			}
			minus := slices.Clone(y)
			for i := range minus {
				minus[i] = -minus[i]
			}
			turned, _ := f(y, x)
			negated, _ := f(x, minus)
			if math.Abs(turned-v) > 1e-14 || math.Abs(negated+v) > 1e-14 {
				t.Fatalf("%s: %v, %v turned, %v negated", name, v, turned, negated)
			}
		}
	})
}

func TestSortKeyed(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, draw := range shapes {
		for _, n := range []int{0, 1, 255, 256, 5000} {
			v := make([]keyed, n)
			for i := range v {
				v[i] = keyed{orderedKey(draw(r)), uint64(i)}
			}
			want := slices.Clone(v)
			slices.SortStableFunc(want, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
			got, other := sortKeyed(v, make([]keyed, n))
			if !slices.Equal(got, want) {
				t.Errorf("%s, %d: not sorted", name, n)
			}
			if n > 0 && &got[0] == &other[0] {
				t.Errorf("%s, %d: the two are one", name, n)
			}
		}
	}
}

func TestOrderedKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		if cmp.Compare(a, b) != cmp.Compare(orderedKey(a), orderedKey(b)) {
			t.Fatalf("%v and %v", a, b)
		}
	})
	if orderedKey(0) != orderedKey(math.Copysign(0, -1)) {
		t.Error("the zeros differ")
	}
}

func TestInversions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		v := rapid.SliceOf(rapid.Uint32Range(0, uint32(limit-1))).Draw(t, "v")
		want := int64(0)
		for i := range v {
			for j := range i {
				if v[j] > v[i] {
					want++
				}
			}
		}
		if got := inversions(slices.Clone(v), make([]uint32, len(v)), limit); got != want {
			t.Fatalf("%v: %d, want %d", v, got, want)
		}
	})
}

// What went wrong in public tools (../shared/cases, SciPy's and mt-metrics-eval's values).
func TestPublicCases(t *testing.T) {
	nan := math.NaN()
	t.Run("corr-constant", func(t *testing.T) {
		for name, f := range byName {
			if v, err := f([]float64{1, 1, 1}, []float64{1, 2, 3}); !errors.Is(err, ErrUndefined) {
				t.Errorf("%s: %v, %v", name, v, err)
			}
		}
	})
	t.Run("corr-nan-input", func(t *testing.T) {
		for name, f := range byName {
			if v, err := f([]float64{1, 2, nan}, []float64{1, 2, 3}); err == nil || errors.Is(err, ErrUndefined) {
				t.Errorf("%s: %v, %v", name, v, err)
			}
		}
	})
	t.Run("kendall-p-over-1", func(t *testing.T) {
		got, err := KendallTest([]float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{1, 2, 7, 8, 6, 5, 4, 3}, KendallExact)
		if err != nil || got != (CorrelationTest{0, 1}) {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("kendall-ties-p", func(t *testing.T) {
		x, y := []float64{1, 1, 2, 3, 3}, []float64{2, 1, 2, 3, 1}
		got, err := KendallTest(x, y, KendallNormal)
		if diff := gocmp.Diff(CorrelationTest{.25, .5800694105200285}, got, approx); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if c, err := KendallC(x, y); err != nil || math.Abs(c-.24) > 1e-12 {
			t.Errorf("tau-c %v, %v", c, err)
		}
		if got, err := KendallTest(x, y, KendallExact); err == nil {
			t.Errorf("an exact test of ties: %+v", got)
		}
	})
	t.Run("kendall-variants", func(t *testing.T) {
		gold, metric := []float64{0, 0, 1, 2, 2}, []float64{.3, .5, .5, .5, .9}
		if v, err := Kendall(gold, metric); err != nil || math.Abs(v-0.6681531047810609) > 1e-12 {
			t.Errorf("tau-b %v, %v", v, err)
		}
		if v, err := KendallC(gold, metric); err != nil || math.Abs(v-.6) > 1e-12 {
			t.Errorf("tau-c %v, %v", v, err)
		}
	})
}

// A p-value for any n: factorials of more than 170 are not float64.
func TestExactKendallP(t *testing.T) {
	for _, n := range []int{2, 3, 10, 170, 171, 172, 400} {
		all := n * (n - 1) / 2
		last := 0.0
		ks := []int{0, min(1, all/2), min(2, all/2), all / 4, max(0, all/2-1), all / 2}
		slices.Sort(ks)
		for _, k := range ks {
			p := exactKendallP(n, k)
			if !(p >= last && p <= 1) {
				t.Errorf("n = %d, %d discordant: %v after %v", n, k, p, last)
			}
			last = p
		}
		if last != 1 {
			t.Errorf("n = %d, as many discordant as can be: %v", n, last)
		}
	}
	if _, err := KendallTest([]float64{1, 2}, []float64{1, 2}, KendallMethod(7)); err == nil {
		t.Error("no such method")
	}
	if got, err := KendallTest([]float64{1, 2}, []float64{1, 2}, KendallNormal); err != nil || got.Correlation != 1 || !(got.P > 0 && got.P < 1) {
		t.Errorf("two pairs: %+v, %v", got, err)
	}
}
