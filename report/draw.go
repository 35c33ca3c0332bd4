package report

import (
	"math"
	"strconv"
	"unicode"

	"golang.org/x/text/width"
)

// A drawing is what an SVG image is made of, in pixels from the top left.
type drawing struct {
	Width, Height string
	Boxes         []box
	Lines         []line
	Marks         []mark
	Texts         []label
}

type box struct{ X, Y, Width, Height string }

type line struct{ Class, X1, Y1, X2, Y2 string }

type mark struct{ Class, X, Y string }

type label struct {
	Class  string
	X, Y   string
	Anchor string // start, middle or end: which part of the text is at X
	// Turned text runs upwards.
	Turned bool
	Text   string
}

// px writes a coordinate.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64) }

func newBox(x1, y1, x2, y2 float64) box {
	return box{px(min(x1, x2)), px(min(y1, y2)), px(math.Abs(x2 - x1)), px(math.Abs(y2 - y1))}
}

func newLine(class string, x1, y1, x2, y2 float64) line {
	return line{class, px(x1), px(y1), px(x2), px(y2)}
}

func newLabel(x, y float64, anchor, text string) label {
	return label{X: px(x), Y: px(y), Anchor: anchor, Text: clean(text)}
}

// textWidth is about how wide a text of 12 pixels is: the reader's font is not known, so
// it is taken as a wide one.
func textWidth(s string) float64 {
	w := 0.0
	for _, r := range s {
		w += runeWidth(r)
	}
	return w
}

func runeWidth(r rune) float64 {
	kind := width.LookupRune(r).Kind()
	switch {
	case kind == width.EastAsianWide, kind == width.EastAsianFullwidth:
		return 12
	case unicode.IsUpper(r):
		return 9
	}
	return 7.5
}

// shorten cuts a text down to a width.
func shorten(s string, most float64) string {
	w := 0.0
	fits := 0 // bytes of s, with an ellipsis behind
	for i, r := range s {
		if w+runeWidth('…') <= most {
			fits = i
		}
		if w += runeWidth(r); w > most {
			return s[:fits] + "…"
		}
	}
	return s
}

// A scale turns values into pixels. From may be after to.
type scale struct {
	low, high float64 // values
	from, to  float64 // pixels
	// whole: there is nothing between whole numbers.
	whole bool
}

// newScale is one with room for the values.
func newScale(values []float64, from, to float64) scale {
	s := scale{low: values[0], high: values[0], from: from, to: to}
	for _, v := range values {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
	// Halves, so that nothing overflows.
	room := (s.high/2 - s.low/2) / 5
	if largest := max(math.Abs(s.low), math.Abs(s.high)); room <= 1e-9*largest { // equal, or as good as
		room = max(1, largest/10)
	}
	s.low, s.high = max(s.low-room, -math.MaxFloat64), min(s.high+room, math.MaxFloat64)
	return s
}

func (s scale) at(v float64) float64 {
	part := (v/2 - s.low/2) / (s.high/2 - s.low/2)
	return s.from + part*(s.to-s.from)
}

// step is a round value that goes into the scale about n times.
func (s scale) step(n int) float64 {
	raw := (s.high/2 - s.low/2) / float64(n) * 2
	power := math.Floor(math.Log10(raw))
	step := math.Pow(10, power)
	switch part := raw / step; {
	case part > 5:
		step *= 10
	case part > 2:
		step *= 5
	case part > 1:
		step *= 2
	}
	if s.whole {
		return max(step, 1)
	}
	return step
}

// ticks are about n round values on the scale, and how they are written.
func (s scale) ticks(n int) (values []float64, texts []string) {
	step := s.step(n)
	const slack = 1e-9 // for rounding
	digits := int(max(0, -math.Floor(math.Log10(step)+slack)))
	for k := math.Ceil(s.low/step - slack); k <= s.high/step+slack && len(values) < 3*n; k++ {
		values = append(values, k*step)
		if digits > 6 || math.Abs(s.high) >= 1e7 || math.Abs(s.low) >= 1e7 {
			texts = append(texts, number(k*step))
		} else {
			texts = append(texts, strconv.FormatFloat(k*step+0, 'f', digits, 64))
		}
	}
	return values, texts
}
