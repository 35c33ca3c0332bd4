package choose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/nearest"
	"github.com/mteval/mteval/mtme"
	"github.com/mteval/mteval/scoring"
	"github.com/mteval/mteval/selection"
)

// parseMethods reads methods, with commas between.
func parseMethods(texts []string) ([]selection.Method, error) {
	var out []selection.Method
	for _, text := range texts {
		for _, one := range flags.Split(text) {
			m, err := selection.ParseMethod(strings.TrimSpace(one))
			if err != nil {
				return nil, fmt.Errorf("--method %s: %w", text, err)
			}
			if slices.ContainsFunc(out, func(o selection.Method) bool { return o.Text == m.Text }) {
				return nil, fmt.Errorf("--method: %s twice", m.Text)
			}
			out = append(out, m)
		}
	}
	return out, nil
}

// metricNames are those of the metrics that a method may leave unnamed if there is one.
func (in *selectInput) metricNames() []string {
	var out []string
	for _, m := range in.Metrics {
		out = append(out, m.Name)
	}
	if len(out) == 0 || in.options.flags.Set.Changed("metrics") {
		for _, name := range in.options.flags.Unique(in.options.metrics) {
			if in.References != nil || in.Sources != nil && registry.Name(name) == "comet" {
				out = append(out, in.options.flags.Label(name))
			}
		}
	}
	return out
}

// utilities are those of a method.
func (in *selectInput) utilities(ctx context.Context, m selection.Method) ([]float64, error) {
	var terms []selection.Term
	for _, t := range m.Parts {
		u, err := in.termUtilities(ctx, t)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			return nil, fmt.Errorf("--method %s: %w", m.Text, err)
		}
		terms = append(terms, selection.Term{Weight: t.Weight, Utilities: u})
	}
	if len(terms) == 1 {
		return terms[0].Utilities, nil
	}
	return selection.Sum(terms...)
}

// termUtilities are those of a term, which are made once.
func (in *selectInput) termUtilities(ctx context.Context, t selection.Part) ([]float64, error) {
	key := t.Name + ":" + t.Metric
	if u := in.made[key]; u != nil {
		return u, nil
	}
	u, err := in.makeUtilities(ctx, t)
	if err != nil {
		return nil, err
	}
	if len(u) != len(in.Segments) {
		return nil, fmt.Errorf("%s: utilities of %d segments, of %d", t.Name, len(u), len(in.Segments))
	}
	in.made[key] = u
	return u, nil
}

func (in *selectInput) makeUtilities(ctx context.Context, t selection.Part) ([]float64, error) {
	switch t.Name {
	case "random":
		return selection.Random(len(in.Segments), in.options.seed), nil
	case "length":
		if err := in.countWords(); err != nil {
			return nil, err
		}
		if in.Lengths == nil {
			return nil, errors.New("there is no text to count words of: name one with --source, or -r")
		}
		return in.Longest(), nil
	case "diversity":
		return in.diversity(ctx, t.Metric)
	case "difficulty":
		return in.difficulty(ctx, t.Metric)
	}
	return in.ofMetric(ctx, t)
}

func (in *selectInput) diversity(ctx context.Context, metric string) ([]float64, error) {
	if in.Systems == nil {
		return nil, errors.New("diversity is of outputs: name files of them")
	}
	if metric == "" {
		in.sign("diversity", "words")
		in.warnWords(in.Systems[0].Hyps, "outputs", "diversity:chrf looks at characters")
		return selection.WordDiversity(ctx, in.Systems)
	}
	s, err := in.options.flags.Scorer(ctx, metric, &in.backend)
	if err != nil {
		return nil, err
	}
	if s, err = in.between(s); err != nil {
		return nil, err
	}
	progress, done := in.app.WithProgress(ctx, in.start, "diversity by "+metric)
	defer done()
	u, err := selection.Diversity(progress, in.Systems, s)
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
			place = in.run.Texts.SourcePlace(at.Segment)
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
	case reads.Sources == mteval.Required && in.Sources == nil:
		return nil, fmt.Errorf("%s: %w: it reads what was translated: name its file with --source", name, mteval.ErrNoSource)
	case !ok || reads.Sources == mteval.Unused || in.Sources == nil:
		return s, nil
	}
	return mteval.WithSources(sourced, in.Sources), nil
}

func (in *selectInput) difficulty(ctx context.Context, metric string) ([]float64, error) {
	if in.Systems == nil || in.References == nil {
		return nil, errors.New("difficulty is of references, by the outputs: name files of both, references with -r")
	}
	if metric == "" {
		metric = selection.StandardMatcher
	}
	s, err := in.options.flags.Scorer(ctx, metric, &in.backend)
	if err != nil {
		return nil, err
	}
	base, err := app.Matching(s, "difficulty:"+metric)
	if err != nil {
		return nil, err
	}
	in.sign("difficulty:"+metric, base.Info().Signature.Complete(in.References).String())
	ms, err := in.run.Match(ctx, base)
	if err != nil {
		return nil, err
	}
	w, err := difficulty.EstimateFrom(ms, nil, difficulty.Function{})
	if err != nil {
		return nil, err
	}
	return selection.Difficulty(w)
}

// ofMetric are the utilities of a term that is of a metric's scores.
func (in *selectInput) ofMetric(ctx context.Context, t selection.Part) ([]float64, error) {
	known := in.metricNames()
	name := t.Metric
	switch {
	case name != "":
	case len(known) == 1:
		name = known[0]
	case len(known) == 0:
		return nil, fmt.Errorf("%s is of a metric: give its --scores, or a reference with -r for one of -m; diversity needs neither", t.Name)
	default:
		return nil, fmt.Errorf("%s of which metric? Have %s: %s:%s, say", t.Name, names.Few(known), t.Name, known[0])
	}
	for _, m := range in.Metrics {
		if m.Name == name {
			return t.Utilities(m)
		}
	}
	if in.tree != nil {
		if m, err := in.treeMetric(ctx, name); err != nil || m != nil {
			if err != nil {
				return nil, err
			}
			return t.Utilities(*m)
		}
	}
	if own := in.options.flags.Label(name); slices.Contains(known, own) {
		table, err := in.ownTable(ctx, own)
		if err != nil {
			return nil, err
		}
		return t.TableUtilities(table)
	}
	return nil, in.noMetric(name, known)
}

// noMetric says which metrics there are.
func (in *selectInput) noMetric(name string, known []string) error {
	if in.tree != nil {
		for _, f := range in.rules.Metrics(in.tree, mtme.Segment) {
			known = append(known, f.Metric+"-"+f.Reference)
		}
	}
	if slices.Contains(registry.Names(), registry.Name(name)) {
		comet := registry.Name(name) == "comet"
		if in.References == nil && comet && in.Sources == nil {
			return fmt.Errorf("%s compares outputs with sources or references: name a file with --source or -r", name)
		}
		if in.References == nil && !comet {
			return fmt.Errorf("%s compares outputs with references: name a file with -r", name)
		}
		return fmt.Errorf("%s is not one of the metrics, %s: add -m %s", name, strings.Join(known, ", "), name)
	}
	return fmt.Errorf("no scores of a metric %q%s: have %s", name, nearest.DidYouMean(name, "", known), strings.Join(known, ", "))
}

// ownTable scores the outputs by one of -m.
func (in *selectInput) ownTable(ctx context.Context, name string) (*mteval.Table, error) {
	s, err := in.options.flags.Scorer(ctx, name, &in.backend)
	if err != nil {
		return nil, err
	}
	t, err := in.run.Table(ctx, s)
	if err != nil {
		return nil, err
	}
	in.app.NoteLimits(scoring.Limits(s, t))
	in.sign(t.Info.Name, in.backend.Sign(t.Info.Name, t.Info.Signature).String())
	return t, nil
}
