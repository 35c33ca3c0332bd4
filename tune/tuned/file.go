package tuned

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mteval/mteval/internal/sidefile"
)

// maxFile bounds the file of a result, in bytes: each parameter takes some hundred.
const maxFile = 1 << 24

// Write writes the result as JSON.
func (r *Result) Write(w io.Writer) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("tuned: %w", err)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// Open reads the file of a result, as Write makes it.
func Open(path string) (*Result, error) {
	f, err := sidefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads a result, as Write makes it. Errors begin with name, and the line where
// there is one.
func Read(r io.Reader, name string) (*Result, error) {
	data, err := sidefile.ReadAll(r, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := file{name, sidefile.WithoutBOM(data)}
	// The version first: another one may have other fields.
	var version struct {
		Version *int `json:"version"`
	}
	if err := json.NewDecoder(bytes.NewReader(f.data)).Decode(&version); err != nil {
		return nil, f.failed(err)
	}
	switch {
	case version.Version == nil:
		return nil, fmt.Errorf("%s: field version: missing: not a file of tuned parameters", name)
	case *version.Version != Version:
		return nil, fmt.Errorf("%s: field version: %d, want %d", name, *version.Version, Version)
	}
	out := &Result{}
	d := json.NewDecoder(bytes.NewReader(f.data))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return nil, f.failed(err)
	}
	end := d.InputOffset()
	if rest := bytes.TrimSpace(f.data[end:]); len(rest) > 0 {
		return nil, f.at(end+int64(bytes.Index(f.data[end:], rest[:1])), errors.New("more after the end of the JSON"))
	}
	if offset, err := checkFields(f.data[:end]); err != nil {
		return nil, f.at(offset, err)
	}
	if err := out.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

// A file is one that is read, for errors.
type file struct {
	name string
	data []byte
}

// at is an error of the line of a byte.
func (f *file) at(offset int64, err error) error {
	offset = max(0, min(offset, int64(len(f.data))))
	return fmt.Errorf("%s:%d: %w", f.name, 1+bytes.Count(f.data[:offset], []byte("\n")), err)
}

// failed says what an error of the decoder means.
func (f *file) failed(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF) && len(bytes.TrimSpace(f.data)) == 0:
		return fmt.Errorf("%s: the file is empty", f.name)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return f.at(int64(len(f.data)), errors.New("the file is cut short"))
	case errors.As(err, &syntax):
		return f.at(syntax.Offset-1, fmt.Errorf("not JSON: %w", err))
	case errors.As(err, &kind):
		if kind.Field == "" {
			return f.at(kind.Offset, errors.New("not a file of tuned parameters"))
		}
		return f.at(kind.Offset, fmt.Errorf("field %s: a %s, which it can't be", kind.Field, kind.Value))
	}
	// A field that there is none of: the decoder does not tell where it stands.
	if _, field, ok := strings.Cut(err.Error(), "unknown field "); ok {
		if i := bytes.Index(f.data, []byte(field)); i >= 0 {
			return f.at(int64(i), fmt.Errorf("field %s: there is no such field", field))
		}
	}
	return fmt.Errorf("%s: %w", f.name, err)
}

// checkFields returns an error, and where it is, for what the decoder takes in silence: a
// field that is null, that stands twice, the last one counting, or is in capitals, and a
// parameter without a value, which would be 0.
func checkFields(data []byte) (int64, error) {
	var c fieldCheck
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		if err == nil {
			err = c.token(token)
		}
		if err != nil {
			return d.InputOffset() - 1, err // the last byte of the token
		}
	}
}

// A fieldCheck has what is open where a token comes.
type fieldCheck struct {
	open  []*object
	isKey bool // what comes is a key, or the end of an object
}

// An object, or an array.
type object struct {
	key    string          // the last one
	fields map[string]bool // by name, false if it is null; nil for an array
	name   string          // what the field name says
}

// inParameter says whether the object that is open is a parameter.
func (c *fieldCheck) inParameter() bool {
	return len(c.open) == 3 && c.open[0].key == "parameters" && c.open[2].fields != nil
}

func (c *fieldCheck) token(token json.Token) error {
	if c.isKey && token != json.Delim('}') {
		return c.field(token.(string))
	}
	switch token {
	case json.Delim('{'):
		c.open = append(c.open, &object{fields: make(map[string]bool)})
	case json.Delim('['):
		c.open = append(c.open, &object{})
	case json.Delim('}'), json.Delim(']'):
		if c.inParameter() && !c.open[2].fields["value"] {
			return fmt.Errorf("field parameters: %s has no value", c.open[2].name)
		}
		c.open = c.open[:len(c.open)-1]
	case nil:
		if c.inParameter() && c.open[2].key == "value" {
			c.open[2].fields["value"] = false
		} else {
			k := len(c.open) - 1
			if c.open[k].fields == nil {
				k-- // the array's field
			}
			return fmt.Errorf("field %s: null, which it can't be", c.open[k].key)
		}
	default:
		if text, ok := token.(string); ok && c.open[len(c.open)-1].key == "name" {
			c.open[len(c.open)-1].name = text
		}
	}
	c.isKey = len(c.open) > 0 && c.open[len(c.open)-1].fields != nil
	return nil
}

// field opens a field of the object that is open.
func (c *fieldCheck) field(key string) error {
	o := c.open[len(c.open)-1]
	_, twice := o.fields[key]
	switch {
	case twice:
		return fmt.Errorf("field %s: it stands twice", key)
	case key != strings.ToLower(key):
		return fmt.Errorf("field %q: there is no such field", key)
	}
	o.key, o.fields[key] = key, true
	c.isKey = false
	return nil
}
