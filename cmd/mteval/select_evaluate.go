package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/internal/outfile"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/selection"
)

// A selectCurves is what methods are worth.
type selectCurves struct {
	in      *selectInput
	systems int
	people  string
	// costs are by segments, and by words if there is a text to count them of.
	costs []costCurves
}

// A costCurves is what methods are worth at budgets of one kind.
type costCurves struct {
	unit string // segments or words
	of   string // the text whose words these are
	*selection.Evaluation
}

// evaluateMethods compares methods with random choice.
func (a *app) evaluateMethods(ctx context.Context, start time.Time, o *selectOptions, in *selectInput) error {
	human, err := in.people(ctx)
	if err != nil {
		return err
	}
	if err := in.keep(human.Systems); err != nil {
		return err
	}
	if len(o.methods) == 0 {
		return fmt.Errorf("--method: which? There is neither a metric nor an output: have %s", strings.Join(methodNames, ", "))
	}
	var candidates []selection.Candidate
	for _, m := range o.methods {
		u, err := in.utilities(ctx, m)
		if err != nil {
			return err
		}
		candidates = append(candidates, selection.Candidate{Name: m.text, Utilities: u})
	}
	a.noteCut(&in.backend)
	c := &selectCurves{in: in, systems: len(human.Systems), people: o.human}
	if in.tree != nil {
		c.people = o.tree + ": " + o.pair + " " + in.rules.SegmentGold
	}
	lengths, err := in.lengths()
	if err != nil {
		return err
	}
	for _, cost := range []costCurves{{unit: "segments"}, {unit: "words"}} {
		if cost.unit == "words" {
			if lengths == nil {
				a.note("no curves by words, which is what people are paid for: name a --source")
				continue
			}
			_, cost.of = in.countedTexts()
		}
		if cost.Evaluation, err = in.curves(ctx, start, cost.unit, human, candidates, lengths); err != nil {
			return fmt.Errorf("%s: %w", c.people, err)
		}
		c.costs = append(c.costs, cost)
	}
	return c.write(ctx)
}

// curves are those at budgets of segments or words.
func (in *selectInput) curves(ctx context.Context, start time.Time, unit string, human *metaeval.Scores, candidates []selection.Candidate, lengths []int) (*selection.Evaluation, error) {
	o := in.options
	e := selection.EvaluateOptions{Random: o.choices, Seed: o.seed, Alpha: o.alpha}
	if unit == "words" {
		e.Lengths = lengths
	}
	if o.whole {
		e.Documents = in.documents
	}
	ctx, done := in.work.app.withProgress(ctx, start, "choices by "+unit)
	defer done()
	return selection.Evaluate(ctx, human, candidates, e)
}

// write prints the curves, and writes the files of them.
func (c *selectCurves) write(ctx context.Context) error {
	o, a := c.in.options, c.in.work.app
	if o.svg != "" {
		var b bytes.Buffer
		if err := c.picture(c.costs[0], clustersOf).WriteSVG(&b); err != nil {
			return err
		}
		if err := outfile.Write(ctx, o.svg, b.Bytes()); err != nil {
			return err
		}
	}
	if o.html != "" {
		if err := a.writePage(ctx, c.page(), o.html); err != nil {
			return err
		}
	}
	var b strings.Builder
	switch o.output {
	case "json":
		if err := safe.JSON(&b, c.json()); err != nil {
			return err
		}
	case "tsv":
		c.tsv(&b)
		for _, line := range c.head() {
			a.tell("%s", line)
		}
	default:
		c.text(&b)
	}
	if o.path != "" {
		return outfile.Write(ctx, o.path, []byte(b.String()))
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}
