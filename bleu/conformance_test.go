package bleu_test

import (
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/scorertest"
	"github.com/mteval/mteval/tokenize"
)

// BLEU keeps the contract of mteval.Scorer with all kinds of options, and does not
// depend on the number of workers.
func TestConformance(t *testing.T) {
	zero, tenth := 0.0, 0.1
	for _, tt := range []struct {
		name string
		opt  bleu.Options
	}{
		{"default", bleu.Options{}},
		{"sentences", bleu.Options{EffectiveOrder: true, Lowercase: true}},
		{"intl", bleu.Options{Tokenizer: tokenize.Intl, Smoothing: bleu.Floor, EffectiveOrder: true}},
		{"char", bleu.Options{Tokenizer: tokenize.Char, MaxOrder: 16, Lowercase: true}},
		{"none", bleu.Options{Tokenizer: tokenize.None, MaxOrder: 1, Smoothing: bleu.NoSmoothing}},
		{"add-k", bleu.Options{Smoothing: bleu.AddK, EffectiveOrder: true}},
		{"add-k of 0", bleu.Options{Smoothing: bleu.AddK, SmoothValue: &zero}},
		{"floor of 0", bleu.Options{Smoothing: bleu.Floor, SmoothValue: &zero}},
		{"floor of 0.1", bleu.Options{Smoothing: bleu.Floor, SmoothValue: &tenth, MaxOrder: 6}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			workers := func(n int) mteval.Scorer {
				tt.opt.Workers = n
				s, err := bleu.New(tt.opt)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			o := scorertest.Options{Variants: []mteval.Scorer{workers(1), workers(5)}}
			if err := scorertest.Test(workers(2), o); err != nil {
				t.Error(err)
			}
		})
	}
}
