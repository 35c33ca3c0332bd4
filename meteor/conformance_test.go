package meteor

import (
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/scorertest"
)

func TestConformance(t *testing.T) {
	table := smallTable(t, readRecording(t))
	for _, o := range []Options{
		{},
		{Normalization: Full, Paraphrases: table},
		{Language: "de", Normalization: FullNoPunct, Characters: true},
		{Language: "fi", Normalization: Lower, Beam: 3, Params: &Params{.5, 1, .5, 1}},
		{Correct: Corrections{true, true, true, true, true, true}, Paraphrases: table, Task: Tune},
	} {
		s, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		var variants []mteval.Scorer
		for _, n := range []int{1, 2, 5} {
			v := o
			v.Workers = n
			w, err := New(v)
			if err != nil {
				t.Fatal(err)
			}
			variants = append(variants, w)
		}
		hyps := []string{"he is able to go at the same time", "“Dr. No” isn't here...", ""}
		refs := [][]string{{"he can go at once", "he can go simultaneously"}, {"Dr. No isn't there ."}, {"", "x"}}
		if err := scorertest.Test(s, scorertest.Options{Variants: variants, Refs: refs, Hyps: hyps}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
