package mteval_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
)

// A rolloutStep is what the loop of docs/embedding.md gets of a program.
type rolloutStep struct {
	segments   []int
	hypotheses []string
	rewards    []float64
}

func rewardLoop(ctx context.Context, scorer mteval.Scorer, refs [][]string, steps []rolloutStep) error {
	prepared, err := scorer.Prepare(ctx, refs) // once
	if err != nil {
		return err
	}
	width := scorer.Width()
	var rows []float64
	for _, step := range steps {
		rows, err = prepared.Append(ctx, rows[:0], step.segments, step.hypotheses)
		if err != nil {
			return err
		}
		for k := range step.hypotheses {
			step.rewards[k] = scorer.Score(rows[k*width : (k+1)*width])
		}
	}
	return nil
}

func refuseLong(ctx context.Context, prepared mteval.Prepared, segments []int, hypotheses []string) {
	rows, err := prepared.Append(ctx, nil, segments, hypotheses)
	var at *mteval.SegmentError
	if errors.Is(err, mteval.ErrTooLong) && errors.As(err, &at) {
		// hypotheses[at.Index] belongs to references at.Segment: give it the worst reward, and
		// the others again.
		fmt.Println(at.Index, at.Segment, len(rows))
	}
}

// The pieces of docs/embedding.md, which stand above.
func Example_embedding() {
	ctx := context.Background()
	scorer, err := bleu.New(bleu.Options{MaxTokens: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	refs := [][]string{{"It was raining, so we stayed."}, {"We stayed because it was raining."}}
	step := rolloutStep{[]int{1, 0}, []string{"We stayed because it was raining.", "No."}, make([]float64, 2)}
	if err := rewardLoop(ctx, scorer, refs, []rolloutStep{step, step}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0f\n", step.rewards)
	prepared, err := scorer.Prepare(ctx, refs)
	if err != nil {
		fmt.Println(err)
		return
	}
	refuseLong(ctx, prepared, []int{0, 1}, []string{"No.", rollout(2000)})
	// Output:
	// [100 0]
	// 1 1 0
}

// goBlocks are the blocks of Go of docs/embedding.md.
func goBlocks(t *testing.T) []string {
	t.Helper()
	var blocks []string
	for _, rest := range strings.Split(readFile(t, "docs/embedding.md"), "\n```go\n")[1:] {
		block, _, ended := strings.Cut(rest, "```\n")
		if !ended {
			t.Fatal("a block without end")
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// Every piece of Go in docs/embedding.md is run: in a function above, or as a file of the
// module, of which two are the example's.
func TestEmbeddingBlocks(t *testing.T) {
	unindented := func(s string) string {
		var out []string
		for line := range strings.Lines(s) {
			out = append(out, strings.TrimSpace(line))
		}
		return strings.Join(out, "\n")
	}
	here := unindented(readFile(t, "embedding_test.go"))
	var files []string
	for _, block := range goBlocks(t) {
		if strings.HasPrefix(block, "package main\n") {
			files = append(files, block)
		} else if !strings.Contains(here, unindented(block)) {
			t.Errorf("this is not in embedding_test.go:\n%s", block)
		}
	}
	if len(files) != 3 {
		t.Fatalf("%d files, want metric.go, metric_test.go and main.go", len(files))
	}
	for i, name := range []string{"metric.go", "metric_test.go"} {
		if d := cmp.Diff(readFile(t, filepath.Join("examples/custommetric", name)), files[i]); d != "" {
			t.Errorf("%s (-examples/custommetric +docs/embedding.md):\n%s", name, d)
		}
	}
}

// The metric of docs/embedding.md is a module of its own that builds, keeps the contract and
// runs, with nothing but that page and this module.
func TestEmbeddingModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module, which -short leaves out")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs the go command, which is not on PATH")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"metric.go", "metric_test.go", "main.go"}
	for _, block := range goBlocks(t) {
		if strings.HasPrefix(block, "package main\n") && len(names) > 0 {
			write(names[0], block)
			names = names[1:]
		}
	}
	write("go.sum", readFile(t, "go.sum"))
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), goCommand, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("mod", "init", "example.org/custommetric")
	run("mod", "edit", "-require", module+"@v0.0.0", "-replace", module+"="+here)
	// aspen: 3 words for 6, and 3 for the closest 2, (3+1)/(6+2); birch: none, and 5 for 6, 1/12.
	if d := cmp.Diff("aspen 0.500\nbirch 0.083\n", run("run", ".")); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	run("vet", ".")
	run("test", ".")
}
