// Package tensors has the numbers of a model's weights as files hold them: views of
// mapped memory, read when they are asked for.
package tensors

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// A Tensor is numbers in rows and columns.
type Tensor struct {
	Name  string
	DType string // as Width knows it
	Shape []int

	// data are the bytes from the first number on. Without strides they are the numbers
	// in order and no more.
	data    []byte
	strides []int // in numbers; nil: in order
	repeats bool  // has more numbers than what it is a view of
}

// Width is the bytes of a number of a type, which has the name that safetensors gives it,
// or 0 for a type that is not known.
func Width(dtype string) int {
	switch dtype {
	case "C128":
		return 16
	case "F64", "I64", "U64", "C64":
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

// size is the number of numbers in a shape, false where it is too large.
func size(shape []int) (int, bool) {
	n := 1
	for _, d := range shape {
		if d < 0 || d > math.MaxInt32 || d > 0 && n > math.MaxInt/16/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// New returns the tensor whose numbers are data, in order and in little-endian bytes, which
// it shares.
func New(name, dtype string, shape []int, data []byte) (Tensor, error) {
	width := Width(dtype)
	if width == 0 {
		return Tensor{}, fmt.Errorf("dtype %.40q is not known", dtype)
	}
	n, ok := size(shape)
	if !ok {
		return Tensor{}, fmt.Errorf("shape %v is too large", shape)
	}
	if n*width != len(data) {
		return Tensor{}, fmt.Errorf("shape %v of %s takes %d bytes, and there are %d", shape, dtype, n*width, len(data))
	}
	return Tensor{Name: name, DType: dtype, Shape: shape, data: data[:len(data):len(data)]}, nil
}

// View returns the tensor whose number at i, j, … is that of data at
// offset + i*strides[0] + j*strides[1] + …, counted in numbers. It shares data.
func View(name, dtype string, shape, strides []int, offset int, data []byte) (Tensor, error) {
	width := Width(dtype)
	if width == 0 {
		return Tensor{}, fmt.Errorf("dtype %.40q is not known", dtype)
	}
	if len(strides) != len(shape) {
		return Tensor{}, fmt.Errorf("%d strides for a shape of %d", len(strides), len(shape))
	}
	n, ok := size(shape)
	if !ok {
		return Tensor{}, fmt.Errorf("shape %v is too large", shape)
	}
	t := Tensor{Name: name, DType: dtype, Shape: shape}
	there := len(data) / width
	if offset < 0 || offset > there {
		return t, fmt.Errorf("begins at number %d of %d", offset, there)
	}
	if n == 0 {
		return t, nil
	}
	last, ordered, row := offset, true, 1
	for i := len(shape) - 1; i >= 0; i-- {
		d, s := shape[i], strides[i]
		if s < 0 || d > 1 && s > (math.MaxInt-last)/(d-1) {
			return t, fmt.Errorf("strides %v of shape %v are too large", strides, shape)
		}
		if d == 1 { // then the stride says nothing
			continue
		}
		last += (d - 1) * s
		ordered = ordered && s == row
		row *= d
	}
	if last >= there {
		return t, fmt.Errorf("shape %v with strides %v reaches to number %d of %d", shape, strides, last+1, there)
	}
	if ordered {
		t.data = data[offset*width : (offset+n)*width : (offset+n)*width]
		return t, nil
	}
	t.data = data[offset*width : (last+1)*width : (last+1)*width]
	t.strides = slices.Clone(strides)
	t.repeats = n > there
	return t, nil
}

// Size is the bytes of all its numbers.
func (t Tensor) Size() int {
	n, _ := size(t.Shape)
	return n * Width(t.DType)
}

// Repeats says whether a tensor has more numbers than what it is a view of, as one that was
// expanded has. Its numbers can't be read: those of a small file could be without end.
func (t Tensor) Repeats() bool { return t.repeats }

// Bytes returns the numbers in order, in little-endian bytes. They are the file's memory
// where they stand there in order, and must not be changed.
func (t Tensor) Bytes() ([]byte, error) {
	switch {
	case t.repeats:
		return nil, fmt.Errorf("tensor %s: shape %v repeats the fewer numbers that the file holds: save it as a contiguous tensor", t.Name, t.Shape)
	case t.strides == nil:
		return t.data, nil
	}
	width := Width(t.DType)
	out := make([]byte, 0, t.Size())
	inner := len(t.Shape) - 1
	step := t.strides[inner] * width
	at := make([]int, inner) // place in all dimensions but the last
	for start := 0; ; {
		for i := range t.Shape[inner] {
			out = append(out, t.data[start+i*step:][:width]...)
		}
		k := inner - 1
		for ; k >= 0; k-- {
			at[k]++
			start += t.strides[k] * width
			if at[k] < t.Shape[k] {
				break
			}
			start -= at[k] * t.strides[k] * width
			at[k] = 0
		}
		if k < 0 {
			return out, nil
		}
	}
}

// Float32s returns the numbers, those of half precision widened and those of double
// rounded. It shares the file's memory where they stand there as they are needed, and must
// not be changed.
func (t Tensor) Float32s() ([]float32, error) {
	return t.Float32sIn(func(n int) []float32 { return make([]float32, n) })
}

// Float32sIn is Float32s that puts n numbers, where they don't stand in the file as they are
// needed, into what take returns for them.
func (t Tensor) Float32sIn(take func(n int) []float32) ([]float32, error) {
	data, err := t.floatBytes()
	if err != nil || len(data) == 0 {
		return nil, err
	}
	if out := t.inPlace(data); out != nil {
		return out, nil
	}
	out := take(len(data) / Width(t.DType))
	widenAll(out, data, t.DType)
	return out, nil
}

// floatBytes is Bytes of numbers that have a float32.
func (t Tensor) floatBytes() ([]byte, error) {
	switch t.DType {
	case "F64", "F32", "BF16", "F16":
		return t.Bytes()
	}
	return nil, fmt.Errorf("tensor %s: dtype %s is not F64, F32, F16 or BF16", t.Name, t.DType)
}

// inPlace returns data, some of the numbers, as they stand there, and nil where they can't be used so.
func (t Tensor) inPlace(data []byte) []float32 {
	if t.DType == "F32" && littleEndian && uintptr(unsafe.Pointer(&data[0]))%4 == 0 {
		return unsafe.Slice((*float32)(unsafe.Pointer(&data[0])), len(data)/4)
	}
	return nil
}

// widenAll sets out to the numbers of a type that data begins with.
func widenAll(out []float32, data []byte, dtype string) {
	switch dtype {
	case "F64":
		for i := range out {
			out[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])))
		}
	case "F32":
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	case "BF16":
		for i := range out {
			out[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:])) << 16)
		}
	case "F16":
		for i := range out {
			out[i] = widen(binary.LittleEndian.Uint16(data[2*i:]))
		}
	}
}

// littleEndian is whether numbers in memory have the order of the file's.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// widen is the value of a half-precision number (IEEE 754 binary16).
func widen(h uint16) float32 {
	sign, rest := uint32(h&0x8000)<<16, uint32(h&0x7fff)<<13
	if rest >= 0x1f<<23 { // infinite, or not a number
		return math.Float32frombits(sign | 0xff<<23 | rest)
	}
	// The exponent counts from another start, also of numbers too small for a whole fraction.
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(rest)*(1<<(127-15))))
}
