package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlotNumbers(t *testing.T) {
	_, root := write(t, &Page{Sections: []Section{{
		Title: "Plots",
		Lines: []Lines{{Title: "Agreement", X: "K", Y: "Kendall", Lines: []Line{
			{Name: "bleu", Points: []XY{{3, -.33}, {4, .2}, {5, .6}}}, {Name: nasty, Points: []XY{{3, 1}, {5, .6}}}, {Name: "constant"},
		}}},
		Histograms: []Histogram{{"Difficulty", "difficulty", 5, []Sample{
			{"all", []float64{0, .1, .19, .2, .45, .6, .8, 1}}, {nasty, []float64{.3, .5}},
		}}},
	}}})
	var got [][]string
	for _, f := range root.all("figure") {
		for _, r := range f.all("tr") {
			var row []string
			for _, c := range r.children {
				row = append(row, c.words())
			}
			got = append(got, row)
		}
	}
	want := [][]string{
		{"K", "bleu", shown, "constant"}, {"3", "-0.33", "1", ""}, {"4", "0.2", "", ""}, {"5", "0.6", "0.6", ""},
		{"difficulty from", "to", "all", shown},
		{"0", "0.2", "3", "0"}, {"0.2", "0.4", "1", "1"}, {"0.4", "0.6", "1", "1"}, {"0.6", "0.8", "1", "0"}, {"0.8", "1", "2", "0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlotErrors(t *testing.T) {
	for _, tt := range []struct {
		s    Section
		want string
	}{
		{Section{Lines: []Lines{{Title: "l", Lines: []Line{{Name: "n"}}}}}, `"l": nothing to draw`},
		{Section{Lines: []Lines{{Lines: []Line{{Name: "n", Points: []XY{{1, math.NaN()}}}}}}}, "a number of n is NaN"},
		{Section{Histograms: []Histogram{{Title: "h", Samples: []Sample{{Name: "n"}}}}}, `"h": nothing to draw`},
		{Section{Histograms: []Histogram{{Samples: []Sample{{"n", []float64{math.NaN()}}}}}}, "a value of n is NaN"},
	} {
		var b bytes.Buffer
		if err := (&Page{Sections: []Section{tt.s}}).Write(&b); err == nil || !strings.Contains(err.Error(), tt.want) || b.Len() > 0 {
			t.Errorf("%v after %d bytes, want %q", err, b.Len(), tt.want)
		}
	}
}
