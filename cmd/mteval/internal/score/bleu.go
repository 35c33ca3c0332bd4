package score

import (
	"fmt"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/internal/safe"
)

// bleuJSON is what BLEU is made of, with sacreBLEU's names.
type bleuJSON struct {
	// Precisions of each order, in per cent.
	Precisions []float64 `json:"precisions"`
	BP         float64   `json:"bp"`
	Ratio      float64   `json:"ratio"`
	HypLen     int       `json:"hyp_len"`
	RefLen     float64   `json:"ref_len"`
	Counts     []float64 `json:"counts"`
	Totals     []int     `json:"totals"`

	parts string // as sacreBLEU writes them
}

// bleuParts are those of a system's score, nil if the metric is not BLEU.
func bleuParts(s mteval.Scorer, t *mteval.Table, system int) *bleuJSON {
	b, ok := registry.Plain(s).(*bleu.Scorer)
	if !ok {
		return nil
	}
	d := b.Detail(t.Sum(system))
	return &bleuJSON{d.Precisions, d.BP, d.Ratio(), d.HypLen, d.RefLen, d.Counts, d.Totals, d.Parts()}
}

// printBLEU writes below the table what each system's BLEU is made of.
func printBLEU(b *strings.Builder, columns []*scoreColumn) {
	for _, c := range columns {
		if c.results[0].BLEU == nil {
			continue
		}
		width := 0
		for _, r := range c.results {
			width = max(width, len(r.BLEU.parts))
		}
		var rows [][]string
		for _, r := range c.results {
			// To the left, where sizes differ.
			rows = append(rows, []string{r.System, fmt.Sprintf("%-*s", width, r.BLEU.parts)})
		}
		fmt.Fprintf(b, "\nParts of %s: precisions of n-grams in per cent, brevity penalty, lengths in tokens\n", c.info.Name)
		safe.Grid(b, rows)
	}
}
