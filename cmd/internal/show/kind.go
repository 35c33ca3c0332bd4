package show

import (
	"fmt"
	"math"
	"strconv"
)

// A Kind is what the values of a column are, which decides how they are written.
type Kind uint8

const (
	Name        Kind = iota // of a system, a metric, a file; any text
	Score                   // of a metric, or a mean of such
	Difference              // of two scores
	Correlation             // or another agreement, −1 to 1
	PValue                  // 0 to 1
	Probability             // that people agree, 0 to 1; percent for people
	Share                   // 0 to 1; percent with a decimal for people
	Count                   // a whole number
	Moved                   // a difference of ranks: +2, =, -1
	Exact                   // a number with all its digits, such as a threshold
	Flag                    // true or false
)

// Format writes a number for people, a score with so many decimals: see [Column].
func (k Kind) Format(v float64, decimals int) string {
	v += 0 // makes 0 of −0
	switch {
	case math.IsNaN(v):
		return undefined
	case k == PValue && v > 0 && v < .00005: // which is not 0
		return strconv.FormatFloat(v, 'g', 2, 64)
	case k == Probability && v < .005:
		return "<1%"
	case k == Probability && v > .995:
		return ">99%"
	case k == Probability:
		return strconv.FormatFloat(100*v, 'f', 0, 64) + "%"
	case k == Share:
		return strconv.FormatFloat(100*v, 'f', 1, 64) + "%"
	case k == Exact:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case k == Moved && v == 0:
		return "="
	case k == Moved:
		return fmt.Sprintf("%+.0f", v)
	case k == Count || decimals == Whole:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case decimals > 0:
		return strconv.FormatFloat(v, 'f', decimals, 64)
	case math.Abs(v) < rounding:
		return "0.0000"
	case math.Abs(v) < .00005: // all of some metrics' scores are so small
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// rounding is the size of numbers that come of rounding alone.
const rounding = 1e-12

const (
	missing   = "–"
	undefined = "undefined"
	tsvNone   = "NA"
)

// people is a value as people see it.
func (c *Column) people(v any) string {
	switch v := bare(v).(type) {
	case nil:
		return missing
	case Shown:
		return v.Text
	case Interval:
		return c.Kind.Format(v.Low, c.Decimals) + " to " + c.Kind.Format(v.High, c.Decimals)
	case float64:
		return c.Kind.Format(v, c.Decimals)
	case int64:
		if c.Kind == Moved {
			return c.Kind.Format(float64(v), 0)
		}
		return strconv.FormatInt(v, 10)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	default:
		return words(v)
	}
}

// program is a value as TSV has it.
func (c *Column) program(v any) string {
	switch v := plain(v).(type) {
	case nil:
		return tsvNone
	case float64:
		switch {
		case v-v != 0:
			return tsvNone
		case c.Kind == Exact:
			return strconv.FormatFloat(v, 'g', -1, 64)
		case c.Kind == PValue:
			return strconv.FormatFloat(v, 'g', 6, 64)
		case c.Exact > 0:
			return strconv.FormatFloat(v+0, 'f', c.Exact, 64)
		case c.Exact == Whole:
			return strconv.FormatFloat(v+0, 'f', 0, 64)
		}
		return strconv.FormatFloat(v+0, 'f', 6, 64)
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	default:
		return words(v)
	}
}
