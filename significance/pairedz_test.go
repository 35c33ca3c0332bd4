package significance

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/ter"
)

// ratio is a metric of numbers alone, the sum of the first of a row over that of the second,
// 0 without these.
type ratio struct{ lower bool }

func (ratio) Width() int { return 2 }

func (m ratio) Info() mteval.Info {
	return mteval.Info{Name: "ratio", LowerIsBetter: m.lower, Scale: 1}
}

func (ratio) Score(row []float64) float64 {
	if row[1] == 0 {
		return 0
	}
	return row[0] / row[1]
}

func (ratio) Prepare(context.Context, [][]string) (mteval.Prepared, error) {
	return nil, errors.New("ratio: no texts")
}

// meanTable is of a metric that is the mean of segments' scores.
func meanTable(lower bool, scores ...[]float64) *mteval.Table {
	t := mteval.NewTable(ratio{lower}, names(len(scores)), len(scores[0]))
	for k, s := range scores {
		for i, v := range s {
			copy(t.Row(k, i), []float64{v, 1})
		}
	}
	return t
}

// randomTable is of a metric that is a ratio of sums.
func randomTable(systems, segments int, seed uint64) *mteval.Table {
	r := rand.New(rand.NewPCG(seed, 1))
	t := mteval.NewTable(ratio{}, names(systems), segments)
	for k := range systems {
		for i := range segments {
			length := float64(5 + r.IntN(20))
			copy(t.Row(k, i), []float64{length * r.Float64(), length})
		}
	}
	return t
}

// Worked by hand: z of differences d is mean(d) / √(Σ(d − mean)² / n(n−1)), the paired t.
func TestPairedZMean(t *testing.T) {
	same := []float64{.3, .2, .7}
	for name, tt := range map[string]struct {
		a, b  []float64
		lower bool
		want  float64
	}{
		"differences 1, 2, 0: 1 over √(2/6)":      {[]float64{2, 4, 3}, []float64{1, 2, 3}, false, math.Sqrt(3)},
		"the lower one is better":                 {[]float64{2, 4, 3}, []float64{1, 2, 3}, true, -math.Sqrt(3)},
		"differences 4, 0, 0, 0: 1 over √(12/12)": {[]float64{5, 1, 2, 3}, []float64{1, 1, 2, 3}, false, 1},
		"two segments, 3 and −1: 1 over √(8/2)":   {[]float64{3, 0}, []float64{0, 1}, false, .5},
		"equal":                     {same, same, false, 0},
		"equal in the mean":         {[]float64{1, 2, 3}, []float64{3, 2, 1}, false, 0},
		"zero":                      {[]float64{0, 0, 0}, []float64{0, 0, 0}, false, 0},
		"one segment":               {[]float64{1}, []float64{0}, false, 0},
		"always 1 more":             {[]float64{4, 5, 6}, []float64{3, 4, 5}, false, 3},
		"always .1 more":            {[]float64{.4, .5, .6, .8}, []float64{.3, .4, .5, .7}, false, 4},
		"always more, and an error": {[]float64{4, 5, 6}, []float64{3, 4, 5}, true, -3},
		"large":                     {[]float64{2e300, 4e300, 3e300}, []float64{1e300, 2e300, 3e300}, false, math.Sqrt(3)},
		"largest":                   {[]float64{5e307, 5e307, 5e307}, []float64{-5e307, -5e307, -2e307}, false, 3},
		"tiny":                      {[]float64{2e-300, 4e-300, 3e-300}, []float64{1e-300, 2e-300, 3e-300}, false, math.Sqrt(3)},
		"of few digits":             {[]float64{8e-320, 16e-320, 12e-320}, []float64{4e-320, 8e-320, 12e-320}, false, math.Sqrt(3)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := PairedZ(ctx, meanTable(tt.lower, tt.a, tt.b))
			if err != nil {
				t.Fatal(err)
			}
			digits := 1e-12
			if name == "of few digits" {
				digits = 1e-3
			}
			if math.Abs(got[0][1]-tt.want) > digits*math.Abs(tt.want) || got[1][0] != -got[0][1] || got[0][0] != 0 || got[1][1] != 0 {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// What sacreBLEU and NumPy make of the same texts, by scripts/record_pairedz.py.
func TestPairedZRecorded(t *testing.T) {
	var want struct {
		Cases []struct {
			Metric           string
			Jackknife, Delta [][]float64
		}
		Paired struct{ Scores, Z [][]float64 } `json:"paired_t"`
	}
	data, err := os.ReadFile("testdata/pairedz.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Cases) != 4 {
		t.Errorf("%d cases", len(want.Cases))
	}
	scorers := map[string]mteval.Scorer{"ter": ter.New(ter.Options{})}
	if scorers["bleu"], err = bleu.New(bleu.Options{}); err != nil {
		t.Fatal(err)
	}
	for name, order := range map[string]int{"chrf": 0, "chrf++": 2} {
		if scorers[name], err = chrf.New(chrf.Options{WordOrder: order}); err != nil {
			t.Fatal(err)
		}
	}
	rec, _ := read(t)
	for _, c := range want.Cases {
		sameZ(t, c.Metric, textTable(t, scorers[c.Metric], rec, 1), c.Jackknife, 1e-9)
		// The delta method is the same up to terms of the order of 1/n, of 280 segments.
		sameZ(t, c.Metric+", delta method", textTable(t, scorers[c.Metric], rec, 4), c.Delta, 1e-2)
	}
	sameZ(t, "paired t", meanTable(false, want.Paired.Scores...), want.Paired.Z, 1e-9)
}

// textTable is of the recorded texts, so many times over.
func textTable(t *testing.T, s mteval.Scorer, rec *recorded, times int) *mteval.Table {
	t.Helper()
	refs, err := mteval.Segments(slices.Repeat(rec.Refs, times))
	if err != nil {
		t.Fatal(err)
	}
	var systems []mteval.System
	for _, sys := range rec.Systems {
		systems = append(systems, mteval.System{Name: sys.Name, Hyps: slices.Repeat(sys.Hyps, times)})
	}
	table, err := mteval.Systems(ctx, s, refs, systems)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func sameZ(t *testing.T, name string, table *mteval.Table, want [][]float64, digits float64) {
	t.Helper()
	got, err := PairedZ(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) || len(got) != 4 {
		t.Fatalf("%s: %d systems, want %d", name, len(got), len(want))
	}
	for a, row := range want {
		for b, z := range row {
			if math.Abs(got[a][b]-z) > digits*math.Abs(z) {
				t.Errorf("%s of systems %d and %d: %v, want %v", name, a, b, got[a][b], z)
			}
		}
	}
}

// Whatever the scores are: antisymmetric, within ±n, and the same for a pair wherever it
// stands and whatever others there are.
func TestPairedZProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "segments")
		value := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64Range(-1e306, 1e306), rapid.SampledFrom([]float64{0, 1, 5e-324, 1e-310, 1e300}))
		scores := rapid.SliceOfN(rapid.SliceOfN(value, n, n), 1, 5).Draw(t, "scores")
		all, err := PairedZ(ctx, meanTable(false, scores...))
		if err != nil {
			t.Fatal(err)
		}
		turned := slices.Clone(scores)
		slices.Reverse(turned)
		back, err := PairedZ(ctx, meanTable(false, turned...))
		if err != nil {
			t.Fatal(err)
		}
		for a, row := range all {
			for b, z := range row {
				if !(math.Abs(z) <= float64(n)) || z != -all[b][a] || slices.Equal(scores[a], scores[b]) && z != 0 {
					t.Errorf("z is %v, and %v the other way", z, all[b][a])
				}
				if other := back[len(all)-1-a][len(all)-1-b]; z != other {
					t.Errorf("z is %v, and %v with the systems turned round", z, other)
				}
				pair, err := PairedZ(ctx, meanTable(false, scores[a], scores[b]))
				if err != nil || pair[0][1] != z {
					t.Errorf("z is %v, and %v (%v) of the pair alone", z, pair, err)
				}
			}
		}
	})
}

func TestPairedZWorkers(t *testing.T) {
	table := randomTable(7, 50, 1)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one, err := PairedZ(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GOMAXPROCS(4)
	four, err := PairedZ(ctx, table)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one, four); diff != "" {
		t.Errorf("one and four workers (-one +four):\n%s", diff)
	}
}

func TestPairedZErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	large := meanTable(false, []float64{0, 0, 0}, []float64{1.5e308, 0, 0})
	large.Row(1, 1)[1], large.Row(1, 2)[1] = 1e10, 0
	for want, table := range map[string]*mteval.Table{
		"ratio of 2 is NaN: want a finite number":                           meanTable(false, []float64{1, 2}, []float64{1, nan}),
		"ratio of 1 is +Inf: want a finite number":                          meanTable(false, []float64{1, inf}, []float64{1, 2}),
		"ratio of 1 is -Inf: want a finite number":                          meanTable(true, []float64{1e308, 1e308}, []float64{1, 2}),
		"ratio of 2 without segment 2 is not a finite number, or too large": large,
	} {
		if z, err := PairedZ(ctx, table); err == nil || z != nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, error %v, want %s", z, err, want)
		}
	}
	for name, table := range map[string]*mteval.Table{"nil": nil, "zero": {}, "no segments": mteval.NewTable(ratio{}, names(2), 0)} {
		if z, err := PairedZ(ctx, table); !errors.Is(err, ErrNoSegments) || z != nil {
			t.Errorf("%s: %v, error %v", name, z, err)
		}
	}
	if z, err := PairedZ(ctx, mteval.NewTable(ratio{}, nil, 3)); err != nil || len(z) != 0 {
		t.Errorf("no systems: %v, error %v", z, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if z, err := PairedZ(cancelled, randomTable(3, 4, 1)); !errors.Is(err, context.Canceled) || z != nil {
		t.Errorf("cancelled: %v, error %v", z, err)
	}
}

func BenchmarkPairedZ(b *testing.B) {
	for name, systems := range map[string]int{"22x2000": 22, "100x2000": 100} {
		table := randomTable(systems, 2000, 1)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := PairedZ(ctx, table); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
