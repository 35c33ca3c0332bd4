package mbr_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/mbr"
)

// What a loop asks for segment by segment makes no work for the garbage collector.
func TestLoopAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	all := scorers(t)
	symmetric, err := chrf.New(chrf.Options{Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	all["chrf1"] = symmetric
	weights := make([]float64, 30)
	for i := range weights {
		weights[i] = float64(i)
	}
	plain := mbr.Segment{Candidates: append(candidates(29), "the old keeper")}
	weighted := plain
	weighted.Weights = weights
	for _, name := range []string{"bleu", "chrf", "chrf++", "chrf1"} { // those with pairs
		s := all[name]
		for _, workers := range []int{1, 2} {
			for what, o := range map[string]mbr.Options{
				"all": {}, "mean": {Aggregate: true}, "pruned": {Prune: &mbr.Pruning{}},
			} {
				o.Workers = workers
				d, err := mbr.New(s, o)
				if err != nil {
					t.Fatal(err)
				}
				for k, seg := range []mbr.Segment{plain, weighted} {
					var r mbr.Result
					count(t, fmt.Sprintf("%s, %s, workers %d, segment %d", name, what, workers, k), func() error { return d.DecodeTo(t.Context(), &r, seg) })
				}
			}
			countMatrix(t, s, workers, plain)
		}
	}
}

func countMatrix(t *testing.T, s mteval.Scorer, workers int, seg mbr.Segment) {
	t.Helper()
	d, err := mbr.New(s, mbr.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("%s, workers %d", s.Info().Name, workers)
	var dst []float64
	count(t, name+", scores", func() (err error) {
		dst, err = d.Scores(t.Context(), dst[:0], seg)
		return err
	})
}

// count fails for a call that allocates when it is warm: by the least of a few measurements,
// without collections in the middle, which would empty the pools.
func count(t *testing.T, name string, call func() error) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := math.Inf(1)
	var err error
	for i := 0; i < 5 && least > 0; i++ {
		for range 2 {
			if err = call(); err != nil {
				t.Fatal(err)
			}
		}
		least = min(least, testing.AllocsPerRun(5, func() { err = call() }))
	}
	if err != nil || least != 0 {
		t.Errorf("%s: %v allocations, error %v", name, least, err)
	}
}
