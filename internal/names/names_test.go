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

func TestOf(t *testing.T) {
	type kind int
	list := []string{1: "one", 2: "two"}
	for value, want := range map[kind]string{-1: "Kind(-1)", 0: "Kind(0)", 1: "one", 2: "two", 3: "Kind(3)"} {
		if got := Of("Kind", list, value); got != want {
			t.Errorf("%d: %s, want %s", int(value), got, want)
		}
	}
	if got := Of("Small", list, uint8(255)); got != "Small(255)" {
		t.Error(got)
	}
}
