package compare_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/compare"
)

// By hand. On all segments a has 22/5 and b 19/5, so a is first. News are segments 1, 3 and 4: a has 1, 3
// and 8, b has 2, 3 and 3, differences −1, 0 and 5, mean 4/3; their sum of squares is 26, variance
// (26 − 16/3)/2 = 31/3, t = 4/3/√(31/9) = 4/√31. Segment 5 has no label.
func TestBuckets(t *testing.T) {
	m := metric(map[string][]float64{"b": {2, 4, 3, 3, 7}, "a": {1, 6, 3, 8, 4}})
	g := compare.Grouping{Name: "domain", Labels: map[string]string{"1": "news", "2": "chat", "3": "news", "4": "news", "9": "mail"}}
	got, err := compare.Buckets(t.Context(), m, g, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []compare.Bucket{
		{Label: "chat", Segments: 1, Means: []float64{6, 4}, Pairs: []compare.BucketPair{
			{B: 1, Difference: 2, P: 1, SegmentCounts: compare.SegmentCounts{Wins: 1}},
		}},
		{Label: "news", Segments: 3, Means: []float64{4, 8. / 3}, Pairs: []compare.BucketPair{
			// Student's t with 2 degrees of freedom has P = 1 − t/√(2 + t²).
			{B: 1, Difference: 4. / 3, T: 4 / math.Sqrt(31), P: 1 - math.Sqrt(16./31/(2+16./31)), SegmentCounts: compare.SegmentCounts{Wins: 1, Ties: 1, Losses: 1}},
		}},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	g.Order = []string{"news", "none"}
	if got, err = compare.Buckets(t.Context(), m, g, 0); err != nil || got[0].Label != "news" || got[1].Label != "chat" || len(got) != 2 {
		t.Errorf("in an order of mine: %v, %v", got, err)
	}
	g.Labels = map[string]string{"seg1": "news"}
	if _, err = compare.Buckets(t.Context(), m, g, 0); err == nil || !strings.Contains(err.Error(), `as "1"`) {
		t.Errorf("labels of other segments: %v", err)
	}
}

func TestTexts(t *testing.T) {
	texts := []string{"a rose is a rose", "is it", "", " a\u3000b "}
	if diff := cmp.Diff([]float64{5, 2, 0, 2}, compare.Words(texts)); diff != "" {
		t.Errorf("words:\n%s", diff)
	}
	// In the texts: a 3, rose 2, is 2, it 1, b 1.
	if diff := cmp.Diff([]float64{2, 1, math.NaN(), 1}, compare.RarestWords(texts, texts), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("rarest words:\n%s", diff)
	}
	if diff := cmp.Diff([]float64{0, 0, math.NaN(), 0}, compare.RarestWords(texts, []string{"a is"}), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("rarest words of a corpus:\n%s", diff)
	}
	got, err := compare.MeanWords([][]string{{"a b", "c"}, {"a", "c d e f"}})
	if diff := cmp.Diff([]float64{1.5, 2.5}, got); diff != "" || err != nil {
		t.Errorf("outputs: %v\n%s", err, diff)
	}
	for _, bad := range [][][]string{nil, {{"a"}, {}}} {
		if _, err := compare.MeanWords(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestRanges(t *testing.T) {
	items := []string{"1", "2", "3", "4", "5"}
	got, err := compare.Ranges("length", items, []float64{9, 10, 19.5, 20, math.NaN()}, []float64{10, 20})
	if err != nil {
		t.Fatal(err)
	}
	want := compare.Grouping{
		Name:   "length",
		Labels: map[string]string{"1": "<10", "2": "[10,20)", "3": "[10,20)", "4": ">=20"},
		Order:  []string{"<10", "[10,20)", ">=20"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, cuts := range [][]float64{{2, 1}, {1, 1}, {math.NaN()}, {math.Inf(1)}} {
		if _, err := compare.Ranges("length", items, make([]float64, 5), cuts); err == nil {
			t.Errorf("no error for cuts %v", cuts)
		}
	}
	if _, err := compare.Ranges("length", items, nil, nil); err == nil {
		t.Error("no error for fewer numbers than segments")
	}
}

// By hand: differences 1, 2, 0, −1, mean 1/2. Without segment 2 there are 1, 0 and −1: nothing is left.
func TestDecide(t *testing.T) {
	m := metric(map[string][]float64{"a": {1, 6, 3, 2, math.NaN()}, "b": {0, 4, 3, 3, 1}})
	got, err := compare.Decide(m, "b", "a")
	if err != nil {
		t.Fatal(err)
	}
	want := &compare.Decision{A: "a", B: "b", Difference: .5, Needed: 1, Segments: []compare.Decided{
		{"2", 6, 4, 2}, {"1", 1, 0, 1}, {"4", 2, 3, -1}, {"3", 3, 3, 0},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// As errors the scores speak for b, from whose side −1 comes up to 1, and so on.
	m.LowerIsBetter = true
	got, err = compare.Decide(m, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	want = &compare.Decision{A: "b", B: "a", Difference: .5, Needed: 1, Segments: []compare.Decided{
		{"2", 4, 6, 2}, {"1", 0, 1, 1}, {"4", 3, 2, -1}, {"3", 3, 3, 0},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	for _, names := range [][2]string{{"a", "a"}, {"a", "c"}} {
		if _, err := compare.Decide(m, names[0], names[1]); err == nil {
			t.Errorf("no error for %v", names)
		}
	}
	// Equal means: the order of the names given, nothing needed.
	if got, err := compare.Decide(metric(map[string][]float64{"a": {1, 2}, "b": {2, 1}}), "b", "a"); err != nil || got.A != "b" || got.Needed != 0 {
		t.Errorf("equal: %+v, %v", got, err)
	}
	// All segments speak for a.
	if got, err := compare.Decide(metric(map[string][]float64{"a": {2, 2, 2}, "b": {1, 1, 1}}), "a", "b"); err != nil || got.Needed != 3 {
		t.Errorf("all for one: %+v, %v", got, err)
	}
}
