package mtme

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
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

// golden are values of mt-metrics-eval, by language pair.
type golden struct {
	Evalsets map[string]goldenSet
}

type goldenSet struct {
	Segments int `json:"n_segments"`
	Docs     int `json:"n_docs"`
	Refs     []string
	Kinds    []string `json:"human_score_names"`
	SysNames []string `json:"sys_names"`
	Outliers []string
	Domains  []string `json:"domains_canonical"`
	Primary  []string `json:"primary_metrics"`
	Configs  map[string]goldenConfig
	Williams []goldenWilliams `json:"williams_sys_pearson_official"`
	Other    struct {
		Domain string
		Values map[string]map[string]float64 // by metric
	} `json:"acc_t_other_groupings"`
}

type goldenConfig struct {
	Refs    []string `json:"refs"`
	Human   bool     `json:"include_human"`
	Gold    string
	Systems []string `json:"systems_sorted"`
	Used    int      `json:"seg_scores_used"`
	Metrics map[string]goldenStats
	Domains map[string]goldenDomain
	GoldP   [][]float64            `json:"gold_pvalues_1000_seed4"`
	MetricP map[string][][]float64 `json:"metric_pvalues_1000_seed4"`
}

type goldenDomain struct {
	Used    int `json:"seg_scores_used"`
	Metrics map[string]goldenStats
}

type goldenStats struct {
	Sys, Seg map[string]any
}

type goldenWilliams struct {
	Metric1, Metric2 string
	R1, R2           float64
	One              float64 `json:"p_one_sided"`
	Two              float64 `json:"p_two_sided"`
}

// With -short only the configurations of WMT23's tasks are looked at, and no more than 1,000
// permutations.
func TestGoldenEvalsets(t *testing.T) {
	if race.Enabled {
		t.Skip("numbers alone")
	}
	var g golden
	shareddata.ReadJSON(t, shareddata.Path(t, "golden", "mtme", "golden-mtme.json"), &g)
	set, err := sharedTree(t).Set("wmt23")
	if err != nil {
		t.Fatal(err)
	}
	checkSets(t, set, g, testing.Short())
}

func checkSets(t *testing.T, set *Set, g golden, short bool) {
	c := &check{short: short, wrong: map[string]int{}, worst: map[string]string{}}
	t.Run("sets", func(t *testing.T) {
		for lp, want := range g.Evalsets {
			p, err := set.Load(t.Context(), lp)
			if err != nil {
				t.Fatal(err)
			}
			checkPair(t, p, want)
			for name, cfg := range want.Configs {
				if short && name != "official" {
					continue
				}
				rules := Rules{Reference: cfg.Refs[0], Human: cfg.Human, Outliers: want.Outliers}
				c.config(t, p, rules, lp+" "+name, cfg)
				if name == "official" {
					c.official(t, p, rules, lp, want)
				}
			}
		}
	})
	t.Logf("%d values", c.values)
	for name, n := range c.wrong {
		t.Errorf("%s: %d differ, such as %s", name, n, c.worst[name])
	}
}

func checkPair(t *testing.T, p *Pair, want goldenSet) {
	slices.Sort(want.Domains)
	domains := p.DomainNames()
	slices.Sort(domains)
	if len(p.Sources) != want.Segments || !slices.Equal(p.Systems, want.SysNames) || !slices.Equal(domains, want.Domains) {
		t.Errorf("%s: %d segments, systems %q, domains %q", p.LanguagePair, len(p.Sources), p.Systems, domains)
	}
	documents, kinds := map[string]bool{}, []string{}
	for _, d := range p.Documents {
		documents[d] = true
	}
	for _, f := range p.HumanScores {
		if !slices.Contains(kinds, f.Name) {
			kinds = append(kinds, f.Name)
		}
	}
	if references := slices.Sorted(maps.Keys(p.References)); len(documents) != want.Docs || !slices.Equal(references, want.Refs) || !slices.Equal(kinds, want.Kinds) {
		t.Errorf("%s: %d documents, references %q, human scores %q", p.LanguagePair, len(documents), references, kinds)
	}
	if primary := Primary(p.Set); want.Primary != nil && !slices.Equal(primary, want.Primary) {
		t.Errorf("%s: primary metrics %q, want %q", p.LanguagePair, primary, want.Primary)
	}
	rules, err := RulesOf(p.Set, p.LanguagePair)
	if err != nil {
		t.Fatal(err)
	}
	official := want.Configs["official"]
	if rules.Reference != official.Refs[0] || rules.Human != official.Human || rules.Gold(System) != official.Gold || !slices.Equal(rules.Outliers, want.Outliers) {
		t.Errorf("%s: rules %+v", p.LanguagePair, rules)
	}
}

// people are the scores that metrics are compared with.
type people struct {
	where         string
	sys, seg      *metaeval.Scores
	permutedTable // of seg
}

// goldScores are people's scores at a level of the systems that are judged, of segments those
// that people judged.
func goldScores(t *testing.T, p *Pair, rules Rules, name string, level Level, want []string) *metaeval.Scores {
	all, err := p.Human(t.Context(), name, level)
	if err != nil {
		t.Fatal(err)
	}
	systems, err := rules.Systems(p, all)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(systems, want) {
		t.Fatalf("%s: systems %q, want %q", p.LanguagePair, systems, want)
	}
	some, err := all.Select(systems, all.Items)
	if err != nil {
		t.Fatal(err)
	}
	items := all.Items
	if level == Segment {
		items = nil
		for i, item := range all.Items {
			for k := range systems {
				if !math.IsNaN(some.At(k, i)) {
					items = append(items, item)
					break
				}
			}
		}
	}
	return selected(t, some, systems, items)
}

func selected(t *testing.T, s *metaeval.Scores, systems, items []string) *metaeval.Scores {
	out, err := s.Select(systems, items)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// inDomain are those of a table's segments that are of a domain.
func inDomain(p *Pair, items []string, domain string) []string {
	judged := map[string]bool{}
	for _, i := range items {
		judged[i] = true
	}
	var out []string
	for at, i := range p.Segments() {
		if judged[i] && p.Domains[at] == domain {
			out = append(out, i)
		}
	}
	return out
}

func (c *check) config(t *testing.T, p *Pair, rules Rules, where string, cfg goldenConfig) {
	gold := map[Level]*metaeval.Scores{}
	for _, level := range []Level{Segment, System, Domain} {
		gold[level] = goldScores(t, p, rules, cfg.Gold, level, cfg.Systems)
	}
	all := &people{where: where, sys: gold[System], seg: gold[Segment]}
	if n := all.seg.Present(); n != cfg.Used {
		t.Errorf("%s: %d scores, want %d", where, n, cfg.Used)
	}
	c.pvalues(t, where+" gold", all.seg, cfg.GoldP)
	domains := map[string]*people{}
	for domain, d := range cfg.Domains {
		in := &people{where: where + " " + domain, sys: selected(t, gold[Domain], cfg.Systems, []string{domain}),
			seg: selected(t, all.seg, cfg.Systems, inDomain(p, all.seg.Items, domain))}
		if n := in.seg.Present(); n != d.Used {
			t.Errorf("%s: %d scores, want %d", in.where, n, d.Used)
		}
		domains[domain] = in
	}
	seen := 0
	for _, f := range rules.Metrics(p, Segment) {
		name := f.Metric + "-" + f.Reference
		want, ok := cfg.Metrics[name]
		if !ok {
			continue
		}
		seen++
		t.Run(where+" "+name, func(t *testing.T) {
			t.Parallel()
			scores := map[Level]*metaeval.Scores{}
			for level, human := range gold {
				s, err := p.Metric(t.Context(), MetricFile{f.Metric, f.Reference, level})
				if err != nil {
					t.Fatal(err)
				}
				scores[level] = selected(t, s, human.Systems, human.Items)
			}
			c.pvalues(t, where+" "+name, scores[Segment], cfg.MetricP[name])
			c.stats(t, all, name, scores[System], scores[Segment], want)
			for domain, in := range domains {
				c.stats(t, in, name, selected(t, scores[Domain], in.sys.Systems, in.sys.Items),
					selected(t, scores[Segment], in.seg.Systems, in.seg.Items), cfg.Domains[domain].Metrics[name])
			}
		})
	}
	if seen != len(cfg.Metrics) {
		t.Errorf("%s: %d metrics of %d", where, seen, len(cfg.Metrics))
	}
}

// official checks what is recorded of a pair's official configuration alone.
func (c *check) official(t *testing.T, p *Pair, rules Rules, lp string, want goldenSet) {
	cfg := want.Configs["official"]
	metric := func(name string, level Level, human *metaeval.Scores) metaeval.Metric {
		for _, f := range rules.Metrics(p, level) {
			if f.Metric == name {
				s, err := p.Metric(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				return metaeval.Metric{Name: name, Scores: selected(t, s, human.Systems, human.Items)}
			}
		}
		t.Fatalf("%s: no metric %s", lp, name)
		return metaeval.Metric{}
	}
	human := goldScores(t, p, rules, cfg.Gold, System, cfg.Systems)
	for _, w := range want.Williams {
		pearson := func(x, y *metaeval.Scores) float64 {
			r, err := metaeval.Pearson(x.SystemMeans(), y.SystemMeans())
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		x, y := metric(w.Metric1, System, human).Scores, metric(w.Metric2, System, human).Scores
		r1, r2 := pearson(human, x), pearson(human, y)
		test, err := significance.Williams(r1, r2, pearson(x, y), len(human.Systems))
		if err != nil {
			t.Fatal(err)
		}
		where := lp + " " + w.Metric1 + " " + w.Metric2
		c.value(where, "Williams r1", r1, w.R1)
		c.value(where, "Williams r2", r2, w.R2)
		c.value(where, "Williams two-sided", test.P, w.Two)
		c.value(where, "Williams one-sided", min(test.Greater, 1-test.Greater), w.One)
	}
	if len(want.Other.Values) == 0 {
		return
	}
	seg := goldScores(t, p, rules, cfg.Gold, Segment, cfg.Systems)
	seg = selected(t, seg, seg.Systems, inDomain(p, seg.Items, want.Other.Domain))
	for name, values := range want.Other.Values {
		m := metric(name, Segment, seg)
		for statistic, v := range values {
			c.calibrated(t, lp+" "+name, statistic, seg, m, v)
		}
	}
}
