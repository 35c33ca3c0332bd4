package difficulty

// Mean returns how difficult a segment is: the mean difficulty of a reference's tokens,
// each counting by its own weight, and of several references the mean of these. A
// reference in which nothing weighs anything, as an empty one, counts as 0. It panics if
// there is no such segment.
func (w *Weights) Mean(segment int) float64 {
	refs := w.refs[segment]
	if len(refs) == 0 {
		return 0
	}
	var total float64
	for _, r := range refs {
		var sum, weight float64
		for j, t := range r.tokens {
			sum += float64(t.Weight) * r.d[j]
			weight += float64(t.Weight)
		}
		if weight > 0 {
			total += sum / weight
		}
	}
	return total / float64(len(refs))
}
