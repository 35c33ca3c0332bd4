package registry

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
)

// Every name makes a metric of that name, with all flags as they are at first.
func TestNames(t *testing.T) {
	var f Flags
	var chosen []string
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.Var(fs, flags.List(&chosen, nil, "metric", Names()...), "metrics", "metrics")
	f.Add(fs, t.Logf)
	if err := f.Check(t.Context(), Names()); err != nil {
		t.Fatal(err)
	}
	var open Backend
	defer open.Close()
	scorers, err := f.Scorers(t.Context(), Names(), &open)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range scorers {
		got = append(got, s.Info().Name)
	}
	if !slices.Equal(got, Names()) {
		t.Errorf("%q, want %q", got, Names())
	}
	if texts, _ := open.Cut(); texts != 0 || len(open.Signature()) == 0 {
		t.Errorf("%d texts are cut, signature %v", texts, open.Signature())
	}
	if _, err := f.Scorer(t.Context(), "bleau", &open); err == nil {
		t.Error("no error for bleau")
	}
}
