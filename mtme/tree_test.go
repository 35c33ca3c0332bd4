package mtme

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/files"
)

// small is a tree of two segments and three systems, one of them a reference.
func small() map[string]string {
	return map[string]string{
		"sources/en-de.txt":                       "One.\nTwo.\n",
		"documents/en-de.docs":                    "news\td1\nspeech\td2\n",
		"references/en-de.refA.txt":               "Eins.\nZwei.\n",
		"system-outputs/en-de/a.txt":              "Ein.\nZwei.\n",
		"system-outputs/en-de/b.txt":              "Eins.\nZwo.\n",
		"system-outputs/en-de/refA.txt":           "Eins.\nZwei.\n",
		"human-scores/en-de.mqm.seg.score":        "b\t-1\nb\tNone\na\t-2.5\na\tNone\n",
		"human-scores/en-de.mqm.seg.rating":       "b\t{\"errors\": []}\nb\tNone\na\t{\"errors\": [{\"start\": 0, \"end\": 3, \"category\": \"accuracy/mistranslation\", \"severity\": \"major\", \"score\": 5, \"is_source_error\": false}]}\tr1\na\tNone\n",
		"metric-scores/en-de/M-refA.seg.score":    "b\t1\nb\t2\na\t3\na\t4\n",
		"metric-scores/en-de/M-refA.sys.score":    "b\t1.5\na\t3.5\n",
		"metric-scores/en-de/M-refA.domain.score": "speech\tb\t2\nnews\ta\t3\nnews\tb\t1\nspeech\ta\t4\n",
	}
}

func write(t *testing.T, tree map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wmt23")
	for name, text := range tree {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// everything reads all of a tree.
func everything(t *testing.T, dir string) (*Pair, error) {
	tree, err := Open(dir)
	if err != nil {
		return nil, err
	}
	set, err := tree.Set("")
	if err != nil {
		return nil, err
	}
	p, err := set.Load(t.Context(), "en-de")
	if err != nil {
		return nil, err
	}
	for _, f := range p.HumanScores {
		_, e := p.Human(t.Context(), f.Name, f.Level)
		err = errors.Join(err, e)
	}
	for _, f := range p.MetricScores {
		_, e := p.Metric(t.Context(), f)
		err = errors.Join(err, e)
	}
	for _, name := range p.Ratings {
		_, e := p.ReadRatings(t.Context(), name)
		err = errors.Join(err, e)
	}
	return p, err
}

func TestRead(t *testing.T) {
	dir := write(t, small())
	for _, at := range []string{dir, filepath.Dir(dir)} {
		p, err := everything(t, at)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"a", "b", "refA"}, p.Systems); diff != "" {
			t.Error(diff)
		}
		for level, want := range map[Level][]float64{Segment: {3, 4, 1, 2}, System: {3.5, 1.5}, Domain: {3, 4, 1, 2}} {
			s, err := p.Metric(t.Context(), MetricFile{"M", "refA", level})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, s.Values); diff != "" {
				t.Errorf("%s: %s", level, diff)
			}
		}
		h, err := p.Human(t.Context(), "mqm", Segment)
		if err != nil {
			t.Fatal(err)
		}
		if h.At(0, 0) != -2.5 || h.At(1, 0) != -1 || h.Present() != 2 {
			t.Errorf("%v", h)
		}
		ratings, err := p.ReadRatings(t.Context(), "mqm")
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.RatingScores(ratings, GoogleWeights)
		if err != nil || s.At(0, 0) != -5 || s.At(1, 0) != 0 || s.Present() != 2 {
			t.Errorf("%v, %v", s, err)
		}
	}
}

// People may leave out a system in a domain, which has no score there.
func TestMissingDomain(t *testing.T) {
	tree := small()
	tree["human-scores/en-de.mqm.domain.score"] = "news\ta\t-1\nspeech\ta\t-2\nspeech\tb\t-3\n"
	p, err := everything(t, write(t, tree))
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Human(t.Context(), "mqm", Domain)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{-1, -2, math.NaN(), -3}, s.Values, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBadTrees(t *testing.T) {
	const metric, human = "metric-scores/en-de/M-refA.", "human-scores/en-de.mqm."
	for _, tt := range []struct {
		file, text string
		line       int // 0: the error is of no line
		want       string
	}{
		{"system-outputs/en-de/a.txt", "Ein.\n", 1, "ends after 1 of 2 segments"},
		{"system-outputs/en-de/a.txt", "Ein.\nZwei.\nDrei.\n", 3, "a line more than the 2 segments"},
		{"documents/en-de.docs", "news\td1\nspeech\n", 2, "not a domain, a tab and a document"},
		{metric + "seg.score", "b\t1\nb\t2\n", 2, "without scores of system a"},
		{metric + "seg.score", "b\t1\na\t3\na\t4\n", 2, "system b has scores of 1 of 2 segments"},
		{metric + "seg.score", "b\t1\nb\t2\na\t3\n", 3, "system a has scores of 1 of 2 segments"},
		{metric + "seg.score", "b\t1\nb\t2\nb\t2\na\t3\na\t4\n", 3, "a score more of system b"},
		{metric + "seg.score", "b\t1\nb\t2\na\t3\na\t4\nb\t1\n", 5, "system b again"},
		{metric + "seg.score", "b\t1\nb\tx\na\t3\na\t4\n", 2, `score "x"`},
		{metric + "seg.score", "b\t1\nb\tNone\na\t3\na\t4\n", 2, "only people leave"},
		{metric + "seg.score", "c\t1\n", 1, `unknown system "c"`},
		{metric + "seg.score", "", 1, "empty"},
		{metric + "sys.score", "b\t1\na\t2\nb\t1\n", 3, "a second score of system b"},
		{metric + "sys.score", "b\t1\t2\n", 1, "not a system, a tab and a score"},
		{metric + "domain.score", "news\ta\t1\nnews\ta\t1\n", 2, "a second score of system a in domain news"},
		{metric + "domain.score", "x\ta\t1\n", 1, `unknown domain "x"`},
		{metric + "doc2.score", "", 0, "unknown kind of file"},
		{"metric-scores/en-de/M-refX.seg.score", "", 0, "the reference that the metric used (refA), or src"},
		{"metric-scores/en-de/M-refA.refX.seg.score", "", 0, "the reference that the metric used (refA), or src"},
		{metric + "seg.score.gz", "", 0, "unpack it"},
		{"metric-scores/en-de/M-refA.doc.score/x", "", 0, "M-refA.doc.score is a folder where a file should be"},
		{"metric-scores/en-de/README", "", 0, "move it elsewhere"},
		{metric + "seg.score", "b\t1\nb\tnan\na\t3\na\t4\n", 2, `score "nan"`},
		{metric + "seg.score", "b\t1\nb\tinf\na\t3\na\t4\n", 2, `score "inf"`},
		{metric + "seg.score", "b\t1\nb\t1e400\na\t3\na\t4\n", 2, `score "1e400"`},
		{metric + "seg.score", "b\t1\n\nb\t2\na\t3\na\t4\n", 2, "not a system, a tab and a score"},
		{metric + "seg.score", "b\t1\nb\t\xff\na\t3\na\t4\n", 2, "UTF-8"},
		{metric + "sys.score", "b\t1\na\tNone\n", 2, "only people leave"},
		{metric + "sys.score", "b\t1\n", 1, "without scores of system a"},
		{metric + "domain.score", "news\ta\t1\nnews\tb\t1\nspeech\ta\t1\n", 3, "without the score of system b in domain speech"},
		{metric + "seg.score.gz", "", 0, "unknown kind of file"},
		{"human-scores/en-de.mqm.doc2.score", "", 0, "unknown kind of file"},
		{"human-scores/en-de.x.sys.score", "b\t1\nb\t1\n", 2, "a second score of system b"},
		{"human-scores/en-de.x.sys.score", "c\t1\n", 1, `unknown system "c"`},
		{"documents/en-de.docs", "\td1\nspeech\td2\n", 1, "not a domain, a tab and a document"},
		{"documents/en-de.docs", "news\td1\n", 1, "ends after 1 of 2 segments"},
		{"references/en-de.refA.txt", "", 1, "ends after 0 of 2 segments"},
		{"sources/en-de.txt", "", 1, "no segments"},
		{"references/en-de.refB.txt/folder", "", 0, "is a folder where a file should be"},
		{"system-outputs/en-de/c.txt/folder", "", 0, "is a folder where a file should be"},
		{"human-scores/en-de.x.seg.score/folder", "", 0, "is a folder where a file should be"},
		{"system-outputs/en-de/c\td.txt", "Eins.\nZwei.\n", 0, "a tab"},
		{human + "seg.rating", "a\t{}\n", 1, `no "errors"`},
		{human + "seg.rating", "", 1, "no ratings"},
		{human + "seg.rating", "a\n", 1, "not a system, a tab and a rating"},
		{human + "seg.rating", "a\t{\"errors\": []} x\n", 1, "text after the rating"},
		{human + "seg.rating", "a\t{\"errors\": [{\"score\": 1e400}]}\n", 1, "neither None nor JSON"},
		{human + "seg.rating", "c\tNone\n", 1, `unknown system "c"`},
		{human + "seg.rating", "a\tNone\nb\tNone\n", 2, "system b begins: system a has ratings of 1 of 2 segments"},
		{human + "seg.rating", "a\t{\"errors\": []}\na\tNone\na\t{\"errors\": []}\na\tNone\n", 3, "segment 1 of system a is rated again by mqm"},
		{human + "seg.rating", "a\t{\"errors\": []}\tr\na\tNone\na\tNone\na\t{\"errors\": []}\tr\na\tNone\na\t{\"errors\": []}\tr\n", 6, "segment 2 of system a is rated again by r"},
		{human + "seg.rating", "a\tNone\n", 1, "system a has ratings of 1 of 2 segments"},
		{human + "seg.rating", "a\t{\"errors\": [{\"start\": 2, \"end\": 9}]}\na\tNone\n", 1, "from 2 to 9 in a text of 4 characters"},
	} {
		tree := small()
		tree[tt.file] = tt.text
		_, err := everything(t, write(t, tree))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.file, err, tt.want)
			continue
		}
		var at *files.LineError
		if errors.As(err, &at) != (tt.line > 0) || at != nil && (at.Line != tt.line || !strings.HasSuffix(filepath.ToSlash(at.Path), tt.file)) {
			t.Errorf("%s: %v, want line %d", tt.file, err, tt.line)
		}
	}
}

// Trees that are not as they are usually written, and are right.
func TestOddTrees(t *testing.T) {
	for name, change := range map[string]func(tree map[string]string){
		"CR before LF": func(tree map[string]string) {
			for file, text := range tree {
				tree[file] = strings.ReplaceAll(text, "\n", "\r\n")
			}
		},
		"byte order marks": func(tree map[string]string) {
			for file, text := range tree {
				tree[file] = "\ufeff" + text
			}
		},
		"no last line end": func(tree map[string]string) {
			for file, text := range tree {
				tree[file] = strings.TrimSuffix(text, "\n")
			}
		},
		"spaces for tabs in scores": func(tree map[string]string) {
			tree["metric-scores/en-de/M-refA.seg.score"] = "b 1\nb  2\na 3\na 4\n"
		},
		"other files": func(tree map[string]string) {
			tree["metric-scores/en-de/.DS_Store"] = "\x00"
			tree["metric-scores/en-de/folder/x"] = ""
			tree["metric-scores/en-de/M-refA.doc.score"] = "read by no one"
			tree["human-scores/he-en.mqm.seg.score"] = "of another pair"
			tree["system-outputs/en-de/README"] = ""
			tree["references/en-de.refA.txt.orig"] = ""
		},
	} {
		tree := small()
		change(tree)
		p, err := everything(t, write(t, tree))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s, err := p.Metric(t.Context(), MetricFile{"M", "refA", Segment})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]float64{3, 4, 1, 2}, s.Values); diff != "" || p.Outputs["a"][0] != "Ein." || p.Documents[1] != "d2" || len(p.MetricScores) != 3 {
			t.Errorf("%s: %+v %s", name, p, diff)
		}
	}
}

// A document's segments need not lie together, and names may have spaces.
func TestNamesWithSpaces(t *testing.T) {
	tree := map[string]string{}
	for file, text := range small() {
		tree[strings.Replace(file, "/a.txt", "/my system.txt", 1)] = strings.ReplaceAll(strings.ReplaceAll(text, "a\t", "my system\t"), "d1", "d 1")
	}
	p, err := everything(t, write(t, tree))
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Metric(t.Context(), MetricFile{"M", "refA", Domain})
	if err != nil || s.Systems[1] != "my system" || s.At(1, 1) != 4 || p.Documents[0] != "d 1" {
		t.Errorf("%v %v %q", s, err, p.Documents)
	}
}

func TestOpen(t *testing.T) {
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	for dir, want := range map[string]string{"": `the folder is ""`, "nowhere": "nowhere", t.TempDir(): "no test set in it", loop: "loop",
		filepath.Dir(loop): "no test set in it"} {
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", dir, err, want)
		}
	}
	tree, err := Open("testdata/tree")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Set("wmt22"); err == nil || !strings.Contains(err.Error(), "there is wmt23") {
		t.Error(err)
	}
	two := t.TempDir()
	for _, set := range []string{"wmt22", "wmt23"} {
		if err := os.CopyFS(filepath.Join(two, set), os.DirFS("testdata/tree/wmt23")); err != nil {
			t.Fatal(err)
		}
	}
	if tree, err = Open(two); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Set(""); err == nil || !strings.Contains(err.Error(), "there is wmt22, wmt23") {
		t.Errorf("a set without a name, of two: %v", err)
	}
	if _, err := own(t).Load(t.Context(), "de-en"); err == nil || !strings.Contains(err.Error(), "there is en-de, he-en") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := own(t).Load(ctx, "en-de"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Files that a tree can't be without.
func TestMissingFiles(t *testing.T) {
	for name, want := range map[string]string{
		"documents/en-de.docs": "which has for each segment a line of its domain, a tab and its document",
		"sources/en-de.txt":    "no sources in it, such as en-de.txt",
	} {
		dir := write(t, small())
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := everything(t, dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), filepath.Dir(name)) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestUsesOnly(t *testing.T) {
	for _, tt := range []struct {
		used, given string
		want        bool
	}{
		{"src", "refA", true}, {"refA", "refA", true}, {"refB", "refA", false}, {"refA.refB", "refA", false},
		{"refA.refB", "refB refA", true}, {"refA,refB", "refA refB refC", true}, {"refA.refD", "refA refB", false}, {"ref.1", "ref.1", true},
	} {
		if got := (MetricFile{Metric: "M", Reference: tt.used}).UsesOnly(strings.Fields(tt.given)...); got != tt.want {
			t.Errorf("%s of %s: %v", tt.used, tt.given, got)
		}
	}
}
