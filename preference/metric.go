package preference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
)

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
