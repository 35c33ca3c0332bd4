package mtme

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/metaeval"
)

func TestWriteMetric(t *testing.T) {
	dir := write(t, small())
	p, err := everything(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	for level, items := range map[Level][]string{Segment: {"1", "2"}, System: {""}, Domain: {"news", "speech"}} {
		s := metaeval.NewScores([]string{"b", "a"}, items)
		for i := range s.Values {
			s.Values[i] = float64(i+1) / 3
		}
		f := MetricFile{"My-Metric", NoReference, level}
		if err := p.WriteMetric(t.Context(), f, s); err == nil || !strings.Contains(err.Error(), "no scores of system refA") {
			t.Errorf("%s: %v", level, err)
		}
		f.Reference = "refA"
		s.Values[0] = math.NaN()
		if err := p.WriteMetric(t.Context(), f, s); err == nil || !strings.Contains(err.Error(), "no score of system b on item") {
			t.Errorf("%s: %v", level, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "metric-scores", "en-de", f.file())); err == nil {
			t.Errorf("%s: a file of scores that are refused", f.file())
		}
		s.Values[0] = 1e-7
		if err := p.WriteMetric(t.Context(), f, s); err != nil {
			t.Fatal(err)
		}
		again, err := everything(t, dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Metric(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := s.Select([]string{"a", "b"}, items)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", level, diff)
		}
	}
}

// A file that was written is listed as it would be by reading the tree again, where one with a
// reference that its name can't tell is refused: a tree with it could not be read.
func TestWriteMetricListed(t *testing.T) {
	files := small()
	files["references/en-de.ref-B.txt"] = files["references/en-de.refA.txt"]
	dir := write(t, files)
	p, err := everything(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &metaeval.Scores{Systems: []string{"a", "b", "refA"}, Items: []string{""}, Values: []float64{1, 2, 3}}
	if err := p.WriteMetric(t.Context(), MetricFile{"L", "ref-B", System}, s); err == nil || !strings.Contains(err.Error(), `no reference can be called "ref-B"`) {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{"Z", "A"} {
		if err := p.WriteMetric(t.Context(), MetricFile{name, NoReference, System}, s); err != nil {
			t.Fatal(err)
		}
	}
	again, err := everything(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(again.MetricScores, p.MetricScores); diff != "" {
		t.Errorf("(-read +listed):\n%s", diff)
	}
}

// Ratings of WMT23 give the scores that were published with them.
func TestGoldenRatings(t *testing.T) {
	set, err := sharedTree(t).Set("wmt23")
	if err != nil {
		t.Fatal(err)
	}
	p, err := set.Load(t.Context(), "en-de")
	if err != nil {
		t.Fatal(err)
	}
	ratings, err := p.ReadRatings(t.Context(), "mqm.merged")
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Human(t.Context(), "mqm", Segment)
	if err != nil {
		t.Fatal(err)
	}
	for name, weight := range map[string]func(Error) (float64, error){"the file's": nil, "Google's": GoogleWeights} {
		all, err := p.RatingScores(ratings, weight)
		if err != nil {
			t.Fatal(err)
		}
		got, err := all.Select(want.Systems, want.Items)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for i, v := range want.Values {
			if !(math.Abs(got.Values[i]-v) <= 1e-9) && !(math.IsNaN(v) && math.IsNaN(got.Values[i])) {
				wrong++
			}
		}
		if wrong > 0 || got.Present() != 5980 {
			t.Errorf("%s weights: %d of %d scores differ", name, wrong, got.Present())
		}
	}
}
