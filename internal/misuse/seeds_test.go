package misuse

import (
	"context"
	"reflect"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ter"
	"github.com/mteval/mteval/tokenize/komecab"
	"github.com/mteval/mteval/tokenize/spm"
)

// never are functions that are not called, slow those that are called twice.
var never, slow = map[string]bool{}, map[string]bool{"scorertest.Test": true, "backend/backendtest.Test": true, "backend/backendtest.TestEncoder": true}

// panicking are types of which a method panics on the zero value, as its comment says, as those
// do that embed what they are made of.
var panicking = map[reflect.Type]bool{reflect.TypeFor[spm.Tokenizer](): true, reflect.TypeFor[komecab.Tokenizer](): true}

// seed puts into the pool what can't be made of what it has.
func seed(m *maker) {
	add := func(x any) { t := reflect.TypeOf(x); m.pool[t] = append(m.pool[t], reflect.ValueOf(x)) }
	add(&bleu.Scorer{})
	add(&chrf.Scorer{})
	add(&overlap.FScorer{})
	add(ter.New(ter.Options{}))
	must := func(x any, err error) {
		if err != nil {
			panic(err)
		}
		add(x)
	}
	b, err := lexical.New(lexical.Options{Workers: 2})
	must(b, err)
	must(bertscore.New(b, bertscore.Options{}))
	must(meteor.New(meteor.Options{}))
	add(backendtest.NewFake(backendtest.FakeOptions{}))
	refs := [][]string{{"a b", "c"}, {"a b", "c"}}
	t, err := mteval.Systems(context.Background(), &bleu.Scorer{}, refs, []mteval.System{{Name: "a b", Hyps: []string{"a b", "c"}}, {Name: "c", Hyps: []string{"c", "a b c d e"}}})
	must(t, err)
	_ = metaeval.Scores{}
	for _, s := range bad() {
		add(s)
	}
}

// A broken scorer breaks the contract.
type broken struct {
	name               string
	width, rows, value int
	nilPrepared        bool
}

func bad() []broken {
	return []broken{
		{name: "width 0", rows: 1}, {name: "width -1", width: -1, rows: 1}, {name: "width 1<<40", width: 1 << 40, rows: 1},
		{name: "narrow rows", width: 3, rows: 2}, {name: "wide rows", width: 2, rows: 3}, {name: "no rows", width: 1}, {name: "nil", width: 1, nilPrepared: true},
	}
}

func (b broken) Info() mteval.Info       { return mteval.Info{Name: b.name} }
func (b broken) Width() int              { return b.width }
func (b broken) Score([]float64) float64 { return 0 }
func (b broken) Prepare(_ context.Context, refs [][]string) (mteval.Prepared, error) {
	if b.nilPrepared {
		return nil, nil
	}
	return brokenPrepared{b, len(refs)}, nil
}

type brokenPrepared struct {
	b broken
	n int
}

func (p brokenPrepared) Len() int { return p.n }
func (p brokenPrepared) Append(_ context.Context, dst []float64, _ []int, hyps []string) ([]float64, error) {
	return append(dst, make([]float64, len(hyps)*p.b.rows)...), nil
}
