package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Lines are a plot of lines, such as the agreement of metrics with people for the K best
// systems, against K. They are told apart by their names at the right and by dashes.
type Lines struct {
	Title string
	// X and Y say what the axes are.
	X, Y  string
	Lines []Line
}

// A Line joins its points in their order. One without points is named in the table only.
type Line struct {
	Name   string
	Points []XY
}

// XY is a point of a Line.
type XY struct{ X, Y float64 }

// dashes is how many classes of dashed lines the page has.
const dashes = 4

func dash(i int) string { return fmt.Sprintf("dash%d", i%dashes) }

func (l *Lines) figure() (figureView, error) {
	const (
		left, top, bottom, whole = 70.0, 8.0, 376.0, 640.0
		height                   = bottom + 44
		apart                    = 15.0 // names
	)
	var xs, ys []float64
	names := 0.0
	for _, line := range l.Lines {
		for _, p := range line.Points {
			if err := finite("a number of "+line.Name, p.X, p.Y); err != nil {
				return figureView{}, err
			}
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
		names = max(names, textWidth(line.Name))
	}
	if len(xs) == 0 {
		return figureView{}, errEmpty
	}
	names = min(names, 200)
	right := whole - names - 30
	sx, sy := newScale(xs, left, right), newScale(ys, bottom, top)
	sx.whole = !slices.ContainsFunc(xs, func(x float64) bool { return x != math.Trunc(x) })
	d := drawing{Width: px(whole), Height: px(height)}
	d.axis(sx, bottom, top, l.X)
	d.up(sy, left, right, l.Y)

	type end struct {
		name     string
		x, y, at float64 // where the line ends, and how high its name stands
	}
	var ends []end
	for i, line := range l.Lines {
		for k, p := range line.Points {
			x, y := sx.at(p.X), sy.at(p.Y)
			d.Marks = append(d.Marks, mark{px(x), px(y)})
			if k > 0 {
				before := line.Points[k-1]
				d.Lines = append(d.Lines, newLine(dash(i), sx.at(before.X), sy.at(before.Y), x, y))
			}
			if k == len(line.Points)-1 {
				ends = append(ends, end{line.Name, x, y, y})
			}
		}
	}
	// Names that would lie over each other are moved down, and up again at the bottom.
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
	for _, e := range ends {
		d.Lines = append(d.Lines, newLine("leader", e.x, e.y, right+26, e.at))
		d.Texts = append(d.Texts, newLabel(right+30, max(e.at+4, 0), "start", shorten(e.name, names)))
	}
	f := figureView{Drawing: d}
	f.Description = clean(fmt.Sprintf("%d lines. Across: %s, from %s to %s. Up: %s, from %s to %s.", len(ends),
		l.X, number(slices.Min(xs)), number(slices.Max(xs)), l.Y, number(slices.Min(ys)), number(slices.Max(ys))))
	return f, nil
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
