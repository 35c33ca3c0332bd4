package rank

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/ranking"
)

// answer says who is best, and how sure that is.
func (p *rankPage) answer() string {
	out := p.people()
	switch {
	case p.opinion == nil:
		out = append(out, p.byMetrics()...)
	case len(out) > 0: // people have answered already
		out = append(out, p.opinion.answer("From the texts alone, "))
	default:
		out = append(out, p.opinion.answer(""))
	}
	if o := p.opinion; o != nil && len(o.Outside) > 0 {
		out = append(out, "Take the probabilities as a guess: they were not fitted on such data.")
	}
	return strings.Join(out, " ")
}

// people say whom they put first, if they were asked.
func (p *rankPage) people() []string {
	var first []string
	judged := 0
	for _, s := range p.ranking.Systems {
		if s.Human == nil {
			continue
		}
		judged++
		if s.HumanRank == 1 {
			first = append(first, s.Name)
		}
	}
	switch {
	case len(first) == 0:
		return nil
	case len(first) == judged:
		return []string{fmt.Sprintf("People put %s level.", app.AllSystems(judged))}
	case judged < len(p.ranking.Systems):
		return []string{fmt.Sprintf("Of the %d systems that people scored they put %s first.", judged, app.These(first))}
	}
	return []string{"People put " + app.These(first) + " first."}
}

// byMetrics says whom metrics put first where there are no probabilities.
func (p *rankPage) byMetrics() []string {
	r := p.ranking
	var out []string
	for m, info := range r.Metrics {
		var first []string
		score := 0.0
		for _, s := range r.Systems {
			if s.Ranks[m] == 1 {
				first, score = append(first, s.Name), s.Scores[m]
			}
		}
		out = append(out, fmt.Sprintf("%s %s first by %s (%s)", app.These(first), app.Plural(len(first), "is", "are"), info.Name, app.Format(info, score, -1)))
	}
	return []string{strings.Join(out, ", ") + ".", "How sure that is can't be told without references."}
}

// notTold says whether people would not put the one system above the other with confidence: as
// groups have it.
func (o *opinion) notTold(a, b int) bool { return 1-max(o.P[a][b], o.P[b][a]) > 1-o.Confidence }

// favourites are the systems that are the most likely to be best.
func (o *opinion) favourites() []int {
	var out []int
	most := slices.Max(o.Best)
	for _, k := range o.Order() {
		if o.Best[k] >= most-app.Rounding {
			out = append(out, k)
		}
	}
	return out
}

// answer says which system is most likely the best, and from which it is not told apart. It
// begins with so many words.
func (o *opinion) answer(begin string) string {
	lead := o.favourites()
	var out string
	switch n := len(o.Systems); {
	case n == 2:
		out = o.answerOfTwo(lead)
	case n == len(lead):
		out = fmt.Sprintf("%s are as likely to be the best in people's eyes (%s)", app.AllSystems(n), show.Probability.Format(o.Best[0], 0))
	default:
		out = o.answerOfMany(lead)
	}
	if begin == "" && (len(o.Systems) == 2 || len(lead) == len(o.Systems)) { // it begins with no name
		out = strings.ToUpper(out[:1]) + out[1:]
	}
	return begin + out + "."
}

func (o *opinion) answerOfTwo(lead []int) string {
	a := lead[0]
	b := 1 - a
	sure := "people would put " + o.Systems[a] + " above " + o.Systems[b]
	switch p := o.P[a][b]; {
	case len(lead) == 2:
		return "people would as soon put " + o.Systems[a] + " above " + o.Systems[b] + " as below it"
	case o.notTold(a, b):
		return fmt.Sprintf("%s with a probability of %s, and so the two are not told apart at %s confidence", sure, show.Probability.Format(p, 0), o.at())
	default:
		return fmt.Sprintf("%s with a probability of %s", sure, show.Probability.Format(p, 0))
	}
}

func (o *opinion) answerOfMany(lead []int) string {
	var same, alike []string
	for _, k := range o.Order() {
		if !slices.Contains(lead, k) && slices.ContainsFunc(lead, func(l int) bool { return o.notTold(l, k) }) {
			alike = append(alike, o.Systems[k])
		}
	}
	for _, k := range lead {
		same = append(same, o.Systems[k])
	}
	others := len(o.Systems) - len(lead)
	chance := show.Probability.Format(o.Best[lead[0]], 0)
	out := fmt.Sprintf("%s is most likely the best in people's eyes (%s)", same[0], chance)
	if len(lead) > 1 {
		out = fmt.Sprintf("%s are most likely the best in people's eyes, and equally so (%s)", app.These(same), chance)
	}
	if len(alike) == 0 {
		return out + fmt.Sprintf(", and told apart from %s at %s confidence", app.AllOf(o.others(lead), others), o.at())
	}
	return out + fmt.Sprintf(", but not told apart from %s at %s confidence", app.NoneOf(alike, others), o.at())
}

// others are the names of all systems but some, most expected wins first.
func (o *opinion) others(but []int) []string {
	var out []string
	for _, k := range o.Order() {
		if !slices.Contains(but, k) {
			out = append(out, o.Systems[k])
		}
	}
	return out
}

// at is the confidence, in percent.
func (o *opinion) at() string { return fmt.Sprintf("%.12g%%", 100*o.Confidence) } // .57 is not 56.99999999999999%

// details are what the answer rests on.
func (p *rankPage) details() []string {
	out := []string{fmt.Sprintf("%s, %s.", app.Count(len(p.ranking.Systems), "system"), app.Count(len(p.refs), "segment"))}
	if o := p.opinion; o != nil {
		if o.Check != nil && o.Check.All.Pairs > 0 {
			all := o.Check.All
			out = append(out, fmt.Sprintf("Of %s of systems that people scored differently, the probabilities favoured people's choice in %.0f%%, where %.0f%% was to be expected.", app.Count(all.Pairs, "pair"), 100*all.Accuracy, 100*all.Expected))
		}
		if len(o.Outside) > 0 {
			out = append(out, "Unlike what the probabilities were fitted on: "+strings.Join(o.Outside, "; ")+".")
		}
	}
	return append(out, agreeing(p.ranking)...)
}

// agreeing says which metrics agree best with people, if they were asked.
func agreeing(r *ranking.Result) []string {
	var names []string
	most := math.Inf(-1)
	for m, c := range r.Correlations {
		switch k := c.Kendall; {
		case k == nil, *k < most-app.Rounding:
		case *k > most+app.Rounding:
			most, names = *k, []string{r.Metrics[m].Name}
		default:
			names = append(names, r.Metrics[m].Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Of the metrics, %s %s systems most like people do (Kendall %+.3f, not tested).", app.These(names), app.Plural(len(names), "orders", "order"), most)}
}
