package simd

import "testing"

// Nothing is read or written outside a slice, as in TestFenced.
func TestFencedBF16(t *testing.T) {
	eachBF16(t, func(t *testing.T) {
		for _, after := range []bool{false, true} {
			for _, s := range [][3]int{{1, 1, 1}, {3, 4, 5}, {5, 7, 13}, {7, 17, 9}, {13, 31, 33}, {14, 64, 8}, {25, 65, 70}} {
				m, n, k := s[0], s[1], s[2]
				a, c, bias := fenced(t, m*k, after), fenced(t, m*n, after), fenced(t, n, after)
				p := PackBF16(fenced(t, n*k, after), k, n)
				p.data = append(words(fenced(t, len(p.data), after))[:0], p.data...)
				size := (k + 1) / 2 * m
				r := RowsBF16{pairs: words(fenced(t, size, after)), wide: fenced(t, 2*size, after)}
				r.Set(a, m, k)
				GemmBF16(c, &r, p, bias)
				GemmBF16(c, &r, p, nil)
			}
		}
	})
}
