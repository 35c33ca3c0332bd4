package mteval_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The program of the README is examples/quickstart, but for its package comment. Its test runs
// it.
func TestReadmeProgram(t *testing.T) {
	readme := readFile(t, "README.md")
	_, rest, ok := strings.Cut(readme, "\n```go\n")
	program, _, ended := strings.Cut(rest, "```\n")
	if !ok || !ended {
		t.Fatal("README.md has no block of Go")
	}
	_, example, _ := strings.Cut(readFile(t, "examples/quickstart/main.go"), "\npackage main\n")
	if d := cmp.Diff("package main\n"+example, program); d != "" {
		t.Errorf("(-examples/quickstart +README.md):\n%s", d)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
