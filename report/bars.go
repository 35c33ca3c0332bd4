package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bars are a plot of one number for each of several names.
type Bars struct {
	Title string
	// Axis says what the numbers are.
	Axis string
	Bars []Bar
	// Points draws marks in place of bars, on an axis that has the values rather than 0.
	Points bool
}

// A Bar is drawn from 0 to its value, with its interval, if it has one, as a line
// across its end.
type Bar struct {
	Name     string
	Value    float64
	Interval *Interval
	// Text is what is written beside the bar; "" is the value.
	Text string
	// Group is the number of those that are not told apart: where it changes from one bar to
	// the next there is a line between them. 0 is none.
	Group int
}

// An Interval of a number.
type Interval struct{ Low, High float64 }

var errEmpty = errors.New("nothing to draw")

func (b *Bars) check() error {
	if len(b.Bars) == 0 {
		return errEmpty
	}
	for _, r := range b.Bars {
		if err := finite("the value of "+r.Name, r.Value); err != nil {
			return err
		}
		if i := r.Interval; i != nil {
			if err := finite("the interval of "+r.Name, i.Low, i.High); err != nil {
				return err
			}
		}
	}
	return nil
}

// texts are what stands beside the bars: values have the same decimals, so that the largest has
// four digits.
func (b *Bars) texts() []string {
	largest := 0.0
	for _, r := range b.Bars {
		largest = max(largest, math.Abs(r.Value))
	}
	decimals := 3
	if largest > 0 {
		decimals = 3 - int(math.Floor(math.Log10(largest)))
	}
	out := make([]string, len(b.Bars))
	for i, r := range b.Bars {
		switch {
		case r.Text != "":
			out[i] = r.Text
		case decimals < 0 || decimals > 6:
			out[i] = number(r.Value)
		default:
			out[i] = strconv.FormatFloat(r.Value, 'f', decimals, 64)
		}
	}
	return out
}

// A run is of bars beside each other that have the same group.
type run struct{ group, first, n int }

func (b *Bars) runs() []run {
	var out []run
	for i, r := range b.Bars {
		if i == 0 || r.Group != b.Bars[i-1].Group {
			out = append(out, run{group: r.Group, first: i})
		}
		out[len(out)-1].n++
	}
	return out
}

// grouped is whether there are groups.
func (b *Bars) grouped() bool {
	for _, r := range b.Bars {
		if r.Group != 0 {
			return true
		}
	}
	return false
}

// scale has 0 and the values, or the values alone, and their intervals.
func (b *Bars) scale() scale {
	var ends []float64
	if !b.Points {
		ends = append(ends, 0)
	}
	for _, r := range b.Bars {
		ends = append(ends, r.Value)
		if i := r.Interval; i != nil {
			ends = append(ends, i.Low, i.High)
		}
	}
	const room = .05
	s := newScale(ends, room)
	if b.Points {
		return s
	}
	// There is nothing to see beyond 0, if all lies on one side.
	atMost, atLeast := true, true
	for _, v := range ends {
		atMost, atLeast = atMost && v <= 0, atLeast && v >= 0
	}
	switch {
	case atLeast:
		s.low = 0
	case atMost:
		s.high = 0
	}
	return s
}

// barRows are where the parts of Bars stand, in pixels.
type barRows struct {
	names, texts float64 // how wide they are at most
	stacked      bool    // the names stand above the bars
	ends         float64 // where texts end, and brackets begin
	top, bottom  float64
	height       float64
	at           []float64 // the middle of each bar
	edges        []float64 // of runs: where each begins, and the last ends
}

func (b *Bars) rows(f frame) barRows {
	const row, stackedRow, gap = 24.0, 38.0, 6.0
	r := barRows{top: 4, height: row, ends: f.width}
	if b.grouped() {
		r.ends -= bracketWidth(b.runs(), f)
		if f.width <= narrow.width {
			r.top += lineHeight // for the word "group"
		}
	}
	for _, bar := range b.Bars {
		r.names = max(r.names, textWidth(bar.Name))
	}
	for _, s := range b.texts() {
		r.texts = max(r.texts, textWidth(s))
	}
	mostNames, mostTexts := max(.3*r.ends, min(.4*r.ends, 260)), .25*r.ends
	if r.stacked = f.width <= small.width && (r.names > mostNames || r.texts > mostTexts); r.stacked {
		r.height = stackedRow
		r.texts = min(r.texts, .5*r.ends)
		r.names = r.ends - r.texts - 20
	} else {
		r.names, r.texts = min(r.names, mostNames), min(r.texts, mostTexts)
	}
	y := r.top
	for i, part := range b.runs() {
		if i > 0 {
			y += gap
		}
		r.edges = append(r.edges, y-gap/2)
		for range part.n {
			middle := y + r.height/2
			if r.stacked {
				middle = y + r.height - 11
			}
			r.at = append(r.at, middle)
			y += r.height
		}
	}
	r.bottom = y
	r.edges = append(r.edges, y+gap/2)
	return r
}

// groupLabel says which group it is, with as many words as there is room for.
func groupLabel(group int, f frame) string {
	if f.width <= narrow.width {
		return strconv.Itoa(group)
	}
	return fmt.Sprintf("group %d", group)
}

// groupClass adds the colour of a group to a class.
func groupClass(class string, group int) string {
	if group > 0 {
		class += fmt.Sprintf(" c%d", (group-1)%colours+1)
	}
	return strings.TrimSpace(class)
}

const bracketRoom = 20.0 // beside the label

func bracketWidth(runs []run, f frame) float64 {
	w := 0.0
	for _, r := range runs {
		w = max(w, textWidth(groupLabel(r.group, f)))
	}
	return bracketRoom + min(w, f.width/4)
}

func (b *Bars) draw(f frame) drawing {
	var d drawing
	r := b.rows(f)
	s := b.scale()
	s.from, s.to = r.names+10, r.ends-r.texts-10
	if r.stacked {
		s.from, s.to = 0, r.ends-8
	}
	end := d.across(f, s, r.top, r.bottom, newTitle(b.Axis, f.width))
	d.Class, d.wide, d.high = f.class, f.width, end
	if !b.Points {
		d.Under = append(d.Under, path{"axis", joined(place{s.at(0), r.top}, place{s.at(0), r.bottom})})
	}
	texts := b.texts()
	for i, bar := range b.Bars {
		y, text := r.at[i], r.at[i]+halfLetter
		name := newLabel(r.names, text, "end", bar.Name, r.names)
		if r.stacked {
			text -= 18
			name = newLabel(0, text, "start", bar.Name, r.names)
		}
		d.Texts = append(d.Texts, name, newLabel(r.ends-8, text, "end", texts[i], r.texts))
		if b.Points {
			d.Under = append(d.Under, path{"grid", joined(place{s.from, y}, place{s.to, y})})
		} else {
			const half = 7
			d.Boxes = append(d.Boxes, newBox(groupClass("bar", bar.Group), s.at(0), y-half, s.at(bar.Value), y+half))
		}
		if in := bar.Interval; in != nil {
			d.interval(s.at(in.Low), s.at(in.High), y)
		}
		if b.Points {
			d.Over = append(d.Over, path{groupClass("point", bar.Group), mark(0, place{s.at(bar.Value), y})})
		}
	}
	if b.grouped() {
		b.brackets(&d, f, r)
	}
	return d
}

// interval draws one, with its ends.
func (d *drawing) interval(from, to, y float64) {
	const half = 4
	d.Over = append(d.Over, path{"interval", joined(place{from, y}, place{to, y}) +
		joined(place{from, y - half}, place{from, y + half}) + joined(place{to, y - half}, place{to, y + half})})
}

// brackets draws lines between groups, and says at the right which each is.
func (b *Bars) brackets(d *drawing, f frame, r barRows) {
	if f.width <= narrow.width {
		d.Texts = append(d.Texts, newLabel(f.width, 12, "end", "group", f.width))
	}
	for i, part := range b.runs() {
		top, bottom := r.edges[i], r.edges[i+1]
		if i > 0 {
			d.Under = append(d.Under, path{"rule", joined(place{0, top}, place{f.width, top})})
		}
		if part.group == 0 {
			continue
		}
		const inset, wide = 5.0, 5.0
		top, bottom = top+inset, bottom-inset
		x := r.ends + 2
		d.Over = append(d.Over, path{groupClass("bracket", part.group), joined(place{x, top}, place{x + wide, top}, place{x + wide, bottom}, place{x, bottom})})
		l := newLabel(r.ends+bracketRoom-6, (top+bottom)/2+halfLetter, "start", groupLabel(part.group, f), f.width-r.ends-bracketRoom+6)
		l.Class = groupClass("", part.group)
		d.Texts = append(d.Texts, l)
	}
}

func (b *Bars) description() string {
	low, high := b.Bars[0], b.Bars[0]
	for _, r := range b.Bars {
		if r.Value < low.Value {
			low = r
		}
		if r.Value > high.Value {
			high = r
		}
	}
	what := "Bars"
	if b.Points {
		what = "Points"
	}
	out := fmt.Sprintf("%s of %s for %d: the highest is %s with %s, the lowest %s with %s.",
		what, b.Axis, len(b.Bars), high.Name, number(high.Value), low.Name, number(low.Value))
	if !b.grouped() {
		return out
	}
	for _, part := range b.runs() {
		var names []string
		for _, r := range b.Bars[part.first : part.first+part.n] {
			names = append(names, r.Name)
		}
		group := "No group"
		if part.group != 0 {
			group = fmt.Sprintf("Group %d", part.group)
		}
		out += fmt.Sprintf(" %s: %s.", group, strings.Join(names, ", "))
	}
	return out
}

// numbers has what some bar has. Texts that are numbers are not told again.
func (b *Bars) numbers() Table {
	var intervals, texts bool
	for _, r := range b.Bars {
		intervals = intervals || r.Interval != nil
		texts = texts || r.Text != "" && !plainNumber(r.Text)
	}
	t := Table{Header: []string{"name", b.Axis}}
	if intervals {
		t.Header = append(t.Header, "from", "to")
	}
	if texts {
		t.Header = append(t.Header, "label")
	}
	if b.grouped() {
		t.Header = append(t.Header, "group")
	}
	for _, r := range b.Bars {
		row := []string{r.Name, number(r.Value)}
		if i := r.Interval; i != nil {
			row = append(row, number(i.Low), number(i.High))
		} else if intervals {
			row = append(row, "–", "–")
		}
		if texts {
			row = append(row, cmp.Or(r.Text, number(r.Value)))
		}
		if b.grouped() {
			group := "–"
			if r.Group != 0 {
				group = strconv.Itoa(r.Group)
			}
			row = append(row, group)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
