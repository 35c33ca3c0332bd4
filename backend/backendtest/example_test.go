package backendtest_test

import (
	"fmt"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/backend/transformer"
)

// In a test of a backend, an error of Test is one of the backend's.
func ExampleTest() {
	open := func() (backend.Backend, error) { return lexical.New(lexical.Options{}) }
	fmt.Println(backendtest.Test(open, backendtest.Options{Texts: []string{"größer als 3.5 €"}}))
	// Output: <nil>
}

// The same for an encoder. Texts that spell its padding are worth adding.
func ExampleTestEncoder() {
	files := backend.EncoderFiles{Dir: "../transformer/testdata/bert"}
	open := func() (backend.Encoder, error) { return transformer.OpenEncoder(files, transformer.EncoderOptions{}) }
	fmt.Println(backendtest.TestEncoder(open, backendtest.Options{Texts: []string{"a [PAD] b"}}))
	// Output: <nil>
}
