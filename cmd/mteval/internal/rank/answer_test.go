package rank

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/scoring"
)

// rankedPage is a page of systems a, b, c … with these probabilities of each pair, by row above
// the diagonal.
func rankedPage(t rapid.TB, systems int, p ...float64) *rankPage {
	t.Helper()
	r := &preference.Result{P: make([][]float64, systems)}
	for k := range systems {
		r.Systems = append(r.Systems, string(rune('a'+k)))
		r.P[k] = slices.Repeat([]float64{.5}, systems)
	}
	for a := range systems {
		for b := a + 1; b < systems; b++ {
			r.P[a][b], r.P[b][a], p = p[0], 1-p[0], p[1:]
		}
	}
	o, err := scoring.NewOpinion(r, preference.Default(), .95)
	if err != nil {
		t.Fatal(err)
	}
	out := &rankPage{opinion: newOpinion(o), ranking: &ranking.Result{Metrics: []mteval.Info{{Name: "bleu", Scale: 100}, {Name: "ter", Scale: 100, LowerIsBetter: true}}}}
	for _, name := range r.Systems {
		out.ranking.Systems = append(out.ranking.Systems, ranking.Row{Name: name, Scores: []float64{30, 50}, Ranks: []int{1, 1}})
	}
	return out
}

// judged gives systems human scores, of which 0 is none.
func (p *rankPage) judged(scores ...float64) *rankPage {
	for i, s := range scores {
		if s == 0 {
			continue
		}
		row := &p.ranking.Systems[i]
		row.Human, row.HumanRank = &s, 1
		for _, other := range scores {
			if other > s {
				row.HumanRank++
			}
		}
	}
	p.ranking.Correlations = make([]ranking.Coefficients, len(p.ranking.Metrics))
	return p
}

// Pairs of .8, .99 and .98 are about what strengths of 4, 1 and 1/60 would have, of which the first
// is the best with 4 in 5.02.
func TestRankAnswer(t *testing.T) {
	outside := rankedPage(t, 2, .7)
	outside.opinion.Outside = []string{"2 segments: too few"}
	small := rankedPage(t, 2, .7)
	small.opinion.Outside = []string{"48 segments: the fewest of a set that it was fitted on are 503"}
	unreferenced := rankedPage(t, 3, .5, .5, .5)
	unreferenced.opinion = nil
	rows := unreferenced.ranking.Systems
	rows[0].Scores, rows[0].Ranks = []float64{31.5, 60}, []int{1, 3}
	rows[1].Scores, rows[1].Ranks = []float64{30, 40}, []int{2, 1}
	rows[2].Scores, rows[2].Ranks = []float64{29, 40}, []int{3, 1}
	asked := *unreferenced
	also := *unreferenced.ranking
	also.Systems = slices.Clone(also.Systems)
	asked.ranking = &also
	for name, tt := range map[string]struct {
		page *rankPage
		want string
	}{
		"two, told":                {rankedPage(t, 2, .02), "People would put b above a with a probability of 98%."},
		"two, sure":                {rankedPage(t, 2, .999), "People would put a above b with a probability of >99%."},
		"two, at the line":         {rankedPage(t, 2, .95), "People would put a above b with a probability of 95%."},
		"two, not told":            {rankedPage(t, 2, .94), "People would put a above b with a probability of 94%, and so the two are not told apart at 95% confidence."},
		"two, equal":               {rankedPage(t, 2, .5), "People would as soon put a above b as below it."},
		"all told":                 {rankedPage(t, 3, .999, .999, .999), "a is most likely the best in people's eyes (>99%), and told apart from b and c at 95% confidence."},
		"one not told":             {rankedPage(t, 3, .8, .99, .98), "a is most likely the best in people's eyes (79%), but not told apart from b at 95% confidence."},
		"all equal":                {rankedPage(t, 3, .5, .5, .5), "All 3 systems are as likely to be the best in people's eyes (33%)."},
		"two the best":             {rankedPage(t, 3, .5, .99, .99), "a and b are most likely the best in people's eyes, and equally so (50%), and told apart from c at 95% confidence."},
		"many":                     {rankedPage(t, 9, slices.Repeat([]float64{.6}, 36)...), "not told apart from any of the 8 others at 95% confidence."},
		"outside":                  {outside, "the two are not told apart at 95% confidence. Take the probabilities as a guess: they were not fitted on such data."},
		"small":                    {small, "Take the probabilities as a guess: they were not fitted on such data."},
		"people":                   {rankedPage(t, 2, .98).judged(2, 1), "People put a first. From the texts alone, people would put a above b with a probability of 98%."},
		"people otherwise":         {rankedPage(t, 3, .8, .99, .98).judged(1, 3, 2), "People put b first. From the texts alone, a is most likely the best"},
		"people's ties":            {rankedPage(t, 3, .8, .99, .98).judged(2, 2, 1), "People put a and b first. "},
		"people level":             {rankedPage(t, 2, .98).judged(2, 2), "People put both systems level. "},
		"people of some":           {rankedPage(t, 3, .8, .99, .98).judged(0, 1, 2), "Of the 2 systems that people scored they put c first. "},
		"no references":            {unreferenced, "a is first by bleu (31.50), b and c are first by ter (40.00). How sure that is can't be told without references."},
		"people and no references": {asked.judged(1, 3, 2), "People put b first. a is first by bleu (31.50), b and c are first by ter (40.00). How sure that is can't be told without references."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.page.answer(); !strings.Contains(got, tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

var systemName = regexp.MustCompile(`\bs\d\b`)

// The answer names the system that is most likely the best, and all those from which it is not
// told apart.
func TestRankAnswerIsTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 6).Draw(t, "systems")
		p := rapid.SliceOfN(rapid.SampledFrom([]float64{.001, .04, .06, .3, .5, .7, .94, .96, .999}), n*(n-1)/2, n*(n-1)/2).Draw(t, "probabilities")
		o := rankedPage(t, n, p...).opinion
		var lead, alike, others []string
		isBest := func(k int) bool { return o.Best[k] > slices.Max(o.Best)-1e-9 }
		for k := range o.Systems {
			o.Systems[k] = fmt.Sprintf("s%d", k)
			if isBest(k) {
				lead = append(lead, o.Systems[k])
				continue
			}
			others = append(others, o.Systems[k])
			for b := range o.Systems {
				if isBest(b) && max(o.P[b][k], o.P[k][b]) < .95 {
					alike = append(alike, o.Systems[k])
					break
				}
			}
		}
		text := o.answer("")
		before, behind, isAlike := strings.Cut(text, "not told apart from")
		want := others
		if len(alike) > 0 {
			want = alike
		}
		if !isAlike {
			before, behind, _ = strings.Cut(text, "told apart from")
		}
		if len(others) == 0 {
			lead = nil // they are all, and counted
		}
		named := func(s string) []string { return slices.Sorted(slices.Values(systemName.FindAllString(s, -1))) }
		if isAlike != (len(alike) > 0) || !slices.Equal(named(before), lead) || !slices.Equal(named(behind), want) {
			t.Errorf("%s: the best %v, not told apart %v, others %v", text, lead, alike, others)
		}
	})
}
