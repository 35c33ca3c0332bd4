package study_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend/lexical"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/study"
)

// corpus draws references and outputs of systems, of which each later one drops and replaces
// more words.
func corpus(segments int, names ...string) (refs [][]string, systems []mteval.System) {
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the old ferry leaves at half past nine and a sister gave him his book of prices")
	text := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = words[r.IntN(len(words))]
		}
		return out
	}
	for _, name := range names {
		systems = append(systems, mteval.System{Name: name})
	}
	for range segments {
		ref := text(4 + r.IntN(6))
		refs = append(refs, []string{strings.Join(ref, " ")})
		for k := range systems {
			var hyp []string
			for _, w := range ref {
				switch x := r.IntN(20); {
				case x < k:
				case x < 3*k+2:
					hyp = append(hyp, words[r.IntN(len(words))])
				default:
					hyp = append(hyp, w)
				}
			}
			systems[k].Hyps = append(systems[k].Hyps, strings.Join(hyp, " "))
		}
	}
	return refs, systems
}

// people gives systems scores, of which one is not the best by any metric.
func people(names string, scores ...float64) []ranking.Human {
	var out []ranking.Human
	for i, name := range strings.Fields(names) {
		out = append(out, ranking.Human{System: name, Score: scores[i]})
	}
	return out
}

func wordF(t testing.TB) *overlap.FScorer {
	t.Helper()
	s, err := overlap.NewF(overlap.FOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var forms = []study.Form{
	{Name: "paper", Options: difficulty.Paper()},
	{Name: "normalized", Options: difficulty.Options{Novel: difficulty.Matched, Normalize: true, LeaveOneOut: true}},
	{Name: "combined", Options: difficulty.Combined()},
}

// Holm's adjustment, by hand, and verdicts, counted.
func TestHolmAndVerdict(t *testing.T) {
	refs, systems := corpus(30, "a", "b", "c", "d", "e", "f")
	r, err := study.Run(t.Context(), refs, systems, people("f e d c b a", 1, 2, 3, 4, 5, 6), []study.Subject{{Scorer: wordF(t), Forms: forms}}, study.Options{Samples: 99})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Curves {
		for j := range plain {
			var ps []float64
			var ds []*study.Difference
			var want study.Verdict
			for _, p := range c.Points {
				d := p.Agreements[j].Difference
				if (d == nil) != (c.Form == nil) {
					t.Fatalf("%s: difference %v", c.Name(), d)
				}
				if d == nil {
					continue
				}
				if d.P != nil {
					ps, ds = append(ps, *d.P), append(ds, d)
				}
				want.Mean += d.Value / float64(len(c.Points))
				significant := d.Holm != nil && *d.Holm <= .5
				switch {
				case math.Abs(d.Value) <= 1e-12:
					want.Same++
				case d.Value > 0:
					want.Better++
					if significant {
						want.SignificantlyBetter = append(want.SignificantlyBetter, p.K)
					}
				default:
					want.Worse++
					if significant {
						want.SignificantlyWorse = append(want.SignificantlyWorse, p.K)
					}
				}
			}
			for i, d := range ds {
				// The largest of the steps up to it: p times how many are not below it.
				holm := 0.0
				for _, q := range ps {
					if q <= ps[i] {
						above := 0.0
						for _, x := range ps {
							if x >= q {
								above++
							}
						}
						holm = max(holm, min(1, above*q))
					}
				}
				if math.Abs(holm-*d.Holm) > 1e-12 {
					t.Errorf("%s: Holm %v, want %v of %v", c.Name(), *d.Holm, holm, ps)
				}
			}
			got := c.Verdict(j, .5)
			if c.Form == nil {
				if got != nil {
					t.Errorf("%s has a verdict", c.Name())
				}
				continue
			}
			if d := cmp.Diff(&want, got, approx, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.Name(), d)
			}
		}
	}
}

// A form whose weights are all the same is its metric: no difference, and p is 1.
func TestEqualForms(t *testing.T) {
	refs, systems := corpus(10, "a", "b", "c", "d")
	vectors, err := lexical.New(lexical.Options{Dim: 64})
	if err != nil {
		t.Fatal(err)
	}
	f, err := bertscore.New(vectors, bertscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	same := []study.Form{{Name: "equal", Options: difficulty.Options{Floor: 1, Average: difficulty.MeanF}}}
	r, err := study.Run(t.Context(), refs, systems, people("a b c d", 4, 3, 2, 1), []study.Subject{{Scorer: f, Forms: same}}, study.Options{Samples: 50})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Curves[1]
	if c.Name() != "da-"+f.Info().Name+" equal" || c.Table != nil || r.Curves[0].Table == nil {
		t.Errorf("%s", c.Name())
	}
	for _, p := range c.Points {
		for j := range plain {
			// Rounding decides on nothing.
			if d := p.Agreements[j].Difference; d == nil || math.Abs(d.Value) > 1e-9 || d.P == nil || *d.P != 1 || *d.Holm != 1 {
				t.Errorf("K %d: %+v", p.K, d)
			}
		}
	}
	if v := c.Verdict(significance.Kendall, .05); v.Same != 2 || v.Better+v.Worse != 0 {
		t.Errorf("%+v", v)
	}
}

// PERM is of means of segments' scores: where a form and its metric have them as scores, its
// difference is theirs, and where the form has the F of means, it is not.
func TestPermOfMeans(t *testing.T) {
	refs, systems := corpus(12, "a", "b", "c", "d")
	vectors, err := lexical.New(lexical.Options{Dim: 64})
	if err != nil {
		t.Fatal(err)
	}
	f, err := bertscore.New(vectors, bertscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	forms := []study.Form{{Name: "combined", Options: difficulty.Combined()}, {Name: "paper"}}
	r, err := study.Run(t.Context(), refs, systems, people("a b c d", 4, 2, 3, 1), []study.Subject{{Scorer: f, Forms: forms}}, study.Options{Samples: 50})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Curves[1].Name(); got != "bertscore-lexical+da combined" {
		t.Errorf("the form is %s", got)
	}
	last := len(r.Curves[1].Points) - 1
	for i, same := range map[int]bool{1: true, 2: false} {
		d := r.Curves[i].Points[last].Agreements[significance.Pearson].Difference
		if got := math.Abs(d.Perm.X-d.Perm.Y-d.Value) < 1e-12; got != same || d.Value == 0 {
			t.Errorf("%s: PERM of %v, difference %v", r.Curves[i].Name(), d.Perm.X-d.Perm.Y, d.Value)
		}
	}
}

// Of systems whose outputs are the same nothing is defined, and that is no error.
func TestEqualSystems(t *testing.T) {
	refs, one := corpus(6, "a")
	var systems []mteval.System
	for _, name := range []string{"a", "b", "c"} {
		systems = append(systems, mteval.System{Name: name, Hyps: one[0].Hyps})
	}
	r, err := study.Run(t.Context(), refs, systems, people("a b c", 3, 2, 1), []study.Subject{{Scorer: wordF(t), Forms: forms}}, study.Options{Samples: 20})
	if err != nil {
		t.Fatal(err)
	}
	none := study.Agreement{Segments: study.Interval{Undefined: 20}, Systems: study.Interval{Undefined: 20}}
	for _, c := range r.Curves {
		for j := range plain {
			if d := cmp.Diff(none, c.Points[0].Agreements[j]); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.Name(), d)
			}
			if v := c.Verdict(j, .05); v != nil {
				t.Errorf("%s: %+v", c.Name(), v)
			}
		}
	}
	if r.SamplesNeeded != 0 { // one K, of which 1/21 is below .05
		t.Error(r.SamplesNeeded)
	}
}

// Results do not depend on workers, on the order in which systems are given, nor on other
// metrics.
func TestIndependence(t *testing.T) {
	refs, systems := corpus(20, "a", "b", "c", "d", "e")
	human := people("a b c d e", .5, .4, .3, .2, .1)
	metrics := []study.Subject{{Scorer: wordF(t), Forms: forms}, {Scorer: new(overlap.RateScorer)}}
	run := func(systems []mteval.System, metrics []study.Subject, workers int) *study.Result {
		r, err := study.Run(t.Context(), refs, systems, human, metrics, study.Options{Samples: 130, Workers: workers, Alpha: .4})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ignore := cmpopts.IgnoreFields(study.Curve{}, "Table")
	want := run(systems, metrics, 1)
	for _, workers := range []int{0, 2, 7} {
		if d := cmp.Diff(want, run(systems, metrics, workers), ignore); d != "" {
			t.Errorf("%d workers (-1 +got):\n%s", workers, d)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if d := cmp.Diff(want, run(systems, metrics, 0), ignore); d != "" {
		t.Errorf("on one processor (-want +got):\n%s", d)
	}
	other := slices.Clone(systems)
	slices.Reverse(other)
	if d := cmp.Diff(want, run(other, metrics, 1), ignore); d != "" {
		t.Errorf("systems reversed (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want.Curves[4:], run(systems, metrics[1:], 1).Curves, ignore); d != "" {
		t.Errorf("without other metrics (-want +got):\n%s", d)
	}
}

// failing is a metric that fails for an output.
type failing struct {
	mteval.Scorer
	output string
}

func (f failing) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	p, err := f.Scorer.Prepare(ctx, refs)
	return failingPrepared{p, f.output}, err
}

type failingPrepared struct {
	mteval.Prepared
	output string
}

var errOutput = errors.New("no electricity")

func (p failingPrepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if k := slices.Index(hyps, p.output); k >= 0 {
		return dst, &mteval.SegmentError{Segment: segs[k], Side: mteval.HypothesisSide, Index: k, Err: errOutput}
	}
	return p.Prepared.Append(ctx, dst, segs, hyps)
}

func TestRunErrors(t *testing.T) {
	refs, systems := corpus(5, "a", "b", "c", "d")
	human := people("a b c d", 4, 3, 2, 1)
	f := []study.Subject{{Scorer: wordF(t), Forms: forms}}
	short := slices.Clone(systems)
	short[1].Hyps = short[1].Hyps[:2]
	two := []string{"", ""}
	for name, tt := range map[string]struct {
		refs    [][]string
		systems []mteval.System
		human   []ranking.Human
		metrics []study.Subject
		o       study.Options
		is      error
		want    string
	}{
		"no metric":          {refs, systems, human, nil, study.Options{}, nil, "study: no metric"},
		"nil metric":         {refs, systems, human, []study.Subject{{}}, study.Options{}, nil, "study: metric 1 is nil"},
		"form of no matcher": {refs, systems, human, []study.Subject{{Scorer: new(overlap.RateScorer), Forms: forms}}, study.Options{}, nil, "wer does not match tokens"},
		"form out of range":  {refs, systems, human, []study.Subject{{Scorer: wordF(t), Forms: []study.Form{{Name: "odd", Options: difficulty.Options{Floor: 2}}}}}, study.Options{}, nil, "form odd of "},
		"samples":            {refs, systems, human, f, study.Options{Samples: -1}, nil, "study: -1 samples"},
		"samples, too many":  {refs, systems, human, f, study.Options{Samples: math.MaxInt}, nil, "samples"},
		"alpha 1":            {refs, systems, human, f, study.Options{Alpha: 1}, nil, "Alpha 1"},
		"alpha NaN":          {refs, systems, human, f, study.Options{Alpha: math.NaN()}, nil, "Alpha NaN"},
		"no systems":         {refs, nil, human, f, study.Options{}, study.ErrFewSystems, "study: too few systems: none is given"},
		"two systems":        {refs, systems, human[:2], f, study.Options{}, study.ErrFewSystems, "2 have a human score, 3 at least"},
		"no human score":     {refs, systems, nil, f, study.Options{}, study.ErrFewSystems, "0 have a human score"},
		"equal scores":       {refs, systems, people("a b c", 1, 1, 1), f, study.Options{}, study.ErrEqualScores, "same human score"},
		"twice a score":      {refs, systems, people("a b a", 1, 2, 3), f, study.Options{}, nil, "two human scores of a"},
		"no segments":        {nil, []mteval.System{{Name: "a"}, {Name: "b"}, {Name: "c"}}, human, f, study.Options{}, significance.ErrNoSegments, "no segments"},
		"missing output":     {refs, short, human, f, study.Options{}, mteval.ErrLength, "system b has 2"},
		"no reference":       {[][]string{{"a"}, {}}, []mteval.System{{Name: "a", Hyps: two}, {Name: "b", Hyps: two}, {Name: "c", Hyps: two}}, human, f, study.Options{}, mteval.ErrNoReference, ""},
	} {
		r, err := study.Run(t.Context(), tt.refs, tt.systems, tt.human, tt.metrics, tt.o)
		if err == nil || r != nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: %v, error %v, want %q", name, r, err, tt.want)
		}
	}
	// An error names the system as it was given.
	human = people("d c b", 4, 3, 2)
	_, err := study.Run(t.Context(), refs, systems, human, []study.Subject{{Scorer: failing{new(overlap.RateScorer), systems[2].Hyps[3]}}}, study.Options{})
	var metric *study.MetricError
	var at *mteval.SegmentError
	if !errors.As(err, &metric) || !errors.As(err, &at) || !errors.Is(err, errOutput) || metric.Metric != "wer" || at.Index != 2 || at.Segment != 3 {
		t.Errorf("%v, %+v", err, at)
	}
}

// Cancelled before and in the middle of it all, it ends with the context's error.
func TestRunCancelled(t *testing.T) {
	refs, systems := corpus(8, "a", "b", "c", "d")
	run := func(ctx context.Context) error {
		r, err := study.Run(ctx, refs, systems, people("a b c d", 4, 3, 2, 1), []study.Subject{{Scorer: wordF(t), Forms: forms}}, study.Options{Samples: 300})
		if (r == nil) != (err != nil) {
			t.Errorf("%v, %v", r, err)
		}
		return err
	}
	for _, calls := range []int64{0, 1, 10, 30, 100, 300, 1000} {
		if err := run(kit.NewCountdown(calls)); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d calls: %v", calls, err)
		}
	}
	if err := run(t.Context()); err != nil {
		t.Error(err)
	}
}

// Stages come in order, and report from 0 to a total of their own.
func TestStages(t *testing.T) {
	refs, systems := corpus(8, "a", "b", "c", "d")
	f := wordF(t)
	name := f.Info().Name
	var got []string
	o := study.Options{Samples: 10, Stage: func(ctx context.Context, stage string) (context.Context, func()) {
		last, whole := 0, 0
		return mteval.WithProgress(ctx, func(done, total int) {
				if done < last || done > total || whole != 0 && total != whole {
					t.Errorf("%s: %d of %d after %d of %d", stage, done, total, last, whole)
				}
				last, whole = done, total
			}), func() {
				got = append(got, fmt.Sprintf("%s %v", stage, last == whole))
			}
	}}
	if _, err := study.Run(t.Context(), refs, systems, people("a b c d", 4, 3, 2, 1), []study.Subject{{Scorer: f, Forms: forms}, {Scorer: new(overlap.RateScorer)}}, o); err != nil {
		t.Fatal(err)
	}
	want := []string{"references true", name + " true", name + " samples true", "wer true", "wer samples true"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Too few samples for anything to be significant are said, with how many would do.
func TestSamplesNeeded(t *testing.T) {
	refs, systems := corpus(5, "a", "b", "c", "d", "e")
	for samples, want := range map[int]float64{20: 60, 58: 60, 59: 0} {
		r, err := study.Run(t.Context(), refs, systems, people("a b c d e", 5, 4, 3, 2, 1), []study.Subject{{Scorer: wordF(t), Forms: forms}}, study.Options{Samples: samples})
		if err != nil || r.SamplesNeeded != want {
			t.Errorf("%d samples: %v, want %v, %v", samples, r.SamplesNeeded, want, err)
		}
	}
}
