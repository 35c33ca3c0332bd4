package main

import (
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/meta"
)

// tsvNA is what is undefined, in TSV.
const tsvNA = "NA"

func tsvNumber(v float64) string { return strconv.FormatFloat(v+0, 'f', 6, 64) }

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
		value, low, high, cluster := tsvNA, tsvNA, tsvNA, tsvNA
		if f := m.Values[x.Key]; f != nil {
			value = tsvNumber(f.Value)
			if f.Interval != nil {
				low, high = tsvNumber(f.Interval.Low), tsvNumber(f.Interval.High)
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
	epsilon := tsvNA
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
	for _, f := range s.options.forms {
		header = append(header, "kendall_"+f.Name)
	}
	safe.TSV(b, header)
	for _, p := range s.Sweep {
		for _, m := range s.Metrics {
			row := []string{decimal.Format(p.Threshold), strconv.FormatInt(p.Ranked, 10), strconv.FormatInt(p.Ties, 10), m.Name}
			for f := range s.options.forms {
				text := tsvNA
				if tau := sweepTau(p, m.Name, f); tau != nil {
					text = tsvNumber(*tau)
				}
				row = append(row, text)
			}
			safe.TSV(b, row)
		}
	}
}
