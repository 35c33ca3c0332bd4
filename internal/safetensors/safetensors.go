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
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/mteval/mteval/internal/sidefile"
)

// Bounds on what is read. The header's is that of the format's own library; the others are
// far above any model: one of a hundred layers has some thousand tensors, and some hundred
// files.
const (
	maxHeader  = 100 << 20
	maxIndex   = 64 << 20
	maxFiles   = 4096
	maxTensors = 1 << 17
	maxEntry   = 1 << 10 // bytes of a tensor's name, and of what is said of it
)

// A Tensor is the numbers of one name.
type Tensor struct {
	Name  string
	DType string // F32, F16 or BF16; others can't be read as numbers
	Shape []int
	data  []byte
}

// A Set is the tensors of a model, from one file or several. The numbers lie in mapped
// memory where the platform can do so, until Close.
type Set struct {
	tensors map[string]Tensor
	release []func() error
	// Files are the files' paths, in order.
	Files []string
}

// OpenDir opens a model's folder: model.safetensors, or the files that
// model.safetensors.index.json names.
func OpenDir(dir string) (*Set, error) {
	files := []string{filepath.Join(dir, "model.safetensors")}
	if _, err := os.Stat(files[0]); errors.Is(err, os.ErrNotExist) {
		path := filepath.Join(dir, "model.safetensors.index.json")
		data, err := sidefile.ReadFile(path, maxIndex)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: no model.safetensors in it, and no model.safetensors.index.json", dir)
		}
		if err != nil {
			return nil, err
		}
		if files, err = parseIndex(data); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for i, name := range files {
			files[i] = filepath.Join(dir, name)
		}
	}
	s := &Set{tensors: make(map[string]Tensor), Files: files}
	for _, f := range files {
		if err := s.add(f); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// parseIndex returns the names of the files in an index, in order.
func parseIndex(data []byte) ([]string, error) {
	var index struct {
		Map map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for name, file := range index.Map {
		// Outside the folder there is nothing of the model's.
		if file != filepath.Base(file) || strings.ContainsAny(file, "/\\\x00") || file == "." || file == ".." {
			return nil, fmt.Errorf("weight_map.%.200s: %.200q is not a file's name", name, file)
		}
		seen[file] = true
	}
	switch {
	case len(seen) == 0:
		return nil, errors.New("weight_map: names no file")
	case len(seen) > maxFiles:
		return nil, fmt.Errorf("weight_map: names %d files, and %d are the most", len(seen), maxFiles)
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

func (s *Set) add(path string) error {
	data, release, err := mapFile(path)
	if err != nil {
		return err
	}
	s.release = append(s.release, release)
	tensors, err := Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range tensors {
		if _, ok := s.tensors[t.Name]; ok {
			return fmt.Errorf("%s: tensor %s is in another file too", path, t.Name)
		}
		s.tensors[t.Name] = t
	}
	if len(s.tensors) > maxTensors {
		return fmt.Errorf("%s: with its tensors there are more than %d", path, maxTensors)
	}
	return nil
}

// Close gives the memory back. Tensors, and slices of them, are not to be used after it.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.release {
		errs = append(errs, f())
	}
	s.release, s.tensors = nil, nil
	return errors.Join(errs...)
}

// Get returns the tensor of this name.
func (s *Set) Get(name string) (Tensor, bool) {
	t, ok := s.tensors[name]
	return t, ok
}

// Names returns the tensors' names in order.
func (s *Set) Names() []string {
	var out []string
	for name := range s.tensors {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// width is the bytes of a number, 0 for a type that is not known.
func width(dtype string) int {
	switch dtype {
	case "F64", "I64", "U64":
		return 8
	case "F32", "I32", "U32":
		return 4
	case "F16", "BF16", "I16", "U16":
		return 2
	case "I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2":
		return 1
	}
	return 0
}

// Parse returns the tensors of a file's bytes, which they share, in order of names. An
// error names the tensor and the field.
func Parse(data []byte) ([]Tensor, error) {
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
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(len(a.data), len(b.data)))
	})
	for i := 1; i < len(places); i++ {
		if a, b := &places[i-1], &places[i]; b.start < a.start+uint64(len(a.data)) {
			return nil, fmt.Errorf("tensor %s: data_offsets begin within tensor %s: they must not overlap", b.Name, a.Name)
		}
	}
	out := make([]Tensor, len(places))
	for i := range places {
		out[i] = places[i].Tensor
	}
	slices.SortFunc(out, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// A place is a tensor and where its numbers start.
type place struct {
	Tensor
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
func parseEntry(name string, raw json.RawMessage, body []byte) (t Tensor, start uint64, err error) {
	var h struct {
		DType   string   `json:"dtype"`
		Shape   []uint64 `json:"shape"`
		Offsets []uint64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return t, 0, err
	}
	w := width(h.DType)
	if w == 0 {
		return t, 0, fmt.Errorf("dtype %.40q is not known", h.DType)
	}
	if len(h.Offsets) != 2 || h.Offsets[0] > h.Offsets[1] || h.Offsets[1] > uint64(len(body)) {
		return t, 0, fmt.Errorf("data_offsets %v are not two places in the %d bytes of data", h.Offsets, len(body))
	}
	size := uint64(w)
	shape := make([]int, len(h.Shape))
	for i, d := range h.Shape {
		if d > math.MaxInt32 || d > 0 && size > math.MaxInt64/d {
			return t, 0, fmt.Errorf("shape %v is too large", h.Shape)
		}
		size *= d
		shape[i] = int(d)
	}
	if size != h.Offsets[1]-h.Offsets[0] {
		return t, 0, fmt.Errorf("shape %v of %s takes %d bytes, data_offsets give %d", h.Shape, h.DType, size, h.Offsets[1]-h.Offsets[0])
	}
	return Tensor{name, h.DType, shape, body[h.Offsets[0]:h.Offsets[1]:h.Offsets[1]]}, h.Offsets[0], nil
}

// Float32s returns the numbers, those of half precision widened. It shares the file's
// memory where they stand there as they are needed, and must not be changed.
func (t Tensor) Float32s() ([]float32, error) {
	switch t.DType {
	case "F32":
		n := len(t.data) / 4
		if n == 0 {
			return nil, nil
		}
		if littleEndian && uintptr(unsafe.Pointer(&t.data[0]))%4 == 0 {
			return unsafe.Slice((*float32)(unsafe.Pointer(&t.data[0])), n), nil
		}
		out := make([]float32, n)
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.data[4*i:]))
		}
		return out, nil
	case "BF16":
		out := make([]float32, len(t.data)/2)
		for i := range out {
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(t.data[2*i:])) << 16)
		}
		return out, nil
	case "F16":
		out := make([]float32, len(t.data)/2)
		for i := range out {
			out[i] = widen(binary.LittleEndian.Uint16(t.data[2*i:]))
		}
		return out, nil
	}
	return nil, fmt.Errorf("tensor %s: dtype %s is not F32, F16 or BF16", t.Name, t.DType)
}

// littleEndian is whether numbers in memory have the order of the file's.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// widen is the value of a half-precision number (IEEE 754 binary16).
func widen(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent, fraction := uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0: // zero, or below the normal numbers
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(v))
	case 0x1f: // infinite, or not a number
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
