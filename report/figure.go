package report

import (
	_ "embed"
	"fmt"
)

//go:embed figure.html
var figureHTML string

// A figureView is the drawings of a plot, of which one is shown, and the numbers in them.
type figureView struct {
	ID, Title, Description string
	Drawings               []drawing
	Numbers                tableView
}

// A plot is what a figure is drawn of.
type plot interface {
	// check says why it can't be drawn. The others are called if it can.
	check() error
	draw(f frame) drawing
	description() string
	numbers() Table
}

func newFigure(id, title string, p plot) (figureView, error) {
	if err := p.check(); err != nil {
		return figureView{}, fmt.Errorf("%q: %w", title, err)
	}
	v := figureView{ID: id, Title: clean(title), Description: clean(p.description())}
	for _, f := range frames {
		v.Drawings = append(v.Drawings, p.draw(f))
	}
	numbers := p.numbers()
	numbers.Caption = "The numbers: " + title
	var err error
	if v.Numbers, err = numbers.view(id + "-numbers"); err != nil {
		return figureView{}, fmt.Errorf("%q: %w", title, err)
	}
	return v, nil
}

// figures are the plots of all kinds.
func (s *Section) figures(id string) (out []figureView, err error) {
	// The first error stands, and the others are not drawn.
	add := func(title string, p plot) {
		if err != nil {
			return
		}
		var f figureView
		f, err = newFigure(fmt.Sprintf("%s-figure%d", id, len(out)+1), title, p)
		out = append(out, f)
	}
	for _, b := range s.Bars {
		add(b.Title, &b)
	}
	for _, c := range s.Scatters {
		add(c.Title, &c)
	}
	for _, l := range s.Lines {
		add(l.Title, &l)
	}
	for _, h := range s.Histograms {
		add(h.Title, &h)
	}
	return out, err
}
