package dreem

import (
	"encoding/json"
	"os"
	"testing"
)

// The files of testdata and what they hold are gensim's: see scripts/record_dreem.py.
func TestGensim(t *testing.T) {
	data, err := os.ReadFile("testdata/gensim.json")
	if err != nil {
		t.Fatal(err)
	}
	var files map[string]struct {
		Words   []string
		Vectors [][]float64
	}
	if err := json.Unmarshal(data, &files); err != nil {
		t.Fatal(err)
	}
	if len(files) != 3 {
		t.Fatalf("%d files", len(files))
	}
	for name, want := range files {
		v, err := OpenVectors("testdata/"+name, VectorOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		if v.Len() != len(want.Words) || v.Dim() != 7 {
			t.Errorf("%s: %d words of %d numbers", name, v.Len(), v.Dim())
			continue
		}
		for i, w := range want.Words {
			if v.Word(i) != w {
				t.Errorf("%s: word %d is %q, gensim has %q", name, i, v.Word(i), w)
			}
			for j, x := range v.Lookup([]byte(w)) {
				if float64(x) != want.Vectors[i][j] {
					t.Errorf("%s: %q: number %d is %v, gensim has %v", name, w, j, x, want.Vectors[i][j])
				}
			}
		}
	}
}
