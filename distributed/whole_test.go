package distributed_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
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

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/distributed"
	"github.com/mteval/mteval/distributed/internal/synthetic"
	_ "github.com/mteval/mteval/distributed/metrics"
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
	start := time.Now()
	run(t, p)
	t.Logf("%d records: Prism %v", segments*count, time.Since(start))
	if b := refused(); len(b) > 0 {
		t.Fatalf("%d records are bad, the first: %+v", len(b), b[0])
	}
	refs := make([][]string, segments)
	all := make([]mteval.System, count)
	for i := range refs {
		for k, r := range synthetic.Segment(i, count) {
			refs[i], all[k].Name = r.References, r.System
			all[k].Hyps = append(all[k].Hyps, r.Hypothesis)
		}
	}
	start = time.Now()
	want := tables(t, ds, scorers(t), refs, all)
	t.Logf("one process %v", time.Since(start))
	checkSystems(t, ds, want, systems())
}

// checkSystems compares scores: of metrics that count bit by bit, of others to 1e-9.
func checkSystems(t *testing.T, ds []distributed.Description, want []*mteval.Table, got []distributed.SystemScore) {
	t.Helper()
	if n := len(want) * len(want[0].Systems); len(got) != n {
		t.Fatalf("%d scores, want %d", len(got), n)
	}
	for _, x := range got {
		k := slices.IndexFunc(ds, func(d distributed.Description) bool { return nameOf(d) == x.Metric })
		if k < 0 {
			t.Fatalf("no metric %q", x.Metric)
		}
		at := slices.Index(want[k].Systems, x.System)
		if at < 0 {
			t.Fatalf("no system %q", x.System)
		}
		sum := want[k].Sum(at)
		score := want[k].Score(sum)
		exact := ds[k].Difficulty == nil && !strings.HasPrefix(ds[k].Metric, "bertscore")
		if exact && (x.Score != score || !slices.Equal(x.Row, sum)) || !(math.Abs(x.Score-score) <= 1e-9) || x.Segments != int64(want[k].Len()) {
			t.Errorf("%s, %s: %v of %v, %d segments; one process: %v of %v", x.System, x.Metric, x.Score, x.Row, x.Segments, score, sum)
		}
		if ds[k].Difficulty == nil {
			if sig := want[k].Info.Signature.String(); x.Signature != sig {
				t.Errorf("%s: signature %s, want %s", x.Metric, x.Signature, sig)
			}
		}
	}
}

func nameOf(d distributed.Description) string {
	switch {
	case d.Name != "":
		return d.Name
	case d.Difficulty == nil:
		return d.Metric
	case d.Difficulty.AddPlain:
		return d.Metric + "+da"
	}
	return "da-" + d.Metric
}

var _ = fmt.Sprint
var _ = lexical.New
var _ = bertscore.New
var _ = significance.Bootstrap
