package report

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// What the script reads as a number without help, and what as nothing, as it stands there.
var (
	scriptNumber = regexp.MustCompile(regexp.MustCompile(`return /(.*)/\.test\(cell`).FindStringSubmatch(tableJS)[1])
	scriptNone   = regexp.MustCompile(strings.NewReplacer(`\u2013`, "–", `\u2014`, "—").Replace(regexp.MustCompile(`const none = /(.*)/;`).FindStringSubmatch(tableJS)[1]))
)

func TestCellNumber(t *testing.T) {
	no := math.NaN()
	for _, tt := range []struct {
		cell string
		want float64
	}{
		{"0.9512", .9512}, {"12", 12}, {"-3", -3}, {"−0.3", -.3}, {"–0.3", -.3}, {"+1", 1}, {"±0.5", .5}, {"-0", 0},
		{"53%", 53}, {" 53 % ", 53}, {"0.58 ± 0.02", .58}, {"3 of 10", 3}, {"1.5*", 1.5}, {"5–7", 5}, {"2019-x", 2019},
		{"<1%", math.Nextafter(1, 0)}, {"< 0.001", math.Nextafter(.001, 0)}, {">99%", math.Nextafter(99, 100)}, {"<-1", math.Nextafter(-1, -2)},
		{"=", 0}, {".5", .5}, {"5.", 5}, {"1e-07", 1e-7}, {"2E+3", 2000}, {"3e", 3}, {"3em", 3}, {"1e999", no}, {"-1e999", no},
		{"1,997", 1997}, {"12,345,678.5", 12345678.5}, {"1,99", 1}, {"1,9975", 1}, {"1234,567", 1234}, {"0,123", 0}, {",123", no},
		{"", no}, {" ", no}, {"-", no}, {"–", no}, {"—", no}, {"NaN", no}, {"Inf", no}, {"0x1p4", 0}, {"1_000", 1},
		{"chrF", no}, {"system 3", no}, {"<", no}, {">x", no}, {"+", no}, {".", no}, {"%", no}, {"==", no}, {"--1", no}, {"١", no},
	} {
		got, ok := cellNumber(tt.cell)
		if ok == math.IsNaN(tt.want) || ok && got != tt.want {
			t.Errorf("%q: %v, %v, want %v", tt.cell, got, ok, tt.want)
		}
		checkCell(t, tt.cell)
	}
}

// checkCell looks whether the script takes a cell for the number that we take it for.
func checkCell(t interface {
	Helper()
	Errorf(string, ...any)
}, text string) {
	t.Helper()
	want, ok := cellNumber(text)
	read := newCell(text).Number
	if read == "" && scriptNumber.MatchString(text) {
		read = text
	}
	if got, err := strconv.ParseFloat(read, 64); (err == nil) != ok || ok && got != want {
		t.Errorf("%q: the script reads %q, we %v, %v", text, read, want, ok)
	}
	if none(text) != scriptNone.MatchString(text) {
		t.Errorf("%q is nothing: the script says %v", text, scriptNone.MatchString(text))
	}
	if none(text) && ok {
		t.Errorf("%q is nothing, and %v", text, want)
	}
}

func FuzzCellNumber(f *testing.F) {
	for _, s := range []string{"53%", "<1%", "1,997.5e-3", "−0.3", ",,", "-.e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = clean(s)
		if v, ok := cellNumber(s); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("%q is %v", s, v)
		}
		if strings.TrimSpace(s) == s { // white space differs
			checkCell(t, s)
		}
	})
}

// A number is read as it was written, whatever its form and what stands behind it.
func TestCellNumberRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Float64Range(-math.MaxFloat64/2, math.MaxFloat64/2).Draw(t, "number")
		s := strconv.FormatFloat(want, rapid.SampledFrom([]byte("fge")).Draw(t, "form"), -1, 64)
		s += rapid.SampledFrom([]string{"", "%", " ± 0.1", " words", "*"}).Draw(t, "behind")
		if got, ok := cellNumber(s); !ok || got != want {
			t.Fatalf("%q: %v, %v, want %v", s, got, ok, want)
		}
		checkCell(t, s)
	})
}

// rows are the cells of a table's part, each as its class, number and bar, and its text.
func rows(n *node) (out [][]string) {
	for _, tr := range n.all("tr") {
		var row []string
		for _, c := range tr.children {
			s := c.words()
			for _, a := range []string{"class", "data-kind", "data-name", "data-n", "style", "title"} {
				if v, ok := c.attr[a]; ok {
					s = a + "=" + v + " " + s
				}
			}
			row = append(row, s)
		}
		out = append(out, row)
	}
	return out
}

func TestTable(t *testing.T) {
	long := "a system with a long name"
	_, root := write(t, &Page{Sections: []Section{{Tables: []Table{{
		Caption: "c",
		Header:  []string{"system", "chrF", "#", "best", "TER", "#", "note"},
		Rows: [][]string{
			{"a", "60", "1", "<1%", "-1", "2", "good"},
			{long, "30", "2", "53%", "+3", "1", "3 bad"},
			{"c", "–"},
		},
		Foot: [][]string{{"sum", "90"}},
		Bars: []int{1, 4},
	}}}}})
	table := root.all("table")[0]
	if d := cmp.Diff([][]string{{
		"system", "data-kind=number chrF", "data-name=chrF: # data-kind=number #", "data-kind=number best", "data-kind=number TER", "data-name=TER: # data-kind=number #", "class=text note",
	}}, rows(table.all("thead")[0])); d != "" {
		t.Errorf("header (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][]string{
		// TER goes from -1 to 3, so 0 is at a quarter.
		{"a", "style=--a:0.0%;--b:100.0% 60", "1", "data-n=0.9999999999999999 <1%", "style=--a:0.0%;--b:25.0% -1", "2", "class=text good"},
		{"title=" + long + " " + long, "style=--a:0.0%;--b:50.0% 30", "2", "data-n=53 53%", "style=--a:25.0%;--b:100.0% data-n=3 +3", "1", "data-n=3 class=text 3 bad"},
		{"c", "–", "", "", "", "", "class=text "},
	}, rows(table.all("tbody")[0])); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][]string{{"sum", "90", "", "", "", "", "class=text "}}, rows(table.all("tfoot")[0])); d != "" {
		t.Errorf("foot (-want +got):\n%s", d)
	}
}

// Bars of any numbers lie in their cells.
func TestTableBars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := Table{Header: []string{"", "x"}, Bars: []int{1}}
		for _, v := range rapid.SliceOf(rapid.Float64()).Draw(t, "values") {
			table.Rows = append(table.Rows, []string{"", strconv.FormatFloat(v, 'g', -1, 64)})
		}
		v, err := table.view("t")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range v.Rows {
			if !r[1].Bar {
				continue
			}
			from, _ := strconv.ParseFloat(r[1].From, 64)
			to, err := strconv.ParseFloat(r[1].To, 64)
			if err != nil || !(0 <= from && from <= to && to <= 100) {
				t.Fatalf("%s has a bar from %s to %s", r[1].Text, r[1].From, r[1].To)
			}
		}
	})
}

// One row is not sorted, and a few are not filtered.
func TestTableSorts(t *testing.T) {
	for n, want := range []string{"few", "few", "sorts few", "sorts few", "sorts few", "sorts few and filtered"} {
		_, root := write(t, &Page{Sections: []Section{{Tables: []Table{{Header: []string{"a"}, Rows: make([][]string, n)}}}}})
		got := strings.TrimSpace(root.all("table")[0].attr["class"])
		for range root.all("button") {
			got += " and filtered"
		}
		if got != want {
			t.Errorf("%d rows: %q, want %q", n, got, want)
		}
	}
}

// What has no title has no empty one, and a name for readers by ear where it needs one.
func TestUnnamed(t *testing.T) {
	_, root := write(t, &Page{Sections: []Section{{
		Tables:   []Table{{Header: []string{"a"}}},
		Matrices: []Matrix{{Names: []string{"a"}, Values: [][]float64{{0}}}},
	}, {Text: []string{"x"}}, {Text: []string{"y"}}}})
	for _, name := range []string{"h1", "h2", "nav", "header"} {
		if n := len(root.all(name)); n > 0 {
			t.Errorf("%d empty <%s>", n, name)
		}
	}
	named := append(root.all("table"), slices.DeleteFunc(root.all("div"), func(d *node) bool { return d.attr["role"] != "group" })...)
	if len(named) != 4 {
		t.Fatalf("%d tables and regions", len(named))
	}
	for _, n := range named {
		if n.attr["aria-label"] == "" || n.attr["aria-labelledby"] != "" {
			t.Errorf("<%s> has the names %v", n.name, n.attr)
		}
	}
}

// Long names are in the page as a whole, in pieces of which the middle can be left out: what is
// seen then tells them apart.
func TestTableNames(t *testing.T) {
	names := []string{
		"Microsoft-WMT19-document-level.6808", "Microsoft-WMT19-sentence_document.6974", "Microsoft-WMT19-sentence-level.6785",
		"bertscore-lexical", "bertscore-lexical+da", "aspen", strings.Repeat("wide ", 20), "日本語のシステムの名前は長い", nasty,
	}
	table := Table{Header: []string{"system"}}
	for _, name := range names {
		table.Rows = append(table.Rows, []string{name})
	}
	_, root := write(t, &Page{Sections: []Section{{Tables: []Table{table}}}})
	wide, narrow := make(map[string]bool), make(map[string]bool)
	for i, th := range slices.DeleteFunc(root.all("th"), func(th *node) bool { return th.attr["scope"] != "row" }) {
		name := clean(names[i])
		if th.words() != name {
			t.Errorf("%q is in the page as %q", name, th.words())
		}
		seenWide, seenNarrow := name, name
		for _, span := range th.all("span") {
			before, after, _ := strings.Cut(name, span.words())
			if span.attr["class"] == "cut" {
				seenNarrow = before + "…" + after
			} else {
				seenWide = before + "…" + after
			}
		}
		if textWidth(seenWide) > nameWidth || textWidth(seenNarrow) > narrowNameWidth {
			t.Errorf("%q and %q are wide", seenWide, seenNarrow)
		}
		if cut := seenNarrow != name; cut != (th.attr["title"] == name) {
			t.Errorf("%q: title %q", seenNarrow, th.attr["title"])
		}
		wide[seenWide], narrow[seenNarrow] = true, true
	}
	if len(wide) < len(names) || len(narrow) < len(names) {
		t.Errorf("names can't be told apart: %v, %v", wide, narrow)
	}
}

// Headers have two lines at most. By hand, letters as textWidth has them: "mean of" is
// 12 + 3·8 + 5.5 + 8 + 5.5, and "the scores" 5.5 + 2·8 + 5.5 + 4·8 + 5.5 + 8.
func TestTwoLines(t *testing.T) {
	for text, want := range map[string]float64{"mean of the scores": 72.5, "a b": 8, "one": 24, "": 0} {
		if got := twoLines(strings.Fields(text)); math.Abs(got-want) > 1e-9 && text != "" {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
