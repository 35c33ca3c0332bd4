package conllu

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"
)

// What makes no sense is an error.
func TestMisuse(t *testing.T) {
	_, unknown := new(Bank).Parse(t.Context(), "a")
	_, cut := Read(strings.NewReader("\x1f\x8b"), "f")
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 24 {
		if _, err := z.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	_, expands := Read(&bomb, "f")
	for name, err := range map[string]error{
		"a text of no bank":    unknown,
		"sentences of no text": new(Bank).Add(nil, make([]Sentence, 2), "f"),
		"no sentences":         new(Bank).Add([]string{"a"}, nil, "f"),
		"empty sentences":      new(Bank).Add([]string{"a"}, make([]Sentence, 3), "f"),
		"gzip that is cut":     cut,
		"gzip that expands":    expands,
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := errors.Join(new(Bank).Add(nil, nil, ""), new(Bank).Add([]string{"", " "}, nil, "")); err != nil {
		t.Error(err)
	}
}
