//go:build !libtorch

package root_test

import (
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// A program that was built without libtorch says how to build with it.
func TestWithoutLibtorch(t *testing.T) {
	const data = "../../examples/data/"
	_, errs, code := clitest.Exec(t, "score", "-r", data+"ref.de", "-m",
		"bertscore(backend=libtorch,model=../../backend/transformer/testdata/bert,layer=1)", data+"sys/elder.txt")
	if code != 2 || !strings.Contains(errs, "-tags libtorch") {
		t.Errorf("exit %d, %q", code, errs)
	}
}
