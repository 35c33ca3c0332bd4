// Package registry is what the command knows of metrics: their names, their flags, and how
// a metric is made of them.
package registry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/libtorch"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/nearest"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
)

// Flags are the options of the metrics, with sacreBLEU's names where it has
// them.
type Flags struct {
	tokenize    string
	target      string
	lowercase   bool
	smoothing   bleu.Smoothing
	smoothValue float64
	maxOrder    int
	chrf        chrf.Options
	ter         ter.Options
	meteor      meteorFlags
	comet       cometFlags
	level       levelFlags
	// BackendName is what --backend says, and Baseline the file of --baseline.
	BackendName string
	model       string
	cache       string
	device      string
	dtype       libtorch.DType
	long        string
	layer       int
	idf         bool
	Baseline    string
	rescale     *mteval.PRF // what ReadBaseline read
	parameters  []string
	maxTokens   int
	// Texts are the files that are scored, and names that they have: see SetTexts. Lines are all
	// of their lines, once they are read.
	Texts, Lines []string
	named        map[string]string // the files of Texts that are names
	// Encoding of the files.
	Encoding string
	tuned    map[string]tunedFile // of parameters, by metric

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
	f.Set, f.note, f.said = fs, note, make(map[string]bool)
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		target := flags.Var(fs, flags.Text(&f.target, "", "language", languages...), "target-language", "language code: chooses the tokenizer of BLEU and of lexical vectors, where zh and ja have their own (ko of BLEU), and the language of METEOR and DREEM")
		if !f.AlwaysLexical {
			target.For("metric", "bleu", "meteor", "multilevel-meteor", "dreem", "multilevel-dreem", "bertscore", lexicalBERTScore)
		}
		flags.Bool(fs, &f.lowercase, "lowercase", "ignore case in BLEU, WER and its kin, word F, and levels by triples").
			For("metric", "bleu", "wordf", "wer", "mer", "wil", "cer", "per", "multilevel-meteor", "multilevel-dreem")
		flags.Var(fs, flags.InputList(&f.parameters), "parameters", "file of tuned parameters of one of the metrics, as mteval tune writes it (repeat for several metrics)")
		flags.Var(fs, flags.Int(&f.maxTokens, 100_000, 0, math.MaxInt), "max-tokens", "most tokens of a segment's text, which time and memory grow with, often by their square; 0: no limit")
	})
	options(fs, "BLEU", []string{"bleu"}, func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.EnumOrFile(&f.tokenize, "13a", "tokenizer", spmFile, tokenizers...), "tokenize", "tokenizer of BLEU: "+strings.Join(tokenizers, ", ")+", or a file of SentencePiece, NAME"+spmFile)
		flags.VarP(fs, flags.Enum(&f.smoothing, bleu.Exp, "smoothing method", bleu.Exp, bleu.NoSmoothing, bleu.Floor, bleu.AddK), "smooth-method", "s", "smoothing of BLEU: exp, none, floor, add-k")
		flags.Var(fs, flags.Number(&f.smoothValue, 0), "smooth-value", "value of floor (default 0.1) and add-k (default 1)")
		flags.Var(fs, flags.Int(&f.maxOrder, 4, 1, maxOrder), "max-ngram-order", "longest n-gram of BLEU")
	})
	options(fs, "chrF", []string{"chrf", "chrf++"}, func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Int(&f.chrf.CharOrder, 6, 1, maxOrder), "chrf-char-order", "longest character n-gram of chrF")
		flags.Var(fs, flags.Int(&f.chrf.WordOrder, 0, 0, maxOrder), "chrf-word-order", "longest word n-gram of chrF; 2 is chrF++").For("metric", "chrf")
		flags.Var(fs, flags.Positive(&f.chrf.Beta, 2), "chrf-beta", "importance of recall in chrF")
		flags.Bool(fs, &f.chrf.Whitespace, "chrf-whitespace", "count white space as a character in chrF")
		flags.Bool(fs, &f.chrf.Lowercase, "chrf-lowercase", "ignore case in chrF")
		flags.Bool(fs, &f.chrf.EpsSmoothing, "chrf-eps-smoothing", "smooth chrF as chrF++.py, NLTK and Moses do")
	})
	options(fs, "TER", []string{"ter"}, func(fs *pflag.FlagSet) {
		flags.Bool(fs, &f.ter.CaseSensitive, "ter-case-sensitive", "let case matter in TER")
		flags.Bool(fs, &f.ter.Asian, "ter-asian-support", "split Asian characters apart in TER (with --ter-normalized or --ter-no-punct)")
		flags.Bool(fs, &f.ter.NoPunct, "ter-no-punct", "remove punctuation in TER")
		flags.Bool(fs, &f.ter.Normalized, "ter-normalized", "split off punctuation in TER")
	})
	flags.Group(fs, "BERTScore and backends", f.addBackend)
	options(fs, "COMET", []string{learned}, f.comet.add)
	options(fs, "METEOR", []string{"meteor", "multilevel-meteor"}, f.meteor.add)
	f.level.add(fs, &f.Texts)
}

// options defines the options of some metrics, without which they have no effect.
func options(fs *pflag.FlagSet, title string, metrics []string, define func(fs *pflag.FlagSet)) {
	for _, f := range flags.Group(fs, title, define) {
		f.For("metric", metrics...)
	}
}

// maxOrder is the longest n-gram of BLEU and chrF.
const maxOrder = 16

// What flags may be.
var (
	backends = []string{"lexical", "transformer", "libtorch"}
	// languages are those that the metrics have something for. Others may be named.
	languages = []string{"ar", "cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "ja", "ko", "nl", "no", "pt", "ro", "ru", "sv", "tr", "zh"}
)

// Check reads the files of --parameters, and refuses a metric under two names.
func (f *Flags) Check(ctx context.Context, metrics []string) error {
	if f.chrf.WordOrder == 2 && slices.Contains(metrics, "chrf") && slices.Contains(metrics, "chrf++") {
		return errors.New("--chrf-word-order 2 makes chrf++ of chrf: name one of them")
	}
	f.chrf.MaxTokens, f.ter.MaxTokens, f.meteor.maxTokens = f.maxTokens, f.maxTokens, f.maxTokens
	if err := f.checkCOMET(metrics); err != nil {
		return err
	}
	return f.openParameters(ctx, metrics)
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
	out.meteor.made, out.level.made = nil, nil
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

// A metric that the command knows.
type metric struct {
	name string
	new  func(ctx context.Context, f *Flags, open *Backend) (mteval.Scorer, error)
}

// metrics is the one place where names become metrics.
var metrics = []metric{
	{"bleu", func(ctx context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) { return f.bleu(ctx) }},
	{"chrf", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return chrf.New(f.chrf)
	}},
	{"chrf++", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		o := f.chrf
		o.WordOrder = 2
		return chrf.New(o)
	}},
	{"ter", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return ter.New(f.ter), nil
	}},
	{"wordf", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return overlap.NewF(overlap.FOptions{Options: f.words()})
	}},
	{"wer", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.WER, f.words())
	}},
	{"mer", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.MER, f.words())
	}},
	{"wil", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.WIL, f.words())
	}},
	{"cer", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.CER, f.words())
	}},
	{"per", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.PER, f.words())
	}},
	{"meteor", func(ctx context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return f.newMETEOR(ctx)
	}},
	{"dreem", func(ctx context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return f.newDREEM(ctx)
	}},
	{"multilevel-meteor", func(ctx context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return f.withLevels(ctx, "meteor")
	}},
	{"multilevel-dreem", func(ctx context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) {
		return f.withLevels(ctx, "dreem")
	}},
	{learned, func(_ context.Context, f *Flags, open *Backend) (mteval.Scorer, error) {
		return f.oneCOMET(open)
	}},
	{"bertscore", func(_ context.Context, f *Flags, open *Backend) (mteval.Scorer, error) {
		return f.bertscore(open)
	}},
	{lexicalBERTScore, func(_ context.Context, f *Flags, open *Backend) (mteval.Scorer, error) {
		return f.lexicalBERTScore(open)
	}},
}

// lexicalBERTScore is what bertscore is called over the backend lexical, and the name of that
// whatever --backend is.
const lexicalBERTScore = "bertscore-lexical"

// Called is what the metric of this name is called where it is printed.
func (f *Flags) Called(name string) string {
	if name == "bertscore" && f.BackendName == "lexical" {
		return lexicalBERTScore
	}
	return name
}

// Unique are the names without those of a metric that was named before.
func (f *Flags) Unique(names []string) []string {
	var out, called []string
	for _, name := range names {
		if c := f.Called(name); !slices.Contains(called, c) {
			out, called = append(out, name), append(called, c)
		}
	}
	return out
}

// Names are the names of the metrics.
func Names() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return names
}

// Scorer makes the metric of this name.
func (f *Flags) Scorer(ctx context.Context, name string, open *Backend) (mteval.Scorer, error) {
	for _, m := range metrics {
		if m.name == name {
			// Its models, tables and parses may be pipes, or large.
			return parallel.Await(ctx, func() (mteval.Scorer, error) {
				s, err := m.new(ctx, f, open)
				if err != nil {
					return nil, err
				}
				return f.apply(s)
			})
		}
	}
	return nil, fmt.Errorf("no metric %q%s: have %s", name, nearest.DidYouMean(name, "", Names()), strings.Join(Names(), ", "))
}

// Scorers makes the metrics of these names, each once; of comet one for each of its models.
func (f *Flags) Scorers(ctx context.Context, names []string, open *Backend) ([]mteval.Scorer, error) {
	var out []mteval.Scorer
	for _, name := range f.Unique(names) {
		if name == learned && len(f.comet.models) > 1 {
			all, err := parallel.Await(ctx, func() ([]mteval.Scorer, error) { return f.comets(ctx, open) })
			if err != nil {
				return nil, err
			}
			out = append(out, all...)
			continue
		}
		s, err := f.Scorer(ctx, name, open)
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
	if _, ok := s.(*bleu.Scorer); !ok || !f.Sentences {
		return s, nil
	}
	corpus := *f
	corpus.Sentences = false
	return parallel.Await(ctx, func() (mteval.Scorer, error) { return corpus.bleu(ctx) })
}

// RunsModel says whether one of the metrics of these names runs a model, which uses all processors
// for one call.
func (f *Flags) RunsModel(names []string) bool {
	return slices.Contains(names, learned) || slices.Contains(names, "bertscore") && f.BackendName != "lexical"
}

func (f *Flags) bleu(ctx context.Context) (*bleu.Scorer, error) {
	tok, err := f.tokenizer(ctx)
	if err != nil {
		return nil, err
	}
	o := bleu.Options{
		Tokenizer: tok, Lowercase: f.lowercase, Smoothing: f.smoothing, MaxOrder: f.maxOrder, EffectiveOrder: f.Sentences,
		MaxTokens: f.maxTokens,
	}
	if f.Set.Changed("smooth-value") {
		o.SmoothValue = &f.smoothValue
	}
	s, err := bleu.New(o)
	if err != nil { // the other options are in bounds
		return nil, by("smooth-value", err)
	}
	return s, nil
}

func (f *Flags) words() overlap.Options {
	return overlap.Options{Lowercase: f.lowercase, MaxTokens: f.maxTokens}
}
