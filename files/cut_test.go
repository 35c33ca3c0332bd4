package files

import (
	"strings"
	"testing"
)

// A file that ends within its last number or line, told by the others.
func TestCut(t *testing.T) {
	const scores = "a\tchrf\t1\t1.250000\na\tchrf\t2\t2.500000\nb\tchrf\t1\t3.750000\nb\tchrf\t2\t4.125"
	metrics := func(text string, o Options) error {
		_, err := ReadMetrics(strings.NewReader(text), "f", o)
		return err
	}
	people := func(text string, o Options) error {
		_, err := ReadPeople(strings.NewReader(text), "f", PeopleOptions{Options: o})
		return err
	}
	nbest := func(text string, o Options) error {
		_, err := ReadNBest(strings.NewReader(text), "f", o)
		return err
	}
	texts := func(text string, o Options) error {
		_, err := ReadText(strings.NewReader(text), "f", o)
		return err
	}
	const table = "system\tsegment\tscore\na\t1\t0.1250\na\t2\t0.2500\nb\t1\t0.3750\nb\t2\t0."
	const sentences = "system\tmetric\tsegment\tscore\tlower_is_better\na\tx\t1\t0.125000\ttrue\na\tx\t2\t0.250000\ttrue\n"
	for name, tt := range map[string]struct {
		read        func(text string, o Options) error
		text        string
		wrong, note string
	}{
		"mteval score":                           {metrics, scores, "f:4: the file ends within this line", ""},
		"mteval score, whole":                    {metrics, scores + "000", "", ""},
		"mteval score, with a line end":          {metrics, scores + "\n", "", ""},
		"a table":                                {metrics, table + "4", "", "the last line ends in no number, or in one with fewer"},
		"a table, whole":                         {metrics, table + "4125", "", ""},
		"a table of decimals of any kind":        {metrics, "a\t1\t0.5\na\t2\t0.25\nb\t1\t0.125\nb\t2\t0.5", "", ""},
		"a table of whole numbers":               {metrics, "a\t1\t5\na\t2\t25\nb\t1\t1\nb\t2\t5", "", ""},
		"a table of people's scores":             {people, table + "41", "", "the last line ends in no number, or in one with fewer"},
		"a table, before its last number":        {metrics, "system\tsegment\tscore\na\t1\t0.1250\na\t2\t0.2500\nb\t1\t0.3750\nb\t2\t", "", "the last line ends in no number"},
		"mteval score, without its last line":    {metrics, sentences + "b\tx\t1\t0.250000\ttrue\n", "f: it has 3 scores of 1 metrics and 2 systems on 2 segments, and not all", ""},
		"mteval score, cut before the direction": {metrics, sentences + "b\tx\t1\t0.250000\ttrue\nb\tx\t2\t0.250000\t", "f:5: the file ends within this line", ""},
		"mteval score, some segments":            {metrics, sentences + "b\tx\t7\t0.250000\ttrue\n", "", ""},
		"with commas":                            {metrics, strings.ReplaceAll(table, "\t", ",") + "4", "", "the last line ends in no number, or in one with fewer"},
		"systems in order":                       {metrics, "a\t0.125\na\t0.250\nb\t0.375\nb\t0.4", "", "the last line ends in no number, or in one with fewer"},
		"a score a line":                         {metrics, "0.125\n0.250\n0.375\n0.4", "", "the last line ends in no number, or in one with fewer"},
		"MetricX":                                {metrics, `{"prediction": 1}` + "\n" + `{"prediction": 2`, "f:2: unexpected end", ""},
		"comet-score --to_json":                  {metrics, `{"a": [{"COMET": 1}]`, "f:1: unexpected end", ""},
		"candidates":                             {nbest, "0 ||| a ||| F= 1 ||| 2\n0 ||| b ||| F= 1", "f:2: 3 fields, the first line has 4", ""},
		"candidates, with a line end":            {nbest, "0 ||| a ||| F= 1 ||| 2\n0 ||| b ||| F= 1\n", "", ""},
		"SGML":                                   {texts, "<refset refid=r><doc docid=d>\n<seg id=1>a</seg>\n", "", "the SGML has no end tag"},
		"SGML, whole":                            {texts, "<refset refid=r><doc docid=d>\n<seg id=1>a</seg>\n</doc></refset>", "", ""},
		"SGML without a set":                     {texts, "<doc docid=d>\n<seg id=1>a</seg>\n", "", ""},
		"XML":                                    {texts, `<dataset id="x"><doc id="d"><ref><seg id="1">a</seg></ref>`, "f:1: not well-formed XML", ""},
	} {
		var notes []string
		err := tt.read(tt.text, Options{Note: func(_, what string) { notes = append(notes, what) }})
		if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.wrong)) {
			t.Errorf("%s: %v, want %q", name, err, tt.wrong)
		}
		if got := strings.Join(notes, "; "); err == nil && (tt.note == "" && got != "" || !strings.HasPrefix(got, tt.note)) {
			t.Errorf("%s: notes %q, want %q", name, got, tt.note)
		}
	}
}
