package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"
)

// Styles and scripts of the page. A page has those that it uses.
var (
	//go:embed style.css
	styleCSS string
	//go:embed table.css
	tableCSS string
	//go:embed matrix.css
	matrixCSS string
	//go:embed plots.css
	plotsCSS string
	//go:embed segments.css
	segmentsCSS string

	//go:embed start.js
	startJS string
	//go:embed table.js
	tableJS string
	//go:embed made.js
	madeJS string
	//go:embed segments.js
	segmentsJS string
)

// assets are what the template puts into a page: its scripts by where they stand, and what the
// content security policy says of them.
type assets struct {
	Styles template.HTML
	// Start is run before anything is shown, Tables behind the sections, and End at the end.
	Start, Tables, End template.HTML
	Hashes             []string
}

// style adds a style.
func (a *assets) style(css string) {
	a.Styles += template.HTML("<style>/*<![CDATA[*/\n" + strings.TrimSpace(css) + "\n/*]]>*/</style>\n")
}

// script adds a script to a place. It is HTML's and XML's at once, and may have any character.
func (a *assets) script(to *template.HTML, js string) {
	text := "//<![CDATA[\n" + strings.TrimSpace(js) + "\n//]]>\n"
	*to += template.HTML("<script>" + text + "</script>\n")
	sum := sha256.Sum256([]byte(text))
	a.Hashes = append(a.Hashes, "sha256-"+base64.StdEncoding.EncodeToString(sum[:]))
}

// assets are those that a page needs.
func (v *view) assets() assets {
	var a assets
	var tables, matrices bool
	figures := v.Answer.Figure != nil
	for _, s := range v.Sections {
		tables = tables || len(s.Tables) > 0
		matrices = matrices || len(s.Matrices) > 0
		figures = figures || len(s.Figures) > 0
	}
	tables = tables || figures // which have their numbers in one

	a.style(styleCSS)
	if tables || matrices {
		a.style(tableCSS)
	}
	if matrices {
		a.style(matrixCSS)
	}
	if figures {
		a.style(plotsCSS)
	}
	if v.Segments != nil {
		a.style(segmentsCSS)
	}

	if tables || v.Segments != nil || v.Made != nil {
		a.script(&a.Start, startJS)
	}
	if tables {
		a.script(&a.Tables, tableJS)
	}
	if v.Segments != nil {
		a.script(&a.End, segmentsJS)
	}
	if v.Made != nil {
		a.script(&a.End, madeJS)
	}
	return a
}
