package modelname

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOf(t *testing.T) {
	// All names are right whatever the temporary folder's own path leads through.
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const snapshot = "hf/models--org--roberta-large/snapshots/c0ffee"
	for _, d := range []string{"m/bert-base/sub", snapshot + "/onnx", "hf/models--gpt/snapshots/f00d", "hf/models--a--b-c/other/f00d", "w"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"l": "m/bert-base", "l2": "l", "abs": filepath.Join(root, "l"), "s": snapshot,
		"all": "hf/models--org--roberta-large/snapshots", "sub": "m/bert-base/sub", "w/up": "../m/../l", "broken": "none", "a": "b", "b": "a"} {
		if err := os.Symlink(filepath.FromSlash(target), filepath.Join(root, name)); err != nil {
			t.Skip("links can't be made here: ", err)
		}
	}
	for _, tt := range []struct {
		at, dir string
		want    []string
	}{
		{"", "m/bert-base", []string{"bert-base"}},
		{"", "m/bert-base/", []string{"bert-base"}},
		{"", "m/bert-base//", []string{"bert-base"}},
		{"", "m/bert-base/.", []string{"bert-base"}},
		{"", "m/bert-base/sub/..", []string{"bert-base"}},
		{"", "./m/./bert-base/./", []string{"bert-base"}},
		{"m/bert-base", ".", []string{"bert-base"}},
		{"m/bert-base", "./", []string{"bert-base"}},
		{"m/bert-base/sub", "..", []string{"bert-base"}},
		{"m/bert-base/sub", "../", []string{"bert-base"}},
		{"m", "$/m/bert-base/.", []string{"bert-base"}},
		{"", "l", []string{"l", "bert-base"}},
		{"", "l/", []string{"l", "bert-base"}},
		{"", "l/.", []string{"l", "bert-base"}},
		{"", "l2", []string{"l2", "l", "bert-base"}},
		{"", "abs", []string{"abs", "l", "bert-base"}},
		{"", "w/up", []string{"up", "l", "bert-base"}},
		{"", "sub/..", []string{"bert-base"}}, // not the folder of sub
		{"", snapshot, []string{"c0ffee", "roberta-large"}},
		{"", snapshot + "/", []string{"c0ffee", "roberta-large"}},
		{snapshot, ".", []string{"c0ffee", "roberta-large"}},
		{"", "s", []string{"s", "c0ffee", "roberta-large"}},
		{"", "all/c0ffee", []string{"c0ffee", "roberta-large"}},
		{"", snapshot + "/onnx", []string{"onnx"}},
		{"", "hf/models--gpt/snapshots/f00d", []string{"f00d", "gpt"}},
		{"", "hf/models--a--b-c/other/f00d", []string{"f00d"}},
		{"", "broken", []string{"broken"}},
		{"", "a", []string{"a"}},
		{"", "no/bert", []string{"bert"}},
		{"", "no/bert/.", []string{"bert"}},
	} {
		t.Run(tt.at+" "+tt.dir, func(t *testing.T) {
			t.Chdir(filepath.Join(root, filepath.FromSlash(tt.at)))
			dir := filepath.FromSlash(tt.dir)
			if len(dir) > 0 && dir[0] == '$' {
				dir = root + dir[1:]
			}
			if diff := cmp.Diff(tt.want, Of(dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
