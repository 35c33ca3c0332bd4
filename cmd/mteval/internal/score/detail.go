package score

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
)

// A setPart is a part of a test set: the documents of an original language, and of them those of
// a domain.
type setPart struct {
	origlang string
	subset   string // "" for all
	keep     []bool
	segments int
}

// setPartJSON is the score of a part.
type setPartJSON struct {
	Origlang string  `json:"origlang"`
	Subset   string  `json:"subset,omitempty"`
	Segments int     `json:"segments"`
	Score    float64 `json:"score"`
}

// scoreSetParts adds the scores of each part of the test set to the results, from one table of
// all segments for each metric.
func scoreSetParts(ctx context.Context, a *app.App, start time.Time, o *scoreOptions, set *app.TestSet, scorers []mteval.Scorer, c *files.Corpus, columns []*scoreColumn) error {
	parts, err := o.Sets.parts(ctx, set)
	if err != nil {
		return err
	}
	run := a.Run(start, "", c, nil)
	for m, s := range scorers {
		t := columns[m].table
		if set.Keep != nil { // it is of those alone
			if t, err = run.Table(ctx, s); err != nil {
				return err
			}
		}
		for k := range t.Systems {
			r := &columns[m].results[k]
			for _, p := range parts {
				r.Parts = append(r.Parts, setPartJSON{p.origlang, p.subset, p.segments, t.Score(p.sum(t, k))})
			}
		}
	}
	return nil
}

// sum is the sum of a system's rows of the part.
func (p *setPart) sum(t *mteval.Table, system int) []float64 {
	sum := make([]float64, t.Width())
	for i, yes := range p.keep {
		if !yes {
			continue
		}
		for j, x := range t.Row(system, i) {
			sum[j] += x
		}
	}
	return sum
}

// parts are those of a test set, within --origlang and --subset where they are given, without
// empty ones.
func (o *setOptions) parts(ctx context.Context, set *app.TestSet) ([]setPart, error) {
	languages, subsets := []string{o.origlang}, []string{o.subset}
	var err error
	if o.origlang == "" {
		if languages, err = set.Data.OriginalLanguages(ctx); err != nil {
			return nil, err
		}
	}
	if o.subset == "" {
		if subsets, err = set.Data.Subsets(ctx); err != nil {
			return nil, err
		}
	}
	var out []setPart
	for _, language := range languages {
		for _, subset := range append([]string{""}, subsets...) {
			p := setPart{origlang: language, subset: subset}
			if p.keep, err = set.Data.Keep(ctx, language, subset); err != nil {
				return nil, err
			}
			for _, yes := range p.keep {
				if yes {
					p.segments++
				}
			}
			if p.segments > 0 {
				out = append(out, p)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("--detail: %s %s has no documents with an original language", o.Name, o.pair)
	}
	return out, nil
}

// printSetParts writes a table with a row for each part and system, if there are any.
func (o *scoreOptions) printSetParts(b *strings.Builder, columns []*scoreColumn) {
	if rows := o.setPartRows(columns); rows != nil {
		safe.Grid(b, rows)
		b.WriteByte('\n')
	}
}

// setPartRows are those of the table, nil if there are no parts.
func (o *scoreOptions) setPartRows(columns []*scoreColumn) [][]string {
	if len(columns[0].results[0].Parts) == 0 {
		return nil
	}
	header := []string{"system", "origlang", "subset", "segments"}
	for _, c := range columns {
		header = append(header, c.info.Name)
	}
	rows := [][]string{header}
	for k, r := range columns[0].results {
		for i, p := range r.Parts {
			row := []string{r.System, p.Origlang, cmp.Or(p.Subset, "all"), strconv.Itoa(p.Segments)}
			for _, c := range columns {
				row = append(row, app.Format(c.info, c.results[k].Parts[i].Score, o.width))
			}
			rows = append(rows, row)
		}
	}
	return rows
}
