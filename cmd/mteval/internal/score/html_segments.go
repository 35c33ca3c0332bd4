package score

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/report"
)

// scoreSegments are the texts and their scores.
type scoreSegments struct {
	options *scoreOptions
	columns []*scoreColumn
	corpus  *files.Corpus
	bleu    mteval.Scorer // of sentences; nil: no metric is BLEU
}

// segmentsOf are the segments of a page. BLEU of a sentence has effective order, as with
// --sentence-level.
func (o *scoreOptions) segmentsOf(ctx context.Context, columns []*scoreColumn, c *files.Corpus, open *registry.Backend) (*scoreSegments, error) {
	out := &scoreSegments{options: o, columns: columns, corpus: c}
	if slices.ContainsFunc(columns, func(c *scoreColumn) bool { return c.results[0].BLEU != nil }) {
		sentences := o.flags
		sentences.Sentences = true
		var err error
		if out.bleu, err = sentences.Scorer(ctx, "bleu", open); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// made says how sentences are scored where that is not as systems are.
func (s *scoreSegments) made() *report.Made {
	if s.bleu == nil || s.options.sentences {
		return nil
	}
	return &report.Made{Name: "bleu of segments", Text: s.bleu.Info().Signature.Complete(s.corpus.Refs).String()}
}

// score is that of an output.
func (s *scoreSegments) score(c *scoreColumn, system, segment int) float64 {
	if c.results[system].BLEU != nil {
		return s.bleu.Score(c.table.Row(system, segment))
	}
	return c.table.SegmentScore(system, segment)
}

// key is the number of a segment by a metric: how far systems are apart, or the score of a single
// one.
func (s *scoreSegments) key(c *scoreColumn, segment int) float64 {
	low := s.score(c, 0, segment)
	if len(c.results) == 1 {
		return low
	}
	high := low
	for k := range c.results {
		v := s.score(c, k, segment)
		low, high = min(low, v), max(high, v)
	}
	return high - low
}

// rounded is a number with the digits that are shown.
func (s *scoreSegments) rounded(c *scoreColumn, v float64) float64 {
	unit := math.Pow10(app.Decimals(c.info, s.options.width))
	return math.Round(v*unit) / unit
}

// order has the segments on which systems are furthest apart by the first metric first, or those
// with the worst scores of a single one.
func (s *scoreSegments) order() []int {
	c := s.columns[0]
	keys, out := make([]float64, c.table.Len()), make([]int, c.table.Len())
	for i := range out {
		keys[i], out[i] = s.rounded(c, s.key(c, i)), i
	}
	worstFirst := len(c.results) == 1 && !c.info.LowerIsBetter
	slices.SortStableFunc(out, func(a, b int) int {
		if worstFirst {
			return cmp.Compare(keys[a], keys[b])
		}
		return cmp.Compare(keys[b], keys[a])
	})
	return out[:min(len(out), s.options.htmlSegments)]
}

// text says in which order they are.
func (s *scoreSegments) text() []string {
	first := s.columns[0]
	if len(first.results) == 1 {
		return []string{"Those with the worst " + first.info.Name + " come first."}
	}
	return []string{"Those whose " + first.info.Name + " differs most among systems come first. Spread: the best score less the worst."}
}

// view is nil where no segment is asked for.
func (s *scoreSegments) view(ctx context.Context) *report.Segments {
	order := s.order()
	if len(order) == 0 {
		return nil
	}
	out := &report.Segments{Title: "Segments", Text: s.text(), Systems: app.SystemNames(s.corpus.Systems)}
	for _, c := range s.columns {
		out.Scores = append(out.Scores, report.ScoreColumn{Name: c.info.Name, Decimals: app.Decimals(c.info, s.options.width), LowerIsBetter: c.info.LowerIsBetter})
		if len(c.results) > 1 {
			out.Keys = append(out.Keys, report.Key{Name: "spread of " + c.info.Name})
		} else {
			out.Keys = append(out.Keys, report.Key{Name: c.info.Name, Ascending: !c.info.LowerIsBetter})
		}
	}
	out.All = func(yield func(report.Segment) bool) {
		for _, i := range order {
			if ctx.Err() != nil || !yield(s.segment(i)) {
				return // and the file is not written
			}
		}
	}
	return out
}

func (s *scoreSegments) segment(i int) report.Segment {
	out := report.Segment{Number: s.corpus.Number(i)}
	if s.corpus.Sources != nil {
		out.Source = s.corpus.Sources[i]
	}
	if i < len(s.corpus.Refs) {
		for _, ref := range s.corpus.Refs[i] {
			out.References = append(out.References, report.Text{Text: ref})
		}
	}
	for _, c := range s.columns {
		out.Keys = append(out.Keys, s.rounded(c, s.key(c, i)))
	}
	for k, system := range s.corpus.Systems {
		o := report.Output{Text: report.Text{Text: system.Hyps[i]}}
		for _, c := range s.columns {
			o.Scores = append(o.Scores, s.score(c, k, i))
		}
		out.Outputs = append(out.Outputs, o)
	}
	return out
}
