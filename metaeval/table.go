package metaeval

import (
	"slices"
	"strconv"

	"github.com/mteval/mteval"
)

// TableSegments makes a metric of a table of its rows: its scores of the systems on the
// segments, which are called 1, 2 and so on. Their mean is not the score of the corpus if
// the metric has another than that, as BLEU has: see TableSystems. It panics if t is nil, and
// as t.Scores does.
func TableSegments(t *mteval.Table) Metric {
	items := make([]string, t.Len())
	for i := range items {
		items[i] = strconv.Itoa(i + 1)
	}
	m := tableMetric(t, items)
	for k := range m.Scores.Systems {
		for i := range items {
			m.Scores.Set(k, i, t.SegmentScore(k, i))
		}
	}
	return m
}

// TableSystems is TableSegments for the scores of the systems, of one item without a name. It
// panics as TableSegments does.
func TableSystems(t *mteval.Table) Metric {
	m := tableMetric(t, []string{""})
	copy(m.Scores.Values, t.Scores())
	return m
}

func tableMetric(t *mteval.Table, items []string) Metric {
	return Metric{Name: t.Info.Name, Scores: NewScores(slices.Clone(t.Systems), items), LowerIsBetter: t.Info.LowerIsBetter}
}
