package ter

import (
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/scorertest"
)

func TestConformance(t *testing.T) {
	for _, o := range []Options{{}, {Normalized: true, Asian: true}, {NoPunct: true, CaseSensitive: true}} {
		var variants []mteval.Scorer
		for _, n := range []int{1, 2, 5} {
			v := o
			v.Workers = n
			variants = append(variants, New(v))
		}
		if err := scorertest.Test(New(o), scorertest.Options{Variants: variants}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
