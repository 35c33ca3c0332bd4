package significance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/metaeval"
)

func TestBootstrapAgreement(t *testing.T) {
	g := readGolden(t).Bootstraps
	metrics := []metaeval.Metric{metric("x", numbered(g.Systems, g.Items, g.X)), metric("y", numbered(g.Systems, g.Items, g.Y))}
	human, apart := numbered(g.Systems, g.Items, g.Z), numbered(g.Systems, 1, g.Apart)
	apart.Items = []string{"all"}
	undefined := 0
	for _, c := range g.Cases {
		name := fmt.Sprintf("%s, %s, %s, human scores apart %v", c.Coefficient, c.Level, c.Sampling, c.Apart)
		people := human
		if c.Apart {
			people = apart
		}
		var want Agreements
		want.Samples = make([][]float64, 2)
		for _, v := range c.Values {
			if v == nil {
				want.Undefined++
				undefined++
				continue
			}
			for m := range want.Samples {
				want.Samples[m] = append(want.Samples[m], v[m])
			}
		}
		for _, workers := range []int{1, 3} {
			got, err := BootstrapAgreement(ctx, people, metrics, at(levels[c.Level], coefficients[c.Coefficient]), samplings[c.Sampling],
				Options{Samples: len(c.Values), Seed: c.Seed, Workers: workers})
			if err != nil {
				t.Fatal(name, err)
			}
			want.Values = got.Values
			if d := cmp.Diff(&want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })); d != "" {
				t.Errorf("%s, %d workers (-NumPy +got):\n%s", name, workers, d)
			}
		}
	}
	if len(g.Cases) != 3*5*3 || undefined == 0 {
		t.Errorf("%d cases, %d samples undefined", len(g.Cases), undefined)
	}
}

func TestNewAgreements(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		samples [][]float64
		want    *Agreements
	}{
		{nil, &Agreements{Samples: [][]float64{}}},
		{[][]float64{{1, 2, 3}}, &Agreements{Samples: [][]float64{{1, 2, 3}}}},
		{[][]float64{{1, nan, 3, 4}, {nan, nan, 7, 8}}, &Agreements{Samples: [][]float64{{3, 4}, {7, 8}}, Undefined: 2}},
		{[][]float64{{1}, {nan}}, &Agreements{Samples: [][]float64{nil, nil}, Undefined: 1}},
	} {
		tt.want.Values = []float64{5, 6}[:len(tt.samples)]
		if d := cmp.Diff(tt.want, NewAgreements(tt.want.Values, tt.samples)); d != "" {
			t.Errorf("%v (-want +got):\n%s", tt.samples, d)
		}
	}
}

// Lengths that do not fit are found when it is made, and not by Difference.
func TestNewAgreementsPanics(t *testing.T) {
	for _, tt := range []struct {
		values  []float64
		samples [][]float64
		want    string
	}{
		{nil, [][]float64{{1}}, "significance: values of 0 metrics, samples of 1"},
		{[]float64{1, 2}, [][]float64{{1}}, "significance: values of 2 metrics, samples of 1"},
		{[]float64{1, 2}, nil, "significance: values of 2 metrics, samples of 0"},
		{[]float64{1, 2}, [][]float64{{1}, {1, 2}}, "significance: metric 2 has 2 samples, the first 1"},
		{[]float64{1, 2}, [][]float64{{1, 2}, nil}, "significance: metric 2 has 0 samples, the first 2"},
	} {
		func() {
			defer func() {
				if got := recover(); got != tt.want {
					t.Errorf("panic %v, want %s", got, tt.want)
				}
			}()
			NewAgreements(tt.values, tt.samples)
		}()
	}
}

func TestAgreements(t *testing.T) {
	a := &Agreements{
		Values:  []float64{.5, .3, .5},
		Samples: [][]float64{{.4, .5, .6, .7}, {.3, .3, .7, .2}, {.4, .5, .6, .7}},
	}
	d, interval, p := a.Difference(0, 1)
	// Differences on samples: .1, .2, −.1, .5; less .2: −.1, 0, −.3, .3.
	if !near(d, .2) || !near(interval.Mean, .175) || !near(interval.Low, -.1) || !near(interval.High, .5) || p != 3./5 {
		t.Errorf("%v, %+v, %v", d, interval, p)
	}
	if _, _, p := a.Difference(0, 2); p != 1 {
		t.Errorf("p = %v of a metric and itself", p)
	}
	if i := a.Interval(0); i.Low != .4 || i.High != .7 {
		t.Errorf("%+v", i)
	}
}

func TestBootstrapAgreementErrors(t *testing.T) {
	x, y, human := large(3, 4, 0)
	constant := metric("constant", numbered(3, 4, nil))
	clear(constant.Scores.Values)
	both := []metaeval.Metric{x, y}
	for _, tt := range []struct {
		name    string
		human   *metaeval.Scores
		metrics []metaeval.Metric
		m       Measure
		s       Sampling
		want    error // nil: any
	}{
		{"no metrics", human, nil, Measure{}, SampleItems, nil},
		{"constant", human, []metaeval.Metric{x, constant}, Measure{}, SampleItems, metaeval.ErrUndefined},
		{"no people", numbered(3, 4, nil), both, Measure{Segments: true}, SampleItems, metaeval.ErrUndefined},
		{"other items", numbered(3, 5, nil), both, Measure{Segments: true, Grouping: metaeval.ByItem}, SampleItems, metaeval.ErrMismatch},
		{"sampling", human, both, Measure{}, 3, nil},
		{"grouping", human, both, Measure{Segments: true, Grouping: -1}, SampleItems, nil},
		{"grouping of systems", human, both, Measure{Grouping: metaeval.ByItem}, SampleItems, nil},
		{"coefficient", human, both, Measure{Coefficient: 3}, SampleItems, nil},
	} {
		got, err := BootstrapAgreement(ctx, tt.human, tt.metrics, tt.m, tt.s, Options{})
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := BootstrapAgreement(cancelled, human, both, Measure{}, SampleBoth, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestResample(t *testing.T) {
	// The mean and the largest of what is drawn, of 0 to 9.
	f := func(draws []uint32, out []float64) error {
		for _, d := range draws {
			out[0] += float64(d) / float64(len(draws))
			out[1] = max(out[1], float64(d))
		}
		return nil
	}
	var first [][]float64
	for _, workers := range []int{1, 4} {
		got, err := Resample(ctx, 10, Options{Samples: 130, Workers: workers}, 2, f)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if d := cmp.Diff(first, got); d != "" {
			t.Errorf("%d workers (-1 +got):\n%s", workers, d)
		}
	}
	// numpy.random.default_rng(12345).choice(10, (130, 10)): the first row is
	// 6 2 7 3 2 7 6 6 9 3.
	if len(first) != 2 || len(first[0]) != 130 || !near(first[0][0], 5.1) || first[1][0] != 9 {
		t.Errorf("%d numbers, of the first sample %v and %v", len(first), first[0][0], first[1][0])
	}
	failed := errors.New("failed")
	for _, workers := range []int{1, 4} {
		_, err := Resample(ctx, 10, Options{Workers: workers}, 1, func([]uint32, []float64) error { return failed })
		if !errors.Is(err, failed) || err.Error() != "sample 1: failed" {
			t.Errorf("error %v", err)
		}
	}
	if _, err := Resample(ctx, 0, Options{}, 1, f); !errors.Is(err, ErrNoSegments) {
		t.Errorf("of nothing: error %v", err)
	}
	if _, err := Resample(ctx, -1, Options{}, 1, f); err == nil {
		t.Error("no error for -1 things")
	}
}

// 1,000 samples of 2,000 items, of two metrics of 20 systems.
func BenchmarkBootstrapAgreement(b *testing.B) {
	x, y, human := large(20, 2000, 0)
	for level, l := range levels {
		b.Run(level, func(b *testing.B) {
			for b.Loop() {
				if _, err := BootstrapAgreement(ctx, human, []metaeval.Metric{x, y}, at(l, Kendall), SampleItems, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
