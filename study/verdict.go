package study

import "github.com/mteval/mteval/significance"

// A Verdict counts the K at which a form agrees better with people than its metric.
type Verdict struct {
	Better, Same, Worse int
	Mean                float64 // difference
	// The K at which Holm is at most the level of significance.
	SignificantlyBetter, SignificantlyWorse []int
}

// same is what differs by rounding alone.
const same = 1e-12

// Verdict sums up the differences of a form by one coefficient at a level of significance.
// It is nil for a metric as it is, where no difference is defined, and of a coefficient that
// does not exist.
func (c *Curve) Verdict(of significance.Coefficient, alpha float64) *Verdict {
	if of < 0 || int(of) >= len(correlations) {
		return nil
	}
	v := &Verdict{SignificantlyBetter: []int{}, SignificantlyWorse: []int{}}
	sum := 0.0
	for i := range c.Points {
		p := &c.Points[i]
		d := p.Agreements[of].Difference
		if d == nil {
			continue
		}
		sum += d.Value
		significant := d.Holm != nil && *d.Holm <= alpha
		switch {
		case d.Value > same:
			v.Better++
			if significant {
				v.SignificantlyBetter = append(v.SignificantlyBetter, p.K)
			}
		case d.Value < -same:
			v.Worse++
			if significant {
				v.SignificantlyWorse = append(v.SignificantlyWorse, p.K)
			}
		default:
			v.Same++
		}
	}
	n := v.Better + v.Same + v.Worse
	if n == 0 {
		return nil
	}
	v.Mean = sum / float64(n)
	return v
}
