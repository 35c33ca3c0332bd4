package mtme

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
)

// sharedTree unpacks WMT23's data. MTEVAL_MTME names a folder where it is already.
func sharedTree(t *testing.T) *Tree {
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
	tree, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

type goldenStats struct {
	Sys, Seg map[string]any
}

type goldenConfig struct {
	Refs    []string `json:"refs"`
	Human   bool     `json:"include_human"`
	Gold    string
	Systems []string `json:"systems_sorted"`
	Used    int      `json:"seg_scores_used"`
	Metrics map[string]goldenStats
	Domains map[string]struct {
		Metrics map[string]goldenStats
	}
	GoldP   [][]float64            `json:"gold_pvalues_1000_seed4"`
	MetricP map[string][][]float64 `json:"metric_pvalues_1000_seed4"`
}

type goldenSet struct {
	Segments int      `json:"n_segments"`
	SysNames []string `json:"sys_names"`
	Refs     []string
	StdRef   string `json:"std_ref"`
	Outliers []string
	Domains  []string `json:"domains_canonical"`
	Configs  map[string]goldenConfig
}

type golden struct {
	Evalsets map[string]goldenSet
}

func readGolden(t *testing.T) golden {
	var g golden
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "mtme", "golden-mtme.json"), &g)
	return g
}

// A check compares values by name and counts what differs.
type check struct {
	t      *testing.T
	values int
	wrong  map[string]int
	worst  map[string]string
}

func (c *check) value(where, name string, got, want float64) {
	c.values++
	if !(math.Abs(got-want) <= 1e-9) {
		c.wrong[name]++
		c.worst[name] = fmt.Sprintf("%s: %v, want %v", where, got, want)
	}
}

// number is a value, or the first of a list.
func number(v any) (float64, float64) {
	switch v := v.(type) {
	case float64:
		return v, math.NaN()
	case []any:
		n := math.NaN()
		if len(v) > 1 {
			if f, ok := v[1].(float64); ok {
				n = f
			}
		}
		if f, ok := v[0].(float64); ok {
			return f, n
		}
	}
	return math.NaN(), math.NaN()
}

func TestGoldenEvalsets(t *testing.T) {
	tree := sharedTree(t)
	set, err := tree.Set("wmt23")
	if err != nil {
		t.Fatal(err)
	}
	g := readGolden(t)
	c := &check{t: t, wrong: map[string]int{}, worst: map[string]string{}}
	for lp, want := range g.Evalsets {
		p, err := set.Load(t.Context(), lp)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want.Domains)
		domains := p.DomainNames()
		slices.Sort(domains)
		if len(p.Sources) != want.Segments || !slices.Equal(p.Systems, want.SysNames) || !slices.Equal(domains, want.Domains) {
			t.Errorf("%s: %d segments, systems %q, domains %q", lp, len(p.Sources), p.Systems, domains)
		}
		for name, cfg := range want.Configs {
			rules := Rules{Reference: cfg.Refs[0], Human: cfg.Human, Outliers: want.Outliers}
			c.config(p, rules, lp+" "+name, cfg)
		}
	}
	t.Logf("%d values", c.values)
	for name, n := range c.wrong {
		t.Errorf("%s: %d differ, such as %s", name, n, c.worst[name])
	}
}

func (c *check) config(p *Pair, rules Rules, where string, cfg goldenConfig) {
	t := c.t
	gold := map[Level]*metaeval.Scores{}
	for _, level := range []Level{Segment, System, Domain} {
		all, err := p.Human(t.Context(), cfg.Gold, level)
		if err != nil {
			t.Fatal(err)
		}
		systems, err := rules.Systems(p, all)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(systems, cfg.Systems) {
			t.Fatalf("%s: systems %q, want %q", where, systems, cfg.Systems)
		}
		items := all.Items
		if level == Segment { // those that people judged
			items = slices.DeleteFunc(slices.Clone(items), func(i string) bool {
				return math.IsNaN(all.At(0, slices.Index(all.Items, i)))
			})
		}
		if gold[level], err = all.Select(systems, items); err != nil {
			t.Fatal(err)
		}
	}
	if n := gold[Segment].Present(); n != cfg.Used {
		t.Errorf("%s: %d scores, want %d", where, n, cfg.Used)
	}
	c.pvalues(where+" gold", gold[Segment], cfg.GoldP)
	seen := 0
	for _, f := range rules.Metrics(p, Segment) {
		name := f.Metric + "-" + f.Reference
		want, ok := cfg.Metrics[name]
		if !ok {
			continue
		}
		seen++
		scores := map[Level]metaeval.Metric{}
		for level, human := range gold {
			s, err := p.Metric(t.Context(), MetricFile{f.Metric, f.Reference, level})
			if err != nil {
				t.Fatal(err)
			}
			if s, err = s.Select(human.Systems, human.Items); err != nil {
				t.Fatal(err)
			}
			scores[level] = metaeval.Metric{Name: name, Scores: s}
		}
		if want := cfg.MetricP[name]; want != nil {
			c.pvalues(where+" "+name, scores[Segment].Scores, want)
		}
		c.stats(where+" "+name, gold[System], scores[System], gold[Segment], scores[Segment], want)
		for domain, d := range cfg.Domains {
			sys := func(s *metaeval.Scores) *metaeval.Scores { return only(t, s, []string{domain}) }
			var items []string
			for _, i := range gold[Segment].Items {
				if at := slices.Index(p.Segments(), i); p.Domains[at] == domain {
					items = append(items, i)
				}
			}
			seg := func(s *metaeval.Scores) *metaeval.Scores { return only(t, s, items) }
			c.stats(where+" "+domain+" "+name, sys(gold[Domain]), metaeval.Metric{Name: name, Scores: sys(scores[Domain].Scores)},
				seg(gold[Segment]), metaeval.Metric{Name: name, Scores: seg(scores[Segment].Scores)}, d.Metrics[name])
		}
	}
	if seen != len(cfg.Metrics) {
		t.Errorf("%s: %d metrics of %d", where, seen, len(cfg.Metrics))
	}
}

func only(t *testing.T, s *metaeval.Scores, items []string) *metaeval.Scores {
	out, err := s.Select(s.Systems, items)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c *check) pvalues(where string, s *metaeval.Scores, want [][]float64) {
	p, err := metaeval.PermutationPValues(s, metaeval.StandardPermutations, metaeval.StandardSeed)
	if err != nil {
		c.t.Fatal(err)
	}
	for a, row := range want {
		for k, v := range row {
			c.value(fmt.Sprintf("%s %d %d", where, a, a+1+k), "p", p[a][a+1+k], v)
		}
	}
}

type goldKey struct {
	human *metaeval.Scores
	n     int
	seed  uint64
}

// goldP are people's p-values, which all metrics are compared with.
var goldP = map[goldKey][][]float64{}

func spa(t *testing.T, human, metric *metaeval.Scores, n int, seed uint64) float64 {
	key := goldKey{human, n, seed}
	h, ok := goldP[key]
	if !ok {
		var err error
		if h, err = metaeval.PermutationPValues(human, n, seed); err != nil {
			t.Fatal(err)
		}
		goldP[key] = h
	}
	m, err := metaeval.PermutationPValues(metric, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	v, err := metaeval.SoftPairwiseAccuracy(h, m)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// stats checks every statistic that is recorded: one that is not known is an error.
func (c *check) stats(where string, sysHuman *metaeval.Scores, sys metaeval.Metric, human *metaeval.Scores, m metaeval.Metric, want goldenStats) {
	for name, v := range want.Sys {
		c.system(where, name, sysHuman, sys, human, m, v)
	}
	eps, _ := number(want.Seg["acc_t_item_eps"])
	for name, v := range want.Seg {
		c.segment(where, name, human, m, v, eps)
	}
}

func (c *check) system(where, name string, human *metaeval.Scores, m metaeval.Metric, seg *metaeval.Scores, segs metaeval.Metric, want any) {
	x, y := human.SystemMeans(), m.Scores.SystemMeans()
	v, second := number(want)
	test := func(r metaeval.CorrelationTest, err error) {
		c.value(where, "sys "+name, r.Correlation, v)
		c.value(where, "sys "+name+" p", r.P, second)
	}
	plain := func(got float64, err error) { c.value(where, "sys "+name, got, v) }
	acc := func() (float64, metaeval.PairAccuracy) {
		a, err := metaeval.PairwiseAccuracy(human, m, nil)
		if err != nil {
			c.t.Fatal(err)
		}
		got, _ := a.Value()
		return got, a
	}
	if testing.Short() && (name == "pce_10000_seed4" || name == "pce_1000_seeds0to9") { // minutes
		return
	}
	switch name {
	case "accuracy", "kv_acc23":
		got, _ := acc()
		plain(got, nil)
	case "kv_23":
		got, _ := acc()
		plain(2*got-1, nil)
	case "agree":
		_, a := acc()
		plain(float64(a.Agree), nil)
	case "pairs":
		_, a := acc()
		plain(float64(a.Pairs), nil)
	case "pearson_p":
		test(metaeval.PearsonTest(x, y))
	case "spearman_p":
		test(metaeval.SpearmanTest(x, y))
	case "kendall_b_p":
		test(metaeval.KendallTest(x, y, metaeval.KendallAuto))
	case "kendall_c_p":
		r, err := metaeval.KendallTest(x, y, metaeval.KendallAuto)
		if err == nil {
			r.Correlation, err = metaeval.KendallC(x, y)
		}
		test(r, err)
	case "kv_b":
		plain(metaeval.Kendall(x, y))
	case "kv_c":
		plain(metaeval.KendallC(x, y))
	case "pce_1000_seed4":
		plain(spa(c.t, seg, segs.Scores, 1000, 4), nil)
	case "pce_10000_seed4":
		plain(spa(c.t, seg, segs.Scores, 10000, 4), nil)
	case "pce_1000_seeds0to9":
		for seed, w := range want.([]any) {
			v = w.(float64)
			plain(spa(c.t, seg, segs.Scores, 1000, uint64(seed)), nil)
		}
	default:
		c.t.Fatalf("unknown statistic %s", name)
	}
}

var groupings = map[string]metaeval.Grouping{"none": metaeval.NoGrouping, "item": metaeval.ByItem, "sys": metaeval.BySystem}

func (c *check) segment(where, name string, human *metaeval.Scores, m metaeval.Metric, want any, eps float64) {
	v, n := number(want)
	full := "seg " + name
	report := func(a metaeval.Agreement, err error) {
		c.value(where, full, a.Value, v)
		if !math.IsNaN(n) {
			c.value(where, full+" n", float64(a.Groups), n)
		}
	}
	switch name {
	case "pdp_item":
		report(metaeval.PairwiseDifferencePearson(human, m))
		return
	case "acc_t_item", "acc_t_item_eps", "tau23_t_item", "tau23_t_item_eps":
		e, a, err := metaeval.CalibrateTiesRunning(human, m, metaeval.ByItem, strings.HasPrefix(name, "tau23"))
		if strings.HasSuffix(name, "eps") {
			a.Value = e
		}
		report(a, err)
		return
	case "kv_item_acc23_at_eps":
		report(metaeval.AccEq(human, m, metaeval.ByItem, eps))
		return
	case "kendall_like_item_1", "kendall_like_item_25":
		threshold := map[string]float64{"kendall_like_item_1": 1, "kendall_like_item_25": 25}[name]
		d, err := metaeval.DARR(human, threshold, metaeval.DARROptions{})
		if err != nil {
			c.t.Fatal(err)
		}
		counts, _, err := metaeval.CountPairs(d.Pairs, m.Scores, 0)
		if err != nil {
			c.t.Fatal(err)
		}
		tau, err := metaeval.Table4c().Tau(counts, false)
		report(metaeval.Agreement{Value: tau, Groups: len(d.Pairs)}, err)
		return
	}
	base, zeros := strings.CutSuffix(name, "_nan0")
	statistic, group := base, ""
	for g := range groupings {
		if i := strings.Index(base+"_", "_"+g+"_"); i >= 0 {
			group = g
			statistic = base[:i] + base[i+1+len(g):]
		}
	}
	var a metaeval.Agreement
	var err error
	switch statistic {
	case "pearson":
		a, err = metaeval.SegmentLevel(human, m, groupings[group], metaeval.Pearson)
	case "spearman":
		a, err = metaeval.SegmentLevel(human, m, groupings[group], metaeval.Spearman)
	case "kendall_b", "kv_b":
		a, err = metaeval.SegmentLevel(human, m, groupings[group], metaeval.Kendall)
	case "kv_c":
		a, err = metaeval.SegmentLevel(human, m, groupings[group], metaeval.KendallC)
	case "kv_acc23", "kv_23":
		a, err = metaeval.AccEq(human, m, groupings[group], 0)
		if statistic == "kv_23" {
			a.Value = 2*a.Value - 1
		}
	default:
		c.t.Fatalf("unknown statistic %s (%s by %s)", name, statistic, group)
	}
	if zeros {
		all := a.Groups + len(a.Undefined)
		a.Value *= float64(a.Groups) / float64(all)
		a.Groups = all
	}
	report(a, err)
}
