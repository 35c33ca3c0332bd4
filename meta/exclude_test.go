package meta

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

func TestSystemNames(t *testing.T) {
	p := People{
		Scores:  metaeval.NewScores([]string{"b", "a"}, []string{"1"}),
		Pairs:   &human.Pairs{Systems: []string{"c", "b"}},
		Systems: metaeval.NewScores([]string{"a", "d"}, []string{""}),
	}
	if got := p.SystemNames(); !slices.Equal(got, []string{"b", "a", "c", "d"}) {
		t.Error(got)
	}
	if got := (&People{}).SystemNames(); got != nil {
		t.Error(got)
	}
}

// What is excluded is as if it had not been given.
func TestExclude(t *testing.T) {
	people, ms := sample(6, 12, 5)
	keep := slices.Clone(people.Scores.Systems[1:5])
	out := func(s string) bool { return !slices.Contains(keep, s) }
	cut := func(s *metaeval.Scores) *metaeval.Scores {
		s, err := s.Select(keep, s.Items)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var fewer []Candidate
	for _, m := range ms {
		m.Scores = cut(m.Scores)
		fewer = append(fewer, m)
	}
	o := Options{Samples: 20}
	less := people
	less.Scores = cut(people.Scores)
	if less.Judgements != nil {
		less.Judgements = cut(people.Judgements)
	}
	want := ways(t, less, fewer, o)
	o.Exclude = out
	for name, way := range ways(t, people, ms, o) {
		got, err := way(ctx)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		w, err := want[name](ctx)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(w, got, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	o.Exclude = func(string) bool { return true }
	for name, way := range ways(t, people, ms, o) {
		if r, err := way(ctx); r != nil || err == nil || !strings.HasPrefix(err.Error(), "meta: Exclude leaves none") {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// Judges stay with their pairs.
func TestExcludeJudges(t *testing.T) {
	p := &human.Pairs{
		Systems: []string{"a", "b", "c"}, Items: []string{"1"},
		Pairs:  []metaeval.Pair{{A: 0, B: 1, Human: 1}, {A: 2, B: 1, Human: 1}, {A: 0, B: 2}},
		Judges: []string{"x", "y", "z"},
	}
	got := pairsWithout(p, func(s string) bool { return s == "a" })
	want := &human.Pairs{Systems: []string{"b", "c"}, Items: []string{"1"}, Pairs: []metaeval.Pair{{A: 1, B: 0, Human: 1}}, Judges: []string{"y"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
