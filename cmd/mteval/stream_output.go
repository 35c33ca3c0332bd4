package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/internal/jsonfile"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/stream"
)

// tellTotals says on standard error what all lines come to.
func (a *app) tellTotals(metrics []stream.Metric, t *stream.Totals) {
	a.tell("%s", counts(t))
	tell := func(results []stream.Result, of string) {
		for i, r := range results {
			a.tell("%s%s: %s (%s)", r.Metric, of, format(metrics[i].Info(), r.Score, -1), r.Signature)
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
	if err := safe.JSON(&b, t); err != nil {
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

// maxTotals bounds a file of totals.
const maxTotals = 16 << 20

// addTotals adds up the totals of shards.
func (a *app) addTotals(ctx context.Context, o *streamOptions, options stream.Options) error {
	var all []*stream.Totals
	for _, path := range o.add {
		data, err := sidefile.ReadFile(path, maxTotals)
		if err != nil {
			return err
		}
		f := jsonfile.File{Name: path, Data: data, What: "totals of mteval stream"}
		t := new(stream.Totals)
		if _, err := f.Decode(t); err != nil {
			return err
		}
		if _, err := stream.Add(options, t); err != nil {
			return fmt.Errorf("%s: %w", path, err)
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
	a.tellTotals(options.Metrics, sum)
	return nil
}
