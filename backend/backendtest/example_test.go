package backendtest_test

import (
	"fmt"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/lexical"
)

// In a test of a backend, an error of Test is one of the backend's.
func ExampleTest() {
	open := func() (backend.Backend, error) { return lexical.New(lexical.Options{}) }
	fmt.Println(backendtest.Test(open, backendtest.Options{Texts: []string{"größer als 3.5 €"}}))
	// Output: <nil>
}
