package meta_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/meta"
)

// levelTree is a tree whose people judged c as a system only, and d by segments only.
func levelTree(t *testing.T) (dir, set string) {
	t.Helper()
	dir = t.TempDir()
	set = dir + "/wmt23/"
	repeat := func(text string) string { return strings.Repeat(text+"\n", 3) }
	files := map[string]string{
		"sources/en-de.txt":                          repeat("one"),
		"documents/en-de.docs":                       repeat("news\td1"),
		"human-scores/en-de.mqm.sys.score":           "a\t-1\nb\t-2\nc\t-3\nd\tNone\n",
		"human-scores/en-de.mqm.seg.score":           "d\t-4\nd\t-1\nd\t0\na\t-1\na\t-2\na\t0\nb\t-2\nb\t-4\nb\tNone\nc\tNone\nc\tNone\nc\tNone\n",
		"metric-scores/en-de/A.x-refA.seg.score":     "",
		"metric-scores/en-de/B-refB.seg.score":       "",
		"metric-scores/en-de/AB-refA.refB.seg.score": "",
	}
	for _, system := range []string{"a", "b", "c", "d"} {
		files["system-outputs/en-de/"+system+".txt"] = repeat(system)
		for name := range files {
			if strings.HasPrefix(name, "metric-scores/") {
				files[name] += fmt.Sprintf("%[1]s\t1\n%[1]s\t2\n%[1]s\t%[2]d\n", system, 1+system[0]-'a')
			}
		}
	}
	for _, ref := range []string{"refA", "refB"} {
		files["references/en-de."+ref+".txt"] = repeat(ref)
	}
	for name := range files {
		if sys, ok := strings.CutSuffix(name, ".seg.score"); ok && strings.HasPrefix(name, "metric-scores/") {
			files[sys+".sys.score"] = "a\t1\nb\t2\nc\t3\nd\t4\n"
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(set+name[:strings.LastIndexByte(name, '/')], 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, set+name, text)
	}
	return dir, set
}

// Systems are those that have human scores of the level, as mt-metrics-eval has it.
func TestMetaTreeSystemsOfLevel(t *testing.T) {
	dir, set := levelTree(t)
	for level, want := range map[string]string{
		"system": "compared: 3 systems by", "document": "compared: 3 systems, 3 pairs",
		"segment": "compared: 3 systems, 7 pairs", // of a, b and d, and the last of a and d
	} {
		text, stderr, status := clitest.Exec(t, "meta", "--samples", "0", "--mtme", dir, "--lp", "en-de", "--level", level)
		if status != 0 || !strings.Contains(text, want) || strings.Contains(stderr, "no segment on which both") {
			t.Errorf("%s: %s%s, want %s", level, text, stderr, want)
		}
	}
	got, _ := clitest.RunMeta(t, "--samples", "0", "--mtme", dir, "--lp", "en-de")
	if len(got.Systems) != 3 || got.Systems[2].System != "c" {
		t.Errorf("%+v", got.Systems)
	}
	// No score of segments but None: those of systems are judged still.
	none := strings.NewReplacer("a\t-1", "a\tNone", "a\t-2", "a\tNone", "a\t0", "a\tNone")
	clitest.Write(t, set+"human-scores/en-de.mqm.seg.score", none.Replace("a\t-1\na\t-2\na\t0\n"))
	got, _ = clitest.RunMeta(t, "--samples", "0", "--mtme", dir, "--lp", "en-de")
	if len(got.Systems) != 3 {
		t.Errorf("%+v", got.Systems)
	}
}

// A metric of two references is judged where both are looked at.
func TestMetaTreeSeveralReferences(t *testing.T) {
	dir, _ := levelTree(t)
	for line, want := range map[string]string{
		"refA": "A.x", "refB": "B", "refA,refB": "A.x-refA AB-refA.refB B-refB", "all": "A.x-refA AB-refA.refB B-refB",
	} {
		got, _ := clitest.RunMeta(t, "--samples", "0", "--mtme", dir, "--lp", "en-de", "--reference", line)
		var names []string
		for _, m := range got.Metrics {
			names = append(names, m.Metric)
		}
		slices.Sort(names)
		if strings.Join(names, " ") != want {
			t.Errorf("%s: %v, want %s", line, names, want)
		}
	}
}

// A metric is no replacement of another that used another reference.
func TestMetaTreeWriteOther(t *testing.T) {
	dir := t.TempDir()
	tree := copyTree(t)
	clitest.Write(t, dir+"/chrF.tsv", "Alpha\t1\nBeta\t2\nGamma\t3\nDelta\t4\nEpsilon\t5\nrefA\t6\n")
	_, stderr, status := clitest.Exec(t, clitest.Args(dir, "meta --samples 0 --lp en-de --write src --overwrite --scores $T/chrF.tsv --mtme "+tree)...)
	if status == 0 || !strings.Contains(stderr, "the tree has a metric chrF already: give it another name") || strings.Contains(stderr, "--overwrite") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// Raters in several files are those of one file that names them: of segment 2 the mean of −5
// and −1, and of the others what the one rater marked.
func TestMetaTreeRaters(t *testing.T) {
	dir, set := levelTree(t)
	error5 := `{"errors": [{"start": 0, "end": 1, "category": "style", "severity": "major", "score": 5, "is_source_error": false}]}`
	error1 := strings.NewReplacer("5", "1", "major", "minor").Replace(error5)
	first, second := "", ""
	for _, s := range []string{"a", "b"} {
		first += s + "\t" + error1 + "\n" + s + "\t" + error5 + "\n" + s + "\tNone\n"
		second += s + "\tNone\n" + s + "\t" + error1 + "\n" + s + "\t{\"errors\": []}\n"
	}
	clitest.Write(t, set+"human-scores/en-de.mqm.1.seg.rating", first)
	clitest.Write(t, set+"human-scores/en-de.mqm.2.seg.rating", second)
	named := strings.ReplaceAll(first, "\n", "\tx\n") + strings.ReplaceAll(second, "\n", "\ty\n")
	clitest.Write(t, set+"human-scores/en-de.all.seg.rating", named)
	for _, ratings := range []string{"mqm.*", "mqm.1,mqm.2", "all", "*.1,*.2"} {
		got, _ := clitest.RunMeta(t, "--samples", "0", "--mtme", dir, "--lp", "en-de", "--ratings", ratings)
		want := meta.MarksJSON{System: "a", Score: (-1 - 3 + 0) / 3., Rated: 3, ErrorFree: 1, Errors: map[string]int{"minor": 2, "major": 1}}
		if diff := cmp.Diff(want, got.Ratings[0]); diff != "" {
			t.Errorf("%s: %s", ratings, diff)
		}
	}
}
