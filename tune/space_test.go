package tune

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/tunable"
)

var inf = math.Inf(1)

// Every point is a value in the range, and every value has a point.
func TestAxis(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ends := rapid.SampledFrom([][2]float64{{0, 1}, {-3, 5}, {0, inf}, {2, inf}, {-inf, 1}, {-inf, inf}}).Draw(t, "range")
		v := rapid.Float64Range(max(-1e6, ends[0]), min(1e6, ends[1])).Draw(t, "value")
		s, err := newSpace([]tunable.Parameter{{Name: "p", Value: v, Min: ends[0], Max: ends[1]}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		a := s.axes[0]
		if got := a.value(s.origin()[0]); math.Abs(got-v) > 1e-9*max(1, math.Abs(v)) {
			t.Errorf("%v came back as %v", v, got)
		}
		u := rapid.Float64Range(-1e300, 1e300).Draw(t, "point")
		if got := a.value(u); !(got >= a.min && got <= a.max) {
			t.Errorf("point %v is %v, outside %v", u, got, ends)
		}
	})
}

func TestMirror(t *testing.T) {
	s, err := newSpace([]tunable.Parameter{{Name: "p", Value: 3, Min: 2, Max: 4}, {Name: "q", Value: 1.5, Max: inf}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for point, want := range map[[2]float64][]float64{
		{.5, 1}:      {3, 1.5},
		{0, 0}:       {2, 0},
		{1, -1}:      {4, 1.5},
		{1.25, 2}:    {3.5, 3},
		{-.25, -.5}:  {2.5, .75},
		{2.5, 1e300}: {3, 1.5e300},
	} {
		if d := cmp.Diff(want, s.values(nil, point[:])); d != "" {
			t.Errorf("%v (-want +got):\n%s", point, d)
		}
	}
}

func TestSpaceNames(t *testing.T) {
	params := []tunable.Parameter{{Name: "a", Value: 1, Max: 1}, {Name: "b", Value: 2, Max: inf}, {Name: "c", Value: 3, Min: 3, Max: 3}}
	for _, tt := range []struct {
		only, fixed []string
		want        []int
		err         string
	}{
		{nil, nil, []int{0, 1}, ""}, // c has one value only
		{[]string{"b"}, nil, []int{1}, ""},
		{nil, []string{"b"}, []int{0}, ""},
		{[]string{"a", "b"}, []string{"b"}, []int{0}, ""},
		{[]string{"d"}, nil, nil, `no parameter "d": have [a b c]`},
		{nil, []string{"A"}, nil, `no parameter "A"`},
		{[]string{"a"}, []string{"a"}, nil, "no parameter is left to fit"},
	} {
		s, err := newSpace(params, tt.only, tt.fixed)
		if err != nil || tt.err != "" {
			if err == nil || tt.err == "" || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v without %v: error %v, want %q", tt.only, tt.fixed, err, tt.err)
			}
			continue
		}
		var got []int
		for _, a := range s.axes {
			got = append(got, a.index)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%v without %v (-want +got):\n%s", tt.only, tt.fixed, d)
		}
	}
	if _, err := newSpace([]tunable.Parameter{{Name: "a", Value: 2, Max: 1}}, nil, nil); err == nil {
		t.Error("no error for a value out of range")
	}
}
