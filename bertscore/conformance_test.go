package bertscore_test

import (
	"context"
	"errors"
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
	words, err := lexical.New(lexical.Options{Dim: 64, Lowercase: true})
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
			var o scorertest.Options
			for _, workers := range []int{0, 1, 2, 5} {
				tt.opt.Workers = workers
				s, err := bertscore.New(backends[tt.backend], tt.opt)
				if err != nil {
					t.Fatal(err)
				}
				o.Variants = append(o.Variants, s)
			}
			if err := scorertest.Test(o.Variants[0], o); err != nil {
				t.Error(err)
			}
		})
	}
}

// Each text is embedded once, however often it comes.
func TestEmbedsOnce(t *testing.T) {
	ctx := context.Background()
	b := backendtest.NewFake(backendtest.FakeOptions{Special: true})
	s, err := bertscore.New(b, bertscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Prepare(ctx, [][]string{{"a b", "c"}, {"c"}, {"a b", "d"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := b.Texts(); n != 3 {
		t.Errorf("%d texts embedded for references with 3", n)
	}
	if _, err := p.Append(ctx, nil, []int{0, 1, 0, 2, 1}, []string{"x", "x", "y", "y", "x"}); err != nil {
		t.Fatal(err)
	}
	if n, calls := b.Texts()-3, b.Calls()-1; n != 2 || calls != 1 {
		t.Errorf("%d texts embedded in %d calls for hypotheses with 2", n, calls)
	}
}

// What the backend fails with comes through, and dst comes back as it was.
func TestBackendFails(t *testing.T) {
	ctx := context.Background()
	refs := [][]string{{"a"}, {"b"}}
	for failAt := 1; failAt <= 2; failAt++ {
		s, err := bertscore.New(backendtest.NewFake(backendtest.FakeOptions{FailAt: failAt}), bertscore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Prepare(ctx, refs)
		if failAt == 1 {
			if !errors.Is(err, backendtest.ErrFake) {
				t.Errorf("Prepare: error %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		dst := []float64{7}
		if dst, err = p.Append(ctx, dst, nil, []string{"a", "b"}); !errors.Is(err, backendtest.ErrFake) || len(dst) != 1 || dst[0] != 7 {
			t.Errorf("Append: %v, error %v", dst, err)
		}
		if dst, err = p.Append(ctx, dst, nil, []string{"a", "b"}); err != nil || len(dst) != 9 {
			t.Errorf("Append after the error: %v, error %v", dst, err)
		}
	}
}
