package bert

import (
	"os"
	"path/filepath"
	"testing"
)

func FuzzConfig(f *testing.F) {
	for _, name := range []string{"bert", "distilbert", "mpnet", "roberta-f16"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "backend", "transformer", "testdata", name, "config.json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseConfig(data)
		if err == nil && (c.Hidden%c.Heads != 0 || c.maxTokens() < 1 || c.Hidden > limit) {
			t.Fatalf("%+v", c)
		}
	})
}
