package metaeval

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDARR(t *testing.T) {
	human := &Scores{
		Systems: []string{"a", "Human-B.0", "c", "d"},
		Items:   []string{"1", "2"},
		Values: []float64{
			90, math.NaN(),
			100, 0,
			65, 40,
			66, 65,
		},
	}
	same := func(item, a, b int) bool { return item == 1 && a == 2 && b == 3 }
	for _, tt := range []struct {
		name      string
		threshold float64
		o         DARROptions
		want      DARRPairs
	}{
		{"WMT", 25, DARROptions{}, DARRPairs{
			Pairs:  []Pair{{0, 0, 2, 1}, {0, 1, 2, 1}, {0, 1, 3, 1}, {1, 1, 2, -1}, {1, 1, 3, -1}, {1, 2, 3, -1}},
			Ranked: 6, Ties: 3,
		}},
		{"people left out", 25, DARROptions{Exclude: IsHuman}, DARRPairs{
			Pairs:  []Pair{{0, 0, 2, 1}, {1, 2, 3, -1}},
			Ranked: 2, Ties: 2,
		}},
		{"ties kept", 25, DARROptions{Exclude: IsHuman, KeepTies: true}, DARRPairs{
			Pairs:  []Pair{{0, 0, 2, 1}, {0, 0, 3, 0}, {0, 2, 3, 0}, {1, 2, 3, -1}},
			Ranked: 2, Ties: 2,
		}},
		{"the same texts tie", 25, DARROptions{Exclude: IsHuman, KeepTies: true, Identical: same}, DARRPairs{
			Pairs:  []Pair{{0, 0, 2, 1}, {0, 0, 3, 0}, {0, 2, 3, 0}, {1, 2, 3, 0}},
			Ranked: 1, Ties: 3, Identical: 1,
		}},
		{"no threshold", 0, DARROptions{Exclude: IsHuman}, DARRPairs{
			Pairs:  []Pair{{0, 0, 2, 1}, {0, 0, 3, 1}, {0, 2, 3, -1}, {1, 2, 3, -1}},
			Ranked: 4,
		}},
	} {
		got, err := DARR(human, tt.threshold, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	for _, threshold := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := DARR(human, threshold, DARROptions{}); err == nil {
			t.Errorf("threshold %v", threshold)
		}
	}
	human.Set(0, 0, math.Inf(1))
	if _, err := DARR(human, 25, DARROptions{}); err == nil {
		t.Error("an infinite score")
	}
}

func TestIsHuman(t *testing.T) {
	for name, want := range map[string]bool{"Human-A.0": true, "HUMAN.0": true, "human": true, "Huma": false, "online-human": false, "": false} {
		if IsHuman(name) != want {
			t.Errorf("%q", name)
		}
	}
}

func TestJudgements(t *testing.T) {
	n := scores([][]*float64{{ptr(1), ptr(15), nil}, {ptr(14), ptr(20), ptr(0)}})
	j, err := CountJudgements(n)
	if err != nil || j != (Judgements{Scores: 4, Few: 2, Median: 14.5}) {
		t.Errorf("%+v, %v", j, err)
	}
	if want := "2 of 4 scores of segments rest on fewer than 15 judgements (median 14.5): correlations with them are not reproducible"; j.Warning() != want {
		t.Errorf("%q", j.Warning())
	}
	for _, values := range [][]float64{{15, 15, 20, 15, 15, 15}, {0, 0, 0, 0, 0, 0}} {
		n.Values = values
		if j, err := CountJudgements(n); err != nil || j.Warning() != "" {
			t.Errorf("%+v, %v: %q", j, err, j.Warning())
		}
	}
	n.Set(0, 0, -1)
	if _, err := CountJudgements(n); err == nil {
		t.Error("-1 judgements")
	}
}

// drawScores are scores of two to five systems on one to six items, some of them missing.
func drawScores(t *rapid.T, levels int) *Scores {
	k, n := rapid.IntRange(2, 5).Draw(t, "systems"), rapid.IntRange(1, 6).Draw(t, "items")
	rows := make([][]*float64, k)
	for i := range rows {
		for range n {
			v := rapid.IntRange(-1, levels).Draw(t, "v")
			if v < 0 {
				rows[i] = append(rows[i], nil)
			} else {
				rows[i] = append(rows[i], ptr(float64(v)))
			}
		}
	}
	return scores(rows)
}

// A higher threshold ranks fewer pairs, of the same ones, and nothing is lost.
func TestSweepProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		human := drawScores(t, 100)
		metric := Metric{Name: "m", Scores: &Scores{human.Systems, human.Items, slices.Clone(human.Values)}}
		thresholds := []float64{0, 1, 10, 25, 50, 101}
		points, err := Sweep(human, thresholds, []SweepMetric{{Metric: metric}}, KendallForms(), DARROptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range points {
			if p.Ranked+p.Ties != points[0].Ranked+points[0].Ties || i > 0 && p.Ranked > points[i-1].Ranked {
				t.Fatalf("%+v", points)
			}
			// A metric that is people's scores ranks the pairs as they do.
			c := p.Metrics[0].Counts
			if c[0][1]+c[0][2]+c[2][0]+c[2][1] != 0 {
				t.Fatalf("%v", c)
			}
		}
		if last := points[len(points)-1]; last.Ranked != 0 || last.Metrics[0].Taus[0] != nil {
			t.Fatalf("%+v", last)
		}
	})
}

func TestSweepErrors(t *testing.T) {
	human := scores([][]*float64{{ptr(1)}, {ptr(2)}})
	ok := SweepMetric{Metric: Metric{Name: "m", Scores: human}}
	other := SweepMetric{Metric: Metric{Name: "m", Scores: &Scores{[]string{"x", "y"}, human.Items, human.Values}}}
	for name, f := range map[string]func() ([]SweepPoint, error){
		"threshold": func() ([]SweepPoint, error) { return Sweep(human, []float64{-1}, nil, nil, DARROptions{}) },
		"metric threshold": func() ([]SweepPoint, error) {
			return Sweep(human, []float64{1}, []SweepMetric{{ok.Metric, []float64{-1}}}, nil, DARROptions{})
		},
		"systems": func() ([]SweepPoint, error) {
			return Sweep(human, []float64{1}, []SweepMetric{other}, nil, DARROptions{})
		},
		"form": func() ([]SweepPoint, error) {
			return Sweep(human, []float64{1}, []SweepMetric{ok}, []KendallForm{{Accuracy: Matrix{{{1, false}}}}}, DARROptions{})
		},
	} {
		if got, err := f(); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Functions are pure: many at once on the same scores give what one gives.
func TestConcurrent(t *testing.T) {
	tab := golden(t).Tables[1]
	human, metric := scores(tab.Human), Metric{Name: "m", Scores: scores(tab.Metric), LowerIsBetter: true}
	run := func() (out []any) {
		points, err := Sweep(human, []float64{1, 25}, []SweepMetric{{Metric: metric}}, KendallForms(), DARROptions{})
		out = append(out, points, err)
		a, err := SegmentLevel(human, metric, ByItem, Kendall)
		out = append(out, a, err)
		epsilon, a, err := CalibrateTies(human, metric, ByItem)
		return append(out, epsilon, a, err)
	}
	want := run()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if diff := cmp.Diff(want, run()); diff != "" {
				t.Errorf("(-alone +at once):\n%s", diff)
			}
		})
	}
	wg.Wait()
}
