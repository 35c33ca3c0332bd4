package distributed_test

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/distributed"
	"github.com/mteval/mteval/distributed/internal/synthetic"
	_ "github.com/mteval/mteval/distributed/metrics"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/ter"
)

func TestMain(m *testing.M) { ptest.Main(m) }

func init() {
	register.DoFn2x0[int, func(distributed.Record)](&makeFn{})
	register.Emitter1[distributed.Record]()
	for _, fn := range []any{&gatherFn[distributed.SegmentScore]{}, &gatherFn[distributed.SystemScore]{}, &gatherFn[distributed.Interval]{}, &gatherFn[distributed.Bad]{}, &gatherFn[distributed.Record]{}} {
		beam.RegisterType(reflect.TypeOf(fn).Elem())
	}
}

// gathered holds what pipelines gave: the runner's workers are of the test's process.
var gathered struct {
	sync.Mutex
	next int
	of   map[int][]any
}

type gatherFn[T any] struct{ To int }

func (f *gatherFn[T]) ProcessElement(x T) {
	gathered.Lock()
	defer gathered.Unlock()
	gathered.of[f.To] = append(gathered.of[f.To], x)
}

// gather returns what gives a collection's elements when the pipeline has run.
func gather[T any](s beam.Scope, c beam.PCollection) func() []T {
	gathered.Lock()
	defer gathered.Unlock()
	if gathered.of == nil {
		gathered.of = map[int][]any{}
	}
	gathered.next++
	to := gathered.next
	beam.ParDo0(s, &gatherFn[T]{to}, c)
	return func() []T {
		gathered.Lock()
		defer gathered.Unlock()
		out := make([]T, len(gathered.of[to]))
		for i, x := range gathered.of[to] {
			out[i] = x.(T)
		}
		delete(gathered.of, to)
		return out
	}
}

// run runs a pipeline in this process.
func run(t testing.TB, p *beam.Pipeline) beam.PipelineResult {
	t.Helper()
	result, err := beam.Run(context.Background(), "prism", p)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

const chunk = 500

// makeFn makes the segments of a chunk up.
type makeFn struct{ Segments, Systems int }

func (f *makeFn) ProcessElement(n int, emit func(distributed.Record)) {
	for i := n * chunk; i < min((n+1)*chunk, f.Segments); i++ {
		for _, r := range synthetic.Segment(i, f.Systems) {
			emit(r)
		}
	}
}

func made(s beam.Scope, segments, systems int) beam.PCollection {
	var chunks []int
	for n := range (segments + chunk - 1) / chunk {
		chunks = append(chunks, n)
	}
	return beam.ParDo(s, &makeFn{segments, systems}, beam.Reshuffle(s, beam.CreateList(s, chunks)))
}

// descriptions are of what scorers makes.
func descriptions() []distributed.Description {
	combined := difficulty.Combined()
	paper := difficulty.Options{LeaveOneOut: true}
	return []distributed.Description{
		{Metric: "bleu"}, {Metric: "chrf"}, {Metric: "ter"}, {Metric: "meteor"},
		{Metric: "wordf", Difficulty: &combined},
		{Metric: "wordf", Difficulty: &paper},
	}
}

func scorers(t testing.TB) []mteval.Scorer {
	t.Helper()
	b, err1 := bleu.New(bleu.Options{})
	c, err2 := chrf.New(chrf.Options{})
	m, err3 := meteor.New(meteor.Options{})
	f, err4 := overlap.NewF(overlap.FOptions{})
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	return []mteval.Scorer{b, c, ter.New(ter.Options{}), m, f, f}
}

// tables are what one process makes of the same, by metric.
func tables(t testing.TB, ds []distributed.Description, scorers []mteval.Scorer, refs [][]string, systems []mteval.System) []*mteval.Table {
	t.Helper()
	ctx := context.Background()
	out := make([]*mteval.Table, len(ds))
	for k, d := range ds {
		var err error
		if d.Difficulty == nil {
			out[k], err = mteval.Systems(ctx, scorers[k], refs, systems)
		} else {
			out[k], err = aware(ctx, scorers[k].(mteval.MatchScorer), refs, systems, *d.Difficulty)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func aware(ctx context.Context, s mteval.MatchScorer, refs [][]string, systems []mteval.System, o difficulty.Options) (*mteval.Table, error) {
	m, err := s.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	ms, err := mteval.MatchSystems(ctx, m, systems)
	if err != nil {
		return nil, err
	}
	f, err := difficulty.NewField(s, ms, o, difficulty.Function{})
	if err != nil {
		return nil, err
	}
	all := make([]int, len(systems))
	for i := range all {
		all[i] = i
	}
	p, err := f.Poll(ctx, all, nil)
	if err != nil {
		return nil, err
	}
	return p.Table(ctx)
}

func envInt(t testing.TB, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// A million made-up segments, or as many as MTEVAL_BEAM_SEGMENTS says, give on Prism what
// they give in one process.
func TestSynthetic(t *testing.T) {
	segments, count := envInt(t, "MTEVAL_BEAM_SEGMENTS", 4000), envInt(t, "MTEVAL_BEAM_SYSTEMS", 3)
	ds := descriptions()
	p, s := beam.NewPipelineWithRoot()
	scores, bad := distributed.SegmentScores(s, made(s, segments, count), ds)
	systems := gather[distributed.SystemScore](s, distributed.SystemScores(s, scores, ds))
	refused := gather[distributed.Bad](s, bad)
	start, before := time.Now(), cpu()
	run(t, p)
	t.Logf("%d records: Prism %v, of processors %v", segments*count, time.Since(start), cpu()-before)
	if b := refused(); len(b) > 0 {
		t.Fatalf("%d records are bad, the first: %+v", len(b), b[0])
	}
	start, before = time.Now(), cpu()
	var want *totals
	const block = 10_000 // so that one process has the memory for it
	for lo := 0; lo < segments; lo += block {
		n := min(block, segments-lo)
		refs, all := make([][]string, n), make([]mteval.System, count)
		for i := range refs {
			for k, r := range synthetic.Segment(lo+i, count) {
				refs[i], all[k].Name = r.References, r.System
				all[k].Hyps = append(all[k].Hyps, r.Hypothesis)
			}
		}
		if blocks := tables(t, ds, scorers(t), refs, all); want == nil {
			want = new(totals).start(blocks)
		} else {
			want.add(blocks)
		}
	}
	t.Logf("one process %v, of processors %v", time.Since(start), cpu()-before)
	want.check(t, ds, systems())
}

// totals are what one process has.
type totals struct {
	tables   []*mteval.Table // of the last block
	sums     [][][]float64   // by metric and system
	segments int
}

func (w *totals) start(tables []*mteval.Table) *totals {
	w.sums = make([][][]float64, len(tables))
	return w.add(tables)
}

func (w *totals) add(tables []*mteval.Table) *totals {
	w.tables = tables
	w.segments += tables[0].Len()
	for k, table := range tables {
		if w.sums[k] == nil {
			w.sums[k] = make([][]float64, len(table.Systems))
		}
		for at := range table.Systems {
			sum := table.Sum(at)
			for i, x := range w.sums[k][at] {
				sum[i] += x
			}
			w.sums[k][at] = sum
		}
	}
	return w
}

// check compares scores: of metrics that count bit by bit, of others to 1e-9.
func (w *totals) check(t *testing.T, ds []distributed.Description, got []distributed.SystemScore) {
	t.Helper()
	systems := w.tables[0].Systems
	if n := len(ds) * len(systems); len(got) != n {
		t.Fatalf("%d scores, want %d", len(got), n)
	}
	for _, x := range got {
		k := slices.IndexFunc(ds, func(d distributed.Description) bool { return d.ScoreName() == x.Metric })
		at := slices.Index(systems, x.System)
		if k < 0 || at < 0 {
			t.Fatalf("score of system %q by metric %q", x.System, x.Metric)
		}
		sum := w.sums[k][at]
		score := w.tables[k].Score(sum)
		counts := ds[k].Difficulty == nil && ds[k].Metric != "bertscore"
		if counts && (x.Score != score || !slices.Equal(x.Row, sum)) || !(math.Abs(x.Score-score) <= 1e-9) || x.Segments != int64(w.segments) {
			t.Errorf("%s, %s: %v of %v, %d segments; one process: %v of %v", x.System, x.Metric, x.Score, x.Row, x.Segments, score, sum)
		}
		want := w.tables[k].Info.Signature.String()
		if ds[k].Difficulty != nil { // the table's lacks what Complete adds
			want = w.tables[k].Info.Signature.Complete([][]string{{""}}).String()
		}
		if x.Signature != want {
			t.Errorf("%s: signature %s, want %s", x.Metric, x.Signature, want)
		}
	}
}

func lexicalScorer(t testing.TB) mteval.Scorer {
	t.Helper()
	b, err := lexical.New(lexical.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := bertscore.New(b, bertscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The systems of WMT19 English-German, of which each fifth segment is scored unless
// MTEVAL_BEAM_SEGMENTS is set, give on Prism what they give in one process, intervals too.
func TestWMT19(t *testing.T) {
	folder := shareddata.Path(t, "data", "wmt19-en-de")
	step := 5
	if os.Getenv("MTEVAL_BEAM_SEGMENTS") != "" {
		step = 1
	}
	some := func(path string) (out []string) {
		for i, line := range shareddata.ReadLines(t, path) {
			if i%step == 0 {
				out = append(out, line)
			}
		}
		return out
	}
	refs, err := mteval.Segments(some(filepath.Join(folder, "ref.de")))
	if err != nil {
		t.Fatal(err)
	}
	var all []mteval.System
	var records []distributed.Record
	paths, err := filepath.Glob(filepath.Join(folder, "sys", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		x := mteval.System{Name: strings.TrimSuffix(filepath.Base(path), ".txt"), Hyps: some(path)}
		all = append(all, x)
		for i, hyp := range x.Hyps {
			records = append(records, distributed.Record{System: x.Name, Segment: strconv.Itoa(i + 1), Hypothesis: hyp, References: refs[i]})
		}
	}
	if len(all) != 22 {
		t.Fatalf("%d systems, want 22", len(all))
	}
	normalized := difficulty.Normalized()
	ds := append(descriptions(), distributed.Description{Metric: "bertscore"}, distributed.Description{Metric: "bertscore", Difficulty: &normalized})
	one := lexicalScorer(t)
	o := distributed.BootstrapOptions{Samples: 100, Seed: 7}
	p, s := beam.NewPipelineWithRoot()
	scores, bad := distributed.SegmentScores(s, beam.CreateList(s, records), ds)
	systems := gather[distributed.SystemScore](s, distributed.SystemScores(s, scores, ds))
	segments := gather[distributed.SegmentScore](s, scores)
	intervals := gather[distributed.Interval](s, distributed.Bootstrap(s, scores, ds, o))
	refused := gather[distributed.Bad](s, bad)
	run(t, p)
	if b := refused(); len(b) > 0 {
		t.Fatalf("%d records are bad, the first: %+v", len(b), b[0])
	}
	want := tables(t, ds, append(scorers(t), one, one), refs, all)
	new(totals).start(want).check(t, ds, systems())

	system := func(name string) int { return slices.Index(want[0].Systems, name) }
	got := segments()
	if len(got) != len(records) {
		t.Errorf("%d segments' scores of %d", len(got), len(records))
	}
	for _, x := range got {
		n, _ := strconv.Atoi(x.Segment)
		for k, table := range want {
			if row := table.Row(system(x.System), n-1); !slices.Equal(x.Rows[k], row) || x.Scores[k] != table.Score(row) {
				t.Fatalf("%s, segment %d, %s: %v of %v, want %v", x.System, n, ds[k].ScoreName(), x.Scores[k], x.Rows[k], row)
			}
		}
	}
	var wanted []distributed.Interval
	for k, table := range want {
		samples, err := significance.Bootstrap(context.Background(), table, significance.Options{Samples: o.Samples, Seed: o.Seed})
		if err != nil {
			t.Fatal(err)
		}
		for at, name := range table.Systems {
			i := significance.Interval95(samples[at])
			wanted = append(wanted, distributed.Interval{System: name, Metric: ds[k].ScoreName(), Mean: i.Mean, Low: i.Low, High: i.High, Samples: o.Samples})
		}
	}
	order := cmpopts.SortSlices(func(a, b distributed.Interval) int {
		return cmp.Or(strings.Compare(a.System, b.System), strings.Compare(a.Metric, b.Metric))
	})
	if diff := gocmp.Diff(wanted, intervals(), order); diff != "" {
		t.Errorf("intervals (-one process +Prism):\n%s", diff)
	}
}

func ptestRun(p *beam.Pipeline) error {
	_, err := beam.Run(context.Background(), "prism", p)
	return err
}
