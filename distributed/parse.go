package distributed

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mteval/mteval/internal/jsonline"
	"github.com/mteval/mteval/internal/lines"
)

// A parser makes records of lines without what ends them. It sets what it can where there is an
// error, too.
type parser interface {
	parse(line string) (Record, error)
}

func newParser(file *inputFile, c Columns) (parser, error) {
	if file.Format == TSV {
		if file.Body == 0 {
			return &tsv{}, nil // no line at all
		}
		return newTSV(file.Header, c)
	}
	return newObjects(c), nil
}

// text returns a line without what ends it, and a mark of UTF-8 at the start of a file.
func text(line []byte, at int64) (string, error) {
	line = end(line)
	if at == 0 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if !utf8.Valid(line) {
		return "", errors.New("the line is not UTF-8")
	}
	return string(line), nil
}

func parseLine(p parser, line []byte, at int64, long bool, most int) (Record, error) {
	if long {
		return Record{}, errLong(most)
	}
	s, err := text(line, at)
	if err != nil {
		return Record{}, err
	}
	if s == "" {
		return Record{}, errors.New("the line is empty")
	}
	return p.parse(s)
}

// tsv has the places of columns, −1 if there is none.
type tsv struct {
	columns                                 int
	hypothesis, source, segment, system, id int
	references                              []int
	skipEmpty                               bool
}

func newTSV(header string, c Columns) (*tsv, error) {
	if strings.Contains(header, "\r") {
		return nil, errors.New("the header has a carriage return within it: lines end with \\n, or \\r\\n")
	}
	names := strings.Split(header, "\t")
	t := &tsv{columns: len(names), skipEmpty: c.SkipEmptyRefs}
	find := func(name string) (int, error) {
		at := slices.Index(names, name)
		switch {
		case at < 0:
			return at, fmt.Errorf("the header has no column %q", name)
		case slices.Contains(names[at+1:], name):
			return at, fmt.Errorf("the header has two columns %q", name)
		}
		return at, nil
	}
	for _, column := range []struct {
		to           *int
		name, common string
		needed       bool
	}{
		{&t.hypothesis, c.Hypothesis, "hypothesis", true},
		{&t.segment, c.Segment, "segment", true},
		{&t.source, c.Source, "source", false},
		{&t.system, c.System, "system", false},
		{&t.id, c.ID, "id", false},
	} {
		name := column.name
		if name == "" {
			name = column.common
			if !column.needed && !slices.Contains(names, name) {
				*column.to = -1
				continue
			}
		}
		var err error
		if *column.to, err = find(name); err != nil {
			return nil, err
		}
	}
	references := c.References
	if references == nil {
		if at := slices.IndexFunc(names, isReference); at >= 0 {
			references = []string{names[at]}
		}
	}
	for _, name := range references {
		at, err := find(name)
		if err != nil {
			return nil, err
		}
		t.references = append(t.references, at)
	}
	return t, nil
}

func isReference(name string) bool { return name == "reference" || name == "references" }

func (t *tsv) parse(line string) (Record, error) {
	var r Record
	fields := strings.Split(line, "\t")
	if len(fields) != t.columns {
		return r, fmt.Errorf("the line has %d fields, the header %d", len(fields), t.columns)
	}
	field := func(at int) string {
		if at < 0 {
			return ""
		}
		return fields[at]
	}
	r.ID, r.System, r.Segment = field(t.id), field(t.system), field(t.segment)
	r.Hypothesis = field(t.hypothesis)
	if t.source >= 0 {
		r.Source = &fields[t.source]
	}
	for _, at := range t.references {
		r.References = append(r.References, fields[at])
	}
	if t.skipEmpty {
		r.References = lines.SkipBlank(r.References)
	}
	if r.Segment == "" {
		return r, errors.New("no segment")
	}
	return r, nil
}

// objects are JSON's.
type objects struct {
	asked, names Columns // names has the defaults
}

func newObjects(c Columns) *objects {
	o := &objects{c, c}
	for _, column := range []struct {
		to     *string
		common string
	}{
		{&o.names.Hypothesis, "hypothesis"}, {&o.names.Segment, "segment"}, {&o.names.Source, "source"},
		{&o.names.System, "system"}, {&o.names.ID, "id"},
	} {
		if *column.to == "" {
			*column.to = column.common
		}
	}
	return o
}

func (o *objects) parse(line string) (Record, error) {
	var r Record
	f, err := newFields(line)
	if err != nil {
		return r, err
	}
	r.ID, _ = f.name(o.names.ID, o.asked.ID != "")
	r.System, _ = f.name(o.names.System, o.asked.System != "")
	segment, ok := f.name(o.names.Segment, true)
	if ok && segment == "" {
		f.fail("no segment")
	}
	r.Segment = segment
	if raw, ok := f.field(o.names.Hypothesis, true); ok {
		r.Hypothesis = f.text(o.names.Hypothesis, raw)
	}
	if raw, ok := f.field(o.names.Source, o.asked.Source != ""); ok {
		source := f.text(o.names.Source, raw)
		r.Source = &source
	}
	references := o.names.References
	if references == nil {
		references = []string{"references"}
		if _, ok := f.raw["reference"]; ok {
			references = []string{"reference"}
		}
	}
	for _, name := range references {
		r.References = append(r.References, f.texts(name, o.names.References != nil, o.names.SkipEmptyRefs)...)
	}
	if o.names.SkipEmptyRefs {
		r.References = lines.SkipBlank(r.References)
	}
	return r, f.err
}

// fieldsOf are an object's, and the first error of them.
type fieldsOf struct {
	raw map[string]field
	err error
}

type field struct {
	value string
	twice bool
}

func newFields(line string) (*fieldsOf, error) {
	if jsonline.Check(line) != nil {
		return nil, errors.New("the line is no JSON object")
	}
	f := &fieldsOf{raw: map[string]field{}}
	for key, value := range jsonline.Values(line) {
		_, twice := f.raw[key]
		f.raw[key] = field{value, twice}
	}
	return f, nil
}

func (f *fieldsOf) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// field returns what is there, and not null.
func (f *fieldsOf) field(name string, needed bool) (string, bool) {
	raw, ok := f.raw[name]
	if raw.twice {
		f.fail("field %q is there twice", name)
		return "", false
	}
	if ok && raw.value != "null" {
		return raw.value, true
	}
	if needed {
		f.fail("no field %q", name)
	}
	return "", false
}

// name reads a text or a number.
func (f *fieldsOf) name(name string, needed bool) (string, bool) {
	raw, ok := f.field(name, needed)
	if !ok {
		return "", false
	}
	if c := raw[0]; c == '-' || c >= '0' && c <= '9' {
		return raw, true
	}
	if raw[0] != '"' {
		f.fail("field %q is neither a text nor a number", name)
		return "", false
	}
	return f.text(name, raw), true
}

// text reads a text.
func (f *fieldsOf) text(name, raw string) string {
	if raw[0] != '"' {
		f.fail("field %q is no text", name)
		return ""
	}
	s, lost := jsonline.Text(raw)
	if lost {
		f.fail("field %q has half a surrogate pair, which is no character", name)
	}
	return s
}

// texts reads a text or a list of texts, null among them being none where that may be.
func (f *fieldsOf) texts(name string, needed, null bool) []string {
	raw, ok := f.field(name, needed)
	if !ok {
		return nil
	}
	if raw[0] == '"' {
		return []string{f.text(name, raw)}
	}
	if raw[0] != '[' {
		f.fail("field %q is neither a text nor a list of texts", name)
		return nil
	}
	var out []string
	for _, e := range jsonline.Values(raw) {
		if null && e == "null" {
			continue
		}
		if e[0] != '"' {
			f.fail("field %q is neither a text nor a list of texts", name)
			return nil
		}
		out = append(out, f.text(name, e))
	}
	return out
}
