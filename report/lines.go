package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Lines are a plot of lines, such as the agreement of metrics with people for the K best
// systems, against K. They are told apart by their names at the right and by dashes.
type Lines struct {
	Title string
	// X and Y say what the axes are.
	X, Y  string
	Lines []Line
	// From and To are where the axes begin and end, at least: a point beyond makes them longer.
	// If they are equal, there is some room around the points.
	From, To XY
}

// A Line joins its points in their order. One without points is named in the table only.
type Line struct {
	Name   string
	Points []XY
	// Main draws the line thicker than others, and Guide thin and without marks, as one that
	// others are held against.
	Main, Guide bool
}

// XY is a point of a Line.
type XY struct{ X, Y float64 }

// dashes is how many classes of dashed lines the page has.
const dashes = 4

func dash(i int) string { return fmt.Sprintf("dash%d", i%dashes) }

// class is how the i-th line is drawn.
func (l *Lines) class(i int) string {
	switch line := l.Lines[i]; {
	case line.Guide:
		return "leader"
	case line.Main:
		return "step"
	}
	return dash(i)
}

func (l *Lines) figure() (figureView, error) { return l.draw(func(int) string { return "" }) }

// scales are those of the axes, in pixels.
func (l *Lines) scales(left, right, top, bottom float64) (x, y scale, err error) {
	var xs, ys []float64
	for _, line := range l.Lines {
		for _, p := range line.Points {
			if err := finite("a number of "+line.Name, p.X, p.Y); err != nil {
				return x, y, err
			}
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	if err := finite("an end of the axes", l.From.X, l.From.Y, l.To.X, l.To.Y); err != nil {
		return x, y, err
	}
	if len(xs) == 0 {
		return x, y, errEmpty
	}
	if l.From == l.To {
		x, y = newScale(xs, left, right), newScale(ys, bottom, top)
	} else {
		xs, ys = append(xs, l.From.X, l.To.X), append(ys, l.From.Y, l.To.Y)
		x = scale{low: slices.Min(xs), high: slices.Max(xs), from: left, to: right}
		y = scale{low: slices.Min(ys), high: slices.Max(ys), from: bottom, to: top}
		if x.low == x.high || y.low == y.high {
			return x, y, errors.New("an axis without length")
		}
	}
	x.whole = !slices.ContainsFunc(xs, func(x float64) bool { return x != math.Trunc(x) })
	return x, y, nil
}

// An end of a line has its name.
type end struct {
	class, name string
	x, y, at    float64 // where the line ends, and how high its name stands
}

// draw draws the lines. colour is a class more for all of the i-th line, "" for none.
func (l *Lines) draw(colour func(i int) string) (figureView, error) {
	const left, top, bottom, whole, height = 70.0, 8.0, 376.0, 640.0, 376.0 + 44
	names := 0.0
	for _, line := range l.Lines {
		names = max(names, textWidth(line.Name))
	}
	names = min(names, 200)
	right := whole - names - 30
	sx, sy, err := l.scales(left, right, top, bottom)
	if err != nil {
		return figureView{}, err
	}
	d := drawing{Width: px(whole), Height: px(height)}
	d.axis(sx, bottom, top, l.X)
	d.up(sy, left, right, l.Y)

	var ends []end
	for i, line := range l.Lines {
		own := colour(i)
		for k, p := range line.Points {
			x, y := sx.at(p.X), sy.at(p.Y)
			if !line.Guide {
				d.Marks = append(d.Marks, mark{own, px(x), px(y)})
			}
			if k > 0 {
				before := line.Points[k-1]
				d.Lines = append(d.Lines, newLine(strings.TrimSpace(l.class(i)+" "+own), sx.at(before.X), sy.at(before.Y), x, y))
			}
			if k == len(line.Points)-1 {
				ends = append(ends, end{own, line.Name, x, y, y})
			}
		}
	}
	spread(ends, top, bottom)
	for _, e := range ends {
		d.Lines = append(d.Lines, newLine("leader", e.x, e.y, right+26, e.at))
		t := newLabel(right+30, max(e.at+4, 0), "start", shorten(e.name, names))
		t.Class = e.class
		d.Texts = append(d.Texts, t)
	}
	return figureView{Drawing: d, Description: l.description(len(ends))}, nil
}

// description tells what is drawn.
func (l *Lines) description(drawn int) string {
	var xs, ys []float64
	for _, line := range l.Lines {
		for _, p := range line.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	return clean(fmt.Sprintf("%d lines. Across: %s, from %s to %s. Up: %s, from %s to %s.", drawn,
		l.X, number(slices.Min(xs)), number(slices.Max(xs)), l.Y, number(slices.Min(ys)), number(slices.Max(ys))))
}

// spread moves names that would lie over each other down, and up again at the bottom.
func spread(ends []end, top, bottom float64) {
	const apart = 15.0
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	gap := min(apart, (bottom-top)/float64(len(ends)))
	for i := range ends {
		if i > 0 {
			ends[i].at = max(ends[i].at, ends[i-1].at+gap)
		}
	}
	lowest := bottom
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i].at = min(ends[i].at, lowest)
		lowest = ends[i].at - gap
	}
}

// up draws the axis of y at the left, and lines from its ticks.
func (d *drawing) up(s scale, left, right float64, title string) {
	values, texts := s.ticks(6)
	for i, v := range values {
		d.Lines = append(d.Lines, newLine("grid", left-4, s.at(v), right, s.at(v)))
		d.Texts = append(d.Texts, newLabel(left-8, s.at(v)+4, "end", texts[i]))
	}
	t := newLabel(14, (s.from+s.to)/2, "middle", shorten(title, math.Abs(s.from-s.to)))
	t.Turned = true
	d.Texts = append(d.Texts, t)
	d.Lines = append(d.Lines, newLine("axis", left, s.to, left, s.from), newLine("axis", left, s.from, right, s.from))
}

// numbers has a row for every x, with a number of every line that has one there.
func (l *Lines) numbers() Table {
	t := Table{Header: []string{l.X}}
	var xs []float64
	for _, line := range l.Lines {
		t.Header = append(t.Header, line.Name)
		for _, p := range line.Points {
			xs = append(xs, p.X)
		}
	}
	slices.Sort(xs)
	for _, x := range slices.Compact(xs) {
		row := []string{number(x)}
		for _, line := range l.Lines {
			cell := ""
			for _, p := range line.Points {
				if p.X == x {
					cell = number(p.Y)
				}
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
