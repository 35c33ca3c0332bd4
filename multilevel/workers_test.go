package multilevel_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/scorertest"
)

// Scores and levels do not depend on the metric's workers, which split the words of the
// classifier too.
func TestWorkers(t *testing.T) {
	with := func(workers int) mteval.Scorer {
		return newScorer(t, newMeteor(t, meteor.Options{Normalization: meteor.Full, Workers: workers}), multilevel.IntoEnglish(chain{}))
	}
	if err := scorertest.Test(with(1), scorertest.Options{Variants: []mteval.Scorer{with(2), with(7)}}); err != nil {
		t.Error(err)
	}
}

// Texts are worked on in blocks of some hundreds: many at once have the rows that they have
// one by one.
func TestManyTexts(t *testing.T) {
	s := newScorer(t, newMeteor(t, meteor.Options{Normalization: meteor.Full}), multilevel.IntoEnglish(chain{}))
	of, texts := scorertest.Texts()
	var hyps []string
	var refs [][]string
	var want [][]float64
	one := make([][]float64, len(texts))
	for i := range texts {
		r, err := mteval.Sentence(ctx, s, of[i], texts[i])
		if err != nil {
			t.Fatal(err)
		}
		one[i] = r.Row
	}
	for len(hyps) <= 1100 {
		hyps, refs, want = append(hyps, texts...), append(refs, of...), append(want, one...)
	}
	r, err := mteval.Corpus(ctx, s, refs, hyps)
	if err != nil {
		t.Fatal(err)
	}
	for i := range hyps {
		if diff := cmp.Diff(want[i], r.Segment(i)); diff != "" {
			t.Fatalf("segment %d of %d (-alone +among others):\n%s", i+1, len(hyps), diff)
		}
	}
}
