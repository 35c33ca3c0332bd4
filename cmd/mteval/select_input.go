package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

// A selectInput is what segments are chosen from.
type selectInput struct {
	options *selectOptions
	// segments are the names of the segments: their numbers from 1, or without texts what the
	// scores call them.
	segments []string
	// sources and documents are those of each segment; nil: there are none.
	sources, documents []string
	// work has the references, if there are any, and the systems, nil if there are scores only.
	work    *work
	backend registry.Backend
	scores  []metaeval.Metric // of --scores
	tree    *mtme.Pair        // nil: there is none
	rules   mtme.Rules
	human   *metaeval.Scores // of the tree, or of --human if there are no texts
	// made are the utilities of terms, and signed what was used to make them.
	made   map[string][]float64
	signed []signedPart
	words  []int // of each segment, once they are counted
}

// A signedPart says how a metric's scores were made.
type signedPart struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
}

// directions say of the metrics of --scores whether less is better.
func (in *selectInput) directions() map[string]bool {
	out := make(map[string]bool)
	for _, m := range in.scores {
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
func (a *app) readSelection(ctx context.Context, start time.Time, args []string, o *selectOptions) (*selectInput, error) {
	in := &selectInput{options: o, made: make(map[string][]float64)}
	in.work = &work{app: a, start: start, corpus: new(files.Corpus)}
	if o.tree != "" {
		return in, in.readTree(ctx)
	}
	if err := in.readTexts(ctx, args); err != nil {
		return nil, err
	}
	o.flags.Lines = in.work.corpus.Lines()
	return in, in.readScores(ctx)
}

// readTexts reads the texts that there are, which must line up.
func (in *selectInput) readTexts(ctx context.Context, args []string) error {
	a, o := in.work.app, in.options
	var source *files.Text
	if o.source != "" && len(o.refs) == 0 {
		var err error
		if source, err = in.openText(ctx, o.source); err != nil {
			return err
		}
		in.sources = source.Lines
	}
	switch {
	case len(o.refs) > 0:
		c, err := a.readTexts(ctx, &texts{refs: o.refs, source: o.source, outputs: args})
		if err != nil {
			return err
		}
		in.work.corpus, in.work.systems, in.sources = c, c.Systems, c.Sources
	case len(args) > 0:
		outputs, err := in.openOutputs(ctx, args, source)
		if err != nil {
			return err
		}
		in.work.corpus, in.work.systems = outputs, outputs.Systems
	}
	n := len(in.sources)
	if len(in.work.systems) > 0 {
		n = len(in.work.systems[0].Hyps)
	}
	if n > 0 {
		in.segments = numbered(n)
	}
	in.work.corpus.Sources = in.sources
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
	o := in.work.app.reading()
	o.Encoding = in.work.app.texts.encoding
	t, err := files.OpenText(ctx, path, o)
	if err != nil {
		return nil, adviseTexts(err)
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
	o := in.work.app.readingTexts()
	if in.sources != nil {
		o.SourceText = first
	}
	c, err := files.OpenOutputs(ctx, []*files.Text{first}, args, o)
	if err != nil {
		return nil, adviseTexts(err)
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
	if in.segments == nil { // scores alone
		in.segments = numbered(len(t.Lines))
	}
	if len(t.Lines) != len(in.segments) {
		return fmt.Errorf("%s has the documents of %s, and there are %d", path, count(len(t.Lines), "segment"), len(in.segments))
	}
	domains, documents, err := t.Documents()
	if err != nil {
		return err
	}
	if domains == nil {
		domains = make([]string, len(documents))
	}
	in.documents = documentNames(domains, documents)
	return nil
}

// readScores reads the metrics' scores of segments, and brings them into the order of the texts.
func (in *selectInput) readScores(ctx context.Context) error {
	o := in.options
	read := metaOptions{scores: o.scores, level: "segment", directions: o.directions}
	if read.beside = in.lines(); read.beside == nil && o.evaluate {
		var err error
		if in.human, err = in.readPeople(ctx); err != nil {
			return err
		}
		read.beside = &files.Segments{Name: o.human, Items: in.human.Items}
	}
	if read.beside == nil {
		read.beside = new(files.Segments) // lists of segments are from 1
	}
	ms, err := in.work.app.readMetrics(ctx, &read)
	if err != nil {
		return err
	}
	for _, m := range ms {
		if in.segments == nil {
			in.segments = m.Scores.Items
		}
		m.Scores, err = in.align("scores of "+m.Name, m.Scores)
		if err != nil {
			return err
		}
		if all, has := len(m.Scores.Values), m.Scores.Present(); has < all {
			in.work.app.note("scores of %s: %d of %d are missing: segments count by the systems that have one", m.Name, all-has, all)
		}
		if m.LowerIsBetter {
			in.work.app.note("scores of %s: less is better", m.Name)
		}
		in.scores = append(in.scores, m.Metric)
	}
	return nil
}

// lines are those of the texts, or of the documents; nil: there are none.
func (in *selectInput) lines() *files.Segments {
	if in.segments == nil {
		return nil
	}
	out := &files.Segments{Name: "the texts", Lines: len(in.segments), Sources: in.sources, References: in.work.corpus.Refs, Outputs: make(map[string][]string)}
	for _, s := range in.work.systems {
		out.Outputs[s.Name] = s.Hyps
	}
	return out
}

// align brings scores into the order of the segments, with the systems that there are outputs of.
func (in *selectInput) align(what string, s *metaeval.Scores) (*metaeval.Scores, error) {
	at := make(map[string]bool, len(in.segments))
	for _, name := range in.segments {
		at[name] = true
	}
	for _, item := range s.Items {
		if !at[item] {
			return nil, fmt.Errorf("%s: segment %q is none of the %d that there are, %s to %s", what, item, len(in.segments), in.segments[0], in.segments[len(in.segments)-1])
		}
	}
	systems := s.Systems
	if in.work.systems != nil {
		given := systemNames(in.work.systems)
		if err := checkTwins(what, s.Systems, "the outputs", given); err != nil {
			return nil, err
		}
		systems = nil
		for _, name := range given {
			if slices.Contains(s.Systems, name) {
				systems = append(systems, name)
			}
		}
		if len(systems) == 0 {
			return nil, fmt.Errorf("%s: none of the systems: of %s, and the outputs are of %s", what, names.Few(s.Systems), names.Few(given))
		}
		if none := without(given, systems); len(none) > 0 {
			in.work.app.note("%s: nothing of %s: without a part in it", what, names.Few(none))
		}
		if more := without(s.Systems, systems); len(more) > 0 {
			in.work.app.note("%s: also of systems whose outputs were not given: %s", what, names.Few(more))
		}
	}
	return s.Select(systems, in.segments)
}

// without are the names that are not among those.
func without(all, those []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(those, name) })
}
