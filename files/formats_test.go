package files

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// A format is a kind of file.
type format struct {
	name  string
	read  func(r io.Reader, name string, o Options) (any, error)
	lines []string
	bad   string // a line that is an error after these
	// text: blank lines and space are text.
	text bool
	// missing is a line with %s for a score that may be missing, or must not.
	missing string
	may     bool
}

// anyOf makes one type of all readers.
func anyOf[T any](read func(r io.Reader, name string, o Options) (T, error)) func(io.Reader, string, Options) (any, error) {
	return func(r io.Reader, name string, o Options) (any, error) { return read(r, name, o) }
}

func formats() []format {
	judgements := func(r io.Reader, name string, o Options) (any, error) {
		return ReadJudgements(r, name, JudgementOptions{Options: o})
	}
	systems := func(r io.Reader, name string, o Options) (any, error) { return ReadSystems(r, name, nil, o) }
	people := func(r io.Reader, name string, o Options) (any, error) {
		return ReadPeople(r, name, PeopleOptions{Options: o})
	}
	return []format{
		{name: "text", read: anyOf(ReadText), lines: []string{"a segment", "another"}, text: true},
		{name: "scores", read: anyOf(ReadScores), lines: []string{"a\t1\t.5", "b\t1\t7", "b\t2\t-1e3"}, bad: "c\t1\thigh", missing: "c\t1\t%s", may: true},
		{name: "scores with a header", read: anyOf(ReadScores), lines: []string{"SID\tScore\tSYS\tz", "1\t5\ta\t", "2\t5\ta\tx"}, bad: "3\t5\ta", missing: "3\t%s\ta\t1", may: true},
		{name: "systems", read: systems, lines: []string{"system\tscore", "a\t1", "b\t2"}, bad: "a\t3", missing: "c\t%s", may: true},
		{name: "systems without a header", read: systems, lines: []string{"a\t1", "b\t2"}, bad: "c\t1e101", missing: "c\t%s", may: true},
		{name: "WMT's systems", read: systems, lines: []string{"RAW.SCR\tZ.SCR\tN\tSYS\tN.ALL", "70\t.5\t3\ta\t5"}, bad: "70\tx\t3\tb\t5", missing: "70\t%s\t3\tb\t5", may: true},
		{name: "WMT's systems with spaces", read: anyOf(ReadWMTSystems), lines: []string{"RAW.SCR Z.SCR N SYS N.ALL", `70 .5 3 "a b" 5`}, bad: `70 .5 3 "b 5`},
		{name: "WMT's segments", read: anyOf(ReadWMTSegments), lines: []string{"SYS\tSID\tRAW.SCR\tZ.SCR\tN", "a\t1\t50\t0.5\t2", "a\t2\t60\t0.5\t2"}, bad: "a\t3\t50\t0.5\t-1", missing: "a\t3\t%s\t.5\t1", may: true},
		{name: "WMT's segments with commas", read: anyOf(ReadWMTSegments), lines: []string{`"SYS","SID","RAW.SCR","Z.SCR","N"`, `"a","1",50,0.5,2`}, bad: `"a",2,x,0.5,2`, missing: `b,1,50,%s,2`, may: true},
		{name: "metrics in rows", read: anyOf(ReadMetrics), lines: []string{"system\tmetric\tsegment\tscore", "a\tm\t1\t.5", "a\tn\t1\t.25"}, bad: "a\tm\t2\t1_0", missing: "a\tm\t2\t%s", may: true},
		{name: "mteval score's segments", read: anyOf(ReadMetrics), lines: []string{"a\tm\t1\t.5", "a\tn\t1\t.5\t1\t2\t3"}, bad: "a\t\t2\t.5"},
		{name: "metrics of systems in rows", read: anyOf(ReadMetrics), lines: []string{"system\tmetric\tscore\tp\tsignature", "a\tm\t.5\t\tx:1", "a\tn\t.25\t.5\tx:1"}, bad: "a\tm\t1\t\tx:1", missing: "b\tm\t%s\t\tx:1", may: true},
		{name: "metrics in columns", read: anyOf(ReadMetrics), lines: []string{"system\tbleu\tter", "a\t1\t2"}, bad: "b\t1\t2\t3", missing: "b\t1\t%s", may: true},
		{name: "a metric's systems", read: anyOf(ReadMetrics), lines: []string{"a\t1", "b\t2"}, bad: "c\tx", missing: "c\t%s", may: true},
		{name: "a metric's scores", read: anyOf(ReadMetrics), lines: []string{"a\t1\t3", "b\t1\t2"}, bad: "a\t1\t3\t4", missing: "c\t1\t%s", may: true},
		{name: "judgements", read: judgements, lines: []string{"judge\tsystem\tsegment\tscore", "ann\ta\t1\t70"}, bad: "ann\ta\t2\t170", missing: "ann\ta\t2\t%s"},
		{name: "judgements of a crowd", read: judgements, lines: []string{"HITId WorkerId sys_id type sid score", "h w a SYSTEM 3 40"}, bad: "h w a GOOD 3 40"},
		{name: "Appraise's judgements", read: judgements, lines: []string{"u,s,1,TGT,a,b,50,1,2", `u,"s",2,TGT,a,b,50,1,2`}, bad: "u,s,3,TGT,a,b", missing: "u,s,3,TGT,a,b,%s,1,2"},
		{name: "rated texts", read: anyOf(ReadRated), lines: []string{"reference\thypothesis\tscore", "the cat\ta cat\t.5"}, bad: "r\th", missing: "r\th\t%s"},
		{name: "pairs", read: anyOf(pairsOf("")), lines: []string{"sid\tbetter\tworse", "1\ta\tb"}, bad: "1\ta\ta"},
		{name: "pairs with spaces", read: anyOf(pairsOf("")), lines: []string{"LP DATA SID BETTER WORSE", "x-y n 1 a b"}, bad: "x-z n 1 a b"},
		{name: "MQM", read: anyOf(ReadMQM), lines: []string{"system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity", "a\td\t1\t1\tr\ts\tt \"x\tc\tMinor"}, bad: "a\td\t1\t1\tr\ts\tt\tc\t"},
		{name: "n-best lists", read: anyOf(ReadNBest), lines: []string{"0 ||| the cat ||| LM0= -2 TM0= 1 2 ||| -1", "1 ||| a ||| LM0= 0 TM0= 3 4 ||| 0"}, bad: "1 ||| a ||| LM0= 0 ||| 1"},
		{name: "people's scores", read: people, lines: []string{"a\t1\t.5", "b\t1\t7"}, bad: "c\t1\thigh", missing: "c\t1\t%s", may: true},
		{name: "people's systems", read: people, lines: []string{"a\t1", "b\t7"}, bad: "c\thigh", missing: "c\t%s", may: true},
		{name: "people's pairs", read: people, lines: []string{"segment,a,b,result", "1,x,y,>"}, bad: "1,x,y,better"},
	}
}

func zip(t testing.TB, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, s := range texts {
		z := gzip.NewWriter(&b)
		if _, err := io.WriteString(z, s); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// shapes are the ways in which the same lines can stand in a file, and where the last line is
// then.
func shapes(t testing.TB, f *format, lines []string) map[string]shape {
	n := len(lines)
	plain := strings.Join(lines, "\n") + "\n"
	half := len(plain) / 2
	out := map[string]shape{
		"plain":                 {plain, n},
		"no end of line":        {strings.TrimSuffix(plain, "\n"), n},
		"CR LF":                 {strings.Join(lines, "\r\n") + "\r\n", n},
		"byte order mark":       {"\ufeff" + plain, n},
		"gzip":                  {zip(t, plain), n},
		"gzip, byte order mark": {zip(t, "\ufeff"+plain), n},
		"gzip, members":         {zip(t, plain[:half], "", plain[half:]), n},
		"gzip, padded":          {zip(t, plain[:half], plain[half:]) + strings.Repeat("\x00", 10240), n},
	}
	if !f.text {
		out["blank lines"] = shape{"\n \t\n" + strings.Join(lines, "\n\r\n\n") + "\n\n", 2 + 3*n - 2}
		if strings.Contains(lines[0], "\t") {
			out["space around fields"] = shape{strings.ReplaceAll(strings.ReplaceAll(plain, "\t", " \t "), "\n", " \n"), n}
		}
	}
	return out
}

type shape struct {
	text string
	last int
}

// All formats read the same of all shapes, and say the same of them.
func TestShapes(t *testing.T) {
	for _, f := range formats() {
		want, err := f.read(strings.NewReader(strings.Join(f.lines, "\n")+"\n"), "f", Options{})
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		for name, s := range shapes(t, &f, f.lines) {
			var notes []string
			o := Options{Note: func(name, what string) { notes = append(notes, name+": "+what) }}
			got, err := f.read(strings.NewReader(s.text), "f", o)
			if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); err != nil || d != "" {
				t.Errorf("%s, %s: %v (-want +got):\n%s", f.name, name, err, d)
			}
			if marked := strings.Contains(name, "mark"); marked != (len(notes) == 1) || marked && notes[0] != "f: byte order mark removed" {
				t.Errorf("%s, %s: notes %q", f.name, name, notes)
			}
		}
		if f.bad == "" {
			continue
		}
		for name, s := range shapes(t, &f, append(f.lines[:len(f.lines):len(f.lines)], f.bad)) {
			_, err := f.read(strings.NewReader(s.text), "f", Options{})
			var at *LineError
			if !errors.As(err, &at) || at.Line != s.last || at.Path != "f" || !strings.HasPrefix(err.Error(), fmt.Sprintf("f:%d: ", s.last)) {
				t.Errorf("%s, %s: error %v, want one of line %d", f.name, name, err, s.last)
			}
		}
	}
}

// What is wrong with the bytes is told with its line, whatever they are of.
func TestBytes(t *testing.T) {
	for _, f := range formats() {
		text := strings.Join(f.lines, "\n") + "\n"
		n := len(f.lines)
		packed := zip(t, text)
		for _, tt := range []struct {
			text string
			line int
			want string
		}{
			{text + "a\xff\n", n + 1, "byte 2 (0xff) is not valid UTF-8"},
			{packed[:len(packed)-8], n + 1, "damaged gzip data: unexpected EOF"},
			{packed[:5], 1, "damaged gzip data: unexpected EOF"},
			{packed + "more", n + 1, "gzip data with other data behind them"},
			{packed + "\x00\x00" + packed, n + 1, "gzip data with other data behind them, after 2 zero bytes"},
			{packed + packed[:7], n + 1, "damaged gzip data: unexpected EOF"},
		} {
			_, err := f.read(strings.NewReader(tt.text), "f", Options{})
			if want := fmt.Sprintf("f:%d: %s", tt.line, tt.want); err == nil || err.Error() != want {
				t.Errorf("%s: error %v, want %s", f.name, err, want)
			}
		}
	}
}

// A missing score is read in tables of scores, in any writing, and an error in judgements.
func TestMissing(t *testing.T) {
	for _, f := range formats() {
		if f.missing == "" {
			continue
		}
		var want any
		for i, missing := range []string{"NA", "", "na", "NaN", "nan", "None", "none", "NONE"} {
			text := strings.Join(append(f.lines[:len(f.lines):len(f.lines)], fmt.Sprintf(f.missing, missing)), "\n")
			got, err := f.read(strings.NewReader(text), "f", Options{})
			if !f.may {
				var at *LineError
				if !errors.As(err, &at) || at.Line != len(f.lines)+1 {
					t.Errorf("%s, %q: %v, %v", f.name, missing, got, err)
				}
				continue
			}
			if i == 0 {
				want = got
			}
			if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); err != nil || d != "" {
				t.Errorf("%s, %q: %v (-NA +got):\n%s", f.name, missing, err, d)
			}
		}
	}
	got, err := from(ReadWMTSegments, "SYS SID RAW.SCR Z.SCR N\na 1 50 NA 1\na 2 NA NA 0\n")
	if err != nil || got.Raw.Values[0] != 50 || !math.IsNaN(got.Raw.Values[1]) || !math.IsNaN(got.Z.Values[0]) {
		t.Errorf("%+v, %v", got, err)
	}
	if s := got.SystemScores(); len(s) != 1 || s[0].Raw != 50 || !math.IsNaN(s[0].Z) || s[0].Segments != 1 {
		t.Errorf("%+v", s)
	}
}

func TestReadSystems(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		text  string
		known []string
		want  *metaeval.Scores
		err   string
	}{
		{text: "a\t1\nb\t-2e1\n", want: &metaeval.Scores{Systems: []string{"a", "b"}, Items: []string{""}, Values: []float64{1, -20}}},
		{text: "\nsystem\tscore\nb\t1\n", want: &metaeval.Scores{Systems: []string{"b"}, Items: []string{""}, Values: []float64{1}}},
		{text: "system\t\nb\t1\n", want: &metaeval.Scores{Systems: []string{"b"}, Items: []string{""}, Values: []float64{1}}},
		{text: "a\tNA\nb\t1\n", want: &metaeval.Scores{Systems: []string{"a", "b"}, Items: []string{""}, Values: []float64{nan, 1}}},
		{text: "N Z.SCR RAW.SCR SYS N.ALL\n1 .5 70 b 2\n", want: &metaeval.Scores{Systems: []string{"b"}, Items: []string{""}, Values: []float64{.5}}},
		{text: "system\tscore\nb\t1\n", known: []string{"system"}, err: `f:1: the score of system is "score", which is no finite number in decimal notation`},
		{text: "a\tx\nb\ty\n", err: `f:2: the score of b is "y", which is no finite number in decimal notation`},
		{text: "a\t1e101\n", err: `f:1: the score of a is "1e101", too large to be calculated with: 1e+100 is the most`},
		{text: "a\t1\na\t2\n", err: "f:2: a second score of a, which has one on line 1"},
		{text: "a\t1\t2\n", err: "f:1: 3 columns, want 2 with a tab between: system, score"},
		{text: "system\tscore\n", err: "f: no scores in it"},
		{text: "a\tNA\n", err: "f: no scores in it"},
		{text: "", err: "f: no scores in it"},
	} {
		got, err := ReadSystems(strings.NewReader(tt.text), "f", tt.known, Options{})
		if tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%q: %v, want %s", tt.text, err, tt.err)
			}
			continue
		}
		if d := cmp.Diff(tt.want, got, cmpopts.EquateNaNs()); err != nil || d != "" {
			t.Errorf("%q: %v (-want +got):\n%s", tt.text, err, d)
		}
	}
}

func TestReadMetrics(t *testing.T) {
	of := func(systems, items string, values ...float64) *metaeval.Scores {
		return &metaeval.Scores{Systems: strings.Fields(systems), Items: strings.Fields(items), Values: values}
	}
	all := func(systems string, values ...float64) *metaeval.Scores {
		return &metaeval.Scores{Systems: strings.Fields(systems), Items: []string{""}, Values: values}
	}
	nan := math.NaN()
	for text, want := range map[string][]MetricScores{
		"system\tmetric\tsegment\tscore\na\tm\tx\t1\nb\tn\tx\t2\n":                                                   {{"m", of("a b", "x", 1, nan), false, Unsaid}, {"n", of("a b", "x", nan, 2), false, Unsaid}},
		"a\tm\t1\t1\na\tm\t2\tNaN\na\tn\t1\t3\t1\t1\t1\na\tn\t2\t4\t1\t1\t1\n":                                       {{"m", of("a", "1 2", 1, nan), false, Unsaid}, {"n", of("a", "1 2", 3, 4), false, Unsaid}},
		"bleu\tSystem\tTER\n1\ta\t2\n3\tb\tNone\n":                                                                   {{"bleu", all("a b", 1, 3), true, Unsaid}, {"TER", all("a b", 2, nan), true, Unsaid}},
		"system\tmetric\tscore\tmean\tlow\thigh\tp\tsignature\na\tm\t1\t1\t1\t1\t\tx:1\nb\tn\t2\t1\t1\t1\t.5\tx:1\n": {{"m", all("a b", 1, nan), true, Unsaid}, {"n", all("a b", nan, 2), true, Unsaid}},
		"Score\tother\tMetric\tsys\n1\t\tm\ta\nNA\tx\tm\tb\n":                                                        {{"m", all("a b", 1, nan), true, Unsaid}},
		// What mteval rank prints, and a table with some of its columns.
		"system\thuman\thuman_rank\tgroup\tabove_next\tbest\tm\tm_rank\tm_difference\na\\tb\t.5\t1\t1\t.9\t.9\t3\t1\t0\nc\t\t\t2\t\t.1\t2\t2\t\n": {{"m", &metaeval.Scores{Systems: []string{"a\tb", "c"}, Items: []string{""}, Values: []float64{3, 2}}, true, Unsaid}},
		"system\thuman\tbest\tm_rank\na\t1\t2\t3\n": {{"human", all("a", 1), true, Unsaid}, {"best", all("a", 2), true, Unsaid}, {"m_rank", all("a", 3), true, Unsaid}},
		// Names as mteval score writes them, and as others do.
		"system\tmetric\tscore\tsignature\na\\\\b\\u0007\tm\\t\t1\t\n": {{"m\t", all("a\\b\a", 1), true, Unsaid}},
		"system\tmetric\tscore\na\\\\b\tm\t1\n":                        {{"m", all(`a\\b`, 1), true, Unsaid}},
		"a\\\\b\tm\t1\t1\n":                                            {{"m", of(`a\b`, "1", 1), false, Unsaid}},
		"system\tmetric\tsegment\tscore\na\\\\b\tm\t1\t1\n":            {{"m", of(`a\\b`, "1", 1), false, Unsaid}},
		"a\t1\nb\t2\n":       {{"", all("a b", 1, 2), true, Unsaid}},
		"a\t1\t5\nb\t1\t2\n": {{"", of("a b", "1", 5, 2), false, Unsaid}},
	} {
		got, err := from(ReadMetrics, text)
		if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); err != nil || d != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, d)
		}
	}
}

// A kind of file is told by its first line, or by who reads it.
func TestReadPeople(t *testing.T) {
	for line, want := range map[string]Form{
		"sys1\t1\t.5":                                    SegmentTable,
		"system\tsegment\tscore":                         SegmentTable,
		"SYS SID RAW.SCR Z.SCR N":                        WMTSegments,
		"SYS\tSEGID\tRAW.SCR\tZ.SCR\tN\tSID":             WMTSegments,
		`"SYS","SID","RAW.SCR","Z.SCR","N"`:              WMTSegments,
		"RAW.SCR\tZ.SCR\tN\tSYS\tN.ALL":                  WMTSystems,
		"system\tscore":                                  SystemTable,
		"aspen\t.4":                                      SystemTable,
		"lp data sid better worse":                       PairTable,
		"pair_id\tsid\tbetter\tworse":                    PairTable,
		"judge,segment,a,b,result":                       PairTable,
		"HITId WorkerId Input.src sys sid score":         "",
		"system\tdoc\tseg_id\trater\tcategory\tseverity": "",
		"srclang,trglang,srcIndex,judgeID":               "",
		"":                                               SegmentTable,
	} {
		if got := formOf(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
		_, err := ReadPeople(strings.NewReader("\n"+line), "f", PeopleOptions{})
		if errors.Is(err, ErrSingleJudges) != (want == "") {
			t.Errorf("%q: %v", line, err)
		}
	}
	for text, want := range map[string]*People{
		"a\t1\t2\n": {Form: SegmentTable, Scores: &metaeval.Scores{Systems: []string{"a"}, Items: []string{"1"}, Values: []float64{2}}},
		"a\t1\n":    {Form: SystemTable, Scores: &metaeval.Scores{Systems: []string{"a"}, Items: []string{""}, Values: []float64{1}}},
		"RAW.SCR Z.SCR N SYS N.ALL\n70 .5 3 a 5\n":         {Form: WMTSystems, Systems: []human.SystemScore{{System: "a", Raw: 70, Z: .5, Segments: 3, Judgements: 5}}},
		"lp\tsid\tbetter\tworse\nx\t1\ta\tb\ny\t1\ta\tb\n": {Form: PairTable, Pairs: &human.Pairs{Systems: []string{"a", "b"}, Items: []string{"1"}, Pairs: []metaeval.Pair{{B: 1, Human: 1}}}},
	} {
		got, err := ReadPeople(strings.NewReader(text), "f", PeopleOptions{Pair: "y"})
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, d)
		}
	}
	for form, want := range map[Form]string{
		WMTSegments: "f:1: no column is called system or sys or sys_id",
		SystemTable: "f:1: 3 columns, want 2",
		"csv":       `files: no form "csv"`,
	} {
		if _, err := ReadPeople(strings.NewReader("a\t1\t2\n"), "f", PeopleOptions{Form: form}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", form, err, want)
		}
	}
}

// A row of CSV can have several lines, and rows behind it keep their numbers.
func TestLongRows(t *testing.T) {
	text := "\n\nu,s,1,TGT,a,b,50,1,2,\"x\n\ny\"\nu,s,2,TGT,a,b,x,1,2\n"
	_, err := judgementsFrom(text, JudgementOptions{})
	if err == nil || !strings.HasPrefix(err.Error(), `f:6: the score is "x"`) {
		t.Error(err)
	}
	open := "u,s,1,TGT,a,b,50,1,2,\"" + strings.Repeat("x\n", 1<<16)
	_, err = judgementsFrom(open, JudgementOptions{Options: Options{MaxLine: 1000}})
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "a row of more than 1000 bytes: is a double quote open?") {
		t.Error(err)
	}
}

// Of people's scores one table is taken, whatever form they come in.
func TestPeopleScores(t *testing.T) {
	const (
		wmtSegments = "SYS\tSID\tRAW.SCR\tZ.SCR\tN\na\t1\t90\t.5\t2\nb\t1\tNA\t.25\t1\n"
		wmtSystems  = "SYS\tRAW.SCR\tZ.SCR\tN\tN.ALL\na\t90\t.5\t1\t1\nb\tNA\t.25\t1\t1\n"
	)
	var forms []Form
	for _, tt := range []struct {
		form               Form
		title, text        string
		two                bool
		segments, z, count string
		systems, zSystems  string
	}{
		{SegmentTable, "scores of segments", "a\t1\t3\nb\t1\tNA\n", false, "[a b] [3 NaN]", "[a b] [3 NaN]", "none", "none", "none"},
		{WMTSegments, "WMT's scores of segments", wmtSegments, true, "[a b] [90 NaN]", "[a b] [0.5 0.25]", "[a b] [2 1]", "none", "none"},
		{SystemTable, "scores of systems", "a\t3\nb\tNA\n", false, "none", "none", "none", "[a] [3]", "[a] [3]"},
		{WMTSystems, "WMT's scores of systems", wmtSystems, true, "none", "none", "none", "[a] [90]", "[a b] [0.5 0.25]"},
		{PairTable, "pairs", "sid\tbetter\tworse\n1\ta\tb\n", false, "none", "none", "none", "none", "none"},
	} {
		p, err := ReadPeople(strings.NewReader(tt.text), "f", PeopleOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text := func(s *metaeval.Scores) string {
			if s == nil {
				return "none"
			}
			return fmt.Sprint(s.Systems, s.Values)
		}
		raw, n := p.SegmentScores(false)
		z, _ := p.SegmentScores(true)
		got := []string{text(raw), text(z), text(n), text(p.SystemScores(false)), text(p.SystemScores(true))}
		want := []string{tt.segments, tt.z, tt.count, tt.systems, tt.zSystems}
		if d := cmp.Diff(want, got); p.Form != tt.form || p.Form.Title() != tt.title || p.Form.TwoScores() != tt.two || d != "" {
			t.Errorf("%s, %s, %s (-want +got):\n%s", tt.form, p.Form, p.Form.Title(), d)
		}
		forms = append(forms, p.Form)
	}
	if d := cmp.Diff(Forms(), forms, cmpopts.SortSlices(func(a, b Form) bool { return a < b })); d != "" {
		t.Errorf("forms (-all +here):\n%s", d)
	}
}
