package preference

import "github.com/mteval/mteval"

// Recorded says whether Agreed has bands for a metric with this signature. If so, outside is
// nil, or says that there are fewer segments than any set had; else it says why not: that
// there is no record of the metric, or in what the signature is another than the nearest
// record's.
func (c *Calibration) Recorded(metric string, signature mteval.Signature, segments int) (outside []string, ok bool) {
	if c == nil {
		return nil, false
	}
	for _, r := range c.Records {
		if r.Metric.Name != metric {
			continue
		}
		unlike := r.Metric.unlike(signature)
		if len(unlike) == 0 {
			return c.few(&Evidence{Segments: segments}), true
		}
		if outside == nil || len(unlike) < len(outside) {
			outside = unlike
		}
	}
	if outside == nil {
		outside = []string{metric + ": no record"}
	}
	return outside, false
}
