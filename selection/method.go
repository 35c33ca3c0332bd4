package selection

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/nearest"
	"github.com/mteval/mteval/metaeval"
)

var methodNames = []string{"variance", "consistency", "average", "diversity", "difficulty", "length", "random"}

// ofScores is how many of methodNames, the first, are of a metric's scores.
const ofScores = 3

// MethodNames are the names that a part of a method can have.
func MethodNames() []string { return slices.Clone(methodNames) }

// StandardMatcher is the metric that difficulty is of where none is named.
const StandardMatcher = "bertscore"

// A Method is a way of choosing in words: consistency+2*variance:COMET, which is a sum of two parts.
type Method struct {
	Text  string // as it was written
	Parts []Part
}

// A Part is WEIGHT*NAME:METRIC.
type Part struct {
	Weight float64 // above 0, and at most a million
	Name   string  // one of MethodNames
	Metric string  // "": none was named
}

// ParseMethod reads a method. A part without a weight has 1.
func ParseMethod(text string) (Method, error) {
	m := Method{Text: text}
	for _, part := range strings.Split(text, "+") {
		p, err := parsePart(part)
		if last := len(m.Parts) - 1; err != nil && last >= 0 && m.Parts[last].Metric != "" {
			// Names of metrics, such as chrf++, can have a + in them.
			m.Parts[last].Metric += "+" + part
			continue
		}
		if err != nil {
			return m, err
		}
		m.Parts = append(m.Parts, p)
	}
	return m, nil
}

func parsePart(text string) (Part, error) {
	p := Part{Weight: 1, Name: strings.TrimSpace(text)}
	if w, rest, ok := strings.Cut(p.Name, "*"); ok && !strings.Contains(w, ":") {
		var err error
		if p.Weight, err = strconv.ParseFloat(strings.TrimSpace(w), 64); err != nil || !(p.Weight > 0) || p.Weight > 1e6 {
			return p, fmt.Errorf("a weight of %q, which must be a number above 0 and at most a million", w)
		}
		p.Name = strings.TrimSpace(rest)
	}
	p.Name, p.Metric, _ = strings.Cut(p.Name, ":")
	if !slices.Contains(methodNames, p.Name) {
		return p, fmt.Errorf("no method %q%s: have %s, and sums of them", p.Name, nearest.DidYouMean(p.Name, "", methodNames), strings.Join(methodNames, ", "))
	}
	if p.Metric != "" && (p.Name == "random" || p.Name == "length") {
		return p, fmt.Errorf("%s is of no metric", p.Name)
	}
	return p, nil
}

// Resolved is the method in words, with the metric of each part that has one: where none is named,
// the first of metrics, which has scores, and StandardMatcher.
func (m Method) Resolved(metrics []string) string {
	var parts []string
	for _, p := range m.Parts {
		text := p.Name
		if p.Weight != 1 {
			text = decimal.Format(p.Weight) + "*" + text
		}
		metric := p.Metric
		if metric == "" && len(metrics) > 0 && slices.Contains(methodNames[:ofScores], p.Name) {
			metric = metrics[0]
		}
		if metric == "" && p.Name == "difficulty" {
			metric = StandardMatcher
		}
		if metric != "" {
			text += ":" + metric
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "+")
}

// StandardMethods are those where none is named: the one to choose by, or those to compare on a set.
// The metrics have scores.
func (s *Set) StandardMethods(metrics []string, compare bool) []Method {
	switch {
	case !compare && len(metrics) == 0:
		return []Method{method("", "diversity")}
	case !compare:
		return []Method{method("", "variance", "consistency")}
	}
	var out []Method
	for _, metric := range metrics {
		if len(metrics) == 1 {
			metric = ""
		}
		out = append(out, method(metric, "variance"), method(metric, "consistency"), method(metric, "variance", "consistency"), method(metric, "average"))
	}
	if s.Systems != nil {
		out = append(out, method("", "diversity"))
	}
	if s.References != nil {
		out = append(out, method("", "difficulty"))
	}
	return out
}

// method is a sum of parts of weight 1, of one metric.
func method(metric string, names ...string) Method {
	var m Method
	var texts []string
	for _, name := range names {
		m.Parts = append(m.Parts, Part{1, name, metric})
		if metric != "" {
			name += ":" + metric
		}
		texts = append(texts, name)
	}
	m.Text = strings.Join(texts, "+")
	return m
}

// Utilities are those of a part that is of a metric's scores.
func (p Part) Utilities(m metaeval.Metric) ([]float64, error) {
	switch p.Name {
	case "variance":
		return Variance(m)
	case "consistency":
		return Consistency(m)
	case "average":
		return Average(m)
	}
	return nil, fmt.Errorf("selection: %s is not of a metric's scores", p.Name)
}

// TableUtilities are Utilities by the scores of a table's segments.
func (p Part) TableUtilities(t *mteval.Table) ([]float64, error) {
	if t == nil {
		return nil, errors.New("selection: no table of scores")
	}
	m := metaeval.TableSegments(t)
	m.Name = t.Info.Name
	return p.Utilities(m)
}
