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
func Grid(w *strings.Builder, rows [][]string) {
	var width []int
	cell := cellOf(rows)
	for _, r := range rows {
		for i, c := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], uniseg.StringWidth(cell(c)))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			c = cell(c)
			pad := strings.Repeat(" ", width[i]-uniseg.StringWidth(c))
			if i == 0 {
				line.WriteString(c + pad)
			} else {
				line.WriteString("  " + pad + c)
			}
		}
		w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
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
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`)
	fmt.Fprintf(b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", len(rows[0])-1))
	cell := cellOf(rows)
	for i, r := range rows {
		cells := make([]string, len(r))
		for j, c := range r {
			cells[j] = escape.Replace(cell(c))
		}
		b.WriteString(strings.Join(cells, " & ") + ` \\` + "\n")
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

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
