//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package root_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
)

// Whatever is a pipe that nobody writes to, or reads, does not hold up a signal.
func TestPipesInterrupted(t *testing.T) {
	dir := levelsFiles(t)
	clitest.JudgedFolder(t, dir+"/one", 8, 1)
	clitest.JudgedFolder(t, dir+"/stuck", 8, 1)
	clitest.Write(t, dir+"/human.tsv", "hyp\t1\n")
	const score = "score -r $T/ref $T/hyp "
	lines := []string{
		"score -r $T/pipe $T/hyp", "score -r $T/ref $T/pipe",
		score + "-m meteor --parameters $T/pipe", score + "-m meteor(jar=$T/pipe)", score + "-m meteor(paraphrases=$T/pipe)",
		score + "-m meteor(function-words=$T/pipe)", score + "-m meteor(new=$T/new)",
		score + "-m dreem(model=$T/pipe)", score + "-m dreem(vectors=$T/pipe)", score + "-m dreem(autoencoder=$T/pipe)",
		score + "-m dreem(trees=$T/ref=$T/pipe)", score + "-m dreem --parses $T/ref=$T/pipe", score + "-m dreem --parses $T/pipe=$T/ref.conllu",
		score + "-m bertscore(backend=transformer,model=../../backend/transformer/testdata/bert,layer=1,baseline=$T/pipe)",
		score + "--paired bs --calibration $T/pipe",
		"rank -r $T/ref $T/ref $T/hyp --human $T/pipe", "rank -r $T/ref $T/ref $T/hyp --html $T/pipe", "rank -r $T/ref $T/ref $T/hyp --segments-format tsv --segments $T/pipe",
		"study -r $T/ref $T/hyp --human $T/pipe",
		"meta --human $T/pipe --human-format pairs --scores $T/human.tsv",
		"meta --human $T/human.tsv --scores $T/pipe", "meta --human-system $T/pipe --scores $T/human.tsv",
		"meta --human $Dhuman.tsv --scores " + clitest.MetaSample + "systems.tsv --html $T/pipe",
		"tune -r $T/pipe --human $T/human.tsv $T/hyp", "tune --objective pearson --data $T/pipe",
		"stream $T/pipe", "stream $T/ref -o $T/pipe --no-header --hypothesis 1 -r 1",
		"calibrate $T/stuck", "calibrate $T/one -m bleu -o $T/pipe", "calibrate $T/one -m bleu --svg $T/pipe",
		"tune --data $T/one --restarts 1 --folds 1 --evaluations 10 --fit alpha -o $T/pipe",
	}
	for _, name := range []string{"new/function.words", "stuck/sys/s4.txt"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := clitest.MakePipe(filepath.Join(dir, name)); err != nil {
			t.Skip("no named pipes here: ", err)
		}
	}
	before := slices.Sorted(maps.Keys(clitest.Snapshot(t, dir)))
	for i, line := range lines {
		line = strings.ReplaceAll(line, "$T/pipe", fmt.Sprintf("$T/pipe%d", i))
		if err := clitest.MakePipe(fmt.Sprintf("%s/pipe%d", dir, i)); err != nil {
			t.Fatal(err)
		}
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			var out, err strings.Builder
			done := make(chan int, 1)
			go func() { done <- root.Run(ctx, clitest.Args(dir, line), &out, &err) }()
			time.AfterFunc(300*time.Millisecond, cancel)
			select {
			case status := <-done:
				if status != root.Interrupted || out.Len() > 0 {
					t.Errorf("status %d, %s%s", status, out.String(), err.String())
				}
			case <-time.After(time.Minute):
				t.Error("it goes on for a minute")
			}
		})
	}
	t.Cleanup(func() {
		if d := cmp.Diff(before, slices.Sorted(maps.Keys(clitest.Snapshot(t, dir)))); d != "" {
			t.Errorf("files left behind:\n%s", d)
		}
	})
}
