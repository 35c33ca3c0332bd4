package human

import (
	"errors"
	"math"
	"slices"
	"testing"

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

// randomPairs are pairs of four systems on two items.
func randomPairs(t *rapid.T) *Pairs {
	p := &Pairs{Systems: []string{"a", "b", "c", "d"}, Items: []string{"1", "2"}}
	for range rapid.IntRange(0, 25).Draw(t, "n") {
		a := rapid.IntRange(0, 3).Draw(t, "a")
		b := (a + rapid.IntRange(1, 3).Draw(t, "b")) % 4
		p.Pairs = append(p.Pairs, metaeval.Pair{
			Item: rapid.IntRange(0, 1).Draw(t, "item"), A: a, B: b,
			Human: int8(rapid.IntRange(-1, 1).Draw(t, "human")),
		})
		p.Judges = append(p.Judges, rapid.SampledFrom([]string{"ann", "bob", "eve"}).Draw(t, "judge"))
	}
	return p
}
