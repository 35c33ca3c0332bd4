package weights

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
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

// Files of torch.save, of internal/torchfile's testdata.
func TestTorch(t *testing.T) {
	const data = "../torchfile/testdata/"
	open := func(name string) *Set {
		s, err := OpenFile(data + name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	// A checkpoint of Lightning: torch.nn.Linear(3, 2) and BatchNorm1d(2), whose count is
	// an integer.
	names := []string{"first.bias", "first.weight", "norm.bias", "norm.num_batches_tracked", "norm.running_mean", "norm.running_var", "norm.weight"}
	for _, name := range []string{"lightning.pt", "lightning-old.pt"} {
		s := open(name)
		if d := cmp.Diff(names, s.Names()); d != "" {
			t.Errorf("%s: names (-want +got):\n%s", name, d)
		}
		if w, ok := s.Get("first.weight"); !ok || !slices.Equal(w.Shape, []int{2, 3}) || w.Name != "first.weight" {
			t.Errorf("%s: first.weight is %q, %v", name, w.Name, w.Shape)
		}
		if keys := slices.Sorted(maps.Keys(s.Extra)); !slices.Equal(keys, []string{"epoch", "global_step", "hparams_name", "hyper_parameters", "optimizer_states", "pytorch-lightning_version"}) {
			t.Errorf("%s: beside the tensors there are %v", name, keys)
		}
		if h, _ := s.Extra["hyper_parameters"].(map[string]any); h["text"] != "Wörter, 語" || h["small"] != int64(7) {
			t.Errorf("%s: hyper_parameters %v", name, h)
		}
	}
	// The tensors themselves.
	s := open("tensors.pt")
	if x, ok := s.Get("columns"); !ok {
		t.Error("no tensor")
	} else if v, err := x.Float32s(); err != nil || !slices.Equal(v[:4], []float32{.25, .375, .5, 1}) { // of arange(24)/8 in rows of 6, columns 2 to 4
		t.Errorf("%v, %v", v, err)
	}
	if _, err := OpenFile(data + "alone.pt"); err == nil || !strings.Contains(err.Error(), "alone.pt: holds no dict of tensors") {
		t.Errorf("a tensor alone: error %v", err)
	}
	if _, err := OpenFile(data + "refused-call.pt"); err == nil || !strings.Contains(err.Error(), `refused-call.pt: data.pkl: byte `) {
		t.Errorf("a call: error %v", err)
	}
	if _, err := OpenFile(data + "absent.pt"); err == nil || !strings.Contains(err.Error(), "absent.pt") {
		t.Errorf("no file: error %v", err)
	}
}

// In a folder that has several forms, the first that transformers would take is read.
func TestOrder(t *testing.T) {
	bin := func(name string) []byte {
		data, err := os.ReadFile("../torchfile/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	one := file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 1)
	dir := t.TempDir()
	// From the last to the first; each is taken although the ones before are there.
	for _, step := range []struct {
		files map[string][]byte
		want  string // a tensor
	}{
		{map[string][]byte{"pytorch_model.bin.index.json": []byte(`{"weight_map":{"x":"1.bin","y":"2.bin"}}`), "1.bin": bin("lightning.pt"), "2.bin": bin("tensors.pt")}, "tied"},
		{map[string][]byte{"pytorch_model.bin": bin("lightning-old.pt")}, "norm.bias"},
		{map[string][]byte{"model.safetensors.index.json": []byte(`{"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}`), "1.safetensors": one, "2.safetensors": file(`{"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 1)}, "b"},
		{map[string][]byte{"model.safetensors": one}, "a"},
	} {
		for name, data := range step.files {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Get(step.want); !ok {
			t.Errorf("%s is not in %v", step.want, s.Names())
		}
		s.Close()
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
