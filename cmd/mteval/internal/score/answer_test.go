package score

import (
	"testing"

	"github.com/mteval/mteval"
)

// scored is a column of systems a, b, c … with these scores, and the p-values of all but the
// first.
func scored(metric string, lower bool, scores, p []float64) *scoreColumn {
	out := &scoreColumn{info: mteval.Info{Name: metric, LowerIsBetter: lower, Scale: 100}}
	for k, s := range scores {
		r := resultJSON{System: string(rune('a' + k)), Metric: metric, Score: s}
		if k > 0 && p != nil {
			r.P = &p[k-1]
		}
		out.results = append(out.results, r)
	}
	return out
}

func TestScoreAnswer(t *testing.T) {
	alone := scored("bleu", false, []float64{30.126}, nil)
	alone.results[0].Confidence = &intervalJSON{Mean: 30, Low: 28, High: 32.5}
	bleu := func(scores ...float64) *scoreColumn { return scored("bleu", false, scores, nil) }
	chrf := func(scores ...float64) *scoreColumn { return scored("chrf", false, scores, nil) }
	ter := func(scores ...float64) *scoreColumn { return scored("ter", true, scores, nil) }
	const untested = " Whether that is more than chance was not tested: --paired bs tests it."
	for name, tt := range map[string]struct {
		paired  string
		columns []*scoreColumn
		want    string
	}{
		"one":           {"", []*scoreColumn{alone, ter(50)}, "a has bleu 30.13 (95% interval 28.00 to 32.50) and ter 50.00."},
		"two":           {"", []*scoreColumn{bleu(30, 31)}, "b has the best bleu (31.00), ahead of a (30.00)." + untested},
		"less is more":  {"", []*scoreColumn{ter(30, 31, 29.5)}, "c has the best ter (29.50; less is better), ahead of a (30.00)." + untested},
		"as shown":      {"", []*scoreColumn{bleu(30, 30.001)}, "b has the best bleu (30.00), ahead of a, which has as much but for digits that are not shown." + untested},
		"all the same":  {"bs", []*scoreColumn{scored("bleu", false, []float64{30, 30}, []float64{1})}, "Both systems have the same bleu (30.00)."},
		"two the best":  {"", []*scoreColumn{bleu(31, 31, 30)}, "a and b have the same bleu, which is the best (31.00), ahead of c (30.00)." + untested},
		"many the best": {"", []*scoreColumn{bleu(31, 31, 31, 31, 31, 31, 31, 30)}, "7 systems have the same bleu, which is the best (31.00), ahead of h (30.00)." + untested},
		"others agree":  {"", []*scoreColumn{bleu(30, 31), chrf(50, 51), ter(40, 39)}, "b has the best bleu (31.00), ahead of a (30.00)." + untested + " chrf and ter put it first, too."},
		"others differ": {"", []*scoreColumn{bleu(31, 31, 30), chrf(50, 51, 50), ter(40, 40, 40)}, "a and b have the same bleu, which is the best (31.00), ahead of c (30.00)." + untested + " By chrf b is first (51.00), by ter all are level."},
		"better":        {"bs", []*scoreColumn{scored("bleu", false, []float64{30, 31}, []float64{.049})}, "b has the best bleu (31.00), ahead of a (30.00). It is significantly better than a (p = 0.0490)."},
		"at the line":   {"ar", []*scoreColumn{scored("bleu", false, []float64{30, 31}, []float64{.05})}, "b has the best bleu (31.00), ahead of a (30.00). It is not told apart from a (p = 0.0500)."},
		"not against the next": {"bs", []*scoreColumn{scored("bleu", false, []float64{29, 30, 31}, []float64{.2, .001})},
			"c has the best bleu (31.00), ahead of b (30.00). It is significantly better than a (p = 0.0010). It was not tested against b, as tests are against the first system alone."},
		"the first is the best": {"bs", []*scoreColumn{scored("bleu", false, []float64{31, 30, 29, 28}, []float64{.2, .03, .001})},
			"a has the best bleu (31.00), ahead of b (30.00). It is significantly better than c and d (p ≤ 0.0300), but not told apart from b (p = 0.2000)."},
		"the first is one of the best": {"bs", []*scoreColumn{scored("bleu", false, []float64{31, 31, 29}, []float64{1, .01})},
			"a and b have the same bleu, which is the best (31.00), ahead of c (29.00). a is significantly better than c (p = 0.0100)."},
	} {
		t.Run(name, func(t *testing.T) {
			o := &scoreOptions{paired: tt.paired, width: -1}
			if got := o.answer(tt.columns); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}
