package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/tunable"
)

// judge gives a set everything that people say, with scores and ties at random.
func judge(s *Set, r *rand.Rand) {
	n := len(s.Refs)
	for range n * len(s.Systems) {
		v := float64(r.IntN(20))
		if r.IntN(4) == 0 {
			v = math.NaN()
		}
		s.Scores = append(s.Scores, v)
	}
	for k := range s.Systems {
		v := math.Floor(float64(k) + 3*r.Float64())
		if r.IntN(6) == 0 {
			v = math.NaN()
		}
		s.SystemScores = append(s.SystemScores, v)
	}
	for range 3 * n {
		a, b := r.IntN(len(s.Systems)), r.IntN(len(s.Systems))
		if a != b {
			s.Pairs = append(s.Pairs, metaeval.Pair{Item: r.IntN(n), A: a, B: b, Human: int8(r.IntN(3) - 1)})
		}
	}
}

// scores are what package metaeval takes: a scorer's scores of segments, and of systems.
func scores(t *testing.T, s mteval.Scorer, set *Set) (segments, systems *metaeval.Scores) {
	t.Helper()
	table, err := mteval.Systems(context.Background(), s, set.Refs, set.Systems)
	if err != nil {
		t.Fatal(err)
	}
	var items []string
	for i := range set.Refs {
		items = append(items, fmt.Sprint(i))
	}
	segments, systems = metaeval.NewScores(table.Systems, items), metaeval.NewScores(table.Systems, []string{""})
	for k := range table.Systems {
		for i := range items {
			segments.Set(k, i, table.SegmentScore(k, i))
		}
	}
	copy(systems.Values, table.Scores())
	return segments, systems
}

// The objectives are package metaeval's, of the scores that a table of the metric has.
func TestObjectives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		set := numbers("a", r, 5, 12, 3)
		judge(set, r)
		s := toy{alpha: r.Float64(), beta: 2 * r.Float64(), gamma: r.Float64(), lower: r.IntN(2) == 0}
		segments, systems := scores(t, s, set)
		want := make([]float64, 4)
		var err error
		var c metaeval.Counts
		if c, _, err = metaeval.CountPairs(set.Pairs, segments, 0); err != nil {
			t.Fatal(err)
		}
		if want[Kendall], err = metaeval.Table4c().Tau(c, s.lower); err != nil {
			t.Fatal(err)
		}
		human := metaeval.NewScores(segments.Systems, segments.Items)
		human.Values = set.Scores
		a, err := metaeval.SegmentLevel(human, metaeval.Metric{Scores: segments, LowerIsBetter: s.lower}, metaeval.NoGrouping, metaeval.Pearson)
		if err != nil {
			t.Fatal(err)
		}
		want[Pearson] = a.Value
		human = metaeval.NewScores(systems.Systems, systems.Items)
		human.Values = set.SystemScores
		metric := metaeval.Metric{Scores: systems, LowerIsBetter: s.lower}
		if a, err = metaeval.SystemLevel(human, metric, metaeval.Pearson); err != nil && !errors.Is(err, metaeval.ErrUndefined) {
			t.Fatal(err)
		}
		want[SystemPearson] = a.Value
		pairs, err := metaeval.PairwiseAccuracy(human, metric, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want[Accuracy], err = pairs.Value(); err != nil {
			t.Fatal(err)
		}
		for o, want := range want {
			p, err := set.keep(context.Background(), s, Objective(o))
			if err != nil {
				if Objective(o).ofSystems() { // too few systems with a score, by chance
					continue
				}
				t.Fatal(err)
			}
			if got := newEvaluator(Objective(o)).value(s, []*part{p}); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %v, metaeval has %v", Objective(o), got, want)
			}
		}
	}
}

// Of several sets the objective is the mean, but accuracy counts all pairs.
func TestSeveral(t *testing.T) {
	// System Pearson of two systems is ±1, accuracy of one pair 0 or 1.
	set := func(scores ...float64) *part {
		s := &Set{Name: "x", Refs: [][]string{{""}}, SystemScores: scores}
		for k := range scores {
			s.Systems = append(s.Systems, mteval.System{Hyps: []string{fmt.Sprintf("%d 0", k)}})
		}
		p, err := s.keep(context.Background(), &mix{1, 1}, Accuracy)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	parts := []*part{set(1, 2), set(2, 1), set(1, 3, 2)} // 1 of 1, 0 of 1, 2 of 3
	if got := newEvaluator(Accuracy).value(&mix{1, 1}, parts); got != 3./5 {
		t.Errorf("accuracy %v, want 3 of 5", got)
	}
	if got := newEvaluator(SystemPearson).value(&mix{1, 1}, parts); math.Abs(got-.5/3) > 1e-12 {
		t.Errorf("Pearson %v, want the mean of 1, -1 and .5", got)
	}
	// With w 0 all scores are 0: Pearson is not defined, and as bad as can be.
	if got := newEvaluator(SystemPearson).value(&mix{0, 1}, parts); got != -1 {
		t.Errorf("Pearson of equal scores: %v", got)
	}
}

func TestObjectiveNames(t *testing.T) {
	var got []string
	for o := range Objective(4) {
		got = append(got, o.String())
	}
	if d := cmp.Diff(Objectives(), got); d != "" {
		t.Error(d)
	}
	if s := Objective(9).String(); s != "Objective(9)" {
		t.Error(s)
	}
}

func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations are not counted under the race detector")
	}
	r := rand.New(rand.NewPCG(3, 4))
	set := numbers("a", r, 5, 50, 2)
	judge(set, r)
	set.SystemScores = []float64{1, 2, 4, 3, 5}
	var s tunable.Scorer = &mix{.5, 1}
	for o := range Objective(4) {
		p, err := set.keep(context.Background(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		e, parts := newEvaluator(o), []*part{p}
		if n := testing.AllocsPerRun(100, func() { e.value(s, parts) }); n != 0 {
			t.Errorf("%s: %v allocations", o, n)
		}
	}
}
