package preference

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Judge returns the probabilities for all pairs of systems, from evidence of all metrics of the
// terms, found by name. Of several with the name of a term, that is taken which is least unlike
// what it was fitted on, the first of equal ones. Evidence of other metrics is passed over. That
// of other systems or segments, or of systems in another order, is an error.
func (c *Calibration) Judge(evidence []*Evidence) (*Result, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("preference: %w", err)
	}
	if len(evidence) == 0 {
		return nil, errors.New("preference: no evidence")
	}
	for _, e := range evidence {
		if err := e.check(evidence[0]); err != nil {
			return nil, fmt.Errorf("preference: %w", err)
		}
	}
	r := &Result{Systems: slices.Clone(evidence[0].Systems), Outside: c.few(evidence[0].Segments)}
	odds := make([][]float64, len(r.Systems))
	for a := range odds {
		odds[a] = make([]float64, len(r.Systems))
	}
	for _, t := range c.Terms {
		e, unlike, err := t.find(evidence)
		if err != nil {
			return nil, err
		}
		r.Outside = append(r.Outside, unlike...)
		for a, row := range e.Z {
			for b, z := range row {
				odds[a][b] += float64(t.Weight * t.Shape.of(z))
			}
		}
	}
	slices.Sort(r.Outside)
	r.Outside = slices.Compact(r.Outside)
	for _, row := range odds {
		for b, x := range row {
			row[b] = sigmoid(x)
		}
	}
	r.P = odds
	return r, nil
}

// find returns the evidence of a term, and in what it is unlike what it was fitted on.
func (t *Term) find(evidence []*Evidence) (*Evidence, []string, error) {
	var found *Evidence
	var unlike []string
	for _, e := range evidence {
		if e.Metric != t.Metric.Name {
			continue
		}
		if u := t.Metric.unlike(e.Signature); found == nil || len(u) < len(unlike) {
			found, unlike = e, u
		}
	}
	if found == nil {
		return nil, nil, fmt.Errorf("preference: the calibration needs %s, of which there is no evidence", t.Metric.Name)
	}
	return found, unlike, nil
}

// few says that there are fewer segments than any set had.
func (c *Calibration) few(segments int) []string {
	fewest := math.MaxInt
	for _, s := range c.Sets {
		fewest = min(fewest, s.Segments)
	}
	if len(c.Sets) == 0 || segments >= fewest {
		return nil
	}
	return []string{fmt.Sprintf("%d segments: the fewest of a set that it was fitted on are %d", segments, fewest)}
}
