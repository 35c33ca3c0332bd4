package report

import (
	"fmt"
	"math"
	"slices"
)

// A Histogram shows how often values of each size are found in samples: the first as
// bars, the others as lines over them, all as shares, so that their sizes do not matter.
type Histogram struct {
	Title string
	// X says what the values are.
	X string
	// Bins is about how many bins there are, 4 at least and 1,000 at most; 0 is 20.
	Bins    int
	Samples []Sample
}

// A Sample of a Histogram.
type Sample struct {
	Name   string
	Values []float64
}

// bins are intervals of equal width, a value at the end of one being in the next, but for
// the last.
type bins struct {
	first, step float64
	n           int
}

// maxBins is more than anybody can tell apart.
const maxBins = 1000

func (h *Histogram) bins() (bins, error) {
	if h.Bins < 0 || h.Bins > maxBins {
		return bins{}, fmt.Errorf("%d bins: %d are the most", h.Bins, maxBins)
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range h.Samples {
		if err := finite("a value of "+s.Name, s.Values...); err != nil {
			return bins{}, err
		}
		for _, v := range s.Values {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return bins{}, errEmpty
	}
	if largest := max(math.Abs(low), math.Abs(high)); high/2-low/2 <= 1e-9*largest || high-low < 1e-300 { // equal, or as good as
		room := max(.5, largest/10)
		return bins{max(low-room, -math.MaxFloat64), 2 * room, 1}, nil
	}
	n := max(h.Bins, 4) // fewer would overflow for the largest numbers
	if h.Bins == 0 {
		n = 20
	}
	step := scale{low: low, high: high}.step(n)
	first := max(math.Floor(low/step+1e-9)*step, -math.MaxFloat64)
	return bins{first, step, max(1, int(math.Ceil((high/2-first/2)/step*2-1e-9)))}, nil
}

// edge is where bin i begins.
func (b bins) edge(i int) float64 { return min(b.first+float64(i)*b.step, math.MaxFloat64) }

func (b bins) count(values []float64) []int {
	out := make([]int, b.n)
	for _, v := range values {
		i := int(math.Floor((v/2-b.first/2)/b.step*2 + 1e-9))
		out[max(0, min(i, b.n-1))]++
	}
	return out
}

func (h *Histogram) figure() (figureView, error) {
	const (
		left, right, top, bottom = 70.0, 632.0, 8.0, 326.0
		height                   = bottom + 44
	)
	b, err := h.bins()
	if err != nil {
		return figureView{}, err
	}
	f := figureView{}
	most := 0.0
	shares := make([][]float64, len(h.Samples))
	for k, s := range h.Samples {
		for _, n := range b.count(s.Values) {
			share := 100 * float64(n) / float64(max(1, len(s.Values)))
			shares[k] = append(shares[k], share)
			most = max(most, share)
		}
	}
	sx := scale{low: b.edge(0), high: b.edge(b.n), from: left, to: right}
	sy := scale{high: most * 1.05, from: bottom, to: top}
	d := drawing{Width: "640", Height: px(height)}
	d.axis(sx, bottom, top, h.X)
	d.up(sy, left, right, "values, %")
	f.Description = fmt.Sprintf("Histogram of %s in %d bins, in per cent of the values.", h.X, b.n)
	for k, s := range h.Samples {
		before := bottom
		for i, share := range shares[k] {
			x1, x2, y := sx.at(b.edge(i)), sx.at(b.edge(i+1)), sy.at(share)
			if k == 0 {
				d.Boxes = append(d.Boxes, newBox(x1, bottom, x2, y))
				continue
			}
			d.Lines = append(d.Lines, newLine("step "+dash(k-1), x1, before, x1, y), newLine("step "+dash(k-1), x1, y, x2, y))
			before = y
		}
		how := "bars"
		if k > 0 {
			d.Lines = append(d.Lines, newLine("step "+dash(k-1), right, before, right, bottom))
			how = [dashes]string{"line", "dashed line", "dotted line", "line of dashes and dots"}[(k-1)%dashes]
		}
		at := slices.Index(shares[k], slices.Max(shares[k]))
		f.Key = append(f.Key, clean(fmt.Sprintf("%s: %s", how, s.Name)))
		f.Description += fmt.Sprintf(" %s: %d values, most of them from %s to %s.", s.Name, len(s.Values), number(b.edge(at)), number(b.edge(at+1)))
	}
	f.Description = clean(f.Description)
	f.Drawing = d
	return f, nil
}

func (h *Histogram) numbers() Table {
	t := Table{Header: []string{h.X + " from", "to"}}
	b, err := h.bins()
	if err != nil {
		return t // figure has said so
	}
	var counts [][]int
	for _, s := range h.Samples {
		t.Header = append(t.Header, s.Name)
		counts = append(counts, b.count(s.Values))
	}
	for i := range b.n {
		row := []string{number(b.edge(i)), number(b.edge(i + 1))}
		for k := range counts {
			row = append(row, fmt.Sprint(counts[k][i]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
