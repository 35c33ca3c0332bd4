package meta_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/meta"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
)

// treeStats are statistics of a metric: a value, or a list of which the first is one.
type treeStats struct{ Sys, Seg map[string]any }

// A treeGolden is what mt-metrics-eval has for a configuration, by METRIC-REF.
type treeGolden struct {
	Refs    []string `json:"refs"`
	Human   bool     `json:"include_human"`
	Gold    string
	Systems []string `json:"systems_sorted"`
	Metrics map[string]treeStats
	Domains map[string]struct {
		Metrics map[string]treeStats
	}
}

// The values of mt-metrics-eval for WMT23, through the command: of the tasks' configuration those of
// systems, and of segments by item. MTEVAL_FULL asks for all, which takes minutes; package mtme
// checks all through the library.
func TestMetaTreeWMT23(t *testing.T) {
	if race.Enabled {
		t.Skip("numbers alone")
	}
	full := os.Getenv("MTEVAL_FULL") != ""
	dir := clitest.Wmt23Tree(t)
	var golden struct {
		Evalsets map[string]struct{ Configs map[string]treeGolden }
	}
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "mtme", "golden-mtme.json"), &golden)
	for lp, set := range golden.Evalsets {
		for name, want := range set.Configs {
			if name != "official" && !full {
				continue
			}
			t.Run(lp+"/"+name, func(t *testing.T) {
				line := []string{"--mtme", dir, "--lp", lp}
				if name != "official" {
					line = append(line, "--reference", want.Refs[0], "--human-score", want.Gold)
				}
				if name == "alt_ref" {
					line = append(line, "--include", "human")
				}
				if name == "no_human" {
					line = append(line, "--exclude", "refA")
				}
				c := &treeCheck{T: t, full: full}
				c.run(line, want.Systems, want.Metrics)
				for domain, d := range want.Domains {
					if !full {
						break
					}
					c.run(append(line, "--domain", domain), want.Systems, d.Metrics)
				}
				t.Logf("%d values", c.values)
				for what, n := range c.wrong {
					t.Errorf("%s: %d differ, such as %s", what, n, c.worst[what])
				}
			})
		}
	}
}

// A treeCheck compares values by name, and counts them.
type treeCheck struct {
	*testing.T
	full   bool
	values int
	wrong  map[string]int
	worst  map[string]string
}

func (c *treeCheck) value(where, what string, got, want float64) {
	c.values++
	if math.Abs(got-want) <= 1e-9 {
		return
	}
	if c.wrong == nil {
		c.wrong, c.worst = map[string]int{}, map[string]string{}
	}
	c.wrong[what]++
	c.worst[what] = fmt.Sprintf("%s: %v, want %v", where, got, want)
}

// run runs the command at both levels, with what golden values need.
func (c *treeCheck) run(line, systems []string, want map[string]treeStats) {
	levels := []string{"system", "segment item"}
	if c.full {
		levels = append(levels, "segment none", "segment system", "threshold 1")
	}
	for _, level := range levels {
		more := []string{"--samples", "0"}
		switch word, group, _ := strings.Cut(level, " "); {
		case word == "segment":
			more = append(more, "--level", "segment", "--group", group)
		case word == "threshold" && !needs(want, "kendall_like_item_1"):
			continue
		case word == "threshold":
			more = append(more, "--level", "segment", "--threshold", group)
		}
		got, _ := clitest.RunMeta(c.T, append(append([]string{}, line...), more...)...)
		var names []string
		for _, s := range got.Systems {
			names = append(names, s.System)
		}
		if strings.Join(names, " ") != strings.Join(systems, " ") {
			c.Errorf("%q: systems %q, want %q", line, names, systems)
		}
		if level == "system" {
			c.run10000(line, want)
		}
		for name, levels := range want {
			m := metric(&got, c.T, treeName(name))
			for key, v := range levels.Sys {
				if level == "system" {
					c.system(name, key, m, v)
				}
			}
			for key, v := range levels.Seg {
				c.segment(name, key, level, &got, m, v)
			}
		}
	}
}

// treeName is METRIC-REF as the command has it.
func treeName(name string) string {
	at := strings.LastIndex(name, "-")
	if name[at:] == "-src" {
		return name[:at] + "[noref]"
	}
	return name[:at]
}

// needs says whether there is a statistic.
func needs(want map[string]treeStats, key string) bool {
	for _, of := range want {
		if of.Sys[key] != nil || of.Seg[key] != nil {
			return true
		}
	}
	return false
}

// run10000 is soft pairwise accuracy of as many permutations, where there is a golden value.
func (c *treeCheck) run10000(line []string, want map[string]treeStats) {
	if !c.full || !needs(want, "pce_10000_seed4") {
		return
	}
	got, _ := clitest.RunMeta(c.T, append(append([]string{}, line...), "--samples", "10000")...)
	for name, levels := range want {
		v, _ := first(levels.Sys["pce_10000_seed4"])
		c.value(name, "pce_10000", metric(&got, c.T, treeName(name)).Measures["soft_pairwise_accuracy"].Value, v)
	}
}

// first is a value, or the first two of a list.
func first(v any) (float64, float64) {
	switch v := v.(type) {
	case float64:
		return v, math.NaN()
	case []any:
		x, _ := v[0].(float64)
		n, _ := v[len(v)-1].(float64)
		return x, n
	}
	return math.NaN(), math.NaN()
}

func (c *treeCheck) system(where, key string, m meta.MetaMetricJSON, want any) {
	v, p := first(want)
	correlation := func(measure string) {
		got := m.Measures[measure]
		if got == nil || got.P == nil {
			c.value(where, key, math.NaN(), v)
			return
		}
		c.value(where, key, got.Value, v)
		c.value(where, key+" p", *got.P, p)
	}
	switch key {
	case "accuracy", "kv_acc23":
		c.value(where, key, m.Measures["pairwise_accuracy"].Value, v)
	case "kv_23":
		c.value(where, key, 2*m.Measures["pairwise_accuracy"].Value-1, v)
	case "agree":
		c.value(where, key, float64(*m.Agree), v)
	case "pairs":
		c.value(where, key, float64(*m.PairsOfSystems), v)
	case "pearson_p":
		correlation("pearson")
	case "spearman_p":
		correlation("spearman")
	case "kendall_b_p":
		correlation("kendall")
	case "kendall_c_p":
		correlation("tau_c")
	case "kv_b":
		c.value(where, key, m.Measures["kendall"].Value, v)
	case "kv_c":
		c.value(where, key, m.Measures["tau_c"].Value, v)
	case "pce_1000_seed4":
		c.value(where, key, m.Measures["soft_pairwise_accuracy"].Value, v)
	case "pce_10000_seed4", "pce_1000_seeds0to9": // run10000, and seeds that the command has not
	default:
		c.Errorf("unknown statistic %s", key)
	}
}

func (c *treeCheck) segment(where, key, level string, got *meta.JSON, m meta.MetaMetricJSON, want any) {
	v, n := first(want)
	if level == "system" {
		return
	}
	if level == "threshold 1" || key == "kendall_like_item_25" || key == "kendall_like_item_1" {
		if level == "threshold 1" && key == "kendall_like_item_1" || level == "segment item" && key == "kendall_like_item_25" {
			c.value(where, key, m.Measures["kendall_4c"].Value, v)
			c.value(where, key+" pairs", float64(got.Pairs.Ranked), n)
		}
		return
	}
	group := strings.Replace(strings.TrimPrefix(level, "segment "), "system", "sys", 1)
	if !strings.Contains(key+"_", "_"+group+"_") {
		return
	}
	mean := func(measure string) {
		got := m.Measures[measure]
		if got == nil {
			c.value(where, key, math.NaN(), v)
			return
		}
		value, groups := got.Value, got.Groups
		if strings.HasSuffix(key, "_nan0") {
			value *= float64(groups) / float64(groups+got.Undefined)
			groups += got.Undefined
		}
		if strings.HasSuffix(key, "_23") {
			value = 2*value - 1
		}
		c.value(where, key, value, v)
		c.value(where, key+" groups", float64(groups), n)
	}
	switch strings.TrimSuffix(strings.Replace(key, "_"+group, "", 1), "_nan0") {
	case "pdp":
		c.value(where, key, m.Measures["pairwise_difference_pearson"].Value, v)
	case "acc_t":
		c.value(where, key, m.Measures["acc_eq"].Value, v)
	case "acc_t_eps":
		c.value(where, key, *m.Epsilon, v)
	case "tau23_t":
		c.value(where, key, m.Measures["tau_eq"].Value, v)
	case "tau23_t_eps":
		c.value(where, key, *m.TauEpsilon, v)
	case "kv_acc23_at_eps":
		mean("acc_eq")
	case "kv_acc23", "kv_23":
		mean("acc_eq_0")
	case "pearson":
		mean("pearson")
	case "spearman":
		mean("spearman")
	case "kendall_b", "kv_b":
		mean("kendall")
	case "kv_c":
		mean("tau_c")
	default:
		c.Errorf("unknown statistic %s", key)
	}
}
