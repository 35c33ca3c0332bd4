package multilevel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/tokenize"
)

var wordTexts = []string{"", "  ", "The dog, it's HERE.", "the DOG the dog", "İİ ΑΣ \xff", "a &amp; b", "渡し守は、舟を。"}

// wordRows are the rows of F_W of all texts against all.
func wordRows(t *testing.T, w multilevel.Words) []float64 {
	t.Helper()
	f, err := multilevel.NewWordF(w)
	if err != nil {
		t.Fatal(err)
	}
	var refs [][]string
	for _, text := range wordTexts {
		refs = append(refs, []string{text, "the dog " + text})
	}
	p, err := f.Prepare(t.Context(), refs)
	if err != nil {
		t.Fatal(err)
	}
	var segs []int
	var hyps []string
	for i := range refs {
		for _, text := range wordTexts {
			segs, hyps = append(segs, i), append(hyps, text)
		}
	}
	rows, err := p.Append(t.Context(), nil, segs, hyps)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// What reads words without memory of their own finds those of Split, which counts where
// someone changes it.
func TestWordsAreThoseOfSplit(t *testing.T) {
	m, err := meteor.New(meteor.Options{Normalization: meteor.Full})
	if err != nil {
		t.Fatal(err)
	}
	f, err := overlap.NewF(overlap.FOptions{Options: overlap.Options{Lowercase: true}})
	if err != nil {
		t.Fatal(err)
	}
	words := []multilevel.Words{
		multilevel.WordsBy(tokenize.None, false), multilevel.WordsBy(tokenize.V13a, true), multilevel.WordsBy(tokenize.Char, true),
		multilevel.WordsBy(tokenize.Tercom{}, true), multilevel.WordsOf(m), multilevel.WordsOf(f),
	}
	for i, w := range words {
		want := wordRows(t, multilevel.Words{Name: w.Name, Split: w.Split})
		if d := cmp.Diff(want, wordRows(t, w)); d != "" {
			t.Errorf("%s (-Split +got):\n%s", w.Name, d)
		}
		other := words[(i+1)%len(words)]
		w.Split = other.Split
		if d := cmp.Diff(wordRows(t, other), wordRows(t, w)); d != "" {
			t.Errorf("%s with the Split of %s (-want +got):\n%s", w.Name, other.Name, d)
		}
	}
	// 13a in lower case, by hand: the words of a text are these.
	got, err := multilevel.WordsBy(tokenize.V13a, true).Split(t.Context(), wordTexts)
	want := [][]string{nil, nil, {"the", "dog", ",", "it's", "here", "."}, {"the", "dog", "the", "dog"}, {"i̇i̇", "ας", "\xff"}, {"a", "&", "b"}, {"渡し守は、舟を。"}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("error %v (-want +got):\n%s", err, d)
	}
}

// A metric's error is that of the text that it is of.
func TestWordsOfTooLong(t *testing.T) {
	m, err := meteor.New(meteor.Options{MaxTokens: 2})
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 700) // more than are matched at a time
	texts[600] = "one two three"
	var at *mteval.SegmentError
	if _, err := multilevel.WordsOf(m).Split(t.Context(), texts); !errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &at) || at.Segment != 600 {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := multilevel.WordsOf(m).Split(ctx, texts); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
