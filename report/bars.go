package report

import (
	"errors"
	"fmt"
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

func (b *Bars) figure() (figureView, error) {
	if len(b.Bars) == 0 {
		return figureView{}, errEmpty
	}
	const (
		whole, row, half    = 640.0, 28.0, 8.0
		number0, axisHeight = 56.0, 44.0
	)
	ends := []float64{0}
	names := 0.0
	low, high := b.Bars[0], b.Bars[0]
	for _, r := range b.Bars {
		ends = append(ends, r.Value)
		if err := finite("the value of "+r.Name, r.Value); err != nil {
			return figureView{}, err
		}
		if i := r.Interval; i != nil {
			if err := finite("the interval of "+r.Name, i.Low, i.High); err != nil {
				return figureView{}, err
			}
			ends = append(ends, i.Low, i.High)
		}
		names = max(names, textWidth(r.Name))
		if r.Value < low.Value {
			low = r
		}
		if r.Value > high.Value {
			high = r
		}
	}
	names = min(names, 240)
	left, right := names+10, whole-number0
	bottom := 4 + row*float64(len(b.Bars))
	s := newScale(ends, left, right)
	d := drawing{Width: px(whole), Height: px(bottom + axisHeight)}
	d.axis(s, bottom, 4, b.Axis)
	d.Lines = append(d.Lines, newLine("axis", s.at(0), 4, s.at(0), bottom))
	for i, r := range b.Bars {
		y := 4 + row*(float64(i)+.5)
		d.Boxes = append(d.Boxes, newBox(s.at(0), y-half, s.at(r.Value), y+half))
		if in := r.Interval; in != nil {
			from, to := s.at(in.Low), s.at(in.High)
			d.Lines = append(d.Lines, newLine("interval", from, y, to, y),
				newLine("interval", from, y-half/2, from, y+half/2), newLine("interval", to, y-half/2, to, y+half/2))
		}
		d.Texts = append(d.Texts, newLabel(names, y+4, "end", shorten(r.Name, names)),
			newLabel(whole, y+4, "end", number(r.Value)))
	}
	f := figureView{Drawing: d}
	f.Description = clean(fmt.Sprintf("Bars of %s for %d: the highest is %s with %s, the lowest %s with %s.", b.Axis, len(b.Bars), high.Name, number(high.Value), low.Name, number(low.Value)))
	return f, nil
}

// axis draws the axis of x below what is drawn, and lines up from its ticks.
func (d *drawing) axis(s scale, bottom, top float64, title string) {
	values, texts := s.ticks(6)
	for i, v := range values {
		x := s.at(v)
		d.Lines = append(d.Lines, newLine("grid", x, top, x, bottom+4))
		d.Texts = append(d.Texts, newLabel(x, bottom+18, "middle", texts[i]))
	}
	d.Texts = append(d.Texts, newLabel((s.from+s.to)/2, bottom+38, "middle", shorten(title, s.to-s.from)))
}

func (b *Bars) numbers() Table {
	t := Table{Header: []string{"name", b.Axis}}
	for _, r := range b.Bars {
		row := []string{r.Name, number(r.Value)}
		if i := r.Interval; i != nil {
			if len(t.Header) == 2 {
				t.Header = append(t.Header, "from", "to")
			}
			row = append(row, number(i.Low), number(i.High))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
