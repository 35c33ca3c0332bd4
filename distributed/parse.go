package distributed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
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
}

func newTSV(header string, c Columns) (*tsv, error) {
	names := strings.Split(header, "\t")
	t := &tsv{columns: len(names)}
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
		if fields[at] != "" {
			r.References = append(r.References, fields[at])
		}
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
	f := fieldsOf{}
	if err := json.Unmarshal([]byte(line), &f.raw); err != nil || f.raw == nil {
		return r, errors.New("the line is no JSON object")
	}
	r.ID, _ = f.name(o.names.ID, o.asked.ID != "")
	r.System, _ = f.name(o.names.System, o.asked.System != "")
	segment, ok := f.name(o.names.Segment, true)
	if ok && segment == "" {
		f.fail("no segment")
	}
	r.Segment = segment
	if texts, ok := f.texts(o.names.Hypothesis, true); ok {
		if len(texts) != 1 {
			f.fail("field %q has %d texts", o.names.Hypothesis, len(texts))
		} else {
			r.Hypothesis = texts[0]
		}
	}
	if texts, ok := f.texts(o.names.Source, o.asked.Source != ""); ok {
		if len(texts) != 1 {
			f.fail("field %q has %d texts", o.names.Source, len(texts))
		} else {
			r.Source = &texts[0]
		}
	}
	references := o.names.References
	if references == nil {
		references = []string{"references"}
		if _, ok := f.raw["reference"]; ok {
			references = []string{"reference"}
		}
	}
	for _, name := range references {
		texts, _ := f.texts(name, o.names.References != nil)
		r.References = append(r.References, texts...)
	}
	return r, f.err
}

// fieldsOf are an object's, and the first error of them.
type fieldsOf struct {
	raw map[string]json.RawMessage
	err error
}

func (f *fieldsOf) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// field returns what is there, and not null.
func (f *fieldsOf) field(name string, needed bool) (json.RawMessage, bool) {
	raw, ok := f.raw[name]
	if ok && string(raw) != "null" {
		return raw, true
	}
	if needed {
		f.fail("no field %q", name)
	}
	return nil, false
}

// name reads a text or a number.
func (f *fieldsOf) name(name string, needed bool) (string, bool) {
	raw, ok := f.field(name, needed)
	if !ok {
		return "", false
	}
	if c := raw[0]; c == '-' || c >= '0' && c <= '9' {
		return string(raw), true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		f.fail("field %q is neither a text nor a number", name)
		return "", false
	}
	return s, true
}

// texts reads a text or a list of texts.
func (f *fieldsOf) texts(name string, needed bool) ([]string, bool) {
	raw, ok := f.field(name, needed)
	if !ok {
		return nil, false
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return []string{s}, true
		}
	}
	var list []*string
	if json.Unmarshal(raw, &list) != nil || slices.Contains(list, nil) {
		f.fail("field %q is neither a text nor a list of texts", name)
		return nil, false
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = *s
	}
	return out, true
}
