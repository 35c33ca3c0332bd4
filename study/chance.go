package study

import (
	"fmt"
	"sort"

	"github.com/mteval/mteval/metaeval"
)

// Chance is what the order of so many systems can say.
type Chance struct {
	K      int
	Orders float64 // how many there are, K!; +Inf above 170 systems, as no float64 is so large
	Step   float64 // by how much one swapped pair changes Kendall's tau
	// Least is the smallest tau, from 0 up, that is above what chance gives at a level of
	// significance, two-sided, by metaeval.KendallTest; nil: not even 1 is.
	Least *float64
}

// mostSystems bounds K, and with it memory and time.
const mostSystems = 1 << 16

// ChanceOf is that of K systems, 2 to 65,536, at a level of significance above 0 and up to 1.
func ChanceOf(k int, alpha float64) (Chance, error) {
	if k < 2 || k > mostSystems {
		return Chance{}, fmt.Errorf("study: the order of %d systems: want 2 to %d", k, mostSystems)
	}
	if !(alpha > 0 && alpha <= 1) {
		return Chance{}, fmt.Errorf("study: alpha %v: a level is above 0 and up to 1", alpha)
	}
	c := Chance{K: k, Orders: 1, Step: 4 / float64(k*(k-1))}
	x, y := make([]float64, k), make([]float64, k)
	for i := range k {
		c.Orders *= float64(i + 1)
		x[i] = float64(i)
	}
	// The more neighbouring pairs are swapped, the smaller is tau and the larger its P: the
	// last number of swaps is looked for with which tau is above chance.
	var err error
	sort.Search(k*(k-1)/2, func(swaps int) bool {
		if err != nil {
			return true
		}
		swapped(y, swaps)
		var t metaeval.CorrelationTest
		if t, err = metaeval.KendallTest(x, y, metaeval.KendallAuto); err != nil || t.P > alpha || t.Correlation < 0 {
			return true
		}
		if c.Least == nil || t.Correlation < *c.Least {
			c.Least = &t.Correlation
		}
		return false
	})
	return c, err
}

// swapped sets y to 0, 1, 2 and so on after so many swaps of neighbours as sorting takes back:
// the first numbers have gone to the end, one by one, and the next a part of the way.
func swapped(y []float64, swaps int) {
	first, last := 0, len(y)-1
	for ; last > 0 && swaps >= last; last-- {
		swaps -= last
		y[last] = float64(first)
		first++
	}
	for i := 0; i <= last; i++ {
		switch {
		case i < swaps:
			y[i] = float64(first + i + 1)
		case i == swaps:
			y[i] = float64(first)
		default:
			y[i] = float64(first + i)
		}
	}
}
