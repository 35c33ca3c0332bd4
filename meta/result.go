package meta

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// A Result is how far metrics agree with people.
type Result struct {
	// Systems that are compared, and people's scores of them, NaN where there is none; nil
	// if people gave pairs of segments.
	Systems []string
	Human   []float64
	Pairs   *PairCount // of segments; nil at system level
	// Measures, in the order in which they are read.
	Measures []Measure
	// Metrics by Pearson's correlation at system level, best first; at segment level by
	// Kendall's tau if that is taken in one form, else as they were given.
	Metrics []MetricResult
	// Comparisons of metrics, by measure.
	Comparisons []Comparison
	// Sweep over people's thresholds, each with the taus of the metrics by form.
	Sweep []metaeval.SweepPoint
	// Signature tells the options.
	Signature mteval.Signature
	Warnings  []Warning
}

// A PairCount is how many pairs of outputs there are.
type PairCount struct {
	Ranked, Ties int64 // by people
	// Threshold below which a difference of people's scores is a tie; nil: people gave pairs.
	Threshold *float64
}

// A Measure of agreement with people.
type Measure struct {
	// Key is its name: see the package's documentation.
	Key string
	// Tested says that it has intervals and clusters, unless tests are left out.
	Tested bool
}

// A MetricResult is how far a metric agrees.
type MetricResult struct {
	// Metric, with the scores that were compared.
	metaeval.Metric
	// Values by the key of the measure. One that is undefined is not there.
	Values map[string]*Value
	// Systems has its scores of Result.Systems; nil if people gave pairs of segments.
	Systems []float64
	// Accuracy on pairs of systems, at system level.
	Accuracy *metaeval.PairAccuracy
	// Counts of pairs of outputs, at segment level, of the scores as they are.
	Counts *metaeval.Counts
	// Epsilon and TauEpsilon are up to where acc_eq and tau_eq take the metric's differences
	// for ties; nil: they were not taken, or are undefined.
	Epsilon, TauEpsilon *float64
}

// A Value of a measure.
type Value struct {
	Value float64
	// P of a correlation of scores of systems, two-sided, that it is 0: see
	// metaeval.PearsonTest and its like. Nil: there is none.
	P *float64
	// Groups that a value at segment level is the mean of, and Undefined those that were left
	// out: to count these as 0, multiply by Groups / (Groups + Undefined). 0: it is no mean.
	Groups, Undefined int
	// Interval of 95%, of bootstrap samples; nil: there is none.
	Interval *significance.Interval
	// Cluster of the metric, from 1 up; 0: the measure was not tested.
	Cluster int
}

// A Comparison of metrics X and Y by a measure.
type Comparison struct {
	Measure, X, Y string
	// Difference of X's agreement and Y's, such that it is above 0 where X agrees better,
	// error metrics included.
	Difference float64
	// P is two-sided, and Adjusted that by Holm's method for all pairs of metrics.
	P, Adjusted float64
}

// judging is a result in the making.
type judging struct {
	Result
	options  Options
	progress progress
}

// addMean is add for a mean over groups.
func (m *MetricResult) addMean(key string, a metaeval.Agreement, err error) error {
	if err := m.add(key, a.Value, err); err != nil || m.Values[key] == nil {
		return err
	}
	m.Values[key].Groups, m.Values[key].Undefined = a.Groups, len(a.Undefined)
	return nil
}

// add notes a value, unless it is undefined.
func (m *MetricResult) add(key string, v float64, err error) error {
	switch {
	case err == nil:
		m.Values[key] = &Value{Value: v}
	case !errors.Is(err, metaeval.ErrUndefined):
		return err
	}
	return nil
}

// correlations are those of both levels, by key, and their tests.
var correlations = []struct {
	key  string
	of   metaeval.Correlation
	test func(x, y []float64) (metaeval.CorrelationTest, error)
}{
	{"pearson", metaeval.Pearson, metaeval.PearsonTest},
	{"spearman", metaeval.Spearman, metaeval.SpearmanTest},
	{"kendall", metaeval.Kendall, kendallTest},
	{"tau_c", metaeval.KendallC, kendallTest}, // whose test is that of the pairs, too
}

func kendallTest(x, y []float64) (metaeval.CorrelationTest, error) {
	return metaeval.KendallTest(x, y, metaeval.KendallAuto)
}

// sort puts the metrics in order of a measure, best first, those without it last.
func (j *judging) sort(value func(*MetricResult) (v float64, exists bool)) {
	slices.SortStableFunc(j.Metrics, func(a, b MetricResult) int {
		x, okX := value(&a)
		y, okY := value(&b)
		switch {
		case okX && okY:
			return cmp.Compare(y, x)
		case okX:
			return -1
		case okY:
			return 1
		}
		return 0
	})
}

// sign ends the signature with fields, and the options of the tests.
func (j *judging) sign(fields ...mteval.Field) {
	j.Signature = append(j.Signature, fields...)
	if !j.options.NoTests {
		j.Signature = append(j.Signature,
			mteval.Field{Key: "samples", Value: strconv.Itoa(j.options.Samples)},
			mteval.Field{Key: "seed", Value: strconv.FormatUint(j.options.Seed, 10)},
			mteval.Field{Key: "correction", Value: "holm"},
			mteval.Field{Key: "alpha", Value: decimal.Format(j.options.Alpha)})
	}
	j.Signature = append(j.Signature, mteval.Field{Key: "version", Value: "mteval-" + mteval.Version})
}
