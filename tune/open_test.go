package tune

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/metaeval"
)

func write(t *testing.T, texts map[string]string) {
	t.Helper()
	for path, text := range texts {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// judgedTexts are the files of a folder of two systems on three segments, the last of which
// people did not judge.
func judgedTexts(dir string, more map[string]string) map[string]string {
	out := map[string]string{
		dir + "/ref.en":  "r1\nr2\nr3\n",
		dir + "/sys/a":   "a1\na2\na3\n",
		dir + "/sys/b":   "b1\nb2\nb3\n",
		dir + "/.hidden": "",
	}
	for name, text := range more {
		out[dir+"/"+name] = text
	}
	return out
}

const (
	pairTable    = "sid\tbetter\tworse\n1\tb\ta\n3\ta\tb\n"
	segmentTable = "system\tsid\tscore\na\t1\t90\nb\t1\t60\na\t2\t50\nb\t2\t70\n"
	wmtTable     = "SYS SID RAW.SCR Z.SCR N\na 1 90 .5 1\nb 1 60 .25 1\n"
	systemTable  = "a\t.5\nb\t.25\n"
)

func TestOpenSet(t *testing.T) {
	t.Chdir(t.TempDir())
	none, threshold := math.NaN(), 30.
	texts := Set{Name: "d", Refs: [][]string{{"r1"}, {"r2"}, {"r3"}}, Systems: []mteval.System{{Name: "a", Hyps: []string{"a1", "a2", "a3"}}, {Name: "b", Hyps: []string{"b1", "b2", "b3"}}}}
	of := func(change func(s *Set)) Set {
		s := texts
		change(&s)
		return s
	}
	cut := func(n int, scores ...float64) Set {
		return of(func(s *Set) {
			s.Refs, s.SystemScores = s.Refs[:n], scores
			s.Systems = []mteval.System{{Name: "a", Hyps: []string{"a1", "a2", "a3"}[:n]}, {Name: "b", Hyps: []string{"b1", "b2", "b3"}[:n]}}
		})
	}
	for _, tt := range []struct {
		name, human, text string
		o                 SetOptions
		want              Set
		notes             string
	}{
		{"pairs", "human-segment-darr.tsv", pairTable, SetOptions{}, of(func(s *Set) {
			s.Pairs = []metaeval.Pair{{Item: 0, A: 1, B: 0, Human: 1}, {Item: 2, A: 0, B: 1, Human: 1}}
		}), ""},
		{"pairs of scores", "human-segment.tsv", segmentTable, SetOptions{}, of(func(s *Set) {
			s.Pairs = []metaeval.Pair{{Item: 0, A: 0, B: 1, Human: 1}}
		}), ""},
		{"pairs of scores, threshold", "human-segment.tsv", segmentTable, SetOptions{Threshold: new(float64)}, of(func(s *Set) {
			s.Pairs = []metaeval.Pair{{Item: 0, A: 0, B: 1, Human: 1}, {Item: 1, A: 0, B: 1, Human: -1}}
		}), ""},
		{"pairs of raw scores", "human-segment.tsv", wmtTable, SetOptions{Threshold: &threshold}, of(func(s *Set) {
			s.Pairs = []metaeval.Pair{{Item: 0, A: 0, B: 1, Human: 1}}
		}), ""},
		{"scores", "human-segment.tsv", segmentTable, SetOptions{Objective: Pearson}, of(func(s *Set) {
			s.Scores = []float64{90, 50, none, 60, 70, none}
		}), ""},
		{"systems", "human-system.tsv", systemTable, SetOptions{Objective: Accuracy}, of(func(s *Set) {
			s.SystemScores = []float64{.5, .25}
		}), ""},
		{"no output of a system without a score", "human-system.tsv", "b\t.25\nc\tNA\n", SetOptions{Objective: SystemPearson}, of(func(s *Set) {
			s.SystemScores = []float64{none, .25}
		}), ""},
		{"means", "human-system.tsv", segmentTable, SetOptions{Objective: SystemPearson}, cut(2, 70, 65),
			"d/human-system.tsv: people judged outputs for 2 of 3 segments: the metric's scores of systems are of these"},
		{"means of z", "human-system.tsv", wmtTable, SetOptions{Objective: SystemPearson}, cut(1, .5, .25),
			"d/human-system.tsv: people judged outputs for 1 of 3 segments: the metric's scores of systems are of these"},
		{"means of different segments", "human-system.tsv", segmentTable + "a\t3\t40\n", SetOptions{Objective: SystemPearson}, cut(3, 60, 65),
			"d/human-system.tsv: warning: not all systems were judged on the same segments: the metric's scores are of all of these, people's of those that they judged"},
		{"means of other segments", "human-system.tsv", segmentTable + "a\tx\t40\nb\tx\t10\n", SetOptions{Objective: SystemPearson}, of(func(s *Set) {
			s.SystemScores = []float64{60, 140. / 3}
		}), "d/human-system.tsv:6: segment x is not the number of a line of d/ref.en, from 1 to 3: the metric's scores are of all segments"},
	} {
		if err := os.RemoveAll("d"); err != nil {
			t.Fatal(err)
		}
		write(t, judgedTexts("d", map[string]string{tt.human: tt.text}))
		var notes []string
		tt.o.Note = func(name, what string) { notes = append(notes, name+": "+what) }
		got, err := OpenSet(t.Context(), "d", tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d := cmp.Diff(tt.want, got.Set, cmpopts.EquateNaNs(), cmpopts.EquateApprox(1e-12, 0)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
		all := &files.Corpus{Refs: texts.Refs, Systems: texts.Systems}
		if d := cmp.Diff(all, got.Corpus, cmpopts.IgnoreUnexported(files.Corpus{})); d != "" {
			t.Errorf("%s: texts (-want +got):\n%s", tt.name, d)
		}
		if n := strings.Join(notes, "\n"); filepath.ToSlash(n) != tt.notes {
			t.Errorf("%s: notes %q, want %q", tt.name, n, tt.notes)
		}
	}
}

// Rows of texts with scores are segments of one system.
func TestOpenSetRows(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"rows.tsv": "source\treference\thypothesis\tscore\ns\tr\th\t1\n\tq\ti\t2\n"})
	got, err := OpenSet(t.Context(), "rows.tsv", SetOptions{Objective: Pearson})
	if err != nil {
		t.Fatal(err)
	}
	set := Set{Name: "rows", Refs: [][]string{{"r"}, {"q"}}, Systems: []mteval.System{{Hyps: []string{"h", "i"}}}, Sources: []string{"s", "q"}, Scores: []float64{1, 2}}
	want := &FileSet{Set: set, Files: &files.Folder{Name: "rows", Human: "rows.tsv"}, Corpus: &files.Corpus{Refs: set.Refs, Systems: set.Systems, Table: "rows.tsv"}}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(files.Corpus{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Errors say in which file what is wrong, and where.
func TestOpenSetErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{"rows.tsv": "reference\thypothesis\tscore\na\tb\tc\n"})
	folder := 0
	with := func(human, text string) string {
		folder++
		dir := fmt.Sprint("d", folder)
		write(t, judgedTexts(dir, map[string]string{human: text}))
		return dir
	}
	pairs, segments, systems := "human-segment-darr.tsv", "human-segment.tsv", "human-system.tsv"
	for _, tt := range []struct {
		path string
		o    SetOptions
		want string // after the path
	}{
		{"nowhere", SetOptions{}, ": no such folder or file"},
		{"rows.tsv", SetOptions{}, ": rows of texts with scores are for the objective pearson, not kendall"},
		{"rows.tsv", SetOptions{Objective: Pearson}, `:2: the score is "c"`},
		{with(segments, segmentTable), SetOptions{Objective: Accuracy}, ": nothing of what people said in it: want human-system.tsv (objective accuracy)"},
		{with(pairs, pairTable), SetOptions{Threshold: new(float64)}, "/" + pairs + " has pairs: leave the threshold out"},
		{with(pairs, pairTable+"4\ta\tb\n"), SetOptions{}, "/" + pairs + ":4: segment 4 is not the number of a line of "},
		{with(pairs, pairTable+"2\ta\tc\n"), SetOptions{}, "/" + pairs + ":4: system c has no output here"},
		{with(pairs, systemTable), SetOptions{}, "/" + pairs + " has scores of systems: objective kendall needs those of segments"},
		{with(segments, systemTable), SetOptions{Objective: Pearson}, "/" + segments + " has scores of systems: objective pearson needs those of segments"},
		{with(segments, pairTable), SetOptions{Objective: Pearson}, "/" + segments + " has pairs: objective pearson needs scores of segments"},
		{with(segments, segmentTable+"c\t1\t3\n"), SetOptions{Objective: Pearson}, "/" + segments + ":6: system c has no output here"},
		{with(systems, pairTable), SetOptions{Objective: Accuracy}, "/" + systems + " has pairs: objective accuracy needs scores of systems"},
		{with(systems, "a\t1\nc\t2\n"), SetOptions{Objective: Accuracy}, "/" + systems + ":2: system c has no output here"},
		{with("sys/c", "c1\n"), SetOptions{}, ": nothing of what people said in it: want " + pairs + " or " + segments + " (objective kendall)"},
	} {
		got, err := OpenSet(t.Context(), tt.path, tt.o)
		if err == nil || got != nil || !strings.HasPrefix(filepath.ToSlash(err.Error()), tt.path+tt.want) {
			t.Errorf("%s: %v, want %s", tt.path, err, tt.path+tt.want)
			continue
		}
		if line := (*files.LineError)(nil); strings.Contains(tt.want, ".tsv:") && !errors.As(err, &line) {
			t.Errorf("%s: no line: %v", tt.path, err)
		}
	}
	if _, err := OpenFiles(t.Context(), &files.Folder{Outputs: []string{"d1/sys/a"}, Human: "d1/" + segments}, SetOptions{}); err == nil || err.Error() != "files: no references" {
		t.Error(err)
	}
}
