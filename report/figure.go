package report

import (
	_ "embed"
	"fmt"
)

//go:embed figure.html
var figureHTML string

// A figureView is a drawing and the numbers in it.
type figureView struct {
	ID, Title, Description string
	Drawing                drawing
	// Key says what numbers in the drawing stand for.
	Key     []string
	Numbers tableView
}

// A plot is what a figure is drawn of.
type plot interface {
	figure() (figureView, error)
	numbers() Table
}

func newFigure(id, title string, p plot) (figureView, error) {
	f, err := p.figure()
	if err != nil {
		return f, fmt.Errorf("%q: %w", title, err)
	}
	f.ID, f.Title = id, clean(title)
	numbers := p.numbers()
	numbers.Caption = "The numbers: " + title
	if f.Numbers, err = numbers.view(id + "-numbers"); err != nil {
		return f, fmt.Errorf("%q: %w", title, err)
	}
	return f, nil
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
