package tune

import (
	"slices"
	"testing"

	"github.com/mteval/mteval/tune/tuned"
)

// Gains of .01, .02 and .06 have the mean .03, and the standard deviation √(.0014/2) = .0265.
func TestTuneAnswer(t *testing.T) {
	folds := []tuned.Figure{{Untuned: .2, Tuned: .21}, {Untuned: .3, Tuned: .32}, {Untuned: .1, Tuned: .16}}
	worse := []tuned.Figure{{Untuned: .21, Tuned: .2}, {Untuned: .32, Tuned: .3}, {Untuned: .16, Tuned: .1}}
	gains := []string{"In cross-validation tuning gains 0.0300 on the average of 3 folds."}
	const differ = " than the gains of 3 folds differ among each other (standard deviation 0.0265)"
	for name, tt := range map[string]struct {
		held    tuned.Figure
		folds   []tuned.Figure
		want    string
		details []string
	}{
		"more":      {tuned.Figure{Untuned: .2, Tuned: .23}, folds, "raises meteor's agreement with people (kendall) from 0.2000 to 0.2300. That gain of 0.0300 is more" + differ + ".", gains},
		"no more":   {tuned.Figure{Untuned: .2, Tuned: .22}, folds, "raises meteor's agreement with people (kendall) from 0.2000 to 0.2200. That gain of 0.0200 is no more" + differ + ", and may be chance.", gains},
		"less":      {tuned.Figure{Untuned: .2, Tuned: .19}, folds, "lowers meteor's agreement with people (kendall) from 0.2000 to 0.1900. That loss of 0.0100 is no more" + differ + ", and may be chance.", gains},
		"much less": {tuned.Figure{Untuned: .2, Tuned: .1}, folds, "lowers meteor's agreement with people (kendall) from 0.2000 to 0.1000. That loss of 0.1000 is more" + differ + ".", gains},
		"the same":  {tuned.Figure{Untuned: .2, Tuned: .2}, folds, "leaves meteor's agreement with people (kendall) where it was, at 0.2000.", gains},
		"no folds":  {tuned.Figure{Untuned: .2, Tuned: .23}, nil, "raises meteor's agreement with people (kendall) from 0.2000 to 0.2300. Without cross-validation nothing tells how much such changes vary.", nil},
		"loses":     {tuned.Figure{Untuned: .2, Tuned: .23}, worse, "raises meteor's agreement with people (kendall) from 0.2000 to 0.2300. That gain of 0.0300 is more" + differ + ".", []string{"In cross-validation tuning loses 0.0300 on the average of 3 folds."}},
	} {
		r := &tuned.Result{Metric: "meteor", Objective: "kendall", Figures: tuned.Figures{HeldOut: tt.held, Folds: tt.folds}}
		if got := tunedAnswer(r); got != "On held-out texts, tuning "+tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
		if got := tunedDetails(r); !slices.Equal(got, tt.details) {
			t.Errorf("%s: %q\nwant %q", name, got, tt.details)
		}
	}
}
