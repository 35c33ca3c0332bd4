package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune/tuned"
)

// fit is Fit without an error.
func fit(t *testing.T, s tunable.Scorer, train, test []Set, o Options) *tuned.Result {
	t.Helper()
	r, err := Fit(context.Background(), s, train, test, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Three pairs by hand, over scores w·a + (1−w)·b:
//
//	(1, 0) is better than (0, 1):  w > 1/2
//	(0, 1) is better than (.5, 0): w < 2/3
//	(1, 1) is better than (0, 0):  always
//
// At w = 1/2 the first is a tie and counts against: (2 − 1)/3. All are right between.
func TestByHand(t *testing.T) {
	set := Set{
		Name: "hand", Refs: [][]string{{""}, {""}, {""}},
		Systems: []mteval.System{
			{Name: "A", Hyps: []string{"1 0", "0 1", "0 0"}},
			{Name: "B", Hyps: []string{"0 1", ".5 0", "1 1"}},
		},
		Pairs: []metaeval.Pair{{Item: 0, A: 0, B: 1, Human: 1}, {Item: 1, A: 0, B: 1, Human: 1}, {Item: 2, A: 0, B: 1, Human: -1}},
	}
	other := set // the same with a tie, so that it is other data
	other.Name, other.Pairs = "other", append([]metaeval.Pair{{A: 0, B: 1}}, set.Pairs...)
	r := fit(t, &mix{.5, 1}, []Set{set}, []Set{other}, Options{Folds: 1})
	if w := r.Parameters[0].Value; !(w > .5 && w < 2./3) {
		t.Errorf("w is %v, want it between 1/2 and 2/3", w)
	}
	want := tuned.Figures{Train: tuned.Figure{Untuned: 1. / 3, Tuned: 1}, HeldOut: tuned.Figure{Untuned: 1. / 3, Tuned: 1}}
	if d := cmp.Diff(want, r.Figures); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// Values that the metric refuses are passed over.
	r = fit(t, &mix{.3, .45}, []Set{set}, []Set{other}, Options{Folds: 1})
	if w := r.Parameters[0].Value; w > .45 || r.Figures.Train.Tuned != 1./3 {
		t.Errorf("w is %v, %+v", w, r.Figures.Train)
	}
}

// judged makes sets whose pairs and scores are what a toy with other parameters says.
func judged(name string, seed uint64, s toy, n int) Set {
	r := rand.New(rand.NewPCG(seed, 0))
	set := numbers(name, r, 6, n, 3)
	for i := range n {
		for a := range set.Systems {
			for b := range a {
				va, vb := ofText(s, set.Systems[a].Hyps[i]), ofText(s, set.Systems[b].Hyps[i])
				if math.Abs(va-vb) > .01 {
					human := int8(1)
					if va < vb {
						human = -1
					}
					set.Pairs = append(set.Pairs, metaeval.Pair{Item: i, A: a, B: b, Human: human})
				}
			}
		}
	}
	for _, sys := range set.Systems {
		sum := 0.0
		for _, h := range sys.Hyps {
			v := ofText(s, h)
			set.Scores = append(set.Scores, 100*v)
			sum += v
		}
		set.SystemScores = append(set.SystemScores, sum)
	}
	return *set
}

func ofText(s toy, text string) float64 {
	row, err := texts{1, 3, true}.Append(context.Background(), nil, nil, []string{text})
	if err != nil {
		panic(err)
	}
	return s.Score(row)
}

// Parameters that data was made with are found again, and hold for other data.
func TestRecovers(t *testing.T) {
	truth, start := toy{alpha: .3, beta: 1.5, gamma: .7}, toy{alpha: .85, beta: .2, gamma: .2}
	train, test := []Set{judged("a", 1, truth, 60), judged("b", 2, truth, 60)}, []Set{judged("c", 3, truth, 60)}
	for o := range Objective(4) {
		r := fit(t, start, train, test, Options{Objective: o})
		f := r.Figures
		least := map[Objective]float64{Kendall: .97, Pearson: .999, SystemPearson: .99, Accuracy: .8}[o]
		// A fold's scores of systems are of few segments, people's of all.
		folds := least
		if o.ofSystems() {
			folds = .7
		}
		if f.Train.Tuned < least || f.HeldOut.Tuned < least || f.CrossValidated.Tuned < folds || len(f.Folds) != 5 || len(f.LeftOut) != 2 {
			t.Errorf("%s: %+v", o, f)
		}
		if f.Train.Tuned < f.Train.Untuned {
			t.Errorf("%s: worse than before: %+v", o, f.Train)
		}
		if o == Pearson {
			for i, want := range []float64{.3, 1.5, .7} {
				if p := r.Parameters[i]; math.Abs(p.Value-want) > .1 || !p.Fitted {
					t.Errorf("%+v, want %v", p, want)
				}
			}
		}
	}
	// An error metric is tuned just so.
	start.lower = true
	if r := fit(t, start, train, test, Options{Folds: 1}); r.Figures.HeldOut.Tuned < .97 {
		t.Errorf("an error metric: %+v", r.Figures)
	}
}

// What is fixed stays, and where nothing is better the start does.
func TestStart(t *testing.T) {
	truth := toy{alpha: .3, beta: 1.5, gamma: .7}
	train, test := []Set{judged("a", 1, truth, 30)}, []Set{judged("c", 3, truth, 30)}
	r := fit(t, truth, train, test, Options{Folds: 1})
	for i, p := range r.Parameters {
		if p.Value != p.Start || p.Value != truth.Parameters()[i].Value {
			t.Errorf("%+v is not as it was, which can't be bettered: %+v", p, r.Figures)
		}
	}
	start := toy{alpha: .85, beta: .2, gamma: .2}
	for _, o := range []Options{{Only: []string{"alpha"}, Folds: 1}, {Fixed: []string{"beta", "gamma"}, Folds: 1}} {
		r := fit(t, start, train, test, o)
		want := []tuned.Parameter{{Name: "alpha", Value: r.Parameters[0].Value, Start: .85, Fitted: true}, {Name: "beta", Value: .2, Start: .2}, {Name: "gamma", Value: .2, Start: .2}}
		if d := cmp.Diff(want, r.Parameters); d != "" || want[0].Value == .85 {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	// However short the search, it is not worse than the start.
	for seed := range uint64(10) {
		if f := fit(t, start, train, test, Options{Folds: 1, Restarts: 1, Evaluations: 1, Seed: seed}).Figures; f.Train.Tuned < f.Train.Untuned {
			t.Errorf("%+v", f.Train)
		}
	}
}

// Results do not depend on workers; they do on the seed.
func TestDeterministic(t *testing.T) {
	truth, start := toy{alpha: .3, beta: 1.5, gamma: .7}, toy{alpha: .85, beta: .2, gamma: .2}
	train := []Set{judged("a", 1, truth, 40), judged("b", 2, truth, 40)}
	o := Options{Seed: 7, Workers: 1, Folds: 3, Evaluations: 100}
	want := fit(t, start, train, nil, o)
	for _, o.Workers = range []int{2, 5, 0} {
		if d := cmp.Diff(want, fit(t, start, train, nil, o)); d != "" {
			t.Errorf("%d workers (-1 worker +got):\n%s", o.Workers, d)
		}
	}
	o.Seed = 8
	if other := fit(t, start, train, nil, o); cmp.Equal(want.Figures, other.Figures) || cmp.Equal(want.Parameters, other.Parameters) {
		t.Error("another seed changes nothing")
	}
	if want.HeldOutShare != .2 || want.Test != nil || len(want.Figures.HeldOutSets) != 2 || want.Data[0].Sources != 40 {
		t.Errorf("%+v", want)
	}
}

// The sources of a set are split into folds that have none in common, of sizes that
// differ by one at most, and every fold is tested with the others' data.
func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(4, 40).Draw(t, "segments"), rapid.IntRange(2, 4).Draw(t, "folds")
		set := Set{Name: "x", Refs: make([][]string, n), Systems: []mteval.System{{}}}
		distinct := make(map[string]bool)
		for i := range n {
			source := rapid.SampledFrom(strings.Split("abcdefghijklmnop", "")).Draw(t, "source")
			distinct[source] = true
			set.Sources = append(set.Sources, source)
			set.Refs[i] = []string{""}
			set.Systems[0].Hyps = append(set.Systems[0].Hyps, "0 1")
			set.Scores = append(set.Scores, float64(i))
		}
		p, err := set.keep(context.Background(), &mix{.5, 1}, Pearson)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.sources()) != len(distinct) {
			t.Fatalf("%d sources, want %d", len(p.sources()), len(distinct))
		}
		held := 0
		for _, j := range folds([]*part{p}, Options{Folds: k, Seed: rapid.Uint64().Draw(t, "seed")}) {
			in := make(map[string]bool)
			for _, v := range j.train[0].human {
				in[set.Sources[int(v)]] = true
			}
			out := make(map[string]bool)
			for _, v := range j.test[0].human {
				if s := set.Sources[int(v)]; in[s] {
					t.Fatalf("source %s is on both sides", s)
				} else {
					out[s] = true
				}
			}
			if len(in)+len(out) != len(distinct) || len(out) < len(distinct)/k || len(out) > len(distinct)/k+1 {
				t.Fatalf("%d sources and %d, of %d", len(in), len(out), len(distinct))
			}
			if len(j.train[0].human)+len(j.test[0].human) != n {
				t.Fatal("rows were lost")
			}
			held += len(j.test[0].human)
		}
		if held != n {
			t.Fatalf("%d rows were tested, of %d", held, n)
		}
	})
}

// Each distinct text of a segment is kept once, and texts that nothing was said of are
// not looked at.
func TestKeepOnce(t *testing.T) {
	set := Set{
		Name: "x", Refs: [][]string{{""}, {""}},
		Systems: []mteval.System{{Name: "A", Hyps: []string{"1 0", "no numbers"}}, {Name: "B", Hyps: []string{"0 1", "0 0"}}, {Name: "C", Hyps: []string{"1 0", "0 0"}}},
		Pairs:   []metaeval.Pair{{A: 0, B: 1, Human: 1}, {A: 2, B: 1, Human: 1}, {A: 1, B: 2, Human: -1}, {Item: 1, A: 0, B: 1}},
	}
	p, err := set.keep(context.Background(), &mix{.5, 1}, Kendall)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]pair{{0, 1}, {0, 1}, {0, 1}}, p.pairs, cmp.AllowUnexported(pair{})); d != "" || p.kept.Len() != 2 {
		t.Errorf("%d texts, pairs (-want +got):\n%s", p.kept.Len(), d)
	}
}

func TestErrors(t *testing.T) {
	good := judged("good", 1, toy{alpha: .3, beta: 1.5, gamma: .7}, 20)
	change := func(f func(s *Set)) []Set {
		s := good
		s.Name = "bad"
		f(&s)
		return []Set{s}
	}
	one := []Set{good}
	for name, tt := range map[string]struct {
		train, test []Set
		o           Options
		want        string
	}{
		"no data":         {nil, one, Options{}, "no training data"},
		"objective":       {one, nil, Options{Objective: 7}, "no objective 7"},
		"folds":           {one, nil, Options{Folds: -1}, "-1 folds"},
		"share":           {one, nil, Options{HeldOut: 1}, "a share of 1"},
		"name":            {one, nil, Options{Only: []string{"delta"}}, `no parameter "delta"`},
		"more folds":      {one, nil, Options{Folds: 30}, "too little data for 30 folds"},
		"twice":           {one, one, Options{}, "good and good are the same data"},
		"no pairs":        {change(func(s *Set) { s.Pairs = nil }), nil, Options{}, "bad: no pair"},
		"pair":            {change(func(s *Set) { s.Pairs = []metaeval.Pair{{Item: 20, A: 0, B: 1}} }), nil, Options{}, "bad: pair 1 is of systems 0 and 1 on segment 20"},
		"no scores":       {change(func(s *Set) { s.Scores = nil }), nil, Options{Objective: Pearson}, "bad: 0 scores of segments, want 120"},
		"infinite":        {change(func(s *Set) { s.SystemScores = []float64{1, 2, 3, 4, 5, inf} }), nil, Options{Objective: Accuracy}, "+Inf"},
		"equal":           {change(func(s *Set) { s.SystemScores = make([]float64, 6) }), nil, Options{Objective: SystemPearson}, "bad: all of people's scores are 0"},
		"hypotheses":      {change(func(s *Set) { s.Refs = s.Refs[:19] }), nil, Options{}, "s0 has 20 hypotheses for 19 segments"},
		"sources":         {change(func(s *Set) { s.Sources = make([]string, 3) }), nil, Options{}, "3 sources of 20 segments"},
		"no reference":    {change(func(s *Set) { s.Refs = append([][]string{nil}, s.Refs[1:]...) }), nil, Options{}, "segment 1: no reference"},
		"the metric's":    {change(func(s *Set) { s.Systems = append([]mteval.System{{Hyps: make([]string, 20)}}, s.Systems[1:]...) }), nil, Options{}, "bad: no 3 numbers"},
		"test without it": {one, change(func(s *Set) { s.Pairs = nil }), Options{}, "bad: no pair"},
	} {
		_, err := Fit(context.Background(), toy{alpha: .85, beta: .2, gamma: .2}, tt.train, tt.test, tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", name, err, tt.want)
		}
	}
}

// Cancelled, it stops, at the first report of its progress here; which never falls while
// it searches, and ends at the end.
func TestContext(t *testing.T) {
	train := []Set{judged("a", 1, toy{alpha: .3, beta: 1.5, gamma: .7}, 40)}
	start := toy{alpha: .85, beta: .2, gamma: .2}
	var reports [][2]int
	ctx := mteval.WithProgress(context.Background(), func(done, total int) { reports = append(reports, [2]int{done, total}) })
	if _, err := Fit(ctx, start, train, nil, Options{}); err != nil {
		t.Fatal(err)
	}
	const total = 6 * 3 * 600
	if last := reports[len(reports)-1]; last != [2]int{total, total} {
		t.Errorf("the last of %v", last)
	}
	for i, r := range reports[1:] {
		if before := reports[i]; r[1] == before[1] && r[0] < before[0] {
			t.Errorf("%v after %v", r, before)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	ctx = mteval.WithProgress(ctx, func(_, total int) {
		if total > 1000 {
			cancel()
		}
	})
	if _, err := Fit(ctx, start, train, nil, Options{Restarts: 1000}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a cancelled search", err)
	}
	if _, err := Fit(ctx, start, train, nil, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a cancelled context", err)
	}
}
