//go:build amd64 && !noasm

package simd

import "testing"

// eachBF16 runs f with each way to multiply in bfloat16 that can run here.
func eachBF16(t *testing.T, f func(t *testing.T)) {
	was, avx2, avx512 := wayBF16, hasAVX2, hasAVX512
	for _, s := range []struct {
		name         string
		way          int
		can          bool
		avx2, avx512 bool
	}{
		{"portable", bf16Portable, true, false, false},
		{"avx2", bf16Wide, hasAVX2, true, false},
		{"avx512", bf16Wide, hasAVX512, true, true},
		{"avx512-bf16", bf16Own, hasBF16, true, true},
		{"amx", bf16AMX, whyNoAMX() == "", true, true},
	} {
		t.Run(s.name, func(t *testing.T) {
			if !s.can && s.way == bf16AMX {
				t.Skip(whyNoAMX())
			}
			if !s.can {
				t.Skip("the processor has no " + s.name)
			}
			defer usual()
			hasAVX2, hasAVX512 = s.avx2, s.avx512
			own := hasBF16
			wayBF16, hasBF16 = func() int { return s.way }, own && s.way >= bf16Own
			defer func() { wayBF16, hasBF16 = was, own }()
			f(t)
		})
	}
	if hasAVX2 != avx2 || hasAVX512 != avx512 {
		t.Error("a set was left on")
	}
}

// What is chosen is one of the ways, always the same, and not the slow one where there is
// another.
func TestWayBF16(t *testing.T) {
	way := wayBF16()
	if way != wayBF16() || way == bf16Portable && hasAVX2 || way == bf16Own && !hasBF16 || way == bf16AMX != (whyNoAMX() == "") {
		t.Errorf("way %d", way)
	}
}
