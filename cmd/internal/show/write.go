package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/mteval/mteval/internal/escape"
)

// text is what a terminal shows.
func (r *Result) text(width int) string {
	var blocks []string
	if len(r.Head) > 0 {
		blocks = append(blocks, lines(r.Head, ""))
	}
	for _, p := range r.Parts {
		for _, t := range p.Tables {
			if !t.is(OnTerminal) || len(t.Columns) == 0 {
				continue
			}
			var b strings.Builder
			if t.Title != "" {
				b.WriteString(escape.Visible(t.Title) + "\n")
			}
			header, rows, foot := t.grid()
			t.once(rows)
			grid(&b, stacked(header), append(rows, foot...), width)
			blocks = append(blocks, b.String())
		}
		if text := slices.Concat(p.Text, p.Lines); len(text) > 0 {
			blocks = append(blocks, lines(text, ""))
		}
	}
	if len(r.Signatures) > 0 {
		blocks = append(blocks, lines(r.signed(), ""))
	}
	return strings.Join(blocks, "\n")
}

// lines writes lines that may be broken already.
func lines(all []string, before string) string {
	var b strings.Builder
	for _, text := range all {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString(before + escape.Visible(line) + "\n")
		}
	}
	return b.String()
}

// signed are the signatures, a line each.
func (r *Result) signed() []string {
	var out []string
	for _, s := range r.Signatures {
		if s.Name == "" {
			out = append(out, s.Text)
		} else {
			out = append(out, s.Name+": "+s.Text)
		}
	}
	return out
}

// once leaves out what the row above has, in the columns that ask for it.
func (t *Table) once(rows [][]string) {
	for k, at := range t.shown() {
		for i := len(rows) - 1; t.Columns[at].Once && i > 0; i-- {
			if rows[i][k] == rows[i-1][k] {
				rows[i][k] = ""
			}
		}
	}
}

// stacked are titles of several lines as rows of a header.
func stacked(header []string) [][]string {
	most := 0
	for _, h := range header {
		most = max(most, strings.Count(h, "\n"))
	}
	out := make([][]string, most+1)
	for _, h := range header {
		parts := strings.Split(h, "\n")
		for i := range out {
			text := ""
			if k := i - (len(out) - len(parts)); k >= 0 {
				text = parts[k]
			}
			out[i] = append(out[i], text)
		}
	}
	return out
}

// between is what stands between the columns of a grid.
const between = "  "

// grid writes rows of cells in columns, two spaces apart, the first column to the left and the
// others to the right. What is wider than the terminal goes below, behind the first column again.
func grid(b *strings.Builder, header, rows [][]string, width int) {
	all := append(header, rows...)
	cell := cellOf(all)
	widths := make([]int, len(all[0]))
	for _, r := range all {
		for i, c := range r {
			widths[i] = max(widths[i], uniseg.StringWidth(cell(c)))
		}
	}
	for from := 1; ; {
		to, used := from, widths[0]
		for to < len(widths) && (to == from || width <= 0 || used+len(between)+widths[to] <= width) {
			used += len(between) + widths[to]
			to++
		}
		for _, r := range all {
			line := cell(r[0]) + strings.Repeat(" ", widths[0]-uniseg.StringWidth(cell(r[0])))
			for i := from; i < to; i++ {
				line += between + strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell(r[i]))) + cell(r[i])
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		if from = to; from >= len(widths) {
			return
		}
		b.WriteByte('\n')
	}
}

// tsv has the tables one after another, with an empty line between.
func (r *Result) tsv() string {
	var blocks []string
	for _, t := range r.joined(InTSV) {
		var b strings.Builder
		var cells []string
		for _, f := range t.fields(nil) {
			cells = append(cells, f.key)
		}
		tsvLine(&b, cells)
		for _, row := range t.rows {
			cells = cells[:0]
			for _, f := range t.fields(row) {
				cells = append(cells, f.at.program(f.value))
			}
			tsvLine(&b, cells)
		}
		blocks = append(blocks, b.String())
	}
	return strings.Join(blocks, "\n")
}

func tsvLine(b *strings.Builder, cells []string) {
	for i, c := range cells {
		if i > 0 {
			b.WriteByte('\t')
		}
		b.WriteString(escape.Cell(c))
	}
	b.WriteByte('\n')
}

// latex has tables of package booktabs, and what is said of them as comments.
func (r *Result) latex() string {
	var b strings.Builder
	b.WriteString(lines(r.Head, "% "))
	for _, p := range r.Parts {
		for _, t := range p.Tables {
			if t.is(OnPaper) && len(t.Columns) > 0 {
				t.latex(&b)
			}
		}
		b.WriteString(lines(p.Text, "% "))
	}
	b.WriteString(lines(r.signed(), "% "))
	return b.String()
}

func (t *Table) latex(b *strings.Builder) {
	if t.Title != "" {
		fmt.Fprintf(b, "%% %s\n", escape.Visible(t.Title))
	}
	header, rows, foot := t.grid()
	all := append([][]string{header}, append(rows, foot...)...)
	cell := cellOf(all)
	fmt.Fprintf(b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", len(header)-1))
	for i, r := range all {
		cells := make([]string, len(r))
		for j, c := range r {
			cells[j] = forLaTeX.Replace(cell(oneLine(c)))
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

// oneLine is a title in one line.
func oneLine(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\n", " ")) }

// forLaTeX writes characters that LaTeX obeys, and those of which its oldest fonts make others:
// < is ¡ there, -- a dash.
var forLaTeX = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "`", `\textasciigrave{}`,
	"<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, "--", `-{}-{}`, "±", `$\pm$`, "−", `$-$`)

// markdown has the tables as GitHub, GitLab and pandoc read them.
func (r *Result) markdown() string {
	var blocks []string
	say := func(texts []string) {
		for _, text := range texts {
			blocks = append(blocks, forMarkdown.Replace(escape.Visible(oneLine(text)))+"\n")
		}
	}
	say(r.Head)
	for _, p := range r.Parts {
		for _, t := range p.Tables {
			if t.is(OnPaper) && len(t.Columns) > 0 {
				blocks = append(blocks, t.markdown())
			}
		}
		say(p.Text)
	}
	for _, s := range r.signed() {
		blocks = append(blocks, "`"+strings.ReplaceAll(escape.Visible(s), "`", "'")+"`\n")
	}
	return strings.Join(blocks, "\n")
}

func (t *Table) markdown() string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + forMarkdown.Replace(escape.Visible(t.Title)) + "**\n\n")
	}
	header, rows, foot := t.grid()
	all := append([][]string{header}, append(rows, foot...)...)
	cell := cellOf(all)
	for i, r := range all {
		for _, c := range r {
			b.WriteString("| " + forMarkdown.Replace(cell(oneLine(c))) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString("|:---" + strings.Repeat("|---:", len(header)-1) + "|\n")
		}
	}
	return b.String()
}

// forMarkdown writes characters that Markdown obeys.
var forMarkdown = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "#", `\#`, "[", `\[`, "]", `\]`, "~", `\~`, "&", "&amp;")

// json is one object on one line. Tables are arrays of objects with their keys.
func (r *Result) json(w io.Writer) error {
	var b bytes.Buffer
	o := object{b: &b}
	o.open()
	o.add("schema", Schema)
	o.add("command", r.Command)
	if r.Answer != "" {
		o.add("answer", r.Answer)
	}
	for _, row := range r.Facts.rows {
		o.key("facts")
		r.Facts.json(&b, row)
	}
	for _, t := range r.joined(InJSON) {
		o.key(t.Key)
		b.WriteByte('[')
		for i, row := range t.rows {
			if i > 0 {
				b.WriteByte(',')
			}
			t.json(&b, row)
		}
		b.WriteByte(']')
	}
	o.key("signatures")
	b.WriteByte('[')
	for i, s := range r.Signatures {
		if i > 0 {
			b.WriteByte(',')
		}
		of := object{b: &b}
		of.open()
		of.add("name", s.Name)
		of.add("signature", s.Text)
		of.close()
	}
	b.WriteByte(']')
	o.add("notes", append([]string{}, r.Notes...))
	o.add("warnings", append([]string{}, r.Warnings...))
	o.close()
	return line(w, b.Bytes())
}

// json writes a row as an object.
func (t *Table) json(b *bytes.Buffer, row []any) {
	o := object{b: b}
	o.open()
	for _, f := range t.fields(row) {
		o.add(f.key, f.value)
	}
	o.close()
}

// Line writes a value as JSON on one line.
func Line(w io.Writer, v any) error {
	data, err := marshal(v)
	if err != nil {
		return err
	}
	return line(w, data)
}

// line writes JSON on one line. The encoder leaves some characters as they are that are not
// visible. They stand in strings, where the escape is the same character.
func line(w io.Writer, data []byte) error {
	_, err := io.WriteString(w, escape.Visible(string(data))+"\n")
	return err
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// An object of JSON, key by key: their order is that of the columns.
type object struct {
	b    *bytes.Buffer
	some bool
}

func (o *object) open()  { o.b.WriteByte('{') }
func (o *object) close() { o.b.WriteByte('}') }

func (o *object) key(key string) {
	if o.some {
		o.b.WriteByte(',')
	}
	o.some = true
	fmt.Fprintf(o.b, "%q:", key)
}

// add adds a value of a table, of which NaN and the infinities are none.
func (o *object) add(key string, v any) {
	o.key(key)
	if x, ok := v.(float64); ok {
		if x-x != 0 {
			v = nil
		} else {
			v = x + 0
		}
	}
	data, err := marshal(v)
	if err != nil {
		panic(err) // of a type that values are not
	}
	o.b.Write(data)
}
