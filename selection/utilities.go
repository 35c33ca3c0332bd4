package selection

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/moments"
	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/metaeval"
)

// Random gives n segments utilities by chance, from 0 to 1, those of numpy's
// default_rng(seed).random(n). It is what other methods are to beat.
//
// It panics if n is negative or above 1<<27, more than any data has.
func Random(n int, seed uint64) []float64 {
	if n < 0 || n > 1<<27 {
		panic(fmt.Sprintf("selection: Random for %d segments", n))
	}
	g := numpyrand.New(seed)
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(g.Uint64()>>11) / (1 << 53)
	}
	return out
}

// Average prefers the segments that systems translate badly: a utility is the mean of the
// systems' scores, negated, or as it is of an error metric. Items are the segments.
//
// Scores that are missing are left out here and in Variance. A segment without any is an
// error, as there is no saying what it is worth.
func Average(m metaeval.Metric) ([]float64, error) {
	return perSegment(m, func(scores []float64) float64 { return -moments.Mean(scores) })
}

// Variance prefers the segments that tell systems apart: a utility is the variance of the
// systems' scores, divided by their number (Zhan et al., NeurIPS 2021). Of one system it is 0.
func Variance(m metaeval.Metric) ([]float64, error) {
	return perSegment(m, func(scores []float64) float64 {
		mu := moments.Mean(scores)
		var sum float64
		for _, v := range scores {
			sum += (v - mu) * (v - mu)
		}
		return sum / float64(len(scores))
	})
}

// Consistency prefers the segments that rank the systems as all segments together do: a
// utility is Kendall's tau-c of the systems' scores of the segment and their means over all
// segments. It is 0 where that is undefined, as where all scores are equal. A system without
// a score of a segment has no part in its tau.
func Consistency(m metaeval.Metric) ([]float64, error) {
	if err := check(m); err != nil {
		return nil, err
	}
	means := m.Scores.SystemMeans()
	out := make([]float64, len(m.Scores.Items))
	for i := range out {
		var x, y []float64
		for k := range m.Scores.Systems {
			if v := m.Scores.At(k, i); !math.IsNaN(v) {
				x, y = append(x, v), append(y, means[k])
			}
		}
		if len(x) == 0 {
			return nil, noScore(m, i)
		}
		tau, err := metaeval.KendallC(x, y)
		if err != nil && !errors.Is(err, metaeval.ErrUndefined) {
			return nil, fmt.Errorf("selection: segment %s: %w", m.Scores.Items[i], err)
		}
		if err == nil {
			out[i] = tau
		}
	}
	return out, nil
}

// Difficulty prefers the segments whose references are hard to match: a utility is the mean
// difficulty of a reference's tokens, from 0 to 1 (Zhan et al., ACL 2021).
func Difficulty(w *difficulty.Weights) ([]float64, error) {
	if w == nil {
		return nil, errors.New("selection: no difficulties of tokens")
	}
	out := make([]float64, w.Len())
	for i := range out {
		out[i] = w.Mean(i)
	}
	return out, nil
}

// WordDiversity prefers the segments whose outputs differ: a utility is the mean of F of the
// words in common over all pairs of systems, negated, so from −1 to 0. Words are what stands
// between white space. As in subset2evaluate, an output without a word is like any other,
// and one system has utilities of 0.
func WordDiversity(ctx context.Context, systems []mteval.System) ([]float64, error) {
	n, err := length(systems)
	if err != nil {
		return nil, err
	}
	out := make([]float64, n)
	err = parallel.For(ctx, n, 0, 16, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			out[i] = -wordSimilarity(systems, i)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// wordSimilarity is the mean F of words over the pairs of outputs for a segment.
func wordSimilarity(systems []mteval.System, segment int) float64 {
	bags, sizes := make([]map[string]int, len(systems)), make([]int, len(systems))
	for k, s := range systems {
		bags[k] = make(map[string]int)
		for word := range strings.FieldsSeq(s.Hyps[segment]) {
			bags[k][word]++
			sizes[k]++
		}
	}
	var sum float64
	pairs := 0
	for a := range bags {
		for b := a + 1; b < len(bags); b++ {
			pairs++
			if sizes[a] == 0 || sizes[b] == 0 {
				sum++
				continue
			}
			common := 0
			for word, n := range bags[a] {
				common += min(n, bags[b][word])
			}
			sum += 2 * float64(common) / float64(sizes[a]+sizes[b])
		}
	}
	if pairs == 0 {
		return 0
	}
	return sum / float64(pairs)
}

// Diversity is WordDiversity by any metric of similarity, such as chrF or BLEU: each output is
// the reference of each, itself included, and a utility is the mean of the K² scores, negated,
// or as it is of an error metric. One system has utilities of 0 here too. It takes K
// preparations of references, and reports progress in them.
func Diversity(ctx context.Context, systems []mteval.System, s mteval.Scorer) ([]float64, error) {
	n, err := length(systems)
	if err != nil {
		return nil, err
	}
	if contract.Nil(s) {
		return nil, errors.New("selection: no metric of similarity")
	}
	out := make([]float64, n)
	if len(systems) == 1 {
		return out, nil
	}
	sign := -1.0
	if s.Info().LowerIsBetter {
		sign = 1
	}
	share := sign / float64(len(systems)*len(systems))
	for r, ref := range systems {
		mteval.ReportProgress(ctx, r, len(systems))
		refs, err := mteval.Segments(ref.Hyps)
		if err != nil {
			return nil, err
		}
		t, err := mteval.Systems(mteval.WithProgress(ctx, nil), s, refs, systems)
		if err != nil {
			return nil, fmt.Errorf("selection: with the outputs of %s for references: %w", ref.Name, err)
		}
		m := metaeval.TableSegments(t)
		for k := range systems {
			for i := range out {
				out[i] += share * m.Scores.At(k, i)
			}
		}
	}
	mteval.ReportProgress(ctx, len(systems), len(systems))
	return out, nil
}

// perSegment calls f with the scores of each segment, oriented such that more is better.
func perSegment(m metaeval.Metric, f func(scores []float64) float64) ([]float64, error) {
	if err := check(m); err != nil {
		return nil, err
	}
	out := make([]float64, len(m.Scores.Items))
	for i := range out {
		var scores []float64
		for k := range m.Scores.Systems {
			if v := m.Scores.At(k, i); !math.IsNaN(v) {
				scores = append(scores, v)
			}
		}
		if len(scores) == 0 {
			return nil, noScore(m, i)
		}
		out[i] = f(metaeval.Oriented(scores, m.LowerIsBetter))
		if math.IsInf(out[i], 0) || math.IsNaN(out[i]) {
			return nil, fmt.Errorf("selection: segment %s: scores of %s are too large", m.Scores.Items[i], m.Name)
		}
	}
	return out, nil
}

func check(m metaeval.Metric) error {
	if err := m.Scores.Check(); err != nil {
		return fmt.Errorf("selection: scores of %s: %w", m.Name, err)
	}
	return nil
}

func noScore(m metaeval.Metric, i int) error {
	return fmt.Errorf("selection: segment %s has no score of %s of any system: score it, or leave it out", m.Scores.Items[i], m.Name)
}

// length is the number of segments of systems.
func length(systems []mteval.System) (int, error) {
	if len(systems) == 0 {
		return 0, errors.New("selection: no system")
	}
	n := len(systems[0].Hyps)
	for _, s := range systems {
		if len(s.Hyps) != n {
			return 0, fmt.Errorf("selection: %s has %d segments and %s %d", s.Name, len(s.Hyps), systems[0].Name, n)
		}
	}
	return n, nil
}
