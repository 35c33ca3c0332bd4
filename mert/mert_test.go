package mert

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/ter"
)

// letters is a metric whose rows are no whole numbers: what is wrong in the letters of a text.
type letters struct{}

func (letters) Info() mteval.Info { return mteval.Info{Name: "letters", Scale: 1, LowerIsBetter: true} }
func (letters) Width() int        { return 2 }
func (letters) Prepare(_ context.Context, refs [][]string) (mteval.Prepared, error) {
	return prepared(len(refs)), mteval.CheckReferences(refs)
}
func (letters) Score(row []float64) float64 {
	mteval.CheckRow(row, 2)
	if row[1] == 0 {
		return 0
	}
	return row[0] / row[1]
}

type prepared int

func (p prepared) Len() int { return int(p) }
func (p prepared) Append(_ context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	for _, h := range hyps {
		x := .1
		for _, c := range h {
			x += float64(c) / 7
		}
		dst = append(dst, math.Mod(x, 3.7), x/3)
	}
	return dst, nil
}

func read(t testing.TB) ([][]string, [][]Candidate) {
	t.Helper()
	n, err := files.OpenNBest(context.Background(), "testdata/lists.nbest", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := files.OpenText(context.Background(), "testdata/refs.txt", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refs, err := mteval.Segments(text.Lines)
	if err != nil {
		t.Fatal(err)
	}
	return refs, n.Lists
}

func lists(t testing.TB, s mteval.Scorer) *Lists {
	t.Helper()
	refs, c := read(t)
	l, err := New(context.Background(), s, refs, c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func newBLEU(t testing.TB) mteval.Scorer {
	t.Helper()
	s, err := bleu.New(bleu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The intervals are those that sacreBLEU's scores give between all crossings of two lines.
func TestLineRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/lines.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Cases []struct {
			Metric             string
			Weights, Direction []float64
			Intervals          int
			Score              float64
			Low, High          *float64
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil || len(recorded.Cases) < 30 {
		t.Fatal(len(recorded.Cases), err)
	}
	by := map[string]*Lists{"bleu": lists(t, newBLEU(t)), "chrf": lists(t, &chrf.Scorer{}), "ter": lists(t, &ter.Scorer{})}
	near := func(got float64, want *float64, none int) bool {
		if want == nil {
			return math.IsInf(got, none)
		}
		return math.Abs(got-*want) < 1e-9*max(1, math.Abs(*want))
	}
	for _, c := range recorded.Cases {
		l := by[c.Metric]
		got, err := l.Line(t.Context(), c.Weights, c.Direction)
		if err != nil || math.Abs(got.Score-c.Score) > 1e-9 || !near(got.Low, c.Low, -1) || !near(got.High, c.High, 1) {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
		n := 0
		s := newSweep(l)
		s.from(c.Weights)
		if err := s.walk(t.Context(), c.Direction, func(Interval) { n++ }); err != nil || n != c.Intervals {
			t.Errorf("%+v: %d intervals, %v", c, n, err)
		}
	}
}

// No point of a grid is better than the interval, and its own point is as good as it says.
func TestLineGrid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		small := rapid.Map(rapid.IntRange(-4, 4), func(n int) float64 { return float64(n) / 2 })
		three := rapid.SliceOfN(small, 3, 3)
		candidate := rapid.Custom(func(rt *rapid.T) Candidate {
			return Candidate{Text: rapid.StringMatching(`[a-z]{1,4}`).Draw(rt, "text"), Features: three.Draw(rt, "features")}
		})
		in := rapid.SliceOfN(rapid.SliceOfN(candidate, 1, 6), 1, 5).Draw(rt, "lists")
		refs := slices.Repeat([][]string{{"r"}}, len(in))
		l, err := New(t.Context(), letters{}, refs, in)
		if err != nil {
			rt.Fatal(err)
		}
		weights := three.Draw(rt, "weights")
		direction := three.Filter(func(x []float64) bool { return x[0] != 0 || x[1] != 0 || x[2] != 0 }).Draw(rt, "direction")
		got, err := l.Line(t.Context(), weights, direction)
		if err != nil {
			rt.Fatal(err)
		}
		score := func(at float64) float64 {
			w := make([]float64, 3)
			for j := range w {
				w[j] = weights[j] + at*direction[j]
			}
			// Not First: two lines that are one differ here by rounding.
			chosen := make([]int, len(in))
			for i, list := range in {
				most := math.Inf(-1)
				for c, x := range list {
					sum := 0.0
					for j := range w {
						sum += w[j] * x.Features[j]
					}
					if sum > most+1e-9 {
						most, chosen[i] = sum, c
					}
				}
			}
			return totalOf(l, chosen).score()
		}
		if s := score(got.At); math.Abs(s-got.Score) > 1e-12 {
			rt.Errorf("%+v: %v at its point", got, s)
		}
		for i := range 2000 {
			// Off the crossings, which are quotients of small whole numbers.
			if at := (float64(i)-1000)/31 + 1e-4*math.Sqrt2; score(at) < got.Score-1e-12 {
				rt.Errorf("%+v: %v at %v", got, score(at), at)
			}
		}
	})
}

// totalOf is the total of the candidates chosen.
func totalOf(l *Lists, chosen []int) *total {
	t := l.newTotal()
	t.set(chosen)
	return t
}

// After a million replacements the total is the sum.
func TestTotalDrift(t *testing.T) {
	for _, s := range []mteval.Scorer{letters{}, newBLEU(t)} {
		l := lists(t, s)
		total := totalOf(l, make([]int, l.Len()))
		r := rand.New(rand.NewPCG(1, 2))
		for range 1_000_000 {
			segment := r.IntN(l.Len())
			c := r.IntN(l.Candidates(segment))
			total.replace(segment, c)
		}
		fresh := totalOf(l, total.chosen)
		if d := cmp.Diff(fresh.sum, total.sum); d != "" {
			t.Errorf("%s (-fresh +replaced):\n%s", s.Info().Name, d)
		}
		plain := make([]float64, l.width)
		for i := range l.Len() {
			for j, x := range l.Row(i, total.chosen[i]) {
				plain[j] += x
			}
		}
		for j, x := range plain {
			if math.Abs(x-total.sum[j]) > 1e-14*math.Abs(x) {
				t.Errorf("%s: %v, plainly added %v", s.Info().Name, total.sum, plain)
			}
		}
	}
}

func TestTotalAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	l := lists(t, newBLEU(t))
	total := totalOf(l, make([]int, l.Len()))
	k := 0
	if n := testing.AllocsPerRun(100, func() { k++; total.replace(2, k%15); total.score() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A search gains, its score is that of its weights, and workers do not matter.
func TestSearch(t *testing.T) {
	start := []float64{.25, .25, .25, .25}
	for _, s := range []mteval.Scorer{newBLEU(t), &ter.Scorer{}} {
		l := lists(t, s)
		var want *Result
		for _, workers := range []int{1, 3} {
			calls := 0
			ctx := mteval.WithProgress(t.Context(), func(done, total int) { calls++ })
			got, err := l.Search(ctx, start, Options{Restarts: 4, Directions: 2, Seed: 7, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if d := cmp.Diff(want, got); d != "" || calls != 5 {
				t.Errorf("%d workers, %d calls (-one +these):\n%s", workers, calls, d)
			}
		}
		chosen, err := l.First(want.Weights)
		if err != nil {
			t.Fatal(err)
		}
		total := totalOf(l, chosen)
		if total.score() != want.Score || l.sign*(want.Score-want.Start) <= 0 {
			t.Errorf("%s: %+v, its weights have %v", s.Info().Name, want, total.score())
		}
		// It is no worse along any axis.
		for j := range start {
			axis := make([]float64, 4)
			axis[j] = 1
			if x, err := l.Line(t.Context(), want.Weights, axis); err != nil || l.sign*(x.Score-want.Score) > 1e-4 {
				t.Errorf("%s: feature %d leads from %v to %+v, %v", s.Info().Name, j, want.Score, x, err)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := lists(t, letters{})
	four := []float64{1, 2, 3, 4}
	if _, err := l.Search(ctx, four, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := l.Line(ctx, four, four); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	limited, err := bleu.New(bleu.Options{MaxTokens: 3})
	if err != nil {
		t.Fatal(err)
	}
	one := func(f ...float64) Candidate { return Candidate{Text: "a", Features: f} }
	refs := [][]string{{"a"}, {"b"}}
	made := func(s mteval.Scorer, refs [][]string, in ...[]Candidate) error {
		_, err := New(t.Context(), s, refs, in)
		return err
	}
	second := func(_ any, err error) error { return err }
	for want, err := range map[string]error{
		"mert: numbers of segments differ: 1 lists, references for 2": made(letters{}, refs, []Candidate{one(1)}),
		"segment 2: no candidates":                                    made(letters{}, refs, []Candidate{one(1)}, nil),
		"segment 2, candidate 1: 2 features":                          made(letters{}, refs, []Candidate{one(1)}, []Candidate{one(1, 2)}),
		"segment 1, candidate 1: feature 1 is NaN":                    made(letters{}, refs, []Candidate{one(math.NaN())}, []Candidate{one(1)}),
		"segment 2, hypothesis: candidate 2: text is too long":        made(limited, refs, []Candidate{one(1)}, []Candidate{one(1), {Text: "a b c d", Features: []float64{1}}}),
		"mert: 1 numbers as weights":                                  second(l.First([]float64{1})),
		"mert: weight 2 is +Inf":                                      second(l.Search(t.Context(), []float64{1, math.Inf(1), 0, 0}, Options{})),
		"mert: the direction is 0":                                    second(l.Line(t.Context(), four, make([]float64, 4))),
		"mert: -2 restarts":                                           second(l.Search(t.Context(), four, Options{Restarts: -2})),
		"mert: feature 4 is fixed of 4":                               second(l.Search(t.Context(), four, Options{Fixed: []int{0, 4}})),
		"mert: all 4 features are fixed":                              second(l.Search(t.Context(), four, Options{Fixed: []int{3, 2, 2, 1, 0}})),
		"mert: -1 directions":                                         second(l.Search(t.Context(), four, Options{Directions: -1})),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
