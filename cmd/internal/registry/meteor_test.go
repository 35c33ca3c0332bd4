package registry

import (
	"fmt"
	"testing"
)

// What Go reads as a number and no table has.
func TestFinite(t *testing.T) {
	for text, want := range map[string]string{
		"1e-3": "", "-12.5": "", "1e100": "",
		"1_000": "not a finite number", "0x1p3": "not a finite number", "Infinity": "not a finite number", "NaN": "not a finite number",
		"1e308": "too large to be calculated with: 1e+100 is the most", "-1e101": "too large",
	} {
		_, err := finite(text)
		if got := fmt.Sprint(err); (err == nil) != (want == "") || err != nil && got[:min(len(got), len(want))] != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
