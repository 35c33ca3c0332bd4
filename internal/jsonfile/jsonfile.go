// Package jsonfile decodes JSON that people may have written, with errors that say the file and
// the line.
package jsonfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// A File is one that is read, with a name for errors and what it holds. What says what it
// should be, "a file of tuned parameters".
type File struct {
	Name string
	Data []byte
	What string
	// Filled makes CheckFields refuse texts that are empty, which would be taken for fields that are
	// not there.
	Filled bool
}

// Decode decodes the file, which is one value with no fields that out has not, and returns where
// the value ends.
func (f *File) Decode(out any) (end int64, err error) {
	d := json.NewDecoder(bytes.NewReader(f.Data))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return 0, f.failed(err)
	}
	end = d.InputOffset()
	if rest := bytes.TrimSpace(f.Data[end:]); len(rest) > 0 {
		return 0, f.at(end+int64(bytes.Index(f.Data[end:], rest[:1])), errors.New("more after the end of the JSON"))
	}
	return end, nil
}

// Peek decodes what out has of the value, and passes over the rest.
func (f *File) Peek(out any) error {
	if err := json.NewDecoder(bytes.NewReader(f.Data)).Decode(out); err != nil {
		return f.failed(err)
	}
	return nil
}

// at is an error of the line of a byte.
func (f *File) at(offset int64, err error) error {
	offset = max(0, min(offset, int64(len(f.Data))))
	return fmt.Errorf("%s:%d: %w", f.Name, 1+bytes.Count(f.Data[:offset], []byte("\n")), err)
}

// failed says what an error of the decoder means.
func (f *File) failed(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF) && len(bytes.TrimSpace(f.Data)) == 0:
		return fmt.Errorf("%s: the file is empty", f.Name)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return f.at(int64(len(f.Data)), errors.New("the file is cut short"))
	case errors.As(err, &syntax):
		return f.at(syntax.Offset-1, fmt.Errorf("not JSON: %w", err))
	case errors.As(err, &kind):
		if kind.Field == "" {
			return f.at(kind.Offset, fmt.Errorf("not %s", f.What))
		}
		return f.at(kind.Offset, fmt.Errorf("field %s: a %s, which it can't be", written(kind.Field), kind.Value))
	}
	// A field that there is none of: the decoder does not tell where it stands.
	if _, field, ok := strings.Cut(err.Error(), "unknown field "); ok {
		if i := bytes.Index(f.Data, []byte(field)); i >= 0 {
			return f.at(int64(i), fmt.Errorf("field %s: there is no such field", field))
		}
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

// written is the path of a field as it stands in the file: the decoder names embedded structs,
// too.
func written(field string) string {
	path := slices.DeleteFunc(strings.Split(field, "."), func(name string) bool {
		return strings.IndexFunc(name, unicode.IsUpper) == 0
	})
	return strings.Join(path, ".")
}

// CheckFields is an error for what Decode takes in silence, in a value that ends at end: a
// field that is null, that stands twice, of which the last would count, or that is written in
// other letters than its own, and an object that lacks a field or has null for it, which would
// be zero there. Required has the fields that are wanted, by the field in which the objects are, ""
// for those of the whole.
func (f *File) CheckFields(end int64, required map[string][]string) error {
	c := fieldCheck{required: required, filled: f.Filled}
	d := json.NewDecoder(bytes.NewReader(f.Data[:end]))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = c.token(token)
		}
		if err != nil {
			return f.at(d.InputOffset()-1, err) // the last byte of the token
		}
	}
}

// CheckSame is an error for whatever else Decode takes in silence, such as a list that is longer than
// an array: at the first place where a value that ends at end says something else than what is
// encoded again.
func (f *File) CheckSame(end int64, encoded []byte) error {
	is, want := json.NewDecoder(bytes.NewReader(f.Data[:end])), json.NewDecoder(bytes.NewReader(encoded))
	is.UseNumber()
	want.UseNumber()
	key := ""
	for {
		a, err := is.Token()
		b, errB := want.Token()
		if text, ok := a.(string); ok && isKey(f.Data, is.InputOffset()) {
			key = text
		}
		switch {
		case err == nil && errB == nil && a == b:
			continue
		case errors.Is(err, io.EOF) && errors.Is(errB, io.EOF):
			return nil
		}
		return f.at(is.InputOffset()-1, fmt.Errorf("field %s: it is not as mteval writes it", key))
	}
}

// isKey says whether what ends at a byte is a key.
func isKey(data []byte, end int64) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data[end:], " \t\r\n"), []byte{':'})
}

// A fieldCheck has what is open where a token comes.
type fieldCheck struct {
	required map[string][]string
	filled   bool
	open     []*object
	isKey    bool // what comes is a key, or the end of an object
}

// An object, or an array.
type object struct {
	in     string          // the field that it stands in, itself or in an array
	key    string          // the last one
	fields map[string]bool // by name, false if it is null; nil for an array
	name   string          // what the field name says, or which one it is
	count  int             // of an array's objects so far
}

func (c *fieldCheck) token(token json.Token) error {
	if c.isKey && token != json.Delim('}') {
		return c.field(token.(string))
	}
	var err error
	switch token {
	case json.Delim('{'):
		c.push(&object{fields: make(map[string]bool)})
	case json.Delim('['):
		c.push(new(object))
	case json.Delim('}'), json.Delim(']'):
		last := len(c.open) - 1
		err = c.lacks(c.open[last])
		c.open = c.open[:last]
	case nil:
		err = c.null()
	default:
		if text, ok := token.(string); ok && c.filled && strings.TrimSpace(text) == "" && len(c.open) > 0 {
			o := c.open[len(c.open)-1]
			return fmt.Errorf("field %s: an empty text: give a value, or leave the field out", cmp.Or(o.key, o.in))
		}
		if text, ok := token.(string); ok && len(c.open) > 0 && c.open[len(c.open)-1].key == "name" {
			c.open[len(c.open)-1].name = text
		}
	}
	c.isKey = len(c.open) > 0 && c.open[len(c.open)-1].fields != nil
	return err
}

// push opens an object or an array.
func (c *fieldCheck) push(o *object) {
	if len(c.open) > 0 {
		outer := c.open[len(c.open)-1]
		o.in, o.name = outer.key, "it"
		if outer.fields == nil {
			outer.count++
			o.in, o.name = outer.in, fmt.Sprintf("number %d", outer.count)
		}
	}
	c.open = append(c.open, o)
}

// lacks says what an object that ends lacks.
func (c *fieldCheck) lacks(o *object) error {
	if o.fields == nil {
		return nil
	}
	for _, key := range c.required[o.in] {
		if !o.fields[key] {
			if o.in == "" {
				return fmt.Errorf("field %s: missing", key)
			}
			return fmt.Errorf("field %s: %s has no %s", o.in, o.name, key)
		}
	}
	return nil
}

// null is an error, but for a required field, which its object lacks then.
func (c *fieldCheck) null() error {
	if len(c.open) == 0 {
		return errors.New("null, which it can't be")
	}
	o := c.open[len(c.open)-1]
	if o.fields == nil {
		return fmt.Errorf("field %s: null, which it can't be", o.in)
	}
	if !slices.Contains(c.required[o.in], o.key) {
		return fmt.Errorf("field %s: null, which it can't be", o.key)
	}
	o.fields[o.key] = false
	return nil
}

// field opens a field of the object that is open.
func (c *fieldCheck) field(key string) error {
	o := c.open[len(c.open)-1]
	_, twice := o.fields[key]
	switch {
	case twice:
		return fmt.Errorf("field %s: it stands twice", key)
	case strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsUpper(r) }):
		return fmt.Errorf("field %q: there is no such field", key)
	}
	o.key, o.fields[key] = key, true
	c.isKey = false
	return nil
}
