package difficulty_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
)

// Without its own vote, A's a is missed by C of the two others, and its b by both; B's
// a and b each by one of two; C's a by none, b by one. D had no vote.
//
//	all  d(a) = 1/3, d(b) = 2/3
//	A    ½, 1:  R = P = (½ + 1)/2
//	B    ½, ½:  R = ½/2, P = ½/1, F = (1/4)/(3/4)
//	C    0, ½:  nothing is right
//	D    1/3, 2/3: R = ⅔/2, P = ⅔/2 with the novel y of weight 1
func TestLeaveOneOutByHand(t *testing.T) {
	base := &exact{}
	refs := [][]string{{"a b"}}
	sys := systems("a b", "a", "x", "b y")
	ms := matchings(t, base, refs, sys)
	w, err := difficulty.EstimateFrom(ms, []int{0, 1, 2}, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	o := difficulty.Options{LeaveOneOut: true}
	want := []mteval.PRF{{P: .75, R: .75, F: .75}, {P: .5, R: .25, F: 1. / 3}, {}}
	if diff := cmp.Diff(want, rows(t, newScorer(t, base, w, o), refs, sys[:3]), approx); diff != "" {
		t.Errorf("voters (-want +got):\n%s", diff)
	}

	// A new system is scored with frozen weights, and after a while on disk.
	read := saved(t, w)
	late := mteval.PRF{P: 1. / 3, R: 1. / 3, F: 1. / 3}
	if diff := cmp.Diff([]mteval.PRF{late}, rows(t, newScorer(t, base, read, difficulty.Options{}), refs, sys[3:]), approx); diff != "" {
		t.Errorf("a new system (-want +got):\n%s", diff)
	}

	// A field tells them apart.
	f, err := difficulty.NewField(base, ms, o, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Scores(t.Context(), []int{3, 1, 0}, []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{late.F, 1. / 3, .75}, got, approx); diff != "" {
		t.Errorf("field (-want +got):\n%s", diff)
	}
	// A's with all four: d(a) = ⅔, d(b) = ⅔ by B, C and D.
	if got, err = f.Scores(t.Context(), []int{0}, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{2. / 3}, got, approx); diff != "" {
		t.Errorf("all vote (-want +got):\n%s", diff)
	}
}

// Leaving a vote out of an average is an average of the others, whatever is made of it.
func TestLeaveOneOut(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawRandom(r, -.5)
		c.systems = append(c.systems, c.systems[0])
		ms := matchings(t, c.base, c.refs, c.systems)
		for _, o := range allOptions {
			// Rounding decides whether next to nothing is nothing.
			if o.Smoothing == difficulty.Max || o.Normalize && o.Smoothing != difficulty.Softmax {
				continue
			}
			all := o
			all.LeaveOneOut = true
			s := newScorer(t, c.base, allWeights(t, ms), all)
			for k := range c.systems {
				var others []int
				for v := range c.systems {
					if v != k {
						others = append(others, v)
					}
				}
				w, err := difficulty.EstimateFrom(ms, others, difficulty.Function{})
				if err != nil {
					t.Fatal(err)
				}
				want, got := ms.Sum(newScorer(t, c.base, w, o), k), ms.Sum(s, k)
				// Of two references as good, either may be taken.
				if diff := cmp.Diff(want[2], got[2], cmpopts.EquateApprox(0, 1e-6)); diff != "" {
					r.Fatalf("%+v, system %d (-others' +without its own):\n%s", o, k, diff)
				}
			}
		}
	})
}

func TestLeaveOneOutErrors(t *testing.T) {
	base := &exact{}
	refs := [][]string{{"a b"}, {"a"}}
	ms := matchings(t, base, refs, systems("a b|a", "b|x"))
	o := difficulty.Options{LeaveOneOut: true}
	w, err := difficulty.EstimateFrom(ms, []int{1}, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := difficulty.New(base, w, o); !errors.Is(err, difficulty.ErrNoSystems) {
		t.Errorf("one system: error %v", err)
	}
	// A weight that is small enough with all votes, and not with the others' alone.
	w, err = difficulty.EstimateFrom(ms, nil, difficulty.Function{})
	if err != nil {
		t.Fatal(err)
	}
	steep := difficulty.Options{Smoothing: difficulty.Power, Exponent: 100, Baseline: .5}
	newScorer(t, base, w, steep)
	steep.LeaveOneOut = true
	var at *mteval.SegmentError
	if _, err := difficulty.New(base, w, steep); !errors.As(err, &at) || at.Segment != 0 {
		t.Errorf("a weight too large: error %v", err)
	}
	// What is defined for equation 2 only.
	f := difficulty.Function{Name: "median", Of: median}
	if w, err = difficulty.EstimateFrom(ms, nil, f); err != nil {
		t.Fatal(err)
	}
	for _, o := range []difficulty.Options{o, difficulty.Released(), {Baseline: .3}} {
		if _, err := difficulty.New(base, w, o); err == nil {
			t.Errorf("%+v takes another function", o)
		}
		if _, err := difficulty.NewField(base, ms, o, f); err == nil {
			t.Errorf("a field with %+v takes another function", o)
		}
	}
}
