package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
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

func TestOpenDir(t *testing.T) {
	write := func(dir, name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one := func(name string, x float32) []byte {
		return file(fmt.Sprintf(`{%q:{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, name), floats(x)...)
	}
	dir := t.TempDir()
	if _, err := OpenDir(dir); err == nil || !strings.Contains(err.Error(), "no model.safetensors") {
		t.Errorf("empty folder: error %v", err)
	}
	write(dir, "x-1.safetensors", one("a", 1))
	write(dir, "x-2.safetensors", one("b", 2))
	write(dir, "model.safetensors.index.json", []byte(`{"weight_map":{"a":"x-1.safetensors","b":"x-2.safetensors"}}`))
	s, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "b"}, s.Names()); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
	b, _ := s.Get("b")
	if v, err := b.Float32s(); err != nil || v[0] != 2 {
		t.Errorf("%v, %v", v, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for index, want := range map[string]string{
		`{"weight_map":{"a":"../x-1.safetensors"}}`:    "weight_map.a",
		`{"weight_map":{"a":"..\\\\x-1.safetensors"}}`: "weight_map.a",
		`{"weight_map":{"a":"/etc/hosts"}}`:            "weight_map.a",
		`{"weight_map":{"a":""}}`:                      "weight_map.a",
		`{"weight_map":{"a":".."}}`:                    "weight_map.a",
		`{"weight_map":{"a":"sub"}}`:                   "sub: is no regular file",
		`{"weight_map":{"a":7}}`:                       "index.json: ",
		`{"weight_map":{}}`:                            "names no file",
		`{`:                                            "index.json: ",
		`{"weight_map":{"a":"missing.safetensors"}}`:   "missing.safetensors",
		`{"weight_map":{"a":"x-1.safetensors","b":"x-3.safetensors"}}`:   "tensor a is in another file too",
		`{"weight_map":{"a":"x-1.safetensors","b":"empty.safetensors"}}`: "empty.safetensors",
	} {
		write(dir, "x-3.safetensors", one("a", 3))
		write(dir, "empty.safetensors", nil)
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		write(dir, "model.safetensors.index.json", []byte(index))
		if _, err := OpenDir(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", index, err, want)
		}
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

// An index of 300,000 tensors takes as long as it has entries. What is quadratic takes
// minutes here.
func TestLargeIndex(t *testing.T) {
	n := 300_000
	if race.Enabled {
		n /= 10
	}
	index := func(files int) []byte {
		names := make(map[string]string)
		for i := range n {
			names[fmt.Sprint("tensor.", i)] = fmt.Sprintf("model-%d.safetensors", i%files)
		}
		data, err := json.Marshal(map[string]any{"weight_map": names})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if files, err := parseIndex(index(3)); err != nil || len(files) != 3 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if _, err := parseIndex(index(n)); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("names %d files", n)) {
		t.Errorf("error %v", err)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata":{"total_size":8},"weight_map":{"a":"x-1.safetensors","b":"x-2.safetensors","c":"x-1.safetensors"}}`))
	f.Add([]byte(`{"weight_map":{"a":"../x","b":"..","c":"/etc/passwd","d":""}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := parseIndex(data)
		if err != nil {
			return
		}
		if len(files) == 0 || len(files) > maxFiles || !slices.IsSorted(files) || len(slices.Compact(slices.Clone(files))) != len(files) {
			t.Fatalf("%d files: %q", len(files), files)
		}
		for _, name := range files {
			if dir, last := filepath.Split(filepath.Join("dir", name)); dir != "dir/" || last != name {
				t.Fatalf("%q is not in the folder", name)
			}
		}
	})
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
