package score

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
)

// answer says which system is best by the first metric, how sure that is as far as it was tested,
// and what the other metrics say.
func (o *scoreOptions) answer(columns []*scoreColumn) string {
	if len(columns[0].results) == 1 {
		return o.answerOfOne(columns)
	}
	out := []string{o.first(columns[0])}
	if best := columns[0].best(); len(best) < len(columns[0].results) {
		if o.paired == "" {
			out = append(out, app.NotTested+": --paired bs tests it.")
		} else {
			out = append(out, o.tested(columns[0], best)...)
		}
	}
	return strings.Join(append(out, o.beside(columns)...), " ")
}

// answerOfOne has the scores of a single system.
func (o *scoreOptions) answerOfOne(columns []*scoreColumn) string {
	var scores []string
	for _, c := range columns {
		text := o.shown(c, c.results[0].Score)
		if i := c.results[0].Confidence; i != nil {
			text += fmt.Sprintf(" (95%% interval %s to %s)", o.shown(c, i.Low), o.shown(c, i.High))
		}
		scores = append(scores, c.info.Name+" "+text)
	}
	return columns[0].results[0].System + " has " + app.And(scores) + "."
}

// shown is a score as tables have it.
func (o *scoreOptions) shown(c *scoreColumn, score float64) string {
	return app.Format(c.info, score, o.width)
}

// best are the systems with the best score, more than one where they have the same.
func (c *scoreColumn) best() []int {
	var out []int
	for k, r := range c.results {
		switch {
		case len(out) == 0 || c.better(r.Score, c.results[out[0]].Score):
			out = []int{k}
		case r.Score == c.results[out[0]].Score:
			out = append(out, k)
		}
	}
	return out
}

func (c *scoreColumn) better(a, b float64) bool {
	if c.info.LowerIsBetter {
		return a < b
	}
	return a > b
}

// next is the best system behind the best ones.
func (c *scoreColumn) next(best []int) int {
	next := -1
	for k, r := range c.results {
		if r.Score != c.results[best[0]].Score && (next < 0 || c.better(r.Score, c.results[next].Score)) {
			next = k
		}
	}
	return next
}

// names are those of some of the systems.
func (c *scoreColumn) names(systems []int) []string {
	var out []string
	for _, k := range systems {
		out = append(out, c.results[k].System)
	}
	return out
}

// first says which system is best by a metric, and which is next.
func (o *scoreOptions) first(c *scoreColumn) string {
	best := c.best()
	score := o.shown(c, c.results[best[0]].Score)
	if len(best) == len(c.results) {
		return app.Sentence(fmt.Sprintf("%s have the same %s (%s)", app.AllSystems(len(best)), c.info.Name, score))
	}
	next := c.next(best)
	return app.Leads(c.names(best), []string{c.info.Name}) + app.Ahead(score, c.info.LowerIsBetter, c.results[next].System, o.shown(c, c.results[next].Score))
}

// tested says what the tests against the first system say of the best ones.
func (o *scoreOptions) tested(c *scoreColumn, best []int) []string {
	first, it := c.results[0].System, app.ItOf(c.names(best))
	var worse, alike app.ComparedOthers
	of := func(name string, p float64) {
		if significant(p) {
			worse.Add(name, p)
		} else {
			alike.Add(name, p)
		}
	}
	if best[0] == 0 {
		for _, r := range c.results[1:] {
			if r.Score != c.results[0].Score {
				of(r.System, *r.P)
			}
		}
		return app.Tested(it, worse, alike, "")
	}
	of(first, *c.results[best[0]].P)
	out := app.Tested(it, worse, alike, "")
	if next := c.next(best); next != 0 {
		out = append(out, fmt.Sprintf("%s was not tested against %s, as tests are against the first system alone.", it, c.results[next].System))
	}
	return out
}

// significant is what has a star.
func significant(p float64) bool { return p < .05 }

// beside says what the other metrics put first.
func (o *scoreOptions) beside(columns []*scoreColumn) []string {
	best := columns[0].best()
	var same, other []string
	for _, c := range columns[1:] {
		names := c.best()
		switch {
		case len(names) == len(c.results):
			other = append(other, "by "+c.info.Name+" all are level")
		case slices.Equal(names, best):
			same = append(same, c.info.Name)
		default:
			other = append(other, fmt.Sprintf("by %s %s %s first (%s)", c.info.Name, app.These(c.names(names)), app.Plural(len(names), "is", "are"), o.shown(c, c.results[names[0]].Score)))
		}
	}
	var out []string
	if len(same) > 0 {
		out = append(out, app.And(same)+" "+app.Plural(len(same), "puts", "put")+" "+app.Plural(len(best), "it", "the same")+" first, too.")
	}
	if len(other) > 0 {
		text := strings.Join(other, ", ")
		out = append(out, strings.ToUpper(text[:1])+text[1:]+".")
	}
	return out
}
