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
	data = sidefile.WithoutBOM(data)
	at := func(offset int64, err error) error {
		offset = max(0, min(offset, int64(len(data))))
		return fmt.Errorf("%s:%d: %w", name, 1+bytes.Count(data[:offset], []byte("\n")), err)
	}
	failed := func(err error) error {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		switch {
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(data)) == 0:
			return fmt.Errorf("%s: the file is empty", name)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return at(int64(len(data)), errors.New("the file is cut short"))
		case errors.As(err, &syntax):
			return at(syntax.Offset-1, fmt.Errorf("not JSON: %w", err))
		case errors.As(err, &kind):
			if kind.Field == "" {
				return at(kind.Offset, errors.New("not a file of tuned parameters"))
			}
			return at(kind.Offset, fmt.Errorf("field %s: a %s, which it can't be", kind.Field, kind.Value))
		}
		// A field that there is none of: the decoder does not tell where it stands.
		if _, field, ok := strings.Cut(err.Error(), "unknown field "); ok {
			if i := bytes.Index(data, []byte(field)); i >= 0 {
				return at(int64(i), fmt.Errorf("field %s: there is no such field", field))
			}
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	// The version first: another one may have other fields.
	var version struct {
		Version *int `json:"version"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&version); err != nil {
		return nil, failed(err)
	}
	switch {
	case version.Version == nil:
		return nil, fmt.Errorf("%s: field version: missing: not a file of tuned parameters", name)
	case *version.Version != Version:
		return nil, fmt.Errorf("%s: field version: %d, want %d", name, *version.Version, Version)
	}
	out := &Result{}
	d = json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return nil, failed(err)
	}
	end := d.InputOffset()
	if rest := bytes.TrimSpace(data[end:]); len(rest) > 0 {
		return nil, at(end+int64(bytes.Index(data[end:], rest[:1])), errors.New("more after the end of the JSON"))
	}
	if offset, err := checkFields(data[:end]); err != nil {
		return nil, at(offset, err)
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
	type object struct {
		key    string          // the last one
		fields map[string]bool // by name, false if it is null; nil for an array
		name   string          // what the field name says
	}
	var open []*object
	inParameters := func() bool {
		return len(open) == 3 && open[0].key == "parameters" && open[2].fields != nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	for isKey := false; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		offset := d.InputOffset() - 1 // the last byte of the token
		if err != nil {
			return offset, err
		}
		if isKey && token != json.Delim('}') {
			o, key := open[len(open)-1], token.(string)
			_, twice := o.fields[key]
			switch {
			case twice:
				return offset, fmt.Errorf("field %s: it stands twice", key)
			case key != strings.ToLower(key):
				return offset, fmt.Errorf("field %q: there is no such field", key)
			}
			o.key, o.fields[key] = key, true
			isKey = false
			continue
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &object{fields: make(map[string]bool)})
		case json.Delim('['):
			open = append(open, &object{})
		case json.Delim('}'), json.Delim(']'):
			if inParameters() && !open[2].fields["value"] {
				return offset, fmt.Errorf("field parameters: %s has no value", open[2].name)
			}
			open = open[:len(open)-1]
		case nil:
			if inParameters() && open[2].key == "value" {
				open[2].fields["value"] = false
			} else {
				k := len(open) - 1
				if open[k].fields == nil {
					k-- // the array's field
				}
				return offset, fmt.Errorf("field %s: null, which it can't be", open[k].key)
			}
		default:
			if text, ok := token.(string); ok && open[len(open)-1].key == "name" {
				open[len(open)-1].name = text
			}
		}
		isKey = len(open) > 0 && open[len(open)-1].fields != nil
	}
}
