//go:build amd64 && !noasm

package simd

var can2, can512 = hasAVX2, hasAVX512

func sets() []loops {
	return []loops{
		{"portable", true, func() { hasAVX2, hasAVX512 = false, false }},
		{"avx2", can2, func() { hasAVX2, hasAVX512 = true, false }},
		{"avx512", can512, usual},
	}
}

// usual turns on all that the processor has.
func usual() { hasAVX2, hasAVX512 = can2, can512 }
