//go:build !libtorch

package libtorch

import (
	"strings"
	"testing"
)

func TestWithout(t *testing.T) {
	if _, err := Open("../transformer/testdata/bert", Options{}); err == nil || !strings.Contains(err.Error(), "-tags libtorch") {
		t.Errorf("error %v does not say how to build", err)
	}
}
