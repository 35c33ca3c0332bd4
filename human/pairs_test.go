package human

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/metaeval"
)

func TestCounts(t *testing.T) {
	// The lecture's example: A better 41 times, 12 ties, B better 59 times.
	p := &Pairs{Systems: []string{"A", "B", "C"}, Items: []string{"1"}}
	for n, human := range map[int]int8{41: 1, 12: 0, 59: -1} {
		for i := range n {
			if c := (metaeval.Pair{A: 0, B: 1, Human: human}); i%2 == 0 {
				p.Pairs = append(p.Pairs, c)
			} else {
				p.Pairs = append(p.Pairs, metaeval.Pair{A: 1, B: 0, Human: -human})
			}
		}
	}
	got, err := p.Counts()
	if want := []Count{{0, 1, 41, 12, 59}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, bad := range []metaeval.Pair{{Item: 1, A: 0, B: 1}, {A: 0, B: 3}, {A: -1, B: 1}, {A: 1, B: 1}, {A: 0, B: 1, Human: 2}} {
		q := *p
		q.Pairs = []metaeval.Pair{bad}
		if _, err := q.Counts(); err == nil {
			t.Errorf("%+v: no error", bad)
		}
		if _, err := TrueSkill(&q, TrueSkillOptions{}); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

func TestExpectedWins(t *testing.T) {
	// By hand: a beats b 3 of 4 and c 1 of 2, b beats c 1 of 1.
	counts := []Count{{0, 1, 2, 9, 1}, {2, 0, 1, 0, 1}, {1, 2, 1, 1, 0}, {1, 0, 0, 3, 1}, {0, 3, 1, 0, 0}}
	got, err := ExpectedWins(4, counts)
	want := []float64{(3./4 + 1./2 + 1) / 3, (1./4 + 1) / 2, (1./2 + 0) / 2, 0}
	if err != nil || !slices.EqualFunc(got, want, close12) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := ExpectedWins(3, []Count{{0, 1, 1, 0, 0}, {1, 2, 0, 5, 0}}); !errors.Is(err, metaeval.ErrUndefined) {
		t.Errorf("only ties: %v", err)
	}
	for _, bad := range []Count{{0, 4, 1, 0, 0}, {-1, 1, 1, 0, 0}, {1, 1, 1, 0, 0}, {0, 1, -1, 0, 2}} {
		if _, err := ExpectedWins(4, []Count{bad}); err == nil || errors.Is(err, metaeval.ErrUndefined) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if got, err := ExpectedWins(0, nil); err != nil || len(got) != 0 {
		t.Errorf("nothing: %v, %v", got, err)
	}
}

// Wins are chances, and what one system wins another loses.
func TestExpectedWinsSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := randomPairs(t)
		counts, err := p.Counts()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range counts {
			n += c.Better + c.Ties + c.Worse
		}
		if n != len(p.Pairs) {
			t.Fatalf("%d counted of %d", n, len(p.Pairs))
		}
		wins, err := ExpectedWins(4, counts)
		if err != nil {
			return
		}
		untied := 0
		for _, c := range counts {
			if c.Better+c.Worse > 0 {
				untied++
			}
		}
		sum := 0.0
		for _, w := range wins {
			if w < 0 || w > 1 {
				t.Fatalf("%v", wins)
			}
			sum += w
		}
		if untied == 6 && math.Abs(sum-2) > 1e-12 {
			t.Fatalf("%v add up to %v", wins, sum)
		}
	})
}

func TestExpand(t *testing.T) {
	rankings := []RelativeRanking{{Judge: "ann", Item: "7", Outputs: []RankedOutput{
		{[]string{"a"}, 2}, {[]string{"b", "c"}, 1}, {[]string{"d"}, 2},
	}}}
	got, err := Expand(rankings, ExpandOptions{})
	want := &Pairs{Systems: []string{"a", "b", "c", "d"}, Items: []string{"7"}, Judges: slices.Repeat([]string{"ann"}, 5),
		Pairs: []metaeval.Pair{{A: 0, B: 1, Human: -1}, {A: 0, B: 2, Human: -1}, {A: 0, B: 3}, {A: 1, B: 3, Human: 1}, {A: 2, B: 3, Human: 1}}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
	got, err = Expand(rankings, ExpandOptions{SharedTies: true})
	want.Pairs = slices.Insert(want.Pairs, 3, metaeval.Pair{A: 1, B: 2})
	want.Judges = append(want.Judges, "ann")
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
	// A ranking of five is ten pairs.
	five := RelativeRanking{Item: "1"}
	for i, s := range []string{"a", "b", "c", "d", "e"} {
		five.Outputs = append(five.Outputs, RankedOutput{[]string{s}, i + 1})
	}
	if p, err := Expand([]RelativeRanking{five}, ExpandOptions{}); err != nil || len(p.Pairs) != 10 {
		t.Errorf("%v, %v", p, err)
	}
	five.Outputs[4].Systems[0] = "a"
	if _, err := Expand([]RelativeRanking{five}, ExpandOptions{}); err == nil {
		t.Error("a system twice: no error")
	}
	if _, err := Expand([]RelativeRanking{{Source: "de"}, {Source: "cs"}}, ExpandOptions{}); err == nil {
		t.Error("two language pairs: no error")
	}
	if p, err := Expand(nil, ExpandOptions{}); err != nil || len(p.Pairs) != 0 {
		t.Errorf("nothing: %v, %v", p, err)
	}
}

func TestCollapse(t *testing.T) {
	got := Collapse([]string{"x", "y", "x", "", "y", ""})
	if want := [][]int{{0, 2}, {1, 4}, {3, 5}}; !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Herbrich et al.'s defaults, as the documentation of the package trueskill prints them
// for one game of two: a win 29.396 ± 7.171 against 20.604 ± 7.171, a draw 25 ± 6.458.
func TestTrueSkillPublished(t *testing.T) {
	o := TrueSkillOptions{Mu: 25, Sigma: 25. / 3, Beta: 25. / 6, Tau: 25. / 300, DrawProbability: .1}
	for _, tt := range []struct {
		human int8
		want  []Rating
	}{
		{1, []Rating{{29.396, 7.171}, {20.604, 7.171}}},
		{-1, []Rating{{20.604, 7.171}, {29.396, 7.171}}},
		{0, []Rating{{25, 6.458}, {25, 6.458}}},
	} {
		p := &Pairs{Systems: []string{"a", "b"}, Items: []string{"1"}, Pairs: []metaeval.Pair{{A: 0, B: 1, Human: tt.human}}}
		got, err := TrueSkill(p, o)
		if err != nil {
			t.Fatal(err)
		}
		for k, r := range got {
			if math.Abs(r.Mu-tt.want[k].Mu) > .0005 || math.Abs(r.Sigma-tt.want[k].Sigma) > .0005 {
				t.Errorf("result %d: system %d has %+v, want %+v", tt.human, k, r, tt.want[k])
			}
		}
	}
}

func TestTrueSkillSeed(t *testing.T) {
	p := &Pairs{Systems: []string{"a", "b", "c"}, Items: []string{"1"}}
	for i := range 60 {
		p.Pairs = append(p.Pairs, metaeval.Pair{A: i % 3, B: (i + 1) % 3, Human: int8(i*i%3 - 1)})
	}
	run := func(seed uint64) []Rating {
		r, err := TrueSkill(p, TrueSkillOptions{Sigma: 2, Beta: .5, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if !slices.Equal(run(0), run(0)) || !slices.Equal(run(7), run(7)) {
		t.Error("two runs differ")
	}
	if slices.Equal(run(0), run(7)) || slices.Equal(run(7), run(8)) {
		t.Error("seeds make no difference")
	}
	for _, seed := range []uint64{0, 3} {
		o := order(50, seed)
		slices.Sort(o)
		for i, k := range o {
			if i != k {
				t.Fatalf("seed %d: %d is not there", seed, i)
			}
		}
	}
}

// Whatever the parameters, ratings are finite, and a system is surer of itself after a
// game than before where skills do not drift.
func TestTrueSkillFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]float64{1e-90, 1e-9, .01, 1, 30, 1e9, 1e90})
		o := TrueSkillOptions{
			Mu: rapid.SampledFrom([]float64{0, 25, -1e90}).Draw(t, "mu"), Sigma: size.Draw(t, "sigma"), Beta: size.Draw(t, "beta"),
			DrawProbability: rapid.SampledFrom([]float64{-1, 1e-300, 1e-12, .1, .999999, 1 - 1e-16}).Draw(t, "draw"),
		}
		p := randomPairs(t)
		got, err := TrueSkill(p, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got {
			if math.IsNaN(r.Mu) || math.IsInf(r.Mu, 0) || !(r.Sigma >= 0 && r.Sigma <= o.Sigma) {
				t.Fatalf("%+v", got)
			}
		}
	})
	for _, bad := range []TrueSkillOptions{{Sigma: -1}, {Beta: -1}, {Tau: -1}, {DrawProbability: 1}, {Mu: math.NaN()}, {Sigma: math.Inf(1)}, {DrawProbability: math.NaN()}} {
		if _, err := TrueSkill(&Pairs{}, bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}
