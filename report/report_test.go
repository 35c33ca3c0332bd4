package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the pages to testdata")

// node is an element of a page, or a text.
type node struct {
	name     string
	attr     map[string]string
	text     string
	children []*node
}

// parse reads a page as XML, strictly.
func parse(page []byte) (*node, error) {
	d := xml.NewDecoder(bytes.NewReader(page))
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			n := &node{name: t.Name.Local, attr: make(map[string]string)}
			for _, a := range t.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			top.children = append(top.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.children = append(top.children, &node{text: string(t)})
		}
	}
}

// all returns the elements of a name, in order.
func (n *node) all(name string) []*node {
	var out []*node
	if n.name == name {
		out = append(out, n)
	}
	for _, c := range n.children {
		out = append(out, c.all(name)...)
	}
	return out
}

// words is the text of an element and what is in it.
func (n *node) words() string {
	s := n.text
	for _, c := range n.children {
		s += c.words()
	}
	return s
}

func write(t testing.TB, p *Page) ([]byte, *node) {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	root, err := parse(b.Bytes())
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	return b.Bytes(), root
}

const nasty = `</title><script>alert("x")</script>&amp;'` + "\x01\xff"

// what nasty says on the page.
const shown = `</title><script>alert("x")</script>&amp;'` + "\ufffd\ufffd"

func example() *Page {
	return &Page{
		Title: "Metrics & people",
		Answer: Answer{
			Text:    "chrF agrees best with people, " + nasty,
			Details: []string{"By a little."},
			Bars:    &Bars{Title: "Kendall", Axis: "Kendall", Bars: []Bar{{Name: "chrF", Value: .8}, {Name: nasty, Value: .6}}},
		},
		Notes: []string{"Three metrics, four systems.", nasty},
		Made:  []Made{{"chrF", "chrF|nc:6"}, {Text: nasty}, {nasty, nasty}},
		Sections: []Section{
			{
				Title:  "Agreement",
				Tables: []Table{{Caption: "Correlation with people", Header: []string{"metric", "Pearson", "Kendall"}, Rows: [][]string{{"chrF", "0.9512", "0.8000"}, {nasty, "0.7210", "0.6000"}, {"constant"}}, Foot: [][]string{{"mean", "0.8361", "0.7"}}, Bars: []int{1}}},
				Bars: []Bars{{Title: "Pearson's correlation", Axis: "Pearson, with its 95% interval", Bars: []Bar{
					{Name: "chrF", Value: .9512, Interval: &Interval{.81, .99}}, {Name: nasty, Value: .721, Interval: &Interval{-.1, .95}}, {Name: "no interval", Value: -.25},
				}}},
			},
			{
				Title: "Systems",
				Text:  []string{"A point is a system."},
				Scatters: []Scatter{
					{"chrF", "people's score", "chrF", []Point{{"aspen", .412, 58.1}, {"birch", .287, 60.2}, {"cedar", .105, 44}, {nasty, -.214, 41.5}}},
					{nasty, "x", "y", []Point{{"a system with a name that is long", 1, 1}, {"another one with a name as long", 1.001, 1.001}, {"the third of the long names here", 1, 1.001}, {"the fourth of the long names here", 1, 1}, {"far", 2, 3}}},
				},
			},
		},
	}
}

// A note about each of these is on the page, and nothing where there is none.
func TestParts(t *testing.T) {
	_, root := write(t, example())
	parts := make(map[string]*node)
	for _, s := range root.all("section") {
		parts[s.attr["id"]] = s
	}
	for id, want := range map[string][]string{
		"answer": {"chrF agrees best with people, " + shown, "By a little."},
		"notes":  {"Three metrics, four systems.", shown},
		"made":   {shown},
	} {
		var got []string
		for _, p := range parts[id].all("p") {
			if p.attr["class"] != "caption" {
				got = append(got, p.words())
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
	var made []string
	for _, part := range []string{"dt", "dd"} {
		for _, n := range parts["made"].all(part) {
			made = append(made, n.words())
		}
	}
	if diff := cmp.Diff([]string{"chrF", shown, "chrF|nc:6", shown}, made); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
	var links []string
	for _, a := range root.all("nav")[0].all("a") {
		links = append(links, a.attr["href"]+" "+a.words())
	}
	if diff := cmp.Diff([]string{"#part1 Agreement", "#part2 Systems", "#made How this was made"}, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	page, root := write(t, &Page{})
	for _, name := range []string{"section", "nav", "script", "h2", "table", "svg"} {
		if len(root.all(name)) > 0 {
			t.Errorf("an empty page has <%s>:\n%s", name, page)
		}
	}
}

// The policy names the scripts of the page, as HTML reads them, and no other; XML reads the
// same.
func TestScripts(t *testing.T) {
	page, root := write(t, example())
	policy := ""
	for _, m := range root.all("meta") {
		policy += m.attr["content"]
	}
	want := "default-src 'none'; style-src 'unsafe-inline'; script-src"
	parts := bytes.Split(page, []byte("<script>"))
	scripts := root.all("script")
	for i, part := range parts[1:] {
		text, _, _ := bytes.Cut(part, []byte("</script>"))
		sum := sha256.Sum256(text)
		want += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if xml := strings.NewReplacer("<![CDATA[", "", "]]>", "").Replace(string(text)); scripts[i].words() != xml {
			t.Errorf("XML reads another script than HTML: %q and %q", scripts[i].words(), text)
		}
	}
	if len(scripts) != 3 || len(parts) != 4 || !strings.Contains(policy, want) {
		t.Errorf("%d scripts, policy %s, want %s", len(scripts), policy, want)
	}
}

func TestGolden(t *testing.T) {
	page, _ := write(t, example())
	checkGolden(t, "page.html", page)
}

// asset is what a page has in its styles and scripts, and their hashes.
var asset = regexp.MustCompile(`(?s)<!\[CDATA\[.*?\]\]>|sha256-([^&']|&#43;)*`)

// checkGolden compares a page, but for its styles and scripts, with the file of testdata that
// holds it.
func checkGolden(t *testing.T, name string, page []byte) {
	t.Helper()
	page = asset.ReplaceAll(page, []byte("…"))
	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(page)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Names are text, wherever they stand.
func TestEscaped(t *testing.T) {
	page, root := write(t, example())
	if bytes.Contains(page, []byte("alert(\"x")) {
		t.Error("a name became a script")
	}
	for _, element := range []string{"th", "text", "title", "figcaption"} {
		if !slices.ContainsFunc(root.all(element), func(n *node) bool { return strings.Contains(n.words(), shown) }) {
			t.Errorf("no %s says %q", element, shown)
		}
	}
}

// Nothing is fetched.
func TestSelfContained(t *testing.T) {
	page, root := write(t, example())
	rest := strings.NewReplacer("http://www.w3.org/1999/xhtml", "", "http://www.w3.org/2000/svg", "").Replace(string(page))
	for _, s := range []string{"http:", "https:", "data:", `"//`, "url(", "@import", "src=", "fetch(", "XMLHttpRequest", "innerHTML", "eval("} {
		if strings.Contains(rest, s) {
			t.Errorf("the page has %q", s)
		}
	}
	for _, name := range []string{"link", "img", "iframe", "object", "base"} {
		if len(root.all(name)) > 0 {
			t.Errorf("the page has <%s>", name)
		}
	}
}

// What a page needs to be used without a mouse, and without eyes.
func TestAccessible(t *testing.T) {
	_, root := write(t, example())
	html := root.all("html")[0]
	if html.attr["lang"] != "en" || root.all("title")[0].words() != "Metrics & people" {
		t.Error("no language or title")
	}
	ids := make(map[string]*node)
	var walk func(n *node)
	walk = func(n *node) {
		if id, ok := n.attr["id"]; ok {
			if ids[id] != nil {
				t.Errorf("two elements are #%s", id)
			}
			ids[id] = n
		}
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(root)
	labelled := 0
	var check func(n *node)
	check = func(n *node) {
		for _, id := range strings.Fields(n.attr["aria-labelledby"]) {
			labelled++
			if ids[id] == nil || ids[id].words() == "" {
				t.Errorf("<%s> is labelled by #%s, which says nothing", n.name, id)
			}
		}
		if to, ok := n.attr["href"]; ok && ids[strings.TrimPrefix(to, "#")] == nil {
			t.Errorf("a link goes to %s", to)
		}
		for _, c := range n.children {
			check(c)
		}
	}
	check(root)
	if svgs := root.all("svg"); len(svgs) != 4*len(frames) || labelled == 0 {
		t.Errorf("%d plots, %d labels", len(svgs), labelled)
	}
	for _, s := range root.all("svg") {
		if said := s.all("desc"); s.attr["role"] != "img" || s.attr["aria-labelledby"] == "" || len(said) != 1 || s.attr["aria-describedby"] != said[0].attr["id"] {
			t.Error("a plot without title and description")
		}
	}
	for _, f := range root.all("figure") {
		if len(f.all("details")) != 1 || len(f.all("table")) != 1 || len(f.all("figcaption")) != 1 {
			t.Error("a plot without its numbers or caption")
		}
	}
	for _, h := range root.all("th") {
		if h.attr["scope"] == "" {
			t.Error("a header cell does not say of what")
		}
	}
	for _, d := range root.all("div") {
		if d.attr["class"] == "scroll" && d.attr["tabindex"] != "0" {
			t.Error("what scrolls can't be reached with the keyboard")
		}
	}
	if len(root.all("h1")) != 1 || len(root.all("h2")) != 4 || len(root.all("main")) != 1 {
		t.Error("headings or main part")
	}
}

func TestErrors(t *testing.T) {
	section := func(s Section) *Page { return &Page{Sections: []Section{s}} }
	for _, tt := range []struct {
		page *Page
		want string
	}{
		{section(Section{Title: "s", Bars: []Bars{{Title: "b", Bars: []Bar{{Name: "x", Value: math.NaN()}}}}}), `section "s": "b": the value of x is NaN`},
		{section(Section{Bars: []Bars{{Bars: []Bar{{Name: "x", Value: 1, Interval: &Interval{0, math.Inf(1)}}}}}}), "the interval of x is +Inf"},
		{section(Section{Bars: []Bars{{Title: "b"}}}), `"b": nothing to draw`},
		{section(Section{Scatters: []Scatter{{Title: "c"}}}), `"c": nothing to draw`},
		{section(Section{Scatters: []Scatter{{Points: []Point{{"x", 1, math.NaN()}}}}}), "a number of x is NaN"},
		{&Page{Answer: Answer{Bars: &Bars{Title: "b"}}}, `the answer: "b": nothing to draw`},
		{section(Section{Tables: []Table{{Caption: "t", Foot: [][]string{{"1"}}}}}), `table "t": 1 cells in row of the foot 1, the header has 0`},
		{section(Section{Tables: []Table{{Caption: "t", Header: []string{"a"}, Bars: []int{1}}}}), `table "t": bars in column 1, the header has 1`},
		{section(Section{Tables: []Table{{Caption: "t", Header: []string{"a"}, Rows: [][]string{{"1", "2"}}}}}), `table "t": 2 cells in row 1, the header has 1`},
	} {
		var b bytes.Buffer
		if err := tt.page.Write(&b); err == nil || !strings.Contains(err.Error(), tt.want) || b.Len() > 0 {
			t.Errorf("%v after %d bytes, want %q", err, b.Len(), tt.want)
		}
	}
	failing := errors.New("disk full")
	if err := example().Write(writer{failing}); !errors.Is(err, failing) {
		t.Errorf("%v", err)
	}
}

type writer struct{ err error }

func (w writer) Write([]byte) (int, error) { return 0, w.err }

func Example() {
	page := Page{
		Title: "Metrics and people",
		Sections: []Section{{
			Title:    "chrF",
			Scatters: []Scatter{{"Systems", "people's score", "chrF", []Point{{"aspen", .412, 58.1}, {"birch", .287, 60.2}}}},
		}},
	}
	var b strings.Builder
	if err := page.Write(&b); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, `<desc id="part1-figure1-wide"`) {
			fmt.Print(line)
		}
	}
	// Output:
	// <desc id="part1-figure1-wide">2 points. Across: people&#39;s score, from 0.287 to 0.412. Up: chrF, from 58.1 to 60.2.</desc>
}
