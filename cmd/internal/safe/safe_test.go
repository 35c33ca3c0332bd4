package safe

import (
	"encoding/json"
	"strings"
	"testing"
)

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
