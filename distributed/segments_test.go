package distributed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/distributed"
)

func init() {
	distributed.Register("test-length", func(_ context.Context, options json.RawMessage) (mteval.Scorer, func() error, error) {
		if string(options) == `"broken"` {
			return nil, nil, errors.New("it is broken")
		}
		opened.Add(1)
		return length{}, func() error { closed.Add(1); return nil }, nil
	})
}

var opened, closed atomic.Int64

// length is the lengths of hypothesis, references and source, the last of which it can do without.
// It refuses texts with what they say.
type length struct{}

func (length) Info() mteval.Info         { return mteval.Info{Name: "length", Scale: 1} }
func (length) Width() int                { return 3 }
func (length) Score(x []float64) float64 { return x[0] + 100*x[1] + 10000*x[2] }
func (length) Inputs() mteval.Inputs {
	return mteval.Inputs{Sources: mteval.Optional, References: mteval.Optional}
}

func (l length) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return l.PrepareSources(ctx, make([]string, len(refs)), refs)
}

func (l length) PrepareSources(_ context.Context, sources []string, refs [][]string) (mteval.Prepared, error) {
	for i, r := range refs {
		for k, text := range r {
			if text == "bad reference" {
				return nil, &mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: k, Err: mteval.ErrTooLong}
			}
		}
		if sources[i] == "bad source" {
			return nil, &mteval.SegmentError{Segment: i, Side: mteval.SourceSide, Err: mteval.ErrTooLong}
		}
	}
	return &lengths{sources, refs}, nil
}

type lengths struct {
	sources []string
	refs    [][]string
}

func (l *lengths) Len() int { return len(l.refs) }

// lengthsOf counts what was given to all of them.
var lengthsOf atomic.Int64

func (l *lengths) Append(_ context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	lengthsOf.Add(int64(len(hyps)))
	start := len(dst)
	for k, h := range hyps {
		x := float64(len(h))
		switch h {
		case "bad hypothesis":
			return dst[:start], &mteval.SegmentError{Segment: segs[k], Side: mteval.HypothesisSide, Index: k, Err: mteval.ErrTooLong}
		case "NaN":
			x = math.NaN()
		}
		dst = append(dst, x, float64(len(l.refs[segs[k]])), float64(len(l.sources[segs[k]])))
	}
	return dst, nil
}

// scored scores records on Prism, and returns a line for each: that of its score, or of why there
// is none.
func scored(t *testing.T, records []distributed.Record, ds ...distributed.Description) []string {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	scores, bad := distributed.SegmentScores(s, beam.CreateList(s, records), ds)
	got, refused := gather[distributed.SegmentScore](s, scores), gather[distributed.Bad](s, bad)
	result := run(t, p)
	var out []string
	for _, x := range got() {
		out = append(out, fmt.Sprintf("%s: %v", x.ID, x.Scores))
	}
	n := int64(len(out))
	for _, x := range refused() {
		out = append(out, fmt.Sprintf("%s: %s", x.ID, x.Reason))
	}
	count := map[string]int64{}
	for _, c := range result.Metrics().AllMetrics().Counters() {
		if c.Key.Namespace == "mteval" {
			count[c.Key.Name] += c.Result()
		}
	}
	if count["scored"] != n || count["bad"] != int64(len(out))-n || len(out) != len(records) {
		t.Errorf("%d records, %d scored, %d bad; counted: %v", len(records), n, int64(len(out))-n, count)
	}
	slices.Sort(out)
	return out
}

func record(id, system, segment, hyp string, refs ...string) distributed.Record {
	return distributed.Record{Position: distributed.Position{ID: id}, System: system, Segment: segment, Hypothesis: hyp, References: refs}
}

func sourced(r distributed.Record, source string) distributed.Record {
	r.Source = &source
	return r
}

// Each record has scores or is bad, and one that is bad takes no other with it.
func TestSegmentScores(t *testing.T) {
	paper := difficulty.Options{LeaveOneOut: true}
	length := distributed.Description{Metric: "test-length"}
	wordf := distributed.Description{Metric: "wordf"}
	aware := distributed.Description{Metric: "wordf", Difficulty: &paper}
	for _, tt := range []struct {
		name    string
		ds      []distributed.Description
		records []distributed.Record
		want    []string
	}{
		{"refused", []distributed.Description{length}, []distributed.Record{
			record("a", "A", "1", "abc", "r"), record("b", "B", "1", "bad hypothesis", "r"), record("c", "C", "1", "ab", "r"),
			record("d", "A", "2", "a", "r", "bad reference"), record("e", "B", "2", "a", "other"),
			sourced(record("f", "A", "3", "ab", "r"), "src"), sourced(record("g", "B", "3", "ab"), "bad source"), record("h", "C", "3", ""),
			record("i", "A", "4", "NaN"), record("j", "A", "", "abc"),
		}, []string{
			"a: [103]", "b: test-length: hypothesis: text is too long", "c: [102]",
			"d: test-length: reference 2: text is too long", "e: [101]",
			"f: [30102]", "g: test-length: source: text is too long", "h: [0]",
			"i: test-length: hypothesis: the metric gave a row with NaN", "j: no segment",
		}},
		{"twice", []distributed.Description{length}, []distributed.Record{
			record("b", "A", "1", "second"), record("a", "A", "1", "first"), record("c", "A", "1", "first"), record("d", "A", "2", "first"),
		}, []string{"a: [5]", "b: another record has this segment and system", "c: another record has this segment and system", "d: [5]"}},
		{"no reference", []distributed.Description{length, wordf}, []distributed.Record{
			record("a", "A", "1", "x", "x"), record("b", "B", "1", "x"),
		}, []string{"a: [101 1]", "b: no reference, which wordf reads"}},
		{"difficulty", []distributed.Description{aware}, []distributed.Record{
			record("a", "A", "1", "x y", "x y"), record("b", "B", "1", "x", "x y"), record("c", "C", "1", "x", "x z"),
			record("d", "A", "2", "x", "x"),
		}, []string{
			"a: [0.5]", "b: [0]", "c: its references are not those of system A, without which there is no difficulty",
			"d: da-wordf: a single system has no votes but its own, which are left out",
		}},
		// b's vote goes with it, as it has no scores.
		{"difficulty of what is left", []distributed.Description{length, aware}, []distributed.Record{
			record("a", "A", "1", "x", "x y"), record("b", "B", "1", "bad hypothesis", "x y"), record("c", "C", "1", "y", "x y"),
		}, []string{"a: [101 0.6666666666666666]", "b: test-length: hypothesis: text is too long", "c: [101 0.6666666666666666]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := gocmp.Diff(tt.want, scored(t, tt.records, tt.ds...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A metric is opened once in a process however many bundles there are, and closed.
// However many records of a segment are refused, each is looked at a few times.
func TestManyRefused(t *testing.T) {
	const n = 400
	var records []distributed.Record
	var want []string
	for i := range n {
		id := fmt.Sprintf("%03d", i)
		r := record(id, "system "+id, "1", "a b", "a c")
		if i%2 == 0 {
			r.Hypothesis = "bad hypothesis"
			want = append(want, id+": test-length: hypothesis: "+mteval.ErrTooLong.Error())
		} else {
			want = append(want, id+": [10103 0]")
		}
		records = append(records, sourced(r, "s"))
	}
	lengthsOf.Store(0)
	got := scored(t, records, distributed.Description{Metric: "test-length"},
		distributed.Description{Metric: "wordf", Difficulty: &difficulty.Options{LeaveOneOut: true}})
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if texts := lengthsOf.Load(); texts > 5*n {
		t.Errorf("%d texts were scored of %d", texts, n)
	}
}

// Records of a segment may each have references of their own.
func TestManySides(t *testing.T) {
	var records []distributed.Record
	var want []string
	for i := range 200 {
		id := fmt.Sprintf("%03d", i)
		ref := []string{"a b c", "a x y", "x y z"}[i%3]
		r := record(id, "system "+id, "1", "a b c", ref)
		records = append(records, r)
		want = append(want, id+": ["+[]string{"1", "0.3333333333333333", "0"}[i%3]+"]")
	}
	if diff := gocmp.Diff(want, scored(t, records, distributed.Description{Metric: "wordf"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOpenedOnce(t *testing.T) {
	opened.Store(0)
	closed.Store(0)
	var records []distributed.Record
	for i := range 5000 {
		records = append(records, record(fmt.Sprint(i), "A", fmt.Sprint(i), "x"))
	}
	scored(t, records, distributed.Description{Metric: "test-length", Options: json.RawMessage(`1`)})
	if o, c := opened.Load(), closed.Load(); o == 0 || c > o || o-c > 1 {
		t.Errorf("opened %d times, closed %d times", o, c)
	}
}

// A name that is empty is no column.
func TestReadOptions(t *testing.T) {
	for want, refs := range map[string][]string{"": nil, "reference 1 names no column": {""}, "reference 2 names no column": {"a", ""}} {
		err := distributed.ReadOptions{Columns: distributed.Columns{References: refs}}.Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", refs, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		ds   []distributed.Description
		want string
	}{
		{nil, "no metrics"},
		{[]distributed.Description{{Metric: "nothing"}}, `no metric "nothing" is registered`},
		{[]distributed.Description{{Metric: "bleu"}, {Metric: "bleu"}}, `two metrics are called "bleu"`},
		{[]distributed.Description{{Metric: "wordf", Difficulty: &difficulty.Options{Floor: 2}}}, "Floor 2 is not in 0 to 1"},
		{[]distributed.Description{{Metric: "bleu"}, {Name: "b", Metric: "bleu"}}, ""},
	} {
		err := distributed.Check(tt.ds)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.ds, err, tt.want)
		}
	}
}

// A metric that can't be opened fails the pipeline.
func TestOpenFails(t *testing.T) {
	for want, d := range map[string]distributed.Description{
		"it is broken":          {Metric: "test-length", Options: json.RawMessage(`"broken"`)},
		"unknown field":         {Metric: "bleu", Options: json.RawMessage(`{"tokeniser":"13a"}`)},
		"it is no mteval.Match": {Metric: "bleu", Difficulty: new(difficulty.Options)},
	} {
		p, s := beam.NewPipelineWithRoot()
		distributed.SegmentScores(s, beam.CreateList(s, []distributed.Record{record("a", "A", "1", "x", "x")}), []distributed.Description{d})
		if _, err := beam.Run(context.Background(), "prism", p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
