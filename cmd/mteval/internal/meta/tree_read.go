package meta

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

// A judgedPair is what is judged of a language pair of a tree.
type judgedPair struct {
	pair *mtme.Pair
	dir  string
	// kind of people's scores, which may have another name for systems.
	kind, systemKind string
	references       []string
	// systems that are judged, and segments that people judged, indices into pair.Sources.
	systems   []string
	judged    []int
	documents []string // of each segment
	people    levels
	metrics   []treeMetric
	marks     []mtme.Rating // that people's scores are made of; nil: of a file of scores
}

// levels are scores of the systems on the judged segments, of the systems, and in the domains;
// nil: there are none.
type levels struct{ segments, systems, domains *metaeval.Scores }

// A treeMetric is a metric of the tree, or of a table beside it.
type treeMetric struct {
	name string
	file mtme.MetricFile // whose Level says nothing
	levels
	// table has the scores of a table, of which systemsOnly says that they are of systems.
	table       *metaeval.Scores
	systemsOnly bool
	lower       bool // is better, of a table's
}

// readTree reads what there is to judge.
func readTree(ctx context.Context, a *app.App, o *app.MetaOptions) (*judgedPair, error) {
	t := &judgedPair{dir: o.Tree.Dir}
	if err := t.open(ctx, o); err != nil {
		return nil, err
	}
	rules, err := t.rules(o)
	if err != nil {
		return nil, err
	}
	if err := t.checkWrite(o); err != nil {
		return nil, err
	}
	if err := t.readPeople(ctx, o); err != nil {
		return nil, err
	}
	if err := t.choose(rules, o.Level); err != nil {
		return nil, err
	}
	if err := t.chooseMetrics(o); err != nil {
		return nil, err
	}
	if err := t.readMetrics(ctx, o); err != nil {
		return nil, err
	}
	return t, readTables(ctx, a, o, t)
}

func (t *judgedPair) open(ctx context.Context, o *app.MetaOptions) error {
	var err error
	if t.pair, err = app.OpenPair(ctx, o.Tree.Dir, o.Tree.Set, o.Pair); err != nil {
		return err
	}
	if d := o.Tree.Domain; d != "" && !slices.Contains(t.pair.DomainNames(), d) {
		return fmt.Errorf("--domain %s: %s %s has no such: it has %s", d, t.pair.Set, o.Pair, app.List(t.pair.DomainNames()))
	}
	t.documents = app.DocumentNames(t.pair.Domains, t.pair.Documents)
	return nil
}

// rules finds which references are looked at, which systems are left out, and which scores
// are people's: what was asked for, or else what is usual.
func (t *judgedPair) rules(o *app.MetaOptions) (mtme.Rules, error) {
	rules, err := mtme.RulesOf(t.pair.Set, t.pair.LanguagePair)
	if err != nil && (len(o.Tree.References) == 0 || o.HumanScore == "" && len(o.Tree.Ratings) == 0) {
		return rules, fmt.Errorf("%w: name a reference (%s) with --reference and a human score (%s) with --human-score", err, app.List(t.referenceNames()), app.List(t.kinds()))
	}
	rules.Human = rules.Human || slices.Contains(o.Tree.Include, "human")
	if slices.Contains(o.Tree.Include, "outliers") {
		rules.Outliers = nil
	}
	if t.kind, t.systemKind = o.HumanScore, o.HumanScore; t.kind == "" {
		t.kind, t.systemKind = rules.Gold(mtme.Segment), rules.Gold(mtme.System)
	}
	t.references = []string{rules.Reference}
	if len(o.Tree.References) > 0 {
		has := func(name string) bool { return t.pair.References[name] != nil }
		if t.references, err = app.SplitNames("reference", o.Tree.References, has); err != nil {
			return rules, err
		}
		if slices.Equal(t.references, []string{"all"}) {
			t.references = t.referenceNames()
		}
		t.references = app.Unique(t.references)
	}
	for _, name := range t.references {
		if t.pair.References[name] == nil {
			return rules, fmt.Errorf("--reference %s: %s %s has no such: it has %s", name, t.pair.Set, t.pair.LanguagePair, app.List(t.referenceNames()))
		}
	}
	return rules, nil
}

func (t *judgedPair) referenceNames() []string {
	var out []string
	for name := range t.pair.References {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// kinds are those of people's scores.
func (t *judgedPair) kinds() []string {
	var out []string
	for _, f := range t.pair.HumanScores {
		out = append(out, f.Name)
	}
	return app.Unique(out)
}

// readPeople reads people's scores, of all levels that there are.
func (t *judgedPair) readPeople(ctx context.Context, o *app.MetaOptions) (err error) {
	if len(o.Tree.Ratings) > 0 {
		return t.readRatings(ctx, o)
	}
	read := func(kind string, level mtme.Level) *metaeval.Scores {
		if err != nil || !slices.Contains(t.pair.HumanScores, mtme.HumanFile{Name: kind, Level: level}) {
			return nil
		}
		var s *metaeval.Scores
		s, err = t.pair.Human(ctx, kind, level)
		return s
	}
	t.people = levels{read(t.kind, mtme.Segment), read(t.systemKind, mtme.System), read(t.systemKind, mtme.Domain)}
	switch {
	case err != nil:
		return err
	case t.people == levels{}:
		return fmt.Errorf("%s %s has no human scores %s: it has %s", t.pair.Set, t.pair.LanguagePair, t.kind, app.List(t.kinds()))
	case t.people.segments == nil && (o.Level != "system" || o.Tree.By == "document"):
		return fmt.Errorf("%s %s has no human scores %s of segments, which --level %s needs", t.pair.Set, t.pair.LanguagePair, t.kind, o.Level)
	}
	return nil
}

// choose finds the systems that are judged, and the segments that people judged of any.
func (t *judgedPair) choose(rules mtme.Rules, level string) error {
	given := t.people
	people := given.segments
	if level == "system" && given.systems != nil || people == nil {
		people = given.systems
	}
	if people == nil {
		people = given.domains
	}
	for i, ref := range t.references {
		rules.Reference = ref
		systems, err := rules.Systems(t.pair, people)
		if err != nil {
			return err
		}
		if i > 0 {
			systems = slices.DeleteFunc(systems, func(s string) bool { return !slices.Contains(t.systems, s) })
		}
		t.systems = systems
	}
	if len(t.systems) < 2 {
		return fmt.Errorf("%s %s: %d systems have human scores %s", t.pair.Set, t.pair.LanguagePair, len(t.systems), t.kind)
	}
	if err := t.chooseSegments(); err != nil {
		return err
	}
	return t.arrange(&t.people)
}

// chooseSegments finds those that people judged of any system, all if there are no scores of
// segments, or none but None.
func (t *judgedPair) chooseSegments() error {
	for i := range t.pair.Sources {
		t.judged = append(t.judged, i)
	}
	if t.people.segments == nil {
		return nil
	}
	all, err := t.people.segments.Select(t.systems, t.people.segments.Items)
	if err != nil {
		return err
	}
	if all.Present() == 0 {
		t.people.segments = nil
		return nil
	}
	t.judged = slices.DeleteFunc(t.judged, func(i int) bool {
		for k := range t.systems {
			if !math.IsNaN(all.At(k, i)) {
				return false
			}
		}
		return true
	})
	return nil
}

// segments are the names of those that people judged.
func (t *judgedPair) segments() []string {
	all := t.pair.Segments()
	var out []string
	for _, i := range t.judged {
		out = append(out, all[i])
	}
	return out
}

// arrange brings scores into the order of what is judged.
func (t *judgedPair) arrange(l *levels) (err error) {
	for _, x := range []struct {
		scores **metaeval.Scores
		items  []string
	}{{&l.segments, t.segments()}, {&l.systems, []string{""}}, {&l.domains, t.pair.DomainNames()}} {
		if *x.scores == nil {
			continue
		}
		if *x.scores, err = (*x.scores).Select(t.systems, x.items); err != nil {
			return err
		}
	}
	return nil
}

// chooseMetrics finds the metrics of the tree that are judged.
func (t *judgedPair) chooseMetrics(o *app.MetaOptions) error {
	var all []string
	for _, f := range t.pair.MetricScores {
		if !f.UsesOnly(t.references...) {
			continue
		}
		f.Level = 0
		name := t.shown(f)
		all = append(all, f.Metric, name)
		if !slices.ContainsFunc(t.metrics, func(m treeMetric) bool { return m.file == f }) {
			t.metrics = append(t.metrics, treeMetric{name: name, file: f})
		}
	}
	all = app.Unique(all)
	if len(o.Tree.Metrics) == 0 {
		return nil
	}
	is := func(p string) bool {
		return slices.ContainsFunc(all, func(name string) bool { return app.Matches(p, name) })
	}
	wanted, err := app.SplitNames("metrics", o.Tree.Metrics, is)
	if err != nil {
		return err
	}
	for _, p := range wanted {
		if !is(p) {
			return fmt.Errorf("--metrics %s: no such metric: have %s", p, app.List(all))
		}
	}
	t.metrics = slices.DeleteFunc(t.metrics, func(m treeMetric) bool {
		return !slices.ContainsFunc(wanted, func(p string) bool { return app.Matches(p, m.name) || app.Matches(p, m.file.Metric) })
	})
	return nil
}

// shown is a metric as people call it.
func (t *judgedPair) shown(f mtme.MetricFile) string {
	switch {
	case f.Reference == mtme.NoReference:
		return f.Metric + "[noref]"
	case len(t.references) > 1:
		return f.Metric + "-" + f.Reference
	}
	return f.Metric
}

// readMetrics reads the metrics' scores that the level, and what it is looked at by, needs.
func (t *judgedPair) readMetrics(ctx context.Context, o *app.MetaOptions) error {
	parts := o.Tree.Domain != "" || o.Tree.By == "domain"
	system := o.Level == "system"
	needs := map[mtme.Level]bool{
		mtme.Segment: t.people.segments != nil,
		mtme.System:  system && o.Tree.Domain == "",
		mtme.Domain:  system && parts,
	}
	return parallel.For(ctx, len(t.metrics), 0, 1, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			m := &t.metrics[i]
			for level, of := range map[mtme.Level]**metaeval.Scores{mtme.Segment: &m.levels.segments, mtme.System: &m.levels.systems, mtme.Domain: &m.levels.domains} {
				f := m.file
				f.Level = level
				if !needs[level] || !slices.Contains(t.pair.MetricScores, f) {
					continue
				}
				var err error
				if *of, err = t.pair.Metric(ctx, f); err != nil {
					return err
				}
			}
			if err := t.arrange(&m.levels); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
		return nil
	})
}

// readTables reads the metrics of --scores.
func readTables(ctx context.Context, a *app.App, o *app.MetaOptions, t *judgedPair) error {
	p := t.pair
	var references [][]string
	if len(p.References) > 0 { // whoever judges says it where there are none
		var err error
		if references, err = mteval.Segments(slices.Collect(maps.Values(p.References))...); err != nil {
			return err
		}
	}
	o.Beside = &files.Segments{Name: p.Set + " " + p.LanguagePair, Lines: len(p.Sources), Sources: p.Sources, References: references, Outputs: p.Outputs}
	for _, m := range t.metrics {
		o.Directions.Tree = append(o.Directions.Tree, m.name)
	}
	given, err := a.ReadMetrics(ctx, o)
	if err != nil {
		return err
	}
	ref := t.references[0]
	if o.Tree.Write != "" {
		ref = o.Tree.Write
	}
	for _, g := range given {
		m := treeMetric{name: g.Name, file: mtme.MetricFile{Metric: g.Name, Reference: ref}, table: g.Scores, systemsOnly: g.SystemsOnly, lower: g.LowerIsBetter}
		i := slices.IndexFunc(t.metrics, func(n treeMetric) bool {
			return n.table == nil && (n.name == m.name || o.Tree.Write != "" && n.file == m.file)
		})
		replaced := i >= 0 && o.Tree.Write != "" && t.metrics[i].file == m.file
		switch {
		case replaced && o.Tree.Overwrite:
			t.metrics = slices.Delete(t.metrics, i, i+1)
		case replaced:
			return fmt.Errorf("--scores: the tree has a metric %s already: give it another name, or add --overwrite to replace it", t.metrics[i].name)
		case i >= 0:
			return fmt.Errorf("--scores: the tree has a metric %s already: give it another name", m.name)
		}
		if err := t.take(&m); err != nil {
			return err
		}
		t.metrics = append(t.metrics, m)
	}
	if len(t.metrics) == 0 {
		return errors.New("the tree has no metric's scores that used " + strings.Join(t.references, ", ") + ", or none: name files with --scores")
	}
	return nil
}

// take finds the levels of a table's scores: of systems and domains they are means.
func (t *judgedPair) take(m *treeMetric) error {
	if m.systemsOnly {
		m.levels.systems = m.table
		return t.arrange(&m.levels)
	}
	all, err := m.table.Select(t.systems, t.pair.Segments())
	if err != nil {
		return err
	}
	if all.Present() == 0 {
		return fmt.Errorf("--scores: %s has no score of the tree's segments, which are called 1 to %d, by systems such as %s: its systems are such as %s, and its segments %s",
			m.name, len(t.pair.Sources), t.systems[0], names.Few(m.table.Systems), names.Few(m.table.Items))
	}
	domains, err := all.GroupMeans(t.pair.Domains, nil)
	if err != nil {
		return err
	}
	m.levels = levels{all, systemMeans(all), domains}
	return t.arrange(&m.levels)
}
