package main

import (
	"strconv"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
)

// tsv has a row for each system, with what is in the text's table, one number a cell, empty
// where there is none.
func (p *rankPage) tsv() string {
	r := p.ranking
	human := len(r.Correlations) > 0
	header := []string{"system"}
	if human {
		header = append(header, "human", "human_rank")
	}
	header = append(header, "group", "above_next", "best")
	for _, m := range r.Metrics {
		header = append(header, m.Name, m.Name+"_rank")
		if human {
			header = append(header, m.Name+"_difference")
		}
	}
	var b strings.Builder
	safe.TSV(&b, header)
	for i := range r.Systems {
		safe.TSV(&b, p.tsvRow(i, human))
	}
	return b.String()
}

// tsvRow is that of a system. One without a human score has cells for it that are empty.
func (p *rankPage) tsvRow(i int, human bool) []string {
	r, o := p.ranking, p.opinion
	s, k := &r.Systems[i], r.Order[i]
	row := []string{s.Name}
	switch {
	case human && s.Human == nil:
		row = append(row, "", "")
	case human:
		row = append(row, strconv.FormatFloat(*s.Human, 'f', -1, 64), strconv.Itoa(s.HumanRank))
	}
	next, best := "", ""
	if len(r.Order) > 1 {
		best = tsvNumber(o.best[k])
	}
	if i+1 < len(r.Order) {
		next = tsvNumber(o.P[k][r.Order[i+1]])
	}
	row = append(row, strconv.Itoa(o.groups[k]), next, best)
	for m := range r.Metrics {
		row = append(row, tsvNumber(s.Scores[m]), strconv.Itoa(s.Ranks[m]))
		switch {
		case human && s.Human == nil:
			row = append(row, "")
		case human:
			row = append(row, strconv.Itoa(s.Differences[m]))
		}
	}
	return row
}
