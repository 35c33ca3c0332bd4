package stream

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/files"
)

// share is a metric of words in common. Its rows are no whole numbers, and texts with the words
// "bad", "inf" or "broken" have errors.
type share struct {
	calls *atomic.Int64 // of Append
	wide  bool          // another width, to be told apart
}

func (s share) Info() mteval.Info {
	return mteval.Info{Name: "share", Signature: mteval.Signature{{Key: "wide", Value: fmt.Sprint(s.wide)}}, Scale: 1}
}
func (s share) Width() int {
	if s.wide {
		return 3
	}
	return 2
}
func (s share) Score(row []float64) float64 {
	mteval.CheckRow(row, s.Width())
	return row[0] / max(row[1], 1)
}

var errBroken = errors.New("broken for all")

func (s share) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	for i, all := range refs {
		for k, r := range all {
			if strings.Contains(r, "bad") {
				return nil, &mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: k, Err: mteval.ErrTooLong}
			}
		}
	}
	return &prepared{s, refs}, ctx.Err()
}

type prepared struct {
	s    share
	refs [][]string
}

func (p *prepared) Len() int { return len(p.refs) }
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if p.s.calls != nil {
		p.s.calls.Add(1)
	}
	out := dst
	for i, h := range hyps {
		switch {
		case strings.Contains(h, "broken"):
			return dst, errBroken
		case strings.Contains(h, "bad"):
			return dst, &mteval.SegmentError{Segment: i, Side: mteval.HypothesisSide, Index: i, Err: mteval.ErrTooLong}
		}
		n := 0.
		for _, w := range strings.Fields(h) {
			if strings.Contains(" "+p.refs[i][0]+" ", " "+w+" ") {
				n++
			}
		}
		row := make([]float64, p.s.Width())
		if row[0], row[1] = n/3, 1; strings.Contains(h, "inf") {
			row[0] = math.Inf(1)
		}
		out = append(out, row...)
	}
	return out, ctx.Err()
}

func shareOptions() Options {
	return Options{Metrics: []Metric{{Scorer: share{}}}, Layout: Layout{Hypothesis: "h", References: []string{"r"}}, Name: "in", Decimals: -1}
}

func runText(t testing.TB, o Options, in string) (string, *Totals, error) {
	t.Helper()
	var out bytes.Buffer
	totals, err := Run(t.Context(), strings.NewReader(in), &out, o)
	return out.String(), totals, err
}

func TestRun(t *testing.T) {
	numbers := func(o *Options) {
		o.Layout = Layout{Format: TSV, NoHeader: true, Hypothesis: "1", References: []string{"2"}}
	}
	for _, tt := range []struct {
		name     string
		set      func(o *Options)
		in, want string
		err      string
		errs     []string // that are reported
	}{
		{"table", nil, "h\tx\tr\na b\t\ta b c\n\t\"\tq\n", "h\tx\tr\tshare\na b\t\ta b c\t0.666667\n\t\"\tq\t0.000000\n", "", nil},
		{"no end of line", nil, "h\tr\na\ta", "h\tr\tshare\na\ta\t0.333333", "", nil},
		{"header alone", nil, "h\tr", "h\tr\tshare", "", nil},
		{"CRLF", nil, "h\tr\r\na\ta\r\n", "h\tr\tshare\r\na\ta\t0.333333\r\n", "", nil},
		{"BOM", nil, "\ufeffh\tr\na\ta\n", "\ufeffh\tr\tshare\na\ta\t0.333333\n", "", nil},
		{"a CR within", nil, "h\tr\na\rb\ta\n", "h\tr\tshare\na\rb\ta\t0.333333\n", "", nil},
		{"decimals", func(o *Options) { o.Decimals = 2 }, "h\tr\na\ta\n", "h\tr\tshare\na\ta\t0.33\n", "", nil},
		{"numbers", numbers, "a\ta\nb\tc\n", "a\ta\t0.333333\nb\tc\t0.000000\n", "", nil},
		{"nothing, of numbers", numbers, "", "", "", nil},
		{"one column twice", func(o *Options) { o.Layout.References = []string{"h", "h"} }, "h\na\n", "h\tshare\na\t0.333333\n", "", nil},
		{"shard", func(o *Options) { o.Shard = Shard{2, 3} }, "h\tr\n1\ta\n2\ta\n3\ta\n4\ta\n5\ta", "h\tr\tshare\n2\ta\t0.000000\n5\ta\t0.000000", "", nil},

		{"space before JSON", nil, ` {"h":"a","r":"a"}`, ` {"h":"a","r":"a","share":0.3333333333333333}`, "", nil},
		{"a long line of another shard", func(o *Options) { o.Shard, o.MaxLine = Shard{1, 2}, 10 }, "h\tr\na\ta\n" + strings.Repeat("x", 3*readBuffer) + "\nb\tb\nc\tc\n", "h\tr\tshare\na\ta\t0.333333\nb\tb\t0.333333\n", "", nil},

		{"empty", nil, "", "", "in: the file is empty", nil},
		{"no column", nil, "h\tref\na\ta\n", "", `in:1: the header has no column "r": it has h, ref`, nil},
		{"column twice", nil, "h\tr\tr\na\ta\n", "", `in:1: the header has two columns "r"`, nil},
		{"column of the metric", nil, "h\tr\tshare\na\ta\t1\n", "", "in:1: the header has a column share already", nil},
		{"no such number", numbers, "a\n", "", "in:1: there is no column 2: the line has 1", nil},
		{"name for a number", func(o *Options) { o.Layout.NoHeader = true }, "a\ta\n", "", `in:1: column "h": without a header columns are numbers from 1`, nil},
		{"bytes in the header", nil, "h\tr\t\xff\n", "", "in:1: byte 5 (0xff) is not valid UTF-8", nil},

		{"columns", nil, "h\tr\na\ta\nb\nc\tc\n", "", "in:3: 1 columns, where the first line has 2", nil},
		{"columns, skipped", skip, "h\tr\na\ta\nb\nc\tc\n", "h\tr\tshare\na\ta\t0.333333\nc\tc\t0.333333\n", "", []string{"in:3: 1 columns, where the first line has 2"}},
		{"columns, null", null, "h\tr\na\ta\nb\t\t\nc\tc\n", "", "in:3: 3 columns, where the first line has 2", nil},
		{"empty line", skip, "h\tr\n\n\r\na\ta", "h\tr\tshare\na\ta\t0.333333", "", []string{"in:2: the line is empty, where others have 2 columns", "in:3: the line is empty, where others have 2 columns"}},
		{"bytes", null, "h\tr\na\xff\ta\nb\tb\n", "h\tr\tshare\na\xff\ta\t\nb\tb\t0.333333\n", "", []string{"in:2: byte 2 (0xff) is not valid UTF-8"}},
		{"metric's errors", null, "h\tr\nbad\ta\r\na\ta\nb\tbad\ninf\tb", "h\tr\tshare\nbad\ta\t\r\na\ta\t0.333333\nb\tbad\t\ninf\tb\t", "",
			[]string{"in:2: share: hypothesis: text is too long", "in:4: share: reference: text is too long", "in:5: share: the score is +Inf, and no number"}},
		{"the first error", nil, "h\tr\na\ta\nbad\ta\nb\n", "", "in:3: share: hypothesis: text is too long", nil},
		{"error of all", skip, "h\tr\nbroken\ta\n", "", "share: broken for all", nil},
		{"named", func(o *Options) { skip(o); o.Layout.ID = "i" }, "i\th\tr\nseg\t7\tbad\n", "i\th\tr\tshare\n", "", []string{"in:2: seg: share: reference: text is too long"}},
		{"long line", func(o *Options) { o.MaxLine = 8; skip(o) }, "h\tr\n12345\t78\n123456\t89\nb\tb\n", "h\tr\tshare\n12345\t78\t0.000000\nb\tb\t0.333333\n", "",
			[]string{"in:3: too large to be read: a line of more than 8 bytes"}},
		{"long line, null", func(o *Options) { o.MaxLine = 8; null(o) }, "h\tr\n123456\t89\nb\tb\n", "", "in:2: too large to be read: a line of more than 8 bytes", nil},
		{"references", func(o *Options) { o.Layout.References = []string{"r", "s"}; o.Layout.SkipEmptyRefs = true }, "h\tr\ts\na\t \ta\na\t\t\n",
			"h\tr\ts\tshare\na\t \ta\t0.333333\na\t\t\t0.000000\n", "", nil},

		{"JSON", nil, `{"h":"a","r":"a"}` + "\n" + ` { "r" : [ "x" , "b" ], "h":"\u0061\n", "n":1.0e5 } ` + "\r\n", `{"h":"a","r":"a","share":0.3333333333333333}` + "\n" + ` { "r" : [ "x" , "b" ], "h":"\u0061\n", "n":1.0e5,"share":0 } ` + "\r\n", "", nil},
		{"JSON without lines", func(o *Options) { o.Layout.Format = JSONLines }, "", "", "", nil},
		{"JSON, no end", func(o *Options) { o.Decimals = 1 }, `{"h":"a","r":"a"}`, `{"h":"a","r":"a","share":0.3}`, "", nil},
		{"JSON, nulls", null, `{"h":"bad","r":"a"}` + "\n{}\n" + `{"h":1,"r":"a"}` + "\n" + `{"h":"a","r":"a"}`, `{"h":"bad","r":"a","share":null}` + "\n" + `{"share":null}` + "\n" + `{"h":1,"r":"a","share":null}` + "\n" + `{"h":"a","r":"a","share":0.3333333333333333}`, "",
			[]string{"in:1: share: hypothesis: text is too long", "in:2: no field h", "in:3: field h: a number, where a text is wanted"}},
		{"JSON, skipped", skip, strings.Join([]string{`{"h":"a","r":[]}`, `{"h":"a","r":["a",null]}`, `{"h":"a","h":"b","r":"a"}`, `{"h":"a","r":"a","r":"a"}`, `{"h":"\ud800","r":"a"}`, `{"h":"�\ufffd","r":"�"}`,
			`{"h":"a","r":{}}`, `{"h":"a"}`, `[1]`, `{"h":"a","r":"a"`, "", `{"h":true,"r":"a"}`, `{"h":"a","r":"a"} 1`}, "\n"), `{"h":"�\ufffd","r":"�","share":0}` + "\n", "",
			[]string{"in:1: field r: no reference", "in:2: field r: null, where a text is wanted", "in:3: field h stands there twice", "in:4: field r stands there twice",
				"in:5: field h: half a surrogate pair, which is no character", "in:7: field r: an object, where a text is wanted", "in:8: no field r", "in:9: not a JSON object",
				"in:10: not JSON: unexpected end of JSON input", "in:11: the line is empty, and no JSON object", "in:12: field h: a truth value, where a text is wanted",
				"in:13: not JSON: invalid character '1' after top-level value"}},
		{"JSON, not an object, null", null, `{"h":"a","r":"a"}` + "\n[]\n", "", "in:2: not a JSON object", nil},
		{"JSON with the field", skip, `{"h":"a","r":"a"}` + "\n" + `{"h":"a","r":"a","sh\u0061re":1}`, "", "in:2: the object has a field share already", nil},
		{"JSON, references", func(o *Options) { o.Layout.References = []string{"r", "s"}; o.Layout.SkipEmptyRefs = true }, `{"h":"a","s":"a"}` + "\n" + `{"h":"a","r":null,"s":["","a"]}` + "\n",
			`{"h":"a","s":"a","share":0.3333333333333333}` + "\n" + `{"h":"a","r":null,"s":["","a"],"share":0.3333333333333333}` + "\n", "", nil},
		{"JSON, named", func(o *Options) { skip(o); o.Layout.ID = "i" }, `{"i":17,"h":"bad","r":""}` + "\n" + `{"i":"\u001b","h":"bad","r":""}` + "\n" + `{"h":"a","r":"b"}`, `{"h":"a","r":"b","share":0}`, "",
			[]string{"in:1: 17: share: hypothesis: text is too long", `in:2: \u001b: share: hypothesis: text is too long`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, size := range []int{0, 1, 2} {
				o := shareOptions()
				if tt.set != nil {
					tt.set(&o)
				}
				o.blockLines = size
				var errs []string
				o.Report = func(at *files.LineError) { errs = append(errs, at.Error()) }
				got, totals, err := runText(t, o, tt.in)
				switch {
				case tt.err != "":
					if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
						t.Errorf("error %v, want %s", err, tt.err)
					}
					continue
				case err != nil:
					t.Fatal(err)
				}
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("blocks of %d (-want +got):\n%s", size, d)
				}
				if d := cmp.Diff(tt.errs, errs); d != "" {
					t.Errorf("errors (-want +got):\n%s", d)
				}
				if totals.Errors != int64(len(tt.errs)) {
					t.Errorf("%d errors are counted, want %d", totals.Errors, len(tt.errs))
				}
			}
		})
	}
}

func skip(o *Options) { o.OnError = Skip }
func null(o *Options) { o.OnError = Null }

// Options that say nothing, or what can't be.
func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		set  func(o *Options)
		want string
	}{
		{func(o *Options) { o.Metrics = nil }, "stream: no metric"},
		{func(o *Options) { o.Metrics = append(o.Metrics, o.Metrics...) }, "stream: two metrics are called share"},
		{func(o *Options) { o.Metrics[0].Corpus = share{wide: true} }, "stream: share has rows of 2 numbers, and of 3 for the corpus"},
		{func(o *Options) { o.Layout.Hypothesis = "" }, "stream: no column of hypotheses is named"},
		{func(o *Options) { o.Layout.References = []string{""} }, "stream: reference 1 names no column"},
		{func(o *Options) { o.Layout.References = []string{"r", ""} }, "stream: reference 2 names no column"},
		{func(o *Options) { o.Layout.References = nil }, "share: no reference: it reads references"},
		{func(o *Options) { o.Shard = Shard{3, 2} }, "stream: no shard 3 of 2"},
		{func(o *Options) { o.OnError = "go on" }, `stream: OnError "go on" is none of fail, skip, null`},
		{func(o *Options) { o.Filter = &Filter{Variables: []string{"x"}} }, `stream: no variable "x": have share, hyp_len, ref_len, len_ratio`},
	} {
		o := shareOptions()
		tt.set(&o)
		if _, _, err := runText(t, o, "h\tr\n"); err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// A filter sees scores and lengths, and lines with an error don't come through it.
func TestFilter(t *testing.T) {
	var seen [][]float64
	o := shareOptions()
	o.OnError, o.Workers = Null, 1
	o.Layout = Layout{Hypothesis: "h", References: []string{"r", "q"}, Source: "s"}
	o.Filter = &Filter{Variables: []string{"len_ratio", "share", "hyp_len", "ref_len", "src_len", "hyp_src_ratio", "ref_src_ratio"}, Keep: func(v []float64) (bool, error) {
		seen = append(seen, append([]float64{}, v...))
		if v[2] == 3 {
			return false, errors.New("three")
		}
		return v[1] > 0, nil
	}}
	got, totals, err := runText(t, o, "h\tr\tq\ts\na b\ta b c d\ta b c\tx\nb\tc\tc d\t\n\t\t\t\nbad\tb\tb\tb\na, b\tx\ta\tx\na\ta\ta\t\n")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("h\tr\tq\ts\tshare\na b\ta b c d\ta b c\tx\t0.666667\na\ta\ta\t\t0.333333\n", got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	inf := math.Inf(1)
	want := [][]float64{{2. / 3, 2. / 3, 2, 3, 1, 2, 3}, {1, 0, 1, 1, 0, inf, inf}, {1, 0, 0, 0, 0, 1, 1}, {3, 0, 3, 1, 1, 3, 1}, {1, 1. / 3, 1, 1, 0, inf, inf}}
	if d := cmp.Diff(want, seen); d != "" {
		t.Errorf("values (-want +got):\n%s", d)
	}
	if totals.Errors != 2 || totals.Written != 2 || totals.Results[0].Segments != 2 || totals.Unfiltered[0].Segments != 4 {
		t.Errorf("%+v", totals)
	}
	if d := cmp.Diff([]string{"chrfpp", "bertscore_lexical", "hyp_len", "src_len", "hyp_src_ratio"}, Variables([]string{"chrf++", "bertscore-lexical"}, false, true)); d != "" {
		t.Error(d)
	}
	o.Metrics = append(o.Metrics, Metric{Scorer: renamed{share{}, "share+"}}, Metric{Scorer: renamed{share{}, "sharep"}})
	if _, _, err := runText(t, o, ""); err == nil || err.Error() != "stream: share+ and sharep are both sharep in a filter" {
		t.Error(err)
	}
}

type renamed struct {
	mteval.Scorer
	name string
}

func (r renamed) Info() mteval.Info { return mteval.Info{Name: r.name} }

// Many lines with an error don't cost a block each.
func TestManyErrors(t *testing.T) {
	var calls atomic.Int64
	o := shareOptions()
	o.OnError, o.Metrics = Skip, []Metric{{Scorer: share{calls: &calls}}}
	var in strings.Builder
	in.WriteString("h\tr\n")
	for i := range 512 {
		fmt.Fprintf(&in, "%s\ta\n", []string{"a", "bad"}[i%2])
	}
	if _, totals, err := runText(t, o, in.String()); err != nil || totals.Errors != 256 {
		t.Errorf("%v, %v", totals, err)
	}
	if n := calls.Load(); n > 2*512 {
		t.Errorf("%d calls", n)
	}
}

// The totals are those of the whole corpus, and those of shards add up.
func TestTotals(t *testing.T) {
	b, err := bleu.New(bleu.Options{EffectiveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	whole, c := &bleu.Scorer{}, &chrf.Scorer{}
	o := Options{Metrics: []Metric{{Scorer: b, Corpus: whole}, {Scorer: c}, {Scorer: share{}}}, Layout: Layout{Hypothesis: "h", References: []string{"r"}}, Decimals: 2, blockLines: 7}
	var in strings.Builder
	var hyps []string
	var refs [][]string
	for i := range 50 {
		h, r := fmt.Sprintf("word %d of %d and %d", i%3, i%7, i), fmt.Sprintf("word %d of %d or %d", i%3, i%5, i)
		fmt.Fprintf(&in, `{"h":%q,"r":[%q,"x"]}`+"\n", h, r)
		hyps, refs = append(hyps, h), append(refs, []string{r, "x"})
	}
	all, totals, err := runText(t, o, in.String())
	if err != nil || strings.Count(all, "\n") != 50 {
		t.Fatal(all, err)
	}
	for m, s := range []mteval.Scorer{whole, c, share{}} {
		want, err := mteval.Corpus(t.Context(), s, refs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		r := totals.Results[m]
		if r.Score != want.Score || r.Signature != want.Signature.String() || !cmp.Equal(r.Row, want.Sum) || r.Segments != 50 || r.References != [2]int{2, 2} {
			t.Errorf("%+v, want %v", r, want)
		}
	}
	var shards []*Totals
	for i := range 3 {
		o.Shard = Shard{i + 1, 3}
		_, part, err := runText(t, o, in.String())
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, part)
	}
	sum, err := Add(o, shards...)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(totals, sum, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })); d != "" {
		t.Errorf("of shards (-want +got):\n%s", d)
	}
	if !cmp.Equal(totals.Results[:2], sum.Results[:2]) {
		t.Errorf("counts do not add up: %+v", sum.Results)
	}
	for _, tt := range []struct {
		change func(t *Totals)
		want   string
	}{
		{func(t *Totals) { t.Results = t.Results[:1] }, "field results: 1 metrics, not 3"},
		{func(t *Totals) { t.Results[2].Row = nil }, "field results: share with rows of 0 numbers, not share with 2"},
		{func(t *Totals) { t.Results[2].References[0] = -1 }, "field results: share: references from -1 to 2"},
		{func(t *Totals) { t.Lines = 49 }, "field lines: 49, where shard 1 of 1 has 50 of 50"},
		{func(t *Totals) { t.Lines = -1 }, "field lines: -1, where shard 1 of 1 has 50 of 50"},
		{func(t *Totals) { t.Errors = 51 }, "field errors: 51 of 50 lines"},
		{func(t *Totals) { t.Errors = 1 }, "field results: bleu: 50 segments, where 49 lines have scores"},
		{func(t *Totals) { t.Written = 51 }, "field written: 51 of 50 lines"},
		{func(t *Totals) { t.Reason = "x" }, "field reason: 50 of 50 lines have no errors"},
		{func(t *Totals) { t.Input.Bytes = 3 }, "field input: 50 lines of 3 bytes"},
		{func(t *Totals) { t.Input.Sum = "x" }, `field input.crc32c: "x" is no such sum`},
		{func(t *Totals) { t.Shard.Number = 0 }, "field shard: 0 of 1"},
		{func(t *Totals) { t.Results[2].Row = []float64{math.Inf(1), math.Inf(1)} }, "field results: share: +Inf, which is no number"},
		{func(t *Totals) { t.Results[2].Signature = "x" }, "field results: share has other options there: x, here nrefs:2|wide:false|version:mteval-" + mteval.Version},
		{func(t *Totals) { t.Options[7].Value = "true" }, `other options: the filter was "true", and is ""`},
		{func(t *Totals) { t.Unfiltered = t.Results }, "field unfiltered: 3 metrics, not 0"},
	} {
		other := *totals
		other.Results = append([]Result{}, totals.Results...)
		other.Options = append([]Option{}, totals.Options...)
		tt.change(&other)
		if _, err := Add(o, &other); err == nil || err.Error() != "stream: totals 1: "+tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// draw is a text of lines, some with errors, and the options of a run of it.
func draw(t *rapid.T) (string, Options) {
	o := shareOptions()
	o.OnError = rapid.SampledFrom([]OnError{Skip, Null}).Draw(t, "on error")
	word := rapid.SampledFrom([]string{"a", "b c", "bad", "ü", "\xff", "c b a", ""})
	jsonl := rapid.Bool().Draw(t, "json")
	var b strings.Builder
	if !jsonl {
		b.WriteString("h\tr\n")
	}
	n := rapid.IntRange(0, 30).Draw(t, "lines")
	for i := range n {
		h, r := word.Draw(t, "h"), word.Draw(t, "r")
		if i == 0 { // so that not all have the same error
			h, r = "a", "b c"
		}
		if jsonl {
			fmt.Fprintf(&b, `{"h": "%s", "r": "%s"}`, h, r)
		} else {
			b.WriteString(h + "\t" + r)
		}
		if i < n-1 || rapid.Bool().Draw(t, "end") {
			b.WriteString("\n")
		}
	}
	if jsonl {
		o.Layout.Format = JSONLines
	}
	if rapid.Bool().Draw(t, "filter") {
		o.Filter = &Filter{Text: "some", Variables: []string{"share", HypLen}, Keep: func(v []float64) (bool, error) { return v[0] > 0 || v[1] == 1, nil }}
	}
	return b.String(), o
}

// Neither the blocks nor the workers nor how it is read change a byte, and the lines of shards in
// turn are the whole.
func TestSplits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in, o := draw(rt)
		want, totals, err := runText(t, o, in)
		if err != nil {
			rt.Fatal(err)
		}
		o.blockLines, o.blockBytes, o.Workers = rapid.IntRange(1, 9).Draw(rt, "block"), rapid.IntRange(1, 99).Draw(rt, "bytes"), rapid.IntRange(1, 4).Draw(rt, "workers")
		var out bytes.Buffer
		again, err := Run(t.Context(), iotest.OneByteReader(strings.NewReader(in)), &out, o)
		if err != nil || out.String() != want || !cmp.Equal(totals, again) {
			rt.Fatalf("%v\n%s\nwant\n%s", err, out.String(), want)
		}
		if o.Filter != nil || o.OnError == Skip {
			return
		}
		n := rapid.IntRange(1, 4).Draw(rt, "shards")
		var parts []*strings.Reader
		head := "h\tr\tshare\n"
		if o.Layout.Format == JSONLines {
			head = ""
		}
		for i := range n {
			o.Shard = Shard{i + 1, n}
			part, _, err := runText(t, o, in)
			if err != nil {
				rt.Fatal(err)
			}
			parts = append(parts, strings.NewReader(strings.TrimPrefix(part, head)))
		}
		merged := head
		for i := 0; parts[i%n].Len() > 0; i++ {
			for c := byte(0); c != '\n' && parts[i%n].Len() > 0; {
				c, _ = parts[i%n].ReadByte()
				merged += string([]byte{c})
			}
		}
		if merged != want {
			rt.Fatalf("of %d shards:\n%s\nwant\n%s", n, merged, want)
		}
	})
}

// A line's score is the same whatever lines are before it and whoever scores it, also where texts
// are empty, blank or missing.
func TestEmptyTexts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{Metrics: []Metric{{Scorer: &chrf.Scorer{}}}, Layout: Layout{Hypothesis: "h", References: []string{"r", "q"}}, Decimals: -1}
		o.Layout.SkipEmptyRefs = rapid.Bool().Draw(rt, "skip")
		asJSON := rapid.Bool().Draw(rt, "json")
		head, layout := "h\tr\tq\n", "%s\t%s\t%s\n"
		if asJSON {
			head, layout = "", `{"h":"%s","r":"%s","q":"%s"}`+"\n"
		}
		text := rapid.SampledFrom([]string{"", " ", "a b", "a c", "b"})
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf(layout, text.Draw(t, "h"), text.Draw(t, "r"), text.Draw(t, "q"))
		}), 1, 20).Draw(rt, "lines")
		want := ""
		for i, line := range lines {
			one, _, err := runText(t, o, head+line)
			if err != nil {
				rt.Fatal(err)
			}
			if i > 0 && !asJSON {
				_, one, _ = strings.Cut(one, "\n")
			}
			want += one
		}
		o.blockLines, o.Workers = rapid.IntRange(1, 5).Draw(rt, "block"), rapid.IntRange(1, 3).Draw(rt, "workers")
		if got, _, err := runText(t, o, head+strings.Join(lines, "")); err != nil || got != want {
			rt.Fatalf("%v\n%s\nwant\n%s", err, got, want)
		}
	})
}

// Who reads or writes may fail or wait for ever.
func TestFailing(t *testing.T) {
	in := "h\tr\n" + strings.Repeat("a\ta\n", 100)
	o := shareOptions()
	o.blockLines = 10
	broken := errors.New("broken pipe")
	var out bytes.Buffer
	_, err := Run(t.Context(), io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), &out, o)
	if !errors.Is(err, broken) || err.Error() != "in:102: broken pipe" || strings.Count(out.String(), "\n") != 101 {
		t.Errorf("reader: %v, %d lines", err, strings.Count(out.String(), "\n"))
	}
	_, err = Run(t.Context(), iotest.ErrReader(broken), &out, o)
	if !errors.Is(err, broken) {
		t.Errorf("reader at once: %v", err)
	}
	for _, n := range []int{0, 1, 500} {
		_, err = Run(t.Context(), strings.NewReader(in), &full{left: n}, o)
		if !errors.Is(err, errFull) {
			t.Errorf("writer: %v", err)
		}
	}
	if _, err = Run(t.Context(), strings.NewReader(in), short{}, o); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("short writes: %v", err)
	}
	for _, head := range []string{"", "h\tr\na\ta\n"} {
		r, w := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			io.WriteString(w, head)
			cancel()
		}()
		if _, err = Run(ctx, r, io.Discard, o); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		r.Close()
	}
	o.Pack = func(dst, data []byte) ([]byte, error) { return nil, broken }
	if _, _, err = runText(t, o, in); !errors.Is(err, broken) {
		t.Errorf("packing: %v", err)
	}
}

var errFull = errors.New("no space left")

// full is a disk with so many bytes left.
type full struct {
	bytes.Buffer
	left int
}

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n, _ := f.Buffer.Write(p[:f.left])
		f.left = 0
		return n, errFull
	}
	f.left -= len(p)
	return f.Buffer.Write(p)
}

type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) - 1, nil }

// As many blocks are held as there are workers to score them, and not the whole input.
func TestWindow(t *testing.T) {
	o := shareOptions()
	o.blockLines, o.Workers = 1, 2
	r, w := io.Pipe()
	var written atomic.Int64
	stuck := make(chan struct{})
	done := make(chan error)
	go func() {
		_, err := Run(t.Context(), r, writeFunc(func(p []byte) (int, error) { <-stuck; return len(p), nil }), o)
		done <- err
	}()
	go func() {
		io.WriteString(w, "h\tr\n")
		line := strings.Repeat("a", 1<<16) + "\tb\n"
		for range 500 {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
			written.Add(1)
		}
		w.Close()
	}()
	// Until it does not go on.
	for last := int64(-1); last != written.Load(); time.Sleep(50 * time.Millisecond) {
		last = written.Load()
	}
	if n := written.Load(); n > 40 {
		t.Errorf("%d lines are taken while none can be written", n)
	}
	close(stuck)
	if err := <-done; err != nil || written.Load() != 500 {
		t.Errorf("%v, %d lines", err, written.Load())
	}
}

type writeFunc func(p []byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

// Lines that come slowly are written before others come, unless they are compressed.
func TestSlow(t *testing.T) {
	in, feeder := io.Pipe()
	reader, out := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := Run(t.Context(), in, out, shareOptions())
		out.Close()
		done <- err
	}()
	lines := bufio.NewReader(reader)
	for _, step := range []struct{ in, want string }{
		{"h\tr\n", ""},
		{"a\ta\n", "h\tr\tshare\na\ta\t0.333333\n"},
		{"b\tb\nb\tc\nc", "b\tb\t0.333333\nb\tc\t0.000000\n"},
		{"\tc\n" + strings.Repeat("x", 2*readBuffer), "c\tc\t0.333333\n"},
		{"\tc\n", strings.Repeat("x", 2*readBuffer) + "\tc\t0.000000\n"},
	} {
		if _, err := io.WriteString(feeder, step.in); err != nil {
			t.Fatal(err)
		}
		for want := range strings.Lines(step.want) {
			if got, err := lines.ReadString('\n'); err != nil || got != want {
				t.Fatalf("%.99q, %v, want %.99q", got, err, want)
			}
		}
	}
	feeder.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Compressed output does not depend on when lines come.
func TestSlowPacked(t *testing.T) {
	o := shareOptions()
	o.Pack, o.blockLines = packed, 3
	const text = "h\tr\na\ta\nb\tb\nc\tc\nd\td\n"
	want, _, err := runText(t, o, text)
	if err != nil {
		t.Fatal(err)
	}
	in, feeder := io.Pipe()
	go func() {
		defer feeder.Close()
		for line := range strings.Lines(text) {
			_, _ = io.WriteString(feeder, line)
			time.Sleep(2 * patience)
		}
	}()
	var out bytes.Buffer
	if _, err := Run(t.Context(), in, &out, o); err != nil || out.String() != want {
		t.Errorf("%d bytes, %v, want %d", out.Len(), err, len(want))
	}
}
