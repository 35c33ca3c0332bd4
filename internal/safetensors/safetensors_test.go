package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/race"
)

// file builds a file of a header and data.
func file(header string, data ...byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data...)
}

func floats(x ...float32) []byte {
	var out []byte
	for _, v := range x {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func TestParse(t *testing.T) {
	data := append(floats(1, -2.5), 0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0x80, 0x3f)
	f := file(`{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},
		"b":{"dtype":"F16","shape":[3],"data_offsets":[8,14]},"c":{"dtype":"BF16","shape":[],"data_offsets":[14,16]},
		"d":{"dtype":"F32","shape":[0,7],"data_offsets":[16,16]}}`, data...)
	got, err := Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]float32{"a": {1, -2.5}, "b": {1, -2, 1. / (1 << 24)}, "c": {1}, "d": nil}
	if len(got) != len(want) {
		t.Fatalf("%d tensors", len(got))
	}
	for _, x := range got {
		v, err := x.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want[x.Name], v); d != "" {
			t.Errorf("%s (-want +got):\n%s", x.Name, d)
		}
	}
	// A place that is not aligned is read as well.
	shifted, err := Parse(file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}`, append([]byte{9}, floats(7)...)...))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := shifted[0].Float32s(); err != nil || v[0] != 7 {
		t.Errorf("%v, %v", v, err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{nil, "0 bytes"},
		{[]byte{1, 2, 3}, "3 bytes"},
		{binary.LittleEndian.AppendUint64(nil, 1<<40), "header length"},
		{file(`{"a"`), "header: "},
		{file(`[]`), "header: "},
		{file(`{"a":7}`), "tensor a: "},
		{file(`{"a":{"dtype":"F3","shape":[1],"data_offsets":[0,4]}}`, floats(1)...), `tensor a: dtype "F3"`},
		{file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}`, floats(1)...), "tensor a: data_offsets [0 8]"},
		{file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}`, floats(1)...), "tensor a: data_offsets"},
		{file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}}`, floats(1)...), "tensor a: data_offsets"},
		{file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, floats(1)...), "tensor a: shape [2] of F32 takes 8 bytes"},
		{file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`, floats(1)...), "tensor a: "},
		{file(`{"a":{"dtype":"F32","shape":[2147483647,2147483647,2147483647],"data_offsets":[0,4]}}`, floats(1)...), "too large"},
		{file(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`), "too large"},
		{file(`{} {}`), "header: more than one"},
		{file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 1, 2), "tensor a: is there twice"},
		{file(`{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}`, 1, 2, 3, 4), "tensor b: data_offsets begin within tensor a"},
		{file(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 1, 2, 3, 4), "data_offsets begin within"},
		{file(`{"a":{"dtype":"U8","shape":[`+strings.Repeat("1,", 1000)+`1],"data_offsets":[0,1]}}`, 1), "tensor a: 2047 bytes say what it is"},
		{file(`{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`), "header: "},
	} {
		if _, err := Parse(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.80q: error %v, want %q", tt.data, err, tt.want)
		}
	}
	x, err := Parse(file(`{"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}`, make([]byte, 8)...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x[0].Float32s(); err == nil || !strings.Contains(err.Error(), "dtype I64") {
		t.Errorf("I64: error %v", err)
	}
}

// Thousands of tensors that all are the same 4 MB, and too many that are nothing.
func TestManyTensors(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	for _, c := range []struct {
		n                    int
		shape, offsets, want string
	}{
		{2500, "[1048576]", "[0,4194304]", "data_offsets begin within"},
		{140_000, "[0]", "[0,0]", "there are more than"},
	} {
		var header strings.Builder
		for i := range c.n {
			fmt.Fprintf(&header, `,"t%d":{"dtype":"F32","shape":%s,"data_offsets":%s}`, i, c.shape, c.offsets)
		}
		data := file("{"+header.String()[1:]+"}", make([]byte, 4<<20)...)
		if _, err := Parse(data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(file(`{"a":{"dtype":"F16","shape":[1,2],"data_offsets":[0,4]}}`, 1, 2, 3, 4))
	f.Add(file(`{"a":{"dtype":"F32","shape":[18446744073709551615,2],"data_offsets":[0,4]}}`, 1, 2, 3, 4))
	f.Fuzz(func(t *testing.T, data []byte) {
		tensors, err := Parse(data)
		if err != nil {
			return
		}
		sum := 0
		for _, x := range tensors {
			v, err := x.Float32s()
			if err == nil {
				sum += len(v)
			}
		}
		if sum > len(data)/2 {
			t.Fatalf("%d numbers of %d bytes", sum, len(data))
		}
	})
}
