package metaeval

import (
	"slices"
	"strconv"

	"github.com/mteval/mteval"
)

// TableSegments makes a metric of a table of its rows: its scores of the systems on the
// segments, which are called 1, 2 and so on. Their mean is not the score of the corpus if
// the metric has another than that, as BLEU has: t.Scores has those. It panics if t is nil, and
// as t.Scores does.
func TableSegments(t *mteval.Table) Metric {
	items := make([]string, t.Len())
	for i := range items {
		items[i] = strconv.Itoa(i + 1)
	}
	m := Metric{Name: t.Info.Name, Scores: NewScores(slices.Clone(t.Systems), items), LowerIsBetter: t.Info.LowerIsBetter}
	for k := range m.Scores.Systems {
		for i := range items {
			m.Scores.Set(k, i, t.SegmentScore(k, i))
		}
	}
	return m
}
