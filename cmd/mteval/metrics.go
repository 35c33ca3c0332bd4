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
	"github.com/mteval/mteval/tokenize"
)

// metricFlags are the options of the metrics, with sacreBLEU's names where it has
// them.
type metricFlags struct {
	tokenize     string
	lowercase    bool
	smoothMethod string
	smoothValue  float64
	smoothSet    bool
	effective    bool
	backend      string
	idf          bool
}

func (f *metricFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.tokenize, "tokenize", "13a", "tokenizer of BLEU: none, 13a, intl, char")
	fs.BoolVar(&f.lowercase, "lowercase", false, "ignore case in BLEU")
	fs.StringVar(&f.smoothMethod, "smooth-method", "exp", "smoothing of BLEU: exp, none, floor, add-k")
	fs.Float64Var(&f.smoothValue, "smooth-value", 0, "value of floor (default 0.1) and add-k (default 1)")
	fs.StringVar(&f.backend, "backend", "lexical", "what embeds tokens for BERTScore: lexical")
	fs.BoolVar(&f.idf, "idf", false, "weigh the tokens of BERTScore by their IDF in the references")
}

// parsed notes which flags were given.
func (f *metricFlags) parsed(fs *pflag.FlagSet) { f.smoothSet = fs.Changed("smooth-value") }

// metricNames are the metrics that score knows, in the order in which messages
// list them.
var metricNames = []string{"bleu", "bertscore"}

// scorer makes the metric of this name. Whoever calls it closes the backend when
// done, if there is one.
func (f *metricFlags) scorer(name string, open *openBackend) (mteval.Scorer, error) {
	switch name {
	case "bleu":
		return f.bleu()
	case "bertscore":
		return f.bertscore(open)
	}
	return nil, fmt.Errorf("no metric %q: have %s", name, strings.Join(metricNames, ", "))
}

func (f *metricFlags) bleu() (*bleu.Scorer, error) {
	tok, err := tokenize.ByName(f.tokenize)
	if err != nil {
		return nil, fmt.Errorf("--tokenize: %w", err)
	}
	smooth, err := bleu.ParseSmoothing(f.smoothMethod)
	if err != nil {
		return nil, fmt.Errorf("--smooth-method: %w", err)
	}
	o := bleu.Options{Tokenizer: tok, Lowercase: f.lowercase, Smoothing: smooth, EffectiveOrder: f.effective}
	if f.smoothSet {
		o.SmoothValue = &f.smoothValue
	}
	return bleu.New(o)
}

func (f *metricFlags) bertscore(open *openBackend) (*bertscore.Scorer, error) {
	b, err := open.get(f.backend)
	if err != nil {
		return nil, err
	}
	return bertscore.New(b, bertscore.Options{IDF: f.idf})
}

// openBackend opens a backend when it is first asked for.
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

// format writes a score with the decimals of its scale.
func format(info mteval.Info, score float64) string {
	if info.Scale == 100 {
		return fmt.Sprintf("%.2f", score)
	}
	return fmt.Sprintf("%.4f", score)
}
