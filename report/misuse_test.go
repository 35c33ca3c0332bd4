package report

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
)

// Zero values, negative and huge ones are errors, or pages, and ask for no memory.
func TestMisuse(t *testing.T) {
	values := []Sample{{Name: "x", Values: []float64{1, 2, 3}}}
	for name, s := range map[string]Section{
		"zero bars":          {Bars: []Bars{{}}},
		"zero scatter":       {Scatters: []Scatter{{}}},
		"zero lines":         {Lines: []Lines{{}}},
		"lines of no points": {Lines: []Lines{{Lines: []Line{{}}}}},
		"zero histogram":     {Histograms: []Histogram{{}}},
		"no values":          {Histograms: []Histogram{{Samples: []Sample{{}}}}},
		"-1 bins":            {Histograms: []Histogram{{Bins: -1, Samples: values}}},
		"MinInt bins":        {Histograms: []Histogram{{Bins: math.MinInt, Samples: values}}},
		"1001 bins":          {Histograms: []Histogram{{Bins: 1001, Samples: values}}},
		"too many bins":      {Histograms: []Histogram{{Bins: math.MaxInt32, Samples: values}}},
		"MaxInt bins":        {Histograms: []Histogram{{Bins: math.MaxInt, Samples: values}}},
		"NaN":                {Histograms: []Histogram{{Samples: []Sample{{Values: []float64{math.NaN()}}}}}},
		"a row too long":     {Tables: []Table{{Rows: [][]string{{"x"}}}}},
		"a foot too long":    {Tables: []Table{{Foot: [][]string{{"x"}}}}},
		"bars at -1":         {Tables: []Table{{Header: []string{"x"}, Bars: []int{math.MinInt}}}},
	} {
		var b bytes.Buffer
		if err := (&Page{Sections: []Section{s}}).Write(&b); err == nil || b.Len() > 0 {
			t.Errorf("%s: %v after %d bytes", name, err, b.Len())
		}
	}
	long := strings.Repeat("name ", 200_000) // cut letter by letter, it took hours
	small := []float64{5e-324, 1e-323, 1.5e-323, 0, 1e-310}
	for name, s := range map[string]Section{
		"zero":       {},
		"zero table": {Tables: []Table{{}}},
		"zero rows":  {Tables: []Table{{Header: []string{""}, Rows: [][]string{nil, {}}, Foot: [][]string{nil}, Bars: []int{0, 0}}}},
		"zero bar":   {Bars: []Bars{{Bars: []Bar{{}}}}},
		"1000 bins":  {Histograms: []Histogram{{Bins: 1000, Samples: values}}},
		"long names": {Bars: []Bars{{Title: long, Axis: long, Bars: []Bar{{Name: long}}}}, Lines: []Lines{{X: long, Lines: []Line{{Name: long, Points: []XY{{}}}}}}},
		"small":      {Histograms: []Histogram{{Bins: 1000, Samples: []Sample{{Values: small}}}}, Bars: []Bars{{Bars: []Bar{{Value: small[0]}, {Value: small[1]}}}}, Scatters: []Scatter{{Points: []Point{{"x", small[0], small[1]}, {"y", small[2], small[4]}}}}},
	} {
		var b bytes.Buffer
		if err := (&Page{Sections: []Section{s}}).Write(&b); err != nil || strings.Contains(b.String(), ">NaN") || strings.Contains(b.String(), `"NaN`) || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (&Page{}).Write(io.Discard); err != nil {
		t.Error(err)
	}
}
