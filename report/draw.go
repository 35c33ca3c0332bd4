package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// A frame is what a plot is drawn for: so many pixels wide, and about so many high between its
// axes. A page has each plot in all frames and shows the one that fits, so that text has about
// the size it is drawn with, however wide the window: up to a third more.
type frame struct {
	class         string
	width, height float64
}

var (
	wide   = frame{"wide", 1060, 400}
	broad  = frame{"broad", 840, 370}
	middle = frame{"middle", 640, 340}
	small  = frame{"small", 460, 300}
	narrow = frame{"narrow", 320, 280}

	frames = []frame{wide, broad, middle, small, narrow}
)

// A drawing is what an SVG image is made of, in pixels from the top left.
type drawing struct {
	Class      string
	wide, high float64
	Under      []path // drawn first
	Boxes      []box
	Over       []path
	Texts      []label
	// Key says what numbers in the drawing stand for.
	Key []string
}

// Width and Height are for the template.
func (d drawing) Width() string  { return px(d.wide) }
func (d drawing) Height() string { return px(d.high) }

type box struct{ Class, X, Y, Width, Height string }

// A path has lines, of which one begins at every M.
type path struct{ Class, D string }

type label struct {
	Class  string
	X, Y   string
	Anchor string // start, middle or end: which part of the text is at X
	Text   string
	Whole  string // the text where it is cut
}

type place struct{ x, y float64 }

// px writes a coordinate.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64) }

func newBox(class string, x1, y1, x2, y2 float64) box {
	return box{class, px(min(x1, x2)), px(min(y1, y2)), px(math.Abs(x2 - x1)), px(math.Abs(y2 - y1))}
}

// joined is the line through places.
func joined(places ...place) string {
	var b strings.Builder
	for i, p := range places {
		switch i {
		case 0:
			b.WriteByte('M')
		case 1:
			b.WriteByte('L')
		default:
			b.WriteByte(' ')
		}
		b.WriteString(px(p.x) + " " + px(p.y))
	}
	return b.String()
}

// shapes of marks, from their middle.
var shapes = [...]string{
	"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", // a circle
	"m-3.5-3.5h7v7h-7z",
	"m0-5l4.7 8h-9.4z",
	"m0-5l5 5l-5 5l-5-5z",
	"m0 5l4.7-8h-9.4z",
}

func mark(shape int, p place) string { return joined(p) + shapes[shape%len(shapes)] }

// newLabel is a text, whose middle is cut where it is wider than most.
func newLabel(x, y float64, anchor, text string, most float64) label {
	l := label{X: px(x), Y: px(y), Anchor: anchor, Text: clean(text)}
	if cut := shorten(l.Text, most); cut != l.Text {
		l.Text, l.Whole = cut, l.Text
	}
	return l
}

// Of text of 12 pixels: how far lines are apart, and how far its middle lies above its base.
const (
	lineHeight = 15.0
	halfLetter = 4.0
)

// textWidth is about how wide a text of 12 pixels is: the reader's font is not known, so
// it is taken as a wide one, such as Verdana.
func textWidth(s string) float64 {
	w := 0.0
	for _, r := range clean(s) {
		w += runeWidth(r)
	}
	return w
}

// boldWidth is how much wider bold letters are.
const boldWidth = 1.15

func runeWidth(r rune) float64 {
	switch r {
	case 'i', 'j', 'l', 'I', 'J', 'f', 'r', 't', ' ', '.', ',', ':', ';', '\'', '"', '|', '!', '/', '\\', '(', ')', '[', ']', '-':
		return 5.5
	case '&':
		return 9.5
	case '#', '+', '<', '=', '>', '^', '~':
		return 10.5
	case 'm', 'w', 'M', 'W', '%', '@', '…', '—', 'Æ', 'æ', 'Ŵ', 'ŵ', 'ж', 'ш', 'щ', 'ю', 'ф', 'ы':
		return 12
	case 'Œ', 'œ', 'Ж', 'Ш', 'Щ', 'Ю':
		return 13
	case '–':
		return 8
	}
	kind := width.Neutral
	if r >= utf8.RuneSelf {
		kind = width.LookupRune(r).Kind()
	}
	switch {
	case kind == width.EastAsianWide, kind == width.EastAsianFullwidth:
		return 12
	case unicode.IsUpper(r):
		return 9.5
	case r < utf8.RuneSelf, unicode.IsLower(r):
		return 8
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r <= unicode.MaxLatin1 && !unicode.Is(unicode.Sm, r):
		return 8
	}
	return 10.5
}

// shorten cuts the middle of a text, as what tells names apart is often at their end.
func shorten(s string, most float64) string {
	letters := []rune(s)
	from, to := cutMiddle(letters, most)
	if to == from {
		return s
	}
	return strings.TrimRight(string(letters[:from]), " ") + "…" + strings.TrimLeft(string(letters[to:]), " ")
}

// cutMiddle is what is to be cut of letters, an ellipsis standing there, to fit into a width:
// from one letter up to another.
func cutMiddle(letters []rune, most float64) (from, to int) {
	w, fits := 0.0, true
	for i := 0; i < len(letters) && fits; i++ {
		w += runeWidth(letters[i])
		fits = w <= most
	}
	if fits {
		return 0, 0
	}
	room := most - runeWidth('…')
	w = 0
	for to = len(letters); to > 0 && w+runeWidth(letters[to-1]) <= room/2; to-- {
		w += runeWidth(letters[to-1])
	}
	for ; from < to && w+runeWidth(letters[from]) <= room; from++ {
		w += runeWidth(letters[from])
	}
	for to < len(letters) && unicode.Is(unicode.M, letters[to]) { // what it stands on is cut
		to++
	}
	return from, to
}

// shortenEnd cuts the end of a text.
func shortenEnd(s string, most float64) string {
	if textWidth(s) <= most {
		return s
	}
	w := runeWidth('…')
	for i, r := range s {
		if w += runeWidth(r); w > most {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// titleLines is how many lines the title of an axis can have.
const titleLines = 2

// A title is that of an axis, on as many lines as it needs.
type title struct {
	lines []string
	whole string // if it is cut
}

func newTitle(text string, most float64) title {
	var t title
	rest := strings.TrimSpace(clean(text))
	for rest != "" {
		if len(t.lines) == titleLines-1 {
			last := shortenEnd(rest, most)
			if last != rest {
				t.whole = clean(text)
			}
			t.lines = append(t.lines, last)
			return t
		}
		// Up to the last space that fits.
		w, end := 0.0, len(rest)
		space := -1
		for i, r := range rest {
			if w += runeWidth(r); w > most {
				end = i
				break
			}
			if r == ' ' {
				space = i
			}
		}
		if end < len(rest) && space > 0 {
			end = space
		}
		if end == 0 { // not a letter fits
			return t
		}
		t.lines = append(t.lines, strings.TrimSpace(rest[:end]))
		rest = strings.TrimSpace(rest[end:])
	}
	return t
}

func (t title) height() float64 { return lineHeight * float64(len(t.lines)) }

// write writes a title below y.
func (d *drawing) write(t title, x, y float64, anchor string) {
	for i, s := range t.lines {
		d.Texts = append(d.Texts, label{Class: "title", X: px(x), Y: px(y + 12 + lineHeight*float64(i)), Anchor: anchor, Text: s})
	}
	if t.whole != "" {
		d.Texts[len(d.Texts)-1].Whole = t.whole
	}
}

// A plane is where a plot is drawn, in pixels, with its scales.
type plane struct {
	rectangle
	x, y scale
}

func (p *plane) at(v XY) place { return place{p.x.at(v.X), p.y.at(v.Y)} }

// newPlane draws axes in a frame, room being left at the right, and sets the size of the drawing.
// The title of y stands above its axis, as turned it is hard to read.
func (d *drawing) newPlane(f frame, x, y scale, titleX, titleY string, room float64) plane {
	above, below := newTitle(titleY, f.width), newTitle(titleX, f.width)
	top := above.height() + 10
	bottom := top + f.height
	y.from, y.to = bottom, top
	values, texts := y.ticks(int(f.height / 45))
	left := 0.0
	for _, s := range texts {
		left = max(left, textWidth(s))
	}
	left += 10
	right := f.width - room
	x.from, x.to = left, right

	d.write(above, 0, 0, "start")
	var grid strings.Builder
	for i, v := range values {
		at := y.at(v)
		grid.WriteString(joined(place{left - 4, at}, place{right, at}))
		d.Texts = append(d.Texts, newLabel(left-8, at+halfLetter, "end", texts[i], left))
	}
	d.Under = append(d.Under, path{"grid", grid.String()})
	end := d.across(f, x, top, bottom, below)
	d.Under = append(d.Under, path{"axis", joined(place{left, top}, place{left, bottom}, place{right, bottom})})
	d.Class, d.wide, d.high = f.class, f.width, end
	return plane{rectangle{left, top, right, bottom}, x, y}
}

// across draws an axis below what is drawn, and lines up from its ticks. It returns where it
// ends.
func (d *drawing) across(f frame, s scale, top, bottom float64, t title) float64 {
	values, texts := s.fitting()
	var grid strings.Builder
	for i, v := range values {
		x := s.at(v)
		grid.WriteString(joined(place{x, top}, place{x, bottom + 4}))
		half := textWidth(texts[i]) / 2
		d.Texts = append(d.Texts, newLabel(max(half, min(x, f.width-half)), bottom+17, "middle", texts[i], f.width))
	}
	d.Under = append(d.Under, path{"grid", grid.String()})
	// Below the axis, but in the drawing.
	half := 0.0
	for _, line := range t.lines {
		half = max(half, textWidth(line)/2)
	}
	d.write(t, max(half, min((s.from+s.to)/2, f.width-half)), bottom+24, "middle")
	return bottom + 24 + t.height() + 4
}

// below writes a name under all that is drawn, and makes room for it. What it names is drawn
// before it, from one place to the other.
func (d *drawing) below(class, name string) (from, to place) {
	const wide = 28.0
	y := d.high + 8
	l := newLabel(wide+6, y+halfLetter, "start", name, d.wide-wide-6)
	l.Class = class
	d.Texts = append(d.Texts, l)
	d.high += lineHeight + 1
	return place{0, y}, place{wide, y}
}

// A scale turns values into pixels. From may be after to.
type scale struct {
	low, high float64 // values
	from, to  float64 // pixels
	// whole: there is nothing between whole numbers.
	whole bool
}

// newScale is one for the values, with room around them as a share of it.
func newScale(values []float64, share float64) scale {
	s := scale{low: values[0], high: values[0]}
	for _, v := range values {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
	// Halves, so that nothing overflows.
	room := (s.high/2 - s.low/2) * (2 * share)
	if s.flat() {
		room = max(1, max(math.Abs(s.low), math.Abs(s.high))/10)
	}
	s.low, s.high = max(s.low-room, -math.MaxFloat64), min(s.high+room, math.MaxFloat64)
	return s
}

// flat is whether the ends are equal, or as good as.
func (s scale) flat() bool {
	largest := max(math.Abs(s.low), math.Abs(s.high))
	return s.high/2-s.low/2 <= 1e-9*largest || s.high-s.low < 1e-300
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
		step = max(step, 1)
	}
	return min(step, math.MaxFloat64)
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

// fitting are as many ticks as can be written side by side: about one in 45 pixels, or more, as
// one or two do not say what the scale is.
func (s scale) fitting() (values []float64, texts []string) {
	const most, few, more = 10, 3, 4
	about := max(1, min(most, int((s.to-s.from)/45)))
	for n := about; n > 0; n-- {
		if values, texts = s.ticks(n); s.fit(values, texts) {
			break
		}
		values, texts = values[:1], texts[:1]
	}
	for n := about + 1; n <= about+more && len(values) < few; n++ {
		if v, t := s.ticks(n); len(v) > len(values) && s.fit(v, t) {
			values, texts = v, t
		}
	}
	return values, texts
}

// fit is whether ticks can be written side by side.
func (s scale) fit(values []float64, texts []string) bool {
	const apart = 12.0
	for i := 1; i < len(values); i++ {
		if s.at(values[i])-s.at(values[i-1]) < (textWidth(texts[i])+textWidth(texts[i-1]))/2+apart {
			return false
		}
	}
	return true
}
