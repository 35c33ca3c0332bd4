package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
)

// pairs says of each pair of systems that people scored differently which metrics are right,
// difficulty being estimated among all systems.
func pairs(ctx context.Context, o *ranking.Order, m []ranking.FieldMetric, z [][]float64) ([]pair, error) {
	var scores [][]float64
	for _, m := range m {
		x, err := m.Scores(ctx, o.Systems, o.Systems)
		if err != nil {
			return nil, err
		}
		scores = append(scores, x)
	}
	clearly := deviation(o.Human) / 4
	var out []pair
	for b, worse := range o.Human {
		for a, better := range o.Human[:b] {
			if better == worse {
				continue
			}
			p := pair{z: math.Abs(z[o.Systems[a]][o.Systems[b]]), clear: better-worse > clearly}
			for _, x := range scores {
				p.right = append(p.right, right(x[a]-x[b]))
			}
			out = append(out, p)
		}
	}
	return out, nil
}

func right(difference float64) float64 {
	switch {
	case difference > 0:
		return 1
	case difference == 0:
		return .5
	}
	return 0
}

// deviation is the standard deviation, with n − 1.
func deviation(x []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return math.Sqrt(squares / float64(len(x)-1))
}

// write prints all tables.
func write(ctx context.Context, w io.Writer, sets []*set, curve string) error {
	apart := func(s *set) bool { return s.target == "zh" || s.target == "ja" }
	for _, group := range []struct {
		title string
		sets  []*set
	}{
		{"Sets without Chinese and Japanese targets", slices.DeleteFunc(slices.Clone(sets), apart)},
		{"Sets with Chinese and Japanese targets", slices.DeleteFunc(slices.Clone(sets), func(s *set) bool { return !apart(s) })},
	} {
		if len(group.sets) == 0 {
			continue
		}
		fmt.Fprintf(w, "# %s: %d\n\n", group.title, len(group.sets))
		if err := writeGroup(ctx, w, group.sets); err != nil {
			return err
		}
	}
	for _, s := range sets {
		if s.name == curve {
			writeCurve(w, s)
		}
	}
	return nil
}

func writeGroup(ctx context.Context, w io.Writer, sets []*set) error {
	campaigns := []part{{"all", func(*set, *pair) bool { return true }}}
	for _, s := range sets {
		if !slices.ContainsFunc(campaigns, func(p part) bool { return p.name == s.campaign }) {
			campaigns = append(campaigns, part{s.campaign, func(t *set, _ *pair) bool { return t.campaign == s.campaign }})
		}
	}
	for _, t := range []struct {
		title string
		parts []part
		clear bool // pairs only
	}{
		{"Pairwise accuracy", campaigns, false},
		{"Pairwise accuracy by |z| of BERTScore", bands(), false},
		{"Pairwise accuracy, people's scores clearly different", campaigns, true},
		{"Pairwise accuracy by |z| of BERTScore, people's scores clearly different", bands(), true},
	} {
		var columns []column
		for _, p := range t.parts {
			in := func(s *set, q *pair) bool { return (q.clear || !t.clear) && p.in(s, q) }
			columns = append(columns, accuracies(sets, part{p.name, in}))
		}
		if err := writeFigures(ctx, w, t.title, columns); err != nil {
			return err
		}
	}
	writeDisagreements(w, sets)
	return writeCurves(ctx, w, sets, campaigns)
}

func writeCurves(ctx context.Context, w io.Writer, sets []*set, campaigns []part) error {
	var byCampaign, byK []column
	for _, p := range campaigns {
		byCampaign = append(byCampaign, curves(sets, p, ranking.FewestK, math.MaxInt))
	}
	limits := []int{ranking.FewestK, sixBest + 1, 11, math.MaxInt}
	for i, from := range limits[:len(limits)-1] {
		to := limits[i+1]
		p := part{fmt.Sprintf("K %d–%d", from, to-1), campaigns[0].in}
		if to == math.MaxInt {
			p.name = fmt.Sprintf("K %d and more", from)
		}
		byK = append(byK, curves(sets, p, from, to))
	}
	if err := writeFigures(ctx, w, "Mean of Kendall's tau over K", byCampaign); err != nil {
		return err
	}
	if err := writeFigures(ctx, w, "Mean of Kendall's tau over K, by K", byK); err != nil {
		return err
	}
	writeSigns(w, slices.Concat(byCampaign, byK))
	return nil
}

// A part of the pairs.
type part struct {
	name string
	in   func(*set, *pair) bool
}

// bands are the parts by |z| of BERTScore.
func bands() []part {
	out := []part{{"below 2", func(_ *set, p *pair) bool { return p.z < 2 }}}
	limits := []float64{0, 1, 2, 4, 8, math.Inf(1)}
	for i, from := range limits[:len(limits)-1] {
		to := limits[i+1]
		name := fmt.Sprintf("%g–%g", from, to)
		if math.IsInf(to, 1) {
			name = fmt.Sprintf("%g and more", from)
		}
		out = append(out, part{name, func(_ *set, p *pair) bool { return p.z >= from && p.z < to }})
	}
	return out
}

// A column has, of each set, a number of things and the sums of the forms' values of them.
type column struct {
	name string
	sets []sums
}

type sums struct {
	n      float64
	values []float64 // by form
}

// accuracies has how many pairs of each set there are, and on how many of them forms are right.
func accuracies(sets []*set, of part) column {
	c := column{name: of.name}
	for _, s := range sets {
		sum := sums{values: make([]float64, len(columns()))}
		for i := range s.pairs {
			p := &s.pairs[i]
			if !of.in(s, p) {
				continue
			}
			sum.n++
			for f, x := range p.right {
				sum.values[f] += x
			}
		}
		if sum.n > 0 {
			c.sets = append(c.sets, sum)
		}
	}
	return c
}

// curves has of each set the means of Kendall's tau over K from one to below another. A K is left
// out at which a form has none.
func curves(sets []*set, p part, from, to int) column {
	c := column{name: p.name}
	for _, s := range sets {
		if !p.in(s, nil) {
			continue
		}
		n, sum := 0.0, sums{n: 1, values: make([]float64, len(columns()))}
		for _, at := range s.curve {
			if at.K < from || at.K >= to || slices.ContainsFunc(at.Correlations, func(c ranking.Coefficients) bool { return c.Kendall == nil }) {
				continue
			}
			n++
			for f, c := range at.Correlations {
				sum.values[f] += *c.Kendall
			}
		}
		if n == 0 {
			continue
		}
		for f := range sum.values {
			sum.values[f] /= n
		}
		c.sets = append(c.sets, sum)
	}
	return c
}

// means are the forms' values over all things of some sets, and how far they are above the
// first form's.
func (c column) means(set func(i int) int, forms int) (means, gains []float64) {
	n, means, gains := 0.0, make([]float64, forms), make([]float64, forms)
	for i := range c.sets {
		s := c.sets[set(i)]
		n += s.n
		for f, v := range s.values {
			means[f] += v
		}
	}
	for f := range means {
		means[f] /= n
		gains[f] = means[f] - means[0]
	}
	return means, gains
}

// writeFigures prints the values of all forms and their differences to BERTScore's, with
// intervals of 95% by resampling sets.
func writeFigures(ctx context.Context, w io.Writer, title string, all []column) error {
	forms := columns()
	values, gains := table{title: title, header: []string{""}}, table{title: "The same, less BERTScore's", header: []string{""}}
	for _, f := range forms {
		values.rows, gains.rows = append(values.rows, []string{f}), append(gains.rows, []string{f})
	}
	for _, c := range all {
		things := 0.0
		for _, s := range c.sets {
			things += s.n
		}
		if things == 0 {
			continue
		}
		name := fmt.Sprintf("%s (%.0f in %d sets)", c.name, things, len(c.sets))
		values.header, gains.header = append(values.header, name), append(gains.header, name)
		value, gain := c.means(func(i int) int { return i }, len(forms))
		samples, err := significance.Resample(ctx, len(c.sets), significance.Options{}, 2*len(forms), func(draws []uint32, out []float64) error {
			value, gain := c.means(func(i int) int { return int(draws[i]) }, len(forms))
			copy(out[copy(out, value):], gain)
			return nil
		})
		if err != nil {
			return err
		}
		for f := range forms {
			values.rows[f] = append(values.rows[f], number("%.4f", value[f])+interval("%.3f", samples[f]))
			gains.rows[f] = append(gains.rows[f], number("%+.4f", gain[f])+interval("%+.3f", samples[len(forms)+f]))
		}
	}
	values.write(w)
	gains.write(w)
	return nil
}

// interval is that of samples, and nothing where they are all the same.
func interval(format string, samples []float64) string {
	i := significance.Interval95(samples)
	if i.Low == i.High {
		return ""
	}
	return " [" + number(format, i.Low) + " " + number(format, i.High) + "]"
}

// writeSigns prints in how many sets forms are better than BERTScore, the same, and worse.
func writeSigns(w io.Writer, all []column) {
	t := table{title: "Sets whose mean over K is better than BERTScore's / the same / worse", header: []string{""}}
	for _, c := range all {
		t.header = append(t.header, c.name)
	}
	for f, name := range columns() {
		row := []string{name}
		for _, c := range all {
			var better, same, worse int
			for _, s := range c.sets {
				switch d := s.values[f] - s.values[0]; {
				case math.Abs(d) < 1e-9:
					same++
				case d > 0:
					better++
				default:
					worse++
				}
			}
			row = append(row, fmt.Sprintf("%d / %d / %d", better, same, worse))
		}
		t.rows = append(t.rows, row)
	}
	t.write(w)
}

// writeDisagreements prints how often a form is right where it disagrees with BERTScore.
func writeDisagreements(w io.Writer, sets []*set) {
	t := table{title: "Right where it disagrees with BERTScore, by |z| of BERTScore", header: []string{""}}
	for _, b := range bands() {
		t.header = append(t.header, b.name)
	}
	for f, name := range columns()[1:] {
		row := []string{name}
		for _, b := range bands() {
			n, sum := 0, 0.0
			for _, s := range sets {
				for i := range s.pairs {
					if p := &s.pairs[i]; b.in(s, p) && p.right[f+1] != p.right[0] {
						n++
						sum += p.right[f+1]
					}
				}
			}
			cell := "–"
			if n > 0 {
				cell = number("%.3f", sum/float64(n)) + fmt.Sprintf(" of %d", n)
			}
			row = append(row, cell)
		}
		t.rows = append(t.rows, row)
	}
	t.write(w)
}

// sixBest are the systems of the paper's Table 1.
const sixBest = 6

// writeCurve prints the coefficients of a set by K, and what forms make of the six best.
func writeCurve(w io.Writer, s *set) {
	curve := table{title: s.name + ", the K best: Kendall / Pearson", header: append([]string{"K"}, columns()...)}
	for _, at := range s.curve {
		row := []string{fmt.Sprint(at.K)}
		for _, c := range at.Correlations {
			row = append(row, coefficient(c.Kendall)+" / "+coefficient(c.Pearson))
		}
		curve.rows = append(curve.rows, row)
	}
	curve.write(w)
	for _, at := range s.curve {
		if at.K != sixBest {
			continue
		}
		six := table{title: s.name + ", the six best", header: []string{"", "Kendall", "Spearman", "Pearson", "rank differences", "rank of people's first"}}
		people := ranking.Ranks(s.order.Human[:sixBest], false)
		for f, c := range at.Correlations {
			ranks, sum := ranking.Ranks(at.Scores[f], false), 0
			for i, r := range ranks {
				sum += max(r-people[i], people[i]-r)
			}
			six.rows = append(six.rows, []string{columns()[f], coefficient(c.Kendall), coefficient(c.Spearman), coefficient(c.Pearson), fmt.Sprint(sum), fmt.Sprint(ranks[0])})
		}
		six.write(w)
	}
}

func coefficient(x *float64) string {
	if x == nil {
		return "–"
	}
	return number("%.3f", *x)
}

// number has no 0 before the point, a minus that is one, and none at 0.
func number(format string, x float64) string {
	s := fmt.Sprintf(format, x)
	if strings.Trim(s, "-0.") == "" {
		s = fmt.Sprintf(format, 0.)
	}
	sign := strings.TrimRight(s, "0123456789.")
	return strings.Replace(sign, "-", "−", 1) + strings.TrimPrefix(s[len(sign):], "0")
}

// A table in Markdown.
type table struct {
	title  string
	header []string
	rows   [][]string
}

func (t table) write(w io.Writer) {
	fmt.Fprintf(w, "%s:\n\n| %s |\n|%s\n", t.title, strings.Join(t.header, " | "), strings.Repeat("---|", len(t.header)))
	for _, row := range t.rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintln(w)
}
