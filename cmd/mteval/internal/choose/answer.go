package choose

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/report"
)

// answer says which methods beat random choice, and at which budgets.
func (c *selectCurves) answer() string {
	var beaten, budgets []string
	for _, cost := range c.costs {
		budgets = append(budgets, cost.sizes())
		if better, _ := cost.against(); len(better) > 0 {
			beaten = append(beaten, fmt.Sprintf("with budgets of %s by %s", cost.sizes(), app.SomeOf(better)))
		}
	}
	methods := c.costs[0].Curves
	switch {
	case len(beaten) > 0:
		return "Random choice of segments is beaten " + strings.Join(beaten, ", and ") + "."
	case len(methods) == 1:
		return fmt.Sprintf("%s does not beat random choice of segments, with budgets of %s.", methods[0].Name, strings.Join(budgets, " or of "))
	}
	return fmt.Sprintf("None of the %d methods beats random choice of segments, with budgets of %s.", len(methods), strings.Join(budgets, " or of "))
}

// against are the methods that are above the middle 95% of random choices, and those below, with
// what at and where.
func (c costCurves) against() (better, worse []string) {
	for i := range c.Curves {
		var up, down []string
		for _, k := range curveKinds {
			above, below := c.beyond(i, k)
			if above != "" {
				up = append(up, k.of+" "+above)
			}
			if below != "" {
				down = append(down, k.of+" "+below)
			}
		}
		if len(up) > 0 {
			better = append(better, c.Curves[i].Name+" ("+strings.Join(up, ", ")+")")
		}
		if len(down) > 0 {
			worse = append(worse, c.Curves[i].Name+" ("+strings.Join(down, ", ")+")")
		}
	}
	return better, worse
}

// worse says which methods random choice beats.
func (c *selectCurves) worse() []string {
	var out []string
	for _, cost := range c.costs {
		if _, worse := cost.against(); len(worse) > 0 {
			out = append(out, fmt.Sprintf("With budgets of %s random choice beats %s.", cost.sizes(), app.SomeOf(worse)))
		}
	}
	return out
}

// beyond says at which budgets a method is above the middle 95% of random choices, and at which
// below, and whether it is on the mean.
func (c costCurves) beyond(i int, k curveKind) (above, below string) {
	v := k.verdict(c.Evaluation, i)
	at := make(map[int][]string)
	for s, verdict := range v.Sizes {
		at[verdict] = append(at[verdict], strconv.Itoa(c.Sizes[s]))
	}
	return c.where(at[1], v.Mean == 1), c.where(at[-1], v.Mean == -1)
}

// where names budgets, and the mean over them.
func (c costCurves) where(sizes []string, mean bool) string {
	var at []string
	switch n := len(sizes); {
	case n == len(c.Sizes):
		at = append(at, "at every budget")
	case n > app.MostListed:
		at = append(at, fmt.Sprintf("at %d of %d budgets", n, len(c.Sizes)))
	case n > 0:
		at = append(at, "at "+app.And(sizes))
	}
	if mean {
		at = append(at, "on the mean over budgets")
	}
	return strings.Join(at, " and ")
}

// picture has the methods' means over budgets: how many clusters are told apart, beside random
// choices with their middle 95%.
func (c costCurves) picture() *report.Bars {
	out := &report.Bars{Title: "How many clusters of systems are told apart, on the mean over budgets of " + c.sizes(), Axis: "clusters, of random choices with the middle 95%", Points: true}
	_, in := clustersOf.random(c.Evaluation)
	out.Bars = []report.Bar{{Name: "random", Value: in.Mean, Interval: &report.Interval{Low: in.Low, High: in.High}, Text: clustersOf.format(in.Mean)}}
	for i := range c.Curves {
		v, _ := clustersOf.mean(&c.Curves[i])
		out.Bars = append(out.Bars, report.Bar{Name: c.Curves[i].Name, Value: v, Text: clustersOf.format(v) + marks[clustersOf.verdict(c.Evaluation, i).Mean]})
	}
	return out
}
