package root_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/internal/shareddata"
)

// numberedValue is the score of a system, 0 or 1, on one of six segments, from 0.
func numberedValue(system, i int) int { return (7*i*i + 5*system*(i+1)) % 11 }

// numberedFiles writes scores of two systems on six segments, numbered from 0 or 1, and their texts.
// People's scores are the metric's negated.
func numberedFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	each := func(without int, line func(system string, i, value int) string) string {
		var b strings.Builder
		for k, system := range []string{"a", "b"} {
			for i := range 6 {
				if i != without {
					b.WriteString(line(system, i, numberedValue(k, i)))
				}
			}
		}
		return b.String()
	}
	table := func(first, sign, without int) string {
		return each(without, func(system string, i, value int) string {
			return fmt.Sprintf("%s\t%d\t%d\n", system, i+first, sign*value)
		})
	}
	metricX := func(first, without, text int) string {
		return each(without, func(system string, i, value int) string {
			texts := ""
			if text >= 0 {
				texts = fmt.Sprintf(`, "source": "source %d", "hypothesis": "%s %d"`, i+text, system, i+text)
			}
			return fmt.Sprintf("{\"system_id\": %q, \"segment_id\": %d, \"prediction\": %d%s}\n", system, i+first, value, texts)
		})
	}
	wide := func(decimals string, without ...int) (out string) {
		for i := range 6 {
			if !slices.Contains(without, i) {
				out = fmt.Sprintf("%d%s,%d,%d\n", i, decimals, numberedValue(0, i), numberedValue(1, i)) + out
			}
		}
		return out
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte(metricX(0, -1, -1))); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	line := func(of string) (out string) {
		for i := range 6 {
			out += fmt.Sprintf("%s %d\n", of, i+1)
		}
		return out
	}
	for name, text := range map[string]string{
		"human1.tsv": table(1, -1, -1), "human0.tsv": table(0, -1, -1), "some.tsv": table(1, -1, 4),
		"m1.tsv": table(1, 1, -1), "m0.tsv": table(0, 1, -1), "gap0.tsv": table(0, 1, 3), "no0.tsv": table(0, 1, 0),
		"x0.jsonl": metricX(0, -1, -1), "x1.jsonl": metricX(1, -1, -1), "x0no0.jsonl": metricX(0, 0, -1), "x0no5.jsonl": metricX(0, 5, -1),
		"texts.jsonl": metricX(1, 5, 1), "shifted.jsonl": metricX(3, 5, 1), "x0.jsonl.gz": zipped.String(),
		"source.txt": line("source"), "a.txt": line("a"), "b.txt": line("b"),
		// As pandas writes them, of which segment 0 or another is missing.
		"index.csv": ",a,b\n" + wide("", 0), "index3.csv": ",a,b\n" + wide("", 0, 3), "merged.csv": "segment,a,b\n" + wide(".0", 3),
		"labels": "1\n2\n3\n4\n5\n6\n", "list0": "0\n2\n", "list1": "1\n3\n",
	} {
		clitest.Write(t, dir+"/"+name, text)
	}
	return dir
}

// People's scores and a metric's are of the same segments, whatever these are called.
func TestNumberingMeta(t *testing.T) {
	dir := numberedFiles(t)
	for _, tt := range []struct{ human, scores, wrong string }{
		{"human1", "x0.jsonl", ""},
		{"human1", "x1.jsonl", ""},
		{"human1", "x0no0.jsonl", ""},
		{"human1", "x0no5.jsonl", ""},
		{"human1", "x0.jsonl.gz", ""},
		{"human1", "m0.tsv", ""},
		{"human1", "x1.jsonl --first-segment 1", ""},
		{"human1", "no0.tsv --first-segment 0", ""},
		{"human1", "gap0.tsv --first-segment 0", ""},
		{"human1", "gap0.tsv", "can be read in two ways"},
		{"human1", "x0.jsonl --first-segment 2", "--first-segment"},
		{"some", "x0.jsonl", ""},
		{"some", "m0.tsv", "(--first-segment)"},
		{"human0", "x0.jsonl", ""},
		{"human0", "x1.jsonl", ""},
		{"human0", "m0.tsv", ""},
		{"human0", "m1.tsv", ""},
	} {
		line := "meta --level segment --threshold 0 --samples 0 --group none -f tsv --human $T/" + tt.human + ".tsv --scores $T/" + tt.scores
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...)
		if tt.wrong != "" {
			if status != 2 || !strings.Contains(stderr, tt.wrong) {
				t.Errorf("%s: status %d, %s, want %q", line, status, stderr, tt.wrong)
			}
			continue
		}
		rows := strings.Split(stdout, "\n")
		at := slices.Index(strings.Split(rows[0], "\t"), "pearson")
		if status != 0 || at < 0 {
			t.Errorf("%s: status %d, %s", line, status, stderr)
			continue
		}
		// Perfect, in one direction or the other.
		if v := strings.Split(rows[1], "\t")[at]; strings.TrimPrefix(v, "-") != "1.000000" {
			t.Errorf("%s: Pearson's correlation is %v, want 1", line, v)
		}
	}
}

// A segment has its texts and its label, whatever it is called.
func TestNumberingCompare(t *testing.T) {
	dir := numberedFiles(t)
	const texts = " --source $T/source.txt --outputs $T/a.txt --outputs $T/b.txt --labels $T/labels"
	for scores, wrong := range map[string]string{
		"x0.jsonl":                     "",
		"x1.jsonl":                     "",
		"x0no0.jsonl":                  "",
		"x0no5.jsonl":                  "",
		"x0.jsonl.gz":                  "",
		"m0.tsv":                       "",
		"m1.tsv":                       "",
		"gap0.tsv":                     "",
		"no0.tsv --first-segment 0":    "",
		"texts.jsonl":                  "", // which say that it is from 1
		"merged.csv":                   "",
		"no0.tsv":                      "no0.tsv: its numbers of segments can be read in two ways",
		"index.csv":                    "index.csv: its numbers of segments can be read in two ways",
		"index3.csv":                   "index3.csv: its numbers of segments can be read in two ways",
		"index3.csv --first-segment 0": "",
		"m0.tsv --first-segment 1":     "m0.tsv: it has a segment 0",
		"shifted.jsonl":                "shifted.jsonl:1: segment 3 has the source of line 1 of",
	} {
		line := "--decide a,b --scores $T/" + scores + texts
		if wrong != "" {
			if _, stderr, status := clitest.Exec(t, append([]string{"compare"}, clitest.Args(dir, line)...)...); status != 2 || !strings.Contains(stderr, wrong) {
				t.Errorf("%s: status %d, %s, want %q", line, status, stderr, wrong)
			}
			continue
		}
		got := clitest.ComparedOf(t, clitest.Args(dir, line)...).Metrics[0]
		for _, x := range got.Decision {
			if x.Source == "" { // of those that are shown alone
				continue
			}
			i, err := strconv.Atoi(strings.TrimPrefix(x.Source, "source "))
			of := map[string]float64{x.System: x.Score, x.Other: x.OtherScore}
			texts := map[string]string{x.System: x.Output, x.Other: x.OtherOutput}
			if err != nil || of["a"] != float64(numberedValue(0, i-1)) || of["b"] != float64(numberedValue(1, i-1)) || texts["a"] != fmt.Sprint("a ", i) {
				t.Errorf("%s: segment %s has %+v", scores, x.Segment, x)
			}
		}
		for _, g := range got.Groups {
			i, err := strconv.Atoi(g.Group)
			if err != nil || g.Mean != float64(numberedValue(int(g.System[0]-'a'), i-1)) {
				t.Errorf("%s: label %s has %+v", scores, g.Group, g)
			}
		}
	}
}

// Segments are chosen, and methods judged, by the scores that are theirs.
func TestNumberingSelect(t *testing.T) {
	dir := numberedFiles(t)
	of := func(line string) string {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "select "+line)...)
		if status != 0 {
			t.Errorf("%s: status %d, %s", line, status, stderr)
		}
		return stdout
	}
	const texts = " --source $T/source.txt $T/a.txt $T/b.txt"
	want := of("-n 2 --method variance --scores $T/m1.tsv" + texts)
	for _, scores := range []string{"x0.jsonl", "x1.jsonl", "m0.tsv"} {
		if d := cmp.Diff(want, of("-n 2 --method variance --scores $T/"+scores+texts)); d != "" {
			t.Errorf("%s (-want +got):\n%s", scores, d)
		}
	}
	want = of("-n 2 --method variance --after $T/list1 --scores $T/m1.tsv" + texts)
	if d := cmp.Diff(want, of("-n 2 --method variance --after $T/list0 --scores $T/m1.tsv"+texts)); d != "" {
		t.Errorf("a list from 0 (-want +got):\n%s", d)
	}
	const evaluate = "--evaluate --choices 20 --method variance -f json --human $T/"
	want = strings.Split(of(evaluate+"human1.tsv --scores $T/m1.tsv"+texts), `"metrics"`)[0]
	for _, line := range []string{
		"human0.tsv --scores $T/m1.tsv" + texts, "human1.tsv --scores $T/x0.jsonl" + texts, "human0.tsv --scores $T/x0.jsonl" + texts,
		"human1.tsv --scores $T/x0.jsonl", "human0.tsv --scores $T/x1.jsonl", "human0.tsv --scores $T/m0.tsv", "human1.tsv --scores $T/m0.tsv",
	} {
		got := of(evaluate + line)
		curves := func(out string) string { _, c, _ := strings.Cut(out, `"systems"`); return c }
		if a, b := curves(want), curves(got); a == "" || !strings.HasPrefix(b, a[:min(len(a), 400)]) {
			t.Errorf("%s:\n%s\nwant\n%s", line, got, want)
		}
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "select -n 2 --method variance --scores $T/gap0.tsv --scores $T/m1.tsv")...); status != 2 || !strings.Contains(stderr, "can be read in two ways") {
		t.Errorf("a gap: status %d, %s", status, stderr)
	}
}

// The tree that mt-metrics-eval's segments are in, and MetricX's of them.
func TestNumberingShared(t *testing.T) {
	dir := t.TempDir()
	untar(t, shareddata.Path(t, "cases", "files-3", "tree_mt.tgz"), dir)
	at := filepath.Dir(shareddata.Path(t, "cases", "files-3", "mt0.jsonl"))
	for _, line := range []string{
		"--human $S/hz.tsv --threshold 0 --scores $S/mz0.jsonl", "--human $S/hz.tsv --threshold 0 --scores $S/mz1.jsonl",
		"--mtme $T/mt --set wmt24 --lp en-cs --human-score esa --reference refA --scores $S/mt0.jsonl",
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "meta --level segment --samples 0 -f tsv --lower-is-better MetricX "+strings.ReplaceAll(line, "$S", at))...)
		for row := range strings.Lines(stdout) {
			if strings.HasPrefix(row, "MetricX\t") && strings.Count(row, "\t1.0000") < 5 {
				t.Errorf("%s: %s", line, stdout)
			}
		}
		if status != 0 || !strings.Contains(stdout, "MetricX\t") {
			t.Errorf("%s: status %d, %s%s", line, status, stdout, stderr)
		}
	}
	line := strings.ReplaceAll("--scores $S/mx0_no0.jsonl --source $S/src.txt -r $S/ref.txt --outputs $S/a.txt --outputs $S/b.txt --labels $S/lab.txt --decide a,b --segments 1", "$S", at)
	got := clitest.ComparedOf(t, clitest.Args(dir, line)...).Metrics[0]
	if x := got.Decision[0]; x.Segment != "3" || x.Source != "source line 3" || map[string]string{x.System: x.Output, x.Other: x.OtherOutput}["a"] != "output a line 3" {
		t.Errorf("%+v", x)
	}
	means := make(map[string]float64)
	for _, g := range got.Groups {
		means[g.Group+" "+g.System] = g.Mean
	}
	if d := cmp.Diff(map[string]float64{"news a": 1, "news b": 1.5, "speech a": 3.25, "speech b": 1.375}, means); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// untar unpacks a tree.
func untar(t *testing.T, path, dir string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, h.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, to, string(data))
	}
}
