package preference

import (
	"errors"
	"fmt"
	"math"
)

// maxWeight bounds weights, and maxZ the evidence: log odds are finite then.
const (
	maxWeight = 1e6
	maxZ      = 1e9
)

// check refuses what is no calibration.
func (c *Calibration) check() error {
	if c == nil || len(c.Terms) == 0 {
		return errors.New("a calibration without terms")
	}
	for i := range c.Terms {
		if err := c.Terms[i].check(); err != nil {
			return fmt.Errorf("term %d: %w", i+1, err)
		}
	}
	for i := range c.Records {
		if err := c.Records[i].check(); err != nil {
			return fmt.Errorf("record %d: %w", i+1, err)
		}
	}
	if err := c.HeldOut.check(); err != nil {
		return err
	}
	for _, s := range c.Sets {
		if s.Systems < 2 || s.Segments < 1 || s.Pairs < 0 {
			return fmt.Errorf("set %s has %d systems, %d segments and %d pairs", s.Name, s.Systems, s.Segments, s.Pairs)
		}
	}
	return nil
}

func (t *Term) check() error {
	if err := t.Metric.check(); err != nil {
		return err
	}
	if t.Shape < Linear || t.Shape > Log {
		return fmt.Errorf("%s: no shape %v", t.Metric.Name, t.Shape)
	}
	return checkWeight(t.Metric.Name, t.Weight)
}

func (m *Metric) check() error {
	if m.Name == "" {
		return errors.New("no metric is named")
	}
	for _, f := range m.Signature {
		if f.Key == "" || len(f.Values) == 0 {
			return fmt.Errorf("%s: field %q of the signature has %d values: want a name and a value", m.Name, f.Key, len(f.Values))
		}
	}
	return nil
}

func checkWeight(name string, w float64) error {
	if !(math.Abs(w) <= maxWeight) { // NaN too
		return fmt.Errorf("%s: a weight of %v, want within ±%g", name, w, maxWeight)
	}
	return nil
}

func (r *Record) check() error {
	if err := r.Metric.check(); err != nil {
		return err
	}
	want := newBands()
	if len(r.Bands) != len(want) {
		return fmt.Errorf("%s: %d bands, want %d", r.Metric.Name, len(r.Bands), len(want))
	}
	for i, b := range r.Bands {
		if b.From != want[i].From || b.To != want[i].To {
			return fmt.Errorf("%s: band %d is of |z| from %v to %v, want from %v to %v", r.Metric.Name, i+1, b.From, b.To, want[i].From, want[i].To)
		}
		if b.Agreed < 0 || b.Pairs < b.Agreed {
			return fmt.Errorf("%s: %d of %d pairs in band %d", r.Metric.Name, b.Agreed, b.Pairs, i+1)
		}
	}
	if err := r.HeldOut.check(); err != nil {
		return fmt.Errorf("%s: %w", r.Metric.Name, err)
	}
	return checkWeight(r.Metric.Name, r.Weight)
}

func (f *Figures) check() error {
	if f == nil {
		return nil
	}
	for _, v := range []float64{float64(f.Pairs), f.Accuracy, f.LogLoss, f.Brier, f.CalibrationError} {
		if !(v >= 0 && v <= math.MaxFloat64) { // NaN too
			return fmt.Errorf("a figure held out is %v", v)
		}
	}
	return nil
}

// check refuses what is no evidence on the systems and segments that the first is on.
func (e *Evidence) check(first *Evidence) error {
	if e == nil || first == nil {
		return errors.New("evidence that is nil")
	}
	n := len(first.Systems)
	if len(e.Systems) != n || len(e.Z) != n {
		return fmt.Errorf("%s is of %d systems with %d rows of z, want %d", e.Metric, len(e.Systems), len(e.Z), n)
	}
	if e.Segments != first.Segments || e.Segments < 1 {
		return fmt.Errorf("%s is of %d segments, %s of %d: want the same of all, 1 at least", e.Metric, e.Segments, first.Metric, first.Segments)
	}
	for a, row := range e.Z {
		if e.Systems[a] != first.Systems[a] {
			return fmt.Errorf("system %d of %s is %s, that of %s %s", a+1, e.Metric, e.Systems[a], first.Metric, first.Systems[a])
		}
		if len(row) != n {
			return fmt.Errorf("%s has %d z of %s, want %d", e.Metric, len(row), e.Systems[a], n)
		}
	}
	return e.checkZ()
}

// checkZ refuses z that are not antisymmetric, and too large ones.
func (e *Evidence) checkZ() error {
	for a, row := range e.Z {
		for b, z := range row {
			if !(math.Abs(z) <= maxZ) || z != -e.Z[b][a] { // NaN too
				return fmt.Errorf("z of %s is %v for %s and %s, and %v the other way: want opposite numbers within ±%g", e.Metric, z, e.Systems[a], e.Systems[b], e.Z[b][a], maxZ)
			}
		}
	}
	return nil
}
