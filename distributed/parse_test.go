package distributed

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func ptr(s string) *string { return &s }

func TestParseTSV(t *testing.T) {
	for _, tt := range []struct {
		header, line string
		c            Columns
		want         Record
		wrong        string
	}{
		{header: "segment\thypothesis\treference", line: "1\ta b\tc", want: Record{Segment: "1", Hypothesis: "a b", References: []string{"c"}}},
		{header: "id\tsource\tsystem\tsegment\thypothesis\treferences", line: "x\t\tA\t1\t\tc",
			want: Record{Position: Position{ID: "x"}, System: "A", Segment: "1", References: []string{"c"}, Source: ptr("")}},
		{header: "seg\tout\tr1\tr2\tsrc", line: "1\ta\t\tc\ts",
			c:    Columns{Hypothesis: "out", References: []string{"r1", "r2"}, Source: "src", Segment: "seg"},
			want: Record{Segment: "1", Hypothesis: "a", References: []string{"", "c"}, Source: ptr("s")}},
		{header: "segment\thypothesis\tr1\tr2", line: "1\ta\t \tc", c: Columns{References: []string{"r1", "r2"}, SkipEmptyRefs: true},
			want: Record{Segment: "1", Hypothesis: "a", References: []string{"c"}}},
		{header: "segment\thypothesis\tr1\tr2", line: "1\ta\t\t", c: Columns{References: []string{"r1", "r2"}, SkipEmptyRefs: true},
			want: Record{Segment: "1", Hypothesis: "a", References: []string{""}}},
		{header: "segment\thypothesis\treference", line: "1\ta\t", c: Columns{SkipEmptyRefs: true},
			want: Record{Segment: "1", Hypothesis: "a", References: []string{""}}},
		{header: "segment\thypothesis\r1\ta", wrong: `the header has a carriage return within it: lines end with \n, or \r\n`},
		{header: "segment\thypothesis", line: "1\ta", want: Record{Segment: "1", Hypothesis: "a"}},
		{header: "segment\thypothesis", line: "1", wrong: "the line has 1 fields, the header 2"},
		{header: "segment\thypothesis", line: "1\ta\tb", wrong: "the line has 3 fields, the header 2"},
		{header: "segment\thypothesis", line: "\ta", want: Record{Hypothesis: "a"}, wrong: "no segment"},
		{header: "segment\toutput", wrong: `the header has no column "hypothesis"`},
		{header: "segment\thypothesis\tsegment", wrong: `the header has two columns "segment"`},
		{header: "segment\thypothesis", c: Columns{System: "system"}, wrong: `the header has no column "system"`},
		{header: "segment\thypothesis", c: Columns{References: []string{"r"}}, wrong: `the header has no column "r"`},
	} {
		p, err := newTSV(tt.header, tt.c)
		var got Record
		if err == nil {
			got, err = p.parse(tt.line)
		}
		checkParsed(t, tt.header+"\n"+tt.line, got, err, tt.want, tt.wrong)
	}
}

func checkParsed(t *testing.T, line string, got Record, err error, want Record, wrong string) {
	t.Helper()
	said := ""
	if err != nil {
		said = err.Error()
	}
	if said != wrong {
		t.Errorf("%s: error %q, want %q", line, said, wrong)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", line, diff)
	}
}

func TestParseJSON(t *testing.T) {
	for _, tt := range []struct {
		line  string
		c     Columns
		want  Record
		wrong string
	}{
		{line: `{"segment":"1","hypothesis":"a","reference":"b"}`, want: Record{Segment: "1", Hypothesis: "a", References: []string{"b"}}},
		{line: `{"segment":12,"hypothesis":"","references":["b",""],"source":"s","system":"A","id":-3,"more":{}}`,
			want: Record{Position: Position{ID: "-3"}, System: "A", Segment: "12", References: []string{"b", ""}, Source: ptr("s")}},
		{line: `{"segment":"1","hypothesis":"a","references":null,"source":null,"id":null}`, want: Record{Segment: "1", Hypothesis: "a"}},
		{line: `{"s":"1","h":"a","r1":"b","r2":["c"]}`, c: Columns{Segment: "s", Hypothesis: "h", References: []string{"r1", "r2"}},
			want: Record{Segment: "1", Hypothesis: "a", References: []string{"b", "c"}}},
		{line: `{"segment":"1","hypothesis":"a"}`, c: Columns{Source: "source"}, want: Record{Segment: "1", Hypothesis: "a"}, wrong: `no field "source"`},
		{line: `{"segment":"1","hypothesis":"a"}`, c: Columns{References: []string{"r"}}, want: Record{Segment: "1", Hypothesis: "a"}, wrong: `no field "r"`},
		{line: `{"hypothesis":"a"}`, want: Record{Hypothesis: "a"}, wrong: `no field "segment"`},
		{line: `{"segment":"","hypothesis":"a"}`, want: Record{Hypothesis: "a"}, wrong: "no segment"},
		{line: `{"segment":"1"}`, want: Record{Segment: "1"}, wrong: `no field "hypothesis"`},
		{line: `{"segment":"1","hypothesis":null}`, want: Record{Segment: "1"}, wrong: `no field "hypothesis"`},
		{line: `{"segment":"1","hypothesis":5}`, want: Record{Segment: "1"}, wrong: `field "hypothesis" is no text`},
		{line: `{"segment":"1","hypothesis":["a","b"]}`, want: Record{Segment: "1"}, wrong: `field "hypothesis" is no text`},
		{line: `{"segment":true,"hypothesis":"a"}`, want: Record{Hypothesis: "a"}, wrong: `field "segment" is neither a text nor a number`},
		{line: `{"segment":"1","hypothesis":"a","references":["b",null]}`, want: Record{Segment: "1", Hypothesis: "a"}, wrong: `field "references" is neither a text nor a list of texts`},
		{line: `{"segment":"1","hypothesis":"a","references":["b",null," "]}`, c: Columns{SkipEmptyRefs: true}, want: Record{Segment: "1", Hypothesis: "a", References: []string{"b"}}},
		{line: `{"segment":"1","segment":"2","hypothesis":"a"}`, want: Record{Hypothesis: "a"}, wrong: `field "segment" is there twice`},
		{line: `{"segment":"1","hypothesis":"a","more":1,"more":{"segment":2}}`, want: Record{Segment: "1", Hypothesis: "a"}},
		{line: `{"segment":"1","hypothesis":"\ud83d\ude00 \\ud800 \ufffd"}`, want: Record{Segment: "1", Hypothesis: "😀 \\ud800 \ufffd"}},
		{line: `{"segment":"1","hypothesis":"a\ud83d b"}`, want: Record{Segment: "1", Hypothesis: "a\ufffd b"}, wrong: `field "hypothesis" has half a surrogate pair, which is no character`},
		{line: `{"segment":"\ude00\ud83d","hypothesis":"a"}`, want: Record{Segment: "\ufffd\ufffd", Hypothesis: "a"}, wrong: `field "segment" has half a surrogate pair, which is no character`},
		{line: `[]`, wrong: "the line is no JSON object"},
		{line: `null`, wrong: "the line is no JSON object"},
		{line: `{"segment":`, wrong: "the line is no JSON object"},
		{line: `{} {}`, wrong: "the line is no JSON object"},
	} {
		got, err := newObjects(tt.c).parse(tt.line)
		checkParsed(t, tt.line, got, err, tt.want, tt.wrong)
	}
}

// Any line is a record or an error, and a record has a segment and no text that is not UTF-8.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"1\ta\tb", "{\"segment\":1,\"hypothesis\":\"\\ud800\",\"reference\":[\"b\"]}", "\ufeff\r\n", "\xff", "{\"segment\":\"1\",\"source\":[]}"} {
		f.Add([]byte(line), int64(0))
	}
	tsv, err := newTSV("segment\thypothesis\treference", Columns{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line []byte, at int64) {
		for _, p := range []parser{tsv, newObjects(Columns{})} {
			r, err := parseLine(p, line, at, false, 0)
			if err != nil {
				continue
			}
			all := strings.Join(append([]string{r.Segment, r.System, r.ID, r.Hypothesis}, r.References...), "")
			if r.Segment == "" || !utf8.ValidString(all) {
				t.Errorf("%q: %+v", line, r)
			}
		}
	})
}
