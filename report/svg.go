package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
)

var (
	//go:embed lines.svg
	linesSVG string

	svgTemplate = template.Must(template.Must(pageTemplate.Clone()).New("svg").Parse(linesSVG))
)

// hues is how many colours the image has.
const hues = 6

// WriteSVG writes the plot as an SVG image that needs nothing else, with colours for light and
// for dark screens, such as a page of Markdown shows. It is an error for a number to be NaN or
// infinite, for there to be no point, and for an axis to have no length; nothing is
// written then.
func (l *Lines) WriteSVG(w io.Writer) error {
	coloured := 0
	colour := make([]string, len(l.Lines))
	for i, line := range l.Lines {
		if !line.Main && !line.Guide {
			colour[i] = fmt.Sprintf("hue%d", coloured%hues)
			coloured++
		}
	}
	v, err := l.draw(func(i int) string { return colour[i] })
	if err != nil {
		return fmt.Errorf("report: %q: %w", l.Title, err)
	}
	v.Title = clean(l.Title)
	var b bytes.Buffer
	if err := svgTemplate.Execute(&b, v); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}
