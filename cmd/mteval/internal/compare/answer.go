package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
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
	worse, alike app.ComparedOthers
}

func (s *compareOutput) standing(r *compare.Result) standing {
	out := standing{best: []string{r.Systems[0].Name}}
	for i := range r.Systems[1:] {
		p := &r.Pairs[i] // the best one's come first
		switch name := r.Systems[p.B].Name; {
		case p.Difference == 0:
			out.best = append(out.best, name)
		case s.told(p):
			out.worse.Add(name, s.p(p).Holm)
		default:
			out.alike.Add(name, s.p(p).Holm)
		}
	}
	return out
}

// agree says whether two tell the same of all systems.
func (x *standing) agree(y *standing) bool {
	same := func(a, b []string) bool {
		return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
	}
	return x.best[0] == y.best[0] && same(x.best, y.best) && same(x.worse.Names, y.worse.Names)
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
		all[g].worse.P, all[g].alike.P = append(all[g].worse.P, now.worse.P...), append(all[g].alike.P, now.alike.P...)
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
		return []string{app.Sentence(app.AllSystems(len(r.Systems)) + " have the same mean by " + app.And(metrics))}
	}
	first := app.Leads(x.best, metrics)
	if len(results) == 1 {
		next := r.Systems[len(x.best)]
		first += app.Ahead(show.Score.Format(r.Systems[0].Mean, 0), r.LowerIsBetter, next.Name, show.Score.Format(next.Mean, 0))
	} else {
		first += "."
	}
	adjusted := ""
	if n := len(r.Pairs); n > 1 {
		adjusted = app.Count(n, "pair")
	}
	return append([]string{first}, app.Tested(app.ItOf(x.best), x.worse, x.alike, adjusted)...)
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
		out = fmt.Sprintf("%s: %s have the same mean, and are ahead; %s is ", r.Metric, app.These(x.best), best)
	} else if len(x.alike.Names) > 0 {
		out += "ahead, and "
	}
	others := len(r.Systems) - n
	switch {
	case len(x.alike.Names) == 0:
		return out + fmt.Sprintf("better than %s (%s, %s)", listed(x.worse.Names, others), x.worse.AtMost(), adjusted)
	case len(x.worse.Names) == 0 && others > 1:
		return out + fmt.Sprintf("told apart from none of the %d others (%s, %s)", others, x.alike.AtLeast(), adjusted)
	}
	out += fmt.Sprintf("not told apart from %s (%s, %s)", listed(x.alike.Names, others), x.alike.AtLeast(), adjusted)
	if len(x.worse.Names) > 0 {
		out += "; it is better than " + listed(x.worse.Names, others)
	}
	return out
}

func (s *compareOutput) answerOfTwo(r *compare.Result) string {
	best, other, p := r.Systems[0].Name, r.Systems[1].Name, &r.Pairs[0]
	by := fmt.Sprintf("by %s (95%% %s to %s, p = %s)", show.Score.Format(p.Difference, 0), show.Score.Format(p.Interval.Low, 0), show.Score.Format(p.Interval.High, 0), show.PValue.Format(s.p(p).Holm, 0))
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
	case n <= app.MostListed:
		return strings.Join(names, ", ")
	case n == all:
		return fmt.Sprintf("all %d others", n)
	default:
		return fmt.Sprintf("%d others", n)
	}
}
