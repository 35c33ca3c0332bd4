package study

import (
	"strings"
	"testing"

	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
)

// A studied form is better than its metric by some coefficient, for K of 3 and of 4.
type studied struct {
	of         significance.Coefficient
	difference [2]float64
	holm       [2]float64
}

// studiedPage is a page of chrf and of forms of it, on four systems. chrf has a Pearson
// correlation of .5 and forms one of .6.
func studiedPage(forms ...studied) *studyPage {
	r := &study.Result{Systems: make([]ranking.Human, 4), Chance: make([]study.Chance, 2)}
	curve := func(form *studied, name string, pearson float64) *study.Curve {
		c := &study.Curve{Metric: "chrf", Points: []study.Point{{K: 3}, {K: 4}}}
		if form != nil {
			c.Metric, c.Form = "da-chrf", &study.Form{Name: name}
		}
		for i := range c.Points {
			c.Points[i].Agreements[significance.Pearson].Value = &pearson
			if form != nil {
				c.Points[i].Agreements[form.of].Difference = &study.Difference{Value: form.difference[i], Holm: &form.holm[i]}
			}
		}
		return c
	}
	r.Curves = append(r.Curves, curve(nil, "", .5))
	for i := range forms {
		r.Curves = append(r.Curves, curve(&forms[i], string(rune('a'+i)), .6))
	}
	return &studyPage{options: &studyOptions{alpha: .05, samples: 10}, result: r}
}

func TestStudyAnswer(t *testing.T) {
	none := studied{significance.Pearson, [2]float64{.1, .2}, [2]float64{.2, .051}}
	few := studiedPage(none)
	few.result.SamplesNeeded = 100
	undefined := studiedPage(none)
	for _, p := range undefined.result.Curves[1].Points {
		p.Agreements[significance.Pearson].Difference = nil
	}
	undefined.result.Curves[1].Points = make([]study.Point, 2)
	for name, tt := range map[string]struct {
		page *studyPage
		want string
	}{
		"no form":   {studiedPage(), "None of the metrics has a difficulty-aware form. On all 4 systems chrf has the highest Pearson correlation with people (+0.500, not tested against the others)."},
		"one form":  {studiedPage(none), "Difficulty makes no significant difference: da-chrf a agrees with people neither more nor less than its metric does, among the K best systems, for any K from 3 to 4 (at 0.05, adjusted for all K)."},
		"none":      {studiedPage(none, none), "Difficulty makes no significant difference: none of 2 difficulty-aware forms agrees with people more or less than its metric does, among the K best systems, for any K from 3 to 4 (at 0.05, adjusted for all K)."},
		"few":       {few, "Whether difficulty helps can't be told: with 10 samples no difference can be significant (at 0.05, adjusted for all K)."},
		"undefined": {undefined, "Whether difficulty helps is undefined, as no correlation with people is, among the K best systems, for any K from 3 to 4."},
		"better and worse": {studiedPage(none,
			studied{significance.Pearson, [2]float64{.1, .2}, [2]float64{.05, .01}},
			studied{significance.Kendall, [2]float64{.1, -.2}, [2]float64{.2, .01}}),
			"With difficulty, agreement with people is significantly higher for da-chrf b (Pearson K 3–4), and lower for da-chrf c (Kendall K 4). No other difference is significant, of 3 forms among the K best systems, for any K from 3 to 4 (at 0.05, adjusted for all K)."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.page.answer(); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
	if got := studiedPage(none, none).closest(); !strings.HasPrefix(got, "On all 4 systems da-chrf a and da-chrf b have the highest Pearson correlation with people (+0.600, not tested") {
		t.Error(got)
	}
}
