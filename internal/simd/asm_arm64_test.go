//go:build arm64 && !noasm

package simd

func sets() []loops {
	return []loops{{"portable", true, func() { hasNEON = false }}, {"neon", true, usual}}
}

func usual() { hasNEON = true }
