//go:build !libtorch

package main

import (
	"strings"
	"testing"
)

// A program that was built without libtorch says how to build with it.
func TestWithoutLibtorch(t *testing.T) {
	const data = "../../examples/data/"
	_, errs, code := exec(t, "score", "-r", data+"ref.de", "-m",
		"bertscore(backend=libtorch,model=../../backend/transformer/testdata/bert,layer=1)", data+"sys/elder.txt")
	if code != 2 || !strings.Contains(errs, "-tags libtorch") {
		t.Errorf("exit %d, %q", code, errs)
	}
}
