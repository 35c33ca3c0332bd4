package meta

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

var (
	ctx = context.Background()
	nan = math.NaN()
)

// row is a system's scores of segments 1, 2 and so on.
type row struct {
	system string
	scores []float64
}

// table makes scores of rows; what is past the end of a row is missing.
func table(rows ...row) *metaeval.Scores {
	n := 0
	var systems, items []string
	for _, r := range rows {
		systems = append(systems, r.system)
		n = max(n, len(r.scores))
	}
	for i := range n {
		items = append(items, strconv.Itoa(i+1))
	}
	s := metaeval.NewScores(systems, items)
	for k, r := range rows {
		for i, v := range r.scores {
			s.Set(k, i, v)
		}
	}
	return s
}

func metric(name string, s *metaeval.Scores) Candidate {
	return Candidate{Metric: metaeval.Metric{Name: name, Scores: s}}
}

// ofSystems are scores of systems a, b and so on.
func ofSystems(scores ...float64) *metaeval.Scores {
	var systems []string
	for k := range scores {
		systems = append(systems, string(rune('a'+k)))
	}
	s := metaeval.NewScores(systems, []string{""})
	copy(s.Values, scores)
	return s
}

// sample is people's scores, 0 to 100, of systems a, b and so on, and three metrics that
// follow them more or less, of which "errors" is an error metric and "ties" has few values.
func sample(systems, items int, seed uint64) (People, []Candidate) {
	r := rand.New(rand.NewPCG(seed, 0))
	var names, numbers []string
	for k := range systems {
		names = append(names, string(rune('a'+k)))
	}
	for i := range items {
		numbers = append(numbers, strconv.Itoa(i+1))
	}
	people := metaeval.NewScores(names, numbers)
	close, errors, ties := metaeval.NewScores(names, numbers), metaeval.NewScores(names, numbers), metaeval.NewScores(names, numbers)
	for at := range people.Values {
		v := math.Round(40 + 3*float64(at/items) + 20*r.NormFloat64())
		people.Values[at] = v
		close.Values[at] = v/100 + .1*r.NormFloat64()
		errors.Values[at] = 100 - v + 40*r.NormFloat64()
		ties.Values[at] = math.Round((v + 60*r.NormFloat64()) / 50)
	}
	e := metric("errors", errors)
	e.LowerIsBetter = true
	return People{Scores: people}, []Candidate{metric("close", close), e, metric("ties", ties)}
}

// pairs makes people's pairs of their scores.
func pairs(t testing.TB, s *metaeval.Scores) *human.Pairs {
	t.Helper()
	r, err := metaeval.DARR(s, 10, metaeval.DARROptions{KeepTies: true})
	if err != nil {
		t.Fatal(err)
	}
	return &human.Pairs{Systems: s.Systems, Items: s.Items, Pairs: r.Pairs}
}

func (r *Result) metric(t testing.TB, name string) MetricResult {
	t.Helper()
	for _, m := range r.Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("no metric %s", name)
	return MetricResult{}
}

// ways are the kinds of judgings, each of people's scores or what is made from them.
func ways(t testing.TB, people People, ms []Candidate, o Options) map[string]func(context.Context) (*Result, error) {
	t.Helper()
	alone := make([]Candidate, len(ms)) // scores of systems
	for i, m := range ms {
		alone[i] = m
		alone[i].SystemsOnly = true
		alone[i].Scores = metaeval.NewScores(m.Scores.Systems, []string{""})
		copy(alone[i].Scores.Values, m.Scores.SystemMeans())
	}
	given := People{Pairs: pairs(t, people.Scores)}
	out := map[string]func(context.Context) (*Result, error){
		"systems": func(ctx context.Context) (*Result, error) {
			return Systems(ctx, people, ms, SystemOptions{Options: o})
		},
		"systems alone": func(ctx context.Context) (*Result, error) {
			return Systems(ctx, people, alone, SystemOptions{Options: o})
		},
		"systems by pairs": func(ctx context.Context) (*Result, error) {
			return Systems(ctx, given, ms, SystemOptions{Options: o})
		},
		"segments by pairs": func(ctx context.Context) (*Result, error) {
			return Segments(ctx, given, ms, SegmentOptions{Options: o})
		},
	}
	for g := metaeval.NoGrouping; g <= metaeval.BySystem; g++ {
		out[fmt.Sprintf("segments, grouping %s", g)] = func(ctx context.Context) (*Result, error) {
			return Segments(ctx, people, ms, SegmentOptions{Options: o, Grouping: g, Sweep: []float64{0, 5, 50}})
		}
	}
	return out
}
