package metaeval

// Oriented returns scores such that more is better. Those of an error metric are a copy,
// negated; others are returned as they are, the same slice and no copy. It changes none.
func Oriented(scores []float64, lowerIsBetter bool) []float64 {
	if !lowerIsBetter {
		return scores
	}
	out := make([]float64, len(scores))
	for i, v := range scores {
		out[i] = -v
	}
	return out
}
