package rank

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/scoring"
)

// terms makes the metrics of a calibration's terms. Lexical is the backend of the embedded one's,
// open that of the options.
func (o *rankOptions) terms(ctx context.Context, c *preference.Calibration, lexical, open *registry.Backend) ([]scoring.Metric, error) {
	var out []scoring.Metric
	scorers := make(map[string]mteval.Scorer)
	seen := make(map[string]bool)
	for _, t := range c.Terms {
		if seen[t.Metric.Name] {
			continue
		}
		seen[t.Metric.Name] = true
		name, form := scoring.FormOf(t.Metric.Name)
		if scorers[name] == nil {
			if renamed(t.Metric) {
				return nil, fmt.Errorf("--calibration %s: its %s is over lexical vectors, from before that was called bertscore-lexical: fit it again (mteval calibrate)", o.calibration, t.Metric.Name)
			}
			s, err := o.termScorer(ctx, name, lexical, open)
			if err != nil {
				return nil, err
			}
			scorers[name] = s
		}
		if form != nil {
			if _, err := app.Matching(scorers[name], fmt.Sprintf("--calibration %s: %s", o.calibration, t.Metric.Name)); err != nil {
				return nil, err
			}
		}
		out = append(out, scoring.Metric{Scorer: scorers[name], Form: form})
	}
	return out, nil
}

// renamed says whether what is called bertscore was over lexical vectors, as older calibrations have
// it.
func renamed(m preference.Metric) bool {
	name, _ := scoring.FormOf(m.Name)
	return name == "bertscore" && slices.ContainsFunc(m.Signature, func(f preference.Field) bool {
		return f.Key == "backend" && slices.Contains(f.Values, "lexical")
	})
}

// termScorer makes a metric as it was when the embedded calibration was fitted, whatever the
// options say, and that of another calibration by the options.
func (o *rankOptions) termScorer(ctx context.Context, name string, lexical, open *registry.Backend) (mteval.Scorer, error) {
	if o.calibration == "" {
		return o.flags.Standard(ctx, name, lexical)
	}
	s, err := o.flags.Scorer(ctx, name, open)
	if err != nil {
		return nil, fmt.Errorf("--calibration %s: %w", o.calibration, err)
	}
	if name == "chrf" && s.Info().Name != name {
		return nil, fmt.Errorf("--calibration %s: it was fitted on chrf, and chrf(word-order=2) makes %s of it", o.calibration, s.Info().Name)
	}
	if name == "bertscore" && s.Info().Name != name { // over lexical vectors
		return nil, fmt.Errorf("--calibration %s: it is of %s over a model: name it, as in --base '%[2]s(backend=transformer,model=DIR)'", o.calibration, name)
	}
	return s, nil
}

// An opinion is what people would say of the systems, as it is shown.
type opinion struct{ *scoring.Opinion }

// newOpinion adds to what the systems are outside of the flag that helps.
func newOpinion(o *scoring.Opinion) *opinion {
	for i, reason := range o.Outside {
		if strings.HasSuffix(reason, "whose words 13a does not split") {
			o.Outside[i] += ": give --target-language"
		}
	}
	return &opinion{o}
}

// key says what the columns of opinion are.
func (o *opinion) key() []string {
	return []string{
		"above next: probability that a campaign of human judgements like WMT's would put the system above the next row's; best: above all others",
		"group: systems that are not told apart at " + o.at(),
	}
}

// source says where the probabilities come from.
func (o *opinion) source() string {
	names, of := o.Calibration.Campaigns(), ""
	if n := len(names); n > 6 {
		of = fmt.Sprintf(" of %d campaigns", n)
	} else if n > 0 {
		of = " of " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("probabilities: calibration %s, from %d judged sets%s", o.Calibration.Hash(), len(o.Calibration.Sets), of)
}

// outside is what stands before reasons why it is not known what probabilities are worth.
const outside = "What the probabilities are worth is not known, as these systems are outside of what the calibration was fitted on:"

// right says how right the probabilities were.
func (o *opinion) right() []string {
	part := func(a preference.Agreement) string {
		right := math.Round(2*a.Accuracy*float64(a.Pairs)) / 2 // one half for each with ½
		return fmt.Sprintf("people's side in %g (%.0f%%, expected by their own account %.0f%%), log loss %.3f, Brier score %.3f", right, 100*a.Accuracy, 100*a.Expected, a.LogLoss, a.Brier)
	}
	all, clear := o.Check.All, o.Check.Clear
	if all.Pairs == 0 {
		return []string{"People scored no two systems differently."}
	}
	out := []string{fmt.Sprintf("Of %d pairs that people scored differently, the probabilities were on %s.", all.Pairs, part(all))}
	switch clear.Pairs {
	case 0:
		return out
	case all.Pairs:
		return append(out, "The scores of each pair differ by more than a quarter of their standard deviation.")
	}
	return append(out, fmt.Sprintf("Of the %d whose scores differ by more than a quarter of their standard deviation: %s.", clear.Pairs, part(clear)))
}
