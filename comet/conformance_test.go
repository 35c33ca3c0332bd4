package comet_test

import (
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/scorertest"
)

// Models of every class keep the contract of mteval.SourceScorer, and do not depend on the
// number of workers.
func TestConformance(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range readRecorded(t).Cases {
		switch c.Checkpoint {
		case "wmt21", "qe", "kiwi", "unified", "unified-ref", "max":
		default:
			continue
		}
		if seen[c.Checkpoint] {
			continue
		}
		seen[c.Checkpoint] = true
		t.Run(c.Checkpoint, func(t *testing.T) {
			dir := folder(t, c.Checkpoint, c.HParams)
			workers := func(n int) mteval.Scorer {
				return open(t, dir, comet.Options{Workers: n, OnCut: func(string) {}})
			}
			o := scorertest.Options{Variants: []mteval.Scorer{workers(1), workers(5)}}
			if err := scorertest.Test(workers(2), o); err != nil {
				t.Error(err)
			}
		})
	}
	if len(seen) != 6 {
		t.Errorf("%d models", len(seen))
	}
}
