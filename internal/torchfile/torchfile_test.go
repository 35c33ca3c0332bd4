package torchfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/internal/tensors"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// recorded writes a value as scripts/record_torchfile.py writes PyTorch's.
func recorded(t testing.TB, v any) any {
	t.Helper()
	switch v := v.(type) {
	case tensors.Tensor:
		data, err := v.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		shape := make([]any, len(v.Shape))
		for i, d := range v.Shape {
			shape[i] = float64(d)
		}
		return map[string]any{"tensor": v.DType, "shape": shape, "bytes": hex.EncodeToString(data)}
	case map[string]any:
		out := make(map[string]any)
		for k, x := range v {
			out[k] = recorded(t, x)
		}
		return map[string]any{"map": out}
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = recorded(t, x)
		}
		return map[string]any{"list": out}
	case nil:
		return map[string]any{"is": "None"}
	case bool:
		return map[string]any{"is": map[bool]string{true: "True", false: "False"}[v]}
	case int64:
		return map[string]any{"int": fmt.Sprint(v)}
	case *big.Int:
		return map[string]any{"int": v.String()}
	case float64:
		return map[string]any{"float": v}
	case []byte:
		return map[string]any{"bytes": hex.EncodeToString(v)}
	case string:
		return map[string]any{"text": v}
	}
	t.Fatalf("%T is none of the plain values", v)
	return nil
}

// What PyTorch saved: tensors of all types and views, hyper-parameters, an optimizer's state,
// in both forms and in protocols 2 to 5.
func TestParse(t *testing.T) {
	var want struct {
		Files  map[string]string
		Values map[string]any
	}
	if err := json.Unmarshal(read(t, "expected.json"), &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Files) < 10 {
		t.Fatalf("%d files", len(want.Files))
	}
	for file, value := range want.Files {
		got, err := Parse(read(t, file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if d := cmp.Diff(want.Values[value], recorded(t, got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", file, d)
		}
	}
}

// The same value in every protocol of Python's pickle.
func TestProtocols(t *testing.T) {
	var want struct {
		Value   any
		Pickles map[string]string
	}
	if err := json.Unmarshal(read(t, "pickles.json"), &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Pickles) != 6 {
		t.Fatalf("%d protocols", len(want.Pickles))
	}
	for protocol, text := range want.Pickles {
		pickle, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(archiveOf(t, entry{"a/data.pkl", string(pickle)}))
		if err != nil {
			t.Errorf("protocol %s: %v", protocol, err)
			continue
		}
		if d := cmp.Diff(want.Value, recorded(t, got)); d != "" {
			t.Errorf("protocol %s (-want +got):\n%s", protocol, d)
		}
	}
}

// Spellings that PyTorch and Python had once, or have seldom. What they mean is in the
// sources of torch.serialization, torch._utils and pickletools.
func TestSpellings(t *testing.T) {
	four := []float32{0, 0, 0, 0}
	for name, c := range map[string]struct {
		pickle string
		want   any
	}{
		"saved from a GPU":  {strings.NewReplacer("ctorch\nF", "ctorch.cuda\nF", "cpu", "gpu").Replace(tensorOf("K\x00K\x04\x85K\x01\x85")), four},
		"without hooks":     {"}X\x01\x00\x00\x00x" + "ctorch._utils\n_rebuild_tensor\n(" + persistent + "K\x00K\x04\x85K\x01\x85tRs", four},
		"a parameter":       {"}X\x01\x00\x00\x00xctorch._utils\n_rebuild_parameter_with_state\n(" + rebuild + persistent + "K\x00K\x04\x85K\x01\x85" + hooks + "R\x88}}tRs", four},
		"a size":            {"}X\x01\x00\x00\x00xctorch\nSize\n(K\x02K\x03t\x85Rs", []any{int64(2), int64(3)}},
		"a set, Python 2's": {"}U\x01xc__builtin__\nset\n]K\x05a\x85Rs", []any{int64(5)}},
		"pairs in lists":    {"}U\x01xccollections\nOrderedDict\n](](U\x01aK\x01ee\x85Rs", map[string]any{"a": int64(1)}},
		"pairs in tuples":   {"}U\x01xccollections\nOrderedDict\n](U\x01aK\x01\x86e\x85Rs", map[string]any{"a": int64(1)}},
		"quoted":            {"}U\x01xS'abc'\np5\ns", "abc"},
		"thrown away":       {"}U\x01xN0(NN1(0K\x07s", int64(7)},
		"twice":             {"}U\x01xK\x072\x86s", []any{int64(7), int64(7)}},
		"a large integer":   {"}U\x01x\x8b\x02\x00\x00\x00\xff\xffs", int64(-1)},
		"a byte array":      {"}U\x01x\x96\x02\x00\x00\x00\x00\x00\x00\x00abs", []byte("ab")},
	} {
		v, err := Parse(pickled(t, c.pickle))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := v.(map[string]any)["x"]
		if x, ok := got.(tensors.Tensor); ok {
			if got, err = x.Float32s(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// Tied weights are the same memory, and so is a tensor that is rows of another.
func TestShared(t *testing.T) {
	data := read(t, "tensors.pt")
	v, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) *byte {
		b, err := v.(map[string]any)[name].(tensors.Tensor).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return &b[0]
	}
	if at("whole") != at("tied") {
		t.Error("tied weights are copies")
	}
	// Column 0 of row 1 of the 6.
	whole, err := v.(map[string]any)["whole"].(tensors.Tensor).Bytes()
	if err != nil || &whole[4*6] != at("rows") {
		t.Errorf("rows are a copy, %v", err)
	}
}

// What stands for more numbers than the file has opens, and can't be read.
func TestExpanded(t *testing.T) {
	v, err := Parse(read(t, "expanded.pt"))
	if err != nil {
		t.Fatal(err)
	}
	x := v.(map[string]any)["x"].(tensors.Tensor)
	if _, err := x.Float32s(); err == nil || !strings.Contains(err.Error(), "tensor x: shape [50 3] repeats") {
		t.Errorf("error %v", err)
	}
	if y, err := v.(map[string]any)["y"].(tensors.Tensor).Float32s(); err != nil || !cmp.Equal(y, []float32{1, 1}) {
		t.Errorf("%v, %v", y, err)
	}
}

// Files of torch.save that hold what is no weights.
func TestRefused(t *testing.T) {
	want := map[string]string{
		"refused-module.pt":     `data.pkl: byte 2: instruction 0x63: names "__main__.Module"`,
		"refused-module-old.pt": `names "__main__.Module"`,
		"refused-call.pt":       `names "__builtin__.print", which is no part of a model's weights, and is refused`,
		"refused-call-4.pt":     `names "builtins.print"`,
		"refused-call-old.pt":   `byte 139: instruction 0x63: names "__builtin__.print"`,
		"refused-sparse.pt":     `names "torch._utils._rebuild_sparse_tensor"`,
		"refused-numpy.pt":      `names "numpy.core.multiarray.scalar"`,
		"refused-script.pt":     "a program of TorchScript",
		"refused-deflated.pt":   `"archive/data.pkl": is compressed`,
		"refused-tar.pt":        "the tar form",
	}
	files, err := filepath.Glob("testdata/refused-*")
	if err != nil || len(files) != len(want) {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if _, err := Parse(read(t, name)); err == nil || !strings.Contains(err.Error(), want[name]) {
			t.Errorf("%s: error %v, want %q", name, err, want[name])
		}
	}
}

// COMET's checkpoints, against numpy over zipfile.
func TestComet(t *testing.T) {
	var want struct {
		Files map[string]struct {
			Value   any
			Tensors map[string][]any
		}
	}
	if err := json.Unmarshal(read(t, "comet.json"), &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Files) == 0 {
		t.Fatal("no checkpoint")
	}
	for name, w := range want.Files {
		v, err := Parse(shareddata.ReadFile(t, shareddata.Path(t, "golden", "comet", name, "checkpoints", "model.ckpt")))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		root := v.(map[string]any)
		got := make(map[string][]any)
		for key, x := range root["state_dict"].(map[string]any) {
			data, err := x.(tensors.Tensor).Bytes()
			if err != nil {
				t.Fatal(err)
			}
			shape := []any{}
			for _, d := range x.(tensors.Tensor).Shape {
				shape = append(shape, float64(d))
			}
			sum := sha256.Sum256(data)
			got[key] = []any{x.(tensors.Tensor).DType, shape, hex.EncodeToString(sum[:8])}
		}
		if d := cmp.Diff(w.Tensors, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		delete(root, "state_dict")
		if d := cmp.Diff(w.Value, recorded(t, root)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
