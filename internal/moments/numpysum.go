package moments

// NumPySum sums as NumPy does, by halves down to 128 numbers and there in eight sums. Where
// it is compared with other sums, that decides which are equal.
func NumPySum[T float32 | float64](v []T) (sum T) {
	n := len(v)
	if n > 128 {
		half := n / 2
		half -= half % 8
		return NumPySum(v[:half]) + NumPySum(v[half:])
	}
	if n >= 8 {
		var r [8]T
		for ; len(v) >= 8; v = v[8:] {
			for k := range r {
				r[k] += v[k]
			}
		}
		sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	}
	for _, x := range v {
		sum += x
	}
	return sum
}
