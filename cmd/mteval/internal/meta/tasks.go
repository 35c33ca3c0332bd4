package meta

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/mtme"
	"github.com/mteval/mteval/mtme/tasks"
)

// taskSets are WMT's sets of tasks, by the names that --tasks has for them.
var taskSets = map[string]func(languagePairs ...string) []tasks.Task{
	"wmt23": tasks.WMT23, "wmt24-on-wmt23": tasks.WMT24OnWMT23,
}

// primaryMetrics is what --metrics calls those that the tasks of a set judge.
const primaryMetrics = "primary"

// addTasks adds --tasks, which says what is compared.
func addTasks(o *app.MetaOptions, fs *pflag.FlagSet) {
	flags.Var(fs, flags.EnumOrFile(&o.Tasks, "", "tasks", ".json", "wmt23", "wmt24-on-wmt23"), "tasks",
		"judge the metrics on tasks, as one table: wmt23, wmt24-on-wmt23, or a .json file of tasks").OptionOf("mtme").NoDefault().
		Excludes("says what is compared", "set", "level", "group", "kendall", "threshold", "sweep", "outliers", "exclude", "reference", "include", "domain", "by", "human-score", "ratings").
		Excludes("judges metrics of the tree", "scores", "lower-is-better", "higher-is-better", "write").
		Excludes("has no page", "html")
}

// checkTasks is check where there are tasks.
func checkTasks(ctx context.Context, o *app.MetaOptions, args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("--tasks judges metrics of the tree: %s can't be given, too", args[0])
	case o.Seed > math.MaxUint32:
		return fmt.Errorf("--seed %d: with --tasks it is that of numpy.random.seed, at most %d", o.Seed, uint32(math.MaxUint32))
	}
	return flags.CheckFiles(ctx, o.Set)
}

// metaTasks is meta for tasks on a tree.
func metaTasks(ctx context.Context, a *app.App, o *app.MetaOptions) error {
	start := time.Now()
	tree, err := mtme.Open(o.Tree.Dir)
	if err != nil {
		return err
	}
	all, err := readTasks(a, o, tree)
	if err != nil {
		return err
	}
	judged, err := taskMetrics(o)
	if err != nil {
		return err
	}
	work, done := a.WithProgress(ctx, start, "tests")
	r, err := tasks.Run(work, tree, all, tasks.Options{
		Judged: judged.is, NoTests: o.Samples == 0, Permutations: o.Samples, Seed: uint32(o.Seed), Alpha: o.Alpha,
	})
	done()
	// A name that is wrong is why there is no metric.
	if unknown := judged.unknown(); unknown != nil && ctx.Err() == nil {
		return unknown
	}
	if err != nil {
		return err
	}
	out := newTasksOutput(o, r)
	for _, w := range out.warnings {
		a.Note("warning: %s", w)
	}
	return writeTasks(a, out)
}

// readTasks returns the tasks that are asked for, of the language pairs that are.
func readTasks(a *app.App, o *app.MetaOptions, tree *mtme.Tree) ([]tasks.Task, error) {
	var pairs []string
	for _, lp := range strings.Split(o.Pair, ",") {
		if lp = strings.TrimSpace(lp); lp != "" {
			pairs = append(pairs, lp)
		}
	}
	set, ok := taskSets[o.Tasks]
	if !ok {
		if len(pairs) > 0 {
			return nil, errors.New("--lp: the file of --tasks says which language pairs there are")
		}
		return tasks.Open(o.Tasks)
	}
	if len(pairs) > 0 {
		return set(pairs...), nil
	}
	s, err := tree.Set("wmt23")
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, t := range set() {
		for _, lp := range t.LanguagePairs {
			switch has := slices.Contains(s.LanguagePairs, lp); {
			case has && !slices.Contains(pairs, lp):
				pairs = append(pairs, lp)
			case !has && !slices.Contains(missing, lp):
				missing = append(missing, lp)
			}
		}
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("%s: wmt23 in it has none of the task's language pairs, %s", o.Tree.Dir, strings.Join(missing, ", "))
	}
	if len(missing) > 0 {
		a.Note("warning: %s is not in the tree: the tasks are those without it", strings.Join(missing, ", "))
	}
	return set(pairs...), nil
}

// judgedMetrics are the metrics of --metrics.
type judgedMetrics struct {
	patterns []string
	names    []string // of the tree
}

func taskMetrics(o *app.MetaOptions) (*judgedMetrics, error) {
	patterns, err := app.SplitNames("metrics", o.Tree.Metrics, func(string) bool { return false })
	if len(patterns) == 0 {
		patterns = []string{primaryMetrics}
	}
	return &judgedMetrics{patterns: patterns}, err
}

func (j *judgedMetrics) is(set, metric string) bool {
	j.names = append(j.names, metric)
	return slices.ContainsFunc(j.patterns, func(p string) bool {
		if p != primaryMetrics {
			return app.Matches(p, metric)
		}
		primary := mtme.Primary(set)
		return primary == nil || slices.Contains(primary, metric)
	})
}

// unknown is an error for a name that no metric has, once all were asked for.
func (j *judgedMetrics) unknown() error {
	if len(j.names) == 0 {
		return nil
	}
	for _, p := range j.patterns {
		if p != primaryMetrics && !slices.ContainsFunc(j.names, func(name string) bool { return app.Matches(p, name) }) {
			return fmt.Errorf("--metrics %s: no such metric: have %s", p, app.List(app.Unique(j.names)))
		}
	}
	return nil
}
