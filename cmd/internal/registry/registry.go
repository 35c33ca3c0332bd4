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
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/jamecab"
	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune/tuned"
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
	level       levelFlags
	// BackendName is what --backend says, and Baseline the file of --baseline.
	BackendName string
	model       string
	cache       string
	device      string
	dtype       libtorch.DType
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
	// Sentences is whether sentences are scored.
	Sentences bool
	// AlwaysLexical is whether the command needs Standard metrics, whatever else is chosen.
	AlwaysLexical bool
}

// Add defines the flags. note says something that is not part of the result.
func (f *Flags) Add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	f.Set, f.note = fs, note
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		target := flags.Var(fs, flags.Text(&f.target, "", "language", languages...), "target-language", "language code: chooses the tokenizer of BLEU and of lexical vectors, where zh and ja have their own, and the language of METEOR and DREEM")
		if !f.AlwaysLexical {
			target.For("metric", "bleu", "meteor", "multilevel-meteor", "dreem", "multilevel-dreem", "bertscore")
		}
		flags.Bool(fs, &f.lowercase, "lowercase", "ignore case in BLEU, WER and its kin, word F, and levels by triples").
			For("metric", "bleu", "wordf", "wer", "mer", "wil", "cer", "per", "multilevel-meteor", "multilevel-dreem")
		flags.Var(fs, flags.InputList(&f.parameters), "parameters", "file of tuned parameters of one of the metrics, as mteval tune writes it (repeat for several metrics)")
		flags.Var(fs, flags.Int(&f.maxTokens, 100_000, 0, math.MaxInt), "max-tokens", "most tokens of a segment's text, which time and memory grow with, often by their square; 0: no limit")
	})
	options(fs, "BLEU", []string{"bleu"}, func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Enum(&f.tokenize, "13a", "tokenizer", tokenizers...), "tokenize", "tokenizer of BLEU: "+strings.Join(tokenizers, ", "))
		flags.VarP(fs, flags.Enum(&f.smoothing, bleu.Exp, "smoothing method", bleu.Exp, bleu.NoSmoothing, bleu.Floor, bleu.AddK), "smooth-method", "s", "smoothing of BLEU: exp, none, floor, add-k")
		flags.Var(fs, flags.Number(&f.smoothValue, 0), "smooth-value", "value of floor (default 0.1) and add-k (default 1)")
		flags.Var(fs, flags.Int(&f.maxOrder, 4, 1, math.MaxInt), "max-ngram-order", "longest n-gram of BLEU")
	})
	options(fs, "chrF", []string{"chrf", "chrf++"}, func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Int(&f.chrf.CharOrder, 6, 1, math.MaxInt), "chrf-char-order", "longest character n-gram of chrF")
		flags.Var(fs, flags.Int(&f.chrf.WordOrder, 0, 0, math.MaxInt), "chrf-word-order", "longest word n-gram of chrF; 2 is chrF++").For("metric", "chrf")
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
	options(fs, "METEOR", []string{"meteor", "multilevel-meteor"}, f.meteor.add)
	f.level.add(fs, &f.Texts)
	options(fs, "BERTScore and backends", []string{"bertscore"}, f.addBackend)
}

// options defines the options of some metrics, without which they have no effect.
func options(fs *pflag.FlagSet, title string, metrics []string, define func(fs *pflag.FlagSet)) {
	for _, f := range flags.Group(fs, title, define) {
		f.For("metric", metrics...)
	}
}

// What flags may be.
var (
	backends   = []string{"lexical", "transformer", "libtorch"}
	tokenizers = []string{"none", "13a", "intl", "zh", "char", "ja-mecab"}
	// languages are those that the metrics have something for. Others may be named.
	languages = []string{"ar", "cs", "da", "de", "en", "es", "fi", "fr", "hu", "it", "ja", "nl", "no", "pt", "ro", "ru", "sv", "tr", "zh"}
)

// Check reads the files of --parameters, and refuses a metric under two names.
func (f *Flags) Check(ctx context.Context, metrics []string) error {
	if f.chrf.WordOrder == 2 && slices.Contains(metrics, "chrf") && slices.Contains(metrics, "chrf++") {
		return errors.New("--chrf-word-order 2 makes chrf++ of chrf: name one of them")
	}
	f.chrf.MaxTokens, f.ter.MaxTokens, f.meteor.maxTokens = f.maxTokens, f.maxTokens, f.maxTokens
	f.tuned = make(map[string]tunedFile)
	for _, path := range f.parameters {
		t, err := parallel.Await(ctx, func() (*tuned.Result, error) { return tuned.Open(path) })
		if err != nil {
			return err
		}
		before, twice := f.tuned[t.Metric]
		switch {
		case twice:
			return fmt.Errorf("--parameters: %s and %s are both parameters of %s: give one of them", before.path, path, t.Metric)
		case !slices.Contains(metrics, t.Metric):
			return fmt.Errorf("--parameters: %s has parameters of %s: add -m %s or leave it out", path, t.Metric, t.Metric)
		}
		for _, name := range []string{"params", "weights"} {
			if strings.HasSuffix(t.Metric, "meteor") && f.Set.Changed("meteor-"+name) {
				return fmt.Errorf("--parameters %s sets what --meteor-%s does: leave one of them out", path, name)
			}
		}
		f.tuned[t.Metric] = tunedFile{path, t}
	}
	return nil
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
	out.Lines = lines
	out.meteor.made, out.level.made = nil, nil
	return &out
}

// apply gives a scorer the parameters of --parameters, if there are any for it.
func (f *Flags) apply(s mteval.Scorer) (mteval.Scorer, error) {
	name := s.Info().Name
	t, ok := f.tuned[name]
	if !ok {
		return s, nil
	}
	p, ok := s.(tunable.Scorer)
	if !ok {
		return nil, fmt.Errorf("--parameters: %s: %s has none to change", t.path, name)
	}
	p, err := t.result.Apply(p)
	if err != nil {
		return nil, fmt.Errorf("--parameters: %s: %w", t.path, err)
	}
	return p, nil
}

// tunedFile is a file of --parameters.
type tunedFile struct {
	path   string
	result *tuned.Result
}

// A metric that the command knows.
type metric struct {
	name string
	new  func(ctx context.Context, f *Flags, open *Backend) (mteval.Scorer, error)
}

// metrics is the one place where names become metrics.
var metrics = []metric{
	{"bleu", func(_ context.Context, f *Flags, _ *Backend) (mteval.Scorer, error) { return f.bleu() }},
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
		return f.meteor.scorer(ctx, f.target)
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
	{"bertscore", func(_ context.Context, f *Flags, open *Backend) (mteval.Scorer, error) {
		return f.bertscore(open)
	}},
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
	return nil, fmt.Errorf("no metric %q: have %s", name, strings.Join(Names(), ", "))
}

// Scorers makes the metrics of these names.
func (f *Flags) Scorers(ctx context.Context, names []string, open *Backend) ([]mteval.Scorer, error) {
	var out []mteval.Scorer
	for _, name := range names {
		s, err := f.Scorer(ctx, name, open)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (f *Flags) bleu() (*bleu.Scorer, error) {
	tok, err := f.tokenizer()
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
	return bleu.New(o)
}

// tokenizer is the one that --tokenize names, or else that of --target-language.
func (f *Flags) tokenizer() (tokenize.Tokenizer, error) {
	if f.Set.Changed("tokenize") {
		return tokenizerOf(f.tokenize)
	}
	if f.targetCode() == "ko" {
		return nil, errors.New("--target-language ko: there is no tokenizer for Korean here; choose one with --tokenize")
	}
	return f.languageTokenizer()
}

// targetCode is the language of --target-language without its region.
func (f *Flags) targetCode() string { return strings.ToLower(languageCode(f.target)) }

// languageTokenizer is that of --target-language: 13a but for languages written without
// spaces.
func (f *Flags) languageTokenizer() (tokenize.Tokenizer, error) {
	language := f.targetCode()
	switch {
	case language == "zh":
		return tokenizerOf("zh")
	case language == "ja":
		return tokenizerOf("ja-mecab")
	case f.Set.Changed("target-language") && (len(language) < 2 || len(language) > 3):
		return nil, fmt.Errorf("--target-language: %q is not a language code such as de or zh-CN", f.target)
	}
	return tokenize.V13a, nil
}

func tokenizerOf(name string) (tokenize.Tokenizer, error) {
	if name == "ja-mecab" {
		return jamecab.New()
	}
	return tokenize.ByName(name)
}

func (f *Flags) words() overlap.Options {
	return overlap.Options{Lowercase: f.lowercase, MaxTokens: f.maxTokens}
}
