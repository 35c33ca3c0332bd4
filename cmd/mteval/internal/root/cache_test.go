package root_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/files"
)

// tree is the content of all files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ok runs a command that has to succeed, and returns its output.
func ok(t *testing.T, line string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, status := clitest.Exec(t, clitest.Args("", line)...)
	if status != 0 {
		t.Fatalf("%s: status %d, %s", line, status, stderr)
	}
	return stdout, stderr
}

// With a cache every command prints what it prints without, and says the same: with an empty
// folder, with a full one, with one that is damaged, which is mended, and beside what another
// layer kept.
func TestCache(t *testing.T) {
	const model = "bertscore(backend=transformer,model=" + clitest.Tiny + ",layer="
	for name, line := range map[string]string{
		"score": "score -r $Dref.de --sentence-level $Dsys/cedar.txt $Dsys/elder.txt -m ",
		"rank":  "rank -r $Dref.de --human $Dhuman.tsv --format json -m bleu $Dsys/cedar.txt $Dsys/elder.txt $Dsys/aspen.txt --base ",
		"study": "study -r $Dref.de --human $Dhuman.tsv --samples 20 $Dsys/cedar.txt $Dsys/elder.txt $Dsys/aspen.txt -m bleu -m ",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			want, told := ok(t, line+model+"1)")
			check := func(when, line, want string) {
				t.Helper()
				got, stderr := ok(t, line+",cache="+dir+")")
				if d := cmp.Diff([]string{want, told}, []string{got, stderr}); d != "" {
					t.Errorf("%s (-without a cache +with):\n%s", when, d)
				}
			}
			check("an empty folder", line+model+"1", want)
			full := tree(t, dir)
			if len(full) == 0 {
				t.Fatal("nothing is kept")
			}
			check("a full folder", line+model+"1", want)
			if d := cmp.Diff(full, tree(t, dir)); d != "" {
				t.Errorf("the second run writes (-before +after):\n%s", d)
			}
			n := 0
			for path, data := range full {
				bad := data[:len(data)/2]
				if n++; n%2 == 0 {
					bad = data[:len(data)-50] + "?" + data[len(data)-49:]
				}
				clitest.Write(t, path, bad)
			}
			check("a damaged folder", line+model+"1", want)
			if d := cmp.Diff(full, tree(t, dir)); d != "" {
				t.Errorf("what is damaged is not mended (-before +after):\n%s", d)
			}
			other, _ := ok(t, line+model+"0)")
			check("another layer", line+model+"0", other)
			if n := len(tree(t, dir)); n != 2*len(full) {
				t.Errorf("%d files of two layers, %d of one", n, len(full))
			}
		})
	}
}

// alike has the Info of a model, and one vector for everything.
type alike struct{ backend.Backend }

func (b alike) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	err := b.Backend.Embed(ctx, dst, texts)
	for i := range dst.Data {
		dst.Data[i] = 1
	}
	return err
}

// What a folder has is not computed again: where it has vectors that the model does not
// give, scores are those of these.
func TestCacheIsUsed(t *testing.T) {
	dir := t.TempDir()
	layer := 1
	m, err := transformer.Open(clitest.Tiny, transformer.Options{Layer: &layer})
	if err != nil {
		t.Fatal(err)
	}
	c, err := cache.New(alike{m}, cache.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ref.de", "sys/elder.txt"} {
		f, err := files.OpenText(t.Context(), clitest.Sample+name, files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Embed(t.Context(), new(backend.Batch), f.Lines); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	line := "score -r $Dref.de -b $Dsys/elder.txt -m bertscore(backend=transformer,layer=1,model=" + clitest.Tiny
	if got, _ := ok(t, line+",cache="+dir+")"); got != "1.0000\n" {
		t.Errorf("score %s, want 1.0000", got)
	}
	if got, _ := ok(t, line+")"); got == "1.0000\n" {
		t.Error("the model's own score is 1 as well")
	}
	if d := cmp.Diff(before, tree(t, dir)); d != "" {
		t.Errorf("files (-before +after):\n%s", d)
	}
}

func TestCacheErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	clitest.Write(t, file, "")
	score := "score -r $Dref.de $Dsys/elder.txt"
	model := " -m bertscore(backend=transformer,layer=1,model=" + clitest.Tiny
	for line, want := range map[string]string{
		score + " -m bleu(cache=x)":                       `no option of bleu "cache"`,
		score + " -m bertscore(cache=x)":                  "bertscore(cache) is an option of backend=transformer",
		score + model + ",cache=)":                        "bertscore(cache): name a folder",
		score + model + ",cache=" + file + ")":            "bertscore(cache): cache: mkdir " + file,
		score + model + "x,cache=" + dir + ")":            "neither a folder nor",
		"tune -m meteor(cache=" + dir + ") --data x -o y": `no option of meteor "cache"`,
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", line)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s, want %q", line, status, stderr, want)
		}
	}
	// What can't be written is told, and no reason to give no score.
	full := t.TempDir()
	for i := range 256 {
		const hex = "0123456789abcdef"
		clitest.Write(t, filepath.Join(full, string([]byte{hex[i/16], hex[i%16]})), "")
	}
	want, told := ok(t, score+model+")")
	got, stderr := ok(t, score+model+",cache="+full+")")
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if rest, found := strings.CutPrefix(stderr, told); !found || !strings.Contains(rest, "warning: cache "+full+": cache: no more was kept") || bytes.Count([]byte(rest), []byte("\n")) != 1 {
		t.Errorf("told %s", stderr)
	}
}
