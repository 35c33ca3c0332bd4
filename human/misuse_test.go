package human

import (
	"errors"
	"math"
	"testing"

	"github.com/mteval/mteval/metaeval"
)

// Zero values, nil, negative and huge ones are errors, or have a documented result.
func TestMisuse(t *testing.T) {
	bad := map[string]*Pairs{
		"nil":     nil,
		"item":    {Systems: []string{"a", "b"}, Pairs: []metaeval.Pair{{A: 0, B: 1}}},
		"system":  {Systems: []string{"a"}, Items: []string{"1"}, Pairs: []metaeval.Pair{{A: 0, B: 1}}},
		"itself":  {Systems: []string{"a"}, Items: []string{"1"}, Pairs: []metaeval.Pair{{}}},
		"below 0": {Systems: []string{"a", "b"}, Items: []string{"1"}, Pairs: []metaeval.Pair{{A: -1, B: 1}}},
		"human":   {Systems: []string{"a", "b"}, Items: []string{"1"}, Pairs: []metaeval.Pair{{A: 0, B: 1, Human: 2}}},
		"judges":  {Systems: []string{"a", "b"}, Items: []string{"1"}, Pairs: []metaeval.Pair{{A: 0, B: 1}}, Judges: []string{}},
	}
	errs := make(map[string]error)
	for name, p := range bad {
		errs["Counts, "+name] = errorOf(p.Counts())
	}
	for name, c := range map[string]Count{"A": {A: -1, B: 1}, "B": {A: 0, B: 2}, "A is B": {}, "better": {B: 1, Better: -1}, "ties": {B: 1, Ties: -1}, "worse": {B: 1, Worse: math.MinInt}} {
		errs["count, "+name] = errorOf(ExpectedWins(2, []Count{c}))
	}
	for _, n := range []int{-1, math.MinInt, 1, math.MaxInt32, math.MaxInt} {
		if wins, err := ExpectedWins(n, []Count{}); err == nil || n > 0 != errors.Is(err, metaeval.ErrUndefined) {
			t.Errorf("expected wins of %d: %v, %v", n, wins, err)
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	errs["Cohen, none"] = errorOf(CohenKappa(nil, nil, Unweighted))
	errs["Cohen, Inf"] = errorOf(CohenKappa([]float64{inf}, []float64{1}, Unweighted))
	errs["alpha, none"] = errorOf(Krippendorff(nil, Interval))
	errs["alpha, empty"] = errorOf(Krippendorff([][]float64{nil, {}}, Interval))
	errs["alpha, one"] = errorOf(Krippendorff([][]float64{{1}, {2}}, Interval))
	errs["alpha, NaN"] = errorOf(Krippendorff([][]float64{{1, nan}}, Nominal))
	errs["alpha, negative ratio"] = errorOf(Krippendorff([][]float64{{-1, 2}}, Ratio))
	errs["weight of 1e308"] = errorOf(MQMJudgements(nil, MQMWeights{"major": 1e308}))
	errs["weight of NaN"] = errorOf(MQMJudgements(nil, MQMWeights{"major": nan}))
	errs["no weight"] = errorOf(MQMJudgements([]MQMError{{}}, nil))
	errs["scale"] = Scale{Min: 1, Max: -1}.Check(0)
	for _, score := range []float64{nan, inf, 1e308, -1e101} {
		js := []Judgement{{Judge: "j", Score: score}, {Judge: "j", Score: 1}}
		_, _, errs["a score that can't be calculated with"] = Average(js)
		Filter(js, Quality{})
		if z, _ := Standardize(js); score-score != 0 && len(z) > 0 {
			t.Errorf("%v: %v", score, z)
		}
		for call, err := range errs {
			if err == nil {
				t.Errorf("%s: no error", call)
			}
		}
	}
	// What has no error has a documented result.
	short := &metaeval.Scores{Systems: []string{"a"}, Items: []string{"1"}}
	for _, s := range []*SegmentScores{{}, {Raw: short, Z: short, N: short}, {Raw: metaeval.NewScores([]string{"a"}, nil), Z: metaeval.NewScores(nil, nil), N: metaeval.NewScores(nil, nil)}} {
		if out := s.SystemScores(); len(out) > 0 {
			t.Error(out)
		}
	}
	s := &SegmentScores{Raw: metaeval.NewScores([]string{"a"}, []string{"1"}), Z: metaeval.NewScores([]string{"a"}, []string{"1"}), N: metaeval.NewScores([]string{"a"}, []string{"1"})}
	s.Raw.Set(0, 0, 1)
	s.Z.Set(0, 0, 1)
	for _, n := range []float64{nan, -5, 1e300} {
		s.N.Set(0, 0, n)
		if out := s.SystemScores(); len(out) != 1 || out[0].Judgements != 0 {
			t.Errorf("%v judgements: %v", n, out)
		}
	}
	if c, err := (&Pairs{}).Counts(); err != nil || len(c) > 0 {
		t.Error(c, err)
	}
	if w, err := ExpectedWins(0, nil); err != nil || len(w) > 0 {
		t.Error(w, err)
	}
	if w, err := ExpectedWins(2, []Count{{B: 1, Better: math.MaxInt}, {B: 1, Better: math.MaxInt}}); err != nil || w[0] != 1 {
		t.Error(w, err)
	}
	if kept, rejected := Filter(nil, Quality{MaxP: nan}); len(kept)+len(rejected) > 0 {
		t.Error(kept, rejected)
	}
	for _, s := range []string{Kind(200).String(), Reason(200).String()} {
		if s == "" {
			t.Error("no name")
		}
	}
	many := &Pairs{Systems: make([]string, 300_000), Items: []string{"1"}, Pairs: []metaeval.Pair{{A: 7, B: 299_999, Human: 1}}} // in quadratic time, minutes
	if c, err := many.Counts(); err != nil || len(c) != 1 || c[0] != (Count{A: 7, B: 299_999, Better: 1}) {
		t.Error(c, err)
	}
}

func errorOf[T any](_ T, err error) error { return err }
