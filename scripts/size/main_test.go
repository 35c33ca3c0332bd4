package main

import (
	"strings"
	"testing"
)

// The command does not grow: who makes it smaller lowers these limits. They are to come down to
// 12,500 lines, 1,000 of a package, 14 structs of JSON and 3 functions that write a number, as more
// commands are written by package show.
func TestLimits(t *testing.T) {
	s, err := measure("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []struct {
		what      string
		is, limit int
	}{
		{"lines of cmd/", s.cmd, 20_200},
		{"structs of JSON in cmd/", s.json, 61},
		{"functions in cmd/ that write a number", len(s.formatters), 15},
		{"lines of Go", s.lines, 116_400},
	} {
		if l.is > l.limit || l.is == 0 {
			t.Errorf("%d %s, and the limit is %d", l.is, l.what, l.limit)
		}
	}
	for path, n := range s.packages {
		if strings.HasPrefix(path, "cmd/mteval/internal/") && n > 2950 {
			t.Errorf("%d lines in %s, and the limit is 2950", n, path)
		}
	}
}
