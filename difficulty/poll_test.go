package difficulty_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
)

// A poll gives what the scorers of its voters give one by one: with leave-one-out that of
// LeaveOneOut for voters, and that without it for others.
func TestPoll(t *testing.T) {
	for name, base := range bases(t) {
		ms := matchings(t, base, fieldRefs, fieldSystems)
		for _, o := range allOptions {
			for _, leaveOneOut := range []bool{false, true} {
				o.LeaveOneOut = leaveOneOut
				field, err := difficulty.NewField(base, ms, o, difficulty.Function{})
				if err != nil {
					t.Fatal(err)
				}
				for _, tt := range []struct{ systems, voters []int }{
					{[]int{0, 1, 2, 3}, nil}, {[]int{3, 1, 0, 3}, []int{0, 2, 3}}, {nil, nil},
				} {
					p, err := field.Poll(t.Context(), tt.systems, tt.voters)
					if err != nil {
						t.Fatal(err)
					}
					checkPoll(t, p, base, ms, o, tt.systems, tt.voters)
					scores, err := p.Scores(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					table, err := p.Table(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					want, err := field.Scores(t.Context(), tt.systems, tt.voters)
					if err != nil {
						t.Fatal(err)
					}
					for how, got := range map[string][]float64{"Scores": scores, "Table": table.Scores()} {
						if d := cmp.Diff(want, got); d != "" {
							t.Errorf("%s, %+v, systems %v, voters %v (-field +%s):\n%s", name, o, tt.systems, tt.voters, how, d)
						}
					}
					if d := cmp.Diff(field.Info(), table.Info); d != "" {
						t.Errorf("info (-field +table):\n%s", d)
					}
				}
			}
		}
	}
}

// checkPoll compares what a poll says of single outputs.
func checkPoll(t *testing.T, p *difficulty.Poll, base mteval.MatchScorer, ms *mteval.Matchings, o difficulty.Options, systems, voters []int) {
	t.Helper()
	w, err := difficulty.EstimateFrom(ms, voters, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	own := newScorer(t, base, w, o)
	o.LeaveOneOut = false
	others := newScorer(t, base, w, o)
	if p.Weights().Hash() != w.Hash() || p.Len() != ms.Len() {
		t.Errorf("weights %s, want %s", p.Weights().Hash(), w.Hash())
	}
	if d := cmp.Diff(own.Info(), p.Scorer().Info()); d != "" {
		t.Errorf("info (-one by one +poll):\n%s", d)
	}
	names := p.Systems()
	for i, k := range systems {
		s := own
		if voters != nil && k == 1 { // the only one that is none
			s = others
		}
		if names[i] != ms.Systems[k] {
			t.Errorf("system %d is %s", i, names[i])
		}
		for segment := range ms.Len() {
			refs, m := ms.RefTokens(segment), ms.At(k, segment)
			row := s.AppendMatch(nil, segment, refs, m)
			if want, got := s.Score(row), p.Score(i, segment); got != want {
				t.Errorf("score %v, want %v", got, want)
			}
			if want, got := base.Score(base.AppendMatch(nil, segment, refs, m)), p.BaseScore(i, segment); got != want {
				t.Errorf("base score %v, want %v", got, want)
			}
			if d := cmp.Diff(s.Detail(segment, refs, m), p.Detail(i, segment)); d != "" {
				t.Errorf("(-scorer +poll):\n%s", d)
			}
		}
	}
}

func TestPollErrors(t *testing.T) {
	base := &exact{}
	ms := matchings(t, base, fieldRefs, fieldSystems)
	field, err := difficulty.NewField(base, ms, difficulty.Options{LeaveOneOut: true}, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ systems, voters []int }{
		"system 4 of 4": {[]int{4}, nil}, "system -1": {[]int{-1}, nil}, "voter 4 of 4": {[]int{0}, []int{1, 4}},
		"no voters": {[]int{0}, []int{}}, "one voter": {[]int{0}, []int{0}},
	} {
		if p, err := field.Poll(t.Context(), tt.systems, tt.voters); err == nil || p != nil {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	p, err := field.Poll(t.Context(), []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := field.Poll(cancelled, []int{0}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Poll: %v", err)
	}
	if s, err := p.Scores(cancelled); !errors.Is(err, context.Canceled) || s != nil {
		t.Errorf("Scores: %v, %v", s, err)
	}
	if table, err := p.Table(cancelled); !errors.Is(err, context.Canceled) || table != nil {
		t.Errorf("Table: %v, %v", table, err)
	}
}

// Changes have the scores of every segment once, the largest change first.
func TestChanges(t *testing.T) {
	for name, base := range bases(t) {
		field, err := difficulty.NewField(base, matchings(t, base, fieldRefs, fieldSystems), difficulty.Paper(), difficulty.Function{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := field.Poll(t.Context(), []int{3, 1, 0}, nil)
		if err != nil {
			t.Fatal(err)
		}
		changes, err := p.Changes(t.Context())
		if err != nil || len(changes) != p.Len() {
			t.Fatalf("%s: %d changes, %v", name, len(changes), err)
		}
		seen := make(map[int]bool)
		for n, c := range changes {
			want := difficulty.Change{Segment: c.Segment, Pairs: c.Pairs}
			for i := range p.Systems() {
				want.Base, want.Scores = append(want.Base, p.BaseScore(i, c.Segment)), append(want.Scores, p.Score(i, c.Segment))
			}
			if d := cmp.Diff(want, c); d != "" || seen[c.Segment] {
				t.Errorf("%s, segment %d (-want +got):\n%s", name, c.Segment, d)
			}
			seen[c.Segment] = true
			if n > 0 && (c.Pairs > changes[n-1].Pairs || c.Pairs == changes[n-1].Pairs && c.Segment < changes[n-1].Segment) {
				t.Errorf("%s: segment %d, of %v pairs, stands behind %d, of %v", name, c.Segment, c.Pairs, changes[n-1].Segment, changes[n-1].Pairs)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if c, err := p.Changes(ctx); c != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}
