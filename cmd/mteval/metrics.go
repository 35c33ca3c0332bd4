package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/libtorch"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/internal/hub"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/jamecab"
	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune/tuned"
)

// metricFlags are the options of the metrics, with sacreBLEU's names where it has
// them.
type metricFlags struct {
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
	backend     string
	model       string
	cache       string
	device      string
	dtype       libtorch.DType
	layer       int
	idf         bool
	baseline    string
	rescale     *mteval.PRF // what readBaseline read
	parameters  []string
	maxTokens   int
	texts       []string             // files that are scored
	lines       []string             // of these files
	tuned       map[string]tunedFile // of parameters, by metric

	set  *pflag.FlagSet
	note func(format string, args ...any)
	// sentences is whether sentences are scored.
	sentences bool
}

func (f *metricFlags) add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	f.set, f.note = fs, note
	flags.Group(fs, "Metrics", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Text(&f.target, "", "language", languages...), "target-language", "language code: chooses the tokenizer of BLEU, where zh and ja have their own, and the language of METEOR and DREEM").
			For("metric", "bleu", "meteor", "multilevel-meteor", "dreem", "multilevel-dreem")
		flags.Bool(fs, &f.lowercase, "lowercase", "ignore case in BLEU, WER and its kin, word F, and levels by triples").
			For("metric", "bleu", "wordf", "wer", "mer", "wil", "cer", "per", "multilevel-meteor", "multilevel-dreem")
		flags.Var(fs, flags.InputList(&f.parameters), "parameters", "file of tuned parameters of one of the metrics, as mteval tune writes it (repeat for several metrics)")
		flags.Var(fs, flags.Int(&f.maxTokens, 100_000, 0, math.MaxInt), "max-tokens", "most tokens of a segment's text, which time and memory grow with, often by their square; 0: no limit")
	})
	options(fs, "BLEU", []string{"bleu"}, func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Enum(&f.tokenize, "13a", "tokenizer", tokenizers...), "tokenize", "tokenizer of BLEU: "+strings.Join(tokenizers, ", "))
		flags.Var(fs, flags.Enum(&f.smoothing, bleu.Exp, "smoothing method", bleu.Exp, bleu.NoSmoothing, bleu.Floor, bleu.AddK), "smooth-method", "smoothing of BLEU: exp, none, floor, add-k")
		flags.Var(fs, flags.Number(&f.smoothValue, 0), "smooth-value", "value of floor (default 0.1) and add-k (default 1)")
		flags.Var(fs, flags.Int(&f.maxOrder, 4, 1, math.MaxInt), "max-ngram-order", "longest n-gram of BLEU")
	})
	options(fs, "chrF", []string{"chrf"}, func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Int(&f.chrf.CharOrder, 6, 1, math.MaxInt), "chrf-char-order", "longest character n-gram of chrF")
		flags.Var(fs, flags.Int(&f.chrf.WordOrder, 0, 0, math.MaxInt), "chrf-word-order", "longest word n-gram of chrF; 2 is chrF++")
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
	f.level.add(fs, &f.texts)
	options(fs, "BERTScore and backends", []string{"bertscore"}, f.addBackend)
}

func (f *metricFlags) addBackend(fs *pflag.FlagSet) {
	flags.Var(fs, flags.Enum(&f.backend, "lexical", "backend", backends...), "backend", "what embeds tokens for BERTScore: "+strings.Join(backends, ", "))
	flags.Var(fs, flags.Folder(&f.model, modelFiles), "model", "model of --backend transformer or libtorch: a folder, or a name in the Hugging Face cache").
		OptionOf("backend=transformer", "backend=libtorch")
	flags.Var(fs, flags.OwnFolder(&f.cache), "cache", "folder that keeps what --model gave for each text (tens of KB), so that a later run does not ask it again").
		OptionOf("backend=transformer", "backend=libtorch")
	flags.Var(fs, flags.Text(&f.device, "cpu", "device", "cpu", "cuda:0"), "device", "device of --backend libtorch: cpu, cuda:0, …").OptionOf("backend=libtorch")
	flags.Var(fs, flags.Enum(&f.dtype, libtorch.Float32, "type of numbers", libtorch.Float32, libtorch.Float16, libtorch.BFloat16), "dtype", "numbers of --backend libtorch: fp32, fp16, bf16").
		OptionOf("backend=libtorch")
	flags.Var(fs, flags.Int(&f.layer, 0, 0, math.MaxInt), "layer", "layer of the model (default bert_score's for the folder's name)").
		OptionOf("backend=transformer", "backend=libtorch")
	flags.Bool(fs, &f.idf, "idf", "weigh the tokens of BERTScore by their IDF in the references")
	flags.Var(fs, flags.Input(&f.baseline), "baseline", "file of baselines that rescale BERTScore: LAYER,P,R,F a line")
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

// check reads the files of --parameters.
func (f *metricFlags) check(ctx context.Context, metrics []string) error {
	f.chrf.MaxTokens, f.ter.MaxTokens, f.meteor.maxTokens = f.maxTokens, f.maxTokens, f.maxTokens
	f.tuned = make(map[string]tunedFile)
	for _, path := range f.parameters {
		t, err := await(ctx, func() (*tuned.Result, error) { return tuned.Open(path) })
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
			if strings.HasSuffix(t.Metric, "meteor") && f.set.Changed("meteor-"+name) {
				return fmt.Errorf("--parameters %s sets what --meteor-%s does: leave one of them out", path, name)
			}
		}
		f.tuned[t.Metric] = tunedFile{path, t}
	}
	return nil
}

// apply gives a scorer the parameters of --parameters, if there are any for it.
func (f *metricFlags) apply(s mteval.Scorer) (mteval.Scorer, error) {
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
	new  func(ctx context.Context, f *metricFlags, open *openBackend) (mteval.Scorer, error)
}

// metrics is the one place where names become metrics.
var metrics = []metric{
	{"bleu", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) { return f.bleu() }},
	{"chrf", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return chrf.New(f.chrf)
	}},
	{"ter", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return ter.New(f.ter), nil
	}},
	{"wordf", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewF(overlap.FOptions{Options: f.words()})
	}},
	{"wer", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.WER, f.words())
	}},
	{"mer", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.MER, f.words())
	}},
	{"wil", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.WIL, f.words())
	}},
	{"cer", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.CER, f.words())
	}},
	{"per", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.PER, f.words())
	}},
	{"meteor", func(ctx context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return f.meteor.scorer(ctx, f.target)
	}},
	{"dreem", func(ctx context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return f.newDREEM(ctx)
	}},
	{"multilevel-meteor", func(ctx context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return f.withLevels(ctx, "meteor")
	}},
	{"multilevel-dreem", func(ctx context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return f.withLevels(ctx, "dreem")
	}},
	{"bertscore", func(_ context.Context, f *metricFlags, open *openBackend) (mteval.Scorer, error) {
		return f.bertscore(open)
	}},
}

// metricNames are the names of the metrics, but for those left out.
func metricNames(without ...string) []string {
	var names []string
	for _, m := range metrics {
		if !slices.Contains(without, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// scorer makes the metric of this name.
func (f *metricFlags) scorer(ctx context.Context, name string, open *openBackend) (mteval.Scorer, error) {
	for _, m := range metrics {
		if m.name == name {
			// Its models, tables and parses may be pipes, or large.
			return await(ctx, func() (mteval.Scorer, error) {
				s, err := m.new(ctx, f, open)
				if err != nil {
					return nil, err
				}
				return f.apply(s)
			})
		}
	}
	return nil, fmt.Errorf("no metric %q: have %s", name, strings.Join(metricNames(), ", "))
}

// scorers makes the metrics of these names, each once.
func (f *metricFlags) scorers(ctx context.Context, names []string, open *openBackend) ([]mteval.Scorer, error) {
	var out []mteval.Scorer
	for _, name := range unique(names) {
		s, err := f.scorer(ctx, name, open)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (f *metricFlags) bleu() (*bleu.Scorer, error) {
	tok, err := f.tokenizer()
	if err != nil {
		return nil, err
	}
	o := bleu.Options{
		Tokenizer: tok, Lowercase: f.lowercase, Smoothing: f.smoothing, MaxOrder: f.maxOrder, EffectiveOrder: f.sentences,
		MaxTokens: f.maxTokens,
	}
	if f.set.Changed("smooth-value") {
		o.SmoothValue = &f.smoothValue
	}
	return bleu.New(o)
}

// tokenizer is the one that --tokenize names, or else that of --target-language.
func (f *metricFlags) tokenizer() (tokenize.Tokenizer, error) {
	name := f.tokenize
	if !f.set.Changed("tokenize") {
		language, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(f.target), "_", "-"), "-")
		switch {
		case language == "zh":
			name = "zh"
		case language == "ja":
			name = "ja-mecab"
		case language == "ko":
			return nil, errors.New("--target-language ko: there is no tokenizer for Korean here; choose one with --tokenize")
		case f.set.Changed("target-language") && (len(language) < 2 || len(language) > 3):
			return nil, fmt.Errorf("--target-language: %q is not a language code such as de or zh-CN", f.target)
		}
	}
	if name == "ja-mecab" {
		return jamecab.New()
	}
	return tokenize.ByName(name)
}

func (f *metricFlags) words() overlap.Options {
	return overlap.Options{Lowercase: f.lowercase, MaxTokens: f.maxTokens}
}

func (f *metricFlags) bertscore(open *openBackend) (*bertscore.Scorer, error) {
	o := bertscore.Options{IDF: f.idf, OnTruncated: open.truncated, MaxTokens: f.maxTokens}
	b, err := open.get(f)
	if err != nil {
		return nil, err
	}
	if f.baseline != "" {
		if o.Baseline, err = f.readBaseline(b.Info().Signature); err != nil {
			return nil, err
		}
	}
	return bertscore.New(b, o)
}

// readBaseline reads the line of --baseline for the model's layer, which the signature of
// the backend, or of BERTScore over it, names.
func (f *metricFlags) readBaseline(sig mteval.Signature) (*mteval.PRF, error) {
	if f.rescale != nil {
		return f.rescale, nil
	}
	layer, err := strconv.Atoi(sig.Get("layer"))
	if err != nil {
		return nil, fmt.Errorf("--baseline: backend %s has no layers", f.backend)
	}
	f.rescale, err = bertscore.OpenBaseline(f.baseline, layer)
	return f.rescale, err
}

// openBackend opens a backend when it is first asked for. Whoever has one closes it.
type openBackend struct {
	b      backend.Backend
	closed bool
	mu     sync.Mutex // of these: who waits for a backend may be gone when it is open
	// warn says what closing finds; nil: nothing can be found.
	warn func(error)
	// cut counts the texts of which the model took only the beginning.
	cut atomic.Int64
}

func (o *openBackend) truncated(string) { o.cut.Add(1) }

func (o *openBackend) get(f *metricFlags) (backend.Backend, error) {
	if o.b != nil {
		return o.b, nil
	}
	switch f.backend {
	case "lexical":
		b, err := lexical.New(lexical.Options{})
		if err != nil {
			return nil, err
		}
		return o.keep(b)
	case "transformer", "libtorch":
		if f.model == "" {
			return nil, fmt.Errorf("--backend %s needs --model, a folder or a name in the Hugging Face cache", f.backend)
		}
		var opt transformer.Options
		if f.set.Changed("layer") {
			opt.Layer = &f.layer
		}
		dir, err := hub.Resolve(f.model)
		if err != nil {
			return nil, err
		}
		if f.backend == "libtorch" {
			b, err := libtorch.Open(dir, libtorch.Options{Options: opt, Device: f.device, DType: f.dtype})
			if err != nil {
				return nil, err
			}
			return o.keepModel(f, b)
		}
		b, err := transformer.Open(dir, opt)
		if err != nil {
			return nil, err
		}
		return o.keepModel(f, b)
	}
	return nil, fmt.Errorf("no backend %q: have %s", f.backend, strings.Join(backends, ", "))
}

// keep takes a backend that was opened, to close it.
func (o *openBackend) keep(b backend.Backend) (backend.Backend, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, errors.Join(context.Canceled, b.Close())
	}
	o.b = b
	return b, nil
}

// noteCut says for how many texts the end was left out.
func (a *app) noteCut(o *openBackend) {
	if n := o.cut.Load(); n > 0 {
		a.note("warning: %d texts are longer than the model's %d tokens: only their beginning was scored", n, o.b.Info().MaxTokens)
	}
}

func (o *openBackend) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.b == nil {
		return
	}
	if err := o.b.Close(); err != nil && o.warn != nil {
		o.warn(err)
	}
}

// unique returns the names without repetition.
func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// format writes a score with `width` decimals, or if that is negative as many as suit
// its scale.
func format(info mteval.Info, score float64, width int) string {
	if width < 0 {
		width = 4
		if info.Scale == 100 {
			width = 2
		}
	}
	return fmt.Sprintf("%.*f", width, score)
}
