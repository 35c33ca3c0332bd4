package show

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// small is a result with all that values can be.
func small() *Result {
	t := &Table{Key: "systems", Title: "Systems (#: cluster)", Columns: []Column{
		Col("metric", ""), Col("system", "system"), Col("cluster", "#"), Col("mean", "mean"), Col("low", "95%"), Col("p_value", "p"), Col("lower_is_better", ""),
	}}
	t.Add("chrF", "a_1", 1, 61.23456, Interval{60, 62}, nil, false)
	t.Add("chrF", "b\tx", 2, .00000123, nil, .0000000012, false)
	t.Add("chrF", "c|d", 2, math.NaN(), &Interval{1, 2}, .04999, false)
	t.Foot(nil, "sum", nil, 3., nil, nil, nil)
	r := &Result{Command: "compare", Title: "Comparison", Answer: "a is better.", Head: []string{"chrF: a_1 is better"}}
	r.Facts.Columns = []Column{Col("segments", "")}
	r.Facts.Add(500)
	r.Add(t)
	r.Signatures = []Signature{{"", "test:ar"}}
	r.Warnings = []string{"few"}
	return r
}

func TestForms(t *testing.T) {
	for form, want := range map[Format]string{
		Text: `chrF: a_1 is better

Systems (#: cluster)
system  #       mean                 95%        p
a_1     1    61.2346  60.0000 to 62.0000        –
b\tx    2    1.2e-06                   –  1.2e-09
c|d     2  undefined    1.0000 to 2.0000   0.0500
sum           3.0000

test:ar
`,
		TSV: "metric\tsystem\tcluster\tmean\tlow\thigh\tp_value\tlower_is_better\n" +
			"chrF\ta_1\t1\t61.234560\t60.000000\t62.000000\tNA\tfalse\n" +
			"chrF\tb\\tx\t2\t0.000001\tNA\tNA\t1.2e-09\tfalse\n" +
			"chrF\tc|d\t2\tNA\t1.000000\t2.000000\t0.04999\tfalse\n",
		LaTeX: `% chrF: a_1 is better
% Systems (#: cluster)
\begin{tabular}{lrrrr}
\toprule
system & \# & mean & 95\% & p \\
\midrule
a\_1 & 1 & 61.2346 & 60.0000 to 62.0000 & – \\
b\textbackslash{}tx & 2 & 1.2e-06 & – & 1.2e-09 \\
c\textbar{}d & 2 & undefined & 1.0000 to 2.0000 & 0.0500 \\
sum &  & 3.0000 &  &  \\
\bottomrule
\end{tabular}
% test:ar
`,
		Markdown: "chrF: a\\_1 is better\n\n**Systems (\\#: cluster)**\n\n" +
			"| system | \\# | mean | 95% | p |\n|:---|---:|---:|---:|---:|\n" +
			"| a\\_1 | 1 | 61.2346 | 60.0000 to 62.0000 | – |\n| b\\\\tx | 2 | 1.2e-06 | – | 1.2e-09 |\n" +
			"| c\\|d | 2 | undefined | 1.0000 to 2.0000 | 0.0500 |\n| sum |  | 3.0000 |  |  |\n\n`test:ar`\n",
		JSON: `{"schema":1,"command":"compare","answer":"a is better.","facts":{"segments":500},"systems":[` +
			`{"metric":"chrF","system":"a_1","cluster":1,"mean":61.23456,"low":60,"high":62,"p_value":null,"lower_is_better":false},` +
			`{"metric":"chrF","system":"b\tx","cluster":2,"mean":0.00000123,"low":null,"high":null,"p_value":1.2e-9,"lower_is_better":false},` +
			`{"metric":"chrF","system":"c|d","cluster":2,"mean":null,"low":1,"high":2,"p_value":0.04999,"lower_is_better":false}],` +
			`"signatures":[{"name":"","signature":"test:ar"}],"notes":[],"warnings":["few"]}` + "\n",
	} {
		var b strings.Builder
		if err := small().Write(&b, form, 0); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, b.String()); d != "" {
			t.Errorf("%s (-want +got):\n%s", form, d)
		}
		if form == JSON && !json.Valid([]byte(b.String())) {
			t.Errorf("%s is no JSON", b.String())
		}
	}
	if err := small().Write(new(strings.Builder), "yaml", 0); err == nil {
		t.Error("yaml is written")
	}
	if err := small().Write(failing{}, JSON, 0); err == nil {
		t.Error("an error of the writer is lost")
	}
}

// A name with a line end, in any place, begins no line.
func TestNamesForgeNoLine(t *testing.T) {
	named := func(name string) *Result {
		t := &Table{Key: "systems", Title: name, Columns: []Column{Col("system", "system"), {Key: "mean", Title: name, Kind: Score}}}
		t.Add(name, 1.)
		r := &Result{Command: "compare", Answer: name, Head: []string{name}, Signatures: []Signature{{name, name}}}
		r.Parts = []Part{{Tables: []*Table{t}, Text: []string{name}, Lines: []string{name}}}
		return r
	}
	for _, form := range Formats() {
		var plain, forged strings.Builder
		if err := errors.Join(named("a").Write(&plain, form, 0), named("a\nb\r\u2028c").Write(&forged, form, 0)); err != nil {
			t.Fatal(err)
		}
		if strings.Count(plain.String(), "\n") != strings.Count(forged.String(), "\n") || strings.ContainsAny(forged.String(), "\r\u2028") {
			t.Errorf("%s:\n%s", form, forged.String())
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// A table that is wider than the terminal goes on below, and nothing is lost.
func TestWidth(t *testing.T) {
	for width := 1; width < 60; width++ {
		var b strings.Builder
		if err := small().Write(&b, Text, width); err != nil {
			t.Fatal(err)
		}
		for _, cell := range []string{"61.2346", "60.0000 to 62.0000", "1.2e-09", "0.0500"} {
			if strings.Count(b.String(), cell) != 1 {
				t.Errorf("width %d: %s is there %d times", width, cell, strings.Count(b.String(), cell))
			}
		}
	}
}

func TestWide(t *testing.T) {
	systems := &Table{Key: "systems", Columns: []Column{Col("system", "system"), People("human", Exact)}}
	systems.Add("a", 1.5)
	systems.Add("b", nil)
	scores := &Table{Key: "scores", Columns: []Column{Col("system", "system"), Col("metric", "metric"), Col("score", "score"), Col("cluster", "#"), Col("answer", "")}}
	scores.Add("a", "bleu", 31., 1, "x")
	scores.Add("a", "ter", 50., 2, "y")
	scores.Add("b", "ter", 49., 1, "y")
	header, rows, _ := Wide(systems, scores, "metric").grid()
	want := [][]string{{"system", "human", "bleu", "#", "ter", "#"}, {"a", "1.5", "31.0000", "1", "50.0000", "2"}, {"b", "–", "–", "–", "49.0000", "1"}}
	if d := cmp.Diff(want, append([][]string{header}, rows...)); d != "" {
		t.Error(d)
	}
	header, rows, _ = Wide(nil, scores, "metric").grid()
	want = [][]string{{"system", "bleu", "#", "ter", "#"}, {"a", "31.0000", "1", "50.0000", "2"}, {"b", "–", "–", "49.0000", "1"}}
	if d := cmp.Diff(want, append([][]string{header}, rows...)); d != "" {
		t.Error(d)
	}
}

// Tables with the same key are one for programs; people see each.
func TestSameKey(t *testing.T) {
	r := small()
	again := *r.Parts[0].Tables[0]
	again.Title = "Again"
	r.Add(&again)
	var text, tsv strings.Builder
	if err := errors.Join(r.Write(&text, Text, 0), r.Write(&tsv, TSV, 0)); err != nil {
		t.Fatal(err)
	}
	if strings.Count(text.String(), "61.2346") != 2 || strings.Count(tsv.String(), "61.234560") != 2 || strings.Count(tsv.String(), "cluster") != 1 {
		t.Errorf("%s\n%s", text.String(), tsv.String())
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		kind     Kind
		v        float64
		decimals int
		want     string
	}{
		{Score, -0., 0, "0.0000"}, {Score, 1e-13, 0, "0.0000"}, {Score, -1e-13, 0, "0.0000"}, {Score, 12.345, 2, "12.35"}, {Score, 12.5, Whole, "12"},
		{PValue, 0, 0, "0.0000"}, {PValue, 1e-5, 0, "1e-05"}, {PValue, 1, 0, "1.0000"},
		{Probability, .004, 0, "<1%"}, {Probability, .996, 0, ">99%"}, {Probability, .5, 0, "50%"},
		{Share, .123, 0, "12.3%"}, {Moved, 0, 0, "="}, {Moved, 2, 0, "+2"}, {Moved, -1, 0, "-1"}, {Count, 3, 0, "3"}, {Exact, .1, 0, "0.1"},
		{Correlation, math.NaN(), 0, "undefined"}, {Correlation, -.5, 0, "-0.5000"},
	} {
		if got := tt.kind.Format(tt.v, tt.decimals); got != tt.want {
			t.Errorf("kind %d of %v: %s, want %s", tt.kind, tt.v, got, tt.want)
		}
	}
}

// Each key is there once, and says what it means.
func TestKeys(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range Keys {
		if seen[k.Name] || k.Help == "" {
			t.Errorf("%s is there twice, or without help", k.Name)
		}
		seen[k.Name] = true
	}
	seen = make(map[string]bool)
	for _, k := range Tables {
		if seen[k.Name] || k.Help == "" {
			t.Errorf("table %s is there twice, or without help", k.Name)
		}
		seen[k.Name] = true
	}
}
