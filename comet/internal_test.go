package comet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/shareddata"
)

// As entmax gave it, and by hand: (1+.9+.5-1)/3 is 7/15.
func TestSparsemax(t *testing.T) {
	got := []float64{1, .5, -1, .9}
	sparsemax(got)
	for i, want := range []float64{8. / 15, .5 / 15, 0, 6.5 / 15} {
		if math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("%v in place %d, want %v", got[i], i, want)
		}
	}
	one := []float64{-3}
	sparsemax(one)
	if one[0] != 1 {
		t.Errorf("of one number: %v", one)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-50, 50), 1, 30).Draw(t, "x")
		y, z := slices.Clone(x), slices.Clone(x)
		sparsemax(y)
		softmax(z)
		for _, v := range [][]float64{y, z} {
			sum := 0.0
			for i, p := range v {
				sum += p
				if !(p >= 0) {
					t.Fatalf("%v", v)
				}
				for j := range v { // order is kept
					if x[i] > x[j] && p < v[j] {
						t.Fatalf("%v of %v", v, x)
					}
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("sum %v", sum)
			}
		}
	})
}

// Activations are PyTorch's, by the names that the program finds.
func TestActivations(t *testing.T) {
	var r struct {
		Activations struct {
			X       []float64
			Values  map[string][]float64
			Refused []string
		}
	}
	shareddata.ReadJSON(t, filepath.Join("testdata", "expected.json"), &r)
	seen := make(map[string]bool)
	for name, want := range r.Activations.Values {
		f, err := activation(name)
		if err != nil {
			t.Error(err)
			continue
		}
		seen[title(name)] = true
		for i, x := range r.Activations.X {
			if got := f(x); math.Abs(got-want[i]) > 1e-6*max(1, math.Abs(want[i])) {
				t.Errorf("%s(%v): %v, want %v", name, x, got, want[i])
			}
		}
	}
	for name := range activations {
		if !seen[name] {
			t.Errorf("%s: nothing recorded", name)
		}
	}
	for _, name := range append(r.Activations.Refused, "Softmax", "") {
		if _, err := activation(name); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// As Python's str.title.
func TestTitle(t *testing.T) {
	for in, want := range map[string]string{"": "", "tanh": "Tanh", "ReLU": "Relu", "hard_tanh": "Hard_Tanh", "log2softmax": "Log2Softmax", "ÉTÉ": "Été"} {
		if got := title(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Joined texts have the ids that the program's unified models get.
func TestJoined(t *testing.T) {
	root := shareddata.Path(t, "golden", "comet")
	s, err := Open(filepath.Join(root, "comet-referenceless"), Options{OnCut: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var want struct {
		Triples string
		Rows    []map[string]any
	}
	shareddata.ReadJSON(t, filepath.Join(root, "expect", "concat-ids.json"), &want)
	scan := bufio.NewScanner(bytes.NewReader(shareddata.ReadFile(t, filepath.Join(root, want.Triples))))
	for _, row := range want.Rows {
		var x struct{ Src, MT, Ref string }
		if !scan.Scan() {
			t.Fatal("fewer triples than rows")
		}
		if err := json.Unmarshal(scan.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		seqs, err := s.encoder.Tokenize(t.Context(), nil, []string{x.MT, x.Src, x.Ref}, s.longest)
		if err != nil {
			t.Fatal(err)
		}
		mt, src, ref := seqs[0].IDs, seqs[1].IDs, seqs[2].IDs
		for name, parts := range map[string][][]int32{"mt+src": {mt, src}, "mt+ref": {mt, ref}, "mt+src+ref": {mt, src, ref}} {
			got := s.joinTexts(nil, parts...)
			got = got[:min(len(got), s.joined)]
			var ids []int32
			for _, id := range row[name].([]any) {
				ids = append(ids, int32(id.(float64)))
			}
			if d := cmp.Diff(ids, got); d != "" {
				t.Errorf("%v, %s (-want +got):\n%s", row["id"], name, d)
			}
		}
	}
}

// What hparams.yaml and a checkpoint say of a setting, and what is taken.
func TestSettings(t *testing.T) {
	base := func(class string, more table) table {
		t := table{"class_identifier": class}
		for k, v := range more {
			t[k] = v
		}
		return t
	}
	for _, tt := range []struct {
		name             string
		yaml, checkpoint table
		err              string
		check            func(s *settings) bool
	}{
		{name: "defaults of regression", yaml: base(regression, nil), checkpoint: table{}, check: func(s *settings) bool {
			return s.layerNorm && !s.sparse && s.layer == mix && s.pool == "avg" && s.act == "Tanh" && s.final == "" && slices.Equal(s.hidden, []int{3072, 1024}) && len(s.notes) == 0
		}},
		{name: "defaults of unified", yaml: base(unified, nil), checkpoint: table{}, check: func(s *settings) bool {
			return s.layerNorm && s.sparse && s.pool == "cls" && s.reads("src") && s.reads("ref") && s.folder == "microsoft/infoxlm-large"
		}},
		{name: "defaults without references", yaml: base(referenceless, nil), checkpoint: table{}, check: func(s *settings) bool { return slices.Equal(s.hidden, []int{2048, 1024}) }},
		{name: "None", yaml: base(regression, nil), checkpoint: table{"layer_norm": nil, layers: nil}, check: func(s *settings) bool { return !s.layerNorm && !s.sparse && len(s.notes) == 1 }},
		{name: "numbers of both types", yaml: base(regression, table{"layer": 2}), checkpoint: table{"layer": int64(2)}, check: func(s *settings) bool { return s.layer == 2 && len(s.notes) == 0 }},
		{name: "patch", yaml: base(unified, table{layers: patch}), checkpoint: table{layers: "sparsemax"}, check: func(s *settings) bool { return !s.sparse && s.patched && len(s.notes) == 1 }},
		{name: "patch in the checkpoint alone", yaml: base(unified, table{layers: "sparsemax"}), checkpoint: table{layers: patch}, check: func(s *settings) bool { return !s.sparse && !s.patched && len(s.notes) == 1 }},
		{name: "patch in both", yaml: base(unified, table{layers: patch}), checkpoint: table{layers: patch}, check: func(s *settings) bool { return !s.sparse && s.patched && len(s.notes) == 0 }},
		{name: "class", yaml: base(referenceless, nil), checkpoint: base(regression, nil), check: func(s *settings) bool { return s.class == referenceless && len(s.notes) == 1 }},
		{name: "order of segments", yaml: base(unified, table{"input_segments": []any{"src", "mt"}}), checkpoint: table{"input_segments": []any{"mt", "src"}}, check: func(s *settings) bool { return len(s.notes) == 0 }},
		{name: "layer", yaml: base(regression, nil), checkpoint: table{"layer": "last"}, err: `layer: "last" is not "mix" or the number of a layer`},
		{name: "negative layer", yaml: base(regression, nil), checkpoint: table{"layer": int64(-1)}, err: "layer: -1 is not"},
		{name: "sent_layer", yaml: base(unified, nil), checkpoint: table{"sent_layer": 1.5}, err: "sent_layer: 1.5 is not"},
		{name: "layer_norm", yaml: base(regression, nil), checkpoint: table{"layer_norm": "yes"}, err: `layer_norm: "yes" is not true or false`},
		{name: "hidden_sizes", yaml: base(regression, nil), checkpoint: table{"hidden_sizes": []any{}}, err: "hidden_sizes: [] is not a list"},
		{name: "size", yaml: base(regression, nil), checkpoint: table{"hidden_sizes": []any{int64(0)}}, err: "hidden_sizes: [0] is not a list"},
		{name: "pool", yaml: base(regression, nil), checkpoint: table{"pool": nil}, err: "pool: null is not a text"},
		{name: "segments", yaml: base(unified, nil), checkpoint: table{"input_segments": []any{"mt"}}, err: "input_segments: [mt] is not a list"},
		{name: "segment", yaml: base(unified, nil), checkpoint: table{"input_segments": []any{"mt", "doc"}}, err: "input_segments: [mt doc] is not a list"},
	} {
		s, err := newSettings(tt.yaml, tt.checkpoint)
		switch {
		case tt.err != "":
			if err == nil || !bytes.Contains([]byte(err.Error()), []byte(tt.err)) {
				t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case !tt.check(s):
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
}

func FuzzSettings(f *testing.F) {
	f.Add([]byte("class_identifier: unified_metric\ninput_segments: [mt, src]\nsent_layer: 3\nlayer_transformation: sparsemax_patch\n"))
	f.Add([]byte("class_identifier: regression_metric\nhidden_sizes:\n- 48\n- 16\nlayer_norm: false\nfinal_activation: null\n"))
	f.Add([]byte("a: &a [*a, 1e99, !!python/tuple [x]]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		hparams, err := parseYAML(data)
		if err != nil {
			return
		}
		s, err := newSettings(hparams, nil)
		if err == nil && (len(s.hidden) == 0 || s.layer < mix || s.class == unified && len(s.segments) == 0) {
			t.Fatalf("%+v", s)
		}
	})
}
