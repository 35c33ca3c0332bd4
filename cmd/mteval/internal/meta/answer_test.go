package meta

import (
	"math"
	"testing"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/meta"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme/tasks"
	"github.com/mteval/mteval/significance"
)

// valuedMetrics is an output of metrics a, b, c … with these values of a measure, none where one is
// NaN.
func valuedMetrics(level, key string, values ...float64) *metaOutput {
	out := &metaOutput{Result: &meta.Result{Measures: []meta.Measure{{Key: key, Tested: true}}}, people: &people{}}
	out.options = &app.MetaOptions{Level: level, Alpha: .05, Set: pflag.NewFlagSet("", pflag.ContinueOnError), Forms: metaeval.KendallForms()}
	for k, v := range values {
		m := meta.MetricResult{Metric: metaeval.Metric{Name: string(rune('a' + k))}, Values: make(map[string]*meta.Value)}
		if v == v {
			m.Values[key] = &meta.Value{Value: v}
		}
		out.Metrics = append(out.Metrics, m)
	}
	return out
}

// tested adds a comparison of two metrics.
func (s *metaOutput) tested(x, y string, adjusted float64) *metaOutput {
	s.Comparisons = append(s.Comparisons, meta.Comparison{Measure: s.Measures[0].Key, X: x, Y: y, Adjusted: adjusted})
	return s
}

func TestMetaAnswer(t *testing.T) {
	interval := valuedMetrics("system", "pearson", .9)
	interval.Metrics[0].Values["pearson"].Interval = &significance.Interval{Low: .8, High: .95}
	lower := valuedMetrics("segment", "kendall_5", .3, -.4)
	lower.Metrics[1].LowerIsBetter = true
	tree := valuedMetrics("segment", "acc_eq", .5, .6)
	tree.people.tree = &judgedPair{}
	for name, tt := range map[string]struct {
		output *metaOutput
		want   string
	}{
		"one":           {interval, "a agrees with people about systems by Pearson 0.9000, 95% interval 0.8000 to 0.9500."},
		"not tested":    {valuedMetrics("system", "pearson", .8, .9), "b agrees best with people about systems (Pearson 0.9000). Whether that is more than chance was not tested."},
		"better":        {valuedMetrics("system", "pearson", .8, .9).tested("a", "b", .05), "b agrees best with people about systems (Pearson 0.9000). It is significantly better than a (p = 0.0500, adjusted for all pairs of metrics)."},
		"not better":    {valuedMetrics("system", "pearson", .8, .9).tested("b", "a", .051), "b agrees best with people about systems (Pearson 0.9000). It is not told apart from a (p = 0.0510, adjusted for all pairs of metrics)."},
		"than one":      {valuedMetrics("segment", "kendall_4c", .3, .1, .2).tested("a", "b", .01).tested("a", "c", .2).tested("b", "c", .5), "a agrees best with people about segments (Kendall's tau 4c 0.3000). It is significantly better than b (p = 0.0100), but not told apart from c (p = 0.2000, adjusted for all pairs of metrics)."},
		"the same":      {valuedMetrics("system", "pearson", .8, .8).tested("a", "b", 1), "a and b agree best with people, and equally, about systems (Pearson 0.8000)."},
		"same, another": {valuedMetrics("system", "pearson", .8, .8, .5).tested("a", "b", 1).tested("a", "c", .3), "a and b agree best with people, and equally, about systems (Pearson 0.8000). a is not told apart from c (p = 0.3000, adjusted for all pairs of metrics)."},
		"against":       {valuedMetrics("system", "pearson", -.8, -.1), "No metric agrees with people about systems: the least against them is b (Pearson -0.1000)."},
		"undefined":     {valuedMetrics("system", "pearson", math.NaN(), math.NaN()), "How far metrics agree with people about systems is undefined by Pearson, for all of them."},
		"error metric":  {lower, "b agrees best with people about segments (Kendall's tau 5 -0.4000). Whether that is more than chance was not tested."},
		"tree":          {tree, "b agrees best with people about segments (acc_eq 0.6000). Whether that is more than chance was not tested."},
	} {
		t.Run(name, func(t *testing.T) {
			if key := tt.output.Measures[0].Key; key == "kendall_5" {
				tt.output.options.Forms = tt.output.options.Forms[3:]
			}
			if got := tt.output.answer(); got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTasksAnswer(t *testing.T) {
	metrics := []tasks.Average{{Metric: "a", Average: .8}, {Metric: "b", Average: .7}, {Metric: "c", Average: .6}}
	same := []tasks.Average{{Metric: "a", Average: .8}, {Metric: "b", Average: .8}}
	for name, tt := range map[string]struct {
		result tasks.Result
		want   string
	}{
		"none":       {tasks.Result{}, "No metric has scores for all tasks, so none is the best on average."},
		"not tested": {tasks.Result{Metrics: metrics}, "a has the best average over 2 tasks (0.800). Whether that is more than chance was not tested."},
		"tested": {tasks.Result{Metrics: metrics, P: [][]float64{{0, .2, .05}, {0, 0, .1}, {0, 0, 0}}},
			"a has the best average over 2 tasks (0.800). It is significantly better than c (p = 0.0500), but not told apart from b (p = 0.2000)."},
		"the same": {tasks.Result{Metrics: same}, "a and b have the best average over 2 tasks (0.800)."},
	} {
		tt.result.Tasks = make([]tasks.TaskResult, 2)
		s := &tasksOutput{Result: &tt.result, options: &app.MetaOptions{Alpha: .05}}
		if got := s.answer(); got != tt.want {
			t.Errorf("%s: %s\nwant %s", name, got, tt.want)
		}
	}
}
