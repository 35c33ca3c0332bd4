package selection_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/selection"
)

func TestChoose(t *testing.T) {
	// Documents: x has segments 1 and 4 and a mean of 2.5, y 2 and 3 and one of 2, z 5 and one of 2.
	u := []float64{1, 3, 1, 4, 2}
	documents := []string{"x", "y", "y", "x", "z"}
	for _, c := range []struct {
		name string
		u    []float64
		o    selection.Options
		want []int
	}{
		{"no budget", u, selection.Options{}, []int{3, 1, 4, 0, 2}},
		{"segments", u, selection.Options{Segments: 2}, []int{3, 1}},
		{"more than there are", u, selection.Options{Segments: 9}, []int{3, 1, 4, 0, 2}},
		{"words, the second too long", u, selection.Options{Words: 10, Lengths: []int{4, 7, 1, 5, 1}}, []int{3, 4, 0}},
		{"words and segments", u, selection.Options{Words: 10, Segments: 2, Lengths: []int{4, 7, 1, 5, 1}}, []int{3, 4}},
		{"words beyond any number", u, selection.Options{Words: math.MaxInt, Lengths: []int{math.MaxInt, 1, 0, math.MaxInt - 1, 0}}, []int{3, 1, 4, 2}},
		{"documents", u, selection.Options{Segments: 3, Documents: documents}, []int{0, 3, 4}},
		{"documents by words", u, selection.Options{Words: 3, Lengths: []int{2, 1, 1, 2, 1}, Documents: documents}, []int{1, 2, 4}},
		// Their means are 1 and 2, their sums 3 and 2.
		{"documents of other sizes", []float64{1, 1, 1, 2}, selection.Options{Documents: []string{"x", "x", "x", "y"}}, []int{3, 0, 1, 2}},
		{"equal utilities", []float64{5, 5, 5}, selection.Options{Segments: 2}, []int{0, 1}},
		// A sixth of .2 six times is less than .2 in floating point; the mean of equal numbers is theirs.
		{"equal documents", []float64{.2, .2, .2, .2, .2, .2, .2}, selection.Options{Segments: 6, Documents: []string{"x", "x", "x", "y", "x", "x", "x"}}, []int{0, 1, 2, 4, 5, 6}},
		{"some are judged", u, selection.Options{Segments: 2, Skip: []bool{false, true, false, true, false}}, []int{4, 0}},
		// Of x the first is left, of mean 1, and of y the third.
		{"some of documents are judged", u, selection.Options{Segments: 2, Documents: documents, Skip: []bool{false, true, false, true, false}}, []int{4, 0}},
		{"all are judged", u, selection.Options{Skip: []bool{true, true, true, true, true}}, nil},
		{"no segments", nil, selection.Options{Segments: 2}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := selection.Choose(c.u, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChooseErrors(t *testing.T) {
	u := []float64{1, 2}
	for _, c := range []struct {
		u    []float64
		o    selection.Options
		want string
	}{
		{u, selection.Options{Segments: -1}, "negative"},
		{u, selection.Options{Words: -1}, "negative"},
		{u, selection.Options{Words: 3}, "needs the lengths"},
		{u, selection.Options{Words: 3, Lengths: []int{1}}, "1 lengths for 2 segments"},
		{u, selection.Options{Words: 3, Lengths: []int{1, -1}}, "segment 2 has -1 words"},
		{u, selection.Options{Documents: []string{"x"}}, "documents of 1 segments for 2"},
		{u, selection.Options{Skip: []bool{true}}, "1 segments to skip or not, of 2"},
		{[]float64{1, math.NaN()}, selection.Options{}, "segment 2"},
	} {
		if _, err := selection.Choose(c.u, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Choose(%v, %+v): %v, want one with %q", c.u, c.o, err, c.want)
		}
	}
}

// A larger choice begins with a smaller one.
func TestChoicesAreNested(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 20).Draw(t, "utilities")
		n := rapid.IntRange(1, len(u)).Draw(t, "segments")
		small, err := selection.Choose(u, selection.Options{Segments: n})
		if err != nil || len(small) != n {
			t.Fatal(small, err)
		}
		large, err := selection.Choose(u, selection.Options{Segments: n + 1})
		if err != nil || !slices.Equal(small, large[:n]) {
			t.Fatal(small, large, err)
		}
	})
}

// Whoever goes on where they stopped, with what was chosen left out, chooses what they would
// have chosen at once.
func TestGoingOnIsChoosingAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "segments")
		u := rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, "utilities")
		k := rapid.IntRange(1, n-1).Draw(t, "first")
		once, err := selection.Choose(u, selection.Options{})
		if err != nil {
			t.Fatal(err)
		}
		skip := make([]bool, n)
		for _, i := range once[:k] {
			skip[i] = true
		}
		rest, err := selection.Choose(u, selection.Options{Skip: skip})
		if err != nil || !slices.Equal(once[k:], rest) {
			t.Fatal(once, rest, err)
		}
	})
}

// The budget is kept, documents are whole, nothing is chosen twice, and nothing that is left
// would still fit.
func TestBudgetIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		u := rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, "utilities")
		o := selection.Options{
			Segments:  rapid.IntRange(1, 20).Draw(t, "segments"),
			Words:     rapid.IntRange(1, 60).Draw(t, "words"),
			Lengths:   rapid.SliceOfN(rapid.IntRange(0, 9), n, n).Draw(t, "lengths"),
			Documents: rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), n, n).Draw(t, "documents"),
		}
		chosen, err := selection.Choose(u, o)
		if err != nil {
			t.Fatal(err)
		}
		segments, words := make(map[string]int), make(map[string]int)
		for i, d := range o.Documents {
			segments[d]++
			words[d] += o.Lengths[i]
		}
		whole := make(map[string]int)
		spent, seen := 0, make(map[int]bool)
		for _, i := range chosen {
			if seen[i] {
				t.Fatalf("%d twice in %v", i, chosen)
			}
			seen[i] = true
			whole[o.Documents[i]]++
			spent += o.Lengths[i]
		}
		if len(chosen) > o.Segments || spent > o.Words {
			t.Fatalf("%v: %d words", chosen, spent)
		}
		for d, n := range segments {
			if whole[d] != 0 && whole[d] != n {
				t.Fatalf("%d of the %d segments of %s", whole[d], n, d)
			}
			if whole[d] == 0 && len(chosen)+n <= o.Segments && spent+words[d] <= o.Words {
				t.Fatalf("%v lacks %s, which fits", chosen, d)
			}
		}
	})
}

func ExampleChoose() {
	// Of four segments, in two documents, the first two tell systems apart best.
	utilities := []float64{.9, .4, .1, .8}
	one, _ := selection.Choose(utilities, selection.Options{Segments: 2})
	whole, _ := selection.Choose(utilities, selection.Options{Segments: 2, Documents: []string{"news", "news", "chat", "chat"}})
	fmt.Println(one, whole)
	// Output: [0 3] [0 1]
}
