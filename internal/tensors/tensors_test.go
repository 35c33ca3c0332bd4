package tensors

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// All 65536 halves: widened and narrowed by arithmetic they are the same.
func TestWiden(t *testing.T) {
	for h := range 1 << 16 {
		v := float64(widen(uint16(h)))
		sign, e, f := 1.0, h>>10&0x1f, float64(h&0x3ff)
		if h>>15 == 1 {
			sign = -1
		}
		want := sign * math.Ldexp(1+f/1024, e-15)
		switch {
		case e == 0:
			want = sign * math.Ldexp(f/1024, -14)
		case e == 31 && f == 0:
			want = math.Inf(int(sign))
		case e == 31:
			if !math.IsNaN(v) {
				t.Fatalf("%04x: %v", h, v)
			}
			continue
		}
		if v != want || math.Signbit(v) != (h>>15 == 1) {
			t.Fatalf("%04x: %v, want %v", h, v, want)
		}
	}
}

// bytesOf are the numbers 0, 1, … of a width.
func bytesOf(n, width int) []byte {
	out := make([]byte, n*width)
	for i := range n {
		binary.LittleEndian.PutUint16(out[i*width:], uint16(i))
	}
	return out
}

// A view has the number at every place that its strides lead to.
func TestView(t *testing.T) {
	widths := map[string]int{"I16": 2, "F32": 4, "I64": 8, "C128": 16}
	rapid.Check(t, func(t *rapid.T) {
		dtype := rapid.SampledFrom([]string{"I16", "F32", "I64", "C128"}).Draw(t, "dtype")
		width, n := widths[dtype], rapid.IntRange(1, 60).Draw(t, "n")
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
		strides := rapid.SliceOfN(rapid.IntRange(0, 12), len(shape), len(shape)).Draw(t, "strides")
		offset := rapid.IntRange(0, 20).Draw(t, "offset")
		// All places, the last dimension the fastest.
		places := []int{offset}
		for i, d := range shape {
			var next []int
			for _, p := range places {
				for k := range d {
					next = append(next, p+k*strides[i])
				}
			}
			places = next
		}
		v, err := View("x", dtype, shape, strides, offset, bytesOf(n, width))
		if inside := offset <= n && (len(places) == 0 || slices.Max(places) < n); inside != (err == nil) {
			t.Fatalf("%v: error %v", places, err)
		}
		if err != nil {
			return
		}
		got, err := v.Bytes()
		if (err != nil) != (len(places) > n) || v.Repeats() != (len(places) > n) {
			t.Fatalf("%d numbers of %d: error %v", len(places), n, err)
		}
		if err != nil {
			return
		}
		var want []byte
		for _, p := range places {
			want = append(want, bytesOf(n, width)[p*width:][:width]...)
		}
		if !bytes.Equal(got, want) || v.Size() != len(want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestViewErrors(t *testing.T) {
	for _, tt := range []struct {
		dtype          string
		shape, strides []int
		offset         int
		want           string
	}{
		{"F3", nil, nil, 0, `dtype "F3" is not known`},
		{"F32", []int{2}, nil, 0, "0 strides for a shape of 1"},
		{"F32", []int{math.MaxInt32, math.MaxInt32, 16}, []int{0, 0, 0}, 0, "is too large"},
		{"F32", []int{-1}, []int{1}, 0, "is too large"},
		{"F32", []int{2}, []int{-1}, 0, "strides [-1] of shape [2] are too large"},
		{"F32", []int{3}, []int{math.MaxInt}, 0, "are too large"},
		{"F32", []int{2, 2}, []int{math.MaxInt - 1, 2}, 0, "are too large"},
		{"F32", []int{2}, []int{1}, 3, "reaches to number 5 of 4"},
		{"F32", []int{0}, []int{1}, 5, "begins at number 5 of 4"},
		{"F32", nil, nil, -1, "begins at number -1"},
		{"F32", nil, nil, 4, "reaches to number 5 of 4"},
	} {
		if _, err := View("x", tt.dtype, tt.shape, tt.strides, tt.offset, make([]byte, 16)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: error %v, want %q", tt, err, tt.want)
		}
	}
}

// Double precision is rounded, here to the nearest that has an even last bit.
func TestFloat64(t *testing.T) {
	var data []byte
	for _, x := range []float64{0.1, -2.5, 1 + 1.0/(1<<24), 1e300} {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	x, err := New("x", "F64", []int{2, 2}, data)
	if err != nil {
		t.Fatal(err)
	}
	// 0x3dcccccd is 0.1 in single precision.
	want := []float32{math.Float32frombits(0x3dcccccd), -2.5, 1, float32(math.Inf(1))}
	if got, err := x.Float32s(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// Only numbers that don't stand in the file as they are needed take memory, and are put there.
func TestFloat32sIn(t *testing.T) {
	data := make([]byte, 24)
	for i := range data {
		data[i] = byte(i)
	}
	for _, tt := range []struct {
		dtype string
		data  []byte
		took  int
	}{
		{"F32", data[:16], 0},
		{"F32", data[1:17], 4},
		{"F16", data[:16], 8},
		{"BF16", data[:16], 8},
		{"F64", data[:16], 2},
		{"F32", nil, 0},
	} {
		x, err := New("x", tt.dtype, []int{len(tt.data) / Width(tt.dtype)}, tt.data)
		if err != nil {
			t.Fatal(err)
		}
		want, err := x.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		memory := make([]float32, 8)
		took := 0
		got, err := x.Float32sIn(func(n int) []float32 { took = n; return memory[:n] })
		if err != nil || took != tt.took || !slices.Equal(got, want) {
			t.Errorf("%s: took %d, want %d; %v, want %v; %v", tt.dtype, took, tt.took, got, want, err)
		}
		if took > 0 && &got[0] != &memory[0] {
			t.Errorf("%s: is elsewhere", tt.dtype)
		}
	}
}

// A table has the rows of Float32s, of every type and wherever they stand, and takes no memory.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dtype := rapid.SampledFrom([]string{"F16", "BF16", "F32", "F64"}).Draw(t, "dtype")
		rows, cols := rapid.IntRange(0, 5).Draw(t, "rows"), rapid.IntRange(0, 5).Draw(t, "cols")
		shift := rapid.IntRange(0, 7).Draw(t, "shift")
		n := shift + rows*cols*Width(dtype)
		data := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "data")
		x, err := New("x", dtype, []int{rows, cols}, data[shift:])
		if rapid.Bool().Draw(t, "turned") {
			x, err = View("x", dtype, []int{rows, cols}, []int{1, rows}, 0, data[shift:])
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := x.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		table, err := x.Table()
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
		if all := table.Float32s(); !slices.EqualFunc(all, want, same) {
			t.Fatalf("all: %v, want %v", all, want)
		}
		for i := range rows {
			row := make([]float32, cols)
			if table.Row(row, i); !slices.EqualFunc(row, want[i*cols:(i+1)*cols], same) {
				t.Fatalf("row %d: %v, want %v", i, row, want[i*cols:(i+1)*cols])
			}
		}
	})
	for _, tt := range []struct {
		dtype string
		shape []int
		want  string
	}{
		{"F32", []int{4}, "shape [4] is not that of a table"},
		{"I32", []int{2, 2}, "dtype I32 is not"},
	} {
		x, err := New("x", tt.dtype, tt.shape, make([]byte, 16))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Table(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %v: error %v, want %q", tt.dtype, tt.shape, err, tt.want)
		}
	}
}
