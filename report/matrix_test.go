package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func matrices() *Page {
	nan := math.NaN()
	return &Page{Title: "Systems", Sections: []Section{{
		Title: "Pairs",
		Matrices: []Matrix{
			{"Who is better", []string{"aspen", nasty, "日本語"}, [][]float64{{nan, .504, .9951}, {.496, nan, .75}, {.0049, .25, nan}}},
			{nasty, []string{"alone"}, [][]float64{{nan}}},
		},
	}}}
}

func TestMatrixGolden(t *testing.T) {
	page, _ := write(t, matrices())
	checkGolden(t, "matrix.html", page)
}

// The numbers are in the cells, in the order of the names, and each table has what a reader
// needs who does not see it.
func TestMatrix(t *testing.T) {
	page, root := write(t, matrices())
	if bytes.Contains(page, []byte("<script")) || len(root.all("script")) > 0 {
		t.Error("a name became a script")
	}
	tables := root.all("table")
	if len(tables) != 2 {
		t.Fatalf("%d tables", len(tables))
	}
	var got [][]string
	for _, tr := range tables[0].all("tr") {
		var row []string
		for _, cell := range tr.children {
			row = append(row, cell.words())
		}
		got = append(got, row)
	}
	want := [][]string{
		{"", "aspen", shown, "日本語"},
		{"aspen", "–", "50", ">99"},
		{shown, "50", "–", "75"},
		{"日本語", "<1", "25", "–"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for i, table := range tables {
		label := table.attr["aria-labelledby"]
		captions := slices.DeleteFunc(root.all("p"), func(p *node) bool { return p.attr["id"] != label })
		regions := slices.DeleteFunc(root.all("div"), func(d *node) bool { return d.attr["role"] != "group" })
		if len(captions) != 1 || captions[0].words() == "" || len(regions) != 2 || regions[i].attr["aria-labelledby"] != label || regions[i].attr["tabindex"] != "0" {
			t.Errorf("table %d can't be named or reached", i+1)
		}
		for _, th := range table.all("th") {
			if th.attr["scope"] == "" {
				t.Errorf("%q does not say of what it is the header", th.words())
			}
		}
	}
	if page, _ := write(t, example()); bytes.Contains(page, []byte("matrix")) {
		t.Error("a page without a matrix has its style")
	}
	// The legend has a shade a class.
	var legend []string
	for _, li := range root.all("ul")[0].all("li") {
		legend = append(legend, li.attr["class"]+" "+li.words())
	}
	if d := cmp.Diff([]string{"below5 0–10", "below4 10–20", "below3 20–30", "below2 30–40", "below1 40–49", "even 50", "above1 51–60", "above2 60–70", "above3 70–80", "above4 80–90", "above5 90–100"}, legend); d != "" {
		t.Errorf("legend (-want +got):\n%s", d)
	}
}

func TestMatrixErrors(t *testing.T) {
	two := []string{"a", "b"}
	for _, tt := range []struct {
		m    Matrix
		want string
	}{
		{Matrix{}, `"": nothing to draw`},
		{Matrix{Caption: "c", Names: two}, `"c": 0 rows for 2 names`},
		{Matrix{Names: two, Values: [][]float64{{0, 0}, {0}}}, "1 values in row 2, for 2 names"},
		{Matrix{Names: two, Values: [][]float64{{0, math.NaN()}, {0, 0}}}, "the value of a and b is NaN, want 0 to 1"},
		{Matrix{Names: two, Values: [][]float64{{0, 1}, {-.1, 0}}}, "the value of b and a is -0.1"},
		{Matrix{Names: two, Values: [][]float64{{0, 1.1}, {0, 0}}}, "the value of a and b is 1.1"},
		{Matrix{Names: two, Values: [][]float64{{0, math.Inf(1)}, {0, 0}}}, "the value of a and b is +Inf"},
	} {
		var b bytes.Buffer
		if err := (&Page{Sections: []Section{{Matrices: []Matrix{tt.m}}}}).Write(&b); err == nil || !strings.Contains(err.Error(), tt.want) || b.Len() > 0 {
			t.Errorf("%v after %d bytes, want %q", err, b.Len(), tt.want)
		}
	}
}

// The cells of many names are small.
func TestMatrixOfMany(t *testing.T) {
	for n, want := range map[int]string{19: "matrix", 20: "matrix small", 30: "matrix small", 31: "matrix small", 100: "matrix small"} {
		m := Matrix{Caption: "many"}
		for r := range n {
			m.Names = append(m.Names, fmt.Sprint("system", r))
			m.Values = append(m.Values, make([]float64, n))
		}
		_, root := write(t, &Page{Sections: []Section{{Matrices: []Matrix{m}}}})
		table := root.all("table")[0]
		scrolls := slices.DeleteFunc(root.all("div"), func(d *node) bool { return d.attr["role"] != "group" })
		if all := scrolls[0].attr["class"] == "scroll all"; all != (n <= 30) {
			t.Errorf("%d names: all shown: %v", n, all)
		}
		if table.attr["class"] != want || len(table.all("td")) != n*n+1 {
			t.Errorf("%d names: class %q, %d cells", n, table.attr["class"], len(table.all("td")))
		}
	}
}

// A share and what is left of 1 are shaded alike, on different sides.
func TestHalves(t *testing.T) {
	for x, want := range map[float64]string{.5: "even", .504: "even", .51: "above1", .65: "above2", .99: "above5", 1: "above5", .49: "below1", .25: "below3", 0: "below5"} {
		if got := halves(x); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		// Of 256ths both sides are exact.
		x := float64(rapid.IntRange(0, 256).Draw(t, "x")) / 256
		a, b := halves(x), halves(1-x)
		if strings.Replace(a, "above", "below", 1) != strings.Replace(b, "above", "below", 1) || a == b && a != "even" {
			t.Fatalf("%v: %s and %s", x, a, b)
		}
	})
}
