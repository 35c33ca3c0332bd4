package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/reporttest"
)

var update = flag.Bool("update", false, "write the output to testdata")

func TestOutput(t *testing.T) {
	var got, page bytes.Buffer
	if err := run(context.Background(), &got, &page, "../data"); err != nil {
		t.Fatal(err)
	}
	if want := ">birch has the best length-error ("; !strings.Contains(page.String(), want) {
		t.Errorf("the page lacks %q", want)
	}
	segments, err := reporttest.Read(page.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(segments.All); n != 48 || len(segments.All[0].Outputs) != 5 || segments.All[0].Number != 1 {
		t.Errorf("%d segments, the first is %+v", n, segments.All[0])
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
