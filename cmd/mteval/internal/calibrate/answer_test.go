package calibrate

import (
	"testing"

	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/significance"
)

func TestCalibrateAnswer(t *testing.T) {
	validated := func(pairs int, gain, low, high float64) *calibrationResult {
		all := preference.Part{Gain: gain, GainInterval: significance.Interval{Low: low, High: high}, Interval: significance.Interval{Low: .7, High: .8}}
		all.Pairs, all.Accuracy = pairs, .756
		c := &preference.Calibration{Sets: []preference.Judged{{Campaign: "wmt17"}, {Campaign: "wmt18"}}}
		return &calibrationResult{Calibration: c, Figures: []preference.Validation{{All: all}, {Metric: &preference.Metric{Name: "chrf"}}}}
	}
	const right = "Of 1000 pairs of systems in campaigns that they were not fitted on, the probabilities favoured people's choice in 75.6% (95% interval 70.0% to 80.0%)."
	for name, tt := range map[string]struct {
		result *calibrationResult
		want   string
	}{
		"one set":  {&calibrationResult{}, "How often the probabilities are right is not known. " + oneSet},
		"no pairs": {validated(0, 0, 0, 0), "How often the probabilities are right is not known: people scored no two systems differently."},
		"more":     {validated(1000, .02, .01, .03), right + " That is 2.0 points more than chrf alone (95% interval +1.0 to +3.0 points)."},
		"as good":  {validated(1000, .02, 0, .03), right + " That is not told apart from chrf alone (95% interval +0.0 to +3.0 points)."},
		"less":     {validated(1000, -.02, -.03, -.01), right + " That is 2.0 points less than chrf alone (95% interval -3.0 to -1.0 points)."},
	} {
		if got := tt.result.answer(); got != tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
}
