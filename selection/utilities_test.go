package selection_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/selection"
	"github.com/mteval/mteval/ter"
)

// recorded is what scripts/record_selection.py writes.
type recorded struct {
	Outputs map[string][]string
	Scores  map[string][]float64
	Random  []float64
	Cases   []struct {
		Systems                                                  []string
		Average, Variance, Consistency, Unigram, ChrF, BLEU, Sum []float64
	}
}

var within = cmpopts.EquateApprox(0, 1e-9)

// The utilities are those of subset2evaluate.
func TestUtilitiesAreSubset2evaluates(t *testing.T) {
	data, err := os.ReadFile("testdata/subset2evaluate.json")
	if err != nil {
		t.Fatal(err)
	}
	var want recorded
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Random, selection.Random(5, 7)); diff != "" {
		t.Errorf("random: %s", diff)
	}
	for _, c := range want.Cases {
		t.Run(strings.Join(c.Systems, " "), func(t *testing.T) {
			m := metric(want.Scores, c.Systems)
			average := must(selection.Average(m))(t)
			variance := must(selection.Variance(m))(t)
			outputs := make([]mteval.System, len(c.Systems))
			for k, name := range c.Systems {
				outputs[k] = mteval.System{Name: name, Hyps: want.Outputs[name]}
			}
			unigram := must(selection.WordDiversity(t.Context(), outputs))(t)
			got := map[string][]float64{
				"average": average, "variance": variance, "unigram": unigram,
				"consistency": must(selection.Consistency(m))(t),
				"chrf":        must(selection.Diversity(t.Context(), outputs, newChrF(t)))(t),
				"bleu":        must(selection.Diversity(t.Context(), outputs, newBLEU(t)))(t),
				"sum": must(selection.Sum(selection.Term{Weight: 2, Utilities: variance}, selection.Term{Utilities: average},
					selection.Term{Weight: .5, Utilities: unigram}))(t),
			}
			if len(c.Systems) == 1 {
				// Of one system subset2evaluate has −100 for chrF, and 0 for the rest.
				c.ChrF = make([]float64, len(c.ChrF))
			}
			for name, want := range map[string][]float64{"average": c.Average, "variance": c.Variance, "consistency": c.Consistency,
				"unigram": c.Unigram, "chrf": c.ChrF, "bleu": c.BLEU, "sum": c.Sum} {
				if diff := cmp.Diff(want, got[name], within); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
			// An error metric with the scores negated says the same.
			for k := range m.Scores.Values {
				m.Scores.Values[k] *= -1
			}
			m.LowerIsBetter = true
			if diff := cmp.Diff(average, must(selection.Average(m))(t), within); diff != "" {
				t.Errorf("average of an error metric: %s", diff)
			}
		})
	}
}

func metric(scores map[string][]float64, systems []string) metaeval.Metric {
	items := make([]string, len(scores[systems[0]]))
	for i := range items {
		items[i] = strconv.Itoa(i + 1)
	}
	s := metaeval.NewScores(systems, items)
	for k, name := range systems {
		for i, v := range scores[name] {
			s.Set(k, i, v)
		}
	}
	return metaeval.Metric{Name: "m", Scores: s}
}

func must[T any](u T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
}

func newChrF(t *testing.T) mteval.Scorer {
	s, err := chrf.New(chrf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newBLEU(t *testing.T) mteval.Scorer {
	s, err := bleu.New(bleu.Options{EffectiveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// By an error metric, too, outputs that differ are worth more: of four scores two are 0, each system's
// of itself, and two are of two words wrong of two.
func TestDiversityOfErrors(t *testing.T) {
	outputs := []mteval.System{{Name: "x", Hyps: []string{"a b", "a b"}}, {Name: "y", Hyps: []string{"a b", "c d"}}}
	if diff := cmp.Diff([]float64{0, 50}, must(selection.Diversity(t.Context(), outputs, ter.New(ter.Options{})))(t), within); diff != "" {
		t.Error(diff)
	}
}

// Of "a b" one of two systems has a, and both have b: difficulties ½ and 0. An empty
// reference has nothing difficult.
func TestDifficulty(t *testing.T) {
	f, err := overlap.NewF(overlap.FOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.PrepareMatch(t.Context(), [][]string{{"a b"}, {""}, {"c"}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := difficulty.Estimate(t.Context(), m, []mteval.System{
		{Name: "x", Hyps: []string{"a b", "d", "d"}}, {Name: "y", Hyps: []string{"b", "", ""}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{.25, 0, 1}, must(selection.Difficulty(w))(t), within); diff != "" {
		t.Error(diff)
	}
}

func TestMissingScores(t *testing.T) {
	m := metric(map[string][]float64{"a": {1, math.NaN()}, "b": {math.NaN(), math.NaN()}}, []string{"a", "b"})
	for name, f := range map[string]func(metaeval.Metric) ([]float64, error){
		"average": selection.Average, "variance": selection.Variance, "consistency": selection.Consistency,
	} {
		if _, err := f(m); err == nil || !strings.Contains(err.Error(), "segment 2 has no score of m") {
			t.Errorf("%s of a segment without a score: %v", name, err)
		}
		if _, err := f(metaeval.Metric{Name: "m"}); err == nil {
			t.Errorf("%s of no scores: no error", name)
		}
	}
}
