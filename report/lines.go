package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Lines are a plot of lines, such as the agreement of metrics with people for the K best
// systems, against K. They are told apart by their names at the right, by colours, dashes and
// marks. One whose name is too long has its number there, and its name below.
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

// nameWidth is about how wide a name of the line is.
func (l Line) nameWidth(name string) float64 {
	if l.Main {
		return textWidth(name) * boldWidth
	}
	return textWidth(name)
}

// XY is a point of a Line.
type XY struct{ X, Y float64 }

// How many colours and kinds of dashes the page has.
const (
	colours = 6
	dashes  = 4
)

// A style is how a line and its name are drawn. Lines differ in colour, dashes and marks, so that
// they are told apart without colour too.
type style struct {
	class string // of all that is the line's
	dash  string // a class of the line alone
	shape int
}

// series is the style of the i-th of those that are alike.
func series(i int) style {
	return style{fmt.Sprintf("c%d", i%colours+1), fmt.Sprintf("dash%d", i%dashes), i}
}

func (s style) line() string { return strings.TrimSpace("line " + s.class + " " + s.dash) }

// styles are those of all lines.
func (l *Lines) styles() []style {
	out := make([]style, len(l.Lines))
	plain := 0
	for i, line := range l.Lines {
		switch {
		case line.Guide:
			out[i] = style{class: "guide"}
		case line.Main:
			out[i] = style{class: "main"}
		default:
			out[i] = series(plain)
			plain++
		}
	}
	return out
}

func (l *Lines) check() error {
	_, _, err := l.scales()
	return err
}

// scales are those of the axes, without pixels.
func (l *Lines) scales() (x, y scale, err error) {
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
		const room = .04
		x, y = newScale(xs, room), newScale(ys, room)
	} else {
		xs, ys = append(xs, l.From.X, l.To.X), append(ys, l.From.Y, l.To.Y)
		x = scale{low: slices.Min(xs), high: slices.Max(xs)}
		y = scale{low: slices.Min(ys), high: slices.Max(ys)}
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
	x, y        float64 // where the line ends
	at          float64 // how high its name stands
}

// leaderRoom is between the right end of the axis and the names.
const leaderRoom = 24.0

// draw draws lines that check has seen.
func (l *Lines) draw(f frame) drawing {
	var d drawing
	sx, sy, _ := l.scales() // checked
	names, drawn := 0.0, 0
	texts := make([]string, len(l.Lines)) // at the right
	for i, line := range l.Lines {
		if len(line.Points) == 0 {
			continue
		}
		if texts[i] = line.Name; line.nameWidth(line.Name) > .3*f.width {
			texts[i] = strconv.Itoa(i + 1)
		}
		names = max(names, line.nameWidth(texts[i]))
		drawn++
	}
	f.height = max(f.height, lineHeight*float64(drawn)) // for all names
	p := d.newPlane(f, sx, sy, l.X, l.Y, names+leaderRoom+4)

	var ends []end
	for i, s := range l.styles() {
		line := l.Lines[i]
		if len(line.Points) == 0 {
			continue
		}
		at := make([]place, len(line.Points))
		for k, v := range line.Points {
			at[k] = p.at(v)
		}
		if len(at) > 1 {
			d.Over = append(d.Over, path{s.line(), joined(at...)})
		}
		if !line.Guide {
			d.Over = append(d.Over, path{"mark " + s.class, marks(s.shape, at, p.right-p.left)})
		}
		last := at[len(at)-1]
		ends = append(ends, end{s.class, texts[i], last.x, last.y, last.y})
		if texts[i] != line.Name {
			d.sample(s, texts[i]+" "+line.Name, !line.Guide)
		}
	}
	spread(ends, p.top, p.bottom)
	for _, e := range ends {
		d.Under = append(d.Under, path{"leader " + e.class, joined(place{e.x, e.y}, place{p.right + leaderRoom, e.at})})
		t := newLabel(p.right+leaderRoom+4, e.at+halfLetter, "start", e.name, names)
		t.Class = e.class
		d.Texts = append(d.Texts, t)
	}
	return d
}

// sample writes a name under all that is drawn, behind a piece of the line, with its mark.
func (d *drawing) sample(s style, name string, mark bool) {
	from, to := d.below(s.class, name)
	d.Over = append(d.Over, path{s.line(), joined(from, to)})
	if mark {
		d.Over = append(d.Over, path{"mark " + s.class, marks(s.shape, []place{{(from.x + to.x) / 2, from.y}}, to.x)})
	}
}

// marks are at every point, or at the last alone where they would lie over each other.
func marks(shape int, at []place, wide float64) string {
	const apart = 10
	if float64(len(at))*apart > wide {
		at = at[len(at)-1:]
	}
	var b strings.Builder
	for _, p := range at {
		b.WriteString(mark(shape, p))
	}
	return b.String()
}

// description tells what is drawn.
func (l *Lines) description() string {
	var xs, ys []float64
	drawn := 0
	for _, line := range l.Lines {
		for _, p := range line.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
		if len(line.Points) > 0 {
			drawn++
		}
	}
	return fmt.Sprintf("%d lines. Across: %s, from %s to %s. Up: %s, from %s to %s.", drawn,
		l.X, number(slices.Min(xs)), number(slices.Max(xs)), l.Y, number(slices.Min(ys)), number(slices.Max(ys)))
}

// A cluster is names that lie against each other, with the first at a height.
type cluster struct {
	n       int
	sum, at float64 // sum is of where the first would be for each to be at its line's end
}

// spread moves names that would lie over each other apart, as little as it can: in sum of
// squares. There is room for all of them.
func spread(ends []end, top, bottom float64) {
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	var clusters []cluster
	for _, e := range ends {
		next := cluster{n: 1, sum: e.y}
		for {
			lowest := bottom - lineHeight*float64(next.n-1)
			next.at = max(top, min(next.sum/float64(next.n), lowest))
			if len(clusters) == 0 {
				break
			}
			before := clusters[len(clusters)-1]
			room := lineHeight * float64(before.n)
			if before.at+room <= next.at {
				break
			}
			next = cluster{n: before.n + next.n, sum: before.sum + next.sum - room*float64(next.n)}
			clusters = clusters[:len(clusters)-1]
		}
		clusters = append(clusters, next)
	}
	i := 0
	for _, c := range clusters {
		for k := range c.n {
			ends[i].at = c.at + lineHeight*float64(k)
			i++
		}
	}
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
