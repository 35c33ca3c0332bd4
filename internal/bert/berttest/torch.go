package berttest

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert"
)

// Torch checks that files of torch.save give the vectors of the safetensors files that they
// were made from, in root, by scripts/record_torchfile.py.
func Torch(t *testing.T, open Open, root string) {
	for _, c := range []struct {
		what, model string
		files       map[string]string // in the folder, and in root/bin
	}{
		{"the form of a zip file, weights tied", "bert-mlm-bf16-gelunew", map[string]string{"pytorch_model.bin": "bert-mlm-bf16-gelunew.bin"}},
		{"the old form, old names", "roberta-f16", map[string]string{"pytorch_model.bin": "roberta-f16-old.bin"}},
		{"several files", "roberta-f16", map[string]string{
			"pytorch_model.bin.index.json":   "roberta-f16.bin.index.json",
			"roberta-f16-00001-of-00002.bin": "roberta-f16-00001-of-00002.bin",
			"roberta-f16-00002-of-00002.bin": "roberta-f16-00002-of-00002.bin",
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			model, dir := filepath.Join(root, c.model), t.TempDir()
			copyFile(t, filepath.Join(dir, "config.json"), filepath.Join(model, "config.json"))
			for to, from := range c.files {
				copyFile(t, filepath.Join(dir, to), filepath.Join(root, "bin", from))
			}
			layer := 2
			o := bert.Options{Layer: &layer, Tokenizer: Numbers{}, TokenizerName: "numbers"}
			var got, want backend.Batch
			text := []string{"5 17 3 80"}
			if err := open.open(t, dir, o).Embed(ctx, &got, text); err != nil {
				t.Fatal(err)
			}
			if err := open.open(t, model, o).Embed(ctx, &want, text); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(want, got) {
				t.Errorf("other vectors: %+v, want %+v", got, want)
			}
		})
	}
}

func copyFile(t *testing.T, to, from string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
