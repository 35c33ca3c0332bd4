package dreem

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/internal/limit/limittest"
)

func TestMaxTokens(t *testing.T) {
	limittest.Test(t, "a", 0, func(most int) mteval.Scorer {
		return mustNew(t, Options{Vectors: plane(t), Autoencoder: adder(t), MaxTokens: most})
	})
	// The statistics for levels, too.
	s := mustNew(t, Options{Vectors: plane(t), MaxTokens: 2})
	var at *mteval.SegmentError
	if _, err := s.Statistics().Prepare(ctx, []string{"a b", "a b c"}); !errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &at) || at.Segment != 1 {
		t.Errorf("Statistics: %v", err)
	}
}

// wide has vectors so long that an autoencoder takes its time.
func wide(t testing.TB, dim int) Options {
	t.Helper()
	data := make([]float32, dim)
	data[0] = 1
	v, err := NewVectors(dim, []string{"a"}, data)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAutoencoder(dim, make([]float32, Parameters(dim)))
	if err != nil {
		t.Fatal(err)
	}
	return Options{Vectors: v, Autoencoder: a}
}

func TestCancel(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("a ", 100_000))
	s := mustNew(t, wide(t, 512))
	limittest.Cancel(t, s, "a", long)
	limittest.CancelPrepare(t, s, long)
	o := wide(t, 512)
	words := strings.Fields(long)[:50_000]
	tree := Tree{Words: words}
	for k := range len(words) - 1 {
		at := k + len(words) - 1
		if k == 0 {
			at = 0
		}
		tree.Merges = append(tree.Merges, [2]int{at, k + 1})
	}
	o.Trees = fixedTrees{"a": {tree, tree, tree}}
	limittest.Cancel(t, mustNew(t, o), "", "a")
}

// A parse nested as deep as it is long is read and combined without recursion.
func TestDeep(t *testing.T) {
	const n = maxWords - 1
	deep := strings.Repeat("(a (b c) ", n) + "(b c)" + strings.Repeat(")", n)
	trees, err := ReadPenn(strings.NewReader(deep), "f")
	if err != nil {
		t.Fatal(err)
	}
	if len(trees) != 1 || len(trees[0].Words) != n+1 {
		t.Fatalf("%d trees", len(trees))
	}
	for _, file := range []string{strings.Repeat("(", 100_000), strings.Repeat("(a ", 100_000) + "b" + strings.Repeat(")", 100_000)} {
		if _, err := ReadPenn(strings.NewReader(file), "f"); err == nil || !strings.Contains(err.Error(), "within each other") {
			t.Errorf("100,000 brackets: %v", err)
		}
	}
	s := conllu.Sentence{}
	for i := range 100_000 {
		s.Words = append(s.Words, conllu.Word{Form: "a", Head: i})
	}
	tree, err := FromDependencies(&s)
	if err != nil {
		t.Fatal(err)
	}
	o := wide(t, 2)
	o.Trees = fixedTrees{"a": {tree}, "b": trees}
	if _, err := mustNew(t, o).Prepare(ctx, [][]string{{"a", "b"}}); err != nil {
		t.Error(err)
	}
}

// A sentence of 100,000 words takes no quadratic time.
func TestLong(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	text := strings.Repeat("a b c b ", 25_000)
	p, err := mustNew(t, Options{Vectors: plane(t), Autoencoder: adder(t)}).Prepare(ctx, [][]string{{text}})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := p.Append(ctx, nil, nil, []string{text})
	if err != nil {
		t.Fatal(err)
	}
	if got := mustNew(t, Options{Vectors: plane(t)}).Score(rows); got != 1 {
		t.Errorf("equal texts score %v", got)
	}
}

// Greedy merges the adjacent pair with the smallest error, the first of equals, as can be
// seen by trying all.
func TestGreedyTriesAll(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.Float32Range(-2, 2)
		parameters := rapid.SliceOfN(number, Parameters(2), Parameters(2)).Draw(rt, "parameters")
		a, err := NewAutoencoder(2, parameters)
		if err != nil {
			rt.Fatal(err)
		}
		var vectors [][]float32
		for range rapid.IntRange(0, 12).Draw(rt, "words") {
			vectors = append(vectors, rapid.SliceOfN(rapid.SampledFrom([]float32{-1, 0, 1, 2}), 2, 2).Draw(rt, "vector"))
		}
		got, err := a.Greedy(vectors)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(greedily(a, vectors), got); diff != "" && len(got) > 0 {
			rt.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func greedily(a *Autoencoder, vectors [][]float32) (merges [][2]int) {
	type node struct {
		id    int
		words int32
		x     []float32
	}
	var nodes []node
	for i, v := range vectors {
		u := append([]float32(nil), v...)
		unit(u)
		nodes = append(nodes, node{i, 1, u})
	}
	for k := 0; len(nodes) > 1; k++ {
		best, least, parent := 0, float32(math.Inf(1)), []float32(nil)
		for i := range len(nodes) - 1 {
			pair := append(append([]float32(nil), nodes[i].x...), nodes[i+1].x...)
			p := make([]float32, a.dim)
			a.encode(p, pair)
			if e := a.loss(new(combiner), p, pair, nodes[i].words, nodes[i+1].words); e < least {
				best, least, parent = i, e, p
			}
		}
		merges = append(merges, [2]int{nodes[best].id, nodes[best+1].id})
		nodes[best] = node{len(vectors) + k, nodes[best].words + nodes[best+1].words, parent}
		nodes = append(nodes[:best+1], nodes[best+2:]...)
	}
	return merges
}

// Words without a vector take time too, which the context ends.
func TestCancelUnknownWords(t *testing.T) {
	long := strings.Repeat("nowhere ", 50_000)
	limittest.Looks(t, mustNew(t, Options{Vectors: plane(t), Unknown: Skip}), long, long, 10, 10)
}
