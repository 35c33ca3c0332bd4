package ranking

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/metaeval"
)

// FewestK is the K from which curves begin: two systems agree with people or do not.
const FewestK = 3

// TopK is what metrics make of the K best systems.
type TopK struct {
	K      int
	Scores [][]float64 // by metric and system, best first by human score
	// Correlations with people, by metric.
	Correlations []Coefficients
}

// Coefficients of a metric with people. A nil coefficient is undefined, as that of
// equal scores is.
type Coefficients struct {
	Pearson, Spearman, Kendall *float64
}

// Curve scores the K best systems of an order by metrics, for every K from FewestK up, and
// correlates the scores with people's. Each metric's field is these K. An error ends it: one
// of a metric or of ctx, or of an order or a metric that is nil, or of an order without a
// human score for each system.
func Curve(ctx context.Context, o *Order, metrics []FieldMetric) iter.Seq2[TopK, error] {
	return func(yield func(TopK, error) bool) {
		if err := checkCurve(ctx, o, metrics); err != nil {
			yield(TopK{}, err)
			return
		}
		for k := FewestK; k <= len(o.Systems); k++ {
			at, err := topK(ctx, o, metrics, k)
			if !yield(at, err) || err != nil {
				return
			}
		}
	}
}

func checkCurve(ctx context.Context, o *Order, metrics []FieldMetric) error {
	if o == nil {
		return errors.New("ranking: no order: it is nil")
	}
	if len(o.Human) != len(o.Systems) {
		return fmt.Errorf("ranking: an order of %d systems has %d human scores", len(o.Systems), len(o.Human))
	}
	if err := checkMetrics(metrics); err != nil {
		return err
	}
	return cancelled(ctx)
}

func checkMetrics(metrics []FieldMetric) error {
	for i, m := range metrics {
		if contract.Nil(m) {
			return fmt.Errorf("ranking: metric %d is nil", i+1)
		}
	}
	return nil
}

// cancelled returns ctx's error, wrapped.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("ranking: %w", err)
	}
	return nil
}

func topK(ctx context.Context, o *Order, metrics []FieldMetric, k int) (TopK, error) {
	at := TopK{K: k}
	for _, m := range metrics {
		if err := cancelled(ctx); err != nil {
			return TopK{}, err
		}
		scores, err := scoresOf(ctx, m, o.Systems[:k], o.Systems[:k])
		if err != nil {
			return TopK{}, err
		}
		c, err := correlate(o.Human[:k], scores, m)
		if err != nil {
			return TopK{}, err
		}
		at.Scores, at.Correlations = append(at.Scores, scores), append(at.Correlations, c)
	}
	return at, nil
}

// correlate correlates a metric's scores with people's.
func correlate(human, scores []float64, m FieldMetric) (Coefficients, error) {
	info := m.Info()
	scores = metaeval.Oriented(scores, info.LowerIsBetter)
	var c Coefficients
	for _, f := range []struct {
		of  metaeval.Correlation
		set **float64
	}{{metaeval.Pearson, &c.Pearson}, {metaeval.Spearman, &c.Spearman}, {metaeval.Kendall, &c.Kendall}} {
		v, err := f.of(human, scores)
		switch {
		case err == nil:
			*f.set = &v
		case !errors.Is(err, metaeval.ErrUndefined):
			return c, fmt.Errorf("%s: %w", info.Name, err)
		}
	}
	return c, nil
}
