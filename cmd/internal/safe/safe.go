// Package safe writes results as text: tables for a terminal, TSV, LaTeX, JSON. Names of
// systems, metrics and files come from others, who may put into them what moves a terminal's
// cursor, turns its text around, or begins a new line or column. All that is written as text
// passes through this package, and forges nothing.
package safe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/mteval/mteval/internal/escape"
)

// Visible writes control characters and the like as JSON does; all else stays.
func Visible(s string) string { return escape.Visible(s) }

// Cell is Visible with the backslash as \\, so that no two names become one.
func Cell(s string) string { return escape.Cell(s) }

// Grid writes rows of cells in columns, two spaces apart, the first column to the
// left and the others to the right.
func Grid(w *strings.Builder, rows [][]string) { GridWithin(w, rows, 0) }

// GridWithin is Grid on lines of so many characters, 0 for any number: columns for which there is
// no room go below, behind the first column again.
func GridWithin(w *strings.Builder, rows [][]string, width int) {
	const between = "  "
	var widths []int
	cell := Cells(rows)
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(cell(c)))
		}
	}
	for from := 1; ; {
		to := from
		for used := 0; to < len(widths); to++ {
			if used += len(between) + widths[to]; to > from && width > 0 && widths[0]+used > width {
				break
			}
		}
		for _, r := range rows {
			var line strings.Builder
			for i, c := range r {
				if i > 0 && i < from || i >= to {
					continue
				}
				c = cell(c)
				pad := strings.Repeat(" ", widths[i]-uniseg.StringWidth(c))
				if i == 0 {
					line.WriteString(c + pad)
				} else {
					line.WriteString(between + pad + c)
				}
			}
			w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		}
		if from = to; from >= len(widths) {
			return
		}
		w.WriteByte('\n')
	}
}

// TSV writes a line of cells.
func TSV(b *strings.Builder, cells []string) {
	for i, c := range cells {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(Cell(c))
	}
	b.WriteByte('\n')
}

// LaTeX writes rows as a table of package booktabs.
func LaTeX(b *strings.Builder, rows [][]string) {
	fmt.Fprintf(b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", len(rows[0])-1))
	cell := Cells(rows)
	for i, r := range rows {
		cells := make([]string, len(r))
		for j, c := range r {
			cells[j] = forLaTeX.Replace(cell(c))
		}
		// After the end of a row these would be its arguments.
		if strings.HasPrefix(cells[0], "[") || strings.HasPrefix(cells[0], "*") {
			cells[0] = "{}" + cells[0]
		}
		b.WriteString(strings.Join(cells, " & ") + ` \\` + "\n")
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// forLaTeX writes characters that LaTeX obeys, and those of which its oldest fonts make others:
// < is ¡ there, -- a dash.
var forLaTeX = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "`", `\textasciigrave{}`,
	"<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, "--", `-{}-{}`, "±", `$\pm$`, "−", `$-$`)

// JSON writes a value on one line.
func JSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	// The encoder leaves some of these characters as they are. They stand in strings,
	// where the escape is the same character.
	_, err := io.WriteString(w, Visible(strings.TrimSuffix(b.String(), "\n"))+"\n")
	return err
}
