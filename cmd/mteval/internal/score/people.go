package score

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
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/preference"
)

// people are by system what its difference from the first has meant, nil where there is nothing to
// tell.
func people(ctx context.Context, a *app.App, o *scoreOptions, t *mteval.Table) ([]*preference.Difference, error) {
	if o.calibration == nil {
		return make([]*preference.Difference, len(t.Systems)), nil
	}
	plain := *t // of several of a kind
	plain.Info.Name = registry.Name(t.Info.Name)
	out, unknown, err := o.calibration.Differences(ctx, &plain)
	if len(unknown) > 0 {
		a.Note("how often people agreed with such differences is not known: %s", strings.Join(unknown, "; "))
	}
	return out, err
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
			rows = append(rows, []string{r.System, r.Metric, strconv.FormatFloat(math.Abs(r.People.Z), 'f', 2, 64), better, phrase(r.People)})
			unlike = append(unlike, r.People.Outside...)
		}
	}
	slices.Sort(unlike)
	return rows, slices.Compact(unlike)
}

func phrase(p *preference.Difference) string {
	if p.Agreed == nil {
		return "too few pairs like it"
	}
	return fmt.Sprintf("people agreed %s%% (of %d pairs like it)", agreedPercent(p), p.Pairs)
}

// agreedPercent is how often people agreed.
func agreedPercent(p *preference.Difference) string {
	percent := 100 * *p.Agreed
	share := fmt.Sprintf("%.0f", percent)
	if share == "100" && percent < 100 || share == "0" && percent > 0 { // not all, not none
		share = fmt.Sprintf("%.1f", max(.1, min(percent, 99.9)))
	}
	return share
}

// judged names what the calibration was fitted on.
func (o *scoreOptions) judged() string {
	names := o.calibration.Campaigns()
	if len(names) == 0 {
		return "judged systems"
	}
	return "systems in " + strings.Join(names, ", ")
}
