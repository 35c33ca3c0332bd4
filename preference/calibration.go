package preference

import (
	"crypto/sha256"
	"encoding/hex"
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

// A Term of the sum that the log odds are.
type Term struct {
	Metric Metric  `json:"metric"`
	Shape  Shape   `json:"shape"`
	Weight float64 `json:"weight"`
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

// Campaigns are those of the sets, by name.
func (c *Calibration) Campaigns() []string {
	if c == nil {
		return nil
	}
	var out []string
	for _, s := range c.Sets {
		out = append(out, s.Campaign)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
