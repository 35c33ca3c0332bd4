package compare

import (
	"fmt"
	"math"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/metaeval"
)

// mostAgainst is how many metrics are held against each other.
const mostAgainst = 200

// directionWarnings says which metrics may have the other direction, as they disagree with all
// others.
func directionWarnings(metrics []metaeval.Metric) []string {
	var out []string
	if len(metrics) > mostAgainst {
		return nil // all against all would take longer than the tests
	}
	scores := aligned(metrics)
	for i, m := range metrics {
		against, with := 0, ""
		for k, other := range metrics {
			if k != i && disagree(scores[i], scores[k]) {
				against, with = against+1, other.Name
			}
		}
		switch n := len(metrics); {
		case against < n-1 || n < 2:
		case n == 2 && i == 1: // said of the first
		case n == 2:
			out = append(out, fmt.Sprintf("%s is low where %s is high: if less is better for one of them, --lower-is-better NAME, if more is, --higher-is-better NAME", m.Name, with))
		case m.LowerIsBetter:
			out = append(out, fmt.Sprintf("%s is high where the other metrics say better, and less was taken for better: if more is better, --higher-is-better %s", m.Name, m.Name))
		default:
			out = append(out, fmt.Sprintf("%s is low where the other metrics are high: if less is better, --lower-is-better %s", m.Name, m.Name))
		}
	}
	return out
}

// aligned are the metrics' scores of the outputs that the first has, each turned so that more is
// better.
func aligned(metrics []metaeval.Metric) [][]float64 {
	out := make([][]float64, len(metrics))
	for k, m := range metrics {
		s, err := m.Scores.Select(metrics[0].Scores.Systems, metrics[0].Scores.Items)
		if err != nil {
			continue
		}
		out[k] = metaeval.Oriented(s.Values, m.LowerIsBetter)
	}
	return out
}

// disagree says whether scores correlate clearly against each other.
func disagree(a, b []float64) bool {
	var x, y []float64
	for i := range min(len(a), len(b)) {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	r, err := metaeval.Pearson(x, y)
	return err == nil && r < -.2
}

// fewForBootstrap is a number of segments. With fewer, bs calls 19 in 100 pairs of equal systems
// different (8 segments, differences drawn from a normal distribution) to 100 (one segment).
const fewForBootstrap = 10

// sampleWarnings says where no system can be told from another, whatever the scores are, and where
// equal ones often are.
func (s *compareOutput) sampleWarnings() []string {
	var out []string
	for _, r := range s.results {
		if s.options.test == "bs" && r.Segments < fewForBootstrap {
			out = append(out, fmt.Sprintf("%s: on %s bs calls one pair of equal systems in five different, or more: take --test ar or t", r.Metric, app.Count(r.Segments, "segment")))
		}
		if !r.TooFewSamples {
			continue
		}
		text := fmt.Sprintf("%s: whatever the scores, no difference can be significant at %v", r.Metric, s.options.alpha)
		pairs := len(r.Pairs)
		if pairs > 1 {
			text += fmt.Sprintf(" after Holm's correction for %d pairs", pairs)
		}
		least := math.Ceil(float64(pairs) / s.options.alpha)
		if s.options.test == "t" {
			text += ": one segment shows no spread"
		} else if s.options.test == "ar" && math.Pow(2, float64(r.Segments-1)) < least {
			text += fmt.Sprintf(": there are only %.0f ways to swap the scores of %s", math.Pow(2, float64(r.Segments)), app.Count(r.Segments, "segment"))
		} else {
			text += fmt.Sprintf(": --samples %.0f would do, or --test t, or fewer --systems", least)
		}
		out = append(out, text)
	}
	return out
}

// missingWarnings says of which system the scores are missing that most segments are left out for.
func (s *compareOutput) missingWarnings(metrics []metaeval.Metric) []string {
	var out []string
	for i, r := range s.results {
		if r.Missing <= r.Segments {
			continue
		}
		scores := metrics[i].Scores
		fewest, least := "", len(scores.Items)
		for k, system := range scores.Systems {
			n := 0
			for item := range scores.Items {
				if !math.IsNaN(scores.At(k, item)) {
					n++
				}
			}
			if n < least {
				fewest, least = system, n
			}
		}
		out = append(out, fmt.Sprintf("%s: %d of %s are left out, as not all systems have scores there: %s has the fewest, %d (--exclude)", r.Metric, r.Missing, app.Count(len(scores.Items), "segment"), fewest, least))
	}
	return out
}
