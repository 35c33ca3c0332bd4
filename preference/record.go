package preference

import (
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
