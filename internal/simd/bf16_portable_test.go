//go:build !amd64 || noasm

package simd

import "testing"

func eachBF16(t *testing.T, f func(t *testing.T)) { t.Run("portable", f) }
