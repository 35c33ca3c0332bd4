package preference

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/names"
)

// A Shape is what is made of a metric's z before it is added up.
type Shape int

const (
	// Linear takes z as it is.
	Linear Shape = iota
	// Log takes sign(z)·log(1 + |z|).
	Log
)

var shapes = [...]string{Linear: "linear", Log: "log"}

// String is the name in files.
func (s Shape) String() string { return names.Of("Shape", shapes[:], s) }

// MarshalText writes the name.
func (s Shape) MarshalText() ([]byte, error) {
	if s < Linear || s > Log {
		return nil, fmt.Errorf("preference: no shape %v", s)
	}
	return []byte(s.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (s *Shape) UnmarshalText(text []byte) error {
	i := slices.Index(shapes[:], string(text))
	if i < 0 {
		return fmt.Errorf("no shape %q: have %s", text, strings.Join(shapes[:], ", "))
	}
	*s = Shape(i)
	return nil
}

// of is t(z).
func (s Shape) of(z float64) float64 {
	if s == Log {
		return math.Copysign(math.Log1p(math.Abs(z)), z)
	}
	return z
}

// A Metric is one that a calibration was fitted on: its name, and the values that each field
// of its signature had on the judged sets. The version of the program is not among them.
type Metric struct {
	Name      string  `json:"name"`
	Signature []Field `json:"signature,omitempty"`
}

// A Field of a signature, with all values that it had.
type Field struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// A Term of the sum that the log odds are.
type Term struct {
	Metric Metric  `json:"metric"`
	Shape  Shape   `json:"shape"`
	Weight float64 `json:"weight"`
}

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

// A Judged set is one that a calibration was fitted on.
type Judged struct {
	Name     string `json:"name"`
	Campaign string `json:"campaign"`
	Systems  int    `json:"systems"`
	Segments int    `json:"segments"`
	Pairs    int    `json:"pairs"` // that people scored differently
}

// A Calibration turns what metrics say of pairs of systems into probabilities that people
// agree. It is made by Fit or read from a file, and safe for concurrent use as long as nobody
// changes it. The zero value has no terms, and judges nothing.
type Calibration struct {
	// Note says in words what people's scores are, and where they come from.
	Note string `json:"note"`
	// Fitted says how.
	Fitted  string   `json:"fitted"`
	Terms   []Term   `json:"terms"`
	HeldOut *Figures `json:"held_out,omitempty"`
	Records []Record `json:"records"`
	Sets    []Judged `json:"sets"`
}

// Hash identifies the calibration: the first 16 hexadecimal digits of the SHA-256 of the file
// that Write makes. It is empty for what Write refuses.
func (c *Calibration) Hash() string {
	h := sha256.New()
	if err := c.Write(h); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Signature names the calibration by its hash, its terms, and the number of sets that it was
// fitted on.
func (c *Calibration) Signature() mteval.Signature {
	if c == nil {
		return nil
	}
	var terms []string
	for _, t := range c.Terms {
		terms = append(terms, t.Metric.Name+"="+t.Shape.String())
	}
	return mteval.Signature{
		{Key: "calibration", Abbr: "cal", Value: c.Hash()},
		{Key: "terms", Abbr: "t", Value: strings.Join(terms, ",")},
		{Key: "sets", Abbr: "s", Value: strconv.Itoa(len(c.Sets))},
	}
}

// ignored is what a calibration does not depend on.
const ignored = "version"

// fitted is the metric of evidence.
func fitted(e *Evidence) Metric {
	m := Metric{Name: e.Metric, Signature: []Field{}}
	for _, f := range e.Signature {
		if f.Key != ignored {
			m.Signature = append(m.Signature, Field{f.Key, []string{f.Value}})
		}
	}
	return m
}

// add takes the values of another set's signature. One that has other fields is another
// metric.
func (m *Metric) add(other Metric) bool {
	if m.Name != other.Name || len(m.Signature) != len(other.Signature) {
		return false
	}
	for i, f := range other.Signature {
		if m.Signature[i].Key != f.Key {
			return false
		}
	}
	for i, f := range other.Signature {
		for _, v := range f.Values {
			if at, found := slices.BinarySearch(m.Signature[i].Values, v); !found {
				m.Signature[i].Values = slices.Insert(m.Signature[i].Values, at, v)
			}
		}
	}
	return true
}

// unlike says in what a signature is another than those that the metric was fitted on.
func (m *Metric) unlike(s mteval.Signature) []string {
	var out []string
	for _, f := range m.Signature {
		if v := s.Get(f.Key); !slices.Contains(f.Values, v) {
			if v == "" {
				v = "not given"
			}
			out = append(out, fmt.Sprintf("%s: %s is %s, and was %s", m.Name, f.Key, v, strings.Join(f.Values, ", ")))
		}
	}
	for _, f := range s {
		if f.Key != ignored && !slices.ContainsFunc(m.Signature, func(g Field) bool { return g.Key == f.Key }) {
			out = append(out, fmt.Sprintf("%s: %s is %s, and was not given", m.Name, f.Key, f.Value))
		}
	}
	return out
}

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
	r := &Result{Systems: slices.Clone(evidence[0].Systems), Outside: c.few(evidence[0])}
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
func (c *Calibration) few(e *Evidence) []string {
	fewest := math.MaxInt
	for _, s := range c.Sets {
		fewest = min(fewest, s.Segments)
	}
	if len(c.Sets) == 0 || e.Segments >= fewest {
		return nil
	}
	return []string{fmt.Sprintf("%d segments: the fewest of a set that it was fitted on are %d", e.Segments, fewest)}
}

// Agreed returns the band of a z of a metric with this signature: of how many pairs of judged
// systems like it the metric was people's. It is false if the calibration has no record of the
// metric with this signature, or z is NaN.
func (c *Calibration) Agreed(metric string, signature mteval.Signature, z float64) (Band, bool) {
	if c == nil || math.IsNaN(z) {
		return Band{}, false
	}
	for _, r := range c.Records {
		if r.Metric.Name == metric && len(r.Bands) == len(edges) && len(r.Metric.unlike(signature)) == 0 {
			return r.Bands[bandOf(z)], true
		}
	}
	return Band{}, false
}
