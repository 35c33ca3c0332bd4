package files

import (
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// from reads a text by the name f.
func from[T any](read func(r io.Reader, name string, o Options) (T, error), text string) (T, error) {
	return read(strings.NewReader(text), "f", Options{})
}

func judgementsFrom(text string, o JudgementOptions) ([]human.Judgement, error) {
	return ReadJudgements(strings.NewReader(text), "f", o)
}

func pairsOf(lp string) func(r io.Reader, name string, o Options) (*human.Pairs, error) {
	return func(r io.Reader, name string, o Options) (*human.Pairs, error) { return ReadPairs(r, name, lp, o) }
}

func TestReadScores(t *testing.T) {
	nan := math.NaN()
	want := &metaeval.Scores{Systems: []string{"a", "b"}, Items: []string{"1", "x::2"}, Values: []float64{.5, nan, -1, 3e-2}}
	for name, text := range map[string]string{
		"plain":         "a\t1\t.5\na\tx::2\tNA\nb\t1\t-1\nb\tx::2\t3e-2\n",
		"missing first": "a\t1\t.5\na\tx::2\t\nb\t1\t-1\n\nb\tx::2\t0.03",
		"header":        "system\tsegment\tscore\na\t1\t.5\na\tx::2\tnone\nb\t1\t-1\nb\tx::2\t3e-2\n",
		"other order":   "SCORE\tSYS\tSID\n.5\ta\t1\nNaN\ta\tx::2\n-1\tb\t1\n.03\tb\tx::2\n",
		"more columns":  "system\tsid\tz\tscore\tsource\na\t1\tx\t.5\t\na\tx::2\ty\tnan\t\nb\t1\tz\t-1\tt\nb\tx::2\t\t.03\t\t\n",
		"own name":      "system\tsid\thuman_z\na\t1\t.5\nb\t1\t-1\nb\tx::2\t.03\n",
		"spaces around": " a \t 1\t.5 \nb\t1\t -1\nb\tx::2\t.03\n",
	} {
		got, err := from(ReadScores, text)
		if name == "more columns" {
			if err == nil || err.Error() != "f:5: 6 columns, the line before has 5" {
				t.Errorf("%s: %v", name, err)
			}
			got, err = from(ReadScores, strings.Replace(text, "\t\t\n", "\t\n", 1))
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestReadJudgements(t *testing.T) {
	got, err := OpenJudgements(t.Context(), "testdata/hits.csv", JudgementOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 16 {
		t.Fatalf("%d judgements", len(got))
	}
	want := human.Judgement{Judge: "ann", System: "north.1", Item: "1", Source: "xx", Target: "yy", Score: 70}
	if got[0] != want {
		t.Errorf("%+v, want %+v", got[0], want)
	}
	kinds := make(map[human.Kind]int)
	for _, j := range got {
		kinds[j.Kind]++
	}
	if d := cmp.Diff(map[human.Kind]int{human.SystemOutput: 8, human.Degraded: 6, human.Repeat: 1, human.Reference: 1}, kinds); d != "" {
		t.Error(d)
	}

	got, err = OpenJudgements(t.Context(), "testdata/appraise.csv", JudgementOptions{})
	ann := human.Judgement{Judge: "ann01", System: "north", Item: "doc.a::1", Source: "eng", Target: "xyz", Score: 71}
	if err != nil || len(got) != 7 || got[0] != ann {
		t.Errorf("%d judgements, %v: %+v", len(got), err, got[0])
	}
	got, err = OpenJudgements(t.Context(), "testdata/appraise.csv", JudgementOptions{Documents: true})
	ann.Item, ann.Score = "doc.a", 68
	if err != nil || len(got) != 1 || got[0] != ann {
		t.Errorf("documents: %v: %+v", err, got)
	}

	for _, column := range []string{"adequacy", "Fluency"} {
		got, err = OpenJudgements(t.Context(), "testdata/judgements.tsv", JudgementOptions{Scale: human.FivePoint(), Column: column})
		if err != nil || len(got) != 8 {
			t.Errorf("%s: %d judgements, %v", column, len(got), err)
		}
	}
	if got[7].Score != 2 {
		t.Errorf("%+v", got[7])
	}

	// Systems with the same output share what is said of it.
	text := "judge\tsystem\tsegment\tscore\nann\ta+b\t1\t50\n"
	got, err = judgementsFrom(text, JudgementOptions{Shared: "+"})
	if err != nil || len(got) != 2 || got[0].System != "a" || got[1].System != "b" || got[1].Score != 50 {
		t.Errorf("%v, %v", got, err)
	}
	got, err = judgementsFrom(text, JudgementOptions{})
	if err != nil || len(got) != 1 || got[0].System != "a+b" {
		t.Errorf("%v, %v", got, err)
	}

	// Appraise without documents, with and without columns for batches.
	for _, more := range []string{"", ",3,7"} {
		got, err = judgementsFrom("u,s,678,CHK,zho,eng,76,1511470503.271,1511470509.224"+more, JudgementOptions{})
		if err != nil || len(got) != 1 || got[0].Item != "678" || got[0].Kind != human.Repeat || got[0].Score != 76 {
			t.Errorf("%v, %v", got, err)
		}
	}
	// Whole documents, and z scores, in WMT's tables.
	got, err = judgementsFrom("HITId\tWorkerId\tInput.src\tInput.trg\tInput.item\thit\tsys_id\trid\ttype\tdoc_id\tdoc_snts\tscore\ttime\nNA\tw\tbn\thi\tad\tNA\t\"U.4\"\tNA\tSYSTEM\tnews.7\t5\t-1.25\t0\n", JudgementOptions{Scale: human.AnyScore()})
	if err != nil || len(got) != 1 || got[0].Item != "news.7" || got[0].Score != -1.25 || got[0].System != "U.4" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestReadSegments(t *testing.T) {
	got, err := OpenWMTSegments(t.Context(), "testdata/segments.csv", Options{})
	nan := math.NaN()
	want := &human.SegmentScores{
		Raw: &metaeval.Scores{Systems: []string{"north.1", "south.2"}, Items: []string{"1", "2"}, Values: []float64{80, 70, 60.5, nan}},
		Z:   &metaeval.Scores{Systems: []string{"north.1", "south.2"}, Items: []string{"1", "2"}, Values: []float64{.5, .1, -.25, nan}},
		N:   &metaeval.Scores{Systems: []string{"north.1", "south.2"}, Items: []string{"1", "2"}, Values: []float64{1, 3, 2, nan}},
	}
	if d := cmp.Diff(want, got, cmpopts.EquateNaNs()); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	systems := []human.SystemScore{{System: "north.1", Raw: 75, Z: .3, Segments: 2, Judgements: 4}, {System: "south.2", Raw: 60.5, Z: -.25, Segments: 1, Judgements: 2}}
	if d := cmp.Diff(systems, got.SystemScores(), cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	// Commas, tabs, and both kinds of segment numbers.
	for _, sep := range []string{",", "\t", " "} {
		text := strings.ReplaceAll("SYS SEGID RAW.SCR Z.SCR N SID\na d::1 100.0 1.7 2 571\n", " ", sep)
		got, err := from(ReadWMTSegments, text)
		if err != nil || got.Raw.Items[0] != "d::1" || got.Raw.Values[0] != 100 || got.Z.Values[0] != 1.7 || got.N.Values[0] != 2 {
			t.Errorf("%q: %+v, %v", sep, got, err)
		}
	}
	read, err := from(ReadWMTSystems, "RAW.SCR Z.SCR N SYS N.ALL \n75 0.3 2 north.1 4 \n60.5 -0.25 1 \"south.2\" 2 \n")
	if d := cmp.Diff(systems, read, cmpopts.EquateApprox(0, 1e-12)); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}

func TestReadPairs(t *testing.T) {
	want := &human.Pairs{Systems: []string{"north.1", "south.2", "east.3"}, Items: []string{"1", "7"}, Pairs: []metaeval.Pair{
		{Item: 0, A: 0, B: 1, Human: 1}, {Item: 0, A: 2, B: 1, Human: 1}, {Item: 1, A: 1, B: 2, Human: 1}}}
	got, err := OpenPairs(t.Context(), "testdata/darr.csv", "xx-yy", Options{})
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
	data, err := os.ReadFile("testdata/darr.csv")
	if err != nil {
		t.Fatal(err)
	}
	for name, header := range map[string]string{"WMT18 without LP": "DATA SID BETTER WORSE", "WMT18 without DATA": "LP SID BETTER WORSE"} {
		got, err := from(pairsOf("xx-yy"), strings.Replace(string(data), "LP DATA SID BETTER WORSE", header, 1))
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
	for name, text := range map[string]string{
		"the difference": "LP DATA SID BETTER WORSE\nx-y n 1 north.1 south.2 26.5\nx-y n 1 east.3 south.2 40\nx-y n 7 south.2 east.3 99\n",
		"numbered":       "pair_id\tsid\tbetter\tworse\n0\t1\tnorth.1\tsouth.2\n1\t1\teast.3\tsouth.2\n2\t7\tsouth.2\teast.3\n",
		"system first":   "worse,better,segment\nsouth.2,north.1,1\nsouth.2,east.3,1\neast.3,south.2,7\n",
	} {
		got, err := from(pairsOf(""), text)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
	got, err = from(pairsOf(""), "judge\tsegment\ta\tb\tresult\nann\t1\tx\ty\t>\nbob\t1\ty\tx\t=\nbob\t2\tx\ty\t<\n")
	want = &human.Pairs{Systems: []string{"x", "y"}, Items: []string{"1", "2"}, Judges: []string{"ann", "bob", "bob"}, Pairs: []metaeval.Pair{
		{A: 0, B: 1, Human: 1}, {A: 1, B: 0, Human: 0}, {Item: 1, A: 0, B: 1, Human: -1}}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("%v\n%s", err, d)
	}
}

func TestReadMQM(t *testing.T) {
	es, err := OpenMQM(t.Context(), "testdata/mqm.tsv", Options{})
	if err != nil || len(es) != 9 {
		t.Fatalf("%d errors, %v", len(es), err)
	}
	want := human.MQMError{System: "north", Doc: "talk", DocItem: "1", Item: "1", Rater: "rater1", Source: `Ein "Haus".`,
		Target: "A <v>hause</v>.", Category: "Fluency/Spelling", Severity: "Minor"}
	if es[0] != want {
		t.Errorf("%+v, want %+v", es[0], want)
	}
}

// Errors name the file and the line, and what to do.
func TestReadErrors(t *testing.T) {
	judgements := func(o JudgementOptions) func(text string) error {
		return func(text string) error { _, err := judgementsFrom(text, o); return err }
	}
	scores := func(text string) error { _, err := from(ReadScores, text); return err }
	segments := func(text string) error { _, err := from(ReadWMTSegments, text); return err }
	systems := func(text string) error { _, err := from(ReadWMTSystems, text); return err }
	pairs := func(text string) error { _, err := from(pairsOf(""), text); return err }
	mqm := func(text string) error { _, err := from(ReadMQM, text); return err }
	const seg, sys = "SYS SID RAW.SCR Z.SCR N\n", "RAW.SCR Z.SCR N SYS N.ALL\n"
	var sparse strings.Builder
	for i := range 10000 {
		sparse.WriteString("s" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + "\tn" + string(rune('0'+i%10)) + string(rune('0'+i/10%10)) + string(rune('0'+i/100%10)) + string(rune('0'+i/1000)) + "\t1\n")
	}
	for _, tt := range []struct {
		read func(text string) error
		text string
		want string
	}{
		{scores, "", "f: no scores in it"},
		{scores, "system\tsegment\tscore\n", "f: no scores in it"},
		{scores, "a\t1\tNA\n", "f: no scores in it"},
		{scores, "a 1 0.5\n", "f:1: 1 columns: want system, segment and score with tabs between"},
		{scores, "\na\t0.5\n", "f:2: 2 columns: want system, segment and score with tabs between"},
		{scores, "a\t1\t2\t0.5\n", "f:1: 4 columns and no header: want system, segment and score, or a header that says which they are"},
		{scores, "a\t1\t0.5\na\t2\n", "f:2: 2 columns, the line before has 3"},
		{scores, "a\t1\t0,5\n", `f:1: the third column is "0,5", which is no finite number in decimal notation, and as a header the line has no column called system or sys or sys_id`},
		{scores, "a\t1\t0.5\na\t2\t0,5\n", `f:2: the score is "0,5", which is no finite number in decimal notation`},
		{scores, "a\t1\t0.5\na\t2\t-Inf\n", `f:2: the score is "-Inf", which is no finite number in decimal notation`},
		{scores, "a\t1\t1e999\n", `f:1: the third column is "1e999", which is no finite number in decimal notation, and as a header the line has no column called system or sys or sys_id`},
		{scores, "a\t1\t1\nb\t1\t2\na\t1\t1\n", "f:3: a second score of system a on segment 1, which has one on line 1"},
		{scores, "a\t1\t1\n\t1\t2\n", "f:2: column 1 is empty"},
		{scores, "system\tscore\tz\na\t1\t1\n", "f:1: no column is called segment or segid or seg_id or sid or seg or item: the header has system, score, z"},
		{scores, "SYS\tSID\tRAW.SCR\tZ.SCR\n", "f:1: no column is called score: the header has sys, sid, raw.scr, z.scr"},
		{scores, sparse.String(), "f: 10000 scores of 10000 systems on 10000 segments: a system should have scores on many of the segments, is a column taken for another?"},

		{judgements(JudgementOptions{}), "judge\tsystem\tsegment\tscore\n", "f: no scores in it"},
		{judgements(JudgementOptions{}), "judge\tsystem\tsegment\tscore\nann\ta\t1\t101\n", "f:2: score 101 is outside the scale from 0 to 100: set the scale that people were given, or human.AnyScore if scores are standardised already"},
		{judgements(JudgementOptions{Scale: human.FivePoint()}), "judge\tsystem\tsegment\tscore\nann\ta\t1\t2.5\n", "f:2: score 2.5 is between two points of the scale from 1 to 5: set the scale that people were given, or human.AnyScore if scores are standardised already"},
		{judgements(JudgementOptions{Column: "Adequacy"}), "judge\tsystem\tsegment\tscore\nann\ta\t1\t2\n", "f:1: no column is called adequacy: the header has judge, system, segment, score"},
		{judgements(JudgementOptions{}), "judge\tsystem\tsegment\tscore\tkind\nann\ta\t1\t2\tGOOD\n", `f:2: kind of output "GOOD": want SYSTEM (or TGT), REPEAT (or CHK), BAD_REF (or BAD) or REF`},
		{judgements(JudgementOptions{}), "judge\tsystem\tsegment\tscore\nann\ta\t1\n", "f:2: 3 columns, the header has 4"},
		{judgements(JudgementOptions{}), "judge\tsystem\tsegment\tscore\nann\t\t1\t3\n", "f:2: column 2 is empty"},
		{judgements(JudgementOptions{Shared: "+"}), "judge\tsystem\tsegment\tscore\nann\ta+\t1\t3\n", `f:2: "a+" has an empty name between "+"`},
		{judgements(JudgementOptions{}), "HITId WorkerId sys_id type sid score\n1 w \"a SYSTEM 3 4\n", "f:2: a double quote is open at the end of the line"},
		{judgements(JudgementOptions{}), "u,s,1,TGT,a,b,50\n", "f:1: 7 columns: want at least the nine of Appraise: judge, system, segment, kind, source and target language, score, start, end"},
		{judgements(JudgementOptions{}), "u,s,1,TGT,a,b,50,doc,maybe,0,1\n", `f:1: columns 8 and 9 are "doc" and "maybe": want a document and whether the score is of all of it, True or False, or the start and the end`},
		{judgements(JudgementOptions{Documents: true}), "u,s,1,TGT,a,b,50,1,2\n", "f:1: no document: the file has no scores of whole documents"},
		{judgements(JudgementOptions{}), "u,s,1,TGT,a,b,50,1,2\nu,\"s\"x,1,TGT,a,b,50,1,2\n", `f:2: extraneous or missing " in quoted-field`},

		{segments, "", "f: no scores in it"},
		{segments, seg, "f: no scores in it"},
		{segments, "SYS SID RAW.SCR N\n", "f:1: no column is called z.scr: the header has sys, sid, raw.scr, n"},
		{segments, seg + "a 1 50 0.5\n", "f:2: 4 columns, the header has 5"},
		{scores, "a\t1\t0.5\na\t2\t1_000\n", `f:2: the score is "1_000", which is no finite number in decimal notation`},
		{scores, "a\t1\t0.5\na\t2\t0x1p3\n", `f:2: the score is "0x1p3", which is no finite number in decimal notation`},
		{scores, "a\t1\t0.5\na\t2\tInfinity\n", `f:2: the score is "Infinity", which is no finite number in decimal notation`},
		{scores, "a\t1\t0.5\na\t2\t1e308\n", `f:2: the score is "1e308", too large to be calculated with: 1e+100 is the most`},
		{scores, "a\t1\t1_000\n", `f:1: the third column is "1_000", which is no finite number in decimal notation, and as a header the line has no column called system or sys or sys_id`},
		{judgements(JudgementOptions{Scale: human.AnyScore()}), "judge\tsystem\tsegment\tscore\na\ts\t1\tNaN\n", `f:2: the score is "NaN", which is no finite number in decimal notation`},
		{judgements(JudgementOptions{Scale: human.Scale{Max: 1e308}}), "judge\tsystem\tsegment\tscore\na\ts\t1\t-1e308\n", `f:2: the score is "-1e308", too large to be calculated with: 1e+100 is the most`},
		{judgements(JudgementOptions{}), "u,s,1,TGT,a,b,50,0x1p3,2\n", `f:1: columns 8 and 9 are "0x1p3" and "2": want a document and whether the score is of all of it, True or False, or the start and the end`},
		{segments, seg + "a 1 5_0 0.5 1\n", `f:2: the raw score is "5_0", which is no finite number in decimal notation`},
		{segments, seg + "a 1 50 1e101 1\n", `f:2: the z score is "1e101", too large to be calculated with: 1e+100 is the most`},
		{systems, sys + "0x1p3 0 3 a 5\n", `f:2: the raw score is "0x1p3", which is no finite number in decimal notation`},
		{segments, seg + "a 1 NA NA 1\n", "f: no scores in it"},
		{segments, seg + "a 1 50 N/A 1\n", `f:2: the z score is "N/A", which is no finite number in decimal notation`},
		{segments, seg + "a 1 x 0 1\n", `f:2: the raw score is "x", which is no finite number in decimal notation`},
		{segments, seg + "a 1 50 0 1.5\n", `f:2: the number of judgements is "1.5", which is no whole number from 0`},
		{segments, seg + "a 1 50 0 1\na 1 50 0 1\n", "f:3: a second score of system a on segment 1, which has one on line 2"},
		{systems, sys, "f: no scores in it"},
		{systems, sys + "50 0 3 a 5\n60 0 3 a 5\n", "f:3: a second score of system a, which has one on line 2"},
		{systems, sys + "50 0 -3 a 5\n", `f:2: the number of segments is "-3", which is no whole number from 0`},

		{pairs, "", "f: no scores in it"},
		{pairs, "SID BETTER\n", "f:1: no column is called worse: the header has sid, better"},
		{pairs, "SID BETTER WORSE\n1 a a\n", "f:2: system a against itself"},
		{pairs, "SID BETTER WORSE\n1 a\n", "f:2: 2 columns, the header has 3"},
		{pairs, "LP SID BETTER WORSE\nx-y 1 a b\nx-z 1 a b\n", "f:3: pairs of x-y and of x-z: say which of the language pairs to read"},
		{pairs, "LP SID BETTER WORSE\nx-y 1 a b\nx-y n 1 a b\n", "f:3: 5 columns, the header has 4"},
		{pairs, "segment\ta\tb\tresult\n1\tx\ty\tbetter\n", `f:2: result "better": want > where a is better, = or <`},
		{pairs, "judge\tsegment\tbetter\tworse\n\t1\tx\ty\n", "f:2: column 1 is empty"},

		{mqm, "", "f: no errors in it, nor remarks that there are none"},
		{mqm, "system\tdoc\n", "f:1: no column is called doc_id: the header has system, doc"},
		{mqm, "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\na\td\t1\t1\tr\ts\tt\tc\t\n", "f:2: column 9 is empty"},
	} {
		err := tt.read(tt.text)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%.80q:\n%v\nwant\n%s", tt.text, err, tt.want)
			continue
		}
		var at *LineError
		if errors.As(err, &at) == strings.HasPrefix(tt.want, "f: ") {
			t.Errorf("%.80q: %T", tt.text, err)
		}
	}
	for name, err := range map[string]error{
		"ReadPairs":  func() error { _, err := OpenPairs(t.Context(), "testdata/darr.csv", "zz-yy", Options{}); return err }(),
		"ReadScores": func() error { _, err := OpenScores(t.Context(), "testdata/none.tsv", Options{}); return err }(),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "testdata/") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A gzipped file is like any other.
func TestReadGzip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.tsv.gz")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(out)
	data, err := os.ReadFile("testdata/scores.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{func() error { _, err := z.Write(data); return err }(), z.Close(), out.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	a, errA := OpenScores(t.Context(), path, Options{})
	b, errB := OpenScores(t.Context(), "testdata/scores.tsv", Options{})
	if d := cmp.Diff(b, a, cmpopts.EquateNaNs()); errA != nil || errB != nil || d != "" {
		t.Errorf("%v, %v\n%s", errA, errB, d)
	}
	if !slices.Equal(b.Systems, []string{"north", "south"}) || b.Values[2] != -.001 || !math.IsNaN(b.Values[3]) {
		t.Errorf("%+v", b)
	}
}
