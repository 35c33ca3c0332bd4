package clitest

import (
	"path/filepath"
	"testing"
)

// Tiny is a small model of BERT.
const Tiny = "../../backend/transformer/testdata/bert"

// CometModels are tiny models: see scripts/record_comet.py.
const CometModels = "../../comet/testdata/"

// WithoutModels lets sacreBLEU's folder be a file, so that nothing is there nor downloaded.
func WithoutModels(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	Write(t, path, "")
	t.Setenv("SACREBLEU", path)
}
