package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/jamecab"
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
	backend      string
	idf          bool

	set *pflag.FlagSet
	// sentences is whether sentences are scored.
	sentences bool
}

func (f *metricFlags) add(fs *pflag.FlagSet) {
	f.set = fs
	fs.StringVar(&f.tokenize, "tokenize", "13a", "tokenizer of BLEU: "+tokenizerNames)
	fs.StringVar(&f.target, "target-language", "", "language code that chooses the tokenizer of BLEU: zh and ja have their own")
	fs.BoolVar(&f.lowercase, "lowercase", false, "ignore case in BLEU, WER and its kin, and word F")
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
	fs.StringVar(&f.backend, "backend", "lexical", "what embeds tokens for BERTScore: lexical")
	fs.BoolVar(&f.idf, "idf", false, "weigh the tokens of BERTScore by their IDF in the references")
}

const tokenizerNames = "none, 13a, intl, zh, char, ja-mecab"

// A metric that the command knows.
type metric struct {
	name string
	new  func(f *metricFlags, open *openBackend) (mteval.Scorer, error)
}

// metrics is the one place where names become metrics.
var metrics = []metric{
	{"bleu", func(f *metricFlags, _ *openBackend) (mteval.Scorer, error) { return f.bleu() }},
	{"chrf", func(f *metricFlags, _ *openBackend) (mteval.Scorer, error) { return f.newChrF() }},
	{"ter", func(f *metricFlags, _ *openBackend) (mteval.Scorer, error) { return ter.New(f.ter), nil }},
	{"wordf", func(f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewF(overlap.FOptions{Options: f.words()})
	}},
	{"wer", func(f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.WER, f.words())
	}},
	{"mer", func(f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.MER, f.words())
	}},
	{"wil", func(f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.WIL, f.words())
	}},
	{"cer", func(f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.CER, f.words())
	}},
	{"per", func(f *metricFlags, _ *openBackend) (mteval.Scorer, error) {
		return overlap.NewRate(overlap.PER, f.words())
	}},
	{"bertscore", func(f *metricFlags, open *openBackend) (mteval.Scorer, error) { return f.bertscore(open) }},
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
func (f *metricFlags) scorer(name string, open *openBackend) (mteval.Scorer, error) {
	for _, m := range metrics {
		if m.name == name {
			return m.new(f, open)
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
	o := bleu.Options{
		Tokenizer: tok, Lowercase: f.lowercase, Smoothing: smooth, MaxOrder: f.maxOrder, EffectiveOrder: f.sentences,
	}
	if f.set.Changed("smooth-value") {
		o.SmoothValue = &f.smoothValue
	}
	if f.maxOrder == 0 {
		o.MaxOrder = -1 // an error, where the library has its default
	}
	return bleu.New(o)
}

// tokenizer is the one that --tokenize names, or else that of --target-language.
func (f *metricFlags) tokenizer() (tokenize.Tokenizer, error) {
	name := f.tokenize
	if !f.set.Changed("tokenize") {
		switch f.target {
		case "zh":
			name = "zh"
		case "ja":
			name = "ja-mecab"
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
	o := f.chrf
	if o.CharOrder == 0 {
		o.CharOrder = -1 // an error, where the library has its default
	}
	if o.Beta == 0 {
		o.Beta = -1
	}
	return chrf.New(o)
}

func (f *metricFlags) words() overlap.Options { return overlap.Options{Lowercase: f.lowercase} }

func (f *metricFlags) bertscore(open *openBackend) (*bertscore.Scorer, error) {
	b, err := open.get(f.backend)
	if err != nil {
		return nil, err
	}
	return bertscore.New(b, bertscore.Options{IDF: f.idf})
}

// openBackend opens a backend when it is first asked for. Whoever has one closes it.
type openBackend struct{ b backend.Backend }

func (o *openBackend) get(name string) (backend.Backend, error) {
	if o.b != nil {
		return o.b, nil
	}
	var err error
	switch name {
	case "lexical":
		o.b, err = lexical.New(lexical.Options{})
	default:
		err = fmt.Errorf("no backend %q: have lexical", name)
	}
	return o.b, err
}

func (o *openBackend) close() {
	if o.b != nil {
		o.b.Close()
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
