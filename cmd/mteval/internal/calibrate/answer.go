package calibrate

import (
	"fmt"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/report"
)

// answer says how often the probabilities are right about systems that they were not fitted on,
// and whether that is more often than the first metric alone.
func (r *calibrationResult) answer() string {
	if r.Figures == nil {
		return "How often the probabilities are right is not known. " + oneSet
	}
	all := r.Figures[0].All
	if all.Pairs == 0 {
		return "How often the probabilities are right is not known: people scored no two systems differently."
	}
	unseen := "sets"
	if len(r.Campaigns()) > 1 {
		unseen = "campaigns"
	}
	out := fmt.Sprintf("Of %s of systems in %s that they were not fitted on, the probabilities favoured people's choice in %s (95%% interval %s).",
		app.Count(all.Pairs, "pair"), unseen, inPercent(all.Accuracy), percentInterval(all.Interval.Low, all.Interval.High))
	by := fmt.Sprintf("%s alone (95%% interval %s points)", r.base(), pointInterval(all.GainInterval.Low, all.GainInterval.High))
	switch gain := all.GainInterval; {
	case gain.Low > 0:
		out += fmt.Sprintf(" That is %.1f points more than %s.", 100*all.Gain, by)
	case gain.High < 0:
		out += fmt.Sprintf(" That is %.1f points less than %s.", -100*all.Gain, by)
	default:
		out += fmt.Sprintf(" That is not told apart from %s.", by)
	}
	return out
}

func inPercent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

func percentInterval(low, high float64) string { return inPercent(low) + " to " + inPercent(high) }

func pointInterval(low, high float64) string {
	return fmt.Sprintf("%+.1f to %+.1f", 100*low+0, 100*high+0)
}

// accuracies are how often the combination and each metric alone were right; nil where that is not
// known.
func (r *calibrationResult) accuracies() *report.Bars {
	if r.Figures == nil || r.Figures[0].All.Pairs == 0 {
		return nil
	}
	out := &report.Bars{Title: "How often each favoured people's choice", Axis: "percent of pairs"}
	for i, v := range r.Figures {
		out.Bars = append(out.Bars, report.Bar{
			Name: r.label(i), Value: 100 * v.All.Accuracy, Text: inPercent(v.All.Accuracy),
			Interval: &report.Interval{Low: 100 * v.All.Interval.Low, High: 100 * v.All.Interval.High},
		})
	}
	return app.FinishBars(out)
}
