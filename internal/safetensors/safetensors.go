// Package safetensors reads the weights of models from safetensors files: eight bytes
// with the length of a header in little-endian order, the header in JSON, which tells
// each tensor's type, shape and place, and the numbers.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/tensors"
)

// Bounds on what is read. The header's is that of the format's own library; the others are
// far above any model: one of a hundred layers has some thousand tensors.
const (
	maxHeader  = 100 << 20
	maxTensors = 1 << 17
	maxEntry   = 1 << 10 // bytes of a tensor's name, and of what is said of it
)

// Parse returns the tensors of a file's bytes, which they share, in order of names. An
// error names the tensor and the field.
func Parse(data []byte) ([]tensors.Tensor, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("%d bytes are no safetensors file", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader || n > uint64(len(data)-8) {
		return nil, fmt.Errorf("header length %d: the file has %d bytes after it, and a header %d at most", n, len(data)-8, maxHeader)
	}
	body := data[8+n:]
	var places []place
	err := eachEntry(data[8:8+n], func(name string, raw json.RawMessage) error {
		if name == "__metadata__" {
			return nil
		}
		if len(raw) > maxEntry {
			return fmt.Errorf("%d bytes say what it is, and %d are the most", len(raw), maxEntry)
		}
		if len(places) == maxTensors {
			return fmt.Errorf("there are more than %d", maxTensors)
		}
		t, start, err := parseEntry(name, raw, body)
		places = append(places, place{t, start})
		return err
	})
	if err != nil {
		return nil, err
	}
	// Numbers that belong to two tensors would make much of a small file.
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.Size(), b.Size()))
	})
	for i := 1; i < len(places); i++ {
		if a, b := &places[i-1], &places[i]; b.start < a.start+uint64(a.Size()) {
			return nil, fmt.Errorf("tensor %s: data_offsets begin within tensor %s: they must not overlap", b.Name, a.Name)
		}
	}
	out := make([]tensors.Tensor, len(places))
	for i := range places {
		out[i] = places[i].Tensor
	}
	slices.SortFunc(out, func(a, b tensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// A place is a tensor and where its numbers start.
type place struct {
	tensors.Tensor
	start uint64
}

// eachEntry calls do with the entries of a header, which must have names of their own.
func eachEntry(header []byte, do func(name string, raw json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(header))
	token, err := d.Token()
	if err == nil && token != json.Delim('{') {
		err = errors.New("no JSON object")
	}
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	seen := make(map[string]bool)
	for d.More() {
		var raw json.RawMessage
		token, err := d.Token()
		if err == nil {
			err = d.Decode(&raw)
		}
		if err != nil {
			return fmt.Errorf("header: %w", err)
		}
		name := token.(string) // a key is nothing else
		if len(name) > maxEntry {
			return fmt.Errorf("header: a name of %d bytes, and %d are the most: %.40q…", len(name), maxEntry, name)
		}
		if seen[name] {
			return fmt.Errorf("tensor %s: is there twice", name)
		}
		seen[name] = true
		if err := do(name, raw); err != nil {
			return fmt.Errorf("tensor %s: %w", name, err)
		}
	}
	if _, err = d.Token(); err == nil {
		if _, err = d.Token(); err == io.EOF {
			return nil
		}
		err = cmp.Or(err, errors.New("more than one JSON value"))
	}
	return fmt.Errorf("header: %w", err)
}

// parseEntry returns what a header's entry says, and where in body the numbers start.
func parseEntry(name string, raw json.RawMessage, body []byte) (t tensors.Tensor, start uint64, err error) {
	var h struct {
		DType   string   `json:"dtype"`
		Shape   []uint64 `json:"shape"`
		Offsets []uint64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return t, 0, err
	}
	if len(h.Offsets) != 2 || h.Offsets[0] > h.Offsets[1] || h.Offsets[1] > uint64(len(body)) {
		return t, 0, fmt.Errorf("data_offsets %v are not two places in the %d bytes of data", h.Offsets, len(body))
	}
	shape := make([]int, len(h.Shape))
	for i, d := range h.Shape {
		if d > math.MaxInt32 {
			return t, 0, fmt.Errorf("shape %v is too large", h.Shape)
		}
		shape[i] = int(d)
	}
	t, err = tensors.New(name, h.DType, shape, body[h.Offsets[0]:h.Offsets[1]])
	return t, h.Offsets[0], err
}
