package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/nearest"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
	"github.com/mteval/mteval/selection"
)

// methodNames are the ways of choosing, of which the first metricMethods are of scores.
var methodNames = []string{"variance", "consistency", "average", "diversity", "difficulty", "length", "random"}

const metricMethods = 3

// standardMatcher is the metric that difficulty is of where none is named.
const standardMatcher = "bertscore"

// A selectMethod is a sum of terms, as it was written.
type selectMethod struct {
	text  string
	terms []methodTerm
}

// A methodTerm is WEIGHT*NAME:METRIC, of which the name is always there.
type methodTerm struct {
	weight       float64
	name, metric string
}

// parseMethods reads methods, with commas between.
func parseMethods(texts []string) ([]selectMethod, error) {
	var out []selectMethod
	for _, text := range texts {
		for _, one := range flags.Split(text) {
			m, err := parseMethod(strings.TrimSpace(one))
			if err != nil {
				return nil, fmt.Errorf("--method %s: %w", text, err)
			}
			if slices.ContainsFunc(out, func(o selectMethod) bool { return o.text == m.text }) {
				return nil, fmt.Errorf("--method: %s twice", m.text)
			}
			out = append(out, m)
		}
	}
	return out, nil
}

func parseMethod(text string) (selectMethod, error) {
	m := selectMethod{text: text}
	for _, part := range strings.Split(text, "+") {
		t, err := parseTerm(part)
		if last := len(m.terms) - 1; err != nil && last >= 0 && m.terms[last].metric != "" {
			// Names of metrics, such as chrf++, can have a + in them.
			m.terms[last].metric += "+" + part
			continue
		}
		if err != nil {
			return m, err
		}
		m.terms = append(m.terms, t)
	}
	return m, nil
}

func parseTerm(text string) (methodTerm, error) {
	t := methodTerm{weight: 1, name: strings.TrimSpace(text)}
	if w, rest, ok := strings.Cut(t.name, "*"); ok && !strings.Contains(w, ":") {
		var err error
		if t.weight, err = strconv.ParseFloat(strings.TrimSpace(w), 64); err != nil || !(t.weight > 0) || t.weight > 1e6 {
			return t, fmt.Errorf("a weight of %q, which must be a number above 0 and at most a million", w)
		}
		t.name = strings.TrimSpace(rest)
	}
	t.name, t.metric, _ = strings.Cut(t.name, ":")
	if !slices.Contains(methodNames, t.name) {
		return t, fmt.Errorf("no method %q%s: have %s, and sums of them", t.name, nearest.DidYouMean(t.name, "", methodNames), strings.Join(methodNames, ", "))
	}
	if t.metric != "" && (t.name == "random" || t.name == "length") {
		return t, fmt.Errorf("%s is of no metric", t.name)
	}
	return t, nil
}

// standardMethods are those where none was named: one to choose by, or those to compare.
func (in *selectInput) standardMethods() []selectMethod {
	var texts []string
	metrics := in.metricNames()
	switch {
	case !in.options.evaluate && len(metrics) == 0:
		texts = []string{"diversity"}
	case !in.options.evaluate:
		texts = []string{"variance+consistency"}
	default:
		for _, m := range metrics {
			of := ""
			if len(metrics) > 1 {
				of = ":" + m
			}
			texts = append(texts, "variance"+of, "consistency"+of, "variance"+of+"+consistency"+of, "average"+of)
		}
		if in.work.systems != nil {
			texts = append(texts, "diversity")
		}
		if in.work.corpus.Refs != nil {
			texts = append(texts, "difficulty")
		}
	}
	var out []selectMethod
	for _, text := range texts {
		m := selectMethod{text: text}
		for _, part := range strings.Split(text, "+") {
			name, metric, _ := strings.Cut(part, ":")
			m.terms = append(m.terms, methodTerm{1, name, metric})
		}
		out = append(out, m)
	}
	return out
}

// metricNames are those of the metrics that a method may leave unnamed if there is one.
func (in *selectInput) metricNames() []string {
	var out []string
	for _, m := range in.scores {
		out = append(out, m.Name)
	}
	if len(out) == 0 || in.options.flags.Set.Changed("metrics") {
		for _, name := range in.options.flags.Unique(in.options.metrics) {
			if in.work.corpus.Refs != nil || in.sources != nil && registry.Name(name) == "comet" {
				out = append(out, in.options.flags.Label(name))
			}
		}
	}
	return out
}

// resolved is a method with the metrics that were taken where none was named.
func (in *selectInput) resolved(m selectMethod) string {
	var parts []string
	for _, t := range m.terms {
		part := t.name
		if t.weight != 1 {
			part = decimal.Format(t.weight) + "*" + part
		}
		metric := t.metric
		if known := in.metricNames(); metric == "" && len(known) > 0 && slices.Contains(methodNames[:metricMethods], t.name) {
			metric = known[0]
		}
		if metric == "" && t.name == "difficulty" {
			metric = standardMatcher
		}
		if metric != "" {
			part += ":" + metric
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "+")
}

// utilities are those of a method.
func (in *selectInput) utilities(ctx context.Context, m selectMethod) ([]float64, error) {
	var terms []selection.Term
	for _, t := range m.terms {
		u, err := in.termUtilities(ctx, t)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			return nil, fmt.Errorf("--method %s: %w", m.text, err)
		}
		terms = append(terms, selection.Term{Weight: t.weight, Utilities: u})
	}
	if len(terms) == 1 {
		return terms[0].Utilities, nil
	}
	return selection.Sum(terms...)
}

// termUtilities are those of a term, which are made once.
func (in *selectInput) termUtilities(ctx context.Context, t methodTerm) ([]float64, error) {
	key := t.name + ":" + t.metric
	if u := in.made[key]; u != nil {
		return u, nil
	}
	u, err := in.makeUtilities(ctx, t)
	if err != nil {
		return nil, err
	}
	if len(u) != len(in.segments) {
		return nil, fmt.Errorf("%s: utilities of %d segments, of %d", t.name, len(u), len(in.segments))
	}
	in.made[key] = u
	return u, nil
}

func (in *selectInput) makeUtilities(ctx context.Context, t methodTerm) ([]float64, error) {
	switch t.name {
	case "random":
		return selection.Random(len(in.segments), in.options.seed), nil
	case "length":
		return in.longest()
	case "diversity":
		return in.diversity(ctx, t.metric)
	case "difficulty":
		return in.difficulty(ctx, t.metric)
	}
	m, err := in.metric(ctx, t)
	if err != nil {
		return nil, err
	}
	switch t.name {
	case "variance":
		return selection.Variance(m)
	case "consistency":
		return selection.Consistency(m)
	}
	return selection.Average(m)
}

// longest prefers the segments with the most words, the plain rival of all methods.
func (in *selectInput) longest() ([]float64, error) {
	lengths, err := in.lengths()
	if err != nil {
		return nil, err
	}
	if lengths == nil {
		return nil, errors.New("there is no text to count words of: name one with --source, or -r")
	}
	out := make([]float64, len(lengths))
	for i, n := range lengths {
		out[i] = float64(n)
	}
	return out, nil
}

func (in *selectInput) diversity(ctx context.Context, metric string) ([]float64, error) {
	if in.work.systems == nil {
		return nil, errors.New("diversity is of outputs: name files of them")
	}
	if metric == "" {
		in.sign("diversity", "words")
		in.warnWords(in.work.systems[0].Hyps, "outputs", "diversity:chrf looks at characters")
		return selection.WordDiversity(ctx, in.work.systems)
	}
	s, err := in.options.flags.Scorer(ctx, metric, &in.backend)
	if err != nil {
		return nil, err
	}
	if s, err = in.between(s); err != nil {
		return nil, err
	}
	progress, done := in.work.step(ctx, "diversity by "+metric)
	defer done()
	u, err := selection.Diversity(progress, in.work.systems, s)
	in.sign("diversity:"+metric, in.backend.Sign(s.Info().Name, s.Info().Signature.Complete([][]string{{""}})).String())
	var at *mteval.SegmentError
	switch {
	case !errors.As(err, &at):
		return u, err
	case errors.Is(err, mteval.ErrTooLong):
		return nil, fmt.Errorf("%w (--max-tokens)", err)
	case errors.Is(err, backend.ErrTruncated):
		place := fmt.Sprintf("an output of segment %d", at.Segment+1)
		if at.Side == mteval.SourceSide {
			place = in.work.corpus.SourcePlace(at.Segment)
		}
		return nil, fmt.Errorf("%s: %s: text is longer than the model takes (the option long=cut scores its beginning)", place, metric)
	}
	return nil, err
}

// between is a metric that compares outputs with each other, as with references, with the sources
// that it reads.
func (in *selectInput) between(s mteval.Scorer) (mteval.Scorer, error) {
	reads, name := mteval.InputsOf(s), s.Info().Name
	sourced, ok := s.(mteval.SourceScorer)
	switch {
	case reads.References == mteval.Unused:
		return nil, fmt.Errorf("%s reads no references, and diversity compares outputs with each other as with references: name another metric or model", name)
	case reads.Sources == mteval.Required && in.sources == nil:
		return nil, fmt.Errorf("%s: %w: it reads what was translated: name its file with --source", name, mteval.ErrNoSource)
	case !ok || reads.Sources == mteval.Unused || in.sources == nil:
		return s, nil
	}
	return mteval.WithSources(sourced, in.sources), nil
}

func (in *selectInput) difficulty(ctx context.Context, metric string) ([]float64, error) {
	if in.work.systems == nil || in.work.corpus.Refs == nil {
		return nil, errors.New("difficulty is of references, by the outputs: name files of both, references with -r")
	}
	if metric == "" {
		metric = standardMatcher
	}
	s, err := in.options.flags.Scorer(ctx, metric, &in.backend)
	if err != nil {
		return nil, err
	}
	base, err := matching(s, "difficulty:"+metric)
	if err != nil {
		return nil, err
	}
	in.sign("difficulty:"+metric, base.Info().Signature.Complete(in.work.corpus.Refs).String())
	ms, err := in.work.match(ctx, base)
	if err != nil {
		return nil, err
	}
	w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{})
	if err != nil {
		return nil, err
	}
	return selection.Difficulty(w)
}

// metric finds the metric of a term.
func (in *selectInput) metric(ctx context.Context, t methodTerm) (metaeval.Metric, error) {
	known := in.metricNames()
	name := t.metric
	switch {
	case name != "":
	case len(known) == 1:
		name = known[0]
	case len(known) == 0:
		return metaeval.Metric{}, fmt.Errorf("%s is of a metric: give its --scores, or a reference with -r for one of -m; diversity needs neither", t.name)
	default:
		return metaeval.Metric{}, fmt.Errorf("%s of which metric? Have %s: %s:%s, say", t.name, names.Few(known), t.name, known[0])
	}
	for _, m := range in.scores {
		if m.Name == name {
			return m, nil
		}
	}
	if in.tree != nil {
		if m, err := in.treeMetric(ctx, name); err != nil || m != nil {
			if err != nil {
				return metaeval.Metric{}, err
			}
			return *m, nil
		}
	}
	if own := in.options.flags.Label(name); slices.Contains(known, own) {
		return in.ownMetric(ctx, own)
	}
	return metaeval.Metric{}, in.noMetric(name, known)
}

// noMetric says which metrics there are.
func (in *selectInput) noMetric(name string, known []string) error {
	if in.tree != nil {
		for _, f := range in.rules.Metrics(in.tree, mtme.Segment) {
			known = append(known, f.Metric+"-"+f.Reference)
		}
	}
	if slices.Contains(registry.Names(), registry.Name(name)) {
		if in.work.corpus.Refs == nil && registry.Name(name) == "comet" && in.sources == nil {
			return fmt.Errorf("%s compares outputs with sources or references: name a file with --source or -r", name)
		}
		if in.work.corpus.Refs == nil && registry.Name(name) != "comet" {
			return fmt.Errorf("%s compares outputs with references: name a file with -r", name)
		}
		return fmt.Errorf("%s is not one of the metrics, %s: add -m %s", name, strings.Join(known, ", "), name)
	}
	return fmt.Errorf("no scores of a metric %q%s: have %s", name, nearest.DidYouMean(name, "", known), strings.Join(known, ", "))
}

// ownMetric scores the outputs by one of -m.
func (in *selectInput) ownMetric(ctx context.Context, name string) (metaeval.Metric, error) {
	s, err := in.options.flags.Scorer(ctx, name, &in.backend)
	if err != nil {
		return metaeval.Metric{}, err
	}
	t, err := in.work.table(ctx, s)
	if err != nil {
		return metaeval.Metric{}, err
	}
	in.work.app.noteLimits(s, t)
	in.sign(t.Info.Name, in.backend.Sign(t.Info.Name, t.Info.Signature).String())
	m := metaeval.TableSegments(t)
	m.Name = t.Info.Name
	return m, nil
}
