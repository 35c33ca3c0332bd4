package spm_test

import (
	"fmt"
	"log"

	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/spm"
)

func ExampleOpen() {
	tok, err := spm.Open("testdata/small.model", spm.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tok.Name())
	fmt.Println(tokenize.String(tok, "The old kettle sings."))
	// Output:
	// small
	// ▁T h e ▁old ▁kettle ▁sings .
}
