package study

import (
	"fmt"
	"strings"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
)

// answer says whether difficulty makes metrics agree more or less with people, for any K.
func (p *studyPage) answer() string {
	r := p.result
	ks := fmt.Sprintf("among the K best systems, for any K from %d to %d", ranking.FewestK, len(r.Systems))
	if len(r.Systems) == ranking.FewestK {
		ks = fmt.Sprintf("among the %d systems", ranking.FewestK)
	}
	if !r.HasForms() {
		return "None of the metrics has a difficulty-aware form. " + p.closest()
	}
	var better, worse []string
	forms, defined, last := 0, 0, ""
	for _, c := range r.Curves {
		if c.Form == nil {
			continue
		}
		forms, last = forms+1, c.Name()
		up, down, any := p.verdictOf(c)
		if any {
			defined++
		}
		if up != "" {
			better = append(better, c.Name()+" ("+up+")")
		}
		if down != "" {
			worse = append(worse, c.Name()+" ("+down+")")
		}
	}
	level := fmt.Sprintf("at %v, adjusted for all K", p.options.alpha)
	switch {
	case defined == 0:
		return fmt.Sprintf("Whether difficulty helps is undefined, as no correlation with people is, %s.", ks)
	case len(better)+len(worse) == 0 && r.SamplesNeeded > 0:
		return fmt.Sprintf("Whether difficulty helps can't be told: with %d samples no difference can be significant (%s).", p.options.samples, level)
	case len(better)+len(worse) == 0 && forms == 1:
		return fmt.Sprintf("Difficulty makes no significant difference: %s agrees with people neither more nor less than its metric does, %s (%s).", last, ks, level)
	case len(better)+len(worse) == 0:
		return fmt.Sprintf("Difficulty makes no significant difference: none of %s agrees with people more or less than its metric does, %s (%s).",
			app.Count(forms, "difficulty-aware form"), ks, level)
	}
	var out []string
	if len(better) > 0 {
		out = append(out, "higher for "+app.SomeOf(better))
	}
	if len(worse) > 0 {
		out = append(out, "lower for "+app.SomeOf(worse))
	}
	return fmt.Sprintf("With difficulty, agreement with people is significantly %s. No other difference is significant, of %s %s (%s).",
		strings.Join(out, ", and "), app.Count(forms, "form"), ks, level)
}

// verdictOf says for which K, and by which coefficients, a form is significantly better and
// worse, and whether there is any difference.
func (p *studyPage) verdictOf(c *study.Curve) (better, worse string, any bool) {
	var up, down []string
	for _, f := range coefficients {
		v := c.Verdict(f.of, p.options.alpha)
		if v == nil {
			continue
		}
		any = true
		if len(v.SignificantlyBetter) > 0 {
			up = append(up, f.title+" "+ranges(v.SignificantlyBetter))
		}
		if len(v.SignificantlyWorse) > 0 {
			down = append(down, f.title+" "+ranges(v.SignificantlyWorse))
		}
	}
	return strings.Join(up, ", "), strings.Join(down, ", "), any
}

// closest says which metric or form agrees most with people on all systems.
func (p *studyPage) closest() string {
	var names []string
	most := 0.0
	for _, c := range p.result.Curves {
		v := c.Points[len(c.Points)-1].Agreements[significance.Pearson].Value
		switch {
		case v == nil || len(names) > 0 && *v < most-app.Rounding:
		case len(names) == 0 || *v > most+app.Rounding:
			most, names = *v, []string{c.Name()}
		default:
			names = append(names, c.Name())
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("On all %d systems Pearson's correlation with people is undefined.", len(p.result.Systems))
	}
	verb := app.Plural(len(names), "has", "have")
	return fmt.Sprintf("On all %d systems %s %s the highest Pearson correlation with people (%+.3f, not tested against the others).", len(p.result.Systems), app.SomeOf(names), verb, most)
}
