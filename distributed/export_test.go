package distributed

// SetBlock sets of what size blocks of files are, and returns what it was.
func SetBlock(n int64) int64 {
	was := blockBytes
	blockBytes = n
	return was
}

// PoissonCounts are how often samples have a segment.
var PoissonCounts = poissonCounts
