package transformer

import (
	"cmp"
	"fmt"

	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/simd"
)

// DType is the type of the numbers that a model's matrices are multiplied in.
type DType = bert.DType

// The types. In BFloat16 the weights of all matrices are rounded once, which halves their
// memory, and what is multiplied with them at each product; sums are float32, and so is all
// else: embeddings, attention, norms. docs/models.md has what it moves.
//
// It is faster than Float32 where the processor has instructions of its own for it that are: AMX,
// taken on Linux where there is one, or AVX512_BF16, measured at the first product. Others with
// AVX2 take about as long as for Float32, and the rest some three times.
//
// Products have the same bits everywhere but with AMX, which sums up in another order: signatures
// then have bf16-amx in place of bf16. GODEBUG=cpu.amxtile=off does without it.
const (
	Float32  DType = "fp32"
	BFloat16 DType = "bf16"
)

// signed is what signatures say of a type: what else has the same bits.
func signed(d DType) string {
	if d == BFloat16 && simd.AMX() {
		return "bf16-amx"
	}
	return string(cmp.Or(d, Float32))
}

func checkDType(d DType) error {
	switch d {
	case "", Float32, BFloat16:
		return nil
	}
	return fmt.Errorf("transformer: no number type %q: have %s, %s", d, Float32, BFloat16)
}

// linear is a matrix with its bias, in one of the types. The zero value is none.
type linear struct {
	w    *simd.Packed
	half *simd.PackedBF16
	bias []float32
}

// A packFunc packs a matrix of `out` columns of `in` numbers.
type packFunc func(l bert.Linear, in, out int) linear

func packer(d DType) packFunc {
	if d == BFloat16 {
		return func(l bert.Linear, in, out int) linear {
			return linear{half: simd.PackBF16(l.Weight, in, out), bias: l.Bias}
		}
	}
	return func(l bert.Linear, in, out int) linear {
		return linear{w: simd.Pack(l.Weight, in, out), bias: l.Bias}
	}
}

func (l *linear) none() bool { return l.w == nil && l.half == nil }

// apply sets out to the product of m rows of x with the matrix, plus the bias. It works with
// rounded.
func (l *linear) apply(out, x []float32, m int, rounded *simd.RowsBF16) {
	if l.half == nil {
		simd.Gemm(out, x, m, l.w, l.bias)
		return
	}
	rounded.Set(x, m, l.half.K())
	simd.GemmBF16(out, rounded, l.half, l.bias)
}
