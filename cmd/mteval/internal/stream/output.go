package stream

import (
	"bytes"
	"context"
	"fmt"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/stream"
)

// tellTotals says on standard error what all lines come to.
func tellTotals(a *app.App, metrics []stream.Metric, t *stream.Totals) {
	a.Tell("%s", counts(t))
	if t.Lines > 0 && t.Errors == t.Lines {
		a.Note("warning: no line could be scored")
	}
	tell := func(results []stream.Result, of string) {
		for i, r := range results {
			a.Tell("%s%s: %s (%s)", r.Metric, of, app.Format(metrics[i].Info(), r.Score, -1), r.Signature)
		}
	}
	if t.Unfiltered != nil {
		tell(t.Unfiltered, " of all lines")
		tell(t.Results, " of those kept")
	} else {
		tell(t.Results, "")
	}
}

// writeTotals writes that to --totals.
func (o *streamOptions) writeTotals(ctx context.Context, t *stream.Totals) error {
	if o.totals == "" {
		return nil
	}
	var b bytes.Buffer
	if err := t.Write(&b); err != nil {
		return err
	}
	return outfile.Write(ctx, o.totals, b.Bytes())
}

// counts says how many lines there were.
func counts(t *stream.Totals) string {
	text := fmt.Sprintf("%d lines, %d written", t.Lines, t.Written)
	if t.Lines == 1 {
		text = fmt.Sprintf("1 line, %d written", t.Written)
	}
	if t.Errors == 0 {
		return text
	}
	return fmt.Sprintf("%s, %d with errors", text, t.Errors)
}

// addTotals adds up the totals of shards.
func addTotals(ctx context.Context, a *app.App, o *streamOptions, options stream.Options) error {
	var all []*stream.Totals
	for _, path := range o.add {
		t, err := stream.OpenTotals(path)
		if err != nil {
			return err
		}
		all = append(all, t)
	}
	sum, err := stream.Add(options, all...)
	if err != nil {
		return err
	}
	if err := o.writeTotals(ctx, sum); err != nil {
		return err
	}
	tellTotals(a, options.Metrics, sum)
	return nil
}
