package chrf

import (
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/scorertest"
)

func TestConformance(t *testing.T) {
	for _, o := range []Options{{}, {WordOrder: 2}, {EpsSmoothing: true, Lowercase: true}, {Whitespace: true, Beta: 1, CharOrder: 3, WordOrder: 1}} {
		var variants []mteval.Scorer
		for _, n := range []int{1, 2, 5} {
			v := o
			v.Workers = n
			variants = append(variants, mustNew(t, v))
		}
		if err := scorertest.Test(mustNew(t, o), scorertest.Options{Variants: variants}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
