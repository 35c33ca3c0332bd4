package lines

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
)

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "12": 12, "+1": 1, "-.5": -.5, "3.": 3, "007": 7,
		"1e-3": .001, "1E+3": 1000, "5e-324": 5e-324, "1e-400": 0, "1.7976931348623157e308": math.MaxFloat64,
		"0e400": 0,
	} {
		got, err := ParseNumber(text)
		if err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " ", " 1", "1 ", ".", "+", "e", "1e", "e1", "1e+", "--1", "+-1", "1.2.3", "1e1.5", "1,5", "1_000", "0x1p3", "0x10",
		"0b1", "0o7", "1p3", "Inf", "+inf", "-Infinity", "nan", "NaN", "1e309", "-1e400", "１", "−1", "1\x00", "\ufeff1", "1f", "1%", "1/2",
	} {
		if got, err := ParseNumber(text); !errors.Is(err, ErrNumber) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// It takes the same as a pattern does, and reads it as strconv does.
func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"1", "-1.5e+3", ".5", "1_0", "0x1p-2", "inf", "1e999"} {
		f.Add(s)
	}
	decimal := regexp.MustCompile(`\A[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\z`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseNumber(text)
		want, wrong := strconv.ParseFloat(text, 64)
		if ok := decimal.MatchString(text) && wrong == nil; ok != (err == nil) || ok && got != want {
			t.Errorf("%q: %v, %v, want %v, %v", text, got, err, want, wrong)
		}
	})
}

// What Go reads as a number and no table has.
func TestParseWithin(t *testing.T) {
	for text, want := range map[string]string{
		"1e-3": "", "-12.5": "", "1e100": "",
		"1_000": "not a finite number", "0x1p3": "not a finite number", "Infinity": "not a finite number", "NaN": "not a finite number",
		"1e308": "too large to be calculated with: 1e+100 is the most", "-1e101": "too large",
	} {
		_, err := ParseWithin(text, 1e100)
		if got := fmt.Sprint(err); (err == nil) != (want == "") || err != nil && got[:min(len(got), len(want))] != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
