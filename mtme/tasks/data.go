package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/escape"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

// A reader reads what tasks compare, each file once.
type reader struct {
	tree    *mtme.Tree
	options *Options
	pairs   map[[2]string]*mtme.Pair
	scores  map[fileKey]*metaeval.Scores
}

type fileKey struct {
	pair   *mtme.Pair
	human  string // "" for metrics'
	metric mtme.MetricFile
	level  mtme.Level
}

func newReader(tree *mtme.Tree, o *Options) *reader {
	return &reader{tree, o, map[[2]string]*mtme.Pair{}, map[fileKey]*metaeval.Scores{}}
}

func (r *reader) pair(ctx context.Context, set, lp string) (*mtme.Pair, error) {
	s, err := r.tree.Set(set)
	if err != nil {
		return nil, err
	}
	key := [2]string{s.Name, lp}
	if p := r.pairs[key]; p != nil {
		return p, nil
	}
	p, err := s.Load(ctx, lp)
	if err == nil {
		r.pairs[key] = p
	}
	return p, err
}

func (r *reader) human(ctx context.Context, p *mtme.Pair, kind string, level mtme.Level) (*metaeval.Scores, error) {
	key := fileKey{pair: p, human: kind, level: level}
	if s := r.scores[key]; s != nil {
		return s, nil
	}
	s, err := p.Human(ctx, kind, level)
	r.scores[key] = s
	return s, err
}

// metrics reads several files at once.
func (r *reader) metrics(ctx context.Context, p *mtme.Pair, all []mtme.MetricFile) ([]*metaeval.Scores, error) {
	out := make([]*metaeval.Scores, len(all))
	err := parallel.For(ctx, len(all), r.options.Workers, 1, func(lo, _ int) error {
		f := all[lo]
		if out[lo] = r.scores[fileKey{pair: p, metric: f, level: f.Level}]; out[lo] != nil {
			return nil
		}
		var err error
		out[lo], err = p.Metric(ctx, f)
		return err
	})
	for i, f := range all {
		r.scores[fileKey{pair: p, metric: f, level: f.Level}] = out[i]
	}
	return out, err
}

// A comparison is what a task compares of a language pair.
type comparison struct {
	kind    string
	human   *metaeval.Scores
	metrics []metaeval.Metric // by name
}

// file is the level of the files that a task reads.
func (t Task) file() mtme.Level {
	switch {
	case t.Level != System || t.Measure == SoftPairwiseAccuracy:
		return mtme.Segment
	case t.Domain != "":
		return mtme.Domain
	}
	return mtme.System
}

// compare reads what a task compares of a language pair.
func (r *reader) compare(ctx context.Context, t Task, lp string) (*comparison, error) {
	p, err := r.pair(ctx, t.Set, lp)
	if err != nil {
		return nil, err
	}
	if t.Domain != "" && !slices.Contains(p.Domains, t.Domain) {
		return nil, fmt.Errorf("domain: %s %s has no %q: there is %s", p.Set, lp, t.Domain, escape.Short(strings.Join(p.DomainNames(), ", ")))
	}
	rules, kind, err := t.standard(p)
	if err != nil {
		return nil, err
	}
	all, err := r.human(ctx, p, kind, t.file())
	if err != nil {
		return nil, err
	}
	systems, err := t.systems(p, rules, all)
	if err != nil {
		return nil, err
	}
	if len(systems) < 2 {
		return nil, fmt.Errorf("%s %s: %d systems with people's scores %s: there is nothing to compare", p.Set, lp, len(systems), kind)
	}
	c := &comparison{kind: kind}
	if c.human, err = all.Select(systems, t.items(p, all, systems)); err != nil {
		return nil, err
	}
	if len(c.human.Items) == 0 {
		return nil, fmt.Errorf("%s %s: nothing of it has people's scores %s", p.Set, lp, kind)
	}
	if err := r.addMetrics(ctx, c, t, p, rules); err != nil {
		return nil, err
	}
	if t.Level == Document {
		return c, c.documents(p)
	}
	return c, nil
}

// systems are those that are compared, in this order.
func (t Task) systems(p *mtme.Pair, rules mtme.Rules, human *metaeval.Scores) ([]string, error) {
	all, err := rules.Systems(p, human)
	given := t.Systems[p.LanguagePair]
	if err != nil || given == nil {
		return all, err
	}
	for i, s := range given {
		if !slices.Contains(all, s) {
			return nil, fmt.Errorf("systems: %s %s has no system %q that is judged: there is %s", p.Set, p.LanguagePair, s, escape.Short(strings.Join(all, ", ")))
		}
		if slices.Contains(given[:i], s) {
			return nil, fmt.Errorf("systems: %s stands twice", s)
		}
	}
	return given, nil
}

// standard fills in what the set's own task has.
func (t Task) standard(p *mtme.Pair) (rules mtme.Rules, kind string, err error) {
	if t.Rules != nil {
		rules = *t.Rules
	} else if rules, err = mtme.RulesOf(p.Set, p.LanguagePair); err != nil {
		return rules, "", fmt.Errorf("rules: %w", err)
	}
	if kind = cmp.Or(t.Human, rules.Gold(t.file())); kind == "" {
		return rules, "", errors.New("human: name the kind of people's scores: the rules don't")
	}
	return rules, kind, nil
}

// items are those of the domain that people judged, for soft pairwise accuracy of all systems.
func (t Task) items(p *mtme.Pair, human *metaeval.Scores, systems []string) []string {
	if t.file() == mtme.Domain {
		return []string{t.Domain}
	}
	var out []string
	for i, name := range human.Items {
		if t.Domain != "" && p.Domains[i] != t.Domain {
			continue
		}
		judged := 0
		for k, s := range human.Systems {
			if !math.IsNaN(human.At(k, i)) && slices.Contains(systems, s) {
				judged++
			}
		}
		if judged == len(systems) || judged > 0 && t.Measure != SoftPairwiseAccuracy {
			out = append(out, name)
		}
	}
	return out
}

// addMetrics reads the scores of metrics on what people judged.
func (r *reader) addMetrics(ctx context.Context, c *comparison, t Task, p *mtme.Pair, rules mtme.Rules) error {
	judged := slices.DeleteFunc(rules.Metrics(p, t.file()), func(f mtme.MetricFile) bool { return !r.options.judged(p.Set, f.Metric) })
	scores, err := r.metrics(ctx, p, judged)
	if err != nil {
		return err
	}
	for i, f := range judged {
		s, err := scores[i].Select(c.human.Systems, c.human.Items)
		if err != nil {
			return err
		}
		name := f.Metric
		if f.Reference == mtme.NoReference {
			name += "[noref]"
		}
		c.metrics = append(c.metrics, metaeval.Metric{Name: name, Scores: s})
	}
	if len(c.metrics) == 0 {
		return fmt.Errorf("%s %s: no metric's scores by %s that used reference %s or none", p.Set, p.LanguagePair, t.file(), rules.Reference)
	}
	slices.SortFunc(c.metrics, func(a, b metaeval.Metric) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// documents makes means over documents of scores of segments, of those that people judged.
func (c *comparison) documents(p *mtme.Pair) error {
	at := make(map[string]int) // segments, by name
	for i, name := range p.Segments() {
		at[name] = i
	}
	var of []string
	for _, item := range c.human.Items {
		of = append(of, p.Domains[at[item]]+"\t"+p.Documents[at[item]])
	}
	segments := c.human
	var err error
	if c.human, err = segments.GroupMeans(of, nil); err != nil {
		return err
	}
	for i, m := range c.metrics {
		if c.metrics[i].Scores, err = m.Scores.GroupMeans(of, segments); err != nil {
			return err
		}
	}
	return nil
}
