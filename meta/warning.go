package meta

import (
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// A Warning says what was left out, or looks like a mistake.
type Warning struct {
	Kind WarningKind
	// Text says it in words, without a stop.
	Text string
	// Metric that LooksLower and LooksHigher are about.
	Metric string
	// Samples are how many would do instead of FewSamples.
	Samples int
}

// A WarningKind tells the warnings that options do something about.
type WarningKind int

const (
	// Note is a warning of which the text says all.
	Note WarningKind = iota
	// LooksLower: a metric looks as if less were better.
	LooksLower
	// LooksHigher: an error metric looks as if more were better.
	LooksHigher
	// HumanNames: systems look like human translations by their names.
	HumanNames
	// FewSamples: there are so few that no difference can be significant.
	FewSamples
	// LargeThreshold: no two of people's scores of a segment differ by the threshold.
	LargeThreshold
	// ManyPairs: acc_eq was left out, as the grouping has more pairs than there is room for.
	ManyPairs
)

func (j *judging) note(format string, args ...any) {
	j.Warnings = append(j.Warnings, Warning{Text: fmt.Sprintf(format, args...)})
}

// warnSamples says if no difference can be significant.
func (j *judging) warnSamples(what string) {
	n := len(j.Metrics)
	tests := n * (n - 1) / 2
	if least := float64(tests) / float64(j.options.Samples+1); least > j.options.Alpha {
		j.Warnings = append(j.Warnings, Warning{
			Kind: FewSamples,
			Text: fmt.Sprintf("%d %s are too few: after Holm's correction for %d pairs of metrics no difference can be significant at %v",
				j.options.Samples, what, tests, j.options.Alpha),
			Samples: int(min(math.Ceil(float64(tests)/j.options.Alpha), math.MaxInt32)),
		})
	}
}

// warnDirection says if a metric looks as if it had the other direction than it was given,
// by the interval of its agreement.
func (j *judging) warnDirection(m *MetricResult, agreement significance.Interval) {
	if agreement.High >= 0 {
		return
	}
	w := Warning{Kind: LooksLower, Text: m.Name + " is high where people's scores are low", Metric: m.Name}
	if m.LowerIsBetter {
		w.Kind, w.Text = LooksHigher, m.Name+" is high where people's scores are high, but was taken for an error metric"
	}
	j.Warnings = append(j.Warnings, w)
}

// warnHumans says which systems look like human translations.
func (j *judging) warnHumans() {
	if human := slices.DeleteFunc(slices.Clone(j.Systems), func(s string) bool { return !metaeval.IsHuman(s) }); len(human) > 0 {
		j.Warnings = append(j.Warnings, Warning{Kind: HumanNames, Text: names.Few(human) + ": human translations, by their names, which WMT leaves out"})
	}
}

// warnLost says how much was left out for all metrics.
func (j *judging) warnLost(what string, ms []Candidate, lost []int, all, judged int) {
	if all > 0 {
		j.note("%d of %d %s have no score by some metric (%s): left out for all metrics", all, judged, what, names.Few(counted(ms, lost)))
	}
}

// warnMore says which metrics have scores of more outputs than people judged, and of how many.
func (j *judging) warnMore(ms []Candidate, more []int) {
	if by := counted(ms, more); len(by) > 0 {
		j.note("metrics have scores of outputs that people did not judge (%s): left out of the means", names.Few(by))
	}
}

// counted names the metrics with a count above 0, and the count.
func counted(ms []Candidate, counts []int) []string {
	var out []string
	for i, n := range counts {
		if n > 0 {
			out = append(out, fmt.Sprintf("%s %d", ms[i].Name, n))
		}
	}
	return out
}
