package scorertest_test

import (
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/scorertest"
)

// BLEU keeps the contract, and rows that several goroutines made are those that
// one made.
func ExampleTest() {
	one, err := bleu.New(bleu.Options{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	many, err := bleu.New(bleu.Options{Workers: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(scorertest.Test(one, scorertest.Options{Variants: []mteval.Scorer{many}}))
	// Output: <nil>
}
