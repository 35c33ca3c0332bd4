package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the output to testdata")

func TestOutput(t *testing.T) {
	var got bytes.Buffer
	for _, aggregate := range []bool{false, true} {
		if err := run(context.Background(), &got, aggregate); err != nil {
			t.Fatal(err)
		}
	}
	const golden = "testdata/output.txt"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
