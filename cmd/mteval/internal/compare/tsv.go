package compare

import (
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/compare"
)

// tsv writes a line for each metric and system, and after an empty line each, the pairs, the
// groups and the segments that were asked for.
func (s *compareOutput) tsv(b *strings.Builder) {
	safe.TSV(b, []string{"metric", "lower_is_better", "system", "cluster", "mean", "low", "high", "segments"})
	for _, r := range s.results {
		for _, x := range r.Systems {
			safe.TSV(b, []string{r.Metric, strconv.FormatBool(r.LowerIsBetter), x.Name, strconv.Itoa(x.Cluster), app.TSVNumber(x.Mean), app.TSVNumber(x.Interval.Low), app.TSVNumber(x.Interval.High), strconv.Itoa(r.Segments)})
		}
	}
	if s.options.pairs {
		s.tsvPairs(b)
	}
	if len(s.buckets) > 0 && len(s.buckets[0]) > 0 {
		s.tsvBuckets(b)
	}
	if len(s.decisions) > 0 {
		b.WriteByte('\n')
		safe.TSV(b, []string{"metric", "lower_is_better", "segment", "system", "other", "score", "other_score", "difference"})
		for _, d := range s.decisions {
			d.tsvRows(b)
		}
	}
}

func (s *compareOutput) tsvPairs(b *strings.Builder) {
	b.WriteByte('\n')
	safe.TSV(b, []string{"metric", "system", "other", "difference", "low", "high", "p_ar", "p_ar_holm", "p_bs", "p_bs_holm", "t", "p_t", "p_t_holm", "wins", "ties", "losses"})
	exact := func(p float64) string { return strconv.FormatFloat(p, 'g', 6, 64) }
	for _, r := range s.results {
		for _, p := range r.Pairs {
			safe.TSV(b, []string{r.Metric, r.Systems[p.A].Name, r.Systems[p.B].Name, app.TSVNumber(p.Difference), app.TSVNumber(p.Interval.Low), app.TSVNumber(p.Interval.High),
				exact(p.Randomization.P), exact(p.Randomization.Holm), exact(p.Bootstrap.P), exact(p.Bootstrap.Holm), app.TSVNumber(p.T.T), exact(p.T.P.P), exact(p.T.Holm),
				strconv.Itoa(p.Wins), strconv.Itoa(p.Ties), strconv.Itoa(p.Losses)})
		}
	}
}

func (s *compareOutput) tsvBuckets(b *strings.Builder) {
	b.WriteByte('\n')
	safe.TSV(b, []string{"metric", "lower_is_better", "by", "group", "segments", "system", "mean", "behind_best", "p_t"})
	for i, r := range s.results {
		for g, buckets := range s.buckets[i] {
			for _, x := range buckets {
				s.tsvBucket(b, &r, s.groupings[i][g].Name, &x)
			}
		}
	}
}

func (s *compareOutput) tsvBucket(b *strings.Builder, r *compare.Result, by string, x *compare.Bucket) {
	for k, mean := range x.Means {
		behind, p := "0.000000", app.TSVNA
		if k > 0 {
			behind, p = app.TSVNumber(x.Pairs[k-1].Difference), strconv.FormatFloat(x.Pairs[k-1].P, 'g', 6, 64)
		}
		safe.TSV(b, []string{r.Metric, strconv.FormatBool(r.LowerIsBetter), by, x.Label, strconv.Itoa(x.Segments), r.Systems[k].Name, app.TSVNumber(mean), behind, p})
	}
}
