package study_test

import (
	"math"
	"testing"

	"github.com/mteval/mteval/study"
)

// The exact distribution of Kendall's tau: the least that is significant at .05, two-sided
// (for n from 4 to 10 the tables have none, 1, .867, .714, .643, .556, .511).
func TestChance(t *testing.T) {
	none := -1.0
	for i, want := range []float64{none, none, 1, 13. / 15, 15. / 21, 18. / 28, 20. / 36, 23. / 45} {
		c, err := study.ChanceOf(i+3, .05)
		if err != nil {
			t.Fatal(err)
		}
		got := none
		if c.Least != nil {
			got = *c.Least
		}
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%d systems: %v, want %v", i+3, got, want)
		}
	}
	if _, err := study.ChanceOf(1, .05); err == nil {
		t.Error("one system has an order")
	}
	c, err := study.ChanceOf(6, .05)
	if err != nil || c.Orders != 720 || math.Abs(c.Step-2./15) > 1e-15 {
		t.Errorf("%+v, %v", c, err)
	}
}
