package bertscore_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
		"matching":  backendtest.NewFakeMatcher(backendtest.FakeOptions{Special: true, MaxTokens: 9}),
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
		{"a backend that matches", "matching", bertscore.Options{OnTruncated: func(string) {}}},
		{"a backend that matches, idf", "matching", bertscore.Options{OnTruncated: func(string) {}, IDF: true, Beta: 2}},
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

// A backend that matches gives what its vectors give here, several references, texts that
// come again and an error included.
func TestMatcher(t *testing.T) {
	o := backendtest.FakeOptions{Special: true, MaxTokens: 12}
	refs := [][]string{{"the line is a line", "a line"}, {"one two three", "the line"}, {"", "four words are here"}}
	hyps := []string{"the line", "a line is the line", "", "the line", "one three four", "the line"}
	segs := []int{0, 0, 1, 0, 2, 1}
	var rows [2][]float64
	for k, b := range []backend.Backend{backendtest.NewFake(o), backendtest.NewFakeMatcher(o)} {
		s, err := bertscore.New(b, bertscore.Options{IDF: true})
		if err != nil {
			t.Fatal(err)
		}
		m, err := s.PrepareMatch(t.Context(), refs)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]mteval.Matching, len(hyps))
		for range 2 { // into used memory, too
			if err := m.Match(t.Context(), out, segs, hyps); err != nil {
				t.Fatal(err)
			}
		}
		for i := range out {
			rows[k] = s.AppendMatch(rows[k], segs[i], m.RefTokens(segs[i]), &out[i])
		}
		long := []string{"a b c d e f g h i j k l m n"}
		var at *mteval.SegmentError
		if err := m.Match(t.Context(), out[:1], []int{2}, long); !errors.As(err, &at) || at.Segment != 2 || !errors.Is(err, backend.ErrTruncated) {
			t.Errorf("a long text: error %v", err)
		}
	}
	if d := cmp.Diff(rows[0], rows[1], cmpopts.EquateApprox(0, 1e-6)); d != "" {
		t.Errorf("(-vectors +links):\n%s", d)
	}
}
