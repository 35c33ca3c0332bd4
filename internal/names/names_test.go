package names

import (
	"strings"
	"testing"
)

func TestFew(t *testing.T) {
	for list, want := range map[string]string{
		"":              "",
		"a":             "a",
		"a b c d e":     "a, b, c, d, e",
		"a b c d e f g": "a, b, c, d, e and 2 more",
	} {
		if got := Few(strings.Fields(list)); got != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
}
