package subword_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mteval/mteval/internal/subword"
)

// Package comet's tests compare its ids with those that transformers recorded.
func FuzzXLMRoberta(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("..", "..", "comet", "testdata", "spm", "sentencepiece.bpe.model"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, "The cook <mask> sold  pears </s>")
	f.Add(data[:40], "a")
	f.Fuzz(func(t *testing.T, model []byte, text string) {
		k, err := subword.ParseXLMRoberta(model)
		if err == nil {
			checkPieces(t, k, text, k.Encode(nil, text))
		}
	})
}
