package report

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/race"
)

// A shape is where something is drawn.
type shape struct {
	what string
	rectangle
}

// absolute are the parts of a path whose coordinates are the drawing's.
var absolute = regexp.MustCompile(`M[^mMz]*`)

func coordinate(t rapid.TB, n *node, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(n.attr[name], 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// said is the text of a label, without its title.
func said(n *node) string {
	s := ""
	for _, c := range n.children {
		s += c.text
	}
	return s
}

func textShape(t rapid.TB, n *node) shape {
	t.Helper()
	_, box := labelAt(coordinate(t, n, "x"), coordinate(t, n, "y"), n.attr["text-anchor"], said(n))
	const rounding = .2
	return shape{said(n), rectangle{box.left + rounding, box.top + rounding, box.right - rounding, box.bottom - rounding}}
}

// drawn are the places of all that an image has.
func drawn(t rapid.TB, svg *node) []shape {
	t.Helper()
	var out []shape
	for _, n := range svg.all("path") {
		for _, part := range absolute.FindAllString(n.attr["d"], -1) {
			numbers := strings.Fields(strings.NewReplacer("M", " ", "L", " ").Replace(part))
			for i := 0; i+1 < len(numbers); i += 2 {
				x, errX := strconv.ParseFloat(numbers[i], 64)
				y, errY := strconv.ParseFloat(numbers[i+1], 64)
				if errX != nil || errY != nil {
					t.Fatalf("%s: %v, %v", part, errX, errY)
				}
				out = append(out, shape{n.attr["class"], rectangle{x, y, x, y}})
			}
		}
	}
	for _, n := range svg.all("rect") {
		x, y := coordinate(t, n, "x"), coordinate(t, n, "y")
		out = append(out, shape{n.attr["class"], rectangle{x, y, x + coordinate(t, n, "width"), y + coordinate(t, n, "height")}})
	}
	for _, n := range svg.all("text") {
		out = append(out, textShape(t, n))
	}
	return out
}

func checkInside(t rapid.TB, svg *node) {
	t.Helper()
	whole := rectangle{-.1, -.1, coordinate(t, svg, "width") + .1, coordinate(t, svg, "height") + .1}
	for _, s := range drawn(t, svg) {
		if !whole.holds(s.rectangle) { // NaN too
			t.Fatalf("%s is at %v, the drawing is %v", s.what, s.rectangle, whole)
		}
	}
}

// checkApart looks at texts of the classes, or of none.
func checkApart(t rapid.TB, svg *node, classes ...string) {
	t.Helper()
	var seen []shape
	for _, n := range svg.all("text") {
		if !slices.Contains(classes, n.attr["class"]) {
			continue
		}
		s := textShape(t, n)
		for _, other := range seen {
			if s.meets(other.rectangle) {
				t.Fatalf("%q lies over %q", s.what, other.what)
			}
		}
		seen = append(seen, s)
	}
}

// plots are all drawings of a plot that stands alone on a page: those of each figure.
func plots(t rapid.TB, s Section) []*node {
	t.Helper()
	var page bytes.Buffer
	if err := (&Page{Sections: []Section{s}}).Write(&page); err != nil {
		t.Fatal(err)
	}
	root, err := parse(page.Bytes())
	if err != nil {
		t.Fatalf("%v in\n%s", err, page.String())
	}
	var out []*node
	for _, d := range root.all("div") {
		if class := d.attr["class"]; strings.HasPrefix(class, "plot ") {
			out = append(out, d)
		}
	}
	return out
}

// The tables beside plots hold the numbers that are drawn.
func TestNumbers(t *testing.T) {
	_, root := write(t, example())
	var got [][]string
	for _, f := range root.all("figure")[1:] { // behind the answer's
		for _, r := range f.all("tr") {
			var row []string
			for _, c := range r.children {
				row = append(row, c.words())
			}
			got = append(got, row)
		}
	}
	want := [][]string{
		{"name", "Pearson, with its 95% interval", "from", "to"},
		{"chrF", "0.9512", "0.81", "0.99"}, {shown, "0.721", "-0.1", "0.95"}, {"no interval", "-0.25", "–", "–"},
		{"name", "place", "people's score", "chrF"},
		{"aspen", "1", "0.412", "58.1"}, {"birch", "2", "0.287", "60.2"}, {"cedar", "3", "0.105", "44"}, {shown, "4", "-0.214", "41.5"},
	}
	if diff := cmp.Diff(want, got[:len(want)]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// curves are a plot of lines, of which one has no points, and one of two samples.
func curves() Section {
	return Section{
		Title: "Plots",
		Lines: []Lines{{Title: "Kendall for the K best systems", X: "K", Y: "Kendall", Lines: []Line{
			{Name: "bleu", Points: []XY{{3, -.33}, {4, .2}, {5, .6}}}, {Name: nasty, Points: []XY{{3, 1}, {5, .6}}}, {Name: "constant"},
		}}},
		Histograms: []Histogram{{"Difficulty", "difficulty", 5, []Sample{
			{"all", []float64{0, .1, .19, .2, .45, .6, .8, 1}}, {nasty, []float64{.3, .5}},
		}}},
	}
}

func TestPlotsGolden(t *testing.T) {
	page, _ := write(t, &Page{Title: "Plots", Sections: []Section{curves()}})
	checkGolden(t, "plots.html", page)
}

func TestPlotNumbers(t *testing.T) {
	_, root := write(t, &Page{Sections: []Section{curves()}})
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
	for _, svg := range root.all("svg")[:len(frames)] {
		n := 0
		for _, s := range drawn(t, svg) {
			if strings.HasPrefix(s.what, "mark ") {
				n++
			}
		}
		below := slices.ContainsFunc(svg.all("text"), func(n *node) bool { return strings.HasPrefix(said(n), "2 ") })
		if n != 5 && !below || n != 5+1 && below { // one beside the name that stands below
			t.Errorf("%d marks of lines, a name below: %v", n, below)
		}
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

// Bars are as long as their values say, at all widths.
func TestBarLengths(t *testing.T) {
	for i, d := range plots(t, Section{Bars: example().Sections[0].Bars}) {
		bars := d.all("rect")
		if len(bars) != 3 {
			t.Fatalf("%d bars", len(bars))
		}
		x := func(n *node, name string) float64 { return coordinate(t, n, name) }
		per := x(bars[0], "width") / .9512
		for k, v := range []float64{.9512, .721, .25} {
			if math.Abs(x(bars[k], "width")-v*per) > .2 {
				t.Errorf("bar %d is %v wide, want %v", k, x(bars[k], "width"), v*per)
			}
		}
		if end := x(bars[2], "x") + x(bars[2], "width"); math.Abs(end-x(bars[0], "x")) > .2 {
			t.Errorf("a negative bar ends at %v, others begin at %v", end, x(bars[0], "x"))
		}
		if per < .3*frames[i].width {
			t.Errorf("bars of %s take %v of %v", frames[i].class, per, frames[i].width)
		}
	}
}

// Groups are told by lines and brackets, in words and in the table.
func TestBarGroups(t *testing.T) {
	b := Bars{Title: "Who is ahead", Axis: "chrF", Points: true, Bars: []Bar{
		{Name: "aspen", Value: 61.2, Interval: &Interval{60.9, 61.5}, Text: "61.2, by 92%", Group: 1},
		{Name: "birch", Value: 61, Group: 1},
		{Name: "cedar", Value: 58.25, Group: 2},
		{Name: "douglas", Value: 58},
	}}
	count := func(d *node, element, class string) (n int) {
		for _, e := range d.all(element) {
			if c := e.attr["class"]; c == class || strings.HasPrefix(c, class+" ") {
				n++
			}
		}
		return n
	}
	for i, d := range plots(t, Section{Bars: []Bars{b}}) {
		for class, want := range map[string]int{"rule": 2, "bracket": 2, "bracket c1": 1, "bracket c2": 1, "point": 4, "point c1": 2, "point c2": 1, "interval": 1} {
			if got := count(d, "path", class); got != want {
				t.Errorf("%s: %d of %s, want %d", frames[i].class, got, class, want)
			}
		}
		var texts []string
		for _, n := range d.all("text") {
			texts = append(texts, n.words())
		}
		want := []string{"group 1", "group 2"}
		if frames[i] == narrow {
			want = []string{"group", "1", "2"}
		}
		for _, s := range append(want, "aspen", "61.2, by 92%", "61.00", "58.25", "58.00", "chrF") {
			if !slices.Contains(texts, s) {
				t.Errorf("%s: %q is not among %q", frames[i].class, s, texts)
			}
		}
		if slices.Contains(texts, "0") || count(d, "rect", "bar") > 0 {
			t.Errorf("%s: points have an axis from 0, or bars", frames[i].class)
		}
		const words = "Points of chrF for 4: the highest is aspen with 61.2, the lowest douglas with 58. Group 1: aspen, birch. Group 2: cedar. No group: douglas."
		if got := d.all("desc")[0].words(); got != words {
			t.Errorf("%q, want %q", got, words)
		}
		checkInside(t, d.all("svg")[0])
	}
	table := b.numbers()
	want := Table{Header: []string{"name", "chrF", "from", "to", "label", "group"}, Rows: [][]string{
		{"aspen", "61.2", "60.9", "61.5", "61.2, by 92%", "1"}, {"birch", "61", "–", "–", "61", "1"},
		{"cedar", "58.25", "–", "–", "58.25", "2"}, {"douglas", "58", "–", "–", "58", "–"},
	}}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Values beside bars have the same decimals.
func TestBarTexts(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   []string
	}{
		{[]float64{.9512, .72, -.25}, []string{"0.9512", "0.7200", "-0.2500"}},
		{[]float64{61, 5.25}, []string{"61.00", "5.25"}},
		{[]float64{1234.5, 2}, []string{"1234", "2"}},
		{[]float64{12345, 2}, []string{"1.234e+04", "2"}},
		{[]float64{0}, []string{"0.000"}},
	} {
		var b Bars
		for _, v := range tt.values {
			b.Bars = append(b.Bars, Bar{Value: v})
		}
		if got := b.texts(); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.values, got, tt.want)
		}
	}
}

// Points lie in the order of their values, and every one is named in the plot, or has its number
// there and stands in the key, at all widths.
func TestScatterNames(t *testing.T) {
	scatters := example().Sections[1].Scatters
	all := plots(t, Section{Scatters: scatters})
	if len(all) != 2*len(frames) {
		t.Fatalf("%d drawings", len(all))
	}
	for i, d := range all {
		points := scatters[i/len(frames)].Points
		var at []rectangle
		for _, s := range drawn(t, d) {
			if s.what == "point" {
				at = append(at, s.rectangle)
			}
		}
		for k, p := range points {
			for j, q := range points {
				if p.X < q.X && at[k].left >= at[j].left || p.Y < q.Y && at[k].top <= at[j].top {
					t.Errorf("%v is at %v, %v at %v", p, at[k], q, at[j])
				}
			}
			name := clean(p.Name)
			named := slices.ContainsFunc(d.all("text"), func(n *node) bool { return n.words() == name })
			number := strconv.Itoa(k + 1)
			keyed := slices.ContainsFunc(d.all("li"), func(n *node) bool { return n.words() == number+" "+name }) &&
				slices.ContainsFunc(d.all("text"), func(n *node) bool { return n.words() == number })
			if named == keyed {
				t.Errorf("%s: named %v, in the key %v", p.Name, named, keyed)
			}
		}
		checkApart(t, d.all("svg")[0], "")
	}
}

// Of very many points there is no label to read.
func TestScatterMany(t *testing.T) {
	var c Scatter
	for i := range mostLabels + 1 {
		c.Points = append(c.Points, Point{fmt.Sprint("system ", i), float64(i % 17), float64(i % 19)})
	}
	for _, d := range plots(t, Section{Scatters: []Scatter{c}}) {
		if said := d.words(); strings.Contains(said, "system") || len(d.all("li")) > 0 {
			t.Errorf("labels of %d points: %s", len(c.Points), said)
		}
	}
}

// Whatever the names and finite numbers, the page is XML, and what is drawn lies in the
// drawing.
func TestAnyPage(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine, and long")
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64Range(-2, 2), rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), rapid.SampledFrom([]float64{0, 1, 1e16, 1e16 + 2, 5e-324, -1e300}))
		name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{nasty, "日本語のシステム", strings.Repeat("long ", 30)}))
		b := Bars{Points: rapid.Bool().Draw(t, "points")}
		var c Scatter
		b.Title, c.Title, c.X = name.Draw(t, "title"), name.Draw(t, "title"), name.Draw(t, "axis")
		b.Axis, c.Y = name.Draw(t, "axis"), name.Draw(t, "axis")
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			b.Bars = append(b.Bars, Bar{Name: name.Draw(t, "name"), Value: value.Draw(t, "value"), Interval: &Interval{value.Draw(t, "low"), value.Draw(t, "high")},
				Text: name.Draw(t, "text"), Group: rapid.OneOf(rapid.IntRange(0, 2), rapid.Int()).Draw(t, "group")})
			c.Points = append(c.Points, Point{name.Draw(t, "name"), value.Draw(t, "x"), value.Draw(t, "y")})
		}
		var l Lines
		var h Histogram
		for range rapid.IntRange(1, 30).Draw(t, "lines") {
			line, sample := Line{Name: name.Draw(t, "line")}, Sample{Name: name.Draw(t, "sample"), Values: []float64{value.Draw(t, "value")}}
			for range rapid.IntRange(0, 5).Draw(t, "points") {
				line.Points = append(line.Points, XY{value.Draw(t, "x"), value.Draw(t, "y")})
				sample.Values = append(sample.Values, value.Draw(t, "value"))
			}
			l.Lines, h.Samples = append(l.Lines, line), append(h.Samples, sample)
		}
		l.Lines[0].Points = append(l.Lines[0].Points, XY{value.Draw(t, "x"), value.Draw(t, "y")})
		h.Bins = rapid.IntRange(0, 50).Draw(t, "bins")
		bins, err := h.bins()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range h.Samples {
			sum := 0
			for _, n := range bins.count(s.Values) {
				sum += n
			}
			if sum != len(s.Values) || bins.n > 200 {
				t.Fatalf("%d of %d values in %d bins", sum, len(s.Values), bins.n)
			}
		}
		var page bytes.Buffer
		if err := (&Page{Sections: []Section{{Bars: []Bars{b}, Scatters: []Scatter{c}, Lines: []Lines{l}, Histograms: []Histogram{h}}}}).Write(&page); err != nil {
			t.Fatal(err)
		}
		root, err := parse(page.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, page.String())
		}
		svgs := root.all("svg")
		if len(svgs) != 4*len(frames) {
			t.Fatalf("%d drawings", len(svgs))
		}
		for _, svg := range svgs {
			checkInside(t, svg)
		}
	})
}

// The classes of the lines' names.
var lineClasses = []string{"guide", "main", "c1", "c2", "c3", "c4", "c5", "c6"}

// The names of lines lie in the drawing and not over each other, at all widths. A line has its
// name at the right, or its number, and number and name below.
func TestLinesNames(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine, and long")
	}
	rapid.Check(t, func(t *rapid.T) {
		l := Lines{X: "K", Y: "Kendall"}
		// Most ends are alike.
		value := rapid.OneOf(rapid.Float64Range(.7, .71), rapid.SampledFrom([]float64{0, .7, 1}))
		for i := range rapid.IntRange(1, 50).Draw(t, "lines") {
			line := Line{Name: fmt.Sprintf("%d %s", i, rapid.StringMatching(`[a-zA-Z-]{1,60}`).Draw(t, "name")), Main: i == 1, Guide: i == 2}
			for x := range rapid.IntRange(1, 4).Draw(t, "points") {
				line.Points = append(line.Points, XY{float64(x), value.Draw(t, "y")})
			}
			l.Lines = append(l.Lines, line)
		}
		for _, d := range plots(t, Section{Lines: []Lines{l}}) {
			svg := d.all("svg")[0]
			checkInside(t, svg)
			checkApart(t, svg, lineClasses...)
			for i, line := range l.Lines {
				count := func(text string) (n int) {
					for _, e := range svg.all("text") {
						whole := said(e)
						if title := e.all("title"); len(title) > 0 {
							whole = title[0].words()
						}
						if whole == text && e.attr["class"] != "" {
							n++
						}
					}
					return n
				}
				number := strconv.Itoa(i + 1)
				if named, numbered, below := count(line.Name), count(number), count(number+" "+line.Name); named+numbered != 1 || below != numbered {
					t.Fatalf("%s: named %d times, numbered %d, below %d", line.Name, named, numbered, below)
				}
			}
		}
		var image bytes.Buffer
		if err := l.WriteSVG(&image); err != nil {
			t.Fatal(err)
		}
		root, err := parse(image.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		svg := root.all("svg")[0]
		for _, side := range []string{"width", "height"} {
			svg.attr[side] = px(coordinate(t, svg, side) - 2*border)
		}
		svg.children = slices.DeleteFunc(svg.children, func(n *node) bool { return n.attr["class"] == "ground" })
		checkInside(t, svg)
		checkApart(t, svg, lineClasses...)
	})
}

// Names are moved as little as they have to be. By hand: lines are 15 apart.
func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		ends, want []float64
	}{
		{[]float64{50, 100}, []float64{50, 100}},
		{[]float64{100, 100}, []float64{92.5, 107.5}},
		{[]float64{110, 100, 105}, []float64{90, 105, 120}},
		{[]float64{10, 10}, []float64{10, 25}},              // at the top
		{[]float64{200, 190}, []float64{185, 200}},          // at the bottom
		{[]float64{10, 10, 37}, []float64{10, 25, 40}},      // pushed on
		{[]float64{100, 100, 112}, []float64{89, 104, 119}}, // 100, 85 and 82 are 89 on average
		{[]float64{60, 100, 101, 150}, []float64{60, 93, 108, 150}},
	} {
		var ends []end
		for _, y := range tt.ends {
			ends = append(ends, end{y: y})
		}
		spread(ends, 10, 200)
		for i, e := range ends {
			if e.at != tt.want[i] {
				t.Errorf("%v: name %d at %v, want %v", tt.ends, i+1, e.at, tt.want[i])
			}
		}
	}
}

// Twenty lines differ without their colours.
func TestSeries(t *testing.T) {
	seen := make(map[string]int)
	for i := range 20 {
		s := series(i)
		key := s.dash + shapes[s.shape%len(shapes)]
		if before, ok := seen[key]; ok {
			t.Errorf("lines %d and %d are alike", before, i)
		}
		seen[key] = i
	}
	l := Lines{Lines: []Line{{Name: "guide", Guide: true}, {Name: "a"}, {Name: "main", Main: true}, {Name: "b"}}}
	want := []string{"line guide", "line c1 dash0", "line main", "line c2 dash1"}
	for i, s := range l.styles() {
		if s.line() != want[i] {
			t.Errorf("%s is drawn as %q, want %q", l.Lines[i].Name, s.line(), want[i])
		}
	}
}

// A line of many points has one mark, as they would lie over each other.
func TestLinesMarks(t *testing.T) {
	var at []place
	for i := range 30 {
		at = append(at, place{float64(i), 0})
	}
	if n := strings.Count(marks(0, at, 300), "M"); n != 30 {
		t.Errorf("%d marks where there is room for 30", n)
	}
	if got := marks(0, at, 299); got != mark(0, at[29]) {
		t.Errorf("%s where there is room for 29", got)
	}
}

// Each sample is named once at each width: where it is higher than the others, or below.
func TestHistogramNames(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine, and long")
	}
	rapid.Check(t, func(t *rapid.T) {
		h := Histogram{X: "difficulty", Bins: rapid.IntRange(4, 40).Draw(t, "bins")}
		for i := range rapid.IntRange(1, 6).Draw(t, "samples") {
			name := fmt.Sprintf("%d %s", i, rapid.StringMatching(`[a-zA-Z -]{0,30}`).Draw(t, "name"))
			values := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 50).Draw(t, "values")
			h.Samples = append(h.Samples, Sample{Name: name, Values: values})
		}
		for _, d := range plots(t, Section{Histograms: []Histogram{h}}) {
			svg := d.all("svg")[0]
			checkInside(t, svg)
			checkApart(t, svg, lineClasses...)
			for _, s := range h.Samples {
				n := 0
				for _, text := range svg.all("text") {
					whole := said(text)
					if title := text.all("title"); len(title) > 0 {
						whole = title[0].words()
					}
					if whole == s.Name {
						n++
					}
				}
				if n != 1 {
					t.Fatalf("%q stands there %d times", s.Name, n)
				}
			}
		}
	})
}

// By hand: the first sample is alone at the left, the second at the right, and the third
// nowhere the highest.
func TestHistogramPlaces(t *testing.T) {
	h := Histogram{X: "x", Bins: 4, Samples: []Sample{
		{"low", []float64{0, .1, .1, .1, .1, .4}}, {"high", []float64{.9, .9, .9, .9, .9, 1}}, {"both", []float64{.1, .1, .4, .9, .9, .9}},
	}}
	for _, d := range plots(t, Section{Histograms: []Histogram{h}}) {
		axis := 0.0 // where it lies
		at := make(map[string]rectangle)
		for _, s := range drawn(t, d.all("svg")[0]) {
			if s.what == "axis" {
				axis = max(axis, s.top)
			}
			at[s.what] = s.rectangle
		}
		if !(at["low"].bottom < axis && at["high"].bottom < axis && at["low"].right < at["high"].left && at["both"].top > axis) {
			t.Errorf("low %v, high %v, both %v, the axis at %v", at["low"], at["high"], at["both"], axis)
		}
	}
}

// Labels of as many systems as WMT has, most of them alike, can all be read.
func TestLabels(t *testing.T) {
	points := []place{{90, 340}}
	names := []string{"the worst"}
	for i := range 24 {
		x := float64(i*i*37%97) / 97
		points = append(points, place{500 + 60*x, 60 - 30*x + float64(i%7)})
		names = append(names, fmt.Sprintf("system-%d.%d", i, 6000+i))
	}
	area := rectangle{70, 8, 632, 376}
	labels, leaders, numbered := placeLabels(points, names, area)
	if len(labels) != len(points) || len(numbered) == 0 || len(leaders) == 0 || len(leaders) > len(numbered) {
		t.Fatalf("%d labels, %d numbers, %d lines", len(labels), len(numbered), len(leaders))
	}
	at := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	var boxes []rectangle
	for _, l := range labels {
		_, box := labelAt(at(l.X), at(l.Y), l.Anchor, l.Text)
		const rounding = .2
		box = rectangle{box.left + rounding, box.top + rounding, box.right - rounding, box.bottom - rounding}
		for i, other := range boxes {
			if box.meets(other) {
				t.Errorf("%s lies over %s", l.Text, labels[i].Text)
			}
		}
		if !area.holds(box) {
			t.Errorf("%s lies outside", l.Text)
		}
		boxes = append(boxes, box)
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		low, high float64
		want      string
	}{
		{-.1, 1.05, "[0.0 0.2 0.4 0.6 0.8 1.0]"},
		{.5, .58, "[0.50 0.52 0.54 0.56 0.58]"},
		{41, 66, "[45 50 55 60 65]"},
		{-2000000, 1000000, "[-2000000 -1500000 -1000000 -500000 0 500000 1000000]"},
		{-3e9, 1e9, "[-3e+09 -2e+09 -1e+09 0 1e+09]"},
		{0, 3e-9, "[0 5e-10 1e-09 1.5e-09 2e-09 2.5e-09 3e-09]"},
	} {
		if _, got := (scale{low: tt.low, high: tt.high}).ticks(6); fmt.Sprint(got) != tt.want {
			t.Errorf("%v to %v: %v, want %v", tt.low, tt.high, got, tt.want)
		}
	}
}

// Ticks never lie over each other, however few there is room for.
func TestTicksFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e9, 1e9).Draw(t, "low")
		s := scale{low: low, high: low + rapid.Float64Range(1e-3, 1e9).Draw(t, "length"), to: rapid.Float64Range(60, 1000).Draw(t, "width")}
		values, texts := s.fitting()
		for i := 1; i < len(values); i++ {
			if (textWidth(texts[i-1])+textWidth(texts[i]))/2 > s.at(values[i])-s.at(values[i-1]) {
				t.Fatalf("%q at %v and %q at %v", texts[i-1], s.at(values[i-1]), texts[i], s.at(values[i]))
			}
		}
	})
}

// Text is never wider than it is taken for. How wide it is in DejaVu Sans 2.37 of 12 pixels, a wide
// font, was measured with FreeType.
func TestTextWidth(t *testing.T) {
	for s, want := range map[string]float64{
		"dogwood": 54.7, "wwwmmm": 64.5, "Microsoft-WMT19-document-level.6808": 235.4, "bertscore-lexical+da": 124.5,
		"MLLP-UPV.6651": 92.1, "PROMT_NMT_EN-DE.6674": 153.4, "ил-Щщ": 44.2, "Ωmega": 43.2, "iiil": 13.3, "100%": 34.3,
		"@@@": 36.0, "−0.25": 36.8,
	} {
		if got := textWidth(s); got < want || got > 1.7*want {
			t.Errorf("%q is taken to be %v wide, and is %v", s, got, want)
		}
	}
	for s, want := range map[string]float64{"dogwood": 61.6, "wwwmmm": 70.8, "Microsoft-WMT19-document-level.6808": 265.8, "100%": 37.1} {
		if got := textWidth(s) * boldWidth; got < want {
			t.Errorf("bold %q is taken to be %v wide, and is %v", s, got, want)
		}
	}
}

// By hand: capitals are 9.5 wide, but for I, M and W (5.5, 12 and 12), small letters and digits 8,
// but for those as narrow as l (5.5), and an ellipsis 12.
func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		text string
		most float64
		want string
	}{
		{"abcdefgh", 62, "abcdefgh"},
		{"abcdefgh", 61, "abc…fgh"}, // 24.5 for the end, and 27.5 for the beginning
		{"abcdefgh", 50, "ab…gh"},   // 19 and 22
		{"ab    xyz", 61, "ab…xyz"}, // without the space that there is room for
		{"abcdefgh", 12, "…"},
		{"abcdefgh", 0, "…"},
		{"日本語のシステム", 60, "日本…テム"}, // 12 each
		{"aaaaaaaae\u0301", 40, "aa…e\u0301"},
		{"aaaaaaaae\u0301", 27, "a…"}, // no accent without its letter
		{"Microsoft-WMT19-document-level.6808", 200, "Microsoft-WM…nt-level.6808"},
		{"Microsoft-WMT19-sentence-level.6785", 200, "Microsoft-W…ce-level.6785"},
	} {
		if got := shorten(tt.text, tt.most); got != tt.want {
			t.Errorf("%q in %v: %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, most := clean(rapid.String().Draw(t, "text")), rapid.Float64Range(12, 400).Draw(t, "width")
		if got := shorten(s, most); textWidth(got) > most {
			t.Fatalf("%q is %v wide", got, textWidth(got))
		}
	})
}

// Whatever the width of a plot's place on the page, one drawing fits: its text has 12 to 16
// pixels, and it fills most of the place.
func TestFrames(t *testing.T) {
	for i, f := range frames {
		class := regexp.QuoteMeta(".plot." + f.class)
		if f == narrow {
			class = `\.plot`
		}
		most := regexp.MustCompile(`(?m)^` + class + ` \{ max-width: (\d+)px; \}$`).FindStringSubmatch(plotsCSS)
		if most == nil {
			t.Fatalf("%s has no largest width", f.class)
		}
		width, err := strconv.ParseFloat(most[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		if size := 12 * width / f.width; size > 16.1 {
			t.Errorf("%s: text has up to %.1f pixels", f.class, size)
		}
		if f != narrow && !strings.Contains(plotsCSS, fmt.Sprintf("@container (min-width: %vpx) { .plot.%s { display: none; } .plot.%s { display: block; } }", f.width, frames[i+1].class, f.class)) {
			t.Errorf("%s is not shown from its width on", f.class)
		}
		if i > 0 && width < .9*frames[i-1].width {
			t.Errorf("%s leaves more than a tenth of %v empty", f.class, frames[i-1].width)
		}
	}
}

// An axis has more than one tick where there is room, as one does not say what the scale is.
func TestTicksFew(t *testing.T) {
	for _, tt := range []struct {
		low, high, wide float64
		want            string
	}{
		{20, 366, 143, "[100 200 300]"}, // 200 alone, if there was one in 45 pixels
		{2.92, 5.08, 100, "[3 4 5]"},
		{0, 10, 30, "[0 10]"},
	} {
		s := scale{low: tt.low, high: tt.high, to: tt.wide, whole: true}
		if _, got := s.fitting(); fmt.Sprint(got) != tt.want {
			t.Errorf("%v to %v on %v pixels: %v, want %v", tt.low, tt.high, tt.wide, got, tt.want)
		}
	}
}

func TestTitle(t *testing.T) {
	for _, tt := range []struct {
		text  string
		most  float64
		want  []string
		whole string
	}{
		{"two words", 100, []string{"two words"}, ""},
		{"two words", 60, []string{"two", "words"}, ""},
		{"three little words", 60, []string{"three", "little…"}, "three little words"},
		{"unbreakable", 60, []string{"unbreak", "able"}, ""},
		{"", 60, nil, ""},
	} {
		got := newTitle(tt.text, tt.most)
		if !slices.Equal(got.lines, tt.want) || got.whole != tt.whole {
			t.Errorf("%q in %v: %q, whole %q", tt.text, tt.most, got.lines, got.whole)
		}
	}
}
