package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A Scatter is a plot of points, such as systems by people's scores and a metric's.
type Scatter struct {
	Title string
	// X and Y say what the axes are.
	X, Y string
	// Points are labelled with their names where there is room, else with their place
	// here, from 1. More than 300 have no labels.
	Points []Point
}

// A Point of a Scatter.
type Point struct {
	Name string
	X, Y float64
}

// mostLabels is how many can be read.
const mostLabels = 300

func (c *Scatter) check() error {
	if len(c.Points) == 0 {
		return errEmpty
	}
	for _, p := range c.Points {
		if err := finite("a number of "+p.Name, p.X, p.Y); err != nil {
			return err
		}
	}
	return nil
}

func (c *Scatter) ends() (xs, ys []float64) {
	for _, p := range c.Points {
		xs, ys = append(xs, p.X), append(ys, p.Y)
	}
	return xs, ys
}

func (c *Scatter) draw(f frame) drawing {
	var d drawing
	xs, ys := c.ends()
	const room = .1 // for names
	p := d.newPlane(f, newScale(xs, room), newScale(ys, room), c.X, c.Y, 4)
	at := make([]place, len(c.Points))
	names := make([]string, len(c.Points))
	for i, point := range c.Points {
		at[i] = p.at(XY{point.X, point.Y})
		names[i] = point.Name
		d.Over = append(d.Over, path{"point", mark(0, at[i])})
	}
	if len(at) > mostLabels {
		return d
	}
	labels, leaders, numbered := placeLabels(at, names, p.rectangle)
	d.Texts, d.Under = append(d.Texts, labels...), append(d.Under, leaders...)
	for _, i := range numbered {
		d.Key = append(d.Key, clean(fmt.Sprintf("%d %s", i+1, names[i])))
	}
	return d
}

func (c *Scatter) description() string {
	xs, ys := c.ends()
	return fmt.Sprintf("%d points. Across: %s, from %s to %s. Up: %s, from %s to %s.", len(c.Points),
		c.X, number(slices.Min(xs)), number(slices.Max(xs)), c.Y, number(slices.Min(ys)), number(slices.Max(ys)))
}

func (c *Scatter) numbers() Table {
	t := Table{Header: []string{"name", "place", c.X, c.Y}}
	for i, p := range c.Points {
		t.Rows = append(t.Rows, []string{p.Name, strconv.Itoa(i + 1), number(p.X), number(p.Y)})
	}
	return t
}

type rectangle struct{ left, top, right, bottom float64 }

func (r rectangle) meets(o rectangle) bool {
	return r.left < o.right && o.left < r.right && r.top < o.bottom && o.top < r.bottom
}

func (r rectangle) holds(o rectangle) bool {
	return o.left >= r.left && o.right <= r.right && o.top >= r.top && o.bottom <= r.bottom
}

// placeLabels puts a name beside each point where it meets no other label and no other
// point, or else the point's number, with a line to it if it stands further off: numbered
// are those.
func placeLabels(points []place, names []string, area rectangle) (labels []label, leaders []path, numbered []int) {
	taken := make([]rectangle, len(points))
	for i, p := range points {
		// More than the mark, so that it is plain which point is meant.
		const half = 7
		taken[i] = rectangle{p.x - half, p.y - half, p.x + half, p.y + half}
	}
	free := func(own int, box rectangle) bool {
		if !area.holds(box) {
			return false
		}
		for i, t := range taken {
			if i != own && t.meets(box) {
				return false
			}
		}
		return true
	}
	put := func(l label, box rectangle) {
		labels, taken = append(labels, l), append(taken, box)
	}
	beside := func(i int, text string) bool {
		for _, c := range []struct {
			x, y   float64
			anchor string
		}{
			{8, 4, "start"}, {-8, 4, "end"}, {0, -9, "middle"}, {0, 17, "middle"},
			{6, -7, "start"}, {6, 15, "start"}, {-6, -7, "end"}, {-6, 15, "end"},
		} {
			if l, box := labelAt(points[i].x+c.x, points[i].y+c.y, c.anchor, text); free(i, box) {
				put(l, box)
				return true
			}
		}
		return false
	}
	for i, name := range names {
		if !beside(i, name) {
			numbered = append(numbered, i)
		}
	}
	for _, i := range numbered {
		number := strconv.Itoa(i + 1)
		if beside(i, number) {
			continue
		}
		l, box, at := further(points[i], number, func(box rectangle) bool { return free(i, box) }, taken[len(points):])
		put(l, box)
		leaders = append(leaders, path{"leader", joined(points[i], at)})
		taken = append(taken, along(points[i], at)...)
	}
	return labels, leaders, numbered
}

// labelAt returns a label and the room it takes.
func labelAt(x, y float64, anchor, text string) (label, rectangle) {
	w := textWidth(text)
	left := x
	switch anchor {
	case "middle":
		left -= w / 2
	case "end":
		left -= w
	}
	return newLabel(x, y, anchor, text, w), rectangle{left, y - 11, left + w, y + 3}
}

// further looks for room around a point, for a text and, better, for a line to it that goes
// through no label. It returns where the line ends: without any room at the point itself.
func further(p place, text string, free func(rectangle) bool, labels []rectangle) (label, rectangle, place) {
	through := func(r rectangle) bool { return slices.ContainsFunc(labels, r.meets) }
	for _, any := range []bool{false, true} {
		for r := 20.0; r <= 160; r += 8 {
			for k := range 16 {
				sin, cos := math.Sincos(float64(k) * math.Pi / 8)
				l, box := labelAt(p.x+r*cos, p.y+r*sin+halfLetter, "middle", text)
				to := place{p.x + (r-9)*cos, p.y + (r-9)*sin}
				if free(box) && (any || !slices.ContainsFunc(along(p, to), through)) {
					return l, box, to
				}
			}
		}
	}
	l, box := labelAt(p.x, p.y+halfLetter, "middle", text)
	return l, box, p
}

// along are small squares on a line from a point, but for where it begins.
func along(from, to place) []rectangle {
	const step, half = 5.0, 1.0
	var out []rectangle
	length := math.Hypot(to.x-from.x, to.y-from.y)
	for at := 2 * step; at < length; at += step {
		x, y := from.x+(to.x-from.x)*at/length, from.y+(to.y-from.y)*at/length
		out = append(out, rectangle{x - half, y - half, x + half, y + half})
	}
	return out
}
