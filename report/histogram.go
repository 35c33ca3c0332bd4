package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Histogram shows how often values of each size are found in samples: the first as
// bars, the others as lines over them, all as shares, so that their sizes do not matter. Names
// stand where a sample is higher than others, or else below.
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
	if (scale{low: low, high: high}).flat() {
		room := max(.5, max(math.Abs(low), math.Abs(high))/10)
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

func (h *Histogram) check() error {
	_, err := h.bins()
	return err
}

// shares are how many values of each sample are in each bin, in percent, and the largest of all
// samples in each.
func (h *Histogram) shares(b bins) (shares [][]float64, top []float64) {
	top = make([]float64, b.n)
	for _, s := range h.Samples {
		own := make([]float64, b.n)
		for i, n := range b.count(s.Values) {
			own[i] = 100 * float64(n) / float64(max(1, len(s.Values)))
			top[i] = max(top[i], own[i])
		}
		shares = append(shares, own)
	}
	return shares, top
}

// sampleStyle is how the k-th sample is drawn: the first has bars.
func sampleStyle(k int) style {
	s := series(k)
	if k > 0 {
		s.dash = series(k - 1).dash
	}
	return s
}

func (h *Histogram) draw(f frame) drawing {
	var d drawing
	b, _ := h.bins() // checked
	shares, top := h.shares(b)
	const room = 1.12 // for names above the highest
	p := d.newPlane(f, scale{low: b.edge(0), high: b.edge(b.n)}, scale{high: slices.Max(top) * room}, h.X, "values, %", 4)
	for k := range h.Samples {
		s := sampleStyle(k)
		outline := []place{{p.left, p.bottom}}
		for i, share := range shares[k] {
			x1, x2, y := p.x.at(b.edge(i)), p.x.at(b.edge(i+1)), p.y.at(share)
			if k == 0 {
				d.Boxes = append(d.Boxes, newBox("bar "+s.class, x1, p.bottom, x2, y))
			}
			outline = append(outline, place{x1, y}, place{x2, y})
		}
		if k > 0 {
			d.Over = append(d.Over, path{s.line(), joined(append(outline, place{p.right, p.bottom})...)})
		}
	}
	names := sampleNames{drawing: &d, plane: p, bins: b, shares: shares, top: top}
	for k, s := range h.Samples {
		switch {
		case names.beside(k, s.Name):
		case k == 0:
			from, to := d.below(sampleStyle(k).class, s.Name)
			d.Boxes = append(d.Boxes, newBox("bar "+sampleStyle(k).class, from.x, from.y-5, to.x, to.y+5))
		default:
			d.sample(sampleStyle(k), s.Name, false)
		}
	}
	return d
}

// sampleNames puts names into a drawing.
type sampleNames struct {
	*drawing
	plane
	bins
	shares [][]float64
	top    []float64
	taken  []rectangle
}

// beside puts a sample's name above where it is the highest of all, by most, if there is room.
func (n *sampleNames) beside(k int, name string) bool {
	type peak struct {
		bin int
		by  float64
	}
	var peaks []peak
	for i, share := range n.shares[k] {
		second := 0.0
		for other := range n.shares {
			if other != k {
				second = max(second, n.shares[other][i])
			}
		}
		if share > second {
			peaks = append(peaks, peak{i, share - second})
		}
	}
	slices.SortStableFunc(peaks, func(a, b peak) int { return cmp.Compare(b.by, a.by) })
	text := shorten(clean(name), .6*(n.right-n.left))
	const tries = 20
	for _, above := range []float64{6, 22, 38} {
		for _, at := range peaks[:min(tries, len(peaks))] {
			left, right := n.x.at(n.edge(at.bin)), n.x.at(n.edge(at.bin+1))
			x, y := (left+right)/2, n.y.at(n.shares[k][at.bin])
			if n.put(k, text, name, x, y-above, "middle") {
				if above > 6 {
					n.Under = append(n.Under, path{"leader " + sampleStyle(k).class, joined(place{x, y}, place{x, y - above + 3})})
				}
				return true
			}
			if above == 6 && (n.put(k, text, name, right+6, y+8, "start") || n.put(k, text, name, left-6, y+8, "end")) {
				return true
			}
		}
	}
	return false
}

// put puts a name where there is room for it.
func (n *sampleNames) put(k int, text, name string, x, y float64, anchor string) bool {
	l, box := labelAt(x, y, anchor, text)
	if !n.free(box) {
		return false
	}
	if l.Class = sampleStyle(k).class; text != clean(name) {
		l.Whole = clean(name)
	}
	n.Texts, n.taken = append(n.Texts, l), append(n.taken, box)
	return true
}

// free is whether there is nothing in a box: no name, and all samples lie below it.
func (n *sampleNames) free(box rectangle) bool {
	if !n.holds(box) {
		return false
	}
	for _, t := range n.taken {
		if t.meets(box) {
			return false
		}
	}
	wide := (n.right - n.left) / float64(n.n)
	from, to := int((box.left-n.left)/wide), int((box.right-n.left)/wide)
	for i := from; i <= min(to, n.n-1); i++ {
		if n.y.at(n.top[i]) < box.bottom {
			return false
		}
	}
	return true
}

func (h *Histogram) description() string {
	b, _ := h.bins() // checked
	shares, _ := h.shares(b)
	out := fmt.Sprintf("Histogram of %s in %d bins, in per cent of the values.", h.X, b.n)
	for k, s := range h.Samples {
		at := slices.Index(shares[k], slices.Max(shares[k]))
		out += fmt.Sprintf(" %s: %d values, most of them from %s to %s.", s.Name, len(s.Values), number(b.edge(at)), number(b.edge(at+1)))
	}
	return out
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
