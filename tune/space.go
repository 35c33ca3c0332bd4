package tune

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mteval/mteval/tunable"
	"github.com/mteval/mteval/tune/tuned"
)

// A space maps points that the search may choose, any numbers, to values of parameters
// in their ranges. A step of 1 is the whole range of a parameter that has two ends.
//
// A point outside is mirrored at the end of the range, so that values at the end are
// reached, which no logistic function does: METEOR's weight of equal words is 1.
type space struct {
	start []float64 // of all parameters
	axes  []axis    // of those that are fitted
}

type axis struct {
	index    int // among the parameters
	min, max float64
	// origin and scale are of an axis without two ends.
	origin, scale float64
}

// newSpace takes the names of the parameters to fit (nil: all) and of those not to.
func newSpace(params []tunable.Parameter, only, fixed []string) (*space, error) {
	s := &space{}
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	for _, name := range slices.Concat(only, fixed) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("tune: no parameter %q: have %v", name, names)
		}
	}
	for i, p := range params {
		if !(p.Value >= p.Min && p.Value <= p.Max) || p.Value-p.Value != 0 {
			return nil, fmt.Errorf("tune: parameter %s is %v, which is not in its range", p.Name, p.Value)
		}
		s.start = append(s.start, p.Value)
		if only != nil && !slices.Contains(only, p.Name) || slices.Contains(fixed, p.Name) || p.Min == p.Max {
			continue
		}
		a := axis{index: i, min: p.Min, max: p.Max, scale: max(1, math.Abs(p.Value))}
		switch {
		case !math.IsInf(p.Min, 0):
			a.origin = p.Min
			a.scale = max(1, p.Value-p.Min)
		case !math.IsInf(p.Max, 0):
			a.origin = p.Max
			a.scale = max(1, p.Max-p.Value)
		default:
			a.origin = p.Value
		}
		s.axes = append(s.axes, a)
	}
	if len(s.axes) == 0 {
		return nil, fmt.Errorf("tune: no parameter is left to fit: have %v", names)
	}
	return s, nil
}

// bounded says whether the range has two ends that are finitely far apart.
func (a axis) bounded() bool {
	d := a.max - a.min
	return d-d == 0
}

func (a axis) value(u float64) float64 {
	var v float64
	switch {
	case a.bounded():
		if u = math.Mod(math.Abs(u), 2); u > 1 {
			u = 2 - u
		}
		v = a.min + (a.max-a.min)*u
	case !math.IsInf(a.min, 0):
		v = a.origin + a.scale*math.Abs(u)
	case !math.IsInf(a.max, 0):
		v = a.origin - a.scale*math.Abs(u)
	default:
		v = a.origin + a.scale*u
	}
	return max(a.min, min(a.max, v))
}

func (a axis) point(v float64) float64 {
	switch {
	case a.bounded():
		return (v - a.min) / (a.max - a.min)
	case !math.IsInf(a.max, 0) && math.IsInf(a.min, 0):
		return (a.origin - v) / a.scale
	}
	return (v - a.origin) / a.scale
}

// origin is the point of the values that there were.
func (s *space) origin() []float64 {
	out := make([]float64, len(s.axes))
	for i, a := range s.axes {
		out[i] = a.point(s.start[a.index])
	}
	return out
}

// values sets dst to the values of a point, with as many digits as there is something to
// be said about.
func (s *space) values(dst, point []float64) []float64 {
	dst = append(dst[:0], s.start...)
	for i, a := range s.axes {
		dst[a.index] = max(a.min, min(a.max, rounded(a.value(point[i]))))
	}
	return dst
}

// rounded is v with four digits.
func rounded(v float64) float64 {
	var text [32]byte
	r, _ := strconv.ParseFloat(string(strconv.AppendFloat(text[:0], v, 'g', 4, 64)), 64)
	return r
}

// parameters are those of a result: their values, those before, and which were fitted.
func (s *space) parameters(before []tunable.Parameter, values []float64) []tuned.Parameter {
	free := make(map[int]bool)
	for _, a := range s.axes {
		free[a.index] = true
	}
	var out []tuned.Parameter
	for i, p := range before {
		out = append(out, tuned.Parameter{Name: p.Name, Value: values[i], Start: p.Value, Fitted: free[i]})
	}
	return out
}
