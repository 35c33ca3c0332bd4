//go:build (!amd64 && !arm64) || noasm

package simd

import "testing"

// eachSet runs f with each set of loops that can run here.
func eachSet(t *testing.T, f func(t *testing.T)) { f(t) }
