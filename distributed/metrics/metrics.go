// Package metrics registers the metrics of mteval with package distributed, under the names that
// they have for -m of the command mteval: bleu, chrf, chrf++, ter, wordf, wer, mer, wil, cer, per,
// meteor and bertscore. A program imports it for that.
//
// Options are a JSON object, of which all fields may be left out; one that the metric does not
// have is an error:
//
//	bleu                      lowercase, tokenize (13a, intl, zh, char, none), smoothing (exp, none,
//	                          floor, add-k), smooth-value, max-order, effective-order (for segments),
//	                          max-tokens
//	chrf, chrf++              char-order, word-order (chrf), beta, lowercase, whitespace,
//	                          eps-smoothing, max-tokens
//	ter                       normalized, no-punct, asian, case-sensitive, max-tokens
//	wordf, wer, mer, wil,     lowercase, max-tokens
//	cer, per
//	meteor                    language, task, normalize (for raw text), max-tokens
//	bertscore                 model, layer, dtype, rescale (an object of P, R and F), cut, max-tokens
//
// BERTScore without a model is over lexical vectors; model is a folder of package transformer, which
// every worker must have under that name, and a worker opens it once. A text longer than the
// model takes is refused, unless cut is true. There is no IDF, which is of all references together.
package metrics

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/distributed"
	"github.com/mteval/mteval/internal/jsonline"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
	"github.com/mteval/mteval/tokenize"
)

func init() {
	distributed.Register("bleu", light(newBLEU))
	distributed.Register("chrf", light(func(o chrfOptions) (mteval.Scorer, error) { return chrf.New(o.options()) }))
	distributed.Register("chrf++", light(func(o chrfOptions) (mteval.Scorer, error) {
		if o.WordOrder != 0 {
			return nil, fmt.Errorf("word-order is that of chrf: of chrf++ it is 2")
		}
		o.WordOrder = 2
		return chrf.New(o.options())
	}))
	distributed.Register("ter", light(func(o terOptions) (mteval.Scorer, error) {
		return ter.New(ter.Options{Normalized: o.Normalized, NoPunct: o.NoPunct, Asian: o.Asian, CaseSensitive: o.CaseSensitive, MaxTokens: o.MaxTokens}), nil
	}))
	distributed.Register("wordf", light(func(o wordOptions) (mteval.Scorer, error) {
		return overlap.NewF(overlap.FOptions{Options: o.options()})
	}))
	for name, rate := range map[string]overlap.Rate{
		"wer": overlap.WER, "mer": overlap.MER, "wil": overlap.WIL, "cer": overlap.CER, "per": overlap.PER,
	} {
		distributed.Register(name, light(func(o wordOptions) (mteval.Scorer, error) { return overlap.NewRate(rate, o.options()) }))
	}
	distributed.Register("meteor", light(newMETEOR))
	distributed.Register("bertscore", openBERTScore)
}

// read reads options, into what has defaults.
func read(options json.RawMessage, to any) error {
	if len(options) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(options))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("options: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("options: more than one object")
	}
	if err := jsonline.CheckKeys(string(options), to); err != nil {
		return fmt.Errorf("options: %w", err)
	}
	return nil
}

// light is the Opener of a metric that needs nothing but its options.
func light[O any](make func(O) (mteval.Scorer, error)) distributed.Opener {
	return func(_ context.Context, options json.RawMessage) (mteval.Scorer, func() error, error) {
		var o O
		if err := read(options, &o); err != nil {
			return nil, nil, err
		}
		s, err := make(o)
		return s, nil, err
	}
}

type bleuOptions struct {
	Lowercase   bool     `json:"lowercase"`
	Tokenize    string   `json:"tokenize"`
	Smoothing   string   `json:"smoothing"`
	SmoothValue *float64 `json:"smooth-value"`
	MaxOrder    int      `json:"max-order"`
	Effective   bool     `json:"effective-order"`
	MaxTokens   int      `json:"max-tokens"`
}

func newBLEU(o bleuOptions) (mteval.Scorer, error) {
	out := bleu.Options{Lowercase: o.Lowercase, SmoothValue: o.SmoothValue, MaxOrder: o.MaxOrder, EffectiveOrder: o.Effective, MaxTokens: o.MaxTokens}
	if o.Tokenize != "" {
		var err error
		if out.Tokenizer, err = tokenize.ByName(o.Tokenize); err != nil {
			return nil, err
		}
	}
	if o.Smoothing != "" {
		var err error
		if out.Smoothing, err = bleu.ParseSmoothing(o.Smoothing); err != nil {
			return nil, err
		}
	}
	return bleu.New(out)
}

type chrfOptions struct {
	CharOrder    int     `json:"char-order"`
	WordOrder    int     `json:"word-order"`
	Beta         float64 `json:"beta"`
	Lowercase    bool    `json:"lowercase"`
	Whitespace   bool    `json:"whitespace"`
	EpsSmoothing bool    `json:"eps-smoothing"`
	MaxTokens    int     `json:"max-tokens"`
}

func (o chrfOptions) options() chrf.Options {
	return chrf.Options{
		CharOrder: o.CharOrder, WordOrder: o.WordOrder, Beta: o.Beta, Lowercase: o.Lowercase, Whitespace: o.Whitespace,
		EpsSmoothing: o.EpsSmoothing, MaxTokens: o.MaxTokens,
	}
}

type terOptions struct {
	Normalized    bool `json:"normalized"`
	NoPunct       bool `json:"no-punct"`
	Asian         bool `json:"asian"`
	CaseSensitive bool `json:"case-sensitive"`
	MaxTokens     int  `json:"max-tokens"`
}

type wordOptions struct {
	Lowercase bool `json:"lowercase"`
	MaxTokens int  `json:"max-tokens"`
}

func (o wordOptions) options() overlap.Options {
	return overlap.Options{Lowercase: o.Lowercase, MaxTokens: o.MaxTokens}
}

type meteorOptions struct {
	Language  string `json:"language"`
	Task      string `json:"task"`
	Normalize bool   `json:"normalize"`
	MaxTokens int    `json:"max-tokens"`
}

func newMETEOR(o meteorOptions) (mteval.Scorer, error) {
	out := meteor.Options{Language: o.Language, MaxTokens: o.MaxTokens}
	if o.Normalize {
		out.Normalization = meteor.Full
	}
	if o.Task != "" {
		var err error
		if out.Task, err = meteor.ParseTask(o.Task); err != nil {
			return nil, err
		}
	}
	return meteor.New(out)
}

type bertOptions struct {
	Model     string            `json:"model"`
	Layer     *int              `json:"layer"`
	DType     transformer.DType `json:"dtype"`
	Rescale   *mteval.PRF       `json:"rescale"`
	Cut       bool              `json:"cut"`
	MaxTokens int               `json:"max-tokens"`
}

func openBERTScore(_ context.Context, options json.RawMessage) (mteval.Scorer, func() error, error) {
	var o bertOptions
	if err := read(options, &o); err != nil {
		return nil, nil, err
	}
	var b backend.Backend
	var err error
	if o.Model != "" {
		b, err = transformer.Open(o.Model, transformer.Options{Layer: o.Layer, DType: o.DType})
	} else if o.Layer != nil || o.DType != "" {
		err = fmt.Errorf("layer and dtype are of a model, and there is none")
	} else {
		b, err = lexical.New(lexical.Options{})
	}
	if err != nil {
		return nil, nil, err
	}
	out := bertscore.Options{Baseline: o.Rescale, MaxTokens: o.MaxTokens}
	if o.Cut {
		out.OnTruncated = func(string) {}
	}
	s, err := bertscore.New(b, out)
	if err != nil {
		b.Close()
		return nil, nil, err
	}
	return s, b.Close, nil
}
