package meta

import (
	"context"
	"errors"
	"math"

	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// agreement is a metric's tau such that more is better, for error metrics too.
func agreement(f metaeval.KendallForm, c metaeval.Counts, lowerIsBetter bool) (float64, error) {
	return f.Tau(c.Oriented(lowerIsBetter), false)
}

// testForms finds intervals and clusters of Kendall's tau, by the bootstrap over segments.
func (j *segments) testForms() error {
	samples, err := j.resampleForms(j.progress.next(len(j.metrics)))
	if err != nil {
		return err
	}
	for f, form := range j.o.Forms {
		if err := j.testForm(form, samples, f); err != nil {
			return err
		}
	}
	return nil
}

// resampleForms returns the taus of each metric and form on samples of the segments, NaN
// where undefined, such that more is better.
func (j *segments) resampleForms(ctx context.Context) ([][]float64, error) {
	forms := j.o.Forms
	return significance.Resample(ctx, len(j.byItem[0]), j.options.significance(), len(j.metrics)*len(forms), func(draws []uint32, out []float64) error {
		for m, counts := range j.byItem {
			var sum metaeval.Counts
			for _, i := range draws {
				for h, row := range &counts[i] {
					for k, n := range row {
						sum[h][k] += n
					}
				}
			}
			for f, form := range forms {
				tau, err := agreement(form, sum, j.metrics[m].LowerIsBetter)
				if errors.Is(err, metaeval.ErrUndefined) {
					tau = math.NaN()
				} else if err != nil {
					return err
				}
				out[m*len(forms)+f] = tau
			}
		}
		return nil
	})
}

// testForm finds the intervals and clusters of form number f.
func (j *segments) testForm(form metaeval.KendallForm, samples [][]float64, f int) error {
	key := "kendall_" + form.Name
	// Of the metrics that have a tau, and the samples on which all of these have.
	var in []int
	place := make([]int, len(j.Metrics))
	var taus []float64
	var rows [][]float64
	for m, x := range j.Metrics {
		if x.Values[key] == nil {
			continue
		}
		place[m] = len(in)
		in = append(in, m)
		v, err := agreement(form, *x.Counts, x.LowerIsBetter)
		if err != nil {
			return err
		}
		taus = append(taus, v)
		rows = append(rows, samples[m*len(j.o.Forms)+f])
	}
	of := significance.NewAgreements(taus, rows)
	if len(in) == 0 || len(of.Samples[0]) == 0 {
		return nil
	}
	j.addIntervals(form, of, in, f == 0)
	return j.compare(key, func(m int) float64 { return of.Values[place[m]] }, func(_ context.Context, x, y int) (float64, error) {
		_, _, p := of.Difference(place[x], place[y])
		return p, nil
	})
}

// addIntervals gives the metrics the intervals of their taus.
func (j *segments) addIntervals(form metaeval.KendallForm, of *significance.Agreements, in []int, warn bool) {
	// Table 5 is negative where an error metric agrees.
	negative := form.Error != form.Accuracy.Negated()
	for k, m := range in {
		x, interval := &j.Metrics[m], of.Interval(k)
		if warn {
			j.warnDirection(x, interval)
		}
		if x.LowerIsBetter && negative {
			interval = significance.Interval{Mean: -interval.Mean, Low: -interval.High, High: -interval.Low}
		}
		x.Values["kendall_"+form.Name].Interval = &interval
	}
}
