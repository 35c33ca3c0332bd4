package mteval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
)

func TestSignature(t *testing.T) {
	s := mteval.Signature{{"case", "c", "mixed"}, {"model hash", "", "ab|cd"}, {"case", "c", "lc"}, {"tok", "tok", "13a"}}
	if got, want := s.String(), "case:mixed|model hash:ab|cd|case:lc|tok:13a"; got != want {
		t.Errorf("String %s, want %s", got, want)
	}
	if got, want := s.Short(), "c:mixed|c:lc|tok:13a"; got != want {
		t.Errorf("Short %s, want %s", got, want)
	}
	for key, want := range map[string]string{"case": "mixed", "tok": "13a", "c": "", "absent": ""} {
		if got := s.Get(key); got != want {
			t.Errorf("Get(%s) = %q, want %q", key, got, want)
		}
	}
	var none mteval.Signature
	if none.String() != "" || none.Short() != "" || none.Get("x") != "" {
		t.Errorf("nothing: %q, %q", none.String(), none.Short())
	}
	if got, want := (mteval.Signature{{"a", "", "1"}}).Short(), ""; got != want {
		t.Errorf("Short %q, want %q", got, want)
	}
}

func TestSignatureComplete(t *testing.T) {
	version := "|version:mteval-" + mteval.Version
	s := mteval.Signature{{"case", "c", "mixed"}}
	for _, tt := range []struct {
		refs [][]string
		want string
	}{
		{[][]string{{"a"}, {"b"}}, "1"},
		{[][]string{{"a", "b", "c"}, {"b", "", ""}}, "3"},
		{[][]string{{"a"}, {"b", "c"}, {"d"}}, "var"},
		{[][]string{{"a", "b"}, {"c"}}, "var"},
		{nil, "0"},
	} {
		got := s.Complete(tt.refs)
		if want := "nrefs:" + tt.want + "|case:mixed" + version; got.String() != want {
			t.Errorf("%v: %s, want %s", tt.refs, got, want)
		}
		if want := "#:" + tt.want + "|c:mixed|v:mteval-" + mteval.Version; got.Short() != want {
			t.Errorf("%v: short %s, want %s", tt.refs, got.Short(), want)
		}
	}
	// Neither shares memory with the other, even where there is room to.
	roomy := append(make(mteval.Signature, 0, 10), s...)
	a := roomy.Complete(nil)
	b := append(roomy, mteval.Field{Key: "x"})
	a[1].Value = "lc"
	if roomy.String() != "case:mixed" || b[1].Key != "x" || a.Get("version") == "" {
		t.Errorf("signatures share memory: %v, %v, %v", roomy, a, b)
	}
}

func TestFBeta(t *testing.T) {
	for _, tt := range []struct{ p, r, beta, want float64 }{
		{.5, .5, 1, .5}, {1, .5, 1, 2. / 3}, {.5, 1, 1, 2. / 3}, {1, 1, 1, 1},
		{1, .5, 2, 2.5 / 4.5}, {.5, 1, 2, 2.5 / 3}, {1, .5, .5, .625 / .75},
		{0, 0, 1, 0}, {0, 1, 1, 0}, {1, 0, 2, 0},
		// The mean is not defined where signs differ.
		{.5, -.5, 1, 0}, {-.5, .4999999, 1, 0}, {.5, -.1, 2, 0},
		{-.5, -.5, 1, -.5}, {-1, -.5, 1, -2. / 3}, {-1, -.5, 2, -2.5 / 4.5},
	} {
		if got := (mteval.PRF{P: tt.p, R: tt.r}).FBeta(tt.beta); math.Abs(got-tt.want) > 1e-15 {
			t.Errorf("F of %v, %v, beta %v: %v, want %v", tt.p, tt.r, tt.beta, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.Float64Range(.001, 10).Draw(t, "p")
		r := rapid.Float64Range(.001, 10).Draw(t, "r")
		beta := rapid.Float64Range(.01, 100).Draw(t, "beta")
		f := mteval.PRF{P: p, R: r}.FBeta(beta)
		if f < min(p, r)*(1-1e-12) || f > max(p, r)*(1+1e-12) {
			t.Fatalf("F %v is not between P and R", f)
		}
		// Roles and β turned, the mean is the same; so it is with the signs.
		if g := (mteval.PRF{P: r, R: p}).FBeta(1 / beta); math.Abs(f-g) > 1e-12*f {
			t.Fatalf("F %v, turned %v", f, g)
		}
		if g := -(mteval.PRF{P: -p, R: -r}).FBeta(beta); f != g {
			t.Fatalf("F %v, of the negative %v", f, g)
		}
		if g := (mteval.PRF{P: p, R: r}).FBeta(1e9); math.Abs(g-r) > 1e-9*r {
			t.Fatalf("F %v for a large beta, R %v", g, r)
		}
	})
}

func TestSegments(t *testing.T) {
	a, b, c := []string{"a0", "a1"}, []string{"b0", ""}, []string{"c0", "c1"}
	for _, tt := range []struct {
		streams [][]string
		want    [][]string
		err     error
	}{
		{[][]string{a}, [][]string{{"a0"}, {"a1"}}, nil},
		{[][]string{a, b, c}, [][]string{{"a0", "b0", "c0"}, {"a1", "", "c1"}}, nil},
		{[][]string{{}, {}}, [][]string{}, nil},
		{[][]string{nil}, [][]string{}, nil},
		{nil, nil, mteval.ErrNoReference},
		{[][]string{a, b[:1]}, nil, mteval.ErrLength},
		{[][]string{nil, a}, nil, mteval.ErrLength},
	} {
		got, err := mteval.Segments(tt.streams...)
		if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
			t.Errorf("%q: error %v, want %v", tt.streams, err, tt.err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.streams, diff)
		}
	}
	// The message says which of several streams it is.
	if _, err := mteval.Segments(a, b, c[:1]); err == nil || !strings.Contains(err.Error(), "stream 3 has 1") {
		t.Errorf("error %v", err)
	}
	// The references of one segment can be added to without reaching the next.
	got, err := mteval.Segments(a, b)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(got[0], "more")
	if got[1][0] != "a1" || a[1] != "a1" {
		t.Errorf("%q after segment 0 was added to", got)
	}
}

func TestCheckReferences(t *testing.T) {
	for _, refs := range [][][]string{nil, {{"a"}}, {{""}, {"a", "b"}}} {
		if err := mteval.CheckReferences(refs); err != nil {
			t.Errorf("%q: error %v", refs, err)
		}
	}
	var at *mteval.SegmentError
	for want, refs := range map[int][][]string{0: {{}}, 1: {{"a"}, nil, {}}} {
		err := mteval.CheckReferences(refs)
		if !errors.Is(err, mteval.ErrNoReference) || !errors.As(err, &at) || at.Segment != want {
			t.Errorf("%q: error %v", refs, err)
		}
	}
	// A person counts lines from 1.
	if got, want := at.Error(), fmt.Sprintf("segment %d: no reference", at.Segment+1); got != want {
		t.Errorf("message %s, want %s", got, want)
	}
}

func TestCheckHypotheses(t *testing.T) {
	for _, tt := range []struct {
		n    int
		segs []int
		hyps []string
		want error
	}{
		{2, nil, []string{"a", "b"}, nil},
		{0, nil, nil, nil},
		{2, nil, []string{"a"}, mteval.ErrLength},
		{2, nil, []string{"a", "b", "c"}, mteval.ErrLength},
		{2, nil, nil, mteval.ErrLength},
		{2, []int{1, 1, 0}, []string{"a", "b", "c"}, nil},
		{2, []int{}, nil, nil}, // no hypotheses, which is not "one for each segment"
		{2, []int{}, []string{"a", "b"}, mteval.ErrLength},
		{2, []int{0}, []string{"a", "b"}, mteval.ErrLength},
		{2, []int{0, 2}, []string{"a", "b"}, mteval.ErrSegment},
		{2, []int{-1, 0}, []string{"a", "b"}, mteval.ErrSegment},
		{0, []int{0}, []string{"a"}, mteval.ErrSegment},
	} {
		if err := mteval.CheckHypotheses(tt.n, tt.segs, tt.hyps); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%d segments, %v, %q: error %v, want %v", tt.n, tt.segs, tt.hyps, err, tt.want)
		}
	}
}

// panics returns what f panics with, nil if it does not.
func panics(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestCheckRow(t *testing.T) {
	if got := panics(func() { mteval.CheckRow(make([]float64, 3), 3) }); got != nil {
		t.Errorf("panics with %v", got)
	}
	for _, n := range []int{0, 2, 4} {
		if got := panics(func() { mteval.CheckRow(make([]float64, n), 3) }); got == nil || !strings.Contains(fmt.Sprint(got), fmt.Sprint(n)) {
			t.Errorf("row of %d: panics with %v", n, got)
		}
	}
}

// lengths is a scorer made for tests. A row is the hypothesis's bytes, those of the
// segment's references, the segment's number, and 1; the score is bytes by bytes.
type lengths struct {
	// append, if set, is called for each call of Append, which then does not
	// look at its context.
	append func(segs []int, hyps []string) error
}

func (*lengths) Width() int { return 4 }

func (l *lengths) Info() mteval.Info {
	return mteval.Info{Name: "lengths", Signature: mteval.Signature{{"bytes", "b", "yes"}}, Scale: 1}
}

func (l *lengths) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := &preparedLengths{l: l}
	for _, r := range refs {
		p.bytes = append(p.bytes, len(strings.Join(r, "")))
	}
	return p, ctx.Err()
}

func (l *lengths) Score(row []float64) float64 {
	mteval.CheckRow(row, 4)
	if row[1] == 0 {
		return 0
	}
	return row[0] / row[1]
}

type preparedLengths struct {
	l     *lengths
	bytes []int
}

func (p *preparedLengths) Len() int { return len(p.bytes) }

func (p *preparedLengths) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p.bytes), segs, hyps); err != nil {
		return dst, err
	}
	err := ctx.Err()
	if p.l.append != nil {
		err = p.l.append(segs, hyps)
	}
	if err != nil {
		return dst, err
	}
	for k, h := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		dst = append(dst, float64(len(h)), float64(p.bytes[seg]), float64(seg), 1)
	}
	return dst, nil
}

// makeSystems makes systems whose outputs all differ.
func makeSystems(systems, segments int) ([][]string, []mteval.System) {
	refs := make([][]string, segments)
	for i := range refs {
		refs[i] = []string{strings.Repeat("r", i%7+1)}
	}
	out := make([]mteval.System, systems)
	for k := range out {
		out[k].Name = fmt.Sprint("system", k)
		for i := range segments {
			out[k].Hyps = append(out[k].Hyps, fmt.Sprint(k, " ", i, strings.Repeat("h", (i*7+k*3)%11)))
		}
	}
	return refs, out
}

// readLines reads a text of the sample data.
func readLines(t testing.TB, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// Corpus, Sentence and Systems are the same rows in other arrangements.
func TestHelpersAgree(t *testing.T) {
	s, err := bleu.New(bleu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refs, err := mteval.Segments(readLines(t, "examples/data/ref.de"), readLines(t, "examples/data/sys/birch.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var systems []mteval.System
	for _, name := range []string{"aspen", "cedar", "dogwood", "elder"} {
		systems = append(systems, mteval.System{Name: name, Hyps: readLines(t, "examples/data/sys/"+name+".txt")})
	}
	table, err := mteval.Systems(t.Context(), s, refs, systems)
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != len(refs) || len(table.Scores()) != len(systems) {
		t.Fatalf("%d segments, %d scores", table.Len(), len(table.Scores()))
	}
	if diff := cmp.Diff([]string{"aspen", "cedar", "dogwood", "elder"}, table.Systems); diff != "" {
		t.Errorf("systems (-want +got):\n%s", diff)
	}
	for k, sys := range systems {
		corpus, err := mteval.Corpus(t.Context(), s, refs, sys.Hyps)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Scores()[k]; got != corpus.Score || !(got > 0 && got < 100) {
			t.Errorf("%s: score %v of the table, %v of the corpus", sys.Name, got, corpus.Score)
		}
		if got := s.Score(corpus.Sum); got != corpus.Score {
			t.Errorf("%s: score %v of the row, %v", sys.Name, got, corpus.Score)
		}
		if diff := cmp.Diff(corpus.Sum, table.Sum(k)); diff != "" {
			t.Errorf("%s: sums (-corpus +table):\n%s", sys.Name, diff)
		}
		if diff := cmp.Diff(corpus.Signature, table.Info.Signature); diff != "" {
			t.Errorf("%s: signatures (-corpus +table):\n%s", sys.Name, diff)
		}
		if len(corpus.Rows) != len(refs)*len(corpus.Sum) {
			t.Errorf("%s: %d numbers in %d segments", sys.Name, len(corpus.Rows), len(refs))
		}
		for i := range refs {
			sentence, err := mteval.Sentence(t.Context(), s, refs[i], sys.Hyps[i])
			if err != nil {
				t.Fatal(err)
			}
			if got := table.SegmentScore(k, i); got != sentence.Score {
				t.Errorf("%s, segment %d: score %v of the table, %v of the sentence", sys.Name, i, got, sentence.Score)
			}
			if got := corpus.SegmentScore(i); got != sentence.Score || got != corpus.SegmentScores()[i] {
				t.Errorf("%s, segment %d: score %v of the corpus, %v of the sentence", sys.Name, i, got, sentence.Score)
			}
			for _, row := range [][]float64{corpus.Row(i), sentence.Sum, sentence.Row(0)} {
				if diff := cmp.Diff(table.Row(k, i), row); diff != "" {
					t.Errorf("%s, segment %d (-table +other):\n%s", sys.Name, i, diff)
				}
			}
		}
	}
	if got := table.Info.Signature.Get("nrefs"); got != "2" {
		t.Errorf("nrefs %s", got)
	}
	if info := s.Info(); len(info.Signature) != len(table.Info.Signature)-2 {
		t.Errorf("the scorer's signature %v, the table's %v", info.Signature, table.Info.Signature)
	}
}

func TestCorpusOfNothing(t *testing.T) {
	got, err := mteval.Corpus(t.Context(), &lengths{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &mteval.Result{Sum: make([]float64, 4), Signature: (&lengths{}).Info().Signature.Complete(nil)}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(mteval.Result{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if scores := got.SegmentScores(); len(scores) != 0 {
		t.Errorf("segments' scores %v of no segments", scores)
	}
	for _, systems := range [][]mteval.System{nil, {{Name: "a"}}} {
		table, err := mteval.Systems(t.Context(), &lengths{}, nil, systems)
		if err != nil || table.Len() != 0 || len(table.Scores()) != len(systems) {
			t.Errorf("%v: %+v, error %v", systems, table, err)
		}
	}
	refs, _ := makeSystems(0, 3)
	if table, err := mteval.Systems(t.Context(), &lengths{}, refs, nil); err != nil || table.Len() != 3 || len(table.Scores()) != 0 {
		t.Errorf("no systems: %+v, error %v", table, err)
	}
}

// An error of a hypothesis says which of the caller's it is, however the calls are cut in
// blocks.
func TestHypothesisErrors(t *testing.T) {
	failure := errors.New("no electricity")
	refs, systems := makeSystems(3, 2000)
	for _, bad := range []int{0, 700, 1999} {
		hyps := slices.Clone(systems[2].Hyps)
		hyps[bad] = "bad"
		odd := slices.Clone(systems)
		odd[2].Hyps = hyps
		s := &lengths{append: func(segs []int, hyps []string) error {
			if k := slices.Index(hyps, "bad"); k >= 0 {
				return &mteval.SegmentError{Segment: segs[k], Side: mteval.HypothesisSide, Index: k, Err: failure}
			}
			return nil
		}}
		_, err := mteval.Systems(t.Context(), s, refs, odd)
		var at *mteval.SegmentError
		if !errors.As(err, &at) || !errors.Is(err, failure) || at.Segment != bad || at.Index != 2 {
			t.Errorf("segment %d: error %v (%+v)", bad, err, at)
		}
	}
	for want, e := range map[string]mteval.SegmentError{
		"segment 3: no electricity":              {Segment: 2, Err: failure},
		"segment 3, reference 2: no electricity": {Segment: 2, Side: mteval.ReferenceSide, Index: 1, Err: failure},
		"segment 3, hypothesis: no electricity":  {Segment: 2, Side: mteval.HypothesisSide, Index: 7, Err: failure},
	} {
		if got := e.Error(); got != want {
			t.Errorf("message %q, want %q", got, want)
		}
	}
}

func TestHelperErrors(t *testing.T) {
	var at *mteval.SegmentError
	if _, err := mteval.Sentence(t.Context(), &lengths{}, nil, "a"); !errors.Is(err, mteval.ErrNoReference) || !errors.As(err, &at) || at.Segment != 0 {
		t.Errorf("no reference: error %v", err)
	}
	refs, systems := makeSystems(3, 4)
	if _, err := mteval.Corpus(t.Context(), &lengths{}, refs, systems[0].Hyps[:3]); !errors.Is(err, mteval.ErrLength) {
		t.Errorf("a hypothesis less: error %v", err)
	}
	failure := errors.New("no electricity")
	if _, err := mteval.Corpus(t.Context(), &lengths{append: func([]int, []string) error { return failure }}, refs, systems[0].Hyps); !errors.Is(err, failure) {
		t.Errorf("Append fails: error %v", err)
	}
	if table, err := mteval.Systems(t.Context(), &lengths{append: func([]int, []string) error { return failure }}, refs, systems); !errors.Is(err, failure) || table != nil {
		t.Errorf("Append fails: %v, error %v", table, err)
	}
	if _, err := mteval.Systems(t.Context(), &lengths{}, [][]string{{"a"}, {}}, systems); !errors.Is(err, mteval.ErrNoReference) {
		t.Errorf("no reference: error %v", err)
	}
	// The message says which system does not fit.
	m := matcherOf(t, refs)
	for _, n := range []int{3, 5} {
		odd := slices.Clone(systems)
		odd[1].Hyps = append(slices.Clone(odd[1].Hyps[:3]), "x", "y")[:n]
		_, err := mteval.Systems(t.Context(), &lengths{}, refs, odd)
		_, errMatch := mteval.MatchSystems(t.Context(), m, odd)
		for name, err := range map[string]error{"Systems": err, "MatchSystems": errMatch} {
			if !errors.Is(err, mteval.ErrLength) || !strings.Contains(err.Error(), fmt.Sprintf("system1 has %d", n)) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// Whatever the size of blocks, a scorer gets each output of each system once, all
// systems' outputs of a segment in one call, and not much at a time.
func TestSystemsBlocks(t *testing.T) {
	for _, size := range []struct{ systems, segments int }{{1, 5000}, {3, 1500}, {2047, 3}, {2048, 2}, {2500, 3}, {1025, 4}} {
		refs, systems := makeSystems(size.systems, size.segments)
		calls := 0
		seen := make(map[[2]int]bool)
		s := &lengths{append: func(segs []int, hyps []string) error {
			calls++
			if len(hyps) > max(2048, size.systems) {
				t.Errorf("%v: %d hypotheses in a call", size, len(hyps))
			}
			inCall := make(map[int]int)
			for k, h := range hyps {
				var system, segment int
				if _, err := fmt.Sscan(strings.TrimRight(h, "h"), &system, &segment); err != nil || segment != segs[k] {
					t.Fatalf("%v: %q with segment %d", size, h, segs[k])
				}
				if at := [2]int{system, segment}; seen[at] {
					t.Fatalf("%v: %q twice", size, h)
				} else {
					seen[at] = true
				}
				inCall[segs[k]]++
			}
			for seg, n := range inCall {
				if n != size.systems {
					t.Errorf("%v: %d outputs of segment %d in a call", size, n, seg)
				}
			}
			return nil
		}}
		table, err := mteval.Systems(t.Context(), s, refs, systems)
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) != size.systems*size.segments {
			t.Errorf("%v: %d outputs", size, len(seen))
		}
		if calls < size.systems*size.segments/2048 {
			t.Errorf("%v: only %d calls", size, calls)
		}
		for k := range systems {
			for i := range refs {
				want := [4]float64{float64(len(systems[k].Hyps[i])), float64(len(refs[i][0])), float64(i), 1}
				if got := [4]float64(table.Row(k, i)); got != want {
					t.Fatalf("%v: system %d, segment %d: row %v, want %v", size, k, i, got, want)
				}
			}
		}
	}
}

// report is a call of a progress function.
type report struct{ Done, Total int }

// withReports returns a context that gathers reports. Calls come from one
// goroutine, so there is no lock: the race detector would tell.
func withReports(ctx context.Context) (context.Context, *[]report) {
	reports := new([]report)
	return mteval.WithProgress(ctx, func(done, total int) { *reports = append(*reports, report{done, total}) }), reports
}

func TestProgress(t *testing.T) {
	for _, size := range []struct{ systems, segments, least int }{{1, 1, 1}, {3, 2000, 3}, {2500, 3, 3}, {7, 293, 2}} {
		refs, systems := makeSystems(size.systems, size.segments)
		m := matcherOf(t, refs)
		for name, do := range map[string]func(ctx context.Context) error{
			"Systems":      func(ctx context.Context) error { _, err := mteval.Systems(ctx, &lengths{}, refs, systems); return err },
			"MatchSystems": func(ctx context.Context) error { _, err := mteval.MatchSystems(ctx, m, systems); return err },
		} {
			ctx, reports := withReports(t.Context())
			if err := do(ctx); err != nil {
				t.Fatal(err)
			}
			total := size.systems * size.segments
			if len(*reports) < size.least {
				t.Fatalf("%s, %v: reports %v", name, size, *reports)
			}
			done := 0
			for _, r := range *reports {
				if r.Total != total || r.Done <= done || r.Done > total {
					t.Errorf("%s, %v: %v after %d of %d", name, size, r, done, total)
				}
				done = r.Done
			}
			if done != total {
				t.Errorf("%s, %v: ends at %d of %d", name, size, done, total)
			}
		}
	}
	// No report function is as good as none.
	refs, systems := makeSystems(2, 2)
	for _, ctx := range []context.Context{t.Context(), mteval.WithProgress(t.Context(), nil)} {
		if _, err := mteval.Systems(ctx, &lengths{}, refs, systems); err != nil {
			t.Error(err)
		}
	}
}

// A cancelled context stops the work at the next block, and is the error.
func TestCancellation(t *testing.T) {
	refs, systems := makeSystems(2, 5000)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if table, err := mteval.Systems(cancelled, &lengths{}, refs, systems); !errors.Is(err, context.Canceled) || table != nil {
		t.Errorf("Systems: %v, error %v", table, err)
	}
	if ms, err := mteval.MatchSystems(cancelled, matcherOf(t, refs), systems); !errors.Is(err, context.Canceled) || ms != nil {
		t.Errorf("MatchSystems: %v, error %v", ms, err)
	}
	if r, err := mteval.Corpus(cancelled, &lengths{}, refs, systems[0].Hyps); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("Corpus: %v, error %v", r, err)
	}

	// Cancelled by the scorer in its second call, which it ends all the same.
	m := &wordMatcher{refs: matcherOf(t, refs).refs}
	for name, do := range map[string]func(ctx context.Context, call func() error) error{
		"Systems": func(ctx context.Context, call func() error) error {
			_, err := mteval.Systems(ctx, &lengths{append: func([]int, []string) error { return call() }}, refs, systems)
			return err
		},
		"MatchSystems": func(ctx context.Context, call func() error) error {
			m.match = call
			_, err := mteval.MatchSystems(ctx, m, systems)
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		ctx, reports := withReports(ctx)
		calls := 0
		err := do(ctx, func() error {
			if calls++; calls == 2 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || calls != 2 || len(*reports) > 2 {
			t.Errorf("%s: error %v after %d calls and %d reports", name, err, calls, len(*reports))
		}
	}
}

func TestTable(t *testing.T) {
	s := &lengths{}
	table := mteval.NewTable(s, []string{"a", "b"}, 3)
	if table.Len() != 3 || len(table.Systems) != 2 || table.Info.Name != "lengths" {
		t.Fatalf("%+v", table)
	}
	if diff := cmp.Diff([]float64{0, 0}, table.Scores()); diff != "" {
		t.Errorf("scores of an empty table (-want +got):\n%s", diff)
	}
	// Each row is a place of its own.
	for k := range 2 {
		for i := range 3 {
			row := table.Row(k, i)
			if len(row) != 4 || cap(row) != 4 || row[0] != 0 {
				t.Errorf("system %d, segment %d: row %v of capacity %d", k, i, row, cap(row))
			}
			copy(row, []float64{float64(100*k + i + 1), float64(10 * (k + 1)), float64(i), 1})
		}
	}
	if diff := cmp.Diff([]float64{102, 20, 1, 1}, table.Row(1, 1)); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{6, 30, 3, 3}, table.Sum(0)); diff != "" {
		t.Errorf("sum (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{306, 60, 3, 3}, table.Sum(1)); diff != "" {
		t.Errorf("sum (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{.2, 5.1}, table.Scores()); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	if got := table.SegmentScore(1, 2); got != 103./20 {
		t.Errorf("segment score %v", got)
	}
	table.Sum(0)[0] = 99
	if table.Row(0, 0)[0] != 1 {
		t.Error("a sum shares the table's memory")
	}
}

// words is a token-matching metric made for tests: equal words are linked. A row is
// the hypothesis's words, those that are linked in the first reference, the
// reference's words, and the segment's number.
type words struct{}

func (words) Width() int { return 4 }

func (words) Info() mteval.Info {
	return mteval.Info{Name: "words", Signature: mteval.Signature{{"words", "w", "yes"}}, Scale: 1}
}

func (w words) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	m, err := w.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	return mteval.PrepareMatched(w, m), nil
}

func (words) PrepareMatch(_ context.Context, refs [][]string) (mteval.Matcher, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	m := new(wordMatcher)
	for _, r := range refs {
		var tokens [][]mteval.Token
		for _, text := range r {
			tokens = append(tokens, split(text))
		}
		m.refs = append(m.refs, tokens)
	}
	return m, nil
}

func (words) AppendMatch(dst []float64, segment int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
	linked := 0.0
	for _, l := range m.Pairings[0].Hyp {
		linked += float64(l.Sim)
	}
	return append(dst, float64(len(m.Tokens)), linked, float64(len(refs[0])), float64(segment))
}

func (words) Score(row []float64) float64 {
	mteval.CheckRow(row, 4)
	if row[0] == 0 {
		return 0
	}
	return row[1] / row[0]
}

func split(text string) []mteval.Token {
	var out []mteval.Token
	for w := range strings.FieldsSeq(text) {
		out = append(out, mteval.Token{Text: w, Weight: 1})
	}
	return out
}

type wordMatcher struct {
	refs [][][]mteval.Token
	// match, if set, is called by each call of Match, which then does not look
	// at its context.
	match func() error
	// sizes are the numbers of hypotheses in the calls of Match.
	sizes []int
}

func matcherOf(t testing.TB, refs [][]string) *wordMatcher {
	t.Helper()
	m, err := words{}.PrepareMatch(context.Background(), refs)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*wordMatcher)
}

func (m *wordMatcher) Len() int { return len(m.refs) }

func (m *wordMatcher) RefTokens(segment int) [][]mteval.Token { return m.refs[segment] }

func (m *wordMatcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(m.refs), segs, hyps); err != nil {
		return err
	}
	m.sizes = append(m.sizes, len(hyps))
	err := ctx.Err()
	if m.match != nil {
		err = m.match()
	}
	if err != nil {
		return err
	}
	links := func(from, to []mteval.Token) []mteval.Link {
		out := make([]mteval.Link, len(from))
		for i, a := range from {
			out[i].To = int32(slices.IndexFunc(to, func(b mteval.Token) bool { return a.Text == b.Text }))
			if out[i].To >= 0 {
				out[i].Sim = 1
			}
		}
		return out
	}
	for k, text := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		hyp := split(text)
		out[k] = mteval.Matching{Tokens: hyp}
		for _, ref := range m.refs[seg] {
			out[k].Pairings = append(out[k].Pairings, mteval.Pairing{Hyp: links(hyp, ref), Ref: links(ref, hyp)})
		}
	}
	return nil
}

var (
	wordRefs    = [][]string{{"a b c", "a"}, {"d"}, {"", "e f"}}
	wordSystems = []mteval.System{
		{Name: "one", Hyps: []string{"a b", "d", "x"}},
		{Name: "two", Hyps: []string{"c x y", "", "e f"}},
	}
	// By system and segment.
	wordRows = [][][]float64{
		{{2, 2, 3, 0}, {1, 1, 1, 1}, {1, 0, 0, 2}},
		{{3, 1, 3, 0}, {0, 0, 1, 1}, {2, 0, 0, 2}},
	}
)

func TestMatchSystems(t *testing.T) {
	m := matcherOf(t, wordRefs)
	ms, err := mteval.MatchSystems(t.Context(), m, wordSystems)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one", "two"}, ms.Systems); diff != "" || ms.Len() != 3 {
		t.Errorf("%d segments, systems (-want +got):\n%s", ms.Len(), diff)
	}
	alone := make([]mteval.Matching, 1)
	for k, sys := range wordSystems {
		for i := range wordRefs {
			if err := m.Match(t.Context(), alone, []int{i}, sys.Hyps[i:i+1]); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&alone[0], ms.At(k, i)); diff != "" {
				t.Errorf("system %d, segment %d (-alone +together):\n%s", k, i, diff)
			}
			if diff := cmp.Diff(m.refs[i], ms.RefTokens(i)); diff != "" {
				t.Errorf("segment %d: tokens (-want +got):\n%s", i, diff)
			}
		}
	}
	// The rows are those of Systems, but for the signature's first and last
	// field.
	fromMatchings := ms.Table(words{})
	table, err := mteval.Systems(t.Context(), words{}, wordRefs, wordSystems)
	if err != nil {
		t.Fatal(err)
	}
	for k := range wordRows {
		for i, want := range wordRows[k] {
			for name, table := range map[string]*mteval.Table{"Systems": table, "Matchings": fromMatchings} {
				if diff := cmp.Diff(want, table.Row(k, i)); diff != "" {
					t.Errorf("%s: system %d, segment %d (-want +got):\n%s", name, k, i, diff)
				}
			}
		}
	}
	if diff := cmp.Diff(table.Scores(), fromMatchings.Scores()); diff != "" {
		t.Errorf("scores (-Systems +Matchings):\n%s", diff)
	}
	if diff := cmp.Diff(words{}.Info(), fromMatchings.Info); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(table.Sum(1), ms.Sum(words{}, 1)); diff != "" {
		t.Errorf("sum (-want +got):\n%s", diff)
	}
	// Nothing to match is no error.
	if ms, err := mteval.MatchSystems(t.Context(), m, nil); err != nil || ms.Len() != 3 || len(ms.Table(words{}).Scores()) != 0 {
		t.Errorf("no systems: error %v", err)
	}
	if ms, err := mteval.MatchSystems(t.Context(), matcherOf(t, nil), []mteval.System{{Name: "a"}}); err != nil || ms.Len() != 0 {
		t.Errorf("no segments: error %v", err)
	}
	failure := errors.New("no electricity")
	m.match = func() error { return failure }
	if ms, err := mteval.MatchSystems(t.Context(), m, wordSystems); !errors.Is(err, failure) || ms != nil {
		t.Errorf("Match fails: %v, error %v", ms, err)
	}
}

// The zero value of Matchings has no segments, whatever systems it is given.
func TestZeroMatchings(t *testing.T) {
	ms := &mteval.Matchings{Systems: []string{"a"}}
	if n, sum := ms.Len(), ms.Sum(words{}, 0); n != 0 || len(sum) != (words{}).Width() {
		t.Errorf("%d segments, sum %v", n, sum)
	}
	if got := ms.Table(words{}).Scores(); len(got) != 1 || got[0] != 0 {
		t.Errorf("scores %v", got)
	}
}

// Matchings of many systems and segments end up where they belong.
func TestMatchSystemsBlocks(t *testing.T) {
	for _, size := range []struct{ systems, segments int }{{2500, 3}, {3, 2000}} {
		refs, systems := makeSystems(size.systems, size.segments)
		ms, err := mteval.MatchSystems(t.Context(), matcherOf(t, refs), systems)
		if err != nil {
			t.Fatal(err)
		}
		for k, sys := range systems {
			for i := range refs {
				m := ms.At(k, i)
				if len(m.Pairings) != 1 || len(m.Tokens) != 2 || m.Tokens[0].Text+" "+m.Tokens[1].Text != sys.Hyps[i] || len(m.Pairings[0].Ref) != 1 {
					t.Fatalf("%v: system %d, segment %d: %+v", size, k, i, m)
				}
			}
		}
	}
}

func TestPrepareMatched(t *testing.T) {
	refs, systems := makeSystems(1, 5200)
	m := matcherOf(t, refs)
	p := mteval.PrepareMatched(words{}, m)
	if p.Len() != 5200 {
		t.Errorf("%d segments", p.Len())
	}
	dst := []float64{7, 8}
	got, err := p.Append(t.Context(), dst, nil, systems[0].Hyps)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got[:2], dst) || len(got) != 2+4*5200 {
		t.Fatalf("%d numbers, the first %v", len(got), got[:2])
	}
	for i := range refs {
		if want := []float64{2, 0, 1, float64(i)}; !slices.Equal(got[2+4*i:6+4*i], want) {
			t.Fatalf("segment %d: %v, want %v", i, got[2+4*i:6+4*i], want)
		}
	}
	// Matchings are held for a bounded number of hypotheses at a time.
	if len(m.sizes) < 2 || slices.Max(m.sizes) > 2048 {
		t.Errorf("calls of Match with %v hypotheses", m.sizes)
	}
	// So they are for long ones.
	m.sizes = nil
	long := slices.Repeat([]string{strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<23)}, 8)
	if _, err := p.Append(t.Context(), nil, make([]int, len(long)), long); err != nil {
		t.Fatal(err)
	}
	if len(m.sizes) != len(long) {
		t.Errorf("calls of Match with %v hypotheses of 1 and 8 MiB in turn", m.sizes)
	}
	// Segment numbers that go past those of a block, backwards.
	segs := make([]int, 5200)
	for k := range segs {
		segs[k] = 5199 - k
	}
	got, err = p.Append(t.Context(), nil, segs, systems[0].Hyps)
	if err != nil {
		t.Fatal(err)
	}
	for k := range segs {
		if got[4*k+3] != float64(segs[k]) {
			t.Fatalf("hypothesis %d has segment %v, want %d", k, got[4*k+3], segs[k])
		}
	}
	if !slices.IsSortedFunc(segs, func(a, b int) int { return b - a }) {
		t.Error("Append changed segs")
	}
	// On error dst comes back as it was, also after blocks that went well, and
	// into room that it has.
	failure := errors.New("no electricity")
	roomy := append(make([]float64, 0, 24000), dst...)
	calls := 0
	m.match = func() error {
		if calls++; calls == 3 {
			return failure
		}
		return nil
	}
	if got, err := p.Append(t.Context(), roomy, nil, systems[0].Hyps); !errors.Is(err, failure) || !slices.Equal(got, dst) {
		t.Errorf("Match fails: %d numbers, error %v", len(got), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m.match = func() error { cancel(); return nil }
	if got, err := p.Append(ctx, roomy, nil, systems[0].Hyps); !errors.Is(err, context.Canceled) || !slices.Equal(got, dst) {
		t.Errorf("cancelled: %d numbers, error %v", len(got), err)
	}
	m.match = nil
	for _, tt := range []struct {
		segs []int
		hyps []string
		want error
	}{
		{nil, []string{"a"}, mteval.ErrLength}, {[]int{1}, []string{"a", "b"}, mteval.ErrLength}, {[]int{5200}, []string{"a"}, mteval.ErrSegment},
	} {
		if got, err := p.Append(t.Context(), dst, tt.segs, tt.hyps); !errors.Is(err, tt.want) || !slices.Equal(got, dst) {
			t.Errorf("%v: %v, error %v", tt.segs, got, err)
		}
	}
	if got, err := p.Append(t.Context(), dst, []int{}, nil); err != nil || !slices.Equal(got, dst) {
		t.Errorf("no hypotheses: %v, error %v", got, err)
	}
}
