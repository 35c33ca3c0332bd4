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
	for _, name := range []string{"wmt21", "max", "qe", "kiwi", "unified", "unified-ref"} {
		t.Run(name, func(t *testing.T) {
			workers := func(n int) mteval.Scorer {
				return model(t, name, comet.Options{Workers: n, OnCut: func(string) {}})
			}
			o := scorertest.Options{Variants: []mteval.Scorer{workers(1), workers(5)}}
			if err := scorertest.Test(workers(2), o); err != nil {
				t.Error(err)
			}
		})
	}
}
