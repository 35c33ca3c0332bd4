package mtme

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/mteval/mteval/metaeval"
)

// A check compares values by name and counts what differs. It is safe for concurrent use.
type check struct {
	short bool

	mu     sync.Mutex
	values int
	wrong  map[string]int
	worst  map[string]string
}

func (c *check) value(where, name string, got, want float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values++
	if !(math.Abs(got-want) <= 1e-9) {
		c.wrong[name]++
		c.worst[name] = fmt.Sprintf("%s: %v, want %v", where, got, want)
	}
}

// number is a value, or the first of a list and the second.
func number(v any) (first, second float64) {
	nan := math.NaN()
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	at := func(i int) float64 {
		if i < len(list) {
			if f, ok := list[i].(float64); ok {
				return f
			}
		}
		return nan
	}
	return at(0), at(1)
}

// A permutedTable keeps p-values of a table that all metrics are compared with.
type permutedTable struct {
	mu     sync.Mutex
	values map[permutationKey][][]float64
}

type permutationKey struct {
	n    int
	seed uint64
}

func permutations(t *testing.T, s *metaeval.Scores, k permutationKey) [][]float64 {
	p, err := metaeval.PermutationPValues(t.Context(), s, k.n, k.seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *permutedTable) of(t *testing.T, s *metaeval.Scores, k permutationKey) [][]float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := p.values[k]
	if !ok {
		if p.values == nil {
			p.values = map[permutationKey][][]float64{}
		}
		v = permutations(t, s, k)
		p.values[k] = v
	}
	return v
}

func (c *check) pvalues(t *testing.T, where string, s *metaeval.Scores, want [][]float64) {
	if want == nil {
		return
	}
	p := permutations(t, s, permutationKey{metaeval.StandardPermutations, metaeval.StandardSeed})
	for a, row := range want {
		for k, v := range row {
			c.value(fmt.Sprintf("%s %d %d", where, a, a+1+k), "p", p[a][a+1+k], v)
		}
	}
}

// stats checks every statistic that is recorded: one that is not known is an error.
func (c *check) stats(t *testing.T, h *people, name string, sys, seg *metaeval.Scores, want goldenStats) {
	where := h.where + " " + name
	for statistic, v := range want.Sys {
		if strings.HasPrefix(statistic, "pce_") {
			c.soft(t, where, "sys "+statistic, statistic, h, seg, v)
		} else {
			c.system(t, where, statistic, h.sys, metaeval.Metric{Name: name, Scores: sys}, v)
		}
	}
	s := &segmentStats{human: h.seg, m: metaeval.Metric{Name: name, Scores: seg}}
	s.epsilon, _ = number(want.Seg["acc_t_item_eps"])
	for statistic, v := range want.Seg {
		c.segment(t, where, statistic, s, v)
	}
}

func (c *check) soft(t *testing.T, where, label, name string, h *people, m *metaeval.Scores, want any) {
	spa := func(k permutationKey, want float64) {
		v, err := metaeval.SoftPairwiseAccuracy(h.of(t, h.seg, k), permutations(t, m, k))
		if err != nil {
			t.Fatal(err)
		}
		c.value(where, label, v, want)
	}
	v, _ := number(want)
	switch {
	case name == "pce_1000_seed4":
		spa(permutationKey{1000, 4}, v)
	case c.short:
	case name == "pce_10000_seed4":
		spa(permutationKey{10000, 4}, v)
	case name == "pce_1000_seeds0to9":
		for seed, w := range want.([]any) {
			spa(permutationKey{1000, uint64(seed)}, w.(float64))
		}
	default:
		t.Fatalf("unknown statistic %s", name)
	}
}

func (c *check) system(t *testing.T, where, name string, human *metaeval.Scores, m metaeval.Metric, want any) {
	x, y := human.SystemMeans(), m.Scores.SystemMeans()
	v, second := number(want)
	test := func(r metaeval.CorrelationTest, err error) {
		if err != nil {
			t.Errorf("%s %s: %v", where, name, err)
		}
		c.value(where, "sys "+name, r.Correlation, v)
		c.value(where, "sys "+name+" p", r.P, second)
	}
	plain := func(got float64, err error) {
		if err != nil {
			t.Errorf("%s %s: %v", where, name, err)
		}
		c.value(where, "sys "+name, got, v)
	}
	acc, err := metaeval.PairwiseAccuracy(human, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	share, _ := acc.Value()
	switch name {
	case "accuracy", "kv_acc23":
		plain(share, nil)
	case "kv_23":
		plain(2*share-1, nil)
	case "agree":
		plain(float64(acc.Agree), nil)
	case "pairs":
		plain(float64(acc.Pairs), nil)
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
	default:
		t.Fatalf("unknown statistic %s", name)
	}
}

var groupings = map[string]metaeval.Grouping{"none": metaeval.NoGrouping, "item": metaeval.ByItem, "sys": metaeval.BySystem}

// segmentStats are what is compared by segment.
type segmentStats struct {
	human   *metaeval.Scores
	m       metaeval.Metric
	epsilon float64 // that is recorded
}

func (c *check) segment(t *testing.T, where, name string, s *segmentStats, want any) {
	v, n := number(want)
	report := func(a metaeval.Agreement, err error) {
		if err != nil {
			t.Errorf("%s %s: %v", where, name, err)
		}
		c.value(where, "seg "+name, a.Value, v)
		if !math.IsNaN(n) {
			c.value(where, "seg "+name+" n", float64(a.Groups), n)
		}
	}
	switch name {
	case "pdp_item":
		report(metaeval.PairwiseDifferencePearson(s.human, s.m))
	case "acc_t_item", "acc_t_item_eps":
		c.calibrated(t, where, strings.Replace(name, "acc_t", "acc23", 1), s.human, s.m, v)
	case "tau23_t_item", "tau23_t_item_eps":
		c.calibrated(t, where, strings.Replace(name, "tau23_t", "23", 1), s.human, s.m, v)
	case "kv_item_acc23_at_eps":
		report(metaeval.AccEq(s.human, s.m, metaeval.ByItem, s.epsilon))
	case "kendall_like_item_1":
		report(kendallLike(s, 1))
	case "kendall_like_item_25":
		report(kendallLike(s, 25))
	default:
		base, zeros := strings.CutSuffix(name, "_nan0")
		a, err := grouped(s, base)
		if zeros {
			all := a.Groups + len(a.Undefined)
			a.Value *= float64(a.Groups) / float64(all)
			a.Groups = all
		}
		report(a, err)
	}
}

func kendallLike(s *segmentStats, threshold float64) (metaeval.Agreement, error) {
	d, err := metaeval.DARR(s.human, threshold, metaeval.DARROptions{})
	if err != nil {
		return metaeval.Agreement{}, err
	}
	counts, _, err := metaeval.CountPairs(d.Pairs, s.m.Scores, 0)
	if err != nil {
		return metaeval.Agreement{}, err
	}
	tau, err := metaeval.Table4c().Tau(counts, false)
	return metaeval.Agreement{Value: tau, Groups: len(d.Pairs)}, err
}

// grouped is a statistic such as kendall_b_item or kv_item_b.
func grouped(s *segmentStats, name string) (metaeval.Agreement, error) {
	statistic, group := name, ""
	for g := range groupings {
		if i := strings.Index(name+"_", "_"+g+"_"); i >= 0 {
			group = g
			statistic = name[:i] + name[i+1+len(g):]
		}
	}
	if group == "" {
		return metaeval.Agreement{}, fmt.Errorf("unknown statistic %s", name)
	}
	correlations := map[string]metaeval.Correlation{"pearson": metaeval.Pearson, "spearman": metaeval.Spearman,
		"kendall_b": metaeval.Kendall, "kv_b": metaeval.Kendall, "kv_c": metaeval.KendallC}
	if f, ok := correlations[statistic]; ok {
		return metaeval.SegmentLevel(s.human, s.m, groupings[group], f)
	}
	a, err := metaeval.AccEq(s.human, s.m, groupings[group], 0)
	switch statistic {
	case "kv_acc23":
	case "kv_23":
		a.Value = 2*a.Value - 1
	default:
		return a, fmt.Errorf("unknown statistic %s", name)
	}
	return a, err
}

// calibrated checks a statistic such as acc23_item, at the best epsilon, or acc23_item_eps,
// that epsilon.
func (c *check) calibrated(t *testing.T, where, name string, human *metaeval.Scores, m metaeval.Metric, want float64) {
	base, eps := strings.CutSuffix(name, "_eps")
	variant, group, _ := strings.Cut(base, "_")
	calibrate := map[string]func(*metaeval.Scores, metaeval.Metric, metaeval.Grouping) (float64, metaeval.Agreement, error){
		"acc23": metaeval.CalibrateTies, "23": metaeval.CalibrateTiesTau}[variant]
	by, ok := groupings[group]
	if !ok || calibrate == nil {
		t.Fatalf("unknown statistic %s", name)
	}
	e, a, err := calibrate(human, m, by)
	if err != nil {
		t.Errorf("%s %s: %v", where, name, err)
	}
	if eps {
		a.Value = e
	}
	c.value(where, "calibrated "+name, a.Value, want)
}
