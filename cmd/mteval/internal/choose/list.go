package choose

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/selection"
)

// A selectList is the segments that were chosen.
type selectList struct {
	in     *selectInput
	method selection.Method
	*selection.Choice
}

// before are the segments of --after.
func (in *selectInput) before(ctx context.Context) ([]string, error) {
	var out []string
	for _, path := range in.options.after {
		names, err := files.OpenSegmentNames(ctx, path, in.Segments, in.app.Reading())
		if err != nil {
			return nil, app.Advise(err)
		}
		out = append(out, names...)
	}
	return out, nil
}

// nothing says why nothing was chosen.
func (l *selectList) nothing() error {
	if l.LeftOut.Before+l.LeftOut.Blank+l.LeftOut.Repeated == len(l.in.Segments) {
		return fmt.Errorf("there is nothing left to choose of %s: %s", app.Count(len(l.in.Segments), "segment"), l.leftOut())
	}
	if l.in.options.whole {
		return errors.New("no document fits into the budget: give more, or leave --whole-documents out")
	}
	return errors.New("no segment fits into the budget of words")
}

// leftOut says what could not be chosen, "" if all could.
func (l *selectList) leftOut() string {
	var parts []string
	if l.LeftOut.Before > 0 {
		parts = append(parts, fmt.Sprintf("%d chosen before", l.LeftOut.Before))
	}
	if l.LeftOut.Blank > 0 {
		parts = append(parts, fmt.Sprintf("%d without any output", l.LeftOut.Blank))
	}
	if l.LeftOut.Repeated > 0 {
		parts = append(parts, fmt.Sprintf("%d with the same texts as another", l.LeftOut.Repeated))
	}
	return strings.Join(parts, ", ")
}

// signature says how the list was made.
func (l *selectList) signature() mteval.Signature {
	o := l.in.options
	sig := mteval.Signature{{Key: "method", Value: l.method.Resolved(l.in.metricNames())}}
	if o.number > 0 {
		sig = append(sig, mteval.Field{Key: "n", Value: strconv.Itoa(o.number)})
	}
	if o.words > 0 {
		_, what := l.in.Counted()
		sig = append(sig, mteval.Field{Key: "words", Value: strconv.Itoa(o.words)}, mteval.Field{Key: "of", Value: what}, mteval.Field{Key: "tok", Value: o.wordTokenizer})
	}
	if o.whole {
		sig = append(sig, mteval.Field{Key: "documents", Value: "whole"})
	}
	if l.LeftOut.Before > 0 {
		sig = append(sig, mteval.Field{Key: "after", Value: strconv.Itoa(l.LeftOut.Before)})
	}
	if slices.ContainsFunc(l.method.Parts, func(p selection.Part) bool { return p.Name == "random" }) {
		sig = append(sig, mteval.Field{Key: "seed", Value: strconv.FormatUint(o.seed, 10)})
	}
	return append(sig, mteval.Field{Key: "version", Value: "mteval-" + mteval.Version})
}

// write writes the list, and says on standard error what it is.
func (l *selectList) write(ctx context.Context) error {
	o, a := l.in.options, l.in.app
	var b strings.Builder
	var err error
	switch o.output {
	case "tsv":
		err = l.table(func(cells []string) error { safe.TSV(&b, cells); return nil })
	case "csv":
		w := csv.NewWriter(&b)
		if err = l.table(w.Write); err == nil {
			w.Flush()
			err = w.Error()
		}
	case "jsonl":
		err = l.jsonLines(&b)
	case "json":
		err = safe.JSON(&b, l.json())
	default:
		l.text(&b)
	}
	if err != nil {
		return err
	}
	if o.path != "" {
		err = outfile.Write(ctx, o.path, []byte(b.String()))
	} else {
		_, err = io.WriteString(a.Stdout, b.String())
	}
	if err != nil {
		return err
	}
	l.summary()
	return nil
}

// summary says on standard error what was chosen.
func (l *selectList) summary() {
	a := l.in.app
	line := fmt.Sprintf("%d of %s", len(l.Segments), app.Count(len(l.in.Segments), "segment"))
	if part, all := l.Words, l.AllWords; all > 0 {
		_, what := l.in.Counted()
		line += fmt.Sprintf(", %d of %d words of the %s (%.1f%%)", part, all, what, 100*float64(part)/float64(all))
	}
	if l.in.options.whole {
		line += fmt.Sprintf(", in %s", app.Count(len(l.Documents), "document"))
	}
	if systems := l.in.Systems; systems != nil {
		line += fmt.Sprintf(", of %s", app.Count(len(systems), "system"))
		line += ": " + l.outputs()
	}
	a.Note("%s", line)
	if text := l.leftOut(); text != "" {
		a.Note("left out: %s", text)
	}
	if same := l.same(); same != "" {
		a.Note("warning: %s", same)
	}
	for _, p := range l.in.signed {
		a.Note("%s: %s", p.Name, p.Signature)
	}
	a.Note("%s", l.signature())
}

// outputs says how many there are to judge, one that several systems gave being one.
func (l *selectList) outputs() string {
	if l.Outputs == l.Different {
		return app.Count(l.Outputs, "output") + " to judge"
	}
	return fmt.Sprintf("%s to judge, %d of them different", app.Count(l.Outputs, "output"), l.Different)
}

// same says that utilities do not choose, if they are all equal.
func (l *selectList) same() string {
	if !l.Level {
		return ""
	}
	why := ""
	if systems := l.in.Systems; len(systems) == 1 {
		why = fmt.Sprintf(": %s is alone, and there is nothing that it differs from; average and difficulty do for one system", systems[0].Name)
	}
	return fmt.Sprintf("%s gives all segments the same utility, and the first were chosen%s", l.method.Text, why)
}
