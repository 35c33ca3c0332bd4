// Package jsonfile decodes JSON that people may have written, with errors that say the file and
// the line.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A File is one that is read, with a name for errors and what it holds. What says what it
// should be, "a file of tuned parameters".
type File struct {
	Name string
	Data []byte
	What string
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
		return 0, f.At(end+int64(bytes.Index(f.Data[end:], rest[:1])), errors.New("more after the end of the JSON"))
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

// At is an error of the line of a byte.
func (f *File) At(offset int64, err error) error {
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
		return f.At(int64(len(f.Data)), errors.New("the file is cut short"))
	case errors.As(err, &syntax):
		return f.At(syntax.Offset-1, fmt.Errorf("not JSON: %w", err))
	case errors.As(err, &kind):
		if kind.Field == "" {
			return f.At(kind.Offset, fmt.Errorf("not %s", f.What))
		}
		return f.At(kind.Offset, fmt.Errorf("field %s: a %s, which it can't be", kind.Field, kind.Value))
	}
	// A field that there is none of: the decoder does not tell where it stands.
	if _, field, ok := strings.Cut(err.Error(), "unknown field "); ok {
		if i := bytes.Index(f.Data, []byte(field)); i >= 0 {
			return f.At(int64(i), fmt.Errorf("field %s: there is no such field", field))
		}
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}
