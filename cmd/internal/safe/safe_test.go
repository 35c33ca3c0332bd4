package safe

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"online-B.0": "online-B.0", "Übersetzer 日本語 a|b": "Übersetzer 日本語 a|b", `a\b`: `a\b`, "\ufffd": "\ufffd",
		"a\tb\nc\rd": `a\tb\nc\rd`, "\x1b[31m\x7f\x00": `\u001b[31m\u007f\u0000`, "\u009b31m\u0085": `\u009b31m\u0085`,
		"\u202egnp": `\u202egnp`, "\u2066\u2069\u2028\u2029": `\u2066\u2069\u2028\u2029`, "a\xffb\xed\xa0\x80": `a\xffb\xed\xa0\x80`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if got := Cell("a\\t\t"); got != `a\\t\t` {
		t.Errorf("Cell: %s", got)
	}
}

// What Cell writes is one line without a tab, and tells names apart.
func TestCell(t *testing.T) {
	name := rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.SampledFrom([]byte("a\\\t\n\r\x1b\xc2\x85\xe2\x80\xaext")), 0, 12).Draw(t, "bytes"))
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := name.Draw(t, "a"), name.Draw(t, "b")
		x, y := Cell(a), Cell(b)
		if (a == b) != (x == y) {
			t.Fatalf("%q and %q become %q and %q", a, b, x, y)
		}
		if !utf8.ValidString(x) || strings.ContainsFunc(x, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }) {
			t.Fatalf("%q becomes %q", a, x)
		}
	})
}

func TestJSONVisible(t *testing.T) {
	const s = "a\u009b\u202e\x7f\ufffdü\u2028"
	var b strings.Builder
	if err := JSON(&b, s); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != s || strings.ContainsAny(b.String(), "\u009b\u202e\x7f") {
		t.Errorf("%q is read as %q: %v", b.String(), back, err)
	}
}

func TestTables(t *testing.T) {
	rows := [][]string{{"system", "bleu"}, {"日本_語\t", "1.5 ± 2"}, {`a\`, ""}}
	var grid, latex, tsv strings.Builder
	Grid(&grid, rows)
	LaTeX(&latex, rows)
	for _, r := range rows {
		TSV(&tsv, r)
	}
	for name, tt := range map[string]struct{ got, want string }{
		"grid": {grid.String(), "system        bleu\n日本_語\\t  1.5 ± 2\na\\\\\n"},
		"latex": {latex.String(), "\\begin{tabular}{lr}\n\\toprule\nsystem & bleu \\\\\n\\midrule\n" +
			"日本\\_語\\textbackslash{}t & 1.5 $\\pm$ 2 \\\\\na\\textbackslash{}\\textbackslash{} &  \\\\\n\\bottomrule\n\\end{tabular}\n"},
		"tsv": {tsv.String(), "system\tbleu\n日本_語\\t\t1.5 ± 2\na\\\\\t\n"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", name, tt.got, tt.want)
		}
	}
}
