// Package spantest checks the places of tokens, for tests of tokenizers that only split a line.
package spantest

import (
	"testing"

	"github.com/mteval/mteval/tokenize"
)

// Test checks that a tokenizer's spans are its tokens, in order, each with its place in the line.
func Test(t *testing.T, tok tokenize.Tokenizer, line string) {
	t.Helper()
	var tokens []string
	tokenize.Each(nil, tok, line, func(token []byte) { tokens = append(tokens, string(token)) })
	spans := tokenize.AppendSpans(nil, tok, line)
	if len(spans) != len(tokens) {
		t.Fatalf("%q: %d spans of %d tokens", line, len(spans), len(tokens))
	}
	end := 0
	for i, s := range spans {
		if s.Text != tokens[i] || s.Start < end || s.End > len(line) || line[s.Start:s.End] != s.Text {
			t.Fatalf("%q: span %+v after %d of token %q", line, s, end, tokens[i])
		}
		end = s.End
	}
}
