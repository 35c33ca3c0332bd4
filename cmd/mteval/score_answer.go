package main

import (
	"fmt"
	"slices"
	"strings"
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
			out = append(out, "Whether other texts would show that was not tested: --paired bs tests it.")
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
			text += fmt.Sprintf(" (95%% %s to %s)", o.shown(c, i.Low), o.shown(c, i.High))
		}
		scores = append(scores, c.info.Name+" "+text)
	}
	return columns[0].results[0].System + " has " + and(scores) + "."
}

// shown is a score as tables have it.
func (o *scoreOptions) shown(c *scoreColumn, score float64) string {
	return format(c.info, score, o.width)
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
		return fmt.Sprintf("All %d systems have the same %s (%s).", len(best), c.info.Name, score)
	}
	next := c.next(best)
	out := fmt.Sprintf("%s has the best %s", c.results[best[0]].System, c.info.Name)
	if len(best) > 1 {
		out = fmt.Sprintf("%s have the same %s, which is the best", these(c.names(best)), c.info.Name)
	}
	of := score
	if c.info.LowerIsBetter {
		of += "; less is better"
	}
	after := fmt.Sprintf("%s (%s)", c.results[next].System, o.shown(c, c.results[next].Score))
	if o.shown(c, c.results[next].Score) == score {
		after = c.results[next].System + ", which has as much but for digits that are not shown"
	}
	return fmt.Sprintf("%s (%s), ahead of %s.", out, of, after)
}

// tested says what the tests against the first system say of the best ones.
func (o *scoreOptions) tested(c *scoreColumn, best []int) []string {
	first := c.results[0].System
	if k := best[0]; k != 0 {
		p := *c.results[k].P
		it := "It"
		if len(best) > 1 {
			it = c.results[k].System
		}
		out := it + " is not told apart from " + first
		if significant(p) {
			out = it + " is significantly better than " + first
		}
		out += fmt.Sprintf(" (p = %s)", smallP(p))
		if next := c.next(best); next != 0 {
			out += ", but was not tested against " + c.results[next].System
		}
		return []string{out + "."}
	}
	var alike, worse comparedOthers
	for _, r := range c.results[1:] {
		switch {
		case r.Score == c.results[0].Score:
		case significant(*r.P):
			worse.add(r.System, *r.P)
		default:
			alike.add(r.System, *r.P)
		}
	}
	others, it := len(alike.names)+len(worse.names), "It"
	if len(best) > 1 {
		it = first
	}
	var out []string
	if len(worse.names) > 0 {
		out = append(out, fmt.Sprintf("%s is significantly better than %s (%s).", it, allOf(worse.names, others), worse.atMost()))
	}
	if len(alike.names) > 0 {
		out = append(out, fmt.Sprintf("%s is not told apart from %s (%s).", it, noneOf(alike.names, others), alike.atLeast()))
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
			other = append(other, fmt.Sprintf("by %s %s %s first (%s)", c.info.Name, these(c.names(names)), plural(len(names), "is", "are"), o.shown(c, c.results[names[0]].Score)))
		}
	}
	var out []string
	if len(same) > 0 {
		out = append(out, and(same)+" "+plural(len(same), "puts", "put")+" "+plural(len(best), "it", "the same")+" first, too.")
	}
	if len(other) > 0 {
		text := strings.Join(other, ", ")
		out = append(out, strings.ToUpper(text[:1])+text[1:]+".")
	}
	return out
}
