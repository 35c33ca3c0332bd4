//go:build !amd64 || noasm

package simd

// HowBF16 says by what products in bfloat16 are computed here and, where it is not AMX, why.
func HowBF16() string { return "plain Go (this program has no assembly for them)" }

// SpeedBF16 says how fast products in bfloat16 are here.
func SpeedBF16() Speed { return Slow }

// AMX tells whether products in bfloat16 are summed up in the order of AMX, which changes their
// last bits.
func AMX() bool { return false }

func wideBF16() bool { return false }

func pair(dst []uint32, x []float32) { pairPortable(dst, x) }

func widen(dst, x []float32) { widenPortable(dst, x) }

func gemmBF16(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) {
	gemmBF16Portable(c, a, b, bias)
}
