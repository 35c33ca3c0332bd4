package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/internal/race"
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

// The loop allocates nothing for samples within the limit, and ends with its context.
func TestRewards(t *testing.T) {
	scorer, err := chrf.New(chrf.Options{MaxTokens: 512})
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := scorer.Prepare(t.Context(), [][]string{{"The bread is still warm."}})
	if err != nil {
		t.Fatal(err)
	}
	r := &rewarder{scorer: scorer, prepared: prepared}
	samples := []string{"The bread is warm.", "Bread is still a warm bread.", "Warm."}
	dst := make([]float64, 0, len(samples))
	if !race.Enabled {
		n := testing.AllocsPerRun(100, func() {
			if dst, err = r.rewards(t.Context(), dst[:0], 0, samples); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := r.rewards(ctx, nil, 0, samples); !errors.Is(err, context.Canceled) || len(got) != 0 {
		t.Errorf("cancelled: %v, %v", got, err)
	}
}
