package mteval_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/mteval/mteval"
)

// echo is a metric without references: the share of hypotheses that are their source.
type echo struct{ mteval.Scorer }

func (echo) Info() mteval.Info           { return mteval.Info{Name: "echo", Scale: 1} }
func (echo) Width() int                  { return 2 }
func (echo) Score(row []float64) float64 { return row[0] / max(1, row[1]) }
func (echo) Inputs() mteval.Inputs       { return mteval.Inputs{Sources: mteval.Required} }

func (echo) Prepare(context.Context, [][]string) (mteval.Prepared, error) {
	return nil, fmt.Errorf("echo: %w", mteval.ErrNoSource)
}

func (e echo) PrepareSources(_ context.Context, sources []string, refs [][]string) (mteval.Prepared, error) {
	return echoed(sources), mteval.CheckSources(e.Inputs(), sources, refs)
}

type echoed []string

func (p echoed) Len() int { return len(p) }

func (p echoed) Append(_ context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p), segs, hyps); err != nil {
		return dst, err
	}
	for k, h := range hyps {
		seg, same := k, 0.0
		if segs != nil {
			seg = segs[k]
		}
		if p[seg] == h {
			same = 1
		}
		dst = append(dst, same, 1)
	}
	return dst, nil
}

// A metric that reads sources and no references, which no segment needs to have.
func ExampleWithSources() {
	sources := []string{"Guten Morgen", "OK", "Berlin"}
	scorer := mteval.WithSources(echo{}, sources)
	noRefs := make([][]string, len(sources))
	table, err := mteval.Systems(context.Background(), scorer, noRefs, []mteval.System{
		{Name: "a", Hyps: []string{"Good morning", "OK", "Berlin"}},
		{Name: "b", Hyps: []string{"Guten Morgen", "OK", "Berlin"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f %s\n", table.Scores(), table.Info.Signature.Short())
	// Output: [0.67 1.00] #:0|v:mteval-0.1.0
}

func TestSources(t *testing.T) {
	ctx := t.Context()
	_, err := mteval.Corpus(ctx, echo{}, [][]string{{"a"}}, []string{"a"})
	if !errors.Is(err, mteval.ErrNoSource) {
		t.Errorf("without sources: %v", err)
	}
	bound := mteval.WithSources(echo{}, []string{"a", "b"})
	if _, err := mteval.Corpus(ctx, bound, [][]string{{"a"}}, []string{"a"}); !errors.Is(err, mteval.ErrLength) {
		t.Errorf("2 sources, 1 reference: %v", err)
	}
	r, err := mteval.Corpus(ctx, bound, [][]string{{"x"}, {"y"}}, []string{"a", "c"})
	if err != nil || r.Score != .5 || r.Signature.Get("nrefs") != "0" {
		t.Errorf("%+v, %v, want .5 of no references", r, err)
	}
	for _, tt := range []struct {
		s    mteval.Scorer
		want mteval.Inputs
	}{
		{&lengths{}, mteval.Inputs{References: mteval.Required}},
		{echo{}, mteval.Inputs{Sources: mteval.Required}},
		{bound, mteval.Inputs{}},
	} {
		if got := mteval.InputsOf(tt.s); got != tt.want {
			t.Errorf("%T reads %+v, want %+v", tt.s, got, tt.want)
		}
	}
	refs := [][]string{{"a"}, {"b"}}
	for _, tt := range []struct {
		in      mteval.Inputs
		sources []string
		refs    [][]string
		want    error
	}{
		{mteval.Inputs{References: mteval.Required}, []string{"x", ""}, refs, nil},
		{mteval.Inputs{References: mteval.Required}, []string{"x"}, refs, mteval.ErrLength},
		{mteval.Inputs{References: mteval.Required}, []string{"x", "y"}, nil, mteval.ErrLength},
		{mteval.Inputs{References: mteval.Required}, []string{"x", "y"}, [][]string{{"a"}, {}}, mteval.ErrNoReference},
		{mteval.Inputs{References: mteval.Optional}, []string{"x", "y"}, [][]string{{"a"}, {}}, nil},
		{mteval.Inputs{References: mteval.Optional}, []string{"x", "y"}, nil, nil},
		{mteval.Inputs{References: mteval.Optional}, []string{"x"}, refs, mteval.ErrLength},
		{mteval.Inputs{}, []string{"x"}, refs, nil},
	} {
		if err := mteval.CheckSources(tt.in, tt.sources, tt.refs); !errors.Is(err, tt.want) {
			t.Errorf("%+v, %d sources, references %q: %v, want %v", tt.in, len(tt.sources), tt.refs, err, tt.want)
		}
	}
}
