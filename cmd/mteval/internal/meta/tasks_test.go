package meta_test

import (
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/meta"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
)

var ownTree = filepath.Join("..", "..", "mtme", "testdata", "tree")

func TestMetaTasksGolden(t *testing.T) {
	tasks := filepath.Join(t.TempDir(), "tasks.json")
	clitest.Write(t, tasks, `[
  {"language_pairs": ["he-en"], "measure": "soft_pairwise_accuracy", "weight": 2},
  {"language_pairs": ["en-de"], "level": "document", "measure": "kendall", "group": "system"},
  {"language_pairs": ["en-de"], "measure": "spearman", "human": "da-sqm"},
  {"language_pairs": ["en-de"], "domain": "speech", "level": "segment", "measure": "pairwise_difference_pearson", "group": "item"}
]`)
	for name, line := range map[string]string{
		"wmt23":      "--tasks wmt23 --samples 200",
		"wmt23-tsv":  "--tasks wmt23 --lp en-de --samples 100 --format tsv --alpha .2",
		"wmt24":      "--tasks wmt24-on-wmt23 --samples 0",
		"wmt24-tex":  "--tasks wmt24-on-wmt23 --lp he-en,en-de --samples 50 --format latex --seed 7",
		"file":       "--tasks FILE --samples 100 --metrics primary,Sys*",
		"file.json":  "--tasks FILE --samples 20 --metrics chrF,eBLEU,SysOnly --format json",
		"wmt23.json": "--tasks wmt23 --samples 20 --metrics chrF,eBLEU,BLEU --format json",
	} {
		t.Run(name, func(t *testing.T) {
			words := strings.Fields("meta " + line)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], "FILE", tasks)
			}
			stdout, stderr, status := clitest.Exec(t, append(words, "--mtme", ownTree)...)
			if status != 0 {
				t.Fatalf("status %d, %s", status, stderr)
			}
			stdout = strings.ReplaceAll(stdout, tasks, "tasks.json")
			var options []cmp.Option
			if strings.Contains(line, "json") {
				options = []cmp.Option{cmpopts.EquateApprox(1e-9, 1e-12)}
			} else if stderr != "" {
				stdout += "\nstandard error:\n" + stderr
			}
			clitest.CheckGolden(t, "meta-tasks-"+name+".txt", stdout, options...)
		})
	}
}

func TestMetaTasksErrors(t *testing.T) {
	tasks := filepath.Join(t.TempDir(), "tasks.json")
	clitest.Write(t, tasks, `[{"language_pairs": ["he-en"], "measure": "pearson"},
  {"language_pairs": ["he-en"], "measure": "bleu"}]`)
	for line, want := range map[string]string{
		"--tasks wmt23 --level segment":      "--tasks says what is compared: leave --level out",
		"--tasks wmt23 --scores x.tsv":       "--tasks judges metrics of the tree: leave --scores out",
		"--tasks wmt23 --html x.html":        "--tasks has no page: leave --html out",
		"--tasks wmt23 x.tsv":                "x.tsv",
		"--tasks wmt22":                      `no tasks "wmt22" (did you mean wmt23?)`,
		"--tasks wmt23 --lp de-en":           `no language pair "de-en": there is en-de, he-en`,
		"--tasks wmt23 --metrics BLUE":       "--metrics BLUE: no such metric: have BLEU, CometKiwi",
		"--tasks wmt23 --seed 4294967296":    "--seed 4294967296: with --tasks",
		"--tasks none.json":                  "none.json: no such file",
		"--tasks " + tasks:                   `tasks.json: task 2: measure: unknown "bleu"`,
		"--tasks " + tasks + " --lp en-de":   "--lp: the file of --tasks says",
		"--tasks wmt23 --samples 1000000":    "take fewer permutations or metrics",
		"--tasks wmt24-on-wmt23 --set wmt23": "leave --set out",
	} {
		_, stderr, status := clitest.Exec(t, append(append([]string{"meta"}, strings.Fields(line)...), "--mtme", ownTree)...)
		if status == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s; want %s", line, status, stderr, want)
		}
	}
	if _, stderr, status := clitest.Exec(t, "meta", "--tasks", "wmt23"); status == 0 || !strings.Contains(stderr, "--tasks is an option of --mtme") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func runTasks(t *testing.T, line ...string) (got meta.TasksJSON) {
	t.Helper()
	stdout, stderr, status := clitest.Exec(t, append([]string{"meta", "--format", "json"}, line...)...)
	if status != 0 {
		t.Fatalf("%s: status %d, %s", line, status, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// A tasksGolden is what mt-metrics-eval has for a set of tasks: lists of names, values and
// ranks.
type tasksGolden struct {
	AvgCorr     [][]any            `json:"avg_corr"`
	AvgCorrRank [][]any            `json:"avg_corr_rank"`
	AvgP        [][]float64        `json:"avg_p_matrix"`
	MeanRanks   map[string]float64 `json:"average_ranks"`
	Seed        float64
	K           float64
	Tasks       []struct {
		Corr     [][]any
		CorrRank [][]any     `json:"corr_rank"`
		P        [][]float64 `json:"p_matrix"`
	}
}

// orderedTasks is a file of tasks that take the systems in the order that mt-metrics-eval had.
func orderedTasks(t *testing.T, lps map[string][]string, tasks ...map[string]any) string {
	for _, task := range tasks {
		task["systems"] = lps
	}
	text, err := json.Marshal(tasks)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tasks.json")
	clitest.Write(t, path, string(text))
	return path
}

// The averages and values of mt-metrics-eval for WMT23's and WMT24's tasks, through the command;
// and p-values and ranks from the seed, of five metrics.
func TestMetaTasksWMT23(t *testing.T) {
	if race.Enabled {
		t.Skip("numbers alone")
	}
	dir := clitest.Wmt23Tree(t)
	var golden struct {
		Evalsets map[string]struct {
			Configs map[string]struct {
				Order []string `json:"system_order_in_code"`
			}
		}
		Sets  map[string]json.RawMessage `json:"task_sets"`
		Masks struct {
			Subset tasksGolden `json:"avg_corr_matrix_subset"`
		} `json:"perm_masks"`
	}
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "mtme", "golden-mtme.json"), &golden)
	order := map[string][]string{}
	var acc, soft []map[string]any
	acc = append(acc, map[string]any{"language_pairs": []string{"en-de", "he-en"}, "measure": "pairwise_accuracy", "weight": 2})
	for _, lp := range []string{"en-de", "he-en"} {
		order[lp] = golden.Evalsets[lp].Configs["official"].Order
		pair := map[string]any{"language_pairs": []string{lp}}
		add := func(list *[]map[string]any, measure, level, group string) {
			task := maps.Clone(pair)
			task["measure"], task["level"], task["group"] = measure, level, group
			*list = append(*list, task)
		}
		add(&acc, "pearson", "system", "none")
		add(&acc, "pearson", "segment", "none")
		add(&acc, "acc_eq", "segment", "item")
		add(&soft, "soft_pairwise_accuracy", "system", "none")
		add(&soft, "acc_eq", "segment", "item")
	}
	for _, tt := range []struct{ name, tasks string }{
		{"wmt23_2lp", "wmt23"},
		{"wmt23_2lp", orderedTasks(t, order, acc...)},
		{"wmt24_on_wmt23_2lp", orderedTasks(t, order, soft...)},
	} {
		var want tasksGolden
		if err := json.Unmarshal(golden.Sets[tt.name], &want); err != nil {
			t.Fatal(err)
		}
		checkTasks(t, tt.tasks, want, runTasks(t, "--mtme", dir, "--tasks", tt.tasks, "--samples", "0"))
	}
	checkTasks(t, "five metrics", golden.Masks.Subset, runTasks(t, "--mtme", dir, "--tasks", orderedTasks(t, order, acc...),
		"--samples", "20", "--seed", "3", "--metrics", "XCOMET-Ensemble,COMET,MetricX-23,BLEU,chrF"))
}

// checkTasks compares what golden values have.
func checkTasks(t *testing.T, where string, want tasksGolden, got meta.TasksJSON) {
	t.Helper()
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 })
	var averages, ranked [][]any
	means := map[string]float64{}
	for _, m := range got.Metrics {
		averages, ranked = append(averages, []any{m.Metric, m.Average}), append(ranked, []any{m.Metric, m.Average, float64(m.Rank)})
		means[m.Metric] = m.MeanRank
	}
	if want.AvgCorr != nil {
		if d := cmp.Diff(want.AvgCorr, averages, near); d != "" {
			t.Errorf("%s: averages (-want +got):\n%s", where, d)
		}
	} else if d := cmp.Diff(want.AvgCorrRank, ranked, near); d != "" {
		t.Errorf("%s: averages (-want +got):\n%s", where, d)
	}
	if want.MeanRanks != nil {
		if d := cmp.Diff(want.MeanRanks, means, near); d != "" {
			t.Errorf("%s: mean ranks (-want +got):\n%s", where, d)
		}
		if d := cmp.Diff(upperOf(want.AvgP), pOf(got.Comparisons)); d != "" {
			t.Errorf("%s: p-values of averages (-want +got):\n%s", where, d)
		}
	}
	for i, task := range want.Tasks {
		var values, ranked [][]any
		for _, m := range got.Tasks[i].Metrics {
			values, ranked = append(values, []any{m.Metric, m.Value}), append(ranked, []any{m.Metric, m.Value, float64(m.Rank)})
		}
		if task.Corr != nil {
			if d := cmp.Diff(task.Corr, values, near); d != "" {
				t.Errorf("%s: task %d (-want +got):\n%s", where, i+1, d)
			}
			continue
		}
		if d := cmp.Diff(task.CorrRank, ranked, near); d != "" {
			t.Errorf("%s: task %d (-want +got):\n%s", where, i+1, d)
		}
		if d := cmp.Diff(upperOf(task.P), pOf(got.Tasks[i].Comparisons)); d != "" {
			t.Errorf("%s: p-values of task %d (-want +got):\n%s", where, i+1, d)
		}
	}
}

// upperOf is the part of a matrix right of the diagonal, by row.
func upperOf(p [][]float64) (out []float64) {
	for i := range p {
		out = append(out, p[i][i+1:]...)
	}
	return out
}

func pOf(all []meta.BetterJSON) (out []float64) {
	for _, c := range all {
		out = append(out, c.P)
	}
	return out
}
