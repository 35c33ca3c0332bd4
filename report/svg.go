package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/mteval/mteval/internal/contract"
)

var (
	//go:embed lines.svg
	linesSVG string

	svgTemplate = template.Must(template.Must(pageTemplate.Clone()).New("svg").Parse(linesSVG))
)

// image is what it is drawn for: a page of Markdown has about that width.
var image = frame{"image", 720, 380}

const border = 12 // around it

// WriteSVG writes the plot as an SVG image that needs nothing else, with colours for light and
// for dark screens, such as a page of Markdown shows. It is an error for a number to be NaN or
// infinite, for there to be no point, and for an axis to have no length; nothing is
// written then.
func (l *Lines) WriteSVG(w io.Writer) error {
	if err := l.check(); err != nil {
		return fmt.Errorf("report: %q: %w", l.Title, err)
	}
	if contract.Nil(w) {
		return fmt.Errorf("report: %w", contract.ErrNoWriter)
	}
	v := struct {
		Title, Description string
		Width, Height      string
		Drawing            drawing
	}{Title: clean(l.Title), Description: clean(l.description()), Drawing: l.draw(image)}
	v.Width, v.Height = px(v.Drawing.wide+2*border), px(v.Drawing.high+2*border)
	var b bytes.Buffer
	if err := svgTemplate.Execute(&b, v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
