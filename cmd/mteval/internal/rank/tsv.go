package rank

import (
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
)

// forTSV are whole numbers, for programs.
var forTSV = cells{
	share: app.TSVNumber, difference: strconv.Itoa,
	score:     func(_ mteval.Info, x float64) string { return app.TSVNumber(x) },
	direction: func(info mteval.Info) []string { return []string{strconv.FormatBool(info.LowerIsBetter)} },
}

// tsv has a row for each system, with what is in the text's table, one number a cell, empty
// where there is none.
func (p *rankPage) tsv() string {
	r := p.ranking
	human := len(r.Correlations) > 0
	header := []string{"system"}
	if human {
		header = append(header, "human", "human_rank")
	}
	if p.opinion != nil {
		header = append(header, "group", "above_next", "best")
	}
	for _, m := range r.Metrics {
		header = append(header, m.Name, m.Name+"_rank")
		if human {
			header = append(header, m.Name+"_difference")
		}
		header = append(header, m.Name+"_lower_is_better")
	}
	var b strings.Builder
	safe.TSV(&b, header)
	for i := range r.Systems {
		safe.TSV(&b, p.row(i, human, forTSV))
	}
	return b.String()
}
