package mtme

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/metaeval"
)

// RatingScores makes scores of segments of ratings, of one file or of several: minus the sum
// of the weights of an output's errors, the mean over its raters, none where no one rated it.
// A nil weight is [FileWeights]. SystemMeans of the result are scores of systems.
func (p *Pair) RatingScores(ratings []Rating, weight func(Error) (float64, error)) (*metaeval.Scores, error) {
	if weight == nil {
		weight = FileWeights
	}
	systems, err := p.ratedSystems(ratings)
	if err != nil {
		return nil, err
	}
	out := metaeval.NewScores(systems, p.Segments())
	raters := make([]float64, len(out.Values))
	sums := make([]float64, len(out.Values))
	for _, r := range ratings {
		if !r.Rated {
			continue
		}
		at := slices.Index(systems, r.System)*len(p.Sources) + r.Segment
		raters[at]++
		for _, e := range r.Errors {
			w, err := weight(e)
			if err == nil && (math.IsNaN(w) || math.IsInf(w, 0)) {
				err = fmt.Errorf("an error weighs %v", w)
			}
			if err != nil {
				return nil, fmt.Errorf("mtme: system %s, segment %d: %w", r.System, r.Segment+1, err)
			}
			sums[at] -= w
		}
	}
	for at, n := range raters {
		if n == 0 {
			continue
		}
		if math.IsInf(sums[at], 0) {
			return nil, fmt.Errorf("mtme: system %s, segment %d: the weights of its errors are too large to be added up",
				systems[at/len(p.Sources)], at%len(p.Sources)+1)
		}
		out.Values[at] = sums[at] / n
	}
	return out, nil
}

// ratedSystems are the systems that ratings are of, sorted. It is an error if one is not in
// the pair, or rated twice by one rater.
func (p *Pair) ratedSystems(ratings []Rating) ([]string, error) {
	has := map[string]bool{}
	rated := map[ratingKey]bool{}
	for _, r := range ratings {
		if p.Outputs[r.System] == nil || r.Segment < 0 || r.Segment >= len(p.Sources) {
			return nil, fmt.Errorf("mtme: a rating of system %q on segment %d, which is not in %s %s", r.System, r.Segment+1, p.Set, p.LanguagePair)
		}
		has[r.System] = true
		if r.Rated && rated[r.key()] {
			return nil, fmt.Errorf("mtme: segment %d of system %s is rated twice by %q", r.Segment+1, r.System, r.Rater)
		}
		rated[r.key()] = rated[r.key()] || r.Rated
	}
	return slices.DeleteFunc(slices.Clone(p.Systems), func(s string) bool { return !has[s] }), nil
}

// A RatingSummary says what raters found in a system's outputs.
type RatingSummary struct {
	System string
	// Rated is how many outputs someone rated, ErrorFree in how many of these no one marked an
	// error.
	Rated, ErrorFree int
	// Errors is how many were marked, by severity. Errors of several raters of an output all
	// count.
	Errors map[string]int
}

// SummarizeRatings counts errors by system, in the order of RatingScores' systems.
func (p *Pair) SummarizeRatings(ratings []Rating) ([]RatingSummary, error) {
	systems, err := p.ratedSystems(ratings)
	if err != nil {
		return nil, err
	}
	out := make([]RatingSummary, len(systems))
	marked := make([]map[int]bool, len(systems)) // of rated segments: whether one has an error
	for k, s := range systems {
		out[k] = RatingSummary{System: s, Errors: map[string]int{}}
		marked[k] = map[int]bool{}
	}
	for _, r := range ratings {
		if !r.Rated {
			continue
		}
		k := slices.Index(systems, r.System)
		marked[k][r.Segment] = marked[k][r.Segment] || len(r.Errors) > 0
		for _, e := range r.Errors {
			out[k].Errors[e.Severity]++
		}
	}
	for k, segments := range marked {
		out[k].Rated = len(segments)
		for _, wrong := range segments {
			if !wrong {
				out[k].ErrorFree++
			}
		}
	}
	return out, nil
}

// FileWeights are the weights that the file has, each error's Score, which WMT takes.
func FileWeights(e Error) (float64, error) { return e.Score, nil }

// GoogleWeights are the severity weights of Google's MQM (Freitag et al. 2021): 25 for a
// non-translation, 5 for other major errors, 0.1 for minor punctuation, 1 for other minor
// ones. What is only wrong in the source, and a creative reinterpretation, count nothing.
func GoogleWeights(e Error) (float64, error) {
	category, severity := strings.ToLower(e.Category), strings.ToLower(e.Severity)
	major := severity == "major" || severity == "critical"
	switch {
	case slices.Contains([]string{"source error", "source issue", "accuracy/creative reinterpretation"}, category) || severity == "neutral" || severity == "no-error":
		return 0, nil
	case major && strings.TrimSuffix(category, "!") == "non-translation":
		return 25, nil
	case major:
		return 5, nil
	case severity == "minor" && category == "fluency/punctuation":
		return .1, nil
	case severity == "minor":
		return 1, nil
	}
	return 0, fmt.Errorf("unknown severity %q", e.Severity)
}
