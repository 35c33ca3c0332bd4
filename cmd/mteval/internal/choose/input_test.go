package choose_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// twoSystemTree writes a folder of mt-metrics-eval with two systems, and two references, of which one
// is among the outputs.
func twoSystemTree(t *testing.T, set string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), set)
	for name, text := range map[string]string{
		"sources/en-de.txt":                     "one\ntwo two\nthree\n",
		"documents/en-de.docs":                  "news\td1\nnews\td1\nchat\td2\n",
		"references/en-de.refA.txt":             "eins\nzwei\ndrei\n",
		"references/en-de.refB.txt":             "ein\nzwo\nder dritte\n",
		"system-outputs/en-de/x.txt":            "eins\nzwei\ndrei\n",
		"system-outputs/en-de/y.txt":            "eins\nzwo\nder dritte\n",
		"system-outputs/en-de/refA.txt":         "eins\nzwei\ndrei\n",
		"human-scores/en-de.mqm.seg.score":      "x\t0\nx\t-1\nx\tNone\ny\t0\ny\t-5\ny\tNone\nrefA\t0\nrefA\t0\nrefA\t0\n",
		"metric-scores/en-de/m-refA.seg.score":  "x\t1\nx\t1\nx\t1\ny\t1\ny\t.5\ny\t-1\n",
		"metric-scores/en-de/q-src.seg.score":   "x\t1\nx\t1\nx\t1\ny\t9\ny\t1\ny\t1\nrefA\t1\nrefA\t1\nrefA\t1\n",
		"metric-scores/en-de/bad-src.seg.score": "x\t1\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, path, text)
	}
	return dir
}

// The variance of m is (0, 1/16, 1), and of q (16, 0, 0): the first chooses 3, 2, 1, the second 1.
// Outputs are alike for the first segment, and have no word in common for the others.
func TestSelectTree(t *testing.T) {
	for _, set := range []string{"wmt23", "wmt99"} {
		dir := twoSystemTree(t, set)
		for line, want := range map[string]string{
			"-n 3 --method variance:m-refA":                     "3 2 1",
			"-n 1 --method variance:q-src":                      "1",
			"-n 2 --method variance:m-refA --whole-documents":   "3",
			"--words 2 --method variance:m-refA":                "3 1",
			"-n 3 --method diversity":                           "2 3 1",
			"-n 1 --method variance:q-src+.001*variance:m-refA": "1",
		} {
			got := chosenJSON(t, append(strings.Fields("select -f json --lp en-de --mtme "+dir), strings.Fields(line)...)...)
			if s := strings.Join(chosenSegments(got), " "); s != want || !slices.Equal(got.Systems, []string{"x", "y"}) {
				t.Errorf("%s: %s: %s of %v, want %s", set, line, s, got.Systems, want)
			}
		}
		// People judged two segments.
		c := curvesOf(t, strings.Fields("select --evaluate -f json --choices 5 --method variance:m-refA --lp en-de --mtme "+dir)...)
		if c.Segments != 2 || c.Systems != 2 {
			t.Errorf("%+v", c)
		}
		for line, want := range map[string]string{
			"-n 1 --method variance:m":                     `no scores of a metric "m": have chrf, bad-src, m-refA, q-src`,
			"-n 1 --method variance:bad-src":               "bad-src.seg.score",
			"-n 1 --human-score da":                        "da",
			"-n 1 -o " + dir + "/sources/en-de.txt -f csv": "also the file of --mtme",
		} {
			_, stderr, status := clitest.Exec(t, append(strings.Fields("select --lp en-de --mtme "+dir), strings.Fields(line)...)...)
			if status != 2 || !strings.Contains(stderr, want) {
				t.Errorf("%s: status %d, %s", line, status, stderr)
			}
		}
	}
}
