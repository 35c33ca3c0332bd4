package meta_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/meta"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
	"github.com/mteval/mteval/internal/kit"
)

// smallTree is mtme's own tree.
const smallTree = "../../mtme/testdata/tree"

// smallArgs are args of meta with $S for the small tree.
func smallArgs(dir, line string) []string {
	return clitest.Args(dir, strings.ReplaceAll(line, "$S", smallTree))
}

// What SciPy and NumPy have for the small tree: see scripts/record_meta_tree.py.
func TestMetaTreeRecorded(t *testing.T) {
	data, err := os.ReadFile(clitest.MetaSample + "tree.json")
	if err != nil {
		t.Fatal(err)
	}
	type values map[string]map[string]json.RawMessage // by metric and measure
	var want struct {
		Pairs map[string]map[string]values
		Marks map[string]meta.MarksJSON
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	checked := 0
	near := func(what string, got, want float64) {
		t.Helper()
		if checked++; !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for lp, parts := range want.Pairs {
		for part, metrics := range parts {
			line := map[string]string{"system": "", "news": "--domain news", "segment": "--level segment", "document": "--level document"}[part]
			got, _ := clitest.RunMeta(t, smallArgs("", "--samples 0 --mtme $S --lp "+lp+" "+line)...)
			for name, measures := range metrics {
				m := metric(&got, t, name)
				for key, raw := range measures {
					what := fmt.Sprintf("%s %s %s %s", lp, part, name, key)
					var v []float64
					if json.Unmarshal(raw, &v) != nil {
						v = make([]float64, 1)
						if err := json.Unmarshal(raw, &v[0]); err != nil {
							t.Fatal(err)
						}
					}
					switch key {
					case "agree":
						near(what, float64(*m.Agree), v[0])
						continue
					case "pairs":
						near(what, float64(*m.PairsOfSystems), v[0])
						continue
					}
					x := m.Measures[key]
					if x == nil {
						t.Fatalf("%s: none", what)
					}
					near(what, x.Value, v[0])
					switch len(v) {
					case 2:
						near(what+" p", *x.P, v[1])
					case 3:
						near(what+" groups", float64(x.Groups), v[1])
						near(what+" undefined", float64(x.Undefined), v[2])
					}
				}
			}
		}
	}
	got, _ := clitest.RunMeta(t, smallArgs("", "--samples 0 --mtme $S --lp en-de --ratings mqm.merged --weights google")...)
	for _, m := range got.Ratings {
		w := want.Marks[m.System]
		near(m.System, m.Score, w.Score)
		w.Score, w.System = m.Score, m.System
		if d := cmp.Diff(w, m); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	if len(got.Ratings) != 5 || checked < 900 {
		t.Errorf("%d systems with ratings, %d numbers", len(got.Ratings), checked)
	}
}

func TestMetaTreeGolden(t *testing.T) {
	for name, line := range map[string]string{
		"system":    "meta --mtme $S --lp en-de --samples 200",
		"segment":   "meta --mtme $S --lp he-en --level segment --samples 0 --threshold 1 --kendall 4c --metrics BLEU,GEMBA*",
		"document":  "meta --mtme $S/wmt23 --lp en-de --level document --reference all --include outliers --human-score da-sqm --samples 0",
		"by-domain": "meta --mtme $S --set wmt23 --lp he-en --by domain",
		"by-latex":  "meta --mtme $S --lp en-de --level segment --by document --metrics chrF --format latex",
		"by-tsv":    "meta --mtme $S --lp en-de --level document --by domain --metrics chrF,BLEU --format tsv",
		"ratings":   "meta --mtme $S --lp en-de --ratings mqm.merged --domain speech --metrics chrF --samples 0",
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := clitest.Exec(t, smallArgs("", line)...)
			if status != 0 {
				t.Fatalf("status %d, %s", status, stderr)
			}
			if stderr != "" {
				stdout += "\nstandard error:\n" + stderr
			}
			clitest.CheckGolden(t, "meta-tree-"+name+".txt", strings.ReplaceAll(stdout, smallTree, "TREE"))
		})
	}
}

// Parts in JSON are what the command says of each alone.
func TestMetaTreeParts(t *testing.T) {
	stdout, stderr, status := clitest.Exec(t, smallArgs("", "meta --mtme $S --lp en-de --by domain --format json")...)
	if status != 0 {
		t.Fatal(stderr)
	}
	var parts meta.MetaPartsJSON
	if err := json.Unmarshal([]byte(stdout), &parts); err != nil {
		t.Fatal(err)
	}
	if parts.By != "domain" || len(parts.Parts) != 2 {
		t.Fatalf("by %s, %d parts", parts.By, len(parts.Parts))
	}
	for _, p := range parts.Parts {
		alone, _ := clitest.RunMeta(t, smallArgs("", "--mtme $S --lp en-de --samples 0 --domain "+p.Name)...)
		if len(p.Metrics) != len(alone.Metrics) || alone.People.Tree.Domain != p.Name {
			t.Errorf("%s: %d metrics, alone %d", p.Name, len(p.Metrics), len(alone.Metrics))
		}
		for _, m := range p.Metrics {
			for key, v := range metric(&alone, t, m.Metric).Measures {
				if w := m.Measures[key]; (w == nil) != (v == nil) || v != nil && w.Value != v.Value {
					t.Errorf("%s %s %s: %v, alone %v", p.Name, m.Metric, key, w, v)
				}
			}
		}
	}
	page := filepath.Join(t.TempDir(), "page.html")
	if _, stderr, status := clitest.Exec(t, smallArgs("", "meta --mtme $S --lp en-de --by document --level segment --html "+page)...); status != 0 {
		t.Fatal(stderr)
	}
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "news2") || !strings.Contains(string(html), "Pearson of differences") {
		t.Errorf("%v, %s", err, html)
	}
}

// copyTree copies the small tree, for tests that write into it.
func copyTree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tree")
	if err := os.CopyFS(dir, os.DirFS(smallTree)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A table's metric is what the tree's own is that has the same scores, beside it and once it
// is written, but for a score of systems that is no mean.
func TestMetaTreeWrite(t *testing.T) {
	dir, tree := t.TempDir(), copyTree(t)
	table := func(sign float64) string {
		var b strings.Builder
		data, err := os.ReadFile(filepath.Join(tree, "wmt23/metric-scores/en-de/chrF-refA.seg.score"))
		if err != nil {
			t.Fatal(err)
		}
		n := make(map[string]int)
		for line := range strings.Lines(string(data)) {
			var system string
			var score float64
			if _, err := fmt.Sscan(line, &system, &score); err != nil {
				t.Fatal(err)
			}
			n[system]++
			fmt.Fprintf(&b, "%s\t%d\t%v\n", system, n[system], sign*score)
		}
		return b.String()
	}
	clitest.Write(t, dir+"/mine.tsv", table(1))
	clitest.Write(t, dir+"/errors.tsv", table(-1))
	line := "meta --samples 0 --lp en-de --format json --mtme " + tree + " "
	run := func(line string) (got meta.JSON) {
		t.Helper()
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...)
		if status != 0 {
			t.Fatalf("%s: status %d, %s", line, status, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	same := func(what string, got *meta.JSON, name string) {
		t.Helper()
		want, m := metric(got, t, "chrF"), metric(got, t, name)
		for key, v := range want.Measures {
			if w := m.Measures[key]; (w == nil) != (v == nil) || v != nil && !(math.Abs(w.Value-v.Value) < 1e-9) {
				t.Errorf("%s: %s %s: %v, want %v", what, name, key, w, v)
			}
		}
	}
	for _, level := range []string{"--level system", "--level segment", "--level document", "--domain news", "--by domain"} {
		got := run(line + level + " --scores $T/mine.tsv $T/errors.tsv --lower-is-better errors")
		same(level, &got, "mine")
		if level != "--level segment" && level != "--level document" { // of which one measure is negative for errors
			same(level, &got, "errors")
		}
	}
	run(line + "--write refA --scores $T/mine.tsv $T/errors.tsv --lower-is-better errors")
	for _, level := range []string{"--level system", "--level segment", "--domain speech"} {
		got := run(line + level)
		same(level+" written", &got, "mine")
		same(level+" written", &got, "errors")
		if m := metric(&got, t, "errors"); m.Reference != "refA" || m.LowerIsBetter {
			t.Errorf("%+v", m)
		}
	}
	for more, want := range map[string]string{
		"--write refA --scores $T/mine.tsv":                                                "the tree has a metric mine already: give it another name, or add --overwrite",
		"--scores $T/mine.tsv":                                                             "the tree has a metric mine already: give it another name",
		"--write refX --scores $T/mine.tsv":                                                "no such reference: it has refA, synthetic_ref; src is for a metric that uses none",
		"--write src --scores $T/mine.tsv --overwrite --metrics X":                         "--metrics X: no such metric",
		"--write synthetic_ref --scores $T/mine.tsv --overwrite --reference synthetic_ref": "mine has no score of system refA on segment 1",
		"--write refA":                     "--write adds the metrics of --scores",
		"--overwrite --scores $T/mine.tsv": "--overwrite is an option of --write",
	} {
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, line+more)...); status == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s, want %s", more, status, stderr, want)
		}
	}
	run(line + "--write refA --overwrite --scores $T/mine.tsv")
	// No table is replaced by what is made of it.
	own := filepath.Join(tree, "wmt23/metric-scores/en-de/other-refA.seg.score")
	if err := os.Symlink(filepath.Join(dir, "mine.tsv"), own); err != nil {
		t.Skip(err)
	}
	clitest.Write(t, dir+"/other.tsv", table(1))
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, line+"--write refA --scores $T/other.tsv")...); status == 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// What can't be is an error that says what to do.
func TestMetaTreeErrors(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/mine.tsv", "Alpha\tx\t1\nBeta\tx\t2\n")
	clitest.Write(t, dir+"/systems.tsv", "Alpha\t1\nBeta\t2\nGamma\t3\nDelta\t4\nEpsilon\t5\nrefA\t6\n")
	clitest.Write(t, dir+"/BLEU.tsv", "Alpha\t1\t1\nBeta\t1\t2\n")
	unknown := copyTree(t)
	if err := os.Rename(unknown+"/wmt23", unknown+"/mine26"); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"--mtme $S":                                                        "needs a language pair",
		"--mtme $S --lp de-en":                                             `no language pair "de-en": there is en-de, he-en`,
		"--mtme $S --lp en-de --set wmt22":                                 `no test set "wmt22": there is wmt23`,
		"--mtme $T --lp en-de":                                             "no test set in it",
		"--mtme $S --lp en-de --human-score esa":                           "no human scores esa: it has da-sqm, mqm",
		"--mtme $S --lp en-de --reference refC":                            "--reference refC: wmt23 en-de has no such: it has refA, synthetic_ref",
		"--mtme $S --lp en-de --domain talks":                              "--domain talks: wmt23 en-de has no such: it has news, speech",
		"--mtme $S --lp en-de --metrics Y*":                                "--metrics Y*: no such metric: have ",
		"--mtme $S --lp en-de --ratings da":                                "--ratings da: wmt23 en-de has no such: it has ",
		"--mtme $S --lp en-de --ratings mqm.merged --human-score mqm":      "leave --human-score out",
		"--mtme $S --lp en-de --weights google":                            "--weights is an option of --ratings",
		"--mtme $S --lp en-de --human $T/systems.tsv":                      "leave --human out",
		"--mtme $S --lp en-de --by domain --domain news":                   "leave --domain out",
		"--mtme $S --lp en-de --by document --level document":              "give another --level",
		"--mtme $S --lp en-de --lower-is-better BLEU":                      "it is of the tree, where more is better",
		"--mtme $S --lp en-de --exclude Nobody":                            "--exclude Nobody: no such system",
		"--mtme $S --lp en-de --scores $T/mine.tsv":                        "mine has no score of the tree's segments, which are called 1 to 14",
		"--mtme $S --lp en-de --scores $T/BLEU.tsv":                        "the tree has a metric BLEU already: give it another name",
		"--mtme $S --lp en-de --scores $T/systems.tsv --level segment":     "has scores of systems",
		"--mtme $U --lp en-de":                                             "name a reference (refA, synthetic_ref) with --reference and a human score (da-sqm, mqm) with --human-score",
		"--lp en-de --reference refA":                                      "--reference is an option of --mtme",
		"--human $T/systems.tsv --scores $T/systems.tsv --level document":  "--level document is of --mtme",
		"--human $T/systems.tsv --scores $T/systems.tsv --human-score mqm": `no human score "mqm": have raw, z`,
	} {
		_, stderr, status := clitest.Exec(t, append([]string{"meta", "--samples", "0"}, smallArgs(dir, strings.ReplaceAll(line, "$U", unknown))...)...)
		if status == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s, want %s", line, status, stderr, want)
		}
	}
	got, _ := clitest.RunMeta(t, "--samples", "0", "--mtme", unknown, "--lp", "en-de", "--reference", "refA", "--human-score", "mqm")
	if len(got.Systems) != 5 || got.People.Tree.Set != "mine26" {
		t.Errorf("%+v", got.Systems)
	}
	got, stderr := clitest.RunMeta(t, "--samples", "0", "--mtme", smallTree, "--lp", "en-de", "--scores", dir+"/systems.tsv")
	if m := metric(&got, t, "systems"); m.Measures["pearson"] == nil || !strings.Contains(stderr, "no soft pairwise accuracy of") {
		t.Errorf("%+v, %s", m, stderr)
	}
}

// Cancelled before, and in the middle of reading and judging.
func TestMetaTreeInterrupt(t *testing.T) {
	for _, calls := range []int64{0, 3, 20, 60} {
		ctx := kit.NewCountdown(calls)
		var out, stderr strings.Builder
		status := root.Run(ctx, smallArgs("", "meta --mtme $S --lp en-de --level segment --samples 20000"), &out, &stderr)
		if status != 130 || out.Len() > 0 || !strings.Contains(stderr.String(), "mteval: interrupted") {
			t.Errorf("after %d calls: status %d, %s%s", calls, status, out.String(), stderr.String())
		}
	}
}

// A file of the tree is no place for a page.
func TestMetaTreeOutputs(t *testing.T) {
	tree := copyTree(t)
	file := tree + "/wmt23/metric-scores/en-de/chrF-refA.sys.score"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, status := clitest.Exec(t, "meta", "--mtme", tree, "--lp", "en-de", "--html", file)
	after, err := os.ReadFile(file)
	if err != nil || status == 0 || !strings.Contains(stderr, "it would be overwritten") || !slices.Equal(before, after) {
		t.Errorf("status %d, %s, %v", status, stderr, err)
	}
}
