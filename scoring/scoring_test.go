package scoring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/bleu"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/difficulty"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/overlap"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/significance"
	"github.com/mteval/mteval/ter"
)

const sample = "../examples/data/"

// sampleRun has the sample's systems with these names.
func sampleRun(t *testing.T, names ...string) *Run {
	t.Helper()
	var paths []string
	for _, n := range names {
		paths = append(paths, sample+"sys/"+n+".txt")
	}
	c, err := files.OpenCorpus(t.Context(), []string{sample + "ref.de"}, paths, files.CorpusOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return &Run{Texts: c}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// sampleMetrics are two plain metrics and a form of one.
func sampleMetrics() []Metric {
	base := must(overlap.NewF(overlap.FOptions{}))
	_, form := FormOf("da-wordf")
	return []Metric{{Scorer: base}, {Scorer: must(chrf.New(chrf.Options{}))}, {base, form}}
}

// What columns and probabilities need is made once.
func TestRunOnce(t *testing.T) {
	r, metrics := sampleRun(t, "aspen", "birch"), sampleMetrics()
	if _, err := r.Evidence(t.Context(), metrics); err != nil {
		t.Fatal(err)
	}
	if len(r.matched) != 1 || len(r.scored) != 2 {
		t.Fatalf("%d matchings, %d tables", len(r.matched), len(r.scored))
	}
	for i, m := range sampleMetrics()[:2] {
		got, err := r.Table(t.Context(), m.Scorer)
		if err != nil || got != r.scored[i].table || got.Info.Signature.Get("nrefs") != "1" {
			t.Errorf("%s: %v, made again", m.Scorer.Info().Name, err)
		}
		whole := must(mteval.Systems(t.Context(), m.Scorer, r.Texts.Refs, r.Texts.Systems))
		if d := cmp.Diff(whole.Scores(), got.Scores()) + cmp.Diff(whole.Info, got.Info); d != "" {
			t.Errorf("not as Systems has it (-want +got):\n%s", d)
		}
	}
	if got, err := r.Match(t.Context(), metrics[0].Scorer.(mteval.MatchScorer)); err != nil || got != r.matched[0].ms {
		t.Errorf("matched again: %v", err)
	}
	if len(r.matched) != 1 || len(r.scored) != 2 {
		t.Errorf("%d matchings, %d tables", len(r.matched), len(r.scored))
	}
}

// wordfCalibration is of the sample's metrics, each with a term.
func wordfCalibration(t *testing.T) *preference.Calibration {
	t.Helper()
	sets := make([]preference.Set, 2)
	for i := range sets {
		r := sampleRun(t, "aspen", "birch", "cedar")
		e := must(r.Evidence(t.Context(), sampleMetrics()))
		sets[i] = preference.Set{Name: fmt.Sprint(i), Human: []float64{3, 2, 1}, Evidence: e}
	}
	c, err := Calibrate(t.Context(), sets, preference.FitOptions{})
	if err != nil || len(c.Figures) == 0 {
		t.Fatalf("%v", err)
	}
	return c.Calibration
}

func TestJudgeCancelled(t *testing.T) {
	c := wordfCalibration(t)
	r, metrics := sampleRun(t, "aspen", "birch"), sampleMetrics()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := r.Evidence(ctx, metrics); err != nil {
		t.Fatal(err)
	}
	cancel()
	// All tables are there: what is left is the work on them.
	if r, err := r.Judge(ctx, c, metrics); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("%v, %v", r, err)
	}
}

// Systems come in people's order, or else in that of expected wins, or of the first metric.
func TestRank(t *testing.T) {
	c, metrics := wordfCalibration(t), sampleMetrics()
	with := RankOptions{
		Metrics: []mteval.Scorer{ter.New(ter.Options{})}, Base: metrics[0].Scorer.(mteval.MatchScorer), Difficulty: difficulty.Combined(),
		Calibration: c, Terms: metrics,
	}
	asked := with
	asked.Human = []ranking.Human{{System: "birch", Score: 2}, {System: "cedar", Score: 3}}
	for name, tt := range map[string]struct {
		o    RankOptions
		want string
	}{
		"base":   {with, ""},
		"people": {asked, "cedar birch aspen"},
		"ter":    {RankOptions{Metrics: with.Metrics}, ""},
	} {
		k, err := sampleRun(t, "aspen", "birch", "cedar").Rank(t.Context(), tt.o)
		if err != nil {
			t.Fatal(err)
		}
		var order, wins, least []string
		for i, s := range k.Systems {
			order = append(order, s.Name)
			if s.Ranks[0] == i+1 {
				least = append(least, s.Name)
			}
		}
		switch {
		case tt.want != "":
			if k.Opinion.Check == nil || k.Opinion.Check.All.Pairs != 1 {
				t.Errorf("%s: checked with %+v", name, k.Opinion.Check)
			}
		case k.Opinion != nil:
			for _, i := range k.Opinion.Order() {
				wins = append(wins, k.Opinion.Systems[i])
			}
			tt.want = strings.Join(wins, " ")
		default:
			tt.want = strings.Join(least, " ")
		}
		if got := strings.Join(order, " "); got != tt.want || len(k.Signatures) != len(k.Metrics) {
			t.Errorf("%s: %s, want %s; %d signatures of %d metrics", name, got, tt.want, len(k.Signatures), len(k.Metrics))
		}
	}
	with.Calibration = nil
	if _, err := sampleRun(t, "aspen").Rank(t.Context(), with); err == nil {
		t.Error("ranked by no calibration")
	}
}

// Scores, intervals and p-values are those of package significance, and signatures tell of them.
func TestTest(t *testing.T) {
	table := must(sampleRun(t, "aspen", "birch").Table(t.Context(), must(bleu.New(bleu.Options{}))))
	o := significance.Options{Samples: 50, Seed: 7}
	bs, ar := must(significance.PairedBootstrap(t.Context(), table, 0, o)), must(significance.PairedRandomization(t.Context(), table, 0, o))
	for _, tt := range []struct {
		o         TestOptions
		signature string
		p         *float64
		interval  *significance.Interval
	}{
		{TestOptions{}, "nrefs:1|case", nil, nil},
		{TestOptions{Intervals: true, IntervalSamples: 50, Seed: 7}, "nrefs:1|bs:50|seed:7|case", nil, &bs[1].Interval},
		{TestOptions{Intervals: true}, "nrefs:1|bs:1000|seed:12345|case", nil, new(significance.Interval)},
		{TestOptions{Paired: Bootstrap, Samples: 50, IntervalSamples: 9, Seed: 7}, "nrefs:1|bs:50|seed:7|case", &bs[1].P, &bs[1].Interval},
		{TestOptions{Paired: Randomization, Samples: 50, Seed: 7}, "nrefs:1|ar:50|seed:7|case", &ar[1].P, nil},
		{TestOptions{Paired: Randomization, Samples: 50, Intervals: true, IntervalSamples: 50, Seed: 7}, "nrefs:1|ar:50|bs:50|seed:7|case", &ar[1].P, &bs[1].Interval},
	} {
		got, err := Test(t.Context(), table, tt.o)
		if err != nil || !strings.HasPrefix(got.Signature.String(), tt.signature) {
			t.Fatalf("%v, %v, want %s", err, got, tt.signature)
		}
		if tt.interval != nil && tt.interval.Mean == 0 {
			tt.interval = got.Systems[1].Interval
		}
		want := SystemScore{"birch", table.Scores()[1], tt.interval, tt.p}
		if d := cmp.Diff(want, got.Systems[1]); d != "" || got.Systems[0].P != nil {
			t.Errorf("%+v (-want +got):\n%s", tt.o, d)
		}
	}
	for _, o := range []TestOptions{{Paired: 9}, {Paired: Bootstrap, Samples: -1}} {
		if got, err := Test(t.Context(), table, o); err == nil {
			t.Errorf("%+v: %v", o, got)
		}
	}
}

// sourced is a metric that reads sources as it says.
type sourced struct {
	*ter.Scorer
	in mteval.Inputs
}

func (s sourced) Inputs() mteval.Inputs { return s.in }

func (s sourced) PrepareSources(ctx context.Context, _ []string, refs [][]string) (mteval.Prepared, error) {
	return s.Prepare(ctx, refs)
}

// A metric that lacks what it reads is an error that says what that is.
func TestReads(t *testing.T) {
	metric := func(sources, references mteval.Use) mteval.Scorer {
		return sourced{ter.New(ter.Options{}), mteval.Inputs{Sources: sources, References: references}}
	}
	refs, sources := [][]string{{"a"}}, []string{"b"}
	for _, tt := range []struct {
		texts               files.Corpus
		s                   mteval.Scorer
		sources, references bool
		err                 string
		is                  error
	}{
		{files.Corpus{Refs: refs}, ter.New(ter.Options{}), false, true, "", nil},
		{files.Corpus{Sources: sources}, ter.New(ter.Options{}), false, false, "ter reads references", mteval.ErrNoReference},
		{files.Corpus{Refs: refs}, metric(mteval.Required, mteval.Unused), false, false, "ter: no source: it reads what was translated", mteval.ErrNoSource},
		{files.Corpus{Refs: make([][]string, 1)}, metric(mteval.Optional, mteval.Optional), false, false, "ter: no source, and no reference", mteval.ErrNoSource},
		{files.Corpus{Refs: refs, Sources: sources}, metric(mteval.Required, mteval.Unused), true, false, "", nil},
		{files.Corpus{Refs: refs, Sources: sources}, metric(mteval.Unused, mteval.Required), false, true, "", nil},
	} {
		source, reference, err := Reads(&tt.texts, tt.s)
		if fmt.Sprint(err) != tt.err && !(err == nil && tt.err == "") || !errors.Is(err, tt.is) || source != tt.sources || reference != tt.references {
			t.Errorf("%+v: %v, %v, %v", tt, source, reference, err)
		}
	}
}

// A search that was ended is told of by metric and system.
func TestLimits(t *testing.T) {
	r := sampleRun(t, "aspen")
	table := must(r.Table(t.Context(), ter.New(ter.Options{})))
	if got := r.Limits(); got != nil {
		t.Errorf("%v", got)
	}
	table.Row(0, 0)[2] = 1
	if d := cmp.Diff([]Limit{{"ter", "aspen", 1}}, r.Limits()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A set has people's scores by output.
func TestJudgedSet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wmt1-en-de")
	for name, text := range map[string]string{"ref.de": "a b\n", "sys/x.txt": "a b\n", "sys/y.txt": "a\n", "sys/z.txt": "b\n", "human.tsv": "y\t1\nx\t2\nw\t3\n"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	sets, err := FindJudged([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	s := sets[0]
	if err := s.OpenHuman(t.Context(), files.Options{}); err != nil {
		t.Fatal(err)
	}
	if s.Campaign() != "wmt1" || s.Language != "de" || s.Human[0] != 2 || s.Human[1] != 1 || !math.IsNaN(s.Human[2]) || s.Unscored[0] != "z" || s.Missing[0] != "w" {
		t.Errorf("%+v", s)
	}
	if _, err := FindJudged([]string{dir, dir}); err == nil || !strings.Contains(err.Error(), "are both called wmt1-en-de") {
		t.Error(err)
	}
}
