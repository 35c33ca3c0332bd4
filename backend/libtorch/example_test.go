package libtorch_test

import (
	"fmt"
	"log"

	"github.com/mteval/mteval/backend/libtorch"
	"github.com/mteval/mteval/bertscore"
)

// BERTScore on a GPU, in a program that is built with -tags libtorch.
func ExampleOpen() {
	b, err := libtorch.Open("bert-base-multilingual-cased", libtorch.Options{Device: "cuda:0", DType: libtorch.Float16})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	scorer, err := bertscore.New(b, bertscore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(scorer.Info().Signature)
}
