package human

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestScale(t *testing.T) {
	for _, tt := range []struct {
		scale Scale
		score float64
		ok    bool
	}{
		{Scale{}, 0, true}, {Scale{}, 100, true}, {Scale{}, 33.5, true}, {Scale{}, -1, false}, {Scale{}, 100.5, false},
		{Scale{}, math.NaN(), false}, {AnyScore(), math.Inf(1), false}, {AnyScore(), -4.5, true},
		{FivePoint(), 1, true}, {FivePoint(), 5, true}, {FivePoint(), 0, false}, {FivePoint(), 6, false}, {FivePoint(), 3.5, false},
		{Scale{Min: 0, Max: 6}, 6, true}, {Scale{Min: 0, Max: 6}, 7, false},
	} {
		if err := tt.scale.Check(tt.score); (err == nil) != tt.ok {
			t.Errorf("%+v, %v: %v", tt.scale, tt.score, err)
		}
	}
}

// Each judge's z scores have mean 0 and standard deviation 1, and their order and gaps
// are those of the scores.
func TestStandardize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var js []Judgement
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			js = append(js, Judgement{
				Judge:  rapid.SampledFrom([]string{"ann", "bob", "eve"}).Draw(t, "judge"),
				Target: rapid.SampledFrom([]string{"en", "cs"}).Draw(t, "target"),
				Score:  float64(rapid.IntRange(0, 100).Draw(t, "score")),
			})
		}
		z, dropped := Standardize(js)
		of := make(map[desk][]float64)
		for i := range z {
			of[z[i].desk()] = append(of[z[i].desk()], z[i].Score)
		}
		n := 0
		for d, scores := range of {
			n += len(scores)
			mean, square := 0.0, 0.0
			for _, s := range scores {
				mean += s / float64(len(scores))
				square += s * s / float64(len(scores)-1)
			}
			if math.Abs(mean) > 1e-9 || math.Abs(square-1) > 1e-9 {
				t.Fatalf("%v: %v", d, scores)
			}
		}
		for _, d := range dropped {
			own := slices.DeleteFunc(slices.Clone(js), func(j Judgement) bool { return j.desk() != desk{d.Name, d.Source, d.Target} })
			if slices.ContainsFunc(own, func(j Judgement) bool { return j.Score != own[0].Score }) {
				t.Fatalf("dropped %+v", d)
			}
			n += d.Judgements
		}
		if n != len(js) {
			t.Fatalf("%d of %d judgements are left", n, len(js))
		}
	})
}

func TestAverage(t *testing.T) {
	js := []Judgement{
		{System: "b", Item: "2", Score: 50},
		{System: "a", Item: "1", Score: 10},
		{System: "a", Item: "1", Score: 20, Kind: Repeat},
		{System: "a", Item: "1", Score: 1, Kind: Degraded},
		{System: "human", Item: "3", Score: 100, Kind: Reference},
		{System: "a", Item: "2", Score: 40},
	}
	scores, n, err := Average(js)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(scores.Systems, []string{"b", "a"}) || !slices.Equal(scores.Items, []string{"2", "1"}) {
		t.Errorf("%+v", scores)
	}
	if d := cmp.Diff([]float64{1, math.NaN(), 1, 2}, n.Values, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{50, math.NaN(), 40, 15}, scores.Values, cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	// The mean over segments: (40 + 15) / 2, not (40 + 10 + 20) / 3.
	if means := scores.SystemMeans(); means[0] != 50 || means[1] != 27.5 {
		t.Errorf("%v", means)
	}
	if _, _, err := Average(append(slices.Clone(js), Judgement{System: "a", Item: "1", Target: "en"})); err == nil {
		t.Error("two language pairs: no error")
	}
	if _, _, err := Average([]Judgement{{Score: math.NaN()}}); err == nil {
		t.Error("NaN: no error")
	}
	if s, n, err := Average(nil); err != nil || len(s.Systems) != 0 || len(n.Values) != 0 {
		t.Errorf("nothing: %v, %v, %v", s, n, err)
	}
}

func TestPairedTEdges(t *testing.T) {
	for _, c := range []struct {
		d       []float64
		mean, p float64
	}{
		{nil, 0, 1}, {[]float64{9}, 9, 1}, {[]float64{3, 3}, 3, 0}, {[]float64{0, 0, 0}, 0, 1}, {[]float64{-3, -3}, -3, 1},
		{[]float64{-1, 1}, 0, .5},
	} {
		if mean, p := pairedT(c.d); mean != c.mean || math.Abs(p-c.p) > 1e-15 {
			t.Errorf("%v: %v, %v", c.d, mean, p)
		}
	}
}
