package distributed

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/significance"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[resampled](), encodeResampled, decodeResampled)
	beam.RegisterType(reflect.TypeFor[Interval]())
	register.Combiner2[resampled, SegmentScore](&poissonFn{})
	register.DoFn4x1[context.Context, string, resampled, func(Interval), error](&poissonScoreFn{})
	register.DoFn4x1[context.Context, string, func(*SegmentScore) bool, func(Interval), error](&exactBootstrapFn{})
	register.Iter1[SegmentScore]()
	register.Emitter1[Interval]()
}

// BootstrapOptions are how samples of segments are drawn. The zero value is sacreBLEU's way.
type BootstrapOptions struct {
	// Samples is their number, 1 to 100,000; 0 is 1,000.
	Samples int
	// Seed of the generator; 0 is 12345.
	Seed uint64
	// Poisson has each segment drawn as often as Poisson's distribution of mean 1 says, by a
	// generator of its own that is seeded by Seed and the segment's name (Chamandy et al. 2012).
	// A sample of n segments then has n only on average, give or take √n, and there is no limit to
	// n: each worker adds up what it has. Numbers in rows are rounded to 2⁻²⁰, which does nothing to
	// counts, so that sums below 2³³ are exact.
	//
	// Without it a system's rows are brought together on one worker, and samples are those that
	// package significance draws from a table of its segments in the order of their names, shorter
	// ones first: the same intervals to the last bit, of rows that fit in a worker's memory.
	Poisson bool
}

const maxSamples = 100_000

func (o *BootstrapOptions) set() error {
	if o.Samples == 0 {
		o.Samples = 1000
	}
	if o.Samples < 1 || o.Samples > maxSamples {
		return fmt.Errorf("distributed: %d samples: 1 to %d can be drawn", o.Samples, maxSamples)
	}
	if o.Seed == 0 {
		o.Seed = 12345
	}
	return nil
}

// Check says whether the number of samples is out of range.
func (o BootstrapOptions) Check() error { return o.set() }

// An Interval is the middle 95% of the scores of samples of a system's segments.
type Interval struct {
	System  string  `json:"system"`
	Metric  string  `json:"metric"` // the name of its Description
	Mean    float64 `json:"mean"`   // of the samples
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Samples int     `json:"samples"`
}

func newInterval(system, metric string, samples []float64) Interval {
	i := significance.Interval95(samples)
	return Interval{system, metric, i.Mean, i.Low, i.High, len(samples)}
}

// Bootstrap makes Intervals of SegmentScores, made with the same descriptions: one for each system
// and metric. Samples draw the same segments for all systems that have them. It panics if Check,
// of the metrics or of the options, has something to say.
func Bootstrap(s beam.Scope, scores beam.PCollection, metrics []Description, o BootstrapOptions) beam.PCollection {
	mustCheck(metrics)
	if err := o.set(); err != nil {
		panic(err)
	}
	s = s.Scope("mteval.Bootstrap")
	keyed := beam.ParDo(s, bySystem, scores)
	if o.Poisson {
		sums := beam.CombinePerKey(s, &poissonFn{Samples: o.Samples, Seed: o.Seed}, keyed)
		return beam.ParDo(s, &poissonScoreFn{opened{Metrics: metrics}}, sums)
	}
	return beam.ParDo(s, &exactBootstrapFn{opened{Metrics: metrics}, o.Samples, o.Seed}, beam.GroupByKey(s, keyed))
}

// exactBootstrapFn resamples all of a system's segments.
type exactBootstrapFn struct {
	opened
	Samples int
	Seed    uint64
}

func (f *exactBootstrapFn) ProcessElement(ctx context.Context, system string, scores func(*SegmentScore) bool, emit func(Interval)) error {
	type segment struct {
		name string
		rows [][]float64
	}
	var segments []segment
	for x := (SegmentScore{}); scores(&x); x = (SegmentScore{}) {
		if len(x.Rows) != len(f.metrics) {
			return errDescriptions
		}
		segments = append(segments, segment{x.Segment, x.Rows})
	}
	slices.SortFunc(segments, func(a, b segment) int {
		return cmp.Or(cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	for k := range f.metrics {
		m := &f.metrics[k]
		t := mteval.NewTable(m.scorer, []string{system}, len(segments))
		for i := range segments {
			if copy(t.Row(0, i), segments[i].rows[k]) != t.Width() {
				return errDescriptions
			}
		}
		samples, err := significance.Bootstrap(ctx, t, significance.Options{Samples: f.Samples, Seed: f.Seed})
		if err != nil {
			return fmt.Errorf("distributed: metric %s, system %s: %w", m.ScoreName(), system, err)
		}
		emit(newInterval(system, m.ScoreName(), samples[0]))
	}
	return nil
}

var errDescriptions = errors.New("distributed: scores were made with other descriptions")

// resampled are the sums of rows on samples.
type resampled struct {
	Sums [][]float64 // by metric, sample after sample
}

// poissonFn adds up rows on samples, in any order.
type poissonFn struct {
	Samples int
	Seed    uint64

	counts []uint8   // of the segment at hand
	row    []float64 // likewise
}

func (*poissonFn) CreateAccumulator() resampled { return resampled{} }

func (f *poissonFn) AddInput(a resampled, x SegmentScore) resampled {
	if a.Sums == nil {
		a.Sums = make([][]float64, len(x.Rows))
		for k, row := range x.Rows {
			a.Sums[k] = make([]float64, f.Samples*len(row))
		}
	}
	f.counts = poissonCounts(f.counts[:0], f.Samples, f.Seed, x.Segment)
	for k, row := range x.Rows {
		f.row = f.row[:0] // an input is not to be changed
		for _, v := range row {
			f.row = append(f.row, rounded(v))
		}
		sums := a.Sums[k]
		for s, c := range f.counts {
			if c == 0 {
				continue
			}
			times, to := float64(c), sums[s*len(row):(s+1)*len(row)]
			for i, v := range f.row {
				to[i] += float64(times * v)
			}
		}
	}
	return a
}

func (*poissonFn) MergeAccumulators(a, b resampled) resampled {
	if a.Sums == nil {
		return b
	}
	for k, sums := range b.Sums {
		for i, v := range sums {
			a.Sums[k][i] += v
		}
	}
	return a
}

// rounded leaves of a number what adds up without rounding errors: a multiple of 2⁻²⁰.
func rounded(x float64) float64 {
	const scale = 1 << 20
	if y := x * scale; math.Abs(y) < 1<<52 {
		return math.RoundToEven(y) / scale
	}
	return x
}

// poissonThresholds are where the distribution function of Poisson's of mean 1 is, of 2⁶⁴.
var poissonThresholds = func() (out [16]uint64) {
	p, sum := math.Exp(-1), 0.0
	for k := range out {
		sum += p
		p /= float64(k + 1)
		out[k] = math.MaxUint64
		if x := math.Ldexp(sum, 64); x < math.MaxUint64 {
			out[k] = uint64(x)
		}
	}
	return out
}()

// poissonCounts appends how often each of n samples has a segment.
func poissonCounts(dst []uint8, n int, seed uint64, segment string) []uint8 {
	h := fnv.New64a()
	h.Write([]byte(segment))
	g := rand.NewPCG(seed, h.Sum64())
	for range n {
		x, k := g.Uint64(), 0
		for k < len(poissonThresholds) && x >= poissonThresholds[k] {
			k++
		}
		dst = append(dst, uint8(k))
	}
	return dst
}

func encodeResampled(a resampled) []byte {
	n := binary.MaxVarintLen64
	for _, s := range a.Sums {
		n += binary.MaxVarintLen64 + 8*len(s)
	}
	return appendRows(make([]byte, 0, n), a.Sums)
}

func decodeResampled(b []byte) (resampled, error) {
	d := decoder{b: b}
	a := resampled{d.rows()}
	if len(a.Sums) == 0 {
		a.Sums = nil
	}
	return a, d.end()
}

// poissonScoreFn makes scores of the sums.
type poissonScoreFn struct {
	opened
}

func (f *poissonScoreFn) ProcessElement(ctx context.Context, system string, a resampled, emit func(Interval)) error {
	if len(a.Sums) != len(f.metrics) {
		return errDescriptions
	}
	for k := range f.metrics {
		m := &f.metrics[k]
		w := m.scorer.Width()
		samples := make([]float64, len(a.Sums[k])/w)
		for i := range samples {
			samples[i] = m.scorer.Score(a.Sums[k][i*w : (i+1)*w])
		}
		emit(newInterval(system, m.ScoreName(), samples))
	}
	return nil
}
