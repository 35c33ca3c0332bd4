package simd

// AMX adds up in another order than AVX512_BF16, and so gives other last bits: TDPBF16PS (Intel's
// manual, volume 2) takes 16 pairs at a time, sums up their first and their second products from
// zero, and adds the two sums to each other and then to the number's.

// tilePairs is how many pairs a tile has in a row, of a, or rows, of b.
const tilePairs = 16

// gemmAMXPortable is gemmBF16Portable with the arithmetic of AMX.
func gemmAMXPortable(c []float32, a *RowsBF16, b *PackedBF16, bias []float32) {
	pairs := (b.k + 1) / 2
	for j := range b.n {
		var start float32
		if bias != nil {
			start = flush(bias[j])
		}
		panel, at := b.panel(j/panelBF16), j%panelBF16
		for i := range a.m {
			row, sum := a.pairs[i*pairs:(i+1)*pairs], start
			for k := 0; k < pairs; k += tilePairs {
				sum = flush(sum + tileBF16(row[k:min(k+tilePairs, pairs)], panel[k*panelBF16+at:]))
			}
			c[i*b.n+j] = sum
		}
	}
}

// tileBF16 is what one instruction adds to a number, of a row and of a column of pairs.
func tileBF16(row, column []uint32) float32 {
	var s1, s2 float32
	for i, x := range row {
		y := column[i*panelBF16]
		x1, x2, y1, y2 := first(x), second(x), first(y), second(y)
		t1, t2 := s1+float32(x1*y1), s2+float32(x2*y2)
		if extreme(t1) || extreme(t2) {
			t1, t2 = addExactly(s1, x1, y1), addExactly(s2, x2, y2)
		}
		s1, s2 = t1, t2
	}
	return flush(s1 + s2)
}
