package score_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/score"
	"github.com/mteval/mteval/files"
)

// What score prints as TSV is read again, whatever stands beside the scores and however the
// systems are called.
func TestScoreTSVRead(t *testing.T) {
	dir := t.TempDir()
	names := []string{"aspen", `b\ch`, "birch\x1b", `b\t`, "ü"}
	var paths []string
	human := "system\tscore\n"
	for i, n := range names {
		text, err := os.ReadFile(clitest.Sample + "sys/" + []string{"aspen", "birch", "cedar", "dogwood", "elder"}[i] + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, n)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Skip("the file system does not take the name: ", err)
		}
		paths = append(paths, path)
		human += n + "\t" + strings.Repeat("9", 5-i) + "\n"
	}
	clitest.Write(t, dir+"/human.tsv", human)
	for _, options := range []string{"", "--confidence --confidence-n 9", "--paired bs --paired-n 9", "--paired ar --paired-n 9", "--paired ar --paired-n 9 --confidence --confidence-n 9 --short", "--sentence-level"} {
		t.Run(options, func(t *testing.T) {
			line := append(clitest.Args("", "score -r $Dref.de -m bleu,chrf++,wordf "+options), paths...)
			table, stderr, status := clitest.Exec(t, append(line, "-f", "tsv", "-w", "12")...)
			if status != 0 || stderr != "" {
				t.Fatalf("status %d, %s", status, stderr)
			}
			width := strings.Count(strings.SplitN(table, "\n", 2)[0], "\t")
			for _, l := range strings.Split(strings.TrimSuffix(table, "\n"), "\n") {
				if strings.Count(l, "\t") != width || strings.ContainsAny(l, "±*") {
					t.Errorf("%q", l)
				}
			}
			clitest.Write(t, dir+"/scores.tsv", table)
			ms, err := files.OpenMetrics(t.Context(), dir+"/scores.tsv", files.Options{})
			if err != nil {
				t.Fatal(err)
			}
			sameAsJSON(t, ms, names, append(line, "-f", "json"))
			got, _ := clitest.RunMeta(t, "--human", dir+"/human.tsv", "--scores", dir+"/scores.tsv", "--samples", "0")
			if len(got.Systems) != len(names) || len(got.Metrics) != 3 {
				t.Errorf("meta has %d systems and %d metrics", len(got.Systems), len(got.Metrics))
			}
		})
	}
}

// sameAsJSON compares the means that were read with the scores of score's JSON.
func sameAsJSON(t *testing.T, ms []files.MetricScores, names, line []string) {
	t.Helper()
	stdout, _, _ := clitest.Exec(t, line...)
	var out score.JSON
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Results) != len(ms)*len(names) {
		t.Fatalf("%d results, %d metrics were read", len(out.Results), len(ms))
	}
	for _, r := range out.Results {
		m := slices.IndexFunc(ms, func(m files.MetricScores) bool { return m.Name == r.Metric })
		k := slices.Index(ms[m].Scores.Systems, r.System)
		want := []float64{r.Score}
		if len(r.Segments) > 0 {
			want = nil
			for _, s := range r.Segments {
				want = append(want, s.Score)
			}
		}
		if ms[m].SystemsOnly != (len(r.Segments) == 0) {
			t.Errorf("%s: scores of systems: %v", r.Metric, ms[m].SystemsOnly)
		}
		n := len(ms[m].Scores.Items)
		for i, w := range want {
			if got := ms[m].Scores.Values[k*n+i]; n != len(want) || math.Abs(got-w) > 1e-9 {
				t.Errorf("%s of %q, segment %d of %d: %v, want %v", r.Metric, r.System, i+1, n, got, w)
			}
		}
	}
}
