package main

import (
	"bytes"
	"context"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/scorertest"
)

var update = flag.Bool("update", false, "write the output to testdata")

func TestOutput(t *testing.T) {
	var got bytes.Buffer
	if err := run(context.Background(), &got); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/output.txt"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestConformance(t *testing.T) {
	if err := scorertest.Test(WER{}, scorertest.Options{}); err != nil {
		t.Error(err)
	}
}

// The rate is the library's own.
func TestWER(t *testing.T) {
	theirs, err := overlap.NewRate(overlap.WER, overlap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refs, err := mteval.Segments(said)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(recognisers, later) {
		want, err := mteval.Corpus(t.Context(), theirs, refs, s.Hyps)
		if err != nil {
			t.Fatal(err)
		}
		got, err := mteval.Corpus(t.Context(), WER{}, refs, s.Hyps)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Score-want.Score) > 1e-12 {
			t.Errorf("%s: %v, want %v", s.Name, got.Score, want.Score)
		}
	}
}
