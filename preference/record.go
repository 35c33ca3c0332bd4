package preference

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/mteval/mteval"
)

// A Record is how often a metric alone was people's.
type Record struct {
	Metric Metric `json:"metric"`
	// Weight of its z, Linear and alone.
	Weight float64 `json:"weight"`
	Bands  []Band  `json:"bands"`
	// HeldOut is what probabilities by the metric alone were worth on campaigns that they were
	// not fitted on.
	HeldOut *Figures `json:"held_out,omitempty"`
}

// A Band is of the judged pairs of systems for which |z| was at least From and below To, or
// any more if To is 0.
type Band struct {
	From float64 `json:"from"`
	To   float64 `json:"to,omitempty"`
	// Pairs that people scored differently, and for how many of them the metric's difference
	// has people's sign.
	Pairs  int `json:"pairs"`
	Agreed int `json:"agreed"`
}

// edges of the bands.
var edges = [...]float64{0, .5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24}

// newBands are bands without pairs.
func newBands() []Band {
	out := make([]Band, len(edges))
	for i := range out {
		out[i].From = edges[i]
		if i+1 < len(edges) {
			out[i].To = edges[i+1]
		}
	}
	return out
}

// bandOf is the index of the band of a z.
func bandOf(z float64) int {
	i, found := slices.BinarySearch(edges[:], math.Abs(z))
	if !found {
		i--
	}
	return i
}

// Record returns the record of a metric with this signature. Outside then is nil, or says that
// there are fewer segments than any set had. If there is none it is nil, and outside says why:
// that there is none of the metric, or in what the signature is another than the nearest
// one's.
func (c *Calibration) Record(metric string, signature mteval.Signature, segments int) (r *Record, outside []string) {
	if c == nil {
		return nil, []string{"no calibration"}
	}
	for i := range c.Records {
		r := &c.Records[i]
		if r.Metric.Name != metric {
			continue
		}
		unlike := r.Metric.unlike(signature)
		if len(unlike) == 0 {
			return r, c.few(segments)
		}
		if outside == nil || len(unlike) < len(outside) {
			outside = unlike
		}
	}
	if outside == nil {
		outside = []string{metric + ": no record"}
	}
	return nil, outside
}

// Band returns the band of a z: of how many pairs of judged systems like it the metric was
// people's. Of NaN, and where there is no such band, it has no pairs.
func (r *Record) Band(z float64) Band {
	size := math.Abs(z)
	for _, b := range r.Bands {
		if size >= b.From && (size < b.To || b.To == 0) {
			return b
		}
	}
	return Band{}
}

// A Difference is what a system's difference from another has meant: how often people put the
// system with the better score above, of the judged pairs with a |z| like it by the same metric.
type Difference struct {
	// Agreed is a share of Pairs, nil where these are too few, less than ten.
	Agreed *float64 `json:"agreed,omitempty"`
	Pairs  int      `json:"pairs"`
	// Z is the difference in standard errors, above 0 where the system is better.
	Z float64 `json:"z"`
	// Outside says in what the texts are unlike those of the judged pairs.
	Outside []string `json:"outside,omitempty"`
}

// FewestPairs is how many judged pairs it takes for a share of them to be told: of less it is
// chance.
const FewestPairs = 10

// Differences are what the differences of the systems of a table from the first have meant, nil for
// the first and for one that has the same score. They are all nil if there is no record of the
// metric, and unknown then says why; and of a single segment, as it has no standard error.
func (c *Calibration) Differences(ctx context.Context, t *mteval.Table) (differences []*Difference, unknown []string, err error) {
	if t == nil {
		return nil, nil, errors.New("preference: no table: it is nil")
	}
	out := make([]*Difference, len(t.Systems))
	if t.Len() < 2 {
		return out, nil, nil
	}
	record, outside := c.Record(t.Info.Name, t.Info.Signature, t.Len())
	if record == nil {
		return out, outside, nil
	}
	e, err := FromTable(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	for k := range out {
		z := e.Z[k][0]
		if z == 0 {
			continue
		}
		band := record.Band(z)
		out[k] = &Difference{Pairs: band.Pairs, Z: z, Outside: outside}
		if band.Pairs >= FewestPairs {
			agreed := float64(band.Agreed) / float64(band.Pairs)
			out[k].Agreed = &agreed
		}
	}
	return out, nil, nil
}
