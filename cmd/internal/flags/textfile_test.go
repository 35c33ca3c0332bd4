package flags

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTextAndFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"lr", "lr=0.1.txt", "lr.conllu", "0.1.txt=lr.conllu", "plain", "x", "y=z"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	abs := filepath.Join(dir, "0.1.txt=lr.conllu")
	for _, tt := range []struct {
		value string
		given []string
		want  string // text, a space, file; or the error
	}{
		{"plain=x", nil, "plain x"},
		{"plain=y=z", nil, "plain y=z"},
		{"lr=0.1.txt=lr.conllu", []string{"lr=0.1.txt"}, "lr=0.1.txt lr.conllu"},
		{"lr=0.1.txt=lr.conllu", []string{"lr"}, "lr 0.1.txt=lr.conllu"},
		{"lr=0.1.txt=lr.conllu", []string{"lr", "lr=0.1.txt"}, "--parses lr=0.1.txt=lr.conllu: which = is the one between TEXT and FILE? Type lr=./0.1.txt=lr.conllu or lr=0.1.txt=./lr.conllu"},
		{"lr=0.1.txt=lr.conllu", nil, "--parses lr=0.1.txt=lr.conllu: which = is the one between TEXT and FILE? Type lr=./0.1.txt=lr.conllu or lr=0.1.txt=./lr.conllu"},
		{"lr=./0.1.txt=lr.conllu", nil, "lr ./0.1.txt=lr.conllu"},
		{"lr=0.1.txt=./lr.conllu", nil, "lr=0.1.txt ./lr.conllu"},
		{"lr=" + abs, nil, "lr " + abs},
		{"lr=0.1.txt=none", []string{"lr=0.1.txt"}, "lr=0.1.txt none"},
		{"none=none=none", nil, "none none=none"},
		{"=x", nil, " x"},
		{"plain", nil, "--parses plain: want TEXT=FILE, the text file and what belongs to its lines"},
	} {
		text, path, err := TextAndFile("--parses", tt.value, tt.given)
		got := text + " " + path
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s with %q: %s, want %s", tt.value, tt.given, got, tt.want)
		}
	}
}
