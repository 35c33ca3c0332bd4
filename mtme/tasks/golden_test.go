package tasks

import (
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

// sharedTree unpacks WMT23's data. MTEVAL_MTME names a folder where it is already.
func sharedTree(t *testing.T) *mtme.Tree {
	t.Helper()
	dir := os.Getenv("MTEVAL_MTME")
	if dir == "" {
		path := shareddata.Path(t, "data", "mtme", "mtme-en-de-he-en.tar.xz")
		dir = t.TempDir()
		if out, err := exec.CommandContext(t.Context(), "tar", "-xJf", path, "-C", dir).CombinedOutput(); err != nil {
			t.Skipf("needs tar and xz: %v %s", err, out)
		}
		dir = filepath.Join(dir, "mtme-en-de-he-en")
	}
	tree, err := mtme.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A pairTest is a recorded test of two metrics with its coins.
type pairTest struct {
	Metric1, Metric2 string
	Seed             uint32
	P, Delta         float64
	Used             int `json:"k_used"`
	Draws            [][2]float64
	Masks            []any
}

type goldenTask struct {
	Name     string
	Corr     [][]any
	CorrRank [][]any     `json:"corr_rank"`
	P        [][]float64 `json:"p_matrix"`
	Upper    [][]float64 `json:"p_upper"`
	Draws    map[string][][2]float64
}

type goldenSet struct {
	Weights      []float64
	AvgCorr      [][]any     `json:"avg_corr"`
	AvgCorrRank  [][]any     `json:"avg_corr_rank"`
	AvgUpper     [][]float64 `json:"avg_p_upper"`
	AverageRanks [][]any     `json:"average_ranks"`
	ByPair       []float64   `json:"assign_weights_lang_level"`
	ByLevel      []float64   `json:"assign_weights_level_corr_fcn"`
	Tasks        []goldenTask
}

type golden struct {
	Evalsets map[string]struct {
		Configs map[string]struct {
			Order []string `json:"system_order_in_code"`
		}
	}
	TaskSets     map[string]goldenSet `json:"task_sets"`
	Significance struct {
		Set goldenSet `json:"wmt23_2lp"`
	}
	Masks struct {
		SysPearson     []pairTest `json:"sys_pearson"`
		SegPearson     []pairTest `json:"seg_pearson_none"`
		SegAcc         []pairTest `json:"seg_kendall_acc23_item"`
		SegPairs       []pairTest `json:"seg_acc_t_item_pairs"`
		SysPearsonStop []pairTest `json:"sys_pearson_early_stopping_block100_k1000"`
		Subset         struct {
			Seed        uint32
			K           int
			AvgCorrRank [][]any            `json:"avg_corr_rank"`
			AvgP        [][]float64        `json:"avg_p_matrix"`
			MeanRank    map[string]float64 `json:"average_ranks"`
			Tasks       []goldenTask
		} `json:"avg_corr_matrix_subset"`
	} `json:"perm_masks"`
}

func readGolden(t *testing.T) (g golden) {
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "mtme", "golden-mtme.json"), &g)
	return g
}

// order is that in which mt-metrics-eval had the systems.
func (g golden) order() map[string][]string {
	out := map[string][]string{}
	for lp, set := range g.Evalsets {
		out[lp] = set.Configs["official"].Order
	}
	return out
}

// scored puts names and values of a list of a result as the recorded lists have them.
func scored(values []Value) (out [][]any) {
	for _, v := range values {
		out = append(out, []any{v.Metric, v.Value})
	}
	return out
}

var close9 = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 })

// What mt-metrics-eval has for WMT23.
func TestGolden(t *testing.T) {
	if race.Enabled {
		t.Skip("numbers alone")
	}
	tree, g := sharedTree(t), readGolden(t)
	for name, check := range map[string]func(*testing.T, *mtme.Tree, golden){
		"sets": checkSets, "masks": checkAllMasks, "averages of five metrics": checkSubset, "significance": checkSignificance,
	} {
		t.Run(name, func(t *testing.T) { check(t, tree, g) })
	}
}

func checkSets(t *testing.T, tree *mtme.Tree, g golden) {
	for name, tasks := range map[string][]Task{
		"wmt23_2lp": WMT23("en-de", "he-en"), "wmt24_on_wmt23_2lp": WMT24OnWMT23("he-en", "en-de"),
	} {
		want := g.TaskSets[name]
		for i := range tasks { // soft pairwise accuracy depends on it
			tasks[i].Systems = g.order()
		}
		checkWeights(t, tasks, want)
		r, err := Run(t.Context(), tree, tasks, Options{NoTests: true})
		if err != nil {
			t.Fatal(err)
		}
		var averages [][]any
		for _, m := range r.Metrics {
			averages = append(averages, []any{m.Metric, m.Average})
		}
		if d := cmp.Diff(want.AvgCorr, averages, close9); d != "" {
			t.Errorf("%s: averages (-want +got):\n%s", name, d)
		}
		for i, task := range want.Tasks {
			if d := cmp.Diff(task.Corr, scored(r.Tasks[i].Metrics), close9); d != "" {
				t.Errorf("%s: %v (-want +got):\n%s", name, tasks[i], d)
			}
			if d := cmp.Diff(want.Weights[i], r.Tasks[i].Weight, close9); d != "" {
				t.Errorf("%s: %v: weight (-want +got):\n%s", name, tasks[i], d)
			}
		}
	}
}

// checkWeights checks those that Weigh gives.
func checkWeights(t *testing.T, tasks []Task, want goldenSet) {
	pair := func(t Task) string { return strings.Join(t.LanguagePairs, ",") }
	level := func(t Task) string { return t.Level.String() }
	measure := func(t Task) string { return t.Measure.String() }
	for _, tt := range []struct {
		by   []func(Task) string
		want []float64
	}{{[]func(Task) string{pair, level}, want.ByPair}, {[]func(Task) string{level, measure}, want.ByLevel}} {
		weighed := slices.Clone(tasks)
		Weigh(weighed, tt.by...)
		var got []float64
		for _, task := range weighed {
			got = append(got, task.Weight)
		}
		if d := cmp.Diff(tt.want, got, close9); d != "" {
			t.Errorf("weights (-want +got):\n%s", d)
		}
	}
}

// only returns what says whether a metric is one of some.
func only(names ...string) func(set, metric string) bool {
	return func(_, metric string) bool { return slices.Contains(names, metric) }
}

func checkAllMasks(t *testing.T, tree *mtme.Tree, g golden) {
	segments := Task{LanguagePairs: []string{"en-de"}, Level: Segment}
	sys, none, exact, pairs := segments, segments, segments, segments
	sys.Level, sys.Measure = System, Pearson
	none.Measure = Pearson
	exact.Measure, exact.Grouping = AccEqExact, metaeval.ByItem
	pairs.Measure, pairs.Grouping = AccEq, metaeval.ByItem
	for _, tt := range []struct {
		task  Task
		tests []pairTest
		k     int
	}{
		{sys, g.Masks.SysPearson, 50}, {none, g.Masks.SegPearson, 10}, {exact, g.Masks.SegAcc, 5}, {pairs, g.Masks.SegPairs, 4},
		{sys, g.Masks.SysPearsonStop, 1000},
	} {
		if len(tt.tests) == 0 {
			t.Errorf("%v: no recorded test", tt.task)
		}
		for _, want := range tt.tests {
			o := Options{Permutations: tt.k, Judged: only(want.Metric1, want.Metric2)}
			var result TaskResult
			s, err := newReader(tree, &o).values(t.Context(), tt.task, &result)
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 3} {
				where := fmt.Sprintf("%v, %s and %s, %d workers", tt.task, want.Metric1, want.Metric2, workers)
				checkMasks(t, where, result, s, &o, want, workers)
			}
		}
	}
}

// at is where a metric stands in a task, by its name without [noref].
func at(r TaskResult, name string) int {
	return slices.IndexFunc(r.Metrics, func(v Value) bool { return strings.TrimSuffix(v.Metric, "[noref]") == name })
}

func checkMasks(t *testing.T, where string, r TaskResult, s *sample, o *Options, want pairTest, workers int) {
	// From the seed.
	p := newPermuter(newArena(r.Task, s, r.epsilons()), r.Task, o, numpyrand.NewCoins(want.Seed))
	p.workers = workers
	a, b := at(r, want.Metric1), at(r, want.Metric2)
	got, err := p.test(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	if got.p != want.P || got.used != want.Used {
		t.Errorf("%s: p %v of %d, want %v of %d", where, got.p, got.used, want.P, want.Used)
	}
	if want.Draws == nil {
		return
	}
	// The recorded draws have metric2 first.
	for i := range got.draws {
		got.draws[i][0], got.draws[i][1] = got.draws[i][1], got.draws[i][0]
	}
	if d := cmp.Diff(want.Draws, got.draws, close9); d != "" {
		t.Errorf("%s: draws (-want +got):\n%s", where, d)
	}
	x, y := p.asIs(p.arena.contest(a, b))
	if d := cmp.Diff(want.Delta, y-x, close9); d != "" {
		t.Errorf("%s: delta (-want +got):\n%s", where, d)
	}
	// The coins themselves.
	again := newPermuter(p.arena, r.Task, o, numpyrand.NewCoins(want.Seed))
	for i, mask := range want.Masks {
		again.toss(again.batch[0])
		if got, want := coinText(p.arena.rows(), again.batch[0], r.Task.Measure == AccEq), maskText(t, mask, s); got != want {
			t.Fatalf("%s: coins %d differ", where, i+1)
		}
	}
}

// coinText has the coins that count as 0 and 1: of pairs the upper triangle.
func coinText(rows []int, coins []uint64, triangle bool) string {
	var b strings.Builder
	for _, n := range rows {
		size := int(math.Sqrt(float64(n)))
		for i := range n {
			if !triangle || i%size > i/size {
				b.WriteByte('0' + byte(coins[i/64]>>(i%64)&1))
			}
		}
		coins = coins[(n+63)/64:]
	}
	return b.String()
}

// maskText is a recorded mask as 0 and 1.
func maskText(t *testing.T, mask any, s *sample) string {
	text, n := "", 0
	switch m := mask.(type) {
	case string:
		text, n = m, len(s.human)
		if len(m) == n {
			return m
		}
	case map[string]any:
		text, n = m["hex"].(string), int(m["bits"].(float64))
	}
	if len(text)%2 == 1 {
		text = "0" + text
	}
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, x := range data {
		fmt.Fprintf(&b, "%08b", x)
	}
	return b.String()[b.Len()-n:]
}

// ranked is scored with ranks.
func ranked(values []Value) (out [][]any) {
	for _, v := range values {
		out = append(out, []any{v.Metric, v.Value, float64(v.Rank)})
	}
	return out
}

func averaged(r *Result) (averages [][]any, averageRanks map[string]float64) {
	averageRanks = map[string]float64{}
	for _, m := range r.Metrics {
		averages = append(averages, []any{m.Metric, m.Average, float64(m.Rank)})
		averageRanks[m.Metric] = m.MeanRank
	}
	return averages, averageRanks
}

func checkSubset(t *testing.T, tree *mtme.Tree, g golden) {
	want := g.Masks.Subset
	o := Options{Permutations: want.K, Seed: want.Seed, Judged: only("XCOMET-Ensemble", "COMET", "MetricX-23", "BLEU", "chrF")}
	tasks := WMT23("en-de", "he-en")
	for i := range tasks {
		tasks[i].Systems = g.order()
	}
	r, err := Run(t.Context(), tree, tasks, o)
	if err != nil {
		t.Fatal(err)
	}
	averages, averageRanks := averaged(r)
	if d := cmp.Diff(want.AvgCorrRank, averages, close9); d != "" {
		t.Errorf("averages (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want.AvgP, r.P, close9); d != "" {
		t.Errorf("p-values of averages (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want.MeanRank, averageRanks, close9); d != "" {
		t.Errorf("average ranks (-want +got):\n%s", d)
	}
	for i, task := range want.Tasks {
		if d := cmp.Diff(task.CorrRank, ranked(r.Tasks[i].Metrics), close9); d != "" {
			t.Errorf("%v (-want +got):\n%s", tasks[i], d)
		}
		if d := cmp.Diff(task.P, r.Tasks[i].P, close9); d != "" {
			t.Errorf("%v: p-values (-want +got):\n%s", tasks[i], d)
		}
	}
}

// checkSignificance is of the tests of all metrics: their recorded coins begin anew for
// each task.
func checkSignificance(t *testing.T, tree *mtme.Tree, g golden) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	tasks := WMT23("en-de", "he-en")
	r := &Result{}
	o := Options{}
	read := newReader(tree, &o)
	for i, task := range tasks {
		task.Systems = g.order()
		o.Permutations = 200
		if task.Measure == AccEq {
			o.Permutations = 20
		}
		got := TaskResult{Weight: g.Significance.Set.Weights[i]}
		s, err := read.values(t.Context(), task, &got)
		if err != nil {
			t.Fatal(err)
		}
		p := newPermuter(newArena(task, s, got.epsilons()), task, &o, numpyrand.NewCoins(1001+uint32(i)))
		if err := got.test(t.Context(), p, &o); err != nil {
			t.Fatal(err)
		}
		want := g.Significance.Set.Tasks[i]
		if d := cmp.Diff(want.CorrRank, ranked(got.Metrics), close9); d != "" {
			t.Errorf("%v (-want +got):\n%s", task, d)
		}
		if d := cmp.Diff(want.Upper, upper(got.P)); d != "" {
			t.Errorf("%v: p-values (-want +got):\n%s", task, d)
		}
		r.Tasks = append(r.Tasks, got)
	}
	if err := r.average(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	averages, averageRanks := averaged(r)
	if d := cmp.Diff(g.Significance.Set.AvgCorrRank, averages, close9); d != "" {
		t.Errorf("averages (-want +got):\n%s", d)
	}
	if d := cmp.Diff(g.Significance.Set.AvgUpper, upper(r.P)); d != "" {
		t.Errorf("p-values of averages (-want +got):\n%s", d)
	}
	for _, want := range g.Significance.Set.AverageRanks {
		if d := cmp.Diff(want[1], any(averageRanks[want[0].(string)]), close9); d != "" {
			t.Errorf("average rank of %v (-want +got):\n%s", want[0], d)
		}
	}
}

// upper has what stands right of the diagonal.
func upper(p [][]float64) (out [][]float64) {
	for i := range len(p) - 1 {
		out = append(out, p[i][i+1:])
	}
	return out
}
