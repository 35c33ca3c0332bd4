package bertscore_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bertscore"
)

// Pairs have the rows of Append, to the last bit, whatever they were set to before.
func TestPairs(t *testing.T) {
	text := rapid.StringMatching(`([a-c]{1,2} ){0,12}`)
	for name, b := range conformanceBackends(t) {
		o := bertscore.Options{OnTruncated: func(string) {}}
		if name == "special" {
			o.Beta, o.Baseline = 2, &mteval.PRF{P: .3, R: -.2, F: .25}
		}
		s, err := bertscore.New(b, o)
		if err != nil {
			t.Fatal(err)
		}
		if want := name != "matching" && name != "special"; s.Symmetric() != want {
			t.Errorf("%s: symmetric %v", name, !want)
		}
		p := s.NewPairs()
		if p == nil {
			if name != "matching" {
				t.Errorf("%s: no pairs", name)
			}
			continue
		}
		rapid.Check(t, func(t *rapid.T) {
			texts := rapid.SliceOfN(text, 1, 6).Draw(t, "texts")
			if err := p.Set(context.Background(), texts); err != nil {
				t.Fatal(err)
			}
			hyps := rapid.SliceOf(rapid.IntRange(0, len(texts)-1)).Draw(t, "hypotheses")
			list := make([]string, len(hyps))
			for k, h := range hyps {
				list[k] = texts[h]
			}
			for ref, text := range texts {
				prepared, err := s.Prepare(context.Background(), [][]string{{text}})
				if err != nil {
					t.Fatal(err)
				}
				want, err := prepared.Append(context.Background(), []float64{7}, make([]int, len(list)), list)
				if err != nil {
					t.Fatal(err)
				}
				got, err := p.Append(context.Background(), []float64{7}, ref, hyps)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%s, reference %q (-want +got):\n%s", name, text, d)
				}
				if !s.Symmetric() {
					continue
				}
				for k, h := range hyps {
					back, err := p.Append(context.Background(), nil, h, []int{ref})
					if err != nil {
						t.Fatal(err)
					}
					if f := got[1+4*k+2]; back[2] != f {
						t.Fatalf("%s: F of %q against %q is %v, and the other way %v", name, list[k], text, f, back[2])
					}
				}
			}
		})
		with := o
		with.IDF = true
		if s, err = bertscore.New(b, with); err != nil {
			t.Fatal(err)
		}
		if p := s.NewPairs(); p != nil || s.Symmetric() {
			t.Errorf("%s with IDF: pairs %v, want none; symmetric %v", name, p, s.Symmetric())
		}
	}
	if p := new(bertscore.Scorer).NewPairs(); p != nil {
		t.Errorf("a zero Scorer: pairs %v, want none", p)
	}
}

// What is wrong with a text says which one, and leaves no text there. More texts than are
// embedded at a time have their own places.
func TestPairErrors(t *testing.T) {
	s, err := bertscore.New(conformanceBackends(t)["lexical"], bertscore.Options{MaxTokens: 3})
	if err != nil {
		t.Fatal(err)
	}
	p := s.NewPairs()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	texts := slices.Repeat([]string{"a b c"}, 300)
	if err := p.Set(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Append(t.Context(), nil, 299, []int{0, 299}); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		ref  int
		hyps []int
	}{{-1, nil}, {300, nil}, {0, []int{-1}}, {0, []int{1, 300}}} {
		if _, err := p.Append(t.Context(), nil, tt.ref, tt.hyps); err == nil {
			t.Errorf("reference %d, hypotheses %v: no error", tt.ref, tt.hyps)
		}
	}
	if _, err := p.Append(cancelled, nil, 0, []int{0, 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
	texts[270] = "a b c d"
	err = p.Set(t.Context(), texts)
	var at *mteval.SegmentError
	if !errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &at) || at.Segment != 270 || at.Index != 270 || at.Side != mteval.HypothesisSide {
		t.Errorf("error %v, want ErrTooLong of text 270", err)
	}
	if _, err := p.Append(t.Context(), nil, 0, nil); err == nil {
		t.Error("a text is there after an error")
	}
	if err := p.Set(cancelled, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
	if _, err := p.Append(t.Context(), nil, 0, nil); err == nil {
		t.Error("a text is there after a cancellation")
	}
}
