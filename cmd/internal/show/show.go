// Package show tells what a command found, once, and writes it in every form that users ask for:
// text for a terminal, TSV, LaTeX, Markdown, JSON, and a page of HTML.
//
// A command fills a [Result]: an answer in a sentence, tables, and what a page shows beside them.
// Values stay values until one of the writers is reached. A column has a key for programs, by
// which [Keys] knows what its numbers are, and a title for people; how a p-value, a probability
// or a missing number looks is decided here and nowhere else:
//
//   - Programs get every digit in JSON, and in TSV six decimals, or those that a column asks for.
//     What is missing or undefined is null in JSON and NA in TSV.
//   - People get the digits that mean something. What is missing is –, what is undefined is
//     "undefined".
//
// Names of systems, metrics and files come from others, who may put into them what moves a
// terminal's cursor, turns its text around, or begins a new line or column. All that is written
// passes through package escape, and forges nothing.
package show

import (
	"fmt"
	"io"
	"slices"

	"github.com/mteval/mteval/report"
)

// Schema is the version of the keys in JSON and TSV. It changes where a key changes its meaning or
// goes away, and not where one is added.
const Schema = 1

// A Format is a form of the output.
type Format string

const (
	Text     Format = "text"
	TSV      Format = "tsv"
	LaTeX    Format = "latex"
	Markdown Format = "markdown"
	JSON     Format = "json"
)

// Formats are all of them, for a flag.
func Formats() []Format { return []Format{Text, TSV, LaTeX, Markdown, JSON} }

// A Result is what a command found.
type Result struct {
	Command string
	// Title is that of the page.
	Title string
	// Answer says what was asked for, in a sentence or two.
	Answer string
	// Head are lines before the tables, such as what was compared.
	Head []string
	// Facts are the numbers and words that are of the whole: one row, which JSON has as "facts".
	Facts Table
	// Parts come one after another.
	Parts []Part
	// Signatures say how the numbers were made.
	Signatures []Signature
	// Notes and Warnings are for JSON: standard error has them already.
	Notes, Warnings []string
	// Details, Picture and Segments are the page's alone.
	Details  []string
	Picture  *report.Bars
	Segments *report.Segments
}

// A Signature says how what is called so was made. One without a name is of the whole.
type Signature struct{ Name, Text string }

// A Part is a section of a page, and in other forms the tables and the text of it.
type Part struct {
	// Title is that of the page's section.
	Title  string
	Tables []*Table
	// Text are paragraphs below the tables, a line each, for people; Lines are a terminal's alone.
	Text, Lines []string
	// Page has the pictures of the section, and text that stands on the page alone.
	Page report.Section
}

// Audience says which of the forms have a table.
type Audience uint8

const (
	OnTerminal Audience = 1 << iota // text
	OnPaper                         // LaTeX and Markdown
	OnPage                          // HTML
	InTSV
	InJSON

	ForPeople   = OnTerminal | OnPaper | OnPage
	ForPrograms = InTSV | InJSON
)

// A Table has rows of values. Tables with the same key have the same columns, and are one for
// programs.
type Table struct {
	// Key is the name of the table in JSON, in [Tables].
	Key string
	// Title is for people.
	Title string
	// For says who gets it; the zero value is everyone.
	For     Audience
	Columns []Column
	rows    [][]any
	foot    [][]any
}

// A Column is one of a table. One without a key is for people only, one without a title for
// programs only.
type Column struct {
	Key, Title string
	// Kind is that of the key, see [Keys], unless there is none.
	Kind Kind
	// Decimals of scores for people: 0 is 4, or as many as a small number needs. See [Whole].
	Decimals int
	// Exact are the decimals of TSV; 0 is 6.
	Exact int
	// Bar draws a bar in the cells of a page. Once leaves out what the row above has already, on a
	// terminal.
	Bar, Once bool

	span bool // of intervals
}

// Whole is the Decimals of numbers without any.
const Whole = -1

// Col is a column with a key, and a title for people if that is not "".
func Col(key, title string) Column {
	k := keyed(key)
	return Column{Key: key, Title: title, Kind: k.Kind, span: k.span}
}

// People is a column for people only.
func People(title string, kind Kind) Column { return Column{Title: title, Kind: kind} }

// Add adds a row: for each column a string, a bool, an int, an int64, a float64, a pointer to one
// of these, a slice of strings or of ints, an [Interval], a [Shown], or nil where there is nothing.
// NaN is a number that is undefined.
func (t *Table) Add(values ...any) {
	t.check(values)
	t.rows = append(t.rows, values)
}

// Foot adds a row below the others, for people, such as of sums.
func (t *Table) Foot(values ...any) {
	t.check(values)
	t.foot = append(t.foot, values)
}

func (t *Table) check(values []any) {
	if len(values) != len(t.Columns) {
		panic(fmt.Sprintf("show: %d values for the %d columns of table %q %q", len(values), len(t.Columns), t.Key, t.Title))
	}
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// is says whether a form has the table.
func (t *Table) is(a Audience) bool { return t.For == 0 || t.For&a != 0 }

// An Interval is of 95% unless its column says otherwise. Programs get its ends in two columns:
// low and high, behind the column's key and an underscore where that is not "low".
type Interval struct{ Low, High float64 }

// A Shown value is written in words of its own for people.
type Shown struct {
	Value any
	Text  string
}

// Write writes the result in one of the forms. Width is that of a terminal, 0 for none: a table
// that is wider is broken into parts.
func (r *Result) Write(w io.Writer, f Format, width int) error {
	var text string
	switch f {
	case JSON:
		return r.json(w)
	case TSV:
		text = r.tsv()
	case LaTeX:
		text = r.latex()
	case Markdown:
		text = r.markdown()
	case Text:
		text = r.text(width)
	default:
		return fmt.Errorf("no format %q", f)
	}
	_, err := io.WriteString(w, text)
	return err
}

// Add adds a part of tables alone.
func (r *Result) Add(tables ...*Table) { r.Parts = append(r.Parts, Part{Tables: tables}) }

// tables are those of all parts that a form has.
func (r *Result) tables(a Audience) []*Table {
	var out []*Table
	for _, p := range r.Parts {
		for _, t := range p.Tables {
			if t.is(a) && len(t.Columns) > 0 {
				out = append(out, t)
			}
		}
	}
	return out
}

// joined are the tables for programs, those with the same key as one.
func (r *Result) joined(a Audience) []*Table {
	var out []*Table
	for _, t := range r.tables(a) {
		if !slices.ContainsFunc(Tables, func(k TableKey) bool { return k.Name == t.Key }) {
			panic("show: no table " + t.Key + " in Tables")
		}
		i := slices.IndexFunc(out, func(o *Table) bool { return o.Key == t.Key })
		if i < 0 {
			whole := *t
			whole.rows = slices.Clone(t.rows)
			out = append(out, &whole)
			continue
		}
		if !slices.EqualFunc(out[i].Columns, t.Columns, func(a, b Column) bool { return a.Key == b.Key }) {
			panic("show: two tables with the key " + t.Key + " have other columns")
		}
		out[i].rows = append(out[i].rows, t.rows...)
	}
	return out
}
