package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/internal/safe"
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
				b.WriteString(safe.Visible(t.Title) + "\n")
			}
			header, rows, foot := t.grid()
			t.once(rows)
			safe.GridWithin(&b, all(header, rows, foot), width)
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

// lines writes lines of text, each behind the same words.
func lines(all []string, before string) string {
	var b strings.Builder
	for _, text := range all {
		b.WriteString(before + safe.Visible(text) + "\n")
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

// tsv has the tables one after another, with an empty line between.
func (r *Result) tsv() string {
	var blocks []string
	for _, t := range r.joined(InTSV) {
		var b strings.Builder
		var cells []string
		for _, f := range t.fields(nil) {
			cells = append(cells, f.key)
		}
		safe.TSV(&b, cells)
		for _, row := range t.rows {
			cells = cells[:0]
			for _, f := range t.fields(row) {
				cells = append(cells, f.at.program(f.value))
			}
			safe.TSV(&b, cells)
		}
		blocks = append(blocks, b.String())
	}
	return strings.Join(blocks, "\n")
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
		fmt.Fprintf(b, "%% %s\n", safe.Visible(t.Title))
	}
	safe.LaTeX(b, all(t.grid()))
}

// all are the lines of a table, its header first.
func all(header []string, rows, foot [][]string) [][]string {
	return slices.Concat([][]string{header}, rows, foot)
}

// markdown has the tables as GitHub, GitLab and pandoc read them.
func (r *Result) markdown() string {
	var blocks []string
	say := func(texts []string) {
		for _, text := range texts {
			blocks = append(blocks, forMarkdown.Replace(safe.Visible(text))+"\n")
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
		blocks = append(blocks, "`"+strings.ReplaceAll(safe.Visible(s), "`", "'")+"`\n")
	}
	return strings.Join(blocks, "\n")
}

func (t *Table) markdown() string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + forMarkdown.Replace(safe.Visible(t.Title)) + "**\n\n")
	}
	rows := all(t.grid())
	cell := safe.Cells(rows)
	for i, r := range rows {
		for _, c := range r {
			b.WriteString("| " + forMarkdown.Replace(cell(c)) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString("|:---" + strings.Repeat("|---:", len(r)-1) + "|\n")
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
	return safe.JSON(w, json.RawMessage(b.Bytes()))
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
	e := json.NewEncoder(o.b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // of a type that values are not
	}
}
