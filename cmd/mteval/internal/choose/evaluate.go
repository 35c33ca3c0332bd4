package choose

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mteval/mteval/cmd/internal/safe"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/internal/outfile"
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
func evaluateMethods(ctx context.Context, a *app.App, start time.Time, o *selectOptions, in *selectInput) error {
	if err := in.judge(ctx); err != nil {
		return err
	}
	if len(o.methods) == 0 {
		return fmt.Errorf("--method: which? There is neither a metric nor an output: have %s", strings.Join(selection.MethodNames(), ", "))
	}
	var candidates []selection.Candidate
	for _, m := range o.methods {
		u, err := in.utilities(ctx, m)
		if err != nil {
			return err
		}
		candidates = append(candidates, selection.Candidate{Name: m.Text, Utilities: u})
	}
	a.NoteCut(&in.backend)
	c := &selectCurves{in: in, systems: len(in.Human.Systems), people: o.human}
	if in.tree != nil {
		c.people = o.tree + ": " + o.pair + " " + in.rules.SegmentGold
	}
	if err := in.countWords(); err != nil {
		return err
	}
	for _, cost := range []costCurves{{unit: "segments"}, {unit: "words"}} {
		if cost.unit == "words" {
			if in.Lengths == nil {
				a.Note("no curves by words, which is what people are paid for: name a --source")
				continue
			}
			_, cost.of = in.Counted()
		}
		var err error
		if cost.Evaluation, err = in.curves(ctx, start, cost.unit, candidates); err != nil {
			return fmt.Errorf("%s: %w", c.people, err)
		}
		c.costs = append(c.costs, cost)
	}
	return c.write(ctx)
}

// curves are those at budgets of segments or words.
func (in *selectInput) curves(ctx context.Context, start time.Time, unit string, candidates []selection.Candidate) (*selection.Evaluation, error) {
	o := in.options
	e := selection.EvaluateOptions{Random: o.choices, Seed: o.seed, Alpha: o.alpha}
	if unit == "words" {
		e.Lengths = in.Lengths
	}
	if o.whole {
		e.Documents = in.Documents
	}
	ctx, done := in.app.WithProgress(ctx, start, "choices by "+unit)
	defer done()
	return selection.Evaluate(ctx, in.Human, candidates, e)
}

// write prints the curves, and writes the files of them.
func (c *selectCurves) write(ctx context.Context) error {
	o, a := c.in.options, c.in.app
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
		if err := a.WritePage(ctx, c.page(), o.html); err != nil {
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
			a.Tell("%s", line)
		}
	default:
		c.text(&b)
	}
	if o.path != "" {
		return outfile.Write(ctx, o.path, []byte(b.String()))
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}
