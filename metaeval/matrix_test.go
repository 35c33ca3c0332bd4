package metaeval

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The figures that the paper works out, section 3.
func TestWorkedFigures(t *testing.T) {
	for _, tt := range []struct {
		what   string
		form   KendallForm
		counts Counts
		want   float64
	}{
		{"99 ties and 1 concordant", Table4a(), Counts{{1, 99, 0}}, 1},
		{"70 concordant and 30 discordant", Table4a(), Counts{{40, 0, 10}, {}, {20, 0, 30}}, .4},
		{"20 ties and 80 concordant", Table4b(), Counts{{50, 5, 0}, {}, {0, 15, 30}}, .8},
		{"80 ties and 20 concordant", Table4b(), Counts{{0, 30, 0}, {}, {0, 50, 20}}, .2},
	} {
		if got, err := tt.form.Tau(tt.counts, false); err != nil || got != tt.want {
			t.Errorf("%s: %v, %v, want %v", tt.what, got, err, tt.want)
		}
		// The same of an error metric.
		if got, err := tt.form.Tau(tt.counts.Negated(), true); err != nil || got != tt.want {
			t.Errorf("%s, an error metric: %v, %v, want %v", tt.what, got, err, tt.want)
		}
	}
}

// Every cell of Tables 4 and 5 as printed: 1, 0, -1, or X.
func TestCells(t *testing.T) {
	for _, tt := range []struct {
		form            KendallForm
		accuracy, error string
	}{
		{Table4a(), "1 X -1, X X X, -1 X 1", "-1 X 1, X X X, 1 X -1"},
		{Table4b(), "1 0 -1, X X X, -1 0 1", "-1 0 1, X X X, 1 0 -1"},
		{Table4c(), "1 -1 -1, X X X, -1 -1 1", "-1 -1 1, X X X, 1 -1 -1"},
		{Table5(), "1 0 -1, 0 1 0, -1 0 1", "1 0 -1, 0 -1 0, -1 0 1"},
	} {
		for _, lower := range []bool{false, true} {
			table := tt.accuracy
			if lower {
				table = tt.error
			}
			for h, row := range strings.Split(table, ", ") {
				for m, want := range strings.Fields(row) {
					var c Counts
					c[h][m] = 7
					got, err := tt.form.Tau(c, lower)
					switch want {
					case "X":
						if !errors.Is(err, ErrUndefined) || got != 0 {
							t.Errorf("%s, lower %v, cell %d %d: %v, %v", tt.form.Name, lower, h, m, got, err)
						}
					default:
						if value := map[string]float64{"1": 1, "0": 0, "-1": -1}[want]; err != nil || got != value {
							t.Errorf("%s, lower %v, cell %d %d: %v, %v, want %s", tt.form.Name, lower, h, m, got, err, want)
						}
					}
				}
			}
		}
	}
}

func drawCounts(t *rapid.T) Counts {
	var c Counts
	for h := range c {
		for m := range c[h] {
			c[h][m] = rapid.Int64Range(0, 1<<40).Draw(t, "count")
		}
	}
	return c
}

// A metric and its negation, given as an error metric, have opposite tau under Table 5,
// to the last bit, and the same one under Tables 4a to 4c.
func TestNegation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCounts(t)
		for _, f := range KendallForms() {
			up, err := f.Tau(c, false)
			down, errDown := f.Tau(c.Negated(), true)
			if err != nil || errDown != nil {
				if !errors.Is(err, ErrUndefined) || !errors.Is(errDown, ErrUndefined) {
					t.Fatal(err, errDown)
				}
				continue
			}
			if up < -1 || up > 1 {
				t.Fatalf("%s: %v", f.Name, up)
			}
			if f.Name == "5" {
				down = -down
			}
			if up != down {
				t.Fatalf("%s: %v, and %v negated", f.Name, up, down)
			}
		}
	})
}

func TestCountsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawCounts(t), drawCounts(t)
		sum := a.Plus(b)
		for h := range sum {
			for m := range sum[h] {
				if sum[h][m] != a[h][m]+b[h][m] {
					t.Fatalf("%v + %v = %v", a, b, sum)
				}
			}
		}
		if sum.Negated().Negated() != sum {
			t.Fatal("negated twice is another")
		}
	})
}

// Any matrix is a value: here one for mt-metrics-eval's KendallLike, for which people's
// ties disagree with everything (kendall-variants of the public cases), and one that
// gives half for a tie of the metric.
func TestOwnMatrix(t *testing.T) {
	human := scores([][]*float64{{ptr(0)}, {ptr(0)}, {ptr(1)}, {ptr(2)}, {ptr(2)}})
	metric := scores([][]*float64{{ptr(.3)}, {ptr(.5)}, {ptr(.5)}, {ptr(.5)}, {ptr(.9)}})
	r, err := DARR(human, 0, DARROptions{KeepTies: true})
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := CountPairs(r.Pairs, metric, 0)
	if err != nil {
		t.Fatal(err)
	}
	like := Table4c().Accuracy
	like[1] = [3]Cell{{-1, true}, {-1, true}, {-1, true}}
	if tau, err := like.Tau(c); err != nil || tau != 0 {
		t.Errorf("%v, %v, counts %v", tau, err, c)
	}
	half := Table4b().Accuracy
	half[0][1], half[2][1] = Cell{.5, true}, Cell{.5, true}
	untied := c[0][0] + c[0][1] + c[0][2] + c[2][0] + c[2][1] + c[2][2]
	want := (float64(c[0][0]+c[2][2]) + .5*float64(c[0][1]+c[2][1])) / float64(untied)
	if tau, err := half.Tau(c); err != nil || tau != want {
		t.Errorf("%v, %v, want %v", tau, err, want)
	}
	// The second of the case: 4 concordant and 1 discordant of 5 pairs at 25.
	human = scores([][]*float64{{ptr(10)}, {ptr(20)}, {ptr(50)}, {ptr(90)}})
	metric = scores([][]*float64{{ptr(.1)}, {ptr(.1)}, {ptr(.3)}, {ptr(.2)}})
	r, err = DARR(human, DARRThreshold, DARROptions{})
	if err != nil {
		t.Fatal(err)
	}
	if c, _, _ := CountPairs(r.Pairs, metric, 0); c != (Counts{{4, 0, 1}}) {
		t.Errorf("counts %v", c)
	}
}

func ptr(x float64) *float64 { return &x }

func TestMatrixErrors(t *testing.T) {
	m := Table4c().Accuracy
	for _, cell := range []Cell{{math.NaN(), true}, {math.Inf(1), true}, {1, false}} {
		bad := m
		bad[0][1] = cell
		if tau, err := bad.Tau(Counts{{1}}); err == nil || errors.Is(err, ErrUndefined) {
			t.Errorf("%v: %v, %v", cell, tau, err)
		}
	}
	if tau, err := m.Tau(Counts{{1, -1}}); err == nil {
		t.Errorf("a negative count: %v", tau)
	}
	if _, err := m.Tau(Counts{}); !errors.Is(err, ErrUndefined) {
		t.Errorf("no pairs: %v", err)
	}
	// Sums of counts near 2⁶³ do not wrap.
	if tau, err := m.Tau(Counts{{math.MaxInt64, 0, math.MaxInt64}, {}, {0, 0, math.MaxInt64}}); err != nil || math.Abs(tau-1./3) > 1e-15 {
		t.Errorf("%v, %v", tau, err)
	}
}

func TestCountPairs(t *testing.T) {
	s := scores([][]*float64{{ptr(1), ptr(3)}, {ptr(1.5), nil}, {ptr(1), ptr(2)}})
	pairs := []Pair{{0, 0, 1, 1}, {0, 0, 2, 1}, {0, 1, 2, 0}, {1, 0, 2, -1}, {1, 0, 1, 1}}
	for _, tt := range []struct {
		threshold float64
		want      Counts
	}{
		{0, Counts{{0, 0, 1}, {0, 0, 1}, {1, 1, 0}}},
		{.5, Counts{{0, 0, 1}, {0, 0, 1}, {1, 1, 0}}}, // a difference of .5 is not below .5
		{.75, Counts{{0, 0, 1}, {0, 1, 0}, {0, 2, 0}}},
		{2, Counts{{0, 1, 0}, {0, 1, 0}, {0, 2, 0}}},
	} {
		c, missing, err := CountPairs(pairs, s, tt.threshold)
		if err != nil || missing != 1 || c != tt.want {
			t.Errorf("%v: %v, %d missing, %v, want %v", tt.threshold, c, missing, err, tt.want)
		}
	}
	for _, threshold := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, _, err := CountPairs(pairs, s, threshold); err == nil {
			t.Errorf("threshold %v", threshold)
		}
	}
	for _, p := range []Pair{{-1, 0, 1, 0}, {2, 0, 1, 0}, {0, 3, 1, 0}, {0, 0, -1, 0}, {0, 0, 1, 2}, {0, 0, 1, -2}} {
		if _, _, err := CountPairs([]Pair{pairs[0], p}, s, 0); err == nil || !strings.HasPrefix(err.Error(), "pair 2: ") {
			t.Errorf("%v: error %v", p, err)
		}
	}
	s.Values = s.Values[1:]
	if _, _, err := CountPairs(pairs, s, 0); err == nil {
		t.Error("a value too few")
	}
}
