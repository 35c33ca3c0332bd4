package tuned

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

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

// Load reads the file of a result, as Write makes it.
func Load(path string) (*Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads a result, as Write makes it. Errors begin with name, and the line where
// there is one.
func Read(r io.Reader, name string) (*Result, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
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
	if err := out.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}
