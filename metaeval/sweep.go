package metaeval

import (
	"errors"
	"fmt"
)

// A SweepMetric is a metric in a Sweep.
type SweepMetric struct {
	Metric
	// Thresholds below which a difference of the metric's scores is a tie, in its
	// units. Nil is one of 0: only equal scores tie.
	Thresholds []float64
}

// A SweepPoint is what a Sweep finds at one threshold on human scores.
type SweepPoint struct {
	Threshold float64
	// Ranked, Ties and Identical are those of DARRPairs.
	Ranked, Ties, Identical int64
	// Metrics, by metric in the order given, and by its threshold.
	Metrics []SweepResult
}

// A SweepResult is how a metric agrees at one threshold on human scores and one on its
// own.
type SweepResult struct {
	Name      string
	Threshold float64 // on the metric
	Counts    Counts  // with people's ties
	Missing   int64   // pairs of which the metric lacks a score
	// Taus by form, in the order given. Nil is undefined.
	Taus []*float64
}

// Sweep makes relative rankings at every threshold given, and tells how many pairs each
// has and what each metric's tau is under each form (Figure 1 of the paper). People's
// ties are always counted, whatever KeepTies says; a form leaves them out or not.
// Metrics must be of the systems and items of the human scores, in this order: see
// Scores.Select. It takes time in the number of pairs for each threshold of people's
// and each of a metric's.
func Sweep(human *Scores, thresholds []float64, metrics []SweepMetric, forms []KendallForm, o DARROptions) ([]SweepPoint, error) {
	for _, m := range metrics {
		if err := aligned(human, m.Metric); err != nil {
			return nil, err
		}
	}
	o.KeepTies = true
	var points []SweepPoint
	for _, t := range thresholds {
		r, err := DARR(human, t, o)
		if err != nil {
			return nil, err
		}
		p := SweepPoint{Threshold: t, Ranked: r.Ranked, Ties: r.Ties, Identical: r.Identical}
		for _, m := range metrics {
			own := m.Thresholds
			if own == nil {
				own = []float64{0}
			}
			for _, t := range own {
				result := SweepResult{Name: m.Name, Threshold: t}
				if result.Counts, result.Missing, err = CountPairs(r.Pairs, m.Scores, t); err != nil {
					return nil, fmt.Errorf("metaeval: %s: %w", m.Name, err)
				}
				for _, f := range forms {
					tau, err := f.Tau(result.Counts, m.LowerIsBetter)
					switch {
					case err == nil:
						result.Taus = append(result.Taus, &tau)
					case errors.Is(err, ErrUndefined):
						result.Taus = append(result.Taus, nil)
					default:
						return nil, fmt.Errorf("metaeval: form %s: %w", f.Name, err)
					}
				}
				p.Metrics = append(p.Metrics, result)
			}
		}
		points = append(points, p)
	}
	return points, nil
}
