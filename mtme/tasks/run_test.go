package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

func ownTree(t testing.TB) *mtme.Tree {
	tree, err := mtme.Open(filepath.Join("..", "testdata", "tree"))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// recorded is what scripts/record_tasks.py writes.
type recorded struct {
	Permutations int
	Seed         uint32
	Order        []string
	Averages     []float64
	Ranks        []int
	P            [][]float64
	AverageRanks []float64 `json:"average_ranks"`
	Tasks        []struct {
		Order  []string
		Values []float64
		Ranks  []int
		P      [][]float64
		Used   [][]int
	}
}

func TestRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/wmt23.json")
	if err != nil {
		t.Fatal(err)
	}
	var want recorded
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 5} {
		o := Options{Permutations: want.Permutations, Seed: want.Seed, Workers: workers}
		r, err := Run(t.Context(), ownTree(t), WMT23("he-en", "en-de"), o)
		if err != nil {
			t.Fatal(err)
		}
		got := recorded{Permutations: want.Permutations, Seed: want.Seed, P: r.P}
		for _, m := range r.Metrics {
			got.Order, got.Averages = append(got.Order, m.Metric), append(got.Averages, m.Average)
			got.Ranks, got.AverageRanks = append(got.Ranks, m.Rank), append(got.AverageRanks, m.MeanRank)
		}
		got.Tasks = slices.Clone(want.Tasks)
		for i, task := range r.Tasks {
			to := &got.Tasks[i]
			to.Order, to.Values, to.Ranks, to.P, to.Used = nil, nil, nil, task.P, task.Permutations
			for _, m := range task.Metrics {
				to.Order, to.Values, to.Ranks = append(to.Order, m.Metric), append(to.Values, m.Value), append(to.Ranks, m.Rank)
			}
		}
		if d := cmp.Diff(want, got, close9); d != "" {
			t.Errorf("%d workers (-recorded +got):\n%s", workers, d)
		}
	}
}

// every task that there can be of a language pair.
func every() (out []Task) {
	for _, level := range []Level{System, Segment, Document} {
		for _, m := range measureList() {
			for _, g := range []metaeval.Grouping{metaeval.NoGrouping, metaeval.ByItem, metaeval.BySystem} {
				for _, domain := range []string{"", "news"} {
					task := Task{LanguagePairs: []string{"en-de"}, Level: level, Domain: domain, Measure: m, Grouping: g}
					if task.check() == nil {
						out = append(out, task)
					}
				}
			}
		}
	}
	return out
}

// Whatever the task, p-values and ranks are such, and results do not depend on workers.
func TestEveryTask(t *testing.T) {
	for _, task := range every() {
		var first *Result
		for _, workers := range []int{1, 3} {
			r, err := Run(t.Context(), ownTree(t), []Task{task}, Options{Permutations: 120, Workers: workers, Judged: only("chrF", "CometKiwi", "eBLEU")})
			if err != nil {
				t.Errorf("%v: %v", task, err)
				break
			}
			if first == nil {
				first = r
			}
			if d := cmp.Diff(first, r, cmp.AllowUnexported(TaskResult{})); d != "" {
				t.Errorf("%v: other workers (-1 +3):\n%s", task, d)
			}
			checkResult(t, r)
		}
	}
}

func checkResult(t *testing.T, r *Result) {
	for _, of := range r.Tasks {
		for a, m := range of.Metrics {
			if m.Value-m.Value != 0 || m.Value > 1 || m.Value < of.Task.Measure.least() || a > 0 && m.Value > of.Metrics[a-1].Value {
				t.Errorf("%v: value %v of %s", of.Task, m.Value, m.Metric)
			}
			if tested := of.P != nil; tested != of.Task.Measure.tested() || tested != (m.Rank > 0) {
				t.Errorf("%v: rank %d of %s", of.Task, m.Rank, m.Metric)
			}
		}
		for a := range of.P {
			for b := a + 1; b < len(of.P); b++ {
				if p := of.P[a][b]; !(p >= 0 && p <= 1) {
					t.Errorf("%v: p %v", of.Task, p)
				}
			}
		}
	}
}

// Documents are of the means over their segments that people judged: news1 and talk1 have five
// segments, of which the third and the tenth were not judged, and news2 has four.
func TestDocuments(t *testing.T) {
	o := Options{}
	task := Task{LanguagePairs: []string{"en-de"}, Level: Document, Measure: Pearson}
	got, err := newReader(ownTree(t), &o).compare(t.Context(), task, "en-de")
	if err != nil {
		t.Fatal(err)
	}
	task.Level = Segment
	segments, err := newReader(ownTree(t), &o).compare(t.Context(), task, "en-de")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"1", "2", "4", "5", "6", "7", "8", "9", "11", "12", "13", "14"}; !slices.Equal(segments.human.Items, want) {
		t.Fatalf("segments %q, want %q", segments.human.Items, want)
	}
	for i, from := range [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}} {
		for k := range got.human.Systems {
			var human, metric float64
			for _, s := range from {
				human += segments.human.At(k, s) / 4
				metric += segments.metrics[0].Scores.At(k, s) / 4
			}
			if math.Abs(human-got.human.At(k, i)) > 1e-12 || math.Abs(metric-got.metrics[0].Scores.At(k, i)) > 1e-12 {
				t.Errorf("document %d of %s: %v and %v, want %v and %v", i+1, got.human.Systems[k], got.human.At(k, i),
					got.metrics[0].Scores.At(k, i), human, metric)
			}
		}
	}
}

// A metric's mean over a document is over the segments that people judged of the system.
func TestDocumentsJudgedInPart(t *testing.T) {
	two := []string{"1", "2"}
	p := &mtme.Pair{Sources: two, Domains: []string{"news", "news"}, Documents: []string{"d", "d"}}
	c := comparison{
		human:   &metaeval.Scores{Systems: []string{"a", "b"}, Items: two, Values: []float64{1, math.NaN(), 3, 5}},
		metrics: []metaeval.Metric{{Name: "m", Scores: &metaeval.Scores{Systems: []string{"a", "b"}, Items: two, Values: []float64{10, 20, 30, 40}}}},
	}
	if err := c.documents(p); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Concat(c.human.Values, c.metrics[0].Scores.Values), []float64{1, 4, 10, 35}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestErrors(t *testing.T) {
	of := func(change func(*Task)) []Task {
		task := Task{LanguagePairs: []string{"en-de"}, Measure: Pearson}
		change(&task)
		return []Task{{LanguagePairs: []string{"he-en"}, Measure: Pearson}, task}
	}
	for _, tt := range []struct {
		tasks []Task
		o     Options
		want  string
	}{
		{nil, Options{}, "tasks: there are none"},
		{WMT23("en-de"), Options{Permutations: -1}, "tasks: -1 permutations"},
		{WMT23("en-de"), Options{Alpha: math.NaN()}, "tasks: level of significance NaN"},
		{WMT23("en-de"), Options{Permutations: 1e8}, "take fewer permutations or metrics"},
		{of(func(t *Task) { t.LanguagePairs = nil }), Options{}, "tasks: task 2,  system pearson: language_pairs: there is none"},
		{of(func(t *Task) { t.Level = 7 }), Options{}, "level: there is no Level(7)"},
		{of(func(t *Task) { t.Measure = -1 }), Options{}, "measure: there is no Measure(-1)"},
		{of(func(t *Task) { t.Grouping = 9 }), Options{}, "group: there is no Grouping(9)"},
		{of(func(t *Task) { t.Weight = math.Inf(1) }), Options{}, "weight: +Inf"},
		{of(func(t *Task) { t.Set = "wmt99" }), Options{}, "task 2, en-de system pearson: mtme:"},
		{of(func(t *Task) { t.LanguagePairs[0] = "zh-en" }), Options{}, `no language pair "zh-en"`},
		{of(func(t *Task) { t.Domain = "chat" }), Options{}, `domain: wmt23 en-de has no "chat": there is news, speech`},
		{of(func(t *Task) { t.Human = "esa" }), Options{}, "no human scores esa.sys"},
		{of(func(t *Task) { t.Rules = &mtme.Rules{Reference: "refA"} }), Options{}, "human: name the kind"},
		{of(func(t *Task) { t.Rules = &mtme.Rules{Reference: "refZ"}; t.Human = "mqm" }), Options{}, `no reference "refZ"`},
		{of(func(t *Task) { t.Systems = map[string][]string{"en-de": {"Alpha", "Zeta"}} }), Options{}, `systems: wmt23 en-de has no system "Zeta" that is judged`},
		{of(func(t *Task) { t.Systems = map[string][]string{"en-de": {"Beta", "Beta"}} }), Options{}, "systems: Beta stands twice"},
		{of(func(t *Task) { t.Systems = map[string][]string{"en-de": {"Alpha"}} }), Options{}, "1 systems with people's scores"},
		{WMT23("en-de"), Options{Judged: only("none")}, "no metric's scores"},
	} {
		if _, err := Run(t.Context(), ownTree(t), tt.tasks, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// A metric that lacks what a task compares is not in the average; it is in other tasks.
func TestMissingFile(t *testing.T) {
	all := Options{NoTests: true, Judged: func(_, _ string) bool { return true }}
	r, err := Run(t.Context(), ownTree(t), WMT23("en-de")[1:3], all)
	if err != nil {
		t.Fatal(err)
	}
	has := func(values []Value) bool {
		return slices.ContainsFunc(values, func(v Value) bool { return v.Metric == "SysOnly[noref]" })
	}
	if !has(r.Tasks[0].Metrics) || has(r.Tasks[1].Metrics) || len(r.Metrics) != len(r.Tasks[1].Metrics) {
		t.Errorf("systems %v, segments %v, %d averages", has(r.Tasks[0].Metrics), has(r.Tasks[1].Metrics), len(r.Metrics))
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ctx = mteval.WithProgress(ctx, func(done, total int) {
		if done > total {
			t.Errorf("%d of %d", done, total)
		}
		cancel()
	})
	tasks := []Task{{LanguagePairs: []string{"en-de"}, Level: Segment, Measure: AccEq, Grouping: metaeval.BySystem}}
	if _, err := Run(ctx, ownTree(t), tasks, Options{Permutations: 500_000}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := Run(ctx, ownTree(t), tasks, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: error %v", err)
	}
}

// Ranks never fall; the first of a rank is worse than one of the rank before, and no other is
// than one before it.
func TestRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		p := square[float64](n)
		for a := range n {
			for b := a + 1; b < n; b++ {
				p[a][b] = rapid.SampledFrom([]float64{.01, .05, .2}).Draw(t, "p")
			}
		}
		got, err := ranks(p, .05)
		if err != nil {
			t.Fatal(err)
		}
		worse := func(i, rank int) bool {
			for a := range i {
				if got[a] == rank && p[a][i] <= .05 {
					return true
				}
			}
			return false
		}
		for i := range got {
			if i == 0 {
				if got[0] != 1 {
					t.Fatalf("%v", got)
				}
				continue
			}
			if up := got[i] - got[i-1]; up < 0 || up > 1 || (up == 1) != worse(i, got[i-1]) {
				t.Fatalf("%v of %v", got, p)
			}
		}
	})
}

// A metric under two names is no better than itself, on any task and on average: every
// permutation has their difference, which is 0.
func TestTwins(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "testdata", "tree"))); err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "wmt23", "metric-scores", "*", "chrF-*"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(strings.Replace(path, "chrF-", "twin-", 1), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := mtme.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), tree, WMT23("en-de", "he-en"), Options{Permutations: 20, Judged: only("chrF", "twin")})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Metrics) != 2 || r.P[0][1] != 1 || r.Metrics[1].Rank != 1 {
		t.Errorf("averages %+v, p %v", r.Metrics, r.P)
	}
	for _, task := range r.Tasks {
		if task.P[0][1] != 1 || task.Metrics[1].Rank != 1 {
			t.Errorf("%v: %+v, p %v", task.Task, task.Metrics, task.P)
		}
	}
}

// Where each keeps its own, and where all are swapped, values are those of the metrics and
// the same the other way round.
func TestContests(t *testing.T) {
	o := Options{}
	for _, task := range every() {
		if !task.Measure.tested() {
			continue
		}
		var r TaskResult
		s, err := newReader(ownTree(t), &o).values(t.Context(), task, &r)
		if err != nil {
			t.Fatal(err)
		}
		p := newPermuter(newArena(task, s, r.epsilons()), task, &o, nil)
		c := p.arena.contest(1, 0)
		a, b := p.asIs(c)
		if math.Abs(a-r.Metrics[1].Value) > 1e-9 || math.Abs(b-r.Metrics[0].Value) > 1e-9 {
			t.Errorf("%v: %v and %v, want %v and %v", task, a, b, r.Metrics[1].Value, r.Metrics[0].Value)
		}
		clear(p.batch[0])
		if x, y := c.of(p.batch[0], &p.scratch[0]); math.Abs(x-b) > 1e-9 || math.Abs(y-a) > 1e-9 {
			t.Errorf("%v: swapped %v and %v, not %v and %v", task, x, y, a, b)
		}
	}
}

// Soft pairwise accuracy is of the segments on which every system has people's scores, others of
// those on which some system has.
func TestItems(t *testing.T) {
	nan := math.NaN()
	p := &mtme.Pair{Sources: make([]string, 4), Domains: []string{"news", "news", "chat", "news"}}
	human := &metaeval.Scores{Systems: []string{"a", "b", "c", "outlier"}, Items: p.Segments(), Values: []float64{
		1, 2, 3, nan,
		1, nan, 3, nan,
		1, 2, 3, nan,
		1, 2, 3, 4,
	}}
	for _, tt := range []struct {
		measure Measure
		domain  string
		want    string
	}{
		{SoftPairwiseAccuracy, "", "1 3"}, {SoftPairwiseAccuracy, "news", "1"},
		{AccEq, "", "1 2 3"}, {AccEq, "news", "1 2"},
	} {
		task := Task{Measure: tt.measure, Domain: tt.domain, Level: Segment}
		if got := strings.Join(task.items(p, human, []string{"a", "b", "c"}), " "); got != tt.want {
			t.Errorf("%v of %q: segments %s, want %s", tt.measure, tt.domain, got, tt.want)
		}
	}
}

// A segment of which people judged one output has no pair, and no part in the mean: of the three
// pairs of the other the metrics have 2 and 1 right.
func TestVerdictsOfOne(t *testing.T) {
	s := &sample{human: []float64{1, 2, 3, 7}, ends: []int{3, 4}, metrics: [][]float64{{1, 3, 2, 5}, {3, 1, 2, 5}}}
	c := newVerdicts(s, []float64{0, 0}).contest(0, 1)
	all := ^uint64(0)
	if a, b := c.of([]uint64{all, all}, new(scratch)); a != 2./3 || b != 1./3 {
		t.Errorf("%v and %v, want 2/3 and 1/3", a, b)
	}
}
