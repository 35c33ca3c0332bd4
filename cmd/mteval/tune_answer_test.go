package main

import (
	"testing"

	"github.com/mteval/mteval/tune/tuned"
)

// Gains of .01, .02 and .06 have the mean .03, and the standard deviation √(.0014/2) = .0265.
func TestTuneAnswer(t *testing.T) {
	folds := []tuned.Figure{{Untuned: .2, Tuned: .21}, {Untuned: .3, Tuned: .32}, {Untuned: .1, Tuned: .16}}
	worse := []tuned.Figure{{Untuned: .21, Tuned: .2}, {Untuned: .32, Tuned: .3}, {Untuned: .16, Tuned: .1}}
	const gains = " In cross-validation it gains 0.0300 on the average of 3 folds, with a standard deviation of 0.0265: what was held out changes by "
	for name, tt := range map[string]struct {
		held  tuned.Figure
		folds []tuned.Figure
		want  string
	}{
		"more":     {tuned.Figure{Untuned: .2, Tuned: .23}, folds, "On what was held out, tuning raises meteor's kendall from 0.2000 to 0.2300, by 0.0300." + gains + "more than that."},
		"no more":  {tuned.Figure{Untuned: .2, Tuned: .22}, folds, "On what was held out, tuning raises meteor's kendall from 0.2000 to 0.2200, by 0.0200." + gains + "no more than that."},
		"less":     {tuned.Figure{Untuned: .2, Tuned: .19}, folds, "On what was held out, tuning lowers meteor's kendall from 0.2000 to 0.1900, by 0.0100." + gains + "no more than that."},
		"the same": {tuned.Figure{Untuned: .2, Tuned: .2}, folds, "On what was held out, tuning leaves meteor's kendall where it was, at 0.2000." + gains + "no more than that."},
		"no folds": {tuned.Figure{Untuned: .2, Tuned: .23}, nil, "On what was held out, tuning raises meteor's kendall from 0.2000 to 0.2300, by 0.0300. Without cross-validation nothing tells how much such gains vary."},
		"loses": {tuned.Figure{Untuned: .2, Tuned: .23}, worse, "On what was held out, tuning raises meteor's kendall from 0.2000 to 0.2300, by 0.0300." +
			" In cross-validation it loses 0.0300 on the average of 3 folds, with a standard deviation of 0.0265: what was held out changes by more than that."},
	} {
		r := &tuned.Result{Metric: "meteor", Objective: "kendall", Figures: tuned.Figures{HeldOut: tt.held, Folds: tt.folds}}
		if got := tunedAnswer(r); got != tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
}
