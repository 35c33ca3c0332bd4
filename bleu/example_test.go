package bleu_test

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
)

func Example() {
	scorer, err := bleu.New(bleu.Options{})
	if err != nil {
		panic(err)
	}
	hyps := []string{"The dog bit the man.", "It wasn't surprising."}
	refs := [][]string{ // by segment
		{"The dog bit the man.", "The dog had bit the man."},
		{"It was not unexpected.", "No one was surprised."},
	}
	result, err := mteval.Corpus(context.Background(), scorer, refs, hyps)
	if err != nil {
		panic(err)
	}
	fmt.Println(scorer.Detail(result.Sum))
	fmt.Println(result.Signature)
	// Output:
	// BLEU = 63.98 80.0/62.5/66.7/75.0 (BP = 0.905 ratio = 0.909 hyp_len = 10 ref_len = 11)
	// nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:mteval-0.1.0
}
