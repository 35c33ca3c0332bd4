// Package registry is what the command knows of metrics: their names, their flags, and how
// a metric is made of them.
package registry

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/parallel"
)

// Flags are the flags that metrics share, and the metrics that were asked for.
type Flags struct {
	target     string
	parameters []string
	maxTokens  int
	parses     []string
	sacreBLEU  bool // whether sacreBLEU's flags are there

	asked []*spec // by Check
	// made are those whose tables take seconds to read, by their options.
	made  map[string]mteval.Scorer
	bank  *conllu.Bank         // of parses, by parsed
	tuned map[string]tunedFile // of parameters, by metric
	// parseSum and treeSum are checksums of what was read of parses and trees.
	parseSum, treeSum uint32
	// Texts are the files that are scored, and names that they have: see SetTexts. Lines are all
	// of their lines, once they are read.
	Texts, Lines []string
	named        map[string]string // the files of Texts that are names
	// Encoding of the files.
	Encoding string

	// Set has these flags and others of the command.
	Set  *pflag.FlagSet
	note func(format string, args ...any)
	said map[string]bool // by once
	// foreign is whether texts are of any language, one after another: see For.
	foreign bool
	// Sentences is whether sentences are scored.
	Sentences bool
	// AlwaysLexical is whether the command needs Standard metrics, whatever else is chosen.
	AlwaysLexical bool
}

// Add defines the flags. note says something that is not part of the result.
func (f *Flags) Add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	f.Set, f.note, f.said, f.made = fs, note, make(map[string]bool), make(map[string]mteval.Scorer)
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		target := flags.Var(fs, flags.Text(&f.target, "", "language", languages...), "target-language", "language code: chooses the tokenizer of BLEU and of lexical vectors, where zh and ja have their own (ko of BLEU), and the language of METEOR and DREEM")
		if !f.AlwaysLexical {
			target.For("metric", "bleu", "meteor", "multilevel-meteor", "dreem", "multilevel-dreem", "bertscore", lexicalBERTScore)
		}
		flags.Var(fs, flags.InputList(&f.parameters), "parameters", "file of tuned parameters of one of the metrics, as mteval tune writes it (repeat for several metrics)")
		flags.Var(fs, flags.TextFiles(&f.parses, "TEXT=PARSES", &f.Texts), "parses", "dependency parses (CoNLL-U) of the lines of a text file, for levels by triples and DREEM's trees (repeat for references and outputs)").
			For("metric", "multilevel-meteor", "multilevel-dreem", "dreem")
		flags.Var(fs, flags.Int(&f.maxTokens, 100_000, 0, math.MaxInt), "max-tokens", "most tokens of a segment's text, which time and memory grow with, often by their square; 0: no limit")
	})
}

// Metrics is the value of a flag of metrics with their options, of these names.
func (f *Flags) Metrics(p *[]string, value []string, noun string, names ...string) pflag.Value {
	return flags.Specs(p, value, noun, f.open, names...)
}

// Metric is Metrics of one.
func (f *Flags) Metric(p *string, value, noun string, names ...string) pflag.Value {
	return flags.Spec(p, value, noun, f.open, names...)
}

// maxOrder is the longest n-gram of BLEU and chrF.
const maxOrder = 16

// What flags may be.
var (
	// languages are those that the metrics have something for. Others may be named.
	languages = []string{"ar", "cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "ja", "ko", "nl", "no", "pt", "ro", "ru", "sv", "tr", "zh"}
)

// Check takes the metrics that are asked for, finds what is wrong with their options before texts are
// read, and reads the files of --parameters.
func (f *Flags) Check(ctx context.Context, metrics []string) error {
	var err error
	if f.asked, err = f.specs(metrics); err != nil {
		return err
	}
	for _, s := range f.asked {
		if s.name == learned {
			if _, err := s.cometPath(); err != nil {
				return err
			}
		}
	}
	if err := setNames(f.asked); err != nil {
		return err
	}
	return f.openParameters(ctx)
}

// SetTexts sets Texts to the files of references and of outputs, and where these are NAME=PATH
// also to NAME and to the whole of it.
func (f *Flags) SetTexts(refs, outputs []string) {
	f.Texts, f.named = slices.Clone(refs), make(map[string]string)
	all, err := files.Outputs(outputs)
	if err != nil { // told by who opens them
		f.Texts = append(f.Texts, outputs...)
		return
	}
	for i, o := range all {
		if f.Texts = append(f.Texts, o.Path); o.Path != outputs[i] {
			f.Texts = append(f.Texts, o.Name, outputs[i])
			f.named[o.Name], f.named[outputs[i]] = o.Path, o.Path
		}
	}
}

// For returns the flags for texts of their own, of one language, "" being that of
// --target-language: all that these metrics read or make is of them.
func (f *Flags) For(language string, lines []string) *Flags {
	out := *f
	if language != "" {
		out.target = language
	}
	out.foreign = true
	out.Lines = lines
	out.made = make(map[string]mteval.Scorer)
	return &out
}

// once is note for what need not be said again.
func (f *Flags) once(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !f.said[text] {
		f.said[text] = true
		f.note("%s", text)
	}
}

// Called is what the metric is called where it is printed.
func (f *Flags) Called(metric string) string {
	if s, err := f.findOrRead(metric); err == nil { // as it was when it was asked for
		return s.called()
	}
	return metric
}

// Label is what a metric of Check is called by those who ask for it: its name, and if there are several of
// one kind, in what they differ. Another is called as it is written.
func (f *Flags) Label(metric string) string {
	if s := f.find(metric); s != nil {
		return s.label()
	}
	return metric
}

// Unique are the metrics without those that were named before.
func (f *Flags) Unique(metrics []string) []string {
	specs, err := f.specs(metrics)
	if err != nil {
		return metrics // told by Check
	}
	var out []string
	for _, s := range specs {
		out = append(out, s.text)
	}
	return out
}

// Given are the values that an option was given, of the metrics of Check that have one of this name.
func (f *Flags) Given(option string) []string {
	var out []string
	for _, s := range f.asked {
		if o := s.options.Lookup(option); o != nil && o.Changed {
			out = append(out, o.Value.String())
		}
	}
	return out
}

// Name is the name of a metric, without its options.
func Name(metric string) string {
	name, _, _ := strings.Cut(metric, "(")
	return name
}

// Has says whether one of the metrics has this name.
func Has(metrics []string, name string) bool {
	return slices.ContainsFunc(metrics, func(m string) bool { return Name(m) == name })
}

// Names are the names of the metrics.
func Names() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return names
}

// Usage is what the help says that metrics may be.
func Usage() string {
	return strings.Join(Names(), ", ") + "; options stand behind one, as in 'bleu(tokenize=zh)': mteval metrics tells of them"
}

// Scorer makes a metric: one of those of Check, by its text or what it is called, or else as the text
// says.
func (f *Flags) Scorer(ctx context.Context, text string, open *Backend) (mteval.Scorer, error) {
	s, err := f.findOrRead(text)
	if err != nil {
		return nil, err
	}
	// Its models, tables and parses may be pipes, or large.
	return parallel.Await(ctx, func() (mteval.Scorer, error) { return f.make(ctx, s, open) })
}

// Scorers makes metrics, each once.
func (f *Flags) Scorers(ctx context.Context, texts []string, open *Backend) ([]mteval.Scorer, error) {
	var out []mteval.Scorer
	for _, text := range f.Unique(texts) {
		s, err := f.Scorer(ctx, text, open)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Corpus is what scores sums of a metric's rows, which Scorers made: of BLEU that is without the
// effective order that sentences have.
func (f *Flags) Corpus(ctx context.Context, s mteval.Scorer) (mteval.Scorer, error) {
	if _, ok := Plain(s).(*bleu.Scorer); !ok || !f.Sentences {
		return s, nil
	}
	corpus := *f
	corpus.Sentences = false
	return corpus.Scorer(ctx, s.Info().Name, nil)
}

// RunsModel says whether one of the metrics runs a model, which uses all processors for one call.
func (f *Flags) RunsModel(metrics []string) bool {
	return slices.ContainsFunc(metrics, func(text string) bool {
		s, err := f.spec(text)
		return err == nil && (s.name == learned || s.kind() == "bertscore")
	})
}
