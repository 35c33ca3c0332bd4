package compare_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/significance"
)

// metric makes one of scores by system.
func metric(scores map[string][]float64) metaeval.Metric {
	systems := slices.Sorted(maps.Keys(scores))
	s := &metaeval.Scores{Systems: systems}
	for i := range scores[systems[0]] {
		s.Items = append(s.Items, fmt.Sprint(i+1))
	}
	for _, name := range systems {
		s.Values = append(s.Values, scores[name]...)
	}
	return metaeval.Metric{Name: "m", Scores: s}
}

func tables(t *testing.T) map[string]map[string][]float64 {
	t.Helper()
	var out map[string]map[string][]float64
	read(t, "testdata/scores.json", &out)
	return out
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func one(t testing.TB, m metaeval.Metric, o compare.Options) compare.Result {
	t.Helper()
	r, err := compare.Compare(t.Context(), []metaeval.Metric{m}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r[0]
}

// pair finds a pair by the names of its systems, and the sign of a's side.
func pair(t *testing.T, r compare.Result, a, b string) (compare.Pair, float64) {
	t.Helper()
	for _, p := range r.Pairs {
		switch x, y := r.Systems[p.A].Name, r.Systems[p.B].Name; {
		case x == a && y == b:
			return p, 1
		case x == b && y == a:
			return p, -1
		}
	}
	t.Fatalf("no pair of %s and %s", a, b)
	return compare.Pair{}, 0
}

// near is equal but for a part of the number.
func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// SciPy's tests, and comet-compare's, which is SciPy's on 32 bits.
func TestSciPy(t *testing.T) {
	var want []struct {
		Table, A, B    string
		T, P, T32, P32 float64
		Permutation    float64
	}
	read(t, "testdata/scipy.json", &want)
	scores := tables(t)
	results := make(map[string]compare.Result)
	for name := range scores {
		results[name] = one(t, metric(scores[name]), compare.Options{})
	}
	for _, w := range want {
		p, sign := pair(t, results[w.Table], w.A, w.B)
		what := fmt.Sprintf("%s: %s and %s", w.Table, w.A, w.B)
		near(t, what+": t", sign*p.T.T, w.T, 1e-11)
		near(t, what+": p of t", p.T.P.P, w.P, 1e-11)
		// 32 bits leave seven digits of scores, and fewer of differences.
		near(t, what+": comet-compare's t", sign*p.T.T, w.T32, 1e-4)
		near(t, what+": comet-compare's p", p.T.P.P, w.P32, 1e-3)
		if w.Table == "short" {
			near(t, what+": exact permutations", p.Randomization.P, w.Permutation, 1e-12)
			continue
		}
		// Five standard errors of both programs' samples.
		if far := 5 * math.Sqrt(w.Permutation*(1-w.Permutation)*(1./10000+1./200000)); math.Abs(p.Randomization.P-w.Permutation) > far+1e-4 {
			t.Errorf("%s: permutations: %v, want %v ± %v", what, p.Randomization.P, w.Permutation, far)
		}
	}
}

// sacreBLEU's paired tests of a metric whose score is the mean, with its samples and its seed. Its
// randomization counts larger differences only and not those that are as large, which scores of few
// digits have some of, and does not look at all ways to swap where there are few.
func TestSacreBLEU(t *testing.T) {
	var want []struct {
		Table, A, B string
		BS, AR      float64
	}
	read(t, "testdata/scipy.json", &want)
	scores := tables(t)
	for _, w := range want {
		p, _ := pair(t, one(t, metric(scores[w.Table]), compare.Options{}), w.A, w.B)
		what := fmt.Sprintf("%s: %s and %s", w.Table, w.A, w.B)
		if p.Bootstrap.P != w.BS {
			t.Errorf("%s: bootstrap %v, want %v", what, p.Bootstrap.P, w.BS)
		}
		if ties := p.Randomization.P - w.AR; w.Table == "long" && (ties < 0 || ties > .001) {
			t.Errorf("%s: randomization %v, want %v or a little more", what, p.Randomization.P, w.AR)
		}
	}
}

// mean is a metric whose texts are numbers and whose score is their mean.
type mean struct{}

func (mean) Info() mteval.Info           { return mteval.Info{Name: "mean"} }
func (mean) Width() int                  { return 1 }
func (mean) Score(row []float64) float64 { return row[0] / segments }
func (mean) Prepare(context.Context, [][]string) (mteval.Prepared, error) {
	return nil, errors.New("there are no texts")
}

const segments = 40 // of the long table

// The bootstrap and approximate randomization are sacreBLEU's, as package significance has
// them, whichever system is the baseline.
func TestSignificance(t *testing.T) {
	m := metric(tables(t)["long"])
	s := m.Scores
	for i := range s.Values {
		// No two ways to swap give the same difference: sacreBLEU counts larger ones only.
		s.Values[i] += math.Sin(float64(i*i)) / 1000
	}
	table := mteval.NewTable(mean{}, s.Systems, segments)
	for k := range s.Systems {
		for i := range segments {
			table.Row(k, i)[0] = s.At(k, i)
		}
	}
	for _, o := range []significance.Options{{}, {Seed: 7, Samples: 300}} {
		r := one(t, m, compare.Options{Samples: o.Samples, Seed: o.Seed})
		for base, name := range s.Systems {
			boot, err := significance.PairedBootstrap(t.Context(), table, base, o)
			if err != nil {
				t.Fatal(err)
			}
			random, err := significance.PairedRandomization(t.Context(), table, base, o)
			if err != nil {
				t.Fatal(err)
			}
			for k := range s.Systems {
				at := slices.IndexFunc(r.Systems, func(x compare.System) bool { return x.Name == s.Systems[k] })
				got := r.Systems[at]
				if got.Mean != boot[k].Score || got.Interval != boot[k].Interval {
					t.Errorf("%s: %v, %v, want %v, %v", got.Name, got.Mean, got.Interval, boot[k].Score, boot[k].Interval)
				}
				if k == base {
					continue
				}
				p, _ := pair(t, r, name, s.Systems[k])
				if p.Bootstrap.P != boot[k].P || p.Randomization.P != random[k].P {
					t.Errorf("%s and %s: p %v and %v, want %v and %v", name, s.Systems[k], p.Bootstrap.P, p.Randomization.P, boot[k].P, random[k].P)
				}
			}
		}
	}
}

// Systems in any order, and any number of workers; an error metric is the mirror image.
func TestOrderWorkersDirection(t *testing.T) {
	scores := tables(t)["long"]
	want := one(t, metric(scores), compare.Options{Workers: 1})
	m := metric(scores)
	reversed := slices.Clone(m.Scores.Systems)
	slices.Reverse(reversed)
	other, err := m.Scores.Select(reversed, m.Scores.Items)
	if err != nil {
		t.Fatal(err)
	}
	got := one(t, metaeval.Metric{Name: "m", Scores: other}, compare.Options{Workers: 5})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other order and workers (-want +got):\n%s", diff)
	}

	for i := range other.Values {
		other.Values[i] *= -1
	}
	got = one(t, metaeval.Metric{Name: "m", Scores: other, LowerIsBetter: true}, compare.Options{})
	// Cut ends of samples, and their mean, are of the negated ones.
	ignore := cmpopts.IgnoreTypes(significance.Interval{})
	want.LowerIsBetter = true
	for k := range want.Systems {
		want.Systems[k].Mean *= -1
	}
	if diff := cmp.Diff(want, got, ignore); diff != "" {
		t.Errorf("an error metric (-want +got):\n%s", diff)
	}
	for i := range want.Pairs {
		if want.Pairs[i].Interval != got.Pairs[i].Interval {
			t.Errorf("pair %d: interval %v, want %v", i, got.Pairs[i].Interval, want.Pairs[i].Interval)
		}
	}
}

// Clusters by hand: two systems far above two others, which are equal.
func TestClusters(t *testing.T) {
	scores := map[string][]float64{"a": nil, "b": nil, "c": nil, "d": nil}
	for i := range 20 {
		x := float64(i % 5)
		scores["a"] = append(scores["a"], x+10+float64(i%2))
		scores["b"] = append(scores["b"], x+10+float64((i+1)%2))
		scores["c"] = append(scores["c"], x)
		scores["d"] = append(scores["d"], x)
	}
	for _, test := range []compare.Test{compare.Randomization, compare.Bootstrap, compare.Student} {
		r := one(t, metric(scores), compare.Options{Test: test})
		var got []string
		for _, s := range r.Systems {
			got = append(got, fmt.Sprint(s.Name, s.Cluster))
		}
		if want := "a1 b1 c2 d2"; strings.Join(got, " ") != want {
			t.Errorf("test %v: %v, want %v", test, got, want)
		}
		p, _ := pair(t, r, "c", "d")
		if p.Bootstrap.P != 1 || p.Randomization.P != 1 || p.T.P.P != 1 || p.SegmentCounts != (compare.SegmentCounts{Ties: 20}) {
			t.Errorf("equal systems: %+v", p)
		}
	}
}

// Pairs of 10 systems are 45, of 11 are 55; 1/1001 of each is within .05, 55/1001 is not. Of 5 segments
// there are 32 ways to swap, of which two have the largest difference: 2/32 is above .05.
func TestTooFewSamples(t *testing.T) {
	of := func(systems, segments int) metaeval.Metric {
		scores := make(map[string][]float64)
		for k := range systems {
			for i := range segments {
				scores[fmt.Sprint(k)] = append(scores[fmt.Sprint(k)], float64(100*k+i))
			}
		}
		return metric(scores)
	}
	for _, c := range []struct {
		systems, segments int
		o                 compare.Options
		few               bool
	}{
		{10, 30, compare.Options{Test: compare.Bootstrap}, false},
		{11, 30, compare.Options{Test: compare.Bootstrap}, true},
		{11, 30, compare.Options{Test: compare.Bootstrap, Samples: 2000}, false},
		{11, 30, compare.Options{}, false},
		{11, 30, compare.Options{Samples: 1000}, true},
		{2, 5, compare.Options{}, true},
		{2, 6, compare.Options{}, false},
		{33, 5, compare.Options{Test: compare.Student}, false},
	} {
		r := one(t, of(c.systems, c.segments), c.o)
		if last := r.Systems[c.systems-1].Cluster; r.TooFewSamples != c.few || (last == 1) != c.few {
			t.Errorf("%+v: too few %v, last cluster %d", c, r.TooFewSamples, last)
		}
	}
}

// A p-value that is just at the level separates: of 4 segments there are 16 ways to swap, two of
// which have the largest difference. And at a high level, too, systems with equal means are one
// cluster.
func TestAtTheLevel(t *testing.T) {
	r := one(t, metric(map[string][]float64{"a": {1, 2, 3, 4}, "b": {0, 0, 0, 0}}), compare.Options{Alpha: .125, Samples: 16})
	if p := r.Pairs[0].Randomization.P; p != .125 || r.TooFewSamples || r.Systems[1].Cluster != 2 {
		t.Errorf("p %v, too few samples %v, clusters %+v", p, r.TooFewSamples, r.Systems)
	}
	for _, test := range []compare.Test{compare.Randomization, compare.Bootstrap, compare.Student} {
		r := one(t, metric(map[string][]float64{"a": {0, 1, 2}, "b": {2, 1, 0}}), compare.Options{Alpha: .99, Test: test})
		if r.Systems[1].Cluster != 1 {
			t.Errorf("test %d: clusters of equal means %+v", test, r.Systems)
		}
	}
}

// A segment counts where all systems have a score, for each metric alone.
func TestMissing(t *testing.T) {
	nan := math.NaN()
	holes := metric(map[string][]float64{"a": {1, 2, nan, 4, 9}, "b": {1, 1, 7, 5, nan}})
	full := metric(map[string][]float64{"a": {1, 2, 4}, "b": {1, 1, 5}})
	both, err := compare.Compare(t.Context(), []metaeval.Metric{full, holes}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if both[0].Missing != 0 || both[1].Missing != 2 || both[1].Segments != 3 {
		t.Errorf("missing %d and %d of %d", both[0].Missing, both[1].Missing, both[1].Segments)
	}
	both[1].Missing = 0
	if diff := cmp.Diff(both[0], both[1]); diff != "" {
		t.Errorf("with holes (-without +with):\n%s", diff)
	}
	// a: 0, +1, −1.
	if got := both[0].Pairs[0].SegmentCounts; got != (compare.SegmentCounts{Wins: 1, Ties: 1, Losses: 1}) {
		t.Errorf("counts %+v", got)
	}
}

func TestStudentWithoutSpread(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []float64
		t, p float64
	}{
		"equal":       {[]float64{1, 2}, []float64{1, 2}, 0, 1},
		"one segment": {[]float64{1}, []float64{0}, 0, 1},
		"same step":   {[]float64{3, 2, 5}, []float64{2, 1, 4}, 3, 0},
	} {
		p := one(t, metric(map[string][]float64{"a": c.a, "b": c.b}), compare.Options{}).Pairs[0]
		if p.T.T != c.t || p.T.P.P != c.p {
			t.Errorf("%s: t %v, p %v, want %v, %v", name, p.T.T, p.T.P.P, c.t, c.p)
		}
	}
}

func TestErrors(t *testing.T) {
	nan := math.NaN()
	good := metric(map[string][]float64{"a": {1}, "b": {2}})
	for name, c := range map[string]struct {
		m    metaeval.Metric
		o    compare.Options
		want string
	}{
		"no scores":         {m: metaeval.Metric{Name: "m"}, want: "has no scores"},
		"one system":        {m: metric(map[string][]float64{"a": {1}}), want: "scores of 1 systems"},
		"no segments":       {m: metric(map[string][]float64{"a": {}, "b": {}}), want: "no segment with scores of all"},
		"empty system":      {m: metric(map[string][]float64{"a": {1}, "b": {nan}}), want: "no score of b"},
		"nothing in common": {m: metric(map[string][]float64{"a": {1, nan}, "b": {nan, 1}}), want: "no segment with scores of all"},
		"huge":              {m: metric(map[string][]float64{"a": {1e200}, "b": {2}}), want: "too large"},
		"infinite":          {m: metric(map[string][]float64{"a": {math.Inf(1)}, "b": {2}}), want: `metric "m"`},
		"level":             {m: good, o: compare.Options{Alpha: 2}, want: "level of 2"},
		"tie":               {m: good, o: compare.Options{Tie: nan}, want: "can't be ties"},
		"test":              {m: good, o: compare.Options{Test: 9}, want: "no test 9"},
		"samples":           {m: good, o: compare.Options{Samples: -1}, want: "samples"},
	} {
		_, err := compare.Compare(t.Context(), []metaeval.Metric{c.m}, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := compare.Compare(ctx, []metaeval.Metric{good}, compare.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Progress never falls, and ends at all.
func TestProgress(t *testing.T) {
	last, all := 0, 0
	ctx := mteval.WithProgress(t.Context(), func(done, total int) {
		if done < last || done > total {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last, all = done, total
	})
	m := metric(tables(t)["long"])
	if _, err := compare.Compare(ctx, []metaeval.Metric{m, m}, compare.Options{}); err != nil {
		t.Fatal(err)
	}
	if last != all || all == 0 {
		t.Errorf("ended at %d of %d", last, all)
	}
}

// Numbers are what they must be, whatever the scores.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "segments")
		score := rapid.OneOf(rapid.Float64Range(-3, 3), rapid.SampledFrom([]float64{0, 1, math.NaN(), 1e100, 1e-300}))
		row := rapid.SliceOfN(score, n, n)
		m := metric(map[string][]float64{"a": row.Draw(t, "a"), "b": row.Draw(t, "b"), "c": row.Draw(t, "c")})
		m.LowerIsBetter = rapid.Bool().Draw(t, "lower")
		rs, err := compare.Compare(context.Background(), []metaeval.Metric{m}, compare.Options{Samples: 50})
		if errors.Is(err, significance.ErrNoSegments) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range rs[0].Pairs {
			if !(p.Difference >= 0) || p.Wins+p.Ties+p.Losses != rs[0].Segments || math.IsNaN(p.T.T) || math.IsInf(p.T.T, 0) {
				t.Fatalf("pair %+v", p)
			}
			for _, v := range []compare.P{p.Bootstrap, p.Randomization, p.T.P} {
				if !(v.P >= 0 && v.P <= v.Holm && v.Holm <= 1) {
					t.Fatalf("p-values of %+v", p)
				}
			}
		}
	})
}

// 20 systems, 2,000 segments, 3 metrics.
func BenchmarkCompare(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var metrics []metaeval.Metric
	for range 3 {
		scores := make(map[string][]float64)
		for k := range 20 {
			for range 2000 {
				name := fmt.Sprint(k)
				scores[name] = append(scores[name], r.Float64()+float64(k)/100)
			}
		}
		metrics = append(metrics, metric(scores))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compare.Compare(b.Context(), metrics, compare.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
