package tune

import (
	"fmt"
	"math"

	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/tune/tuned"
)

// tunedAnswer says what tuning gains on what was held out, and whether that is more than the
// gains of folds differ by.
func tunedAnswer(r *tuned.Result) string {
	held := r.Figures.HeldOut
	of := fmt.Sprintf("%s's agreement with people (%s)", r.Metric, r.Objective)
	gain, change := held.Tuned-held.Untuned, "gain"
	var out string
	switch {
	case math.Abs(gain) <= app.Rounding:
		return fmt.Sprintf("On held-out texts, tuning leaves %s where it was, at %s.", of, app.Fixed(held.Tuned))
	case gain > 0:
		out = fmt.Sprintf("On held-out texts, tuning raises %s from %s to %s.", of, app.Fixed(held.Untuned), app.Fixed(held.Tuned))
	default:
		gain, change = -gain, "loss"
		out = fmt.Sprintf("On held-out texts, tuning lowers %s from %s to %s.", of, app.Fixed(held.Untuned), app.Fixed(held.Tuned))
	}
	folds := r.Figures.Folds
	if len(folds) < 2 {
		return out + " Without cross-validation nothing tells how much such changes vary."
	}
	_, spread := foldGains(folds)
	if gain <= spread {
		return out + fmt.Sprintf(" That %s of %s is no more than the gains of %d folds differ among each other (standard deviation %s), and may be chance.", change, show.Difference.Format(gain, 0), len(folds), show.Difference.Format(spread, 0))
	}
	return out + fmt.Sprintf(" That %s of %s is more than the gains of %d folds differ among each other (standard deviation %s).", change, show.Difference.Format(gain, 0), len(folds), show.Difference.Format(spread, 0))
}

// tunedDetails say what cross-validation shows.
func tunedDetails(r *tuned.Result) []string {
	folds := r.Figures.Folds
	if len(folds) < 2 {
		return nil
	}
	mean, _ := foldGains(folds)
	verb := "gains"
	if mean < 0 {
		verb, mean = "loses", -mean
	}
	return []string{fmt.Sprintf("In cross-validation tuning %s %s on the average of %d folds.", verb, show.Difference.Format(mean, 0), len(folds))}
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
