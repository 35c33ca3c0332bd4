package difficulty_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/scorertest"
)

// conformanceSystems are three systems that translate the kit's segments: its own
// hypotheses, references with every third word left out, and something else.
func conformanceSystems(hyps []string, refs [][]string) []mteval.System {
	n := len(hyps)
	systems := []mteval.System{
		{Name: "kit", Hyps: hyps}, {Name: "gaps", Hyps: make([]string, n)}, {Name: "elsewhere", Hyps: make([]string, n)},
	}
	for i := range n {
		words := strings.Fields(refs[i][0])
		kept := words[:0]
		for j, w := range words {
			if j%3 != 2 {
				kept = append(kept, w)
			}
		}
		systems[1].Hyps[i] = strings.Join(kept, " ")
		systems[2].Hyps[i] = refs[(i+1)%n][0]
	}
	return systems
}

// Difficulty-aware scorers keep the contract of mteval.MatchScorer and PRFScorer
// with all kinds of options, over words and over a model with special tokens, and
// do not depend on the number of workers nor on whether the weights were saved.
func TestConformance(t *testing.T) {
	ctx := context.Background()
	words, err := lexical.New(lexical.Options{Dim: 16})
	if err != nil {
		t.Fatal(err)
	}
	special := backendtest.NewFake(backendtest.FakeOptions{Special: true})
	none := backendtest.NewFake(backendtest.FakeOptions{OneHot: true}) // nothing matches

	for _, tt := range []struct {
		name string
		b    backend.Backend
		idf  bool
		opt  difficulty.Options
		f    difficulty.Function
		// saved has weights that were saved and read again too. JSON, as
		// which they are saved, has no way to write the reference that is not
		// valid UTF-8.
		saved bool
	}{
		{name: "paper", b: words, opt: difficulty.Paper()},
		{name: "saved", b: special, idf: true, opt: difficulty.Paper(), saved: true},
		{name: "normalized", b: words, opt: difficulty.Normalized()},
		{name: "combined", b: words, opt: difficulty.Combined()},
		{name: "combined, special tokens, idf", b: special, idf: true, opt: difficulty.Combined(), saved: true},
		{name: "combined, nothing is difficult", b: special, opt: difficulty.Combined(),
			f: difficulty.Function{Name: "zero", Of: func([]float64) float64 { return 0 }}},
		{name: "combined, nothing matches", b: none, opt: difficulty.Combined()},
		{name: "paper and plain, leave-one-out, beta 2", b: words, opt: difficulty.Options{AddPlain: true, LeaveOneOut: true, Beta: 2}},
		{name: "idf, power and floor", b: words, idf: true,
			opt: difficulty.Options{Novel: difficulty.Hardest, Smoothing: difficulty.Power, Exponent: 2, Floor: .1, Beta: 2}},
		{name: "special tokens", b: special, opt: difficulty.Paper()},
		{name: "special tokens, idf, normalized, softmax", b: special, idf: true,
			opt: difficulty.Options{Novel: difficulty.Matched, Normalize: true, Smoothing: difficulty.Softmax, Average: difficulty.MeanF}},
		{name: "special tokens, max", b: special, opt: difficulty.Options{Novel: difficulty.Matched, Smoothing: difficulty.Max}},
		{name: "nothing is difficult", b: special, opt: difficulty.Normalized(),
			f: difficulty.Function{Name: "zero", Of: func([]float64) float64 { return 0 }}},
		{name: "nothing matches", b: none, opt: difficulty.Normalized()},
		{name: "released", b: special, opt: difficulty.Released()},
		{name: "released, ref_diff, range_one, baseline", b: words,
			opt: difficulty.Options{Released: true, Novel: difficulty.Matched, Normalize: true, PlainIfEasy: true, Baseline: .3}},
		{name: "released, all variants, idf", b: special, idf: true, saved: true,
			opt: difficulty.Options{Released: true, Novel: difficulty.Matched, Normalize: true, Smoothing: difficulty.Softmax, Baseline: .6}},
		{name: "released, max_norm, leave-one-out", b: words,
			opt: difficulty.Options{Released: true, Smoothing: difficulty.Max, LeaveOneOut: true}},
		{name: "leave-one-out", b: special, saved: true, opt: difficulty.Options{LeaveOneOut: true, Normalize: true, Baseline: -.2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refs, hyps := scorertest.Texts()
			for _, r := range refs {
				for k := range r {
					if tt.saved {
						r[k] = strings.ToValidUTF8(r[k], "?")
					}
				}
			}
			systems := conformanceSystems(hyps, refs)

			base := func(workers int) *bertscore.Scorer {
				s, err := bertscore.New(tt.b, bertscore.Options{IDF: tt.idf, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			m, err := base(2).PrepareMatch(ctx, refs)
			if err != nil {
				t.Fatal(err)
			}
			ms, err := mteval.MatchSystems(ctx, m, systems)
			if err != nil {
				t.Fatal(err)
			}
			w, err := difficulty.EstimateFrom(ms, nil, tt.f)
			if err != nil {
				t.Fatal(err)
			}

			// The weights are of these references and no others.
			o := scorertest.Options{Refs: refs, Hyps: hyps, Only: true}
			scorer := func(workers int, w *difficulty.Weights) mteval.Scorer {
				s, err := difficulty.New(base(workers), w, tt.opt)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			o.Variants = []mteval.Scorer{scorer(1, w), scorer(5, w)}
			if tt.saved {
				o.Variants = append(o.Variants, scorer(2, saved(t, w)))
			}
			if err := scorertest.Test(scorer(2, w), o); err != nil {
				t.Error(err)
			}
		})
	}
}
