package main

import (
	"fmt"
	"math"

	"github.com/mteval/mteval/tune/tuned"
)

// tunedAnswer says what tuning gains on what was held out, and whether that is more than the
// gains of folds differ by.
func tunedAnswer(r *tuned.Result) string {
	f := r.Figures
	held := f.HeldOut
	gain := held.Tuned - held.Untuned
	of := fmt.Sprintf("%s's %s", r.Metric, r.Objective)
	var out string
	switch {
	case math.Abs(gain) <= rounding:
		out = fmt.Sprintf("On what was held out, tuning leaves %s where it was, at %s.", of, fixed(held.Tuned))
	case gain > 0:
		out = fmt.Sprintf("On what was held out, tuning raises %s from %s to %s, by %s.", of, fixed(held.Untuned), fixed(held.Tuned), amount(gain))
	default:
		out = fmt.Sprintf("On what was held out, tuning lowers %s from %s to %s, by %s.", of, fixed(held.Untuned), fixed(held.Tuned), amount(-gain))
	}
	if len(f.Folds) < 2 {
		return out + " Without cross-validation nothing tells how much such gains vary."
	}
	mean, spread := foldGains(f.Folds)
	verb := "gains"
	if mean < 0 {
		verb, mean = "loses", -mean
	}
	out += fmt.Sprintf(" In cross-validation it %s %s on the average of %d folds, with a standard deviation of %s: ", verb, amount(mean), len(f.Folds), amount(spread))
	if math.Abs(gain) <= spread {
		return out + "what was held out changes by no more than that."
	}
	return out + "what was held out changes by more than that."
}

// foldGains are the mean and the standard deviation (n − 1) of the gains on folds.
func foldGains(folds []tuned.Figure) (mean, sd float64) {
	n := float64(len(folds))
	for _, f := range folds {
		mean += (f.Tuned - f.Untuned) / n
	}
	for _, f := range folds {
		d := f.Tuned - f.Untuned - mean
		sd += d * d / (n - 1)
	}
	return mean, math.Sqrt(sd)
}
