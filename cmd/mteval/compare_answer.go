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

// summary is head in one text, in which metrics that tell the same are told of together.
func (s *compareOutput) summary() string {
	var out []string
	said := make(map[string]bool)
	for i := range s.results {
		verdict, alike := s.verdict(&s.results[i]), []string{}
		for j := range s.results {
			if s.verdict(&s.results[j]) == verdict {
				alike = append(alike, s.results[j].Metric)
			}
		}
		switch {
		case len(alike) == 1:
			out = append(out, s.answer(&s.results[i])+".")
		case !said[verdict]:
			out = append(out, fmt.Sprintf("By %s %s (at %v, adjusted for %s).", and(alike), verdict, s.options.alpha, count(len(s.results[i].Pairs), "pair")))
		}
		said[verdict] = true
	}
	return strings.Join(out, " ")
}

// verdict is answer without figures.
func (s *compareOutput) verdict(r *compare.Result) string {
	best := []string{r.Systems[0].Name}
	var alike, worse []string
	for i := range r.Systems[1:] {
		p := &r.Pairs[i] // the best one's come first
		switch name := r.Systems[p.B].Name; {
		case p.Difference == 0:
			best = append(best, name)
		case s.told(p):
			worse = append(worse, name)
		default:
			alike = append(alike, name)
		}
	}
	for _, names := range [][]string{best[1:], alike, worse} {
		slices.Sort(names)
	}
	others := len(r.Systems) - len(best)
	switch it := plural(len(best), "it", best[0]); {
	case others == 0:
		return fmt.Sprintf("all %d systems have the same mean", len(best))
	case len(alike) == 0 && len(best) == 1:
		return best[0] + " is better than " + allOf(worse, others)
	case len(alike) == 0:
		return fmt.Sprintf("%s have the same mean, and are ahead; %s is better than %s", these(best), it, allOf(worse, others))
	case len(worse) == 0:
		return fmt.Sprintf("%s %s ahead; %s is not told apart from %s", these(best), plural(len(best), "is", "are"), it, noneOf(alike, others))
	default:
		return fmt.Sprintf("%s %s ahead; %s is not told apart from %s, and better than %s", these(best), plural(len(best), "is", "are"), it, noneOf(alike, others), allOf(worse, others))
	}
}

// answer says which system is better, and how sure that is.
func (s *compareOutput) answer(r *compare.Result) string {
	if len(r.Systems) == 2 {
		return r.Metric + ": " + s.answerOfTwo(r)
	}
	best := r.Systems[0].Name
	same := []string{best}
	var alike, worse comparedOthers
	for i := range r.Systems[1:] {
		p := &r.Pairs[i] // the best one's come first
		switch name := r.Systems[p.B].Name; {
		case p.Difference == 0:
			same = append(same, name)
		case s.told(p):
			worse.add(name, s.p(p).Holm)
		default:
			alike.add(name, s.p(p).Holm)
		}
	}
	if len(same) == len(r.Systems) {
		return fmt.Sprintf("%s: all %d systems have the same mean", r.Metric, len(same))
	}
	adjusted := fmt.Sprintf("adjusted for %d pairs", len(r.Pairs))
	out := r.Metric + ": " + best + " is "
	if n := len(same); n > mostListed {
		out = fmt.Sprintf("%s: %d systems have the same mean, and are ahead; %s is ", r.Metric, n, best)
	} else if n > 1 {
		out = fmt.Sprintf("%s: %s have the same mean, and are ahead; %s is ", r.Metric, strings.Join(same[:n-1], ", ")+" and "+same[n-1], best)
	} else if len(alike.names) > 0 {
		out += "ahead, and "
	}
	others := len(r.Systems) - len(same)
	switch {
	case len(alike.names) == 0:
		return out + fmt.Sprintf("better than %s (%s, %s)", listed(worse.names, others), worse.atMost(), adjusted)
	case len(worse.names) == 0 && others > 1:
		return out + fmt.Sprintf("told apart from none of the %d others (%s, %s)", others, alike.atLeast(), adjusted)
	}
	out += fmt.Sprintf("not told apart from %s (%s, %s)", listed(alike.names, others), alike.atLeast(), adjusted)
	if len(worse.names) > 0 {
		out += "; it is better than " + listed(worse.names, others)
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

// comparedOthers are systems beside the best one, with their p-values against it.
type comparedOthers struct {
	names []string
	p     []float64
}

func (o *comparedOthers) add(name string, p float64) {
	o.names, o.p = append(o.names, name), append(o.p, p)
}

func (o *comparedOthers) atLeast() string { return o.bound("≥", slices.Min(o.p)) }
func (o *comparedOthers) atMost() string  { return o.bound("≤", slices.Max(o.p)) }

func (o *comparedOthers) bound(sign string, p float64) string {
	if slices.Min(o.p) == slices.Max(o.p) {
		sign = "="
	}
	return "p " + sign + " " + smallP(p)
}

// mostListed is how many systems a sentence names.
const mostListed = 6

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
