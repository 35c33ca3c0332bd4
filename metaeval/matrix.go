package metaeval

import (
	"fmt"
	"math"
)

// A Cell of a Matrix says what a pair that falls into it does to tau.
type Cell struct {
	// Add is what it adds to the numerator.
	Add float64
	// Counted says that it is part of the denominator. Add of a cell that is not
	// counted must be 0.
	Counted bool
}

// A Matrix says how tau comes from Counts (Macháček and Bojar 2014): [human][metric],
// where 0 is <, 1 is = and 2 is >, as the tables of the paper are printed. The metric
// is one of which more is better, unless the Matrix is said to be for errors.
type Matrix [3][3]Cell

// Counts of pairs, by what people and what a metric's scores say: [human][metric], where
// 0 is <, 1 is = and 2 is >. Counts of parts of a corpus add up.
type Counts [3][3]int64

// Plus returns the sum of c and d.
func (c Counts) Plus(d Counts) Counts {
	for h := range c {
		for m := range c[h] {
			c[h][m] += d[h][m]
		}
	}
	return c
}

// Negated returns the counts of the metric's negation.
func (c Counts) Negated() Counts {
	for h := range c {
		c[h][0], c[h][2] = c[h][2], c[h][0]
	}
	return c
}

// Oriented returns the counts of a metric of which more is better: c as they are, or those
// of an error metric's negation.
func (c Counts) Oriented(lowerIsBetter bool) Counts {
	if lowerIsBetter {
		return c.Negated()
	}
	return c
}

// Negated returns the matrix that gives a metric the tau that m gives its negation.
func (m Matrix) Negated() Matrix {
	for h := range m {
		m[h][0], m[h][2] = m[h][2], m[h][0]
	}
	return m
}

// Tau is the sum of what the pairs add, divided by the number of pairs that are counted
// (equations 1 and 2 of the paper, where the bars are sizes of sets, so that tau has a
// sign). With cells that add −1 to 1 it is −1 to 1. It wraps ErrUndefined where no pair
// is counted; a cell that adds and is not counted, or adds NaN or more than ±1e100, and a
// negative count are other errors. Sums are exact below 2⁵³ pairs.
func (m Matrix) Tau(c Counts) (float64, error) {
	var sum, n float64
	for h := range m {
		for k, cell := range m[h] {
			if !(math.Abs(cell.Add) <= 1e100) || !cell.Counted && cell.Add != 0 {
				return 0, fmt.Errorf("metaeval: cell [%d][%d] of a matrix adds %v, counted %v", h, k, cell.Add, cell.Counted)
			}
			if c[h][k] < 0 {
				return 0, fmt.Errorf("metaeval: %d pairs in cell [%d][%d]", c[h][k], h, k)
			}
			if cell.Counted {
				sum += cell.Add * float64(c[h][k])
				n += float64(c[h][k])
			}
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("metaeval: tau is %w: no pair is counted", ErrUndefined)
	}
	return sum / n, nil
}

// A KendallForm is a form of WMT's Kendall: a matrix for metrics of which more is
// better, and one for the scores, as they are, of error metrics.
type KendallForm struct {
	// Name is short, such as "4c".
	Name            string
	Accuracy, Error Matrix
}

// Tau is the tau of the counts of a metric's scores as they are. Errors are Matrix.Tau's.
func (f KendallForm) Tau(c Counts, lowerIsBetter bool) (float64, error) {
	if lowerIsBetter {
		return f.Error.Tau(c)
	}
	return f.Accuracy.Tau(c)
}

var (
	plus  = Cell{1, true}
	minus = Cell{-1, true}
	zero  = Cell{0, true}
	out   = Cell{} // an X in the paper
)

// NegatedFirst is the form in which an error metric's scores are negated, and then
// treated as those of any metric by m.
func NegatedFirst(name string, m Matrix) KendallForm {
	return KendallForm{Name: name, Accuracy: m, Error: m.Negated()}
}

// Table4a ignores ties, people's and the metric's. An error metric is negated first.
func Table4a() KendallForm {
	return NegatedFirst("4a", Matrix{
		{plus, out, minus},
		{out, out, out},
		{minus, out, plus},
	})
}

// Table4b counts a metric's tie in the denominator. People's ties are left out. An error
// metric is negated first.
func Table4b() KendallForm {
	return NegatedFirst("4b", Matrix{
		{plus, zero, minus},
		{out, out, out},
		{minus, zero, plus},
	})
}

// Table4c counts a metric's tie as disagreement, as WMT19 did. People's ties are left
// out. An error metric is negated first.
func Table4c() KendallForm {
	return NegatedFirst("4c", Matrix{
		{plus, minus, minus},
		{out, out, out},
		{minus, minus, plus},
	})
}

// Table5 keeps people's ties: a tie of both is agreement, +1 for a metric of which more
// is better and −1 for an error metric, and a tie of one of them is 0. The scores of an
// error metric are not negated, so that a perfect one has tau −1; a metric and its
// negation, given as an error metric, have exactly opposite tau.
func Table5() KendallForm {
	m := Matrix{
		{plus, zero, minus},
		{zero, plus, zero},
		{minus, zero, plus},
	}
	e := m
	e[1][1] = minus
	return KendallForm{Name: "5", Accuracy: m, Error: e}
}

// KendallForms returns the forms of Tables 4a, 4b, 4c and 5.
func KendallForms() []KendallForm {
	return []KendallForm{Table4a(), Table4b(), Table4c(), Table5()}
}

// relation is 0 where b is better by more than a tie, 1 for a tie and 2 where a is. A
// tie is a difference below the threshold, or none.
func relation(a, b, threshold float64) int {
	switch d := a - b; {
	case a == b || math.Abs(d) < threshold:
		return 1
	case d < 0:
		return 0
	}
	return 2
}

func checkThreshold(t float64) error {
	if !(t >= 0) || math.IsInf(t, 1) {
		return fmt.Errorf("metaeval: threshold %v", t)
	}
	return nil
}

// CountPairs counts what a metric's scores, as they are, say of pairs: a difference that
// is below the threshold, or 0, is a tie, in the metric's own units. Pairs of which the
// metric lacks a score are left out, and missing is their number.
func CountPairs(pairs []Pair, metric *Scores, threshold float64) (c Counts, missing int64, err error) {
	if err := checkThreshold(threshold); err != nil {
		return c, 0, err
	}
	if err := metric.checkValues(); err != nil {
		return c, 0, fmt.Errorf("metaeval: %w", err)
	}
	for i, p := range pairs {
		if err := metric.checkPair(p); err != nil {
			return Counts{}, 0, fmt.Errorf("pair %d: %w", i+1, err)
		}
		a, b := metric.At(p.A, p.Item), metric.At(p.B, p.Item)
		if math.IsNaN(a) || math.IsNaN(b) {
			missing++
			continue
		}
		c[1+p.Human][relation(a, b, threshold)]++
	}
	return c, missing, nil
}

func (s *Scores) checkPair(p Pair) error {
	k, n := len(s.Systems), len(s.Items)
	if p.Item < 0 || p.Item >= n || p.A < 0 || p.A >= k || p.B < 0 || p.B >= k {
		return fmt.Errorf("systems %d and %d on item %d, of %d systems and %d items", p.A, p.B, p.Item, k, n)
	}
	if p.Human < -1 || p.Human > 1 {
		return fmt.Errorf("a human relation of %d", p.Human)
	}
	return nil
}
