package multilevel_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/scorertest"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tunable"
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
		one[i] = r.Sum
	}
	for len(hyps) <= 1100 {
		hyps, refs, want = append(hyps, texts...), append(refs, of...), append(want, one...)
	}
	r, err := mteval.Corpus(ctx, s, refs, hyps)
	if err != nil {
		t.Fatal(err)
	}
	for i := range hyps {
		if diff := cmp.Diff(want[i], r.Row(i)); diff != "" {
			t.Fatalf("segment %d of %d (-alone +among others):\n%s", i+1, len(hyps), diff)
		}
	}
}

// Scores of what is kept take no memory, however a metric makes its rows.
func TestKeptScoresAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations can't be counted with the race detector on")
	}
	m := newMeteor(t, meteor.Options{})
	d, err := dreem.New(dreem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]tunable.Scorer{
		"meteor": m, "dreem": d, "levels of meteor": newScorer(t, m, multilevel.Options{}),
		"levels of dreem": newScorer(t, d, multilevel.Options{Words: multilevel.WordsBy(tokenize.V13a, true)}),
	} {
		kept, err := tunable.Keep(t.Context(), s, [][]string{{"a dog ran", "the dog"}, {"it rained"}}, nil, []string{"a dog", "rain"})
		if err != nil {
			t.Fatal(err)
		}
		dst := kept.Scores(make([]float64, 0, 1<<10), s)
		if n := testing.AllocsPerRun(100, func() { dst = kept.Scores(dst[:0], s) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
