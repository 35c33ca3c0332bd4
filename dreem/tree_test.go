package dreem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/conllu"
)

func TestReadPenn(t *testing.T) {
	file := `( (S (NP (DT The) (NN cat))
      (VP (VBZ sleeps)
          (-NONE- *T*)) (. .)) )

(X (-LRB- -LRB-))(NP (A a) (B b) (C c))
`
	want := []Tree{
		{Words: []string{"The", "cat", "sleeps", "."}, Merges: [][2]int{{0, 1}, {2, 3}, {4, 5}}, Line: 1},
		{Words: []string{"("}, Line: 5},
		{Words: []string{"a", "b", "c"}, Merges: [][2]int{{1, 2}, {0, 3}}, Line: 5},
	}
	got, err := ReadPenn(strings.NewReader(file), "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOpenPenn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.mrg")
	if _, err := OpenPenn(path); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("%v for a file that is not there", err)
	}
	if err := os.WriteFile(path, []byte("(A (B a) (C c))"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := OpenPenn(path)
	if d := cmp.Diff([]Tree{{Words: []string{"a", "c"}, Merges: [][2]int{{0, 1}}, Line: 1}}, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

func TestReadPennErrors(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"(S (A a)\n", "f:2: the file ends within a tree, which starts at line 1"},
		{"\n)", "f:2: a closing bracket"},
		{"(A a) b", `f:1: "b" outside of a tree`},
		{"(A a b)", `f:1: the word "b" without a node of its own`},
		{"(A a (B b))", `f:1: a node within that of the word "a"`},
		{"(A)", "f:1: a tree without words"},
		{"()", "f:1: a tree without words"},
		{"(A \xff)", "f:1: bytes that are not UTF-8"},
	} {
		if _, err := ReadPenn(strings.NewReader(tt.file), "f"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.file, err, tt.want)
		}
	}
}

func FuzzReadPenn(f *testing.F) {
	f.Add("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)) (. .))")
	f.Add("((A a))(B -RRB-)")
	f.Fuzz(func(t *testing.T, file string) {
		trees, err := ReadPenn(strings.NewReader(file), "f")
		if err != nil {
			return
		}
		for i := range trees {
			if _, err := trees[i].check(nil); err != nil {
				t.Fatalf("%+v: %v", trees[i], err)
			}
		}
	})
}

func TestFromDependencies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		heads []int
		want  [][2]int // nil: an error
	}{
		// the cat(2) sleeps(0) well: cat takes the; sleeps takes cat's node, then well, which
		// is as near but stands right.
		{"projective", []int{2, 3, 0, 3}, [][2]int{{0, 1}, {4, 2}, {5, 3}}},
		{"crossing", []int{3, 4, 0, 3}, [][2]int{{1, 3}, {2, 4}, {0, 5}}},
		{"two roots", []int{0, 0}, [][2]int{{0, 1}}},
		{"ring", []int{2, 1, 0}, nil},
		{"outside", []int{5, 0}, nil},
		{"own", []int{1, 0}, nil},
	} {
		s := conllu.Sentence{Line: 7}
		for i, h := range tt.heads {
			s.Words = append(s.Words, conllu.Word{Form: string(rune('a' + i)), Head: h})
		}
		tree, err := FromDependencies(&s)
		if tt.want == nil {
			if err == nil || !strings.Contains(err.Error(), "line 7") {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if _, err := tree.check(nil); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, tree.Merges); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestTreebank(t *testing.T) {
	trees, err := ReadPenn(strings.NewReader("(S (A I)\n(B 'm))\n(S (C here))\n(S (D you))"), "f")
	if err != nil {
		t.Fatal(err)
	}
	var b Treebank
	if err := b.Add([]string{"I'm here", "", "you"}, trees, "f"); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"I'm here": 2, "": 0, " ": 0, "you": 1} {
		if got, err := b.Trees(ctx, text); err != nil || len(got) != want {
			t.Errorf("%q: %d trees, %v", text, len(got), err)
		}
	}
	if _, err := b.Trees(ctx, "other"); err == nil {
		t.Error("no error for a text that was not added")
	}
	for _, tt := range []struct {
		texts []string
		want  string
	}{
		{[]string{"I'm here", "he"}, `f:4: the tree has "you" where the text of line 2 goes on with "he"`},
		{[]string{"I'm her"}, `f:3: the tree has "here" where the text of line 1 goes on with "her"`},
		{[]string{"I'm here"}, "f:4: a tree after the last text"},
		{[]string{"I'm here", "you", "too"}, "f: the trees end before the text of line 3"},
		{[]string{"I'm here", "you too"}, "f: the trees end before the text of line 2"},
	} {
		if err := new(Treebank).Add(tt.texts, trees, "f"); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.texts, err, tt.want)
		}
	}
}
