package choose

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/mtme"
	"github.com/mteval/mteval/scoring"
	"github.com/mteval/mteval/selection"
)

// A selectInput is what segments are chosen from.
type selectInput struct {
	options *selectOptions
	// Set has the segments, which are called by their numbers from 1, or without texts as the scores
	// call them, and the metrics of --scores. Human are people's scores, not yet in the order of the
	// segments, as soon as they are read.
	selection.Set
	// run has the texts of the set for the metrics of -m.
	run     *scoring.Run
	app     *app.App
	start   time.Time
	backend registry.Backend
	tree    *mtme.Pair // nil: there is none
	rules   mtme.Rules
	// made are the utilities of terms, and signed what was used to make them.
	made   map[string][]float64
	signed []signedPart
}

// A signedPart says how a metric's scores were made.
type signedPart struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
}

// directions say of the metrics of --scores whether less is better.
func (in *selectInput) directions() map[string]bool {
	out := make(map[string]bool)
	for _, m := range in.Metrics {
		out[m.Name] = m.LowerIsBetter
	}
	return out
}

// sign notes how something was made, once.
func (in *selectInput) sign(name, signature string) {
	if p := (signedPart{name, signature}); !slices.Contains(in.signed, p) {
		in.signed = append(in.signed, p)
	}
}

// readSelection reads texts and scores.
func readSelection(ctx context.Context, a *app.App, start time.Time, args []string, o *selectOptions) (*selectInput, error) {
	in := &selectInput{options: o, app: a, start: start, run: a.Run(start, "", new(files.Corpus), nil), made: make(map[string][]float64)}
	if o.tree != "" {
		return in, in.readTree(ctx)
	}
	if err := in.readTexts(ctx, args); err != nil {
		return nil, err
	}
	in.References, in.Systems = in.run.Texts.Refs, in.run.Systems
	o.flags.Lines = in.run.Texts.Lines()
	return in, in.readScores(ctx)
}

// readTexts reads the texts that there are, which must line up.
func (in *selectInput) readTexts(ctx context.Context, args []string) error {
	a, o := in.app, in.options
	var source *files.Text
	if o.source != "" && len(o.refs) == 0 {
		var err error
		if source, err = in.openText(ctx, o.source); err != nil {
			return err
		}
		in.Sources = source.Lines
	}
	switch {
	case len(o.refs) > 0:
		c, err := a.ReadTexts(ctx, &app.Texts{Refs: o.refs, Source: o.source, Outputs: args})
		if err != nil {
			return err
		}
		in.run.Texts, in.run.Systems, in.Sources = c, c.Systems, c.Sources
	case len(args) > 0:
		outputs, err := in.openOutputs(ctx, args, source)
		if err != nil {
			return err
		}
		in.run.Texts, in.run.Systems = outputs, outputs.Systems
	}
	n := len(in.Sources)
	if len(in.run.Systems) > 0 {
		n = len(in.run.Systems[0].Hyps)
	}
	if n > 0 {
		in.Segments = numbered(n)
	}
	in.run.Texts.Sources = in.Sources
	return in.readDocuments(ctx)
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

func (in *selectInput) openText(ctx context.Context, path string) (*files.Text, error) {
	o := in.app.Reading()
	o.Encoding = in.app.Texts.Encoding
	t, err := files.OpenText(ctx, path, o)
	if err != nil {
		return nil, app.AdviseTexts(err)
	}
	if len(t.Lines) == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	return t, nil
}

// openOutputs reads outputs without references: what they line up with is the source, or else
// the first of them.
func (in *selectInput) openOutputs(ctx context.Context, args []string, first *files.Text) (*files.Corpus, error) {
	if first == nil {
		all, err := files.Outputs(args)
		if err != nil {
			return nil, err
		}
		if sidefile.Once(all[0].Path) {
			return nil, fmt.Errorf("%s can't be read twice: name a file, or give a --source", all[0].Path)
		}
		if first, err = in.openText(ctx, all[0].Path); err != nil {
			return nil, err
		}
	}
	o := in.app.ReadingTexts()
	if in.Sources != nil {
		o.SourceText = first
	}
	c, err := files.OpenOutputs(ctx, []*files.Text{first}, args, o)
	if err != nil {
		return nil, app.AdviseTexts(err)
	}
	c.Refs = nil
	return c, nil
}

// readDocuments reads the document of each segment: the last column of a line.
func (in *selectInput) readDocuments(ctx context.Context) error {
	path := in.options.documents
	if path == "" {
		return nil
	}
	t, err := in.openText(ctx, path)
	if err != nil {
		return err
	}
	if in.Segments == nil { // scores alone
		in.Segments = numbered(len(t.Lines))
	}
	if len(t.Lines) != len(in.Segments) {
		return fmt.Errorf("%s has the documents of %s, and there are %d", path, app.Count(len(t.Lines), "segment"), len(in.Segments))
	}
	domains, documents, err := t.Documents()
	if err != nil {
		return err
	}
	if domains == nil {
		domains = make([]string, len(documents))
	}
	in.Documents = app.DocumentNames(domains, documents)
	return nil
}

// readScores reads the metrics' scores of segments, and brings them into the order of the texts.
func (in *selectInput) readScores(ctx context.Context) error {
	o := in.options
	read := app.MetaOptions{Scores: o.scores, Level: "segment", Directions: o.directions}
	if read.Beside = in.lines(); read.Beside == nil && o.evaluate {
		if err := in.readPeople(ctx); err != nil {
			return err
		}
		read.Beside = &files.Segments{Name: o.human, Items: in.Human.Items}
	}
	if read.Beside == nil {
		read.Beside = new(files.Segments) // lists of segments are from 1
	}
	ms, err := in.app.ReadMetrics(ctx, &read)
	if err != nil {
		return err
	}
	for _, m := range ms {
		fit, err := in.AddMetric(m.Metric)
		in.noteSystems("scores of "+m.Name, fit)
		if err != nil {
			return err
		}
		if fit.Present < fit.All {
			in.app.Note("scores of %s: %d of %d are missing: segments count by the systems that have one", m.Name, fit.All-fit.Present, fit.All)
		}
		if m.LowerIsBetter {
			in.app.Note("scores of %s: less is better", m.Name)
		}
	}
	return nil
}

// lines are those of the texts, or of the documents; nil: there are none.
func (in *selectInput) lines() *files.Segments {
	if in.Segments == nil {
		return nil
	}
	out := &files.Segments{Name: "the texts", Lines: len(in.Segments), Sources: in.Sources, References: in.run.Texts.Refs, Outputs: make(map[string][]string)}
	for _, s := range in.run.Systems {
		out.Outputs[s.Name] = s.Hyps
	}
	return out
}

// noteSystems says which systems have no scores, and whose scores count for nothing.
func (in *selectInput) noteSystems(what string, fit selection.Aligned) {
	if len(fit.Silent) > 0 {
		in.app.Note("%s: nothing of %s: without a part in it", what, names.Few(fit.Silent))
	}
	if len(fit.Others) > 0 {
		in.app.Note("%s: also of systems whose outputs were not given: %s", what, names.Few(fit.Others))
	}
}
