package bert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A layer goes by the model's name, whichever way its folder is named.
func TestLayerByName(t *testing.T) {
	root := t.TempDir()
	const snapshot = "models--FacebookAI--roberta-large/snapshots/c0ffee"
	for _, d := range []string{"bert-base-uncased/sub", "roberta-base", "mine", snapshot} {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"l": "bert-base-uncased", "distilroberta-base": "roberta-base", "s": snapshot,
		"lm": "mine", "roberta-large": "mine", "sub": "bert-base-uncased/sub"} {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, name)); err != nil {
			t.Skip("links can't be made here: ", err)
		}
	}
	for _, tt := range []struct {
		at, dir, config string
		want            int
		err             string
	}{
		{at: "", dir: "bert-base-uncased", want: 9},
		{at: "", dir: "bert-base-uncased/", want: 9},
		{at: "", dir: "bert-base-uncased/.", want: 9},
		{at: "", dir: "bert-base-uncased/sub/..", want: 9},
		{at: "bert-base-uncased", dir: ".", want: 9},
		{at: "bert-base-uncased", dir: "./", want: 9},
		{at: "bert-base-uncased/sub", dir: "..", want: 9},
		{at: "", dir: "l", want: 9},
		{at: "", dir: "l/.", want: 9},
		{at: "", dir: "sub/..", want: 9},
		{at: "", dir: "distilroberta-base", want: 5}, // as it was written
		{at: "", dir: "roberta-large", want: 17},
		{at: "", dir: snapshot, want: 17},
		{at: snapshot, dir: ".", want: 17},
		{at: "", dir: "s/", want: 17},
		{at: "", dir: "mine", config: "/data/roberta-base", want: 10},
		{at: "", dir: "l", config: "roberta-base", want: 9},
		{at: "", dir: "mine", config: "microsoft/mdeberta-v3-base", want: 10},
		{at: "", dir: "mine", config: "microsoft/deberta-xlarge-mnli", err: "called mine"}, // its layer is 40
		{at: "mine", dir: ".", err: "called mine: choose one of 0 to 24"},
		{at: "", dir: "lm", err: "called lm or mine:"},
	} {
		t.Run(tt.at+" "+tt.dir, func(t *testing.T) {
			t.Chdir(filepath.Join(root, filepath.FromSlash(tt.at)))
			got, err := chooseLayer(filepath.FromSlash(tt.dir), &Config{Layers: 24, name: tt.config}, nil)
			switch {
			case tt.err != "":
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%d, %v; want %q", got, err, tt.err)
				}
			case err != nil || got != tt.want:
				t.Errorf("%d, %v; want %d", got, err, tt.want)
			}
		})
	}
}
