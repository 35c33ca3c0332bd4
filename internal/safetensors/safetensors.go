// Package safetensors reads the weights of models from safetensors files: eight bytes
// with the length of a header in little-endian order, the header in JSON, which tells
// each tensor's type, shape and place, and the numbers.
package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"
)

// maxHeader bounds the header, as the format's own library does.
const maxHeader = 100 << 20

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
		data, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("%s: no model.safetensors in it, and no model.safetensors.index.json", dir)
		}
		if err != nil {
			return nil, err
		}
		var index struct {
			Map map[string]string `json:"weight_map"`
		}
		if err := json.Unmarshal(data, &index); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = nil
		for name, file := range index.Map {
			if file != filepath.Base(file) || strings.ContainsAny(file, `/\`) || file == "." || file == ".." {
				return nil, fmt.Errorf("%s: weight_map.%s: %q is not a file's name", path, name, file)
			}
			if p := filepath.Join(dir, file); !slices.Contains(files, p) {
				files = append(files, p)
			}
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: weight_map: names no file", path)
		}
		slices.Sort(files)
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
	var header map[string]json.RawMessage
	if err := json.Unmarshal(data[8:8+n], &header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	body := data[8+n:]
	var out []Tensor
	for name, raw := range header {
		if name == "__metadata__" {
			continue
		}
		var h struct {
			DType   string   `json:"dtype"`
			Shape   []uint64 `json:"shape"`
			Offsets []uint64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &h); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		w := width(h.DType)
		if w == 0 {
			return nil, fmt.Errorf("tensor %s: dtype %q is not known", name, h.DType)
		}
		if len(h.Offsets) != 2 || h.Offsets[0] > h.Offsets[1] || h.Offsets[1] > uint64(len(body)) {
			return nil, fmt.Errorf("tensor %s: data_offsets %v are not two places in the %d bytes of data", name, h.Offsets, len(body))
		}
		size := uint64(w)
		shape := make([]int, len(h.Shape))
		for i, d := range h.Shape {
			if d > math.MaxInt32 || d > 0 && size > math.MaxInt64/d {
				return nil, fmt.Errorf("tensor %s: shape %v is too large", name, h.Shape)
			}
			size *= d
			shape[i] = int(d)
		}
		if size != h.Offsets[1]-h.Offsets[0] {
			return nil, fmt.Errorf("tensor %s: shape %v of %s takes %d bytes, data_offsets give %d", name, h.Shape, h.DType, size, h.Offsets[1]-h.Offsets[0])
		}
		out = append(out, Tensor{name, h.DType, shape, body[h.Offsets[0]:h.Offsets[1]:h.Offsets[1]]})
	}
	slices.SortFunc(out, func(a, b Tensor) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
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
