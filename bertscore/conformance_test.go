package bertscore_test

import (
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/scorertest"
)

// conformanceBackends are those that BERTScore is checked over: words that are
// similar by their letters, and words of a model with special tokens, some of
// whose texts are cut off, where all vectors differ or most are zeros.
func conformanceBackends(t *testing.T) map[string]backend.Backend {
	words, err := lexical.New(lexical.Options{Dim: 32, Lowercase: true})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]backend.Backend{
		"lexical":   words,
		"fake":      backendtest.NewFake(backendtest.FakeOptions{}),
		"special":   backendtest.NewFake(backendtest.FakeOptions{Special: true, Dim: 24}),
		"truncated": backendtest.NewFake(backendtest.FakeOptions{Special: true, MaxTokens: 9}),
		"one-hot": backendtest.NewFake(backendtest.FakeOptions{OneHot: true, Special: true,
			Vocabulary: []string{"the", "line", backendtest.CLS, "a", backendtest.SEP}}),
	}
}

// BERTScore keeps the contract of mteval.MatchScorer and PRFScorer over all kinds
// of backends, and does not depend on the number of workers.
func TestConformance(t *testing.T) {
	backends := conformanceBackends(t)
	for _, tt := range []struct {
		name, backend string
		opt           bertscore.Options
	}{
		{"default", "lexical", bertscore.Options{}},
		{"idf", "lexical", bertscore.Options{IDF: true}},
		{"plain fake", "fake", bertscore.Options{Beta: 3}},
		{"special tokens", "special", bertscore.Options{}},
		{"special tokens, idf and baseline", "special", bertscore.Options{IDF: true, Baseline: &mteval.PRF{P: .3, R: -.2, F: .25}}},
		{"truncated", "truncated", bertscore.Options{OnTruncated: func(string) {}, IDF: true}},
		{"one-hot", "one-hot", bertscore.Options{IDF: true, Beta: .5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			workers := func(n int) mteval.Scorer {
				tt.opt.Workers = n
				s, err := bertscore.New(backends[tt.backend], tt.opt)
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
