package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte("segment\thypothesis\treference\n1\ta\ta\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	input, own, stale, more := write("in.tsv"), write("a.systems.jsonl"), write("b.bad-00000-of-00004.jsonl"), write("c.intervals.jsonl")
	if err := os.Symlink(own, filepath.Join(dir, "link.tsv")); err != nil {
		t.Log(err)
	}
	for _, tt := range []struct{ input, output, wrong string }{
		{input, "a", ""}, // a run again
		{own, "a", own + " is an input"},
		{filepath.Join(dir, "*.tsv"), "a", "is an input"},
		{input, "b", stale + " is of a run with other"},
		{input, "c", more + " is of a run with other"},
		{filepath.Join(dir, "none"), "d", ""}, // which the job tells of
	} {
		j, err := parsed(t, "--input", tt.input, "-m", "bleu", "-o", filepath.Join(dir, tt.output)).job()
		if err != nil {
			t.Fatal(err)
		}
		err = j.checkFiles(t.Context())
		if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s to %s: %v, want %q", tt.input, tt.output, err, tt.wrong)
		}
	}
}

func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain",
		"job failed:\nplan\n\tcaused by:\nDoFn[UID:1] failed:\ndistributed: x: unexpected EOF": "distributed: x: unexpected EOF",
		"one\n\tcaused by:\ntwo\n\tcaused by:\nthree\n":                                        "three",
	} {
		if got := reason(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
