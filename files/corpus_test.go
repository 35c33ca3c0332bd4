package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
)

// write writes files into a folder.
func write(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCorpus(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", map[string]string{
		"ref": "one\ntwo\n", "ref2": "eins\r\nzwei", "a.txt": "1\n\n", "b.0": zip(t, "x\ny\n"), "more": "1\n2\n3\n", "less": "1\n", "none": "",
		"other/a.txt": "1\n2\n", "bad": "1\n\xff\n",
	})
	want := &Corpus{
		Refs:    [][]string{{"one", "eins"}, {"two", "zwei"}},
		Systems: []mteval.System{{Name: "a", Hyps: []string{"1", ""}}, {Name: "b.0", Hyps: []string{"x", "y"}}},
	}
	got, err := OpenCorpus(t.Context(), []string{"ref", "ref2"}, []string{"a.txt", "b.0"}, CorpusOptions{})
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Corpus{})); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for _, tt := range []struct{ refs, outputs, want string }{
		{"", "a.txt", "files: no references"},
		{"none", "a.txt", "none: no lines in it"},
		{"ref more", "", "more:3: no such line in ref, which has 2 lines, not 3"},
		{"ref", "less", "less:2: missing line: the file has 1 lines, ref 2"},
		{"ref", "none", "none:1: missing line: the file has 0 lines, ref 2"},
		{"ref", "a.txt ./a.txt", "a.txt and ./a.txt are both outputs of a system a: give one of them another file name, or a name, NAME=./a.txt"},
		{"ref -", "-", "standard input (-) can be only one of the files"},
		{"ref", "bad", "bad:2: byte 1 (0xff) is not valid UTF-8"},
		{"ref", "no", "no: no such file or directory"},
	} {
		if _, err := OpenCorpus(t.Context(), strings.Fields(tt.refs), strings.Fields(tt.outputs), CorpusOptions{}); err == nil || err.Error() != tt.want {
			t.Errorf("%s, %s: %v, want %s", tt.refs, tt.outputs, err, tt.want)
		}
	}
	got, err = NewCorpus([]*Text{{"r", []string{"one", "two"}}, {"r2", []string{"eins", "zwei"}}}, []*Text{{"a.txt", []string{"1", ""}}, {"b.0", []string{"x", "y"}}})
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Corpus{})); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if _, err := NewCorpus([]*Text{{"r", []string{"one"}}}, []*Text{{"a", nil}}); err == nil || err.Error() != "a:1: missing line: the file has 0 lines, r 1" {
		t.Error(err)
	}
}

func TestSystemName(t *testing.T) {
	for in, want := range map[string]string{
		"sys/Facebook_FAIR.6862.txt": "Facebook_FAIR.6862",
		"online-B.0":                 "online-B.0",
		"online-B.0.txt.gz":          "online-B.0",
		"x.gz":                       "x",
		"x.1.gz":                     "x.1",
		"a/b.c/out.de":               "out",
		".hidden":                    ".hidden",
		"dot.":                       "dot.",
		"plain":                      "plain",
		".gz":                        ".gz",
	} {
		if got := SystemName(in); got != want {
			t.Errorf("SystemName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFindFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", map[string]string{
		"d/ref.b": "", "d/ref.a": "", "d/.ref.c": "", "d/src.a": "", "d/ref.d/x": "", "d/sys/b": "", "d/sys/a": "", "d/sys/.c": "", "d/two.tsv.gz": "", "d/three.tsv": "", "d/two.tsv.old": "",
		"noref/sys/a": "", "nosys/ref.a": "", "empty/ref.a": "", "empty/sys/.x": "", "file": "",
	})
	got, err := FindFolder("d", "one.tsv", "two.tsv", "three.tsv")
	j := filepath.Join
	want := &Folder{Name: "d", Refs: []string{j("d", "ref.a"), j("d", "ref.b")}, Outputs: []string{j("d", "sys", "a"), j("d", "sys", "b")}, Human: j("d", "two.tsv.gz")}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for path, want := range map[string]string{
		"d":     "d: nothing of what people said in it: want one.tsv or four.tsv",
		"noref": "noref: no reference in it: want files ref.*",
		"nosys": j("nosys", "sys") + ": no such folder, or it can't be read: ",
		"empty": j("empty", "sys") + ": no outputs in it",
		"file":  "file: no such folder, or it can't be read: ",
		"no":    "no: no such folder, or it can't be read: ",
	} {
		if _, err := FindFolder(path, "one.tsv", "four.tsv"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}
