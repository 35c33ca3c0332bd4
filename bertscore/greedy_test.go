package bertscore

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/simd"
)

// randomSide has vectors of few values, so that there are ties, and tokens that weigh
// nothing.
func randomSide(rng *rand.Rand, n, dim int, light float64) side {
	s := side{tokens: make([]mteval.Token, n), vectors: make([]float32, n*dim)}
	for i := range s.tokens {
		if rng.Float64() >= light {
			s.tokens[i].Weight = 1
		}
		v := s.vectors[i*dim : (i+1)*dim]
		for j := range v {
			v[j] = float32(rng.IntN(3) - 1)
		}
		simd.Normalize(v)
	}
	return s
}

// naive gives the links from a to b from the definition, all similarities at once.
func naive(a, b side, dim int) []mteval.Link {
	out := make([]mteval.Link, len(a.tokens))
	sims := make([]float32, len(b.tokens))
	for i := range out {
		out[i].To = -1
		if len(sims) == 0 {
			continue
		}
		simd.Dots(sims, a.vectors[i*dim:(i+1)*dim], b.vectors, 1, len(sims), dim)
		for j, s := range sims {
			if to := out[i].To; b.tokens[j].Weight != 0 && (to < 0 || s > sims[to]) {
				out[i].To = int32(j)
			}
		}
		out[i].Sim = min(1, max(-1, slices.Max(sims)))
	}
	return out
}

// Blocks, of which there may be many in both directions, give what all similarities at
// once give: of equal ones the first, and none to tokens that weigh nothing.
func TestGreedy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	sc := new(scratch)
	for _, tt := range []struct {
		hyp, ref, dim int
		light         float64
	}{
		{0, 5, 4, 0}, {5, 0, 4, 0}, {1, 1, 4, 0}, {30, 25, 8, .1}, {30, 25, 8, 1}, {300, 20, 2, .5},
		{700, 300, 3, .1}, {300, 2500, 3, .1}, {2500, 200, 3, .9}, {1100, 1100, 2, .999}, {1100, 1100, 4, 1},
		{40, 1025, 1 << 13, .1}, {1025, 40, 1 << 13, .1}, // few rows to a block
		{1100, 1200, 12, .1}, {400, 1100, 12, 1}, {500, 600, 7, .5}, // mostly different vectors
		{300, 1500, 11, .5}, // of one side
		{12, 9, 8, 0},
	} {
		hyp, ref := randomSide(rng, tt.hyp, tt.dim, tt.light), randomSide(rng, tt.ref, tt.dim, tt.light)
		var p mteval.Pairing
		if err := sc.greedy(t.Context(), &p, hyp, ref, tt.dim); err != nil {
			t.Fatal(err)
		}
		want := mteval.Pairing{Hyp: naive(hyp, ref, tt.dim), Ref: naive(ref, hyp, tt.dim)}
		if diff := cmp.Diff(want, p, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v (-want +got):\n%.2000s", tt, diff)
		}
	}
}

// The memory for matching goes with the sum of the lengths: all similarities would be
// 160 GB here.
func TestGreedyMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	sc := new(scratch)
	const n = 200_000
	hyp := side{tokens: make([]mteval.Token, n), vectors: make([]float32, n)}
	for i := range hyp.vectors {
		hyp.vectors[i] = float32(i)
	}
	ref := side{tokens: hyp.tokens, vectors: slices.Clone(hyp.vectors)}
	ref.vectors[0] = .5
	ctx := kit.NewCountdown(10)
	if err := sc.greedy(ctx, new(mteval.Pairing), hyp, ref, 1); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
	if len(sc.hyp) != n {
		t.Error("it has not come to any block")
	}
	if n := cap(sc.sims) + cap(sc.most) + cap(sc.at) + cap(sc.hyp) + cap(sc.ref); n > 1<<20 {
		t.Errorf("%d numbers", n)
	}
	sc.keep()
	if cap(sc.hyp)+cap(sc.ref) > blockSims {
		t.Error("what only long texts need is kept")
	}
}

// To find and to copy the different vectors of a long text looks at the context, at which
// it ends whenever that is.
func TestDistinctLooks(t *testing.T) {
	const n, dim = 1 << 10, 1 << 12 // of which the vectors are copied in four parts
	s := side{tokens: make([]mteval.Token, 2*n), vectors: make([]float32, 2*n*dim)}
	for i := range s.tokens {
		s.vectors[i*dim] = float32(i % n)
	}
	for looks := range int64(12) {
		if d, err := distinct(kit.NewCountdown(looks), new(distinctSide), &s, dim); err != context.Canceled {
			t.Errorf("cancelled at look %d: %v, error %v", looks+1, d != nil, err)
		}
	}
	if d, err := distinct(kit.NewCountdown(12), new(distinctSide), &s, dim); err != nil || len(d.tokens) != n {
		t.Errorf("error %v", err)
	}
}

// Equal sides give what all similarities give, where vectors are well apart.
func TestGreedyEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	for _, tt := range []struct {
		n, dim int
		light  float64
	}{{600, 3, 0}, {600, 8, .1}, {1100, 8, .01}, {600, 4, 1}, {1100, 12, .5}} {
		s := randomSide(rng, tt.n, tt.dim, tt.light)
		var p, blocks mteval.Pairing
		if err := new(scratch).greedy(t.Context(), &p, s, s, tt.dim); err != nil {
			t.Fatal(err)
		}
		if err := new(scratch).greedyBlocks(t.Context(), &blocks, s, s, tt.dim); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(blocks, p, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("%+v (-blocks +got):\n%.2000s", tt, diff)
		}
	}
}

// Two equal texts of 200,000 different tokens are matched in no time; all similarities
// would take minutes.
func TestGreedyEqualIsLinear(t *testing.T) {
	const n, dim = 200_000, 16
	s := side{tokens: make([]mteval.Token, n), vectors: make([]float32, n*dim)}
	for i := range s.tokens {
		s.tokens[i].Weight = 1
		for j := range dim {
			s.vectors[i*dim+j] = float32(i>>j&1*2 - 1)
		}
		s.vectors[i*dim] += float32(i)
		simd.Normalize(s.vectors[i*dim : (i+1)*dim])
	}
	s.tokens[0].Weight = 0
	var p mteval.Pairing
	// A look at the context for every block would be tens of thousands.
	if err := new(scratch).greedy(kit.NewCountdown(1000), &p, s, s, dim); err != nil {
		t.Fatal(err)
	}
	if l := p.Hyp[n-1]; l.To != n-1 || l.Sim < 1-1e-6 {
		t.Errorf("%+v", l)
	}
}
