package lexical_test

import (
	"testing"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/tokenize"
)

// The backend keeps the contract of backend.Backend with all kinds of options.
func TestConformance(t *testing.T) {
	none, half, less := 0.0, 0.5, -1.0
	for _, tt := range []struct {
		name string
		opt  lexical.Options
	}{
		{"default", lexical.Options{}},
		{"smallest", lexical.Options{Dim: 2, MinN: 1, MaxN: 1, Neighbour: &none}},
		{"lower case", lexical.Options{Dim: 64, Lowercase: true}},
		{"intl", lexical.Options{Dim: 64, Tokenizer: tokenize.Intl, Neighbour: &half}},
		{"char", lexical.Options{Dim: 64, Tokenizer: tokenize.Char, Neighbour: &less}},
		{"none", lexical.Options{Dim: 64, Tokenizer: tokenize.None, MinN: 3, MaxN: 30}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// A second one has other workers, and must not differ.
			open := func() (backend.Backend, error) {
				tt.opt.Workers = 1 + 4*(tt.opt.Workers%2)
				return lexical.New(tt.opt)
			}
			if err := backendtest.Test(open, backendtest.Options{}); err != nil {
				t.Error(err)
			}
		})
	}
}
