package tunable_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/tunable"
)

// balance is a metric with one parameter: alpha times the share of a hypothesis's words that
// the reference has, and the rest of its share of the reference's. A row is the words in common
// and those of each side. As an error it is what is missing to 1. A text with "!" can't be read.
type balance struct {
	alpha float64
	error bool
}

func (s *balance) Width() int { return 3 }

func (s *balance) Info() mteval.Info {
	return mteval.Info{Name: "balance", Scale: 1, LowerIsBetter: s.error}
}

func (s *balance) Score(row []float64) float64 {
	mteval.CheckRow(row, 3)
	score := s.alpha*row[0]/max(1, row[1]) + (1-s.alpha)*row[0]/max(1, row[2])
	if s.error {
		return 1 - score
	}
	return score
}

func (s *balance) Parameters() []tunable.Parameter {
	return []tunable.Parameter{{Name: "alpha", Value: s.alpha, Max: 1}}
}

func (s *balance) WithParameters(values []float64) (tunable.Scorer, error) {
	if err := tunableValues(values, 1); err != nil {
		return nil, err
	}
	return &balance{values[0], s.error}, nil
}

func (s *balance) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return prepareLoop(ctx, s, refs)
}

// powerMean is a Reducer: the score of a corpus is the mean of its segments' powers of balance,
// each weighted by its reference's words.
type powerMean struct {
	balance
	power float64
}

func (s *powerMean) Width() int { return 2 }

func (s *powerMean) Info() mteval.Info {
	return mteval.Info{Name: "powermean", Scale: 1, LowerIsBetter: s.error}
}

func (s *powerMean) Score(row []float64) float64 {
	mteval.CheckRow(row, 2)
	return row[0] / max(1, row[1])
}

func (s *powerMean) Parameters() []tunable.Parameter {
	return append(s.balance.Parameters(), tunable.Parameter{Name: "power", Value: s.power, Max: 1})
}

func (s *powerMean) WithParameters(values []float64) (tunable.Scorer, error) {
	if err := tunableValues(values, 2); err != nil {
		return nil, err
	}
	return &powerMean{balance{values[0], s.error}, values[1]}, nil
}

func (s *powerMean) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return prepareLoop(ctx, s, refs)
}

func (s *powerMean) Statistics() tunable.Statistics { return (*powerMeanStatistics)(s) }

type powerMeanStatistics powerMean

func (s *powerMeanStatistics) Width() int { return 3 }

func (s *powerMeanStatistics) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	single, err := mteval.Segments(refs)
	if err != nil {
		return nil, err
	}
	return prepareLoop(ctx, &s.balance, single)
}

func (s *powerMeanStatistics) AppendRow(dst, statistics []float64) []float64 {
	weight := max(1, statistics[2])
	return append(dst, weight*math.Pow(s.balance.Score(statistics), s.power), weight)
}

func tunableValues(values []float64, want int) error {
	if len(values) != want || slices.ContainsFunc(values, func(v float64) bool { return !(v >= 0 && v <= 1) }) {
		return fmt.Errorf("toy: want %d values from 0 to 1, not %v", want, values)
	}
	return nil
}

// apart is a metric in another's name: PrepareBest takes no scorer's own rows.
type apart struct{ mteval.Scorer }

// statistics are those of a toy for PrepareBest.
func statistics(s tunable.Scorer) tunable.Statistics {
	if r, ok := s.(tunable.Reducer); ok {
		return r.Statistics()
	}
	return tunable.StatisticsOf(apart{s})
}

// rowOf is the row of a hypothesis by the plain loop: against each reference in turn, the
// first with the best score.
func rowOf(s mteval.Scorer, refs []string, hyp string) []float64 {
	var best []float64
	for _, ref := range refs {
		row := statisticsOf(ref, hyp)
		if r, ok := s.(*powerMean); ok {
			row = r.Statistics().AppendRow(nil, row)
		}
		a, b := s.Score(row), 0.0
		if best != nil {
			b = s.Score(best)
		}
		if best == nil || !s.Info().LowerIsBetter && a > b || s.Info().LowerIsBetter && a < b {
			best = row
		}
	}
	return best
}

// statisticsOf are the words in common, and those of each side.
func statisticsOf(ref, hyp string) []float64 {
	left := make(map[string]int)
	for _, w := range strings.Fields(ref) {
		left[w]++
	}
	common := 0.0
	for _, w := range strings.Fields(hyp) {
		if left[w]--; left[w] >= 0 {
			common++
		}
	}
	return []float64{common, float64(len(strings.Fields(hyp))), float64(len(strings.Fields(ref)))}
}

// loop are the references of a toy, which it scores by the plain loop.
type loop struct {
	s    mteval.Scorer
	refs [][]string
}

var errText = errors.New("a text that can't be read")

func prepareLoop(ctx context.Context, s mteval.Scorer, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	l := &loop{s, make([][]string, len(refs))}
	for i, r := range refs {
		l.refs[i] = slices.Clone(r)
		if at := slices.IndexFunc(r, func(text string) bool { return strings.Contains(text, "!") }); at >= 0 {
			return nil, &mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: at, Err: errText}
		}
	}
	return l, ctx.Err()
}

func (l *loop) Len() int { return len(l.refs) }

func (l *loop) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(l.refs), segs, hyps); err != nil {
		return dst, err
	}
	n := len(dst)
	for k, hyp := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		if strings.Contains(hyp, "!") {
			return dst[:n], &mteval.SegmentError{Segment: seg, Side: mteval.HypothesisSide, Index: k, Err: errText}
		}
		dst = append(dst, rowOf(l.s, l.refs[seg], hyp)...)
	}
	if err := ctx.Err(); err != nil {
		return dst[:n], err
	}
	return dst, nil
}
