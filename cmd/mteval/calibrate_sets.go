package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/preference"
)

// A judgedSet is a folder of systems that people judged.
type judgedSet struct {
	*files.Folder
	language string
	human    []float64 // by output; NaN: none
}

// campaign is the first part of the folder's name.
func (s *judgedSet) campaign() string {
	c, _, _ := strings.Cut(s.Name, "-")
	return c
}

// files are those of the folder, also those that are not read, such as sources and other scores.
func (s *judgedSet) files() []string {
	more := flags.FilesIn(filepath.Dir(s.Human), func(name string) bool {
		return strings.HasPrefix(name, "human") || strings.HasPrefix(name, "src.")
	})
	return slices.Concat(s.Refs, s.Outputs, more)
}

// findSets finds the files of all folders.
func findSets(paths []string) ([]*judgedSet, error) {
	at := make(map[string]string)
	var out []*judgedSet
	for _, path := range paths {
		f, err := files.FindJudged(path)
		if err != nil {
			return nil, err
		}
		if before, ok := at[f.Name]; ok {
			return nil, fmt.Errorf("%s and %s are both called %s: give one of them another name", before, path, f.Name)
		}
		at[f.Name] = path
		s := &judgedSet{Folder: f}
		if s.language, err = f.Language(); err != nil {
			return nil, err
		}
		if len(f.Outputs) < 2 {
			return nil, fmt.Errorf("%s: one output in it (%s): want two systems at least", path, f.Outputs[0])
		}
		out = append(out, s)
	}
	return out, nil
}

// readSets reads people's scores of all sets, and the texts to see that they line up, so that
// what is wrong with the last is not found out after the work on the others.
func (a *app) readSets(ctx context.Context, sets []*judgedSet) error {
	for _, s := range sets {
		if err := a.readScores(ctx, s); err != nil {
			return err
		}
	}
	quiet := a.reading()
	quiet.Note = nil // told when they are read to be scored
	for _, s := range sets {
		if _, err := files.OpenCorpus(ctx, s.Refs, s.Outputs, quiet); err != nil {
			return advise(err)
		}
	}
	return nil
}

func (a *app) readScores(ctx context.Context, s *judgedSet) error {
	var systems []string
	for _, path := range s.Outputs {
		systems = append(systems, files.SystemName(path))
	}
	scores, err := files.OpenSystems(ctx, s.Human, systems, a.reading())
	if err != nil {
		return advise(err)
	}
	of := make(map[string]float64)
	var missing []string
	for k, name := range scores.Systems {
		of[name] = scores.Values[k]
		if !slices.Contains(systems, name) {
			missing = append(missing, name)
		}
	}
	var unscored []string
	differ, first := false, math.NaN()
	for _, name := range systems {
		v, ok := of[name]
		if !ok || math.IsNaN(v) {
			v = math.NaN()
			unscored = append(unscored, name)
		} else if math.IsNaN(first) {
			first = v
		}
		differ = differ || v != first && !math.IsNaN(v)
		s.human = append(s.human, v)
	}
	if !differ {
		return fmt.Errorf("%s: no two of the outputs have different scores in it: its systems are %s, the outputs' %s", s.Human, names.Few(scores.Systems), names.Few(systems))
	}
	if len(missing) > 0 {
		a.note("%s has scores of systems whose outputs are not there: %s", s.Human, names.Few(missing))
	}
	if len(unscored) > 0 {
		a.note("%s has no score of %s: scored, with a vote in the difficulty, but in no pair", s.Human, names.Few(unscored))
	}
	return nil
}

// scoreSet scores a set, of which it keeps what metrics say of the pairs. step shows the progress
// of a metric.
func (a *app) scoreSet(ctx context.Context, s *judgedSet, o *calibrateOptions, model *registry.Backend, step stepper) (preference.Set, error) {
	out := preference.Set{Name: s.Name, Campaign: s.campaign(), Human: s.human}
	c, err := a.readCorpus(ctx, s.Refs, s.Outputs)
	if err != nil {
		return out, err
	}
	if o.flags.BackendName == "lexical" { // whose tokenizer is the language's
		model = new(registry.Backend)
		defer model.Close()
	}
	e := &evidence{set: s.Name, corpus: c, flags: o.flags.For(s.language, c.lines()), open: model, step: step}
	out.Evidence, err = e.all(ctx, o)
	return out, err
}

// A stepper shows the progress of a step until done.
type stepper func(ctx context.Context, name string) (_ context.Context, done func())

// evidence is what metrics say of the systems of a corpus.
type evidence struct {
	set    string // its name
	corpus *corpus
	flags  *registry.Flags
	open   *registry.Backend
	step   stepper
}

// forms are the difficulty-aware forms of the base: the one that is a term first.
func forms() []difficulty.Options {
	normalized := difficulty.Normalized()
	normalized.Average = difficulty.MeanF
	return []difficulty.Options{
		{LeaveOneOut: true, Average: difficulty.MeanF},
		difficulty.Combined(),
		normalized,
		{Average: difficulty.MeanF},
	}
}

// all is the evidence of the base, the metrics that are combined with it, the forms of the base,
// and the metrics that are recorded alone.
func (e *evidence) all(ctx context.Context, o *calibrateOptions) ([]*preference.Evidence, error) {
	combined, alone := o.names()
	base, err := e.baseAndForms(ctx, o.base)
	if err != nil {
		return nil, err
	}
	var others []*preference.Evidence
	for _, name := range slices.Concat(combined, alone) {
		v, err := e.of(ctx, name)
		if err != nil {
			return nil, err
		}
		others = append(others, v)
	}
	return slices.Concat(base[:1], others[:len(combined)], base[1:], others[len(combined):]), nil
}

// of is the evidence of a metric.
func (e *evidence) of(ctx context.Context, name string) (*preference.Evidence, error) {
	s, err := e.scorer(ctx, name)
	if err != nil {
		return nil, err
	}
	work, done := e.step(ctx, name)
	t, err := mteval.Systems(work, s, e.corpus.Refs, e.corpus.Systems)
	done()
	if err != nil {
		return nil, e.locate(name, err)
	}
	return preference.FromTable(ctx, t)
}

// baseAndForms is the evidence of the base and of its difficulty-aware forms, from the same
// matchings.
func (e *evidence) baseAndForms(ctx context.Context, name string) ([]*preference.Evidence, error) {
	s, err := e.scorer(ctx, name)
	if err != nil {
		return nil, err
	}
	base, ok := s.(mteval.MatchScorer)
	if !ok {
		return nil, fmt.Errorf("--base %s: it does not match tokens: have bertscore, wordf, meteor", name)
	}
	work, done := e.step(ctx, name)
	defer done()
	matcher, err := base.PrepareMatch(work, e.corpus.Refs)
	if err != nil {
		return nil, e.locate(name, err)
	}
	ms, err := mteval.MatchSystems(work, matcher, e.corpus.Systems)
	if err != nil {
		return nil, e.locate(name, err)
	}
	tables := []*mteval.Table{ms.Table(base)}
	for _, o := range forms() {
		t, err := formTable(ctx, base, ms, o)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	var out []*preference.Evidence
	for _, t := range tables {
		t.Info.Signature = t.Info.Signature.Complete(e.corpus.Refs)
		v, err := preference.FromTable(ctx, t)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// formTable has the rows of a difficulty-aware form, all systems having a vote.
func formTable(ctx context.Context, base mteval.MatchScorer, ms *mteval.Matchings, o difficulty.Options) (*mteval.Table, error) {
	f, err := difficulty.NewField(base, ms, o, difficulty.Function{})
	if err != nil {
		return nil, err
	}
	every := make([]int, len(ms.Systems))
	for k := range every {
		every[k] = k
	}
	p, err := f.Poll(ctx, every, nil)
	if err != nil {
		return nil, err
	}
	return p.Table(ctx)
}

// scorer makes a metric for the corpus's language.
func (e *evidence) scorer(ctx context.Context, name string) (mteval.Scorer, error) {
	s, err := e.flags.Scorer(ctx, name, e.open)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.set, err)
	}
	return s, nil
}

func (e *evidence) locate(metric string, err error) error {
	return e.corpus.locate(metric, err, e.corpus.Systems)
}
