package main

import (
	"testing"

	"github.com/mteval/mteval/scorertest"
)

func TestConformance(t *testing.T) {
	if err := scorertest.Test(LengthError{}, scorertest.Options{}); err != nil {
		t.Fatal(err)
	}
}
