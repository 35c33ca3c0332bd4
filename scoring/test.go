package scoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/significance"
)

// A PairedTest is how systems are tested against the first.
type PairedTest int

// The tests are sacreBLEU's.
const (
	NoTest        PairedTest = iota
	Bootstrap                // significance.PairedBootstrap, which has intervals, too
	Randomization            // significance.PairedRandomization
)

// TestOptions are options of Test. The zero value asks for scores alone.
type TestOptions struct {
	Paired PairedTest
	// Samples of Paired; 0: 1000 of Bootstrap, 10000 of Randomization.
	Samples int
	// Intervals asks for intervals of bootstrap samples, IntervalSamples of them, 0 being 1000.
	// Those of Bootstrap are of its samples.
	Intervals       bool
	IntervalSamples int
	// Seed of all samples; 0: 12345.
	Seed uint64
}

// A SystemScore is a system's score by a metric.
type SystemScore struct {
	System string
	Score  float64
	// Interval has the mean and the 95% interval of bootstrap samples; nil: not asked for.
	Interval *significance.Interval
	// P is the p-value of the test against the first system, from above 0 to 1; nil: not asked
	// for, or the first system.
	P *float64
}

// Tested are the scores of systems by a metric. The signature has the samples and the seed.
type Tested struct {
	Signature mteval.Signature
	Systems   []SystemScore
}

// set sets what is zero, and refuses what is out of range.
func (o *TestOptions) set() error {
	if o.Paired < NoTest || o.Paired > Randomization {
		return fmt.Errorf("scoring: no test %d", o.Paired)
	}
	o.Seed, o.IntervalSamples = cmp.Or(o.Seed, 12345), cmp.Or(o.IntervalSamples, 1000)
	switch o.Paired {
	case Bootstrap:
		o.Samples = cmp.Or(o.Samples, 1000)
		o.Intervals, o.IntervalSamples = true, o.Samples
	case Randomization:
		o.Samples = cmp.Or(o.Samples, 10000)
	}
	return nil
}

// signature says what was done beside the scores, behind the number of references.
func (o *TestOptions) signature(of mteval.Signature) mteval.Signature {
	var added mteval.Signature
	add := func(key, abbr, value string) { added = append(added, mteval.Field{Key: key, Abbr: abbr, Value: value}) }
	if o.Paired == Randomization {
		add("ar", "ar", strconv.Itoa(o.Samples))
	}
	if o.Intervals {
		add("bs", "bs", strconv.Itoa(o.IntervalSamples))
	}
	if added == nil {
		return of
	}
	add("seed", "sd", strconv.FormatUint(o.Seed, 10))
	return slices.Insert(slices.Clone(of), min(1, len(of)), added...)
}

// Test returns the scores of the systems of a table, with intervals and a test of each against
// the first where they are asked for. Errors are those of package significance.
func Test(ctx context.Context, t *mteval.Table, o TestOptions) (*Tested, error) {
	if t == nil || t.Width() == 0 {
		return nil, errors.New("scoring: no table: it is nil, or of no metric")
	}
	if err := o.set(); err != nil {
		return nil, err
	}
	out := &Tested{Signature: o.signature(t.Info.Signature)}
	for k, score := range t.Scores() {
		out.Systems = append(out.Systems, SystemScore{System: t.Systems[k], Score: score})
	}
	if err := out.test(ctx, t, &o); err != nil {
		return nil, err
	}
	if o.Intervals && o.Paired != Bootstrap {
		samples, err := significance.Bootstrap(ctx, t, significance.Options{Samples: o.IntervalSamples, Seed: o.Seed})
		if err != nil {
			return nil, err
		}
		for k := range out.Systems {
			interval := significance.Interval95(samples[k])
			out.Systems[k].Interval = &interval
		}
	}
	return out, nil
}

// test adds the p-values, and the intervals that the test has.
func (d *Tested) test(ctx context.Context, t *mteval.Table, o *TestOptions) error {
	test := significance.PairedBootstrap
	switch o.Paired {
	case NoTest:
		return nil
	case Randomization:
		test = significance.PairedRandomization
	}
	results, err := test(ctx, t, 0, significance.Options{Samples: o.Samples, Seed: o.Seed})
	if err != nil {
		return err
	}
	for k := range results {
		if k > 0 {
			d.Systems[k].P = &results[k].P
		}
		if o.Paired == Bootstrap {
			d.Systems[k].Interval = &results[k].Interval
		}
	}
	return nil
}
