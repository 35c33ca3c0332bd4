package tunable_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/scorertest"
	"github.com/mteval/mteval/tunable"
)

var (
	_ tunable.Scorer  = (*balance)(nil)
	_ tunable.Reducer = (*powerMean)(nil)
)

// toys are scores and error rates, with statistics of their own and without.
func toys() map[string]tunable.Scorer {
	return map[string]tunable.Scorer{
		"scorer": &balance{alpha: .5}, "error rate": &balance{alpha: .5, error: true},
		"reducer": &powerMean{balance{alpha: .5}, .5}, "reducer of errors": &powerMean{balance{alpha: 1, error: true}, .5},
	}
}

func TestToys(t *testing.T) {
	for name, s := range toys() {
		// The kit's own texts have a "!".
		o := scorertest.Options{Refs: [][]string{{"a b", "c"}, {"a"}}, Hyps: []string{"b a", ""}, Only: true}
		if err := scorertest.Test(s, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// sample draws a toy with any parameters, segments of up to three references, and hypotheses
// of these. With words as few, scores are often equal.
func sample(t *rapid.T) (s tunable.Scorer, refs [][]string, segs []int, hyps []string) {
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 4), func(w []string) string { return strings.Join(w, " ") })
	s = toys()[rapid.SampledFrom([]string{"scorer", "error rate", "reducer", "reducer of errors"}).Draw(t, "toy")]
	s = with(t, s)
	refs = rapid.SliceOfN(rapid.SliceOfN(text, 1, 3), 1, 4).Draw(t, "refs")
	if rapid.Bool().Draw(t, "in order") {
		return s, refs, nil, rapid.SliceOfN(text, len(refs), len(refs)).Draw(t, "hyps")
	}
	segs = rapid.SliceOfN(rapid.IntRange(0, len(refs)-1), 0, 6).Draw(t, "segs")
	return s, refs, segs, rapid.SliceOfN(text, len(segs), len(segs)).Draw(t, "hyps")
}

// with draws other parameters.
func with(t *rapid.T, s tunable.Scorer) tunable.Scorer {
	n := len(s.Parameters())
	other, err := s.WithParameters(rapid.SliceOfN(rapid.SampledFrom([]float64{0, .5, 1}), n, n).Draw(t, "values"))
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// wanted are the rows of hypotheses by the plain loop, after dst.
func wanted(dst []float64, s mteval.Scorer, refs [][]string, segs []int, hyps []string) []float64 {
	out := slices.Clone(dst)
	for k, hyp := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		out = append(out, rowOf(s, refs[seg], hyp)...)
	}
	return out
}

// The row of a hypothesis with several references is that of the plain loop.
func TestPrepareBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, refs, segs, hyps := sample(t)
		p, err := tunable.PrepareBest(context.Background(), s, statistics(s), refs)
		if err != nil {
			t.Fatal(err)
		}
		if p.Len() != len(refs) {
			t.Fatalf("%d segments, want %d", p.Len(), len(refs))
		}
		got, err := p.Append(context.Background(), []float64{-1}, segs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(wanted([]float64{-1}, s, refs, segs, hyps), got); d != "" {
			t.Fatalf("rows (-loop +got):\n%s", d)
		}
	})
}

// What is kept gives the rows and scores of the plain loop under any parameters, and a
// selection those of its hypotheses.
func TestKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, refs, segs, hyps := sample(t)
		kept, err := tunable.Keep(context.Background(), s, refs, segs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		if kept.Len() != len(hyps) {
			t.Fatalf("%d hypotheses, want %d", kept.Len(), len(hyps))
		}
		chosen := rapid.SliceOfN(rapid.IntRange(0, max(0, len(hyps)-1)), 0, 2*len(hyps)).Draw(t, "chosen")
		selected := kept.Select(chosen)
		if selected.Len() != len(chosen) {
			t.Fatalf("%d hypotheses are selected, want %d", selected.Len(), len(chosen))
		}
		other := with(t, s)
		rows := wanted([]float64{-1}, other, refs, segs, hyps)
		if d := cmp.Diff(rows, kept.Append([]float64{-1}, other)); d != "" {
			t.Fatalf("rows (-loop +kept):\n%s", d)
		}
		w := other.Width()
		scores, selectedRows := []float64{-1}, []float64{-1}
		for k := range hyps {
			scores = append(scores, other.Score(rows[1+k*w:1+(k+1)*w]))
		}
		selectedScores := []float64{-1}
		for _, k := range chosen {
			selectedRows = append(selectedRows, rows[1+k*w:1+(k+1)*w]...)
			selectedScores = append(selectedScores, scores[1+k])
		}
		if d := cmp.Diff(scores, kept.Scores([]float64{-1}, other)); d != "" {
			t.Fatalf("scores (-loop +kept):\n%s", d)
		}
		if d := cmp.Diff(selectedRows, selected.Append([]float64{-1}, other)); d != "" {
			t.Fatalf("rows of a selection (-loop +kept):\n%s", d)
		}
		if d := cmp.Diff(selectedScores, selected.Scores([]float64{-1}, other)); d != "" {
			t.Fatalf("scores of a selection (-loop +kept):\n%s", d)
		}
	})
}

// Of references with one score the first has the row, whether more is better or less.
func TestTies(t *testing.T) {
	for _, isError := range []bool{false, true} {
		s := &balance{1, isError} // the reference's length does not matter
		refs := [][]string{{"x", "a b", "a b c", "b a d e"}}
		p, err := tunable.PrepareBest(t.Context(), s, statistics(s), refs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Append(t.Context(), nil, nil, []string{"a b"})
		if d := cmp.Diff([]float64{2, 2, 2}, got); d != "" || err != nil {
			t.Errorf("error %v: %v, row (-want +got):\n%s", isError, err, d)
		}
		kept, err := tunable.Keep(t.Context(), s, refs, nil, []string{"a b"})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]float64{2, 2, 2}, kept.Append(nil, s)); d != "" {
			t.Errorf("error %v: kept row (-want +got):\n%s", isError, d)
		}
	}
}

// The statistics of a scorer without any are its rows.
func TestStatisticsOf(t *testing.T) {
	for name, s := range toys() {
		st := tunable.StatisticsOf(s)
		if st.Width() != 3 {
			t.Errorf("%s: %d statistics, want 3", name, st.Width())
		}
		p, err := st.Prepare(t.Context(), []string{"a b", "c"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Append(t.Context(), nil, []int{1, 0}, []string{"a c", "b"})
		if d := cmp.Diff([]float64{1, 2, 1, 1, 1, 2}, got); d != "" || err != nil {
			t.Errorf("%s: %v, statistics (-want +got):\n%s", name, err, d)
		}
		want := rowOf(s, []string{"a b"}, "b")
		if d := cmp.Diff(append([]float64{-1}, want...), st.AppendRow([]float64{-1}, got[3:])); d != "" {
			t.Errorf("%s: row (-want +got):\n%s", name, d)
		}
	}
}

// large is more than is worked on at a time.
const large = 1300

func TestLarge(t *testing.T) {
	refs := [][]string{{"a b c", "a", "c c"}, {"b"}, {"a b", "c"}}
	segs, hyps := make([]int, large), make([]string, large)
	for k := range hyps {
		segs[k], hyps[k] = k%3, strings.Repeat("a b ", k%5)+strings.Repeat("c ", k%2)
	}
	for name, s := range toys() {
		want := wanted(nil, s, refs, segs, hyps)
		p, err := tunable.PrepareBest(t.Context(), s, statistics(s), refs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Append(t.Context(), nil, segs, hyps)
		if err != nil || !slices.Equal(want, got) {
			t.Errorf("%s: %v, rows differ from the loop's", name, err)
		}
		// Progress is in texts, each against each reference.
		var done, total []int
		ctx := mteval.WithProgress(t.Context(), func(d, n int) { done, total = append(done, d), append(total, n) })
		kept, err := tunable.Keep(ctx, s, refs, segs, hyps)
		if err != nil {
			t.Fatal(err)
		}
		if got := kept.Append(nil, s); !slices.Equal(want, got) {
			t.Errorf("%s: kept rows differ from the loop's", name)
		}
		const all = 434*3 + 433 + 433*2
		if len(done) < 2 || !slices.IsSorted(done) || done[len(done)-1] != all || slices.Min(total) != all || slices.Max(total) != all {
			t.Errorf("%s: %v of %v texts are done, want %d", name, done, total, all)
		}
	}
}

// The error of a text says where it is among the caller's, not among the single references.
func TestSegmentErrors(t *testing.T) {
	refs := [][]string{{"a", "b"}, {"c"}, {"d", "e", "f"}}
	bad := [][]string{{"a", "b"}, {"c"}, {"d", "e", "!"}}
	segs, hyps := make([]int, large), make([]string, large)
	for k := range hyps {
		segs[k] = k % 3
	}
	hyps[900] = "!" // of segment 0, in the second block
	for name, s := range toys() {
		st := statistics(s)
		_, best := tunable.PrepareBest(t.Context(), s, st, bad)
		_, keep := tunable.Keep(t.Context(), s, bad, nil, []string{"", "", ""})
		p, err := tunable.PrepareBest(t.Context(), s, st, refs)
		if err != nil {
			t.Fatal(err)
		}
		dst, hyp := p.Append(t.Context(), []float64{7}, segs, hyps)
		if len(dst) != 1 || dst[0] != 7 {
			t.Errorf("%s: dst is %v after an error", name, dst)
		}
		_, kept := tunable.Keep(t.Context(), s, refs, segs, hyps)
		for _, tt := range []struct {
			what string
			err  error
			want mteval.SegmentError
		}{
			{"PrepareBest", best, mteval.SegmentError{Segment: 2, Side: mteval.ReferenceSide, Index: 2}},
			{"Keep of references", keep, mteval.SegmentError{Segment: 2, Side: mteval.ReferenceSide, Index: 2}},
			{"Append", hyp, mteval.SegmentError{Segment: 0, Side: mteval.HypothesisSide, Index: 900}},
			{"Keep", kept, mteval.SegmentError{Segment: 0, Side: mteval.HypothesisSide, Index: 900}},
		} {
			var at *mteval.SegmentError
			if !errors.As(tt.err, &at) || !errors.Is(tt.err, errText) || at.Segment != tt.want.Segment || at.Side != tt.want.Side || at.Index != tt.want.Index {
				t.Errorf("%s: %s: %v (%+v), want %+v", name, tt.what, tt.err, at, tt.want)
			}
		}
	}
}

// failing is a metric whose errors are as given, of whichever segment.
type failing struct {
	balance
	prepare, append error
}

func (f *failing) Prepare(context.Context, [][]string) (mteval.Prepared, error) { return f, f.prepare }
func (f *failing) Len() int                                                     { return 2 }
func (f *failing) Append(_ context.Context, dst []float64, _ []int, _ []string) ([]float64, error) {
	return dst, f.append
}

// An error that is of no segment, or of one that is not there, comes as it is.
func TestOtherErrors(t *testing.T) {
	refs := [][]string{{"a", "b"}}
	for _, err := range []error{
		errText,
		&mteval.SegmentError{Segment: 2, Side: mteval.ReferenceSide, Err: errText},
		&mteval.SegmentError{Segment: -1, Side: mteval.ReferenceSide, Err: errText},
		&mteval.SegmentError{Segment: 1, Side: mteval.HypothesisSide, Index: 2, Err: errText},
		&mteval.SegmentError{Segment: 1, Side: mteval.HypothesisSide, Index: -1, Err: errText},
	} {
		s := &failing{append: err}
		p, unexpected := tunable.PrepareBest(t.Context(), s, statistics(s), refs)
		if unexpected != nil {
			t.Fatal(unexpected)
		}
		if _, got := p.Append(t.Context(), nil, nil, []string{"a"}); got != err {
			t.Errorf("Append: %v, want %v", got, err)
		}
		if _, got := tunable.Keep(t.Context(), s, refs, nil, []string{"a"}); got != err {
			t.Errorf("Keep: %v, want %v", got, err)
		}
		s = &failing{prepare: err}
		if _, got := tunable.PrepareBest(t.Context(), s, statistics(s), refs); got != err {
			t.Errorf("PrepareBest: %v, want %v", got, err)
		}
	}
}

// circular is a metric that asks for its rows in order to make them.
type circular struct{ balance }

func (s *circular) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return tunable.PrepareBest(ctx, s, tunable.StatisticsOf(s), refs)
}

func prepareOf(ctx context.Context, s mteval.Scorer, refs [][]string) error {
	_, err := s.Prepare(ctx, refs)
	return err
}

func TestMisuse(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	refs := [][]string{{"a", "b"}, {"c"}}
	s := &balance{alpha: .5}
	st := statistics(s)
	best := func(ctx context.Context, refs [][]string) error {
		_, err := tunable.PrepareBest(ctx, s, st, refs)
		return err
	}
	p, err := tunable.PrepareBest(t.Context(), s, st, refs)
	if err != nil {
		t.Fatal(err)
	}
	appended := func(ctx context.Context, segs []int, hyps []string) error {
		_, err := p.Append(ctx, nil, segs, hyps)
		return err
	}
	keep := func(ctx context.Context, refs [][]string, segs []int, hyps []string) error {
		_, err := tunable.Keep(ctx, s, refs, segs, hyps)
		return err
	}
	keepOf := func(s tunable.Scorer) error {
		_, err := tunable.Keep(t.Context(), s, refs, nil, []string{"a", "b"})
		return err
	}
	_, noScorer := tunable.PrepareBest(t.Context(), nil, st, refs)
	_, noStatistics := tunable.PrepareBest(t.Context(), s, nil, refs)
	for name, err := range map[string]error{
		"a segment without references":        best(t.Context(), [][]string{{"a"}, {}}),
		"cancelled":                           best(done, refs),
		"a hypothesis too few":                appended(t.Context(), nil, []string{"a"}),
		"a segment that is not there":         appended(t.Context(), []int{2}, []string{"a"}),
		"Append, cancelled":                   appended(done, nil, []string{"a", "b"}),
		"PrepareBest of itself":               prepareOf(t.Context(), &circular{}, refs),
		"PrepareBest of no scorer":            noScorer,
		"PrepareBest of no statistics":        noStatistics,
		"Keep of a circle":                    keepOf(&circular{}),
		"Keep of no scorer":                   keepOf(nil),
		"Keep without references":             keep(t.Context(), [][]string{{"a"}, nil}, nil, []string{"a", "b"}),
		"Keep of a hypothesis too few":        keep(t.Context(), refs, nil, []string{"a"}),
		"Keep of a segment that is not there": keep(t.Context(), refs, []int{0, -1}, []string{"a", "b"}),
		"Keep, cancelled":                     keep(done, refs, nil, []string{"a", "b"}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(name, " of no ") && !strings.HasPrefix(err.Error(), "tunable: ") {
			t.Errorf("%s: error %v", name, err)
		} else if strings.HasSuffix(name, "cancelled") && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Statistics of another metric, and hypotheses that are not there, are mistakes in a program.
func TestPanics(t *testing.T) {
	kept, err := tunable.Keep(t.Context(), &balance{alpha: .5}, [][]string{{"a"}}, nil, []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	for name, do := range map[string]func(){
		"Scores of another width": func() { kept.Scores(nil, &wide{}) },
		"Append of another width": func() { kept.Append(nil, &wide{}) },
		"a hypothesis too many":   func() { kept.Select([]int{1}) },
		"a negative one":          func() { kept.Select([]int{-1}) },
		"statistics of no scorer": func() { tunable.StatisticsOf(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if v := recover(); v == nil {
					t.Error("no panic")
				} else if strings.Contains(name, "width") && fmt.Sprint(v) != "tunable: 3 statistics were kept, not 4" {
					t.Errorf("panic %v", v)
				}
			}()
			do()
		})
	}
}

// wide has rows of another width than balance.
type wide struct{ balance }

func (*wide) Width() int { return 4 }

func TestNoAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations can't be counted with the race detector on")
	}
	refs := [][]string{{"a b c", "a"}, {"b"}}
	for name, s := range toys() {
		kept, err := tunable.Keep(t.Context(), s, refs, []int{1, 0, 0, 1}, []string{"a", "b c", "", "b"})
		if err != nil {
			t.Fatal(err)
		}
		dst := kept.Scores(nil, s)
		dst = slices.Grow(dst, s.Width()) // the room that is promised to be asked for
		if n := testing.AllocsPerRun(100, func() { dst = kept.Scores(dst[:0], s) }); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
		if slices.ContainsFunc(dst, math.IsNaN) || len(dst) != 4 {
			t.Errorf("%s: scores %v", name, dst)
		}
	}
}
