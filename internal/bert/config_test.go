package bert

import (
	"os"
	"path/filepath"
	"testing"
)

func FuzzConfig(f *testing.F) {
	for _, name := range []string{"bert", "distilbert", "mpnet", "roberta-f16", "deberta-v1-all", "deberta-v2-conv", "deberta-v3-far"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "backend", "transformer", "testdata", name, "config.json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseConfig(data)
		if err == nil && (c.Hidden%c.Heads != 0 || c.maxTokens() < 1 || c.Hidden > limit || c.Width < 1) {
			t.Fatalf("%+v", c)
		}
		if err != nil || c.Deberta == nil {
			return
		}
		for d := 1; d < min(c.maxTokens(), 1000); d++ {
			if a, b := c.Deberta.Row(d), c.Deberta.Row(-d); a < 0 || b < 0 || a < b || a >= c.Deberta.Rows {
				t.Fatalf("%+v: %d tokens before the query at %d, after it at %d", c.Deberta, d, a, b)
			}
		}
	})
}
