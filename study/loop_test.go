package study_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
	"github.com/mteval/mteval/ter"
)

func pearson(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my, xx, yy, xy float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
		xy += (x[i] - mx) * (y[i] - my)
	}
	if equal(x) || equal(y) {
		return math.NaN()
	}
	return xy / math.Sqrt(xx*yy)
}

func equal(x []float64) bool { return slices.Min(x) == slices.Max(x) }

func spearman(x, y []float64) float64 {
	ranks := func(v []float64) []float64 {
		out := make([]float64, len(v))
		for i := range v {
			for j := range v {
				switch {
				case v[j] < v[i]:
					out[i]++
				case v[j] == v[i]:
					out[i] += .5
				}
			}
		}
		return out
	}
	return pearson(ranks(x), ranks(y))
}

func kendall(x, y []float64) float64 {
	var agree, nx, ny float64
	sign := func(d float64) float64 {
		switch {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return 0
	}
	for i := range x {
		for j := range i {
			a, b := sign(x[i]-x[j]), sign(y[i]-y[j])
			agree, nx, ny = agree+a*b, nx+a*a, ny+b*b
		}
	}
	return agree / math.Sqrt(nx*ny) // NaN where all are equal
}

var plain = map[significance.Coefficient]func(x, y []float64) float64{
	significance.Pearson: pearson, significance.Spearman: spearman, significance.Kendall: kendall,
}

// draws are those of each sample.
func draws(t testing.TB, n, samples int) [][]uint32 {
	t.Helper()
	var mu sync.Mutex
	out := make([][]uint32, samples)
	next := 0
	_, err := significance.Resample(t.Context(), n, significance.Options{Samples: samples, Workers: 1}, 1, func(draws []uint32, _ []float64) error {
		mu.Lock()
		defer mu.Unlock()
		out[next] = slices.Clone(draws)
		next++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func interval(samples []float64) study.Interval {
	var defined []float64
	for _, v := range samples {
		if v == v {
			defined = append(defined, v)
		}
	}
	slices.Sort(defined)
	n := len(defined)
	out := study.Interval{Defined: n, Undefined: len(samples) - n}
	if n > 0 {
		out.Low, out.High = defined[n/40], defined[n-n/40-1]
	}
	return out
}

func minus(x, y []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] - y[i]
	}
	return out
}

// everything is what a plain loop finds for the systems of one K by one scorer.
type everything struct {
	scores            []float64
	value             map[significance.Coefficient]float64
	segments, systems map[significance.Coefficient][]float64
}

func loop(t testing.TB, s mteval.Scorer, refs [][]string, systems []mteval.System, human []float64, samples int) everything {
	t.Helper()
	table, err := mteval.Systems(t.Context(), s, refs, systems)
	if err != nil {
		t.Fatal(err)
	}
	sign := 1.0
	if s.Info().LowerIsBetter {
		sign = -1
	}
	e := everything{table.Scores(), make(map[significance.Coefficient]float64), make(map[significance.Coefficient][]float64), make(map[significance.Coefficient][]float64)}
	turn := func(x []float64) []float64 {
		out := make([]float64, len(x))
		for i := range x {
			out[i] = sign * x[i]
		}
		return out
	}
	for c, of := range plain {
		e.value[c] = of(turn(e.scores), human)
		for _, segments := range draws(t, len(refs), samples) {
			x := make([]float64, len(systems))
			for k := range systems {
				sum := make([]float64, s.Width())
				for _, i := range segments {
					for j, v := range table.Row(k, int(i)) {
						sum[j] += v
					}
				}
				x[k] = s.Score(sum)
			}
			e.segments[c] = append(e.segments[c], of(turn(x), human))
		}
		for _, some := range draws(t, len(systems), samples) {
			var x, y []float64
			for _, k := range some {
				x, y = append(x, e.scores[k]), append(y, human[k])
			}
			e.systems[c] = append(e.systems[c], of(turn(x), y))
		}
	}
	return e
}

var approx = cmpopts.EquateApprox(0, 1e-9)

// All figures are those of a loop that scores the K systems anew, and takes nothing from the
// package but where samples are drawn.
func TestRunByLoops(t *testing.T) {
	const samples = 60
	names := []string{"a", "b", "c", "d", "e"}
	refs, systems := corpus(17, names...)
	human := people("b x a d c e", .9, .5, .7, .3, .5, .1)
	order := []int{1, 0, 2, 3, 4}
	scores := []float64{.9, .7, .5, .3, .1}
	var best []mteval.System
	for _, k := range order {
		best = append(best, systems[k])
	}
	f := wordF(t)
	got, err := study.Run(t.Context(), refs, systems, human, []study.Subject{{Scorer: f, Forms: forms}, {Scorer: ter.New(ter.Options{})}, {Scorer: new(overlap.RateScorer)}}, study.Options{Samples: samples})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"x"}, got.Missing); d != "" || len(got.Unscored) > 0 || got.Segments != 17 || len(got.Curves) != 6 || got.SamplesNeeded != 0 {
		t.Fatalf("%+v", got)
	}
	for i, s := range got.Systems {
		if s != (ranking.Human{System: best[i].Name, Score: scores[i]}) {
			t.Errorf("system %d is %+v", i, s)
		}
	}
	for k := 3; k <= len(best); k++ {
		base := loop(t, f, refs, best[:k], scores[:k], samples)
		for i, c := range got.Curves {
			p := c.Points[k-3]
			scorer := []mteval.Scorer{f, nil, nil, nil, ter.New(ter.Options{}), new(overlap.RateScorer)}[i]
			if scorer == nil {
				m, err := f.PrepareMatch(t.Context(), refs)
				if err != nil {
					t.Fatal(err)
				}
				w, err := difficulty.Estimate(t.Context(), m, best[:k])
				if err != nil {
					t.Fatal(err)
				}
				if scorer, err = difficulty.New(f, w, c.Form.Options); err != nil {
					t.Fatal(err)
				}
				if k == len(best) {
					if want := scorer.Info().Signature.Complete(refs).String(); c.Signature.String() != want {
						t.Errorf("signature %s, want %s", c.Signature, want)
					}
				}
			}
			want := loop(t, scorer, refs, best[:k], scores[:k], samples)
			if d := cmp.Diff(want.scores, p.Scores, approx); d != "" || p.K != k {
				t.Errorf("%s at K %d: scores (-want +got):\n%s", c.Name(), p.K, d)
			}
			for j := range plain {
				a := p.Agreements[j]
				wanted := study.Agreement{Segments: interval(want.segments[j]), Systems: interval(want.systems[j])}
				if v := want.value[j]; v == v {
					wanted.Value = &v
				}
				if c.Form != nil && want.value[j] == want.value[j] && base.value[j] == base.value[j] {
					d := &study.Difference{Value: want.value[j] - base.value[j]}
					segments := minus(want.segments[j], base.segments[j])
					d.Segments, d.Systems = interval(segments), interval(minus(want.systems[j], base.systems[j]))
					far := 1.0
					for _, v := range segments {
						if math.Abs(v-d.Value) >= math.Abs(d.Value)-1e-9 {
							far++
						}
					}
					if d.Segments.Defined > 0 {
						p := far / float64(d.Segments.Defined+1)
						d.P = &p
					}
					wanted.Difference = d
				}
				if d := cmp.Diff(wanted, a, approx, cmpopts.IgnoreFields(study.Difference{}, "Holm", "Perm")); d != "" {
					t.Errorf("%s at K %d, coefficient %v (-loop +got):\n%s", c.Name(), k, j, d)
				}
			}
		}
	}
}
