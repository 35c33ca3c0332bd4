package weights

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

// file builds a safetensors file of a header and numbers.
func file(header string, x ...float32) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	out = append(out, header...)
	for _, v := range x {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func TestOpenDir(t *testing.T) {
	write := func(dir, name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one := func(name string, x float32) []byte {
		return file(fmt.Sprintf(`{%q:{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, name), x)
	}
	dir := t.TempDir()
	if _, err := OpenDir(dir); err == nil || !strings.Contains(err.Error(), "no model.safetensors or pytorch_model.bin") {
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
