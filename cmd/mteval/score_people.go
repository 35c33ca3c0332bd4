package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/preference"
)

// agreedJSON is what a difference from the first system has meant: how often people put the
// system with the better score above, of the judged pairs with a |z| like it by the same metric.
type agreedJSON struct {
	// Agreed is a share of Pairs, absent where these are too few.
	Agreed *float64 `json:"agreed,omitempty"`
	Pairs  int      `json:"pairs"`
	// Z is the difference in standard errors, above 0 where the system is better than the
	// first.
	Z float64 `json:"z"`
	// Outside says in what the texts are unlike those of the judged pairs.
	Outside []string `json:"outside,omitempty"`
}

// people are by system what its difference from the first has meant, nil for the first and for
// one that has the same score, and nil for all if there is no record of the metric. Of a single
// segment there is no standard error.
func (a *app) people(ctx context.Context, o *scoreOptions, t *mteval.Table) ([]*agreedJSON, error) {
	out := make([]*agreedJSON, len(t.Systems))
	if o.calibration == nil || t.Len() < 2 {
		return out, nil
	}
	record, outside := o.calibration.Record(registry.Name(t.Info.Name), t.Info.Signature, t.Len())
	if record == nil {
		a.note("how often people agreed with such differences is not known: %s", strings.Join(outside, "; "))
		return out, nil
	}
	e, err := preference.FromTable(ctx, t)
	if err != nil {
		return nil, err
	}
	for k := range out {
		z := e.Z[k][0]
		if z == 0 {
			continue
		}
		band := record.Band(z)
		out[k] = &agreedJSON{Pairs: band.Pairs, Z: z, Outside: outside}
		if band.Pairs >= fewestPairs {
			agreed := float64(band.Agreed) / float64(band.Pairs)
			out[k].Agreed = &agreed
		}
	}
	return out, nil
}

// toldPeople says whether any difference is told of.
func (o *scoreOptions) toldPeople(columns []*scoreColumn) bool {
	return slices.ContainsFunc(columns, func(c *scoreColumn) bool {
		return slices.ContainsFunc(c.results, func(r resultJSON) bool { return r.People != nil })
	})
}

// printPeople writes what the differences from the first system have meant, if there is any to
// tell.
func (o *scoreOptions) printPeople(b *strings.Builder, columns []*scoreColumn) {
	rows, unlike := o.peopleRows(columns)
	if len(rows) == 1 {
		return
	}
	fmt.Fprintf(b, "\nDifferences from %s, in standard errors, and how often people put the system with the better\n"+
		"score above, of pairs of %s that differed as much by the same metric\n", safe.Visible(columns[0].results[0].System), safe.Visible(o.judged()))
	safe.Grid(b, rows)
	for _, reason := range unlike {
		fmt.Fprintf(b, "unlike these: %s\n", safe.Visible(reason))
	}
}

// peopleRows have a row for each difference of which there is something to tell, below a header,
// and say in what the texts are unlike those of the judged pairs.
func (o *scoreOptions) peopleRows(columns []*scoreColumn) (rows [][]string, unlike []string) {
	rows = [][]string{{"system", "metric", "|z|", "better", ""}}
	first := columns[0].results[0].System
	for k := range columns[0].results {
		for _, c := range columns {
			r := c.results[k]
			if r.People == nil {
				continue
			}
			better := first
			if r.People.Z > 0 {
				better = r.System
			}
			rows = append(rows, []string{r.System, r.Metric, strconv.FormatFloat(math.Abs(r.People.Z), 'f', 2, 64), better, r.People.phrase()})
			unlike = append(unlike, r.People.Outside...)
		}
	}
	slices.Sort(unlike)
	return rows, slices.Compact(unlike)
}

func (p *agreedJSON) phrase() string {
	if p.Agreed == nil {
		return "too few pairs like it"
	}
	return fmt.Sprintf("people agreed %s%% (of %d pairs like it)", p.percent(), p.Pairs)
}

// percent is how often people agreed.
func (p *agreedJSON) percent() string {
	percent := 100 * *p.Agreed
	share := fmt.Sprintf("%.0f", percent)
	if share == "100" && percent < 100 || share == "0" && percent > 0 { // not all, not none
		share = fmt.Sprintf("%.1f", max(.1, min(percent, 99.9)))
	}
	return share
}

// judged names what the calibration was fitted on.
func (o *scoreOptions) judged() string {
	names := campaigns(o.calibration)
	if len(names) == 0 {
		return "judged systems"
	}
	return "systems in " + strings.Join(names, ", ")
}
