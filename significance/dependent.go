package significance

import (
	"fmt"
	"math"

	"github.com/mteval/mteval/internal/student"
	"github.com/mteval/mteval/metaeval"
)

// A DependentTest compares two correlations that share a variable, of a sample: those of
// two metrics with people.
type DependentTest struct {
	// Statistic is Williams' t; above 0 if the first correlation is the larger.
	Statistic float64
	// P is the probability of a statistic as far from 0, either way, if the
	// correlations were equal, 0 to 1. Greater is that of one as large.
	P, Greater float64
}

// Williams tests whether metric x correlates better with people than metric y does
// (Williams 1959; equation 7 of Steiger, Psychological Bulletin 87, 1980; for metrics,
// Graham and Baldwin, EMNLP 2014). Given are their Pearson correlations with people, rx and
// ry, that with each other, rxy, and over how many systems or segments they are, n. The
// statistic is Student's t with n − 3 degrees of freedom.
//
// The error wraps metaeval.ErrUndefined where the statistic does not exist: for n below 4,
// for metrics that do not differ, and for numbers that are not the correlations of any
// three variables. An error metric's correlations must have their signs turned.
func Williams(rx, ry, rxy float64, n int) (DependentTest, error) {
	if err := checkDependent(rx, ry, rxy, n); err != nil {
		return DependentTest{}, err
	}
	m, mean, apart := float64(n), (rx+ry)/2, 1-rxy
	variance := 2*(m-1)/(m-3)*determinant(rx, ry, rxy) + mean*mean*apart*apart*apart
	if variance < nothing {
		return DependentTest{}, undefinedTest(rx, ry, rxy, n)
	}
	t := (rx - ry) * math.Sqrt((m-1)*(1+rxy)/variance)
	return sided(t, student.Tails(t, m-3)), nil
}

// nothing is what is left of a variance of 0 by rounding, at most.
const nothing = 1e-14

func checkDependent(rx, ry, rxy float64, n int) error {
	for _, r := range []float64{rx, ry, rxy} {
		if !(math.Abs(r) <= 1) { // NaN too
			return fmt.Errorf("significance: a correlation of %v", r)
		}
	}
	if n < 4 || determinant(rx, ry, rxy) < -nothing {
		return undefinedTest(rx, ry, rxy, n)
	}
	return nil
}

// determinant of the matrix of three correlations.
func determinant(rx, ry, rxy float64) float64 {
	return 1 - rx*rx - ry*ry - rxy*rxy + 2*rx*ry*rxy
}

func undefinedTest(rx, ry, rxy float64, n int) error {
	return fmt.Errorf("significance: a test is %w: of the correlations %v and %v, with %v between the metrics, over %d", metaeval.ErrUndefined, rx, ry, rxy, n)
}

// sided makes a test of a statistic that is symmetric around 0.
func sided(statistic, p float64) DependentTest {
	t := DependentTest{Statistic: statistic, P: p, Greater: p / 2}
	if statistic < 0 {
		t.Greater = 1 - p/2
	}
	return t
}
