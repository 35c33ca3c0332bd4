package meta

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// softAccuracy finds soft pairwise accuracies, on the outputs that people judged. People's
// are their scores of systems, or else of the segments.
func (j *systems) softAccuracy() error {
	of, err := j.softScores()
	if err != nil || of == nil {
		j.progress.total -= len(j.Metrics) + 1
		return err
	}
	test, known := j.softTest(of)
	if !known && j.options.NoTests { // it would be of our samples
		return nil
	}
	humanP, err := test(j.progress.next(1), of[0])
	if errors.Is(err, metaeval.ErrUndefined) {
		j.note("no soft pairwise accuracy: %v", err)
		j.progress.next(len(j.Metrics))
		return nil
	}
	if err != nil {
		return err
	}
	if known {
		j.Signature = append(j.Signature, mteval.Field{Key: "soft", Value: "numpy-" + strconv.Itoa(j.options.Samples) + "-" + strconv.Itoa(metaeval.StandardSeed)})
	}
	j.Measures = append(j.Measures, Measure{"soft_pairwise_accuracy", false})
	var without []string
	defer func() {
		if len(without) > 0 {
			j.note("no soft pairwise accuracy of %s: no scores of segments", names.Few(without))
		}
	}()
	for i := range j.Metrics {
		m, ctx := &j.Metrics[i], j.progress.next(1)
		if of[i+1].Scores == nil {
			without = append(without, m.Name)
			continue
		}
		p, err := test(ctx, of[i+1])
		soft := 0.0
		if err == nil {
			soft, err = metaeval.SoftPairwiseAccuracy(humanP, p)
		}
		if err := m.add("soft_pairwise_accuracy", soft, err); err != nil {
			return err
		}
	}
	return nil
}

// softScores returns people's scores of segments, and each metric's of the outputs that
// people judged, nil where it has none; nothing if people, or all metrics, have none.
func (j *systems) softScores() ([]metaeval.Metric, error) {
	if j.people.Scores == nil {
		return nil, nil
	}
	people, err := j.people.Scores.Select(j.Systems, j.people.Scores.Items)
	if err != nil {
		return nil, err
	}
	if j.people.Systems == nil {
		people = j.scores
	}
	out := []metaeval.Metric{{Name: "people", Scores: people}}
	some := false
	for _, m := range j.Metrics {
		of := m.Metric
		if of.Scores = j.segmentsOf(m); of.Scores != nil {
			some = true
			if of.Scores, err = of.Scores.Select(people.Systems, people.Items); err != nil {
				return nil, err
			}
			mask(of.Scores, people)
		}
		out = append(out, of)
	}
	if !some {
		return nil, nil
	}
	return out, nil
}

// segmentsOf returns a metric's scores of segments, nil if it has none.
func (j *systems) segmentsOf(m MetricResult) *metaeval.Scores {
	if j.segmental {
		return m.Scores
	}
	i := slices.IndexFunc(j.given, func(g Candidate) bool { return g.Name == m.Name })
	return j.given[i].Segments
}

// A softTest finds the one-sided p-values of all pairs of systems.
type softTest func(context.Context, metaeval.Metric) ([][]float64, error)

// softTest returns the test for soft pairwise accuracy: that of mt-metrics-eval, with its
// random numbers, if there is every score of the items that people judged, which known
// says; else ours, which does without what is missing.
func (j *systems) softTest(of []metaeval.Metric) (test softTest, known bool) {
	people := of[0].Scores
	n := len(people.Items)
	var items []string
	judged := make([]bool, n)
	for i, name := range people.Items {
		for k := range people.Systems {
			judged[i] = judged[i] || !math.IsNaN(people.At(k, i))
		}
		if judged[i] {
			items = append(items, name)
		}
	}
	known = !slices.ContainsFunc(of, func(m metaeval.Metric) bool {
		if m.Scores == nil {
			return false
		}
		for at, v := range m.Scores.Values {
			if judged[at%n] && !(math.Abs(v) <= mostSingle) {
				return true
			}
		}
		return false
	})
	if !known {
		return func(ctx context.Context, m metaeval.Metric) ([][]float64, error) {
			return significance.PairwiseP(ctx, m, j.options.significance())
		}, false
	}
	return func(ctx context.Context, m metaeval.Metric) ([][]float64, error) {
		s, err := m.Scores.Select(people.Systems, items)
		if err != nil {
			return nil, err
		}
		s.Values = metaeval.Oriented(s.Values, m.LowerIsBetter)
		defer mteval.ReportProgress(ctx, 1, 1)
		return metaeval.PermutationPValues(ctx, s, j.options.Samples, metaeval.StandardSeed)
	}, true
}

// mostSingle bounds scores whose sums are numbers of 32 bits.
const mostSingle = 1e30
