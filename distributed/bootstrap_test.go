package distributed_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/distributed"
	"github.com/mteval/mteval/distributed/internal/synthetic"
	"github.com/mteval/mteval/significance"
)

// Poisson's samples are, to the last bit, what one process makes of their definition for a metric
// that counts, and their intervals near those of sacreBLEU's samples.
func TestPoisson(t *testing.T) {
	const segments, systems = 600, 2
	o := distributed.BootstrapOptions{Samples: 400, Seed: 3, Poisson: true}
	drawn := distributed.BootstrapOptions{Samples: 400}
	ds := descriptions()
	p, s := beam.NewPipelineWithRoot()
	scores, _ := distributed.SegmentScores(s, made(s, segments, systems), ds)
	poisson := gather[distributed.Interval](s, distributed.Bootstrap(s, scores, ds, o))
	others := gather[distributed.Interval](s, distributed.Bootstrap(s, scores, ds, drawn))
	run(t, p)

	refs, all := make([][]string, segments), make([]mteval.System, systems)
	counts := make([][]uint8, segments)
	for i := range refs {
		for k, r := range synthetic.Segment(i, systems) {
			refs[i], all[k].Name = r.References, r.System
			all[k].Hyps = append(all[k].Hyps, r.Hypothesis)
			counts[i] = distributed.PoissonCounts(nil, o.Samples, o.Seed, r.Segment)
		}
	}
	want := tables(t, ds, scorers(t), refs, all)
	got, other := poisson(), others()
	if len(got) != len(ds)*systems || len(other) != len(got) {
		t.Fatalf("%d and %d intervals", len(got), len(other))
	}
	for _, x := range got {
		k := slices.IndexFunc(ds, func(d distributed.Description) bool { return d.ScoreName() == x.Metric })
		table := want[k]
		at := slices.Index(table.Systems, x.System)
		samples := make([]float64, o.Samples)
		for n := range samples {
			sum := make([]float64, table.Width())
			for i := range segments {
				for j, v := range table.Row(at, i) {
					sum[j] += float64(counts[i][n]) * v
				}
			}
			samples[n] = table.Score(sum)
		}
		i := significance.Interval95(samples)
		limit := 0.0
		if ds[k].Difficulty != nil {
			limit = 1e-6 // of rounded rows
		}
		for _, d := range []float64{x.Mean - i.Mean, x.Low - i.Low, x.High - i.High} {
			if !(math.Abs(d) <= limit) {
				t.Errorf("%s, %s: %+v, one process %+v", x.System, x.Metric, x, i)
			}
		}
		n := slices.IndexFunc(other, func(y distributed.Interval) bool { return y.System == x.System && y.Metric == x.Metric })
		width := other[n].High - other[n].Low
		if math.Abs(x.Low-other[n].Low) > width/4 || math.Abs(x.High-other[n].High) > width/4 {
			t.Errorf("%s, %s: %+v, by drawing %+v", x.System, x.Metric, x, other[n])
		}
	}
}

// Counts have the mean and the variance of the distribution, 1, and do not depend on each other.
func TestPoissonCounts(t *testing.T) {
	const n, samples = 2000, 500
	var sum, squares, products float64
	for i := range n {
		counts := distributed.PoissonCounts(nil, samples, 1, fmt.Sprint(i))
		for s, c := range counts {
			x := float64(c) - 1
			sum += x
			squares += x * x
			products += x * (float64(counts[(s+1)%samples]) - 1)
		}
	}
	// A million counts: each of these is within .01 but for chance of less than 1e-9.
	for what, x := range map[string]float64{"mean": sum / n / samples, "variance": squares/n/samples - 1, "covariance": products / n / samples} {
		if math.Abs(x) > .01 {
			t.Errorf("%s is %v from what it should be", what, x)
		}
	}
}

func TestBootstrapOptions(t *testing.T) {
	for samples, ok := range map[int]bool{0: true, 1: true, 100_000: true, 100_001: false, -1: false} {
		if err := (distributed.BootstrapOptions{Samples: samples}).Check(); (err == nil) != ok {
			t.Errorf("%d samples: %v", samples, err)
		}
	}
}

// ExampleSystemScores scores two systems in this process. On a cluster the records are read from files, by
// Read.
func ExampleSystemScores() {
	metrics := []distributed.Description{{Metric: "bleu"}, {Metric: "chrf"}}
	p, s := beam.NewPipelineWithRoot()
	records := beam.CreateList(s, []distributed.Record{
		{System: "A", Segment: "1", Hypothesis: "the cat sat on the mat", References: []string{"the cat sat on the mat"}},
		{System: "B", Segment: "1", Hypothesis: "the cat sat on a mat", References: []string{"the cat sat on the mat"}},
		{System: "B", Segment: "2", Hypothesis: "no reference"},
	})
	scores, bad := distributed.SegmentScores(s, records, metrics)
	systems := gather[distributed.SystemScore](s, distributed.SystemScores(s, scores, metrics))
	refused := gather[distributed.Bad](s, bad)
	if err := ptestRun(p); err != nil {
		fmt.Println(err)
		return
	}
	got := systems()
	slices.SortFunc(got, func(a, b distributed.SystemScore) int {
		return cmp.Or(strings.Compare(a.System, b.System), strings.Compare(a.Metric, b.Metric))
	})
	for _, x := range got {
		fmt.Printf("%s %s %.1f\n", x.System, x.Metric, x.Score)
	}
	for _, x := range refused() {
		fmt.Printf("%s, segment %s: %s\n", x.System, x.Segment, x.Reason)
	}
	// Output:
	// A bleu 100.0
	// A chrf 100.0
	// B bleu 53.7
	// B chrf 66.0
	// B, segment 2: no reference, which bleu reads
}
