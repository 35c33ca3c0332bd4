package tuned

import (
	"encoding/json"
	"fmt"
	"io"

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
func Open(path string) (*Result, error) { return sidefile.Load(path, Read) }

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
	// A parameter without a value would be 0.
	if err := f.CheckFields(end, map[string][]string{"parameters": {"value"}}); err != nil {
		return nil, err
	}
	if err := out.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}
