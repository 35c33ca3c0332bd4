package study

import (
	"fmt"

	"github.com/mteval/mteval/metaeval"
)

// Chance is what the order of so many systems can say.
type Chance struct {
	K      int
	Orders float64 // how many there are, K!
	Step   float64 // by how much one swapped pair changes Kendall's tau
	// Least is the smallest tau, from 0 up, that is above what chance gives at a level of
	// significance, two-sided, by metaeval.KendallTest; nil: not even 1 is.
	Least *float64
}

// ChanceOf is that of K systems, two at least, at a level of significance.
func ChanceOf(k int, alpha float64) (Chance, error) {
	if k < 2 {
		return Chance{}, fmt.Errorf("study: %d systems have no order", k)
	}
	c := Chance{K: k, Orders: 1, Step: 4 / float64(k*(k-1))}
	x, y := make([]float64, k), make([]float64, k)
	for i := range k {
		c.Orders *= float64(i + 1)
		x[i], y[i] = float64(i), float64(i)
	}
	// One neighbouring pair after the other is swapped, as in sorting, until tau is no
	// longer beyond chance.
	for last := k - 1; last > 0; last-- {
		for i := range last {
			t, err := metaeval.KendallTest(x, y, metaeval.KendallAuto)
			if err != nil || t.P > alpha || t.Correlation < 0 {
				return c, err
			}
			c.Least = &t.Correlation
			y[i], y[i+1] = y[i+1], y[i]
		}
	}
	return c, nil
}
