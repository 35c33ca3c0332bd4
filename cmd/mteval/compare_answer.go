package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/compare"
)

// head has a sentence for each metric, which answers what was asked.
func (s *compareOutput) head() []string {
	var out []string
	for i := range s.results {
		out = append(out, s.answer(&s.results[i]))
	}
	return out
}

// A standing has the systems with the best mean, and the others by whether they are told apart from
// the first of these.
type standing struct {
	best         []string
	worse, alike comparedOthers
}

func (s *compareOutput) standing(r *compare.Result) standing {
	out := standing{best: []string{r.Systems[0].Name}}
	for i := range r.Systems[1:] {
		p := &r.Pairs[i] // the best one's come first
		switch name := r.Systems[p.B].Name; {
		case p.Difference == 0:
			out.best = append(out.best, name)
		case s.told(p):
			out.worse.add(name, s.p(p).Holm)
		default:
			out.alike.add(name, s.p(p).Holm)
		}
	}
	return out
}

// agree says whether two tell the same of all systems.
func (x *standing) agree(y *standing) bool {
	same := func(a, b []string) bool {
		return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
	}
	return x.best[0] == y.best[0] && same(x.best, y.best) && same(x.worse.names, y.worse.names)
}

// summary answers in one text, in which metrics that tell the same are told of together.
func (s *compareOutput) summary() string {
	var groups [][]*compare.Result
	var all []*standing // of each group
	for i := range s.results {
		r := &s.results[i]
		now := s.standing(r)
		g := slices.IndexFunc(all, func(x *standing) bool { return x.agree(&now) })
		if g < 0 {
			groups, all = append(groups, []*compare.Result{r}), append(all, &now)
			continue
		}
		groups[g] = append(groups[g], r)
		all[g].worse.p, all[g].alike.p = append(all[g].worse.p, now.worse.p...), append(all[g].alike.p, now.alike.p...)
	}
	var out []string
	for g, of := range groups {
		out = append(out, all[g].summary(of)...)
	}
	return strings.Join(out, " ")
}

// summary is what metrics tell that agree.
func (x *standing) summary(results []*compare.Result) []string {
	r := results[0]
	var metrics []string
	for _, r := range results {
		metrics = append(metrics, r.Metric)
	}
	if len(x.best) == len(r.Systems) {
		return []string{sentence(allSystems(len(r.Systems)) + " have the same mean by " + and(metrics))}
	}
	first := leads(x.best, metrics)
	if len(results) == 1 {
		next := r.Systems[len(x.best)]
		first += ahead(amount(r.Systems[0].Mean), r.LowerIsBetter, next.Name, amount(next.Mean))
	} else {
		first += "."
	}
	adjusted := ""
	if n := len(r.Pairs); n > 1 {
		adjusted = count(n, "pair")
	}
	return append([]string{first}, tested(itOf(x.best), x.worse, x.alike, adjusted)...)
}

// answer says which system is better, and how sure that is.
func (s *compareOutput) answer(r *compare.Result) string {
	if len(r.Systems) == 2 {
		return r.Metric + ": " + s.answerOfTwo(r)
	}
	x := s.standing(r)
	best, n := x.best[0], len(x.best)
	if n == len(r.Systems) {
		return fmt.Sprintf("%s: all %d systems have the same mean", r.Metric, n)
	}
	adjusted := fmt.Sprintf("adjusted for %d pairs", len(r.Pairs))
	out := r.Metric + ": " + best + " is "
	if n > 1 {
		out = fmt.Sprintf("%s: %s have the same mean, and are ahead; %s is ", r.Metric, these(x.best), best)
	} else if len(x.alike.names) > 0 {
		out += "ahead, and "
	}
	others := len(r.Systems) - n
	switch {
	case len(x.alike.names) == 0:
		return out + fmt.Sprintf("better than %s (%s, %s)", listed(x.worse.names, others), x.worse.atMost(), adjusted)
	case len(x.worse.names) == 0 && others > 1:
		return out + fmt.Sprintf("told apart from none of the %d others (%s, %s)", others, x.alike.atLeast(), adjusted)
	}
	out += fmt.Sprintf("not told apart from %s (%s, %s)", listed(x.alike.names, others), x.alike.atLeast(), adjusted)
	if len(x.worse.names) > 0 {
		out += "; it is better than " + listed(x.worse.names, others)
	}
	return out
}

func (s *compareOutput) answerOfTwo(r *compare.Result) string {
	best, other, p := r.Systems[0].Name, r.Systems[1].Name, &r.Pairs[0]
	by := fmt.Sprintf("by %s (95%% %s to %s, p = %s)", amount(p.Difference), amount(p.Interval.Low), amount(p.Interval.High), smallP(s.p(p).Holm))
	switch {
	case p.Difference == 0:
		return fmt.Sprintf("%s and %s have the same mean", best, other)
	case s.told(p):
		return fmt.Sprintf("%s is better than %s, %s", best, other, by)
	}
	return fmt.Sprintf("%s and %s are not told apart: %s is ahead %s", best, other, best, by)
}

// listed names systems, or says how many of all they are.
func listed(names []string, all int) string {
	switch n := len(names); {
	case n <= mostListed:
		return strings.Join(names, ", ")
	case n == all:
		return fmt.Sprintf("all %d others", n)
	default:
		return fmt.Sprintf("%d others", n)
	}
}

// smallP writes a p-value, which is not 0 where it is small.
func smallP(p float64) string {
	if p > 0 && p < .00005 {
		return strconv.FormatFloat(p, 'g', 2, 64)
	}
	return fixed(p)
}

// amount writes a mean or a difference, which is not 0 where it is small, as all are of some
// metrics. What is smaller than this comes of rounding.
func amount(v float64) string {
	switch x := math.Abs(v); {
	case x < 1e-12:
		return fixed(0)
	case x < .00005:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return fixed(v)
}
