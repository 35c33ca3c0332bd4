package stream

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/nearest"
)

// A Format is one of lines.
type Format string

// The formats.
const (
	TSV       Format = "tsv"   // columns with tabs between
	JSONLines Format = "jsonl" // a JSON object a line
)

// Layout says where a line has its texts.
type Layout struct {
	// Format of the lines. With "" it is told by the first character that is neither white space nor a
	// line end: JSONLines if that is {, or else TSV. With NoHeader it is TSV.
	Format Format
	// NoHeader says that the first line of a table is one of texts. Columns are numbers from 1
	// then, and otherwise names.
	NoHeader bool
	// Hypothesis is the column or field of hypotheses.
	Hypothesis string
	// References are those of references, several for several of each; none: there are none, and ""
	// is an error. A field may also be an array of texts.
	References []string
	// Source is that of sources, "": there are none.
	Source string
	// ID is that of what lines are called in errors, "": they have their number only.
	ID string
	// SkipEmptyRefs takes a reference that is blank, missing or null for a missing one where the
	// segment has another, as files.CorpusOptions does.
	SkipEmptyRefs bool
}

// texts are those of a line.
type texts struct {
	hyp, src string
	refs     []string
	id       string
}

// A layout reads a line, and writes it with scores.
type layout interface {
	// read reads a line without its end. With an error texts may have an ID.
	read(line string, t *texts) error
	// place is an error if there is none for another column or field.
	place(line string) error
	// write appends a line with scores, nil: with nulls.
	write(dst []byte, line string, scores []float64) []byte
}

// newLayout is the layout of lines.
func (x *run) newLayout(f Format) layout {
	if f == JSONLines {
		return newObjects(x.o.Layout, x.names(), x.o.Decimals)
	}
	t := &table{Layout: x.o.Layout, metrics: x.names(), decimals: x.o.Decimals}
	if t.decimals < 0 {
		t.decimals = 6
	}
	return t
}

// references leaves out those that are missing.
func (l *Layout) references(t *texts) error {
	if l.SkipEmptyRefs {
		t.refs = lines.SkipBlank(t.refs)
	}
	if len(l.References) > 0 && len(t.refs) == 0 {
		return mteval.ErrNoReference
	}
	return nil
}

// A table is lines with tabs.
type table struct {
	Layout
	metrics      []string
	decimals     int
	columns      int
	hyp, src, id int // −1: none
	refs         []int
}

// start looks at the first line, and returns what is to be written in its place, and false where it
// is a line of texts like others.
func (t *table) start(line string) (string, bool, error) {
	body, end := cutCR(line)
	if !t.NoHeader { // else it is a line like others
		if strings.TrimSpace(line) == "" {
			return "", false, errors.New("the line is blank, where a table has its header")
		}
		if err := lines.Valid(line); err != nil {
			return "", false, err
		}
	}
	cells := strings.Split(body, "\t")
	t.columns = len(cells)
	find := func(name string) (int, error) {
		if name == "" {
			return -1, nil
		}
		if t.NoHeader {
			n, err := strconv.Atoi(name)
			if err != nil || n < 1 {
				return 0, fmt.Errorf("column %q: without a header columns are numbers from 1", name)
			}
			if n > len(cells) {
				return 0, fmt.Errorf("there is no column %d: the line has %d", n, len(cells))
			}
			return n - 1, nil
		}
		i := slices.Index(cells, name)
		if i < 0 {
			return 0, fmt.Errorf("the header has no column %q%s: it has %s", name, nearest.DidYouMean(name, "", cells), names.Few(cells))
		}
		if slices.Contains(cells[i+1:], name) {
			return 0, fmt.Errorf("the header has two columns %q", name)
		}
		return i, nil
	}
	var err error
	for _, c := range []struct {
		at   *int
		name string
	}{{&t.hyp, t.Hypothesis}, {&t.src, t.Source}, {&t.id, t.ID}} {
		if *c.at, err = find(c.name); err != nil {
			return "", false, err
		}
	}
	for _, name := range t.References {
		i, err := find(name)
		if err != nil {
			return "", false, err
		}
		t.refs = append(t.refs, i)
	}
	if t.NoHeader {
		return "", false, nil
	}
	for _, m := range t.metrics {
		if slices.Contains(cells, m) {
			return "", false, fmt.Errorf("the header has a column %s already: rename it, or leave it out", m)
		}
	}
	return body + "\t" + strings.Join(t.metrics, "\t") + end, true, nil
}

// cutCR parts a line from the CR at its end, if there is one.
func cutCR(line string) (body, end string) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1], line[n-1:]
	}
	return line, ""
}

func (t *table) place(line string) error {
	if n := strings.Count(line, "\t") + 1; n != t.columns {
		if line == "" || line == "\r" {
			return fmt.Errorf("the line is empty, where others have %d columns", t.columns)
		}
		return fmt.Errorf("%d columns, where the first line has %d", n, t.columns)
	}
	return nil
}

func (t *table) read(line string, out *texts) error {
	line, _ = cutCR(line)
	// Cells are taken as they come, without a slice of them.
	if cap(out.refs) < len(t.refs) {
		out.refs = make([]string, len(t.refs))
	}
	out.refs = out.refs[:len(t.refs)]
	for i := 0; ; i++ {
		cell, rest, more := strings.Cut(line, "\t")
		if i == t.hyp {
			out.hyp = cell
		}
		if i == t.src {
			out.src = cell
		}
		if i == t.id {
			out.id = cell
		}
		for k, at := range t.refs {
			if at == i {
				out.refs[k] = cell
			}
		}
		if !more {
			break
		}
		line = rest
	}
	return t.references(out)
}

func (t *table) write(dst []byte, line string, scores []float64) []byte {
	body, end := cutCR(line)
	dst = append(dst, body...)
	for i := range t.metrics {
		dst = append(dst, '\t')
		if scores != nil {
			dst = appendNumber(dst, scores[i], t.decimals)
		}
	}
	return append(dst, end...)
}

// appendNumber appends a score.
func appendNumber(dst []byte, x float64, decimals int) []byte {
	return strconv.AppendFloat(dst, x+0, 'f', decimals, 64) // no -0
}
