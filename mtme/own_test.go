package mtme

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// own opens the tree in testdata, whose texts, scores and ratings scripts/record_mtme.py made up.
func own(t testing.TB) *Set {
	t.Helper()
	tree, err := Open("testdata/tree")
	if err != nil {
		t.Fatal(err)
	}
	set, err := tree.Set("wmt23")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func ownPair(t testing.TB, lp string) *Pair {
	t.Helper()
	p, err := own(t).Load(t.Context(), lp)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ownValues is testdata/mtme.json, which that script recorded with SciPy and NumPy.
type ownValues struct {
	golden
	Documents map[string][2]float64 // "SYSTEM DOCUMENT", people's and chrF's
	Ratings   map[string]struct {
		Mean       float64
		Rated      int
		ErrorFree  int `json:"error_free"`
		Severities map[string]int
	}
}

func readOwn(t *testing.T) ownValues {
	t.Helper()
	data, err := os.ReadFile("testdata/mtme.json")
	if err != nil {
		t.Fatal(err)
	}
	var v ownValues
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOwnTree(t *testing.T) {
	checkSets(t, own(t), readOwn(t).golden, false)
}

func TestDocumentMeans(t *testing.T) {
	p, want := ownPair(t, "en-de"), readOwn(t).Documents
	if len(want) == 0 {
		t.Fatal("nothing recorded")
	}
	human, err := p.Human(t.Context(), "da-sqm", Segment)
	if err != nil {
		t.Fatal(err)
	}
	metric, err := p.Metric(t.Context(), MetricFile{"chrF", "refA", Segment})
	if err != nil {
		t.Fatal(err)
	}
	metric = selected(t, metric, human.Systems, human.Items)
	h, err := human.GroupMeans(p.Documents, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := metric.GroupMeans(p.Documents, human)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for k, system := range h.Systems {
		for i, document := range h.Items {
			if w, ok := want[system+" "+document]; ok {
				n++
				if math.Abs(h.At(k, i)-w[0]) > 1e-12 || math.Abs(m.At(k, i)-w[1]) > 1e-12 {
					t.Errorf("%s %s: %v and %v, want %v", system, document, h.At(k, i), m.At(k, i), w)
				}
			}
		}
	}
	if n != len(want) {
		t.Errorf("%d of %d documents", n, len(want))
	}
}

// An output in which one rater of several marked an error is not without error, whoever comes last.
func TestErrorFree(t *testing.T) {
	one := []Error{{Severity: "minor", Score: 1}}
	got, err := tiny().SummarizeRatings([]Rating{
		{System: "a", Rater: "r", Rated: true, Errors: one}, {System: "a", Rater: "s", Rated: true},
		{System: "a", Segment: 1, Rater: "r", Rated: true}, {System: "a", Segment: 1, Rater: "s", Rated: true},
		{System: "b", Rater: "r", Rated: true}, {System: "b", Rater: "s", Rated: true, Errors: one}, {System: "b", Segment: 1, Rater: "r"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []RatingSummary{{"a", 2, 1, map[string]int{"minor": 1}}, {"b", 1, 0, map[string]int{"minor": 1}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Two files of ratings together, in one of which two raters judged Alpha.
func TestRatingsOfSeveralRaters(t *testing.T) {
	p, want := ownPair(t, "en-de"), readOwn(t).Ratings
	var all []Rating
	for _, name := range []string{"mqm.merged", "mqm.second"} {
		r, err := p.ReadRatings(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r...)
	}
	scores, err := p.RatingScores(all, nil)
	if err != nil {
		t.Fatal(err)
	}
	summaries, err := p.SummarizeRatings(all)
	if err != nil {
		t.Fatal(err)
	}
	for k, mean := range scores.SystemMeans() {
		w, s := want[scores.Systems[k]], summaries[k]
		if w.Rated == 0 {
			if !math.IsNaN(mean) || s.Rated != 0 {
				t.Errorf("%s: %v, %+v, want none", scores.Systems[k], mean, s)
			}
			continue
		}
		if w.Severities == nil {
			w.Severities = map[string]int{}
		}
		if math.Abs(mean-w.Mean) > 1e-12 || s.System != scores.Systems[k] || s.Rated != w.Rated || s.ErrorFree != w.ErrorFree || !cmp.Equal(s.Errors, w.Severities) {
			t.Errorf("%s: %v, %+v, want %+v", scores.Systems[k], mean, s, w)
		}
	}
	if !slices.ContainsFunc(all, func(r Rating) bool { return r.Rater == "mqm.merged" }) {
		t.Error("a rater who is not named has not the name of the ratings")
	}
	if _, err := p.RatingScores(append(all, all[0]), nil); err == nil {
		t.Error("no error for two ratings by one rater")
	}
}
