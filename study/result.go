package study

import (
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
)

// A Result is what a study finds.
type Result struct {
	// Systems are those with a human score, best first.
	Systems  []ranking.Human
	Segments int
	// Chance is what the order of the K best systems can say, by K.
	Chance []Chance
	// Curves are those of the metrics, each followed by its forms.
	Curves []*Curve
	// SamplesNeeded is how many samples it takes for any difference to be significant
	// after Holm's correction; 0 where there were as many, and where there are no forms.
	SamplesNeeded float64
	// Signature tells the intervals, the tests, and the options.
	Signature mteval.Signature
	// Unscored names the systems without a human score, which are left out, and Missing
	// those with one that were not given.
	Unscored, Missing []string
}

// HasForms says whether any of the curves is that of a form.
func (r *Result) HasForms() bool {
	return slices.ContainsFunc(r.Curves, func(c *Curve) bool { return c != nil && c.Form != nil })
}

// A Curve is that of a metric or of a form, over K.
type Curve struct {
	Metric string // "da-bertscore" or, combined, "bertscore+da" for a form of bertscore
	// Signature is complete. A form's names the weights of all systems.
	Signature mteval.Signature
	Form      *Form // nil for a metric as it is
	// Table holds the rows of a metric as it is, with Systems in the order of the result's;
	// nil for a form, whose rows are others for each K.
	Table  *mteval.Table
	Points []Point // by K
}

// Name is what the metric or form is called for people.
func (c *Curve) Name() string {
	if c.Form == nil {
		return c.Metric
	}
	name := c.Metric + " " + c.Form.Name
	if c.Form.Options.LeaveOneOut {
		name += " loo"
	}
	return name
}

// A Point is what is found for the K best systems.
type Point struct {
	K          int
	Scores     []float64    // of the K systems
	Agreements [3]Agreement // by significance.Coefficient
}

// An Agreement is how far a metric agrees with people by one coefficient.
type Agreement struct {
	Value *float64 // −1 to 1, + for an error metric that agrees too; nil: undefined
	// Segments and Systems are the intervals over samples of these.
	Segments, Systems Interval
	// Difference from the metric that a form is of; nil for a metric as it is, and where
	// one of both is undefined.
	Difference *Difference
}

// An Interval is that of samples, of which some are undefined and left out. It is 0 to 0
// where all are.
type Interval struct {
	Low, High          float64
	Defined, Undefined int // samples
}

// A Difference is how much better a form agrees with people than its metric.
type Difference struct {
	Value             float64
	Segments, Systems Interval
	// P is that of the paired bootstrap over segments, and Holm adjusted for all K; nil
	// where all samples are undefined.
	P, Holm *float64
	// Perm is PERM-INPUTS, of means of segments' scores; nil where these have no
	// correlation.
	Perm *significance.Difference
}
