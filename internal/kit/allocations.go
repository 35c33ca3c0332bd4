package kit

import (
	"math"
	"runtime/debug"
	"testing"
)

// Allocations of a call once it is warm: the least of a few measurements, as a goroutine that
// is interrupted makes the others need more to work with than before. A collection in the
// middle would empty the pools.
func Allocations(call func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := math.Inf(1)
	for range 5 {
		call()
		if least = min(least, testing.AllocsPerRun(1, call)); least == 0 {
			break
		}
	}
	return least
}
