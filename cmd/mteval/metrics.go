package main

import (
	"context"
	"errors"
	"fmt"
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
	tokenize     string
	target       string
	lowercase    bool
	smoothMethod string
	smoothValue  float64
	maxOrder     int
	chrf         chrf.Options
	ter          ter.Options
	meteor       meteorFlags
	level        levelFlags
	backend      string
	model        string
	cache        string
	device       string
	dtype        string
	layer        int
	idf          bool
	baseline     string
	rescale      *mteval.PRF // what readBaseline read
	parameters   []string
	maxTokens    int
	texts        []string             // files that are scored
	lines        []string             // of these files
	tuned        map[string]tunedFile // of parameters, by metric

	set  *pflag.FlagSet
	note func(format string, args ...any)
	// sentences is whether sentences are scored.
	sentences bool
}

func (f *metricFlags) add(fs *pflag.FlagSet, note func(format string, args ...any)) {
	f.set, f.note = fs, note
	fs.StringVar(&f.tokenize, "tokenize", "13a", "tokenizer of BLEU: "+tokenizerNames)
	fs.StringVar(&f.target, "target-language", "", "language code: chooses the tokenizer of BLEU, where zh and ja have their own, and the language of METEOR")
	fs.BoolVar(&f.lowercase, "lowercase", false, "ignore case in BLEU, WER and its kin, word F, and levels by triples")
	fs.StringVar(&f.smoothMethod, "smooth-method", "exp", "smoothing of BLEU: exp, none, floor, add-k")
	fs.Float64Var(&f.smoothValue, "smooth-value", 0, "value of floor (default 0.1) and add-k (default 1)")
	fs.IntVar(&f.maxOrder, "max-ngram-order", 4, "longest n-gram of BLEU")
	fs.IntVar(&f.chrf.CharOrder, "chrf-char-order", 6, "longest character n-gram of chrF")
	fs.IntVar(&f.chrf.WordOrder, "chrf-word-order", 0, "longest word n-gram of chrF; 2 is chrF++")
	fs.Float64Var(&f.chrf.Beta, "chrf-beta", 2, "importance of recall in chrF")
	fs.BoolVar(&f.chrf.Whitespace, "chrf-whitespace", false, "count white space as a character in chrF")
	fs.BoolVar(&f.chrf.Lowercase, "chrf-lowercase", false, "ignore case in chrF")
	fs.BoolVar(&f.chrf.EpsSmoothing, "chrf-eps-smoothing", false, "smooth chrF as chrF++.py, NLTK and Moses do")
	fs.BoolVar(&f.ter.CaseSensitive, "ter-case-sensitive", false, "let case matter in TER")
	fs.BoolVar(&f.ter.Asian, "ter-asian-support", false, "split Asian characters apart in TER (with --ter-normalized or --ter-no-punct)")
	fs.BoolVar(&f.ter.NoPunct, "ter-no-punct", false, "remove punctuation in TER")
	fs.BoolVar(&f.ter.Normalized, "ter-normalized", false, "split off punctuation in TER")
	f.meteor.add(fs)
	f.level.add(fs)
	fs.StringVar(&f.backend, "backend", "lexical", "what embeds tokens for BERTScore: "+backendNames)
	fs.StringVar(&f.model, "model", "", "model of --backend transformer or libtorch: a folder, or a name in the Hugging Face cache")
	fs.StringVar(&f.cache, "cache", "", "folder that keeps what --model gave for each text (tens of KB), so that a later run does not ask it again")
	fs.StringVar(&f.device, "device", "cpu", "device of --backend libtorch: cpu, cuda:0, …")
	fs.StringVar(&f.dtype, "dtype", "fp32", "numbers of --backend libtorch: fp32, fp16, bf16")
	fs.IntVar(&f.layer, "layer", 0, "layer of the model (default bert_score's for the folder's name)")
	fs.StringVar(&f.baseline, "baseline", "", "file of baselines that rescale BERTScore: LAYER,P,R,F a line")
	fs.StringArrayVar(&f.parameters, "parameters", nil, "file of tuned parameters of one of the metrics, as mteval tune writes it (repeat for several metrics)")
	fs.IntVar(&f.maxTokens, "max-tokens", 100_000, "most tokens of a segment's text, which time and memory grow with, often by their square; 0: no limit")
	fs.BoolVar(&f.idf, "idf", false, "weigh the tokens of BERTScore by their IDF in the references")
}

const backendNames = "lexical, transformer, libtorch"

// flagMetrics says which metrics a flag is an option of. Such a flag without its metric
// would have no effect, and is an error.
var flagMetrics = map[string][]string{
	"tokenize": {"bleu"}, "target-language": {"bleu", "meteor", "multilevel-meteor", "dreem", "multilevel-dreem"}, "smooth-method": {"bleu"}, "smooth-value": {"bleu"}, "max-ngram-order": {"bleu"},
	"lowercase":       {"bleu", "wordf", "wer", "mer", "wil", "cer", "per", "multilevel-meteor", "multilevel-dreem"},
	"chrf-char-order": {"chrf"}, "chrf-word-order": {"chrf"}, "chrf-beta": {"chrf"}, "chrf-whitespace": {"chrf"},
	"chrf-lowercase": {"chrf"}, "chrf-eps-smoothing": {"chrf"},
	"ter-case-sensitive": {"ter"}, "ter-asian-support": {"ter"}, "ter-no-punct": {"ter"}, "ter-normalized": {"ter"},
	"backend": {"bertscore"}, "model": {"bertscore"}, "cache": {"bertscore"}, "device": {"bertscore"}, "dtype": {"bertscore"}, "layer": {"bertscore"}, "idf": {"bertscore"}, "baseline": {"bertscore"},
}

// check returns an error if a flag was given that none of the metrics has.
func (f *metricFlags) check(ctx context.Context, metrics []string) error {
	if f.maxTokens < 0 {
		return fmt.Errorf("--max-tokens %d: no such number of tokens; 0 is no limit", f.maxTokens)
	}
	f.chrf.MaxTokens, f.ter.MaxTokens, f.meteor.maxTokens = f.maxTokens, f.maxTokens, f.maxTokens
	var failed error
	f.set.Visit(func(g *pflag.Flag) {
		of, ok := flagMetrics[g.Name]
		if strings.HasPrefix(g.Name, "meteor-") {
			of, ok = []string{"meteor", "multilevel-meteor"}, true
		}
		if l := levelMetrics(g.Name); l != nil {
			of, ok = l, true
		}
		if ok && failed == nil && !slices.ContainsFunc(of, func(m string) bool { return slices.Contains(metrics, m) }) {
			failed = fmt.Errorf("--%s is an option of %s: add -m %s or leave it out", g.Name, strings.Join(of, ", "), of[0])
		}
	})
	if failed != nil {
		return failed
	}
	from := make(map[string]string)
	for _, path := range f.parameters {
		t, err := await(ctx, func() (*tuned.Result, error) { return tuned.Load(path) })
		if err != nil {
			return err
		}
		before, twice := from[t.Metric]
		switch {
		case twice:
			return fmt.Errorf("--parameters: %s and %s are both parameters of %s: give one of them", before, path, t.Metric)
		case !slices.Contains(metrics, t.Metric):
			return fmt.Errorf("--parameters: %s has parameters of %s: add -m %s or leave it out", path, t.Metric, t.Metric)
		}
		from[t.Metric] = path
		for _, name := range []string{"params", "weights"} {
			if strings.HasSuffix(t.Metric, "meteor") && f.set.Changed("meteor-"+name) {
				return fmt.Errorf("--parameters %s sets what --meteor-%s does: leave one of them out", path, name)
			}
		}
		if f.tuned == nil {
			f.tuned = make(map[string]tunedFile)
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

const tokenizerNames = "none, 13a, intl, zh, char, ja-mecab"

// A metric that the command knows.
type metric struct {
	name string
	new  func(ctx context.Context, f *metricFlags, open *openBackend) (mteval.Scorer, error)
}

// metrics is the one place where names become metrics.
var metrics = []metric{
	{"bleu", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) { return f.bleu() }},
	{"chrf", func(_ context.Context, f *metricFlags, _ *openBackend) (mteval.Scorer, error) { return f.newChrF() }},
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

// metricNames lists the metrics, for messages, but for those left out.
func metricNames(without ...string) string {
	var names []string
	for _, m := range metrics {
		if !slices.Contains(without, m.name) {
			names = append(names, m.name)
		}
	}
	return strings.Join(names, ", ")
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
	return nil, fmt.Errorf("no metric %q: have %s", name, metricNames())
}

func (f *metricFlags) bleu() (*bleu.Scorer, error) {
	smooth, err := bleu.ParseSmoothing(f.smoothMethod)
	if err != nil {
		return nil, fmt.Errorf("--smooth-method: %w", err)
	}
	tok, err := f.tokenizer()
	if err != nil {
		return nil, err
	}
	if f.maxOrder < 1 { // 0 is the library's default
		return nil, fmt.Errorf("--max-ngram-order %d: an order is from 1 up", f.maxOrder)
	}
	o := bleu.Options{
		Tokenizer: tok, Lowercase: f.lowercase, Smoothing: smooth, MaxOrder: f.maxOrder, EffectiveOrder: f.sentences,
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
	tok, err := tokenize.ByName(name)
	if err != nil {
		return nil, fmt.Errorf("--tokenize: no tokenizer %q: have %s", name, tokenizerNames)
	}
	return tok, nil
}

func (f *metricFlags) newChrF() (*chrf.Scorer, error) {
	if f.chrf.CharOrder < 1 { // 0 is the library's default, as with beta
		return nil, fmt.Errorf("--chrf-char-order %d: an order is from 1 up", f.chrf.CharOrder)
	}
	if f.chrf.Beta <= 0 {
		return nil, fmt.Errorf("--chrf-beta %v: not a positive number", f.chrf.Beta)
	}
	return chrf.New(f.chrf)
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
	if f.backend != "transformer" && f.backend != "libtorch" && (f.model != "" || f.set.Changed("layer")) {
		return nil, fmt.Errorf("--model and --layer are options of --backend transformer and libtorch, not %s", f.backend)
	}
	if err := f.checkCache(); err != nil {
		return nil, err
	}
	if f.backend != "libtorch" && (f.set.Changed("device") || f.set.Changed("dtype")) {
		return nil, fmt.Errorf("--device and --dtype are options of --backend libtorch, not %s", f.backend)
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
			b, err := libtorch.Open(dir, libtorch.Options{Options: opt, Device: f.device, DType: libtorch.DType(f.dtype)})
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
	return nil, fmt.Errorf("no backend %q: have %s", f.backend, backendNames)
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
