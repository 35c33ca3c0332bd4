package misuse

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
	"github.com/mteval/mteval/tokenize/komecab"
	"github.com/mteval/mteval/tokenize/spm"
	"github.com/mteval/mteval/tunable"
)

// huge is a count that no memory holds: 1<<40, or on 32 bits 1<<30.
const huge = 1 << (30 + 10*(^uint(0)>>63))

// kits take seconds, and are called twice only.
var kits = map[string]bool{"scorertest.Test": true, "backend/backendtest.Test": true, "backend/backendtest.TestEncoder": true}

// panicking are types of which a method panics on the zero value, as its comment says, as those
// do that embed what they are made of.
var panicking = map[reflect.Type]bool{reflect.TypeFor[spm.Tokenizer](): true, reflect.TypeFor[komecab.Tokenizer](): true}

// newMaker has what can't be made of what calls return.
func newMaker(t *testing.T) *maker {
	m := &maker{pool: make(map[reflect.Type][]reflect.Value)}
	add := func(x any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		at := reflect.TypeOf(x)
		m.pool[at] = append(m.pool[at], reflect.ValueOf(x))
	}
	words, err := lexical.New(lexical.Options{Workers: 2})
	add(words, err)
	add(bertscore.New(words, bertscore.Options{}))
	add(meteor.New(meteor.Options{}))
	for _, x := range []any{new(bleu.Scorer), new(chrf.Scorer), new(overlap.FScorer), new(ter.Scorer), backendtest.NewFake(backendtest.FakeOptions{})} {
		add(x, nil)
	}
	add(mteval.Systems(context.Background(), new(bleu.Scorer), [][]string{{"a b", "c"}, {"a b", "c"}},
		[]mteval.System{{Name: "a b", Hyps: []string{"a b", "c"}}, {Name: "c", Hyps: []string{"c", "a b c d e"}}}))
	for _, b := range []broken{
		{name: "no width", numbers: 1}, {name: "a negative width", width: -1, numbers: 1}, {name: "a large width", width: huge, numbers: 1},
		{name: "narrow rows", width: 3, numbers: 2}, {name: "wide rows", width: 2, numbers: 3}, {name: "no rows", width: 1},
		{name: "no Prepared", width: 1, nothing: true}, {name: "NaN", width: 1, numbers: 1, number: math.NaN()},
	} {
		add(b, nil)
		add(brokenTunable{b}, nil)
		add(brokenPairs{b}, nil)
		add(brokenSource{b}, nil)
	}
	return m
}

// A broken scorer breaks the contract, without a panic of its own.
type broken struct {
	name           string
	width, numbers int // of rows, as it says and as it appends
	number         float64
	nothing        bool // instead of what is asked for
}

func (b broken) Info() mteval.Info       { return mteval.Info{Name: b.name} }
func (b broken) Width() int              { return b.width }
func (b broken) Score([]float64) float64 { return b.number }
func (b broken) Prepare(_ context.Context, refs [][]string) (mteval.Prepared, error) {
	if b.nothing {
		return nil, nil
	}
	return brokenPrepared{b, len(refs)}, nil
}

func (b broken) append(dst []float64, hyps int) ([]float64, error) {
	for range hyps * b.numbers {
		dst = append(dst, b.number)
	}
	return dst, nil
}

type brokenPrepared struct {
	broken
	n int
}

func (p brokenPrepared) Len() int { return p.n }
func (p brokenPrepared) Append(_ context.Context, dst []float64, _ []int, hyps []string) ([]float64, error) {
	return p.append(dst, len(hyps))
}

type brokenTunable struct{ broken }

func (b brokenTunable) Parameters() []tunable.Parameter {
	return []tunable.Parameter{{Name: "a", Min: 1, Max: -1}, {Name: "a", Value: math.NaN()}}
}

func (b brokenTunable) WithParameters([]float64) (tunable.Scorer, error) {
	if b.nothing {
		return nil, nil
	}
	b.width++
	return b, nil
}

type brokenPairs struct{ broken }

func (b brokenPairs) NewPairs() mteval.Pairs              { return b }
func (b brokenPairs) Symmetric() bool                     { return true }
func (b brokenPairs) Set(context.Context, []string) error { return nil }
func (b brokenPairs) Append(_ context.Context, dst []float64, _ int, hyps []int) ([]float64, error) {
	return b.append(dst, len(hyps))
}

func (b brokenPairs) PrepareAggregate(ctx context.Context, refs [][]string, _ [][]float64) (mteval.Prepared, error) {
	return b.Prepare(ctx, refs)
}

type brokenSource struct{ broken }

func (b brokenSource) Inputs() mteval.Inputs { return mteval.Inputs{Sources: 9, References: 9} }
func (b brokenSource) PrepareSources(ctx context.Context, _ []string, refs [][]string) (mteval.Prepared, error) {
	return b.Prepare(ctx, refs)
}
