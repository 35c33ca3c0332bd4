package rows

import (
	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
)

// CheckScorer returns an error for a scorer that is nil, or whose Width is that of no row. What
// works over any metric begins with it.
func CheckScorer(s mteval.Scorer) error {
	if contract.Nil(s) {
		return contract.ErrNoMetric
	}
	return contract.Width(s.Info().Name, s.Width())
}
