package decimal

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	for x, want := range map[float64]string{.5: "0.5", 1: "1", 100: "100", 1. / 3: "0.3333333333333333", -2: "-2", 1e300: "1e+300"} {
		if got := Format(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64().Draw(t, "x")
		if back, err := strconv.ParseFloat(Format(x), 64); err != nil || back != x && !math.IsNaN(x) {
			t.Fatalf("%v comes back as %v, error %v", x, back, err)
		}
	})
}
