package meta

import (
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/meta"
)

// tsv writes a line for each metric with all there is, and after an empty line the
// sweep. What is undefined is NA.
func (s *metaOutput) tsv(b *strings.Builder) {
	header := []string{"metric", "lower_is_better"}
	for _, x := range s.Measures {
		header = append(header, x.Key)
		if x.Tested {
			header = append(header, x.Key+"_low", x.Key+"_high", x.Key+"_cluster")
		}
	}
	if s.Pairs != nil {
		header = append(header, "epsilon", "ranked", "ranked_tied", "ties", "ties_tied")
	}
	safe.TSV(b, header)
	for _, m := range s.Metrics {
		safe.TSV(b, s.tsvRow(m))
	}
	if len(s.Sweep) > 0 {
		safe.TSV(b, nil)
		s.tsvSweep(b)
	}
}

func (s *metaOutput) tsvRow(m meta.MetricResult) []string {
	row := []string{m.Name, strconv.FormatBool(m.LowerIsBetter)}
	for _, x := range s.Measures {
		value, low, high, cluster := app.TSVNA, app.TSVNA, app.TSVNA, app.TSVNA
		if f := m.Values[x.Key]; f != nil {
			value = app.TSVNumber(f.Value)
			if f.Interval != nil {
				low, high = app.TSVNumber(f.Interval.Low), app.TSVNumber(f.Interval.High)
			}
			if f.Cluster > 0 {
				cluster = strconv.Itoa(f.Cluster)
			}
		}
		row = append(row, value)
		if x.Tested {
			row = append(row, low, high, cluster)
		}
	}
	if s.Pairs == nil {
		return row
	}
	epsilon := app.TSVNA
	if m.Epsilon != nil {
		epsilon = strconv.FormatFloat(*m.Epsilon, 'g', -1, 64)
	}
	row = append(row, epsilon)
	ranked, both := metricTies(m)
	for _, n := range []int64{s.Pairs.Ranked, ranked, s.Pairs.Ties, both} {
		row = append(row, strconv.FormatInt(n, 10))
	}
	return row
}

func (s *metaOutput) tsvSweep(b *strings.Builder) {
	header := []string{"threshold", "ranked", "ties", "metric"}
	for _, f := range s.options.Forms {
		header = append(header, "kendall_"+f.Name)
	}
	safe.TSV(b, header)
	for _, p := range s.Sweep {
		for _, m := range s.Metrics {
			row := []string{decimal.Format(p.Threshold), strconv.FormatInt(p.Ranked, 10), strconv.FormatInt(p.Ties, 10), m.Name}
			for f := range s.options.Forms {
				text := app.TSVNA
				if tau := sweepTau(p, m.Name, f); tau != nil {
					text = app.TSVNumber(*tau)
				}
				row = append(row, text)
			}
			safe.TSV(b, row)
		}
	}
}
