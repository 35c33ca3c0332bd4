//go:build linux

package root_test

import (
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/internal/shareddata"
)

// scripts/check_comet.sh compares with published scores, here those that unbabel-comet gave.
func TestCheckCOMET(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command, and -short is given")
	}
	for _, program := range []string{"sh", "awk"} {
		if _, err := osexec.LookPath(program); err != nil {
			t.Skip("no ", program, " here")
		}
	}
	var recorded struct {
		Texts []struct{ Src, MT, Ref string }
		Cases []struct {
			Name, HParams string
			Scores        []float64
		}
	}
	shareddata.ReadJSON(t, clitest.CometModels+"expected.json", &recorded)
	scores := make(map[string][]float64)
	for _, c := range recorded.Cases {
		if c.HParams == "" {
			scores[c.Name] = c.Scores
		}
	}
	dir := t.TempDir()
	command := filepath.Join(dir, "mteval")
	if out, err := osexec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	texts := make(map[string]string)
	for i, text := range recorded.Texts {
		if strings.ContainsAny(text.Src+text.MT+text.Ref, "\r\n") {
			continue
		}
		texts["sources/en-de.txt"] += text.Src + "\n"
		texts["references/en-de.refA.txt"] += text.Ref + "\n"
		texts["system-outputs/en-de/a system.txt"] += text.MT + "\n"
		for name, model := range map[string]string{"COMET-refA": "wmt22", "Kiwi-src": "kiwi"} {
			texts["metric-scores/en-de/"+name+".seg.score"] += fmt.Sprintf("a system\t%.5f\n", scores[model][i])
		}
	}
	texts["metric-scores/en-de/wrong-refA.seg.score"] = strings.Replace(texts["metric-scores/en-de/COMET-refA.seg.score"], "\t", "\t1", 1)
	texts["metric-scores/en-de/short-src.seg.score"] = strings.SplitAfter(texts["metric-scores/en-de/Kiwi-src.seg.score"], "\n")[0]
	texts["metric-scores/en-de/none-refA.seg.score"] = "another\t1\n"
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, name), text)
	}
	for _, tt := range []struct {
		model, metric, want string
		status              int
	}{
		{"wmt22", "COMET-refA", "none differs by more than .0001", 0},
		{"kiwi", "Kiwi-src", "none differs by more than .0001", 0},
		{"wmt22", "wrong-refA", "(a system, segment 1: ", 1},
		{"wmt21", "COMET-refA", "differ by more than .0001", 1},
		{"kiwi", "short-src", "segments have no published score", 1},
		{"wmt22", "none-refA", "no output", 2},
		{"wmt22", "missing-refA", "missing-refA.seg.score", 2},
	} {
		c := osexec.Command("sh", "../../scripts/check_comet.sh", clitest.CometModels+tt.model, dir, "en-de", tt.metric)
		c.Env = append(os.Environ(), "MTEVAL="+command, "TOLERANCE=.0001")
		out, _ := c.CombinedOutput()
		if got := c.ProcessState.ExitCode(); got != tt.status || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s %s: status %d, want %d: %s", tt.model, tt.metric, got, tt.status, out)
		}
	}
}
