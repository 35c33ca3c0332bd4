package meta

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/meta"
)

// describeTree says what is judged.
func (p *people) describeTree() string {
	t := p.tree
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s %s", p.path, t.pair.Set, t.pair.LanguagePair)
	if p.part.kind != "" {
		fmt.Fprintf(&b, ", %s %s", p.part.kind, p.part.name)
	}
	fmt.Fprintf(&b, ", %s", p.kind())
	if p.Scores != nil {
		what := "segments"
		if len(p.Scores.Items) != p.segments() {
			what = fmt.Sprintf("documents of %d segments", p.segments())
		}
		fmt.Fprintf(&b, ", %d systems on %d %s", len(t.systems), len(p.Scores.Items), what)
	}
	word := "reference"
	if len(t.references) > 1 {
		word = "references"
	}
	fmt.Fprintf(&b, "; %s %s", word, strings.Join(t.references, ", "))
	return b.String()
}

// kind is that of the scores, at the level.
func (p *people) kind() string {
	if p.systems {
		return p.tree.systemKind
	}
	return p.tree.kind
}

// segments is how many people judged.
func (p *people) segments() int {
	n := 0
	for _, i := range p.tree.judged {
		if p.part.kind == "" || p.tree.partOf(p.part.kind, i) == p.part.name {
			n++
		}
	}
	return n
}

func (p *people) json() peopleJSON {
	j := peopleJSON{File: p.path, Format: string(p.form), Score: p.column, SystemFile: p.systemsPath}
	if t := p.tree; t != nil {
		j.Score = p.kind()
		j.Tree = &treeJSON{Set: t.pair.Set, LanguagePair: t.pair.LanguagePair, References: t.references}
		if p.Scores != nil {
			j.Tree.Segments = p.segments()
		}
		switch p.part.kind {
		case "domain":
			j.Tree.Domain = p.part.name
		case "document":
			j.Tree.Document = p.part.name
		}
	}
	return j
}

// has says whether a metric is one of the tree.
func (t *judgedPair) has(metric string) bool {
	return slices.ContainsFunc(t.metrics, func(m treeMetric) bool { return m.name == metric && m.table == nil })
}

// referenceOf is the reference of a metric of a tree, "" where it is not known.
func (p *people) referenceOf(metric string) string {
	if p.tree != nil {
		for _, m := range p.tree.metrics {
			if m.name == metric && m.table == nil {
				return m.file.Reference
			}
		}
	}
	return ""
}

// showsKendall says whether WMT's Kendall has a table: with a tree only if it was asked for,
// as people's scores there may be on any scale.
func (s *metaOutput) showsKendall() bool {
	o := s.options
	return s.people.tree == nil || o.Set.Changed("kendall") || o.Set.Changed("threshold") || o.Set.Changed("sweep")
}

// main says whether a measure is one of those that --by shows.
func (s *metaOutput) main(x meta.Measure) bool {
	if strings.HasPrefix(x.Key, "kendall_") {
		return s.showsKendall()
	}
	return slices.Contains([]string{"pearson", "pairwise_accuracy", "soft_pairwise_accuracy", "acc_eq", "pairwise_difference_pearson"}, x.Key)
}

// sortTree puts a tree's metrics in order of acc_eq, or else Pearson's correlation, if they have
// no other order.
func (s *metaOutput) sortTree() {
	if s.options.Level == "system" || len(s.options.Forms) == 1 {
		return
	}
	value := func(m meta.MetricResult) float64 {
		for _, key := range []string{"acc_eq", "pearson"} {
			if slices.ContainsFunc(s.Measures, func(x meta.Measure) bool { return x.Key == key }) {
				if v := m.Values[key]; v != nil {
					return v.Value
				}
				break
			}
		}
		return math.Inf(-1)
	}
	slices.SortStableFunc(s.Metrics, func(a, b meta.MetricResult) int { return cmp.Compare(value(b), value(a)) })
}
