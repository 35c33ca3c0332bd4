package report

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func browse() *Page {
	return &Page{
		Title: "Systems & segments",
		Sections: []Section{
			{
				Title: "Plots",
				Lines: []Lines{{Title: "Agreement", X: "K", Y: "Kendall", Lines: []Line{
					{Name: "bleu", Points: []XY{{3, -.33}, {4, .2}, {5, .6}}}, {Name: nasty, Points: []XY{{3, 1}, {5, .6}}}, {Name: "constant"},
				}}},
				Histograms: []Histogram{{"Difficulty", "difficulty", 5, []Sample{
					{"all", []float64{0, .1, .19, .2, .45, .6, .8, 1}}, {nasty, []float64{.3, .5}},
				}}},
			},
			{
				Title: "Segments",
				SegmentLists: []SegmentList{{
					Title:  "Two segments",
					Keys:   []Key{{Name: "change"}, {Name: nasty}, {"place", true}},
					Header: []string{"system", "score", nasty},
					Segments: []Segment{
						{"Segment 7", []float64{3, .25, 7}, []Row{
							{"reference", []string{""}, []Token{{Text: "Das", Difficulty: .5, Match: 1, Note: "difficulty .5"}, {Before: " ", Text: "Haus", Difficulty: 1, Match: -2, Mark: Missed, Note: nasty}, {Text: " .", Plain: true}}, nil},
							{nasty, []string{"0.5"}, []Token{{Text: nasty, Difficulty: 7, Match: .5, Mark: Novel}}, []Token{{Text: "Haus", Match: .8, Mark: Missed}}},
						}},
						{nasty, []float64{1, 1e-7, 2}, nil},
					},
				}},
			},
		},
	}
}

func TestBrowserGolden(t *testing.T) {
	page, _ := write(t, browse())
	checkGolden(t, "browser.html", page)
}

// Names are text, wherever they stand, and nothing is fetched.
func TestBrowserScript(t *testing.T) {
	page, root := write(t, browse())
	for _, element := range []string{"th", "li", "summary", "button", "span"} {
		if !slices.ContainsFunc(root.all(element), func(n *node) bool { return strings.Contains(n.words(), shown) }) {
			t.Errorf("no %s says %q", element, shown)
		}
	}
	for _, s := range []string{"url(", "@import", "src=", "href=\"http"} {
		if bytes.Contains(page, []byte(s)) {
			t.Errorf("the page has %q", s)
		}
	}
}

func TestBrowserTokens(t *testing.T) {
	_, root := write(t, browse())
	var got [][]string
	for _, td := range root.all("td") {
		if td.attr["class"] != "text" {
			continue
		}
		for _, s := range td.all("span") {
			if s.attr["tabindex"] != "0" {
				t.Errorf("%q can't be reached with the keyboard", s.words())
			}
			got = append(got, []string{s.attr["class"], s.words(), s.attr["data-note"]})
		}
	}
	want := [][]string{
		{"t d5", "Das", "difficulty .5"}, {"t d9 m0 missed", "Haus", shown},
		{"t d9 m1 novel", shown, ""}, {"t d0 m2 missed", "Haus", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	var keys []string
	for _, li := range root.all("li") {
		if k, ok := li.attr["data-keys"]; ok {
			keys = append(keys, k)
		}
	}
	if diff := cmp.Diff([]string{"3 0.25 7", "1 1e-07 2"}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	texts := slices.DeleteFunc(root.all("td"), func(n *node) bool { return n.attr["class"] != "text" })
	if text := texts[0].words(); text != "Das Haus ." {
		t.Errorf("the text is %q", text)
	}
}

func TestBrowserErrors(t *testing.T) {
	browser := func(s Segment) Section {
		return Section{Title: "s", SegmentLists: []SegmentList{{Title: "b", Keys: []Key{{Name: "k"}}, Header: []string{"name", "text"}, Segments: []Segment{s}}}}
	}
	row := func(tokens ...Token) Segment {
		return Segment{Title: "x", Keys: []float64{1}, Rows: []Row{{Name: "r", Missed: tokens}}}
	}
	for _, tt := range []struct {
		s    Section
		want string
	}{
		{browser(Segment{Title: "x"}), `"b": "x": 0 values for 1 keys`},
		{browser(Segment{Title: "x", Keys: []float64{math.NaN()}}), `a key of "x" is NaN`},
		{browser(Segment{Title: "x", Keys: []float64{1}, Rows: []Row{{Name: "r", Cells: []string{"1"}}}}), "1 cells of r, the header has 2"},
		{browser(row(Token{Text: "t", Match: math.NaN()})), `"x": a number of "t" is NaN`},
		{browser(row(Token{Text: "t", Difficulty: math.Inf(1)})), `"x": a number of "t" is +Inf`},
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
