package tuned

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mteval/mteval/internal/jsonfile"
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
	f := jsonfile.File{Name: name, Data: sidefile.WithoutBOM(data), What: "a file of tuned parameters"}
	// The version first: another one may have other fields.
	var version struct {
		Version *int `json:"version"`
	}
	if err := f.Peek(&version); err != nil {
		return nil, err
	}
	switch {
	case version.Version == nil:
		return nil, fmt.Errorf("%s: field version: missing: not %s", name, f.What)
	case *version.Version != Version:
		return nil, fmt.Errorf("%s: field version: %d, want %d", name, *version.Version, Version)
	}
	out := &Result{}
	end, err := f.Decode(out)
	if err != nil {
		return nil, err
	}
	if offset, err := checkFields(f.Data[:end]); err != nil {
		return nil, f.At(offset, err)
	}
	if err := out.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
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
