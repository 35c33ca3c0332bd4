package metaeval

// Oriented returns scores such that more is better: those of an error metric negated, others
// as they are, in the same memory.
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
