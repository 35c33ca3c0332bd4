package study_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
)

// A study does not depend on a Stage that returns nil, nor on what becomes of the caller's
// forms.
func TestMisuse(t *testing.T) {
	refs, systems := corpus(6, "a", "b", "c")
	mine := slices.Clone(forms)
	o := study.Options{Samples: 10, Stage: func(context.Context, string) (context.Context, func()) { return nil, nil }}
	r, err := study.Run(t.Context(), refs, systems, people("a b c", 3, 2, 1), []study.Subject{{Scorer: wordF(t), Forms: mine}}, o)
	if err != nil {
		t.Fatal(err)
	}
	name := r.Curves[1].Name()
	mine[0].Name = "other"
	if got := r.Curves[1].Name(); got != name {
		t.Errorf("after the caller's form has changed: %s, want %s", got, name)
	}
	for _, of := range []significance.Coefficient{-1, 3, math.MaxInt, math.MinInt} {
		if v := r.Curves[1].Verdict(of, .05); v != nil {
			t.Errorf("coefficient %d: %+v", of, v)
		}
	}
}

func TestSignature(t *testing.T) {
	refs, systems := corpus(6, "a", "b", "c")
	for want, o := range map[string]study.Options{
		"samples:1000|seed:12345|correction:holm-over-k|alpha:0.05": {},
		"samples:20|seed:7|correction:holm-over-k|alpha:0.1":        {Samples: 20, Seed: 7, Alpha: .1},
	} {
		r, err := study.Run(t.Context(), refs, systems, people("a b c", 3, 2, 1), []study.Subject{{Scorer: wordF(t)}}, o)
		if err != nil {
			t.Fatal(err)
		}
		want = "interval:boot-segments,boot-systems|test:paired-bootstrap-segments,perm-inputs|" + want + "|version:mteval-" + mteval.Version
		if got := r.Signature.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
