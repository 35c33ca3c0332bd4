package comet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/internal/weights"
)

// tensor is one of a file of safetensors.
type tensor struct {
	dtype string
	shape []int
	data  []byte
}

// asSafetensors makes a model's folder of another's tensors, after change changed them.
func asSafetensors(t *testing.T, model, hparams string, change func(map[string]*tensor)) string {
	t.Helper()
	dir := folder(t, model, hparams)
	path := filepath.Join(dir, "checkpoints", "model.ckpt")
	set, err := weights.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*tensor)
	for _, name := range set.Names() {
		x, _ := set.Get(name)
		data, err := x.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &tensor{x.DType, x.Shape, slices.Clone(data)}
	}
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	change(all)
	type entry struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header := make(map[string]entry)
	var body []byte
	for name, x := range all {
		header[name] = entry{x.dtype, x.shape, [2]int{len(body), len(body) + len(x.data)}}
		body = append(body, x.data...)
	}
	head, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	for len(head)%8 != 0 {
		head = append(head, ' ')
	}
	write(t, filepath.Join(dir, "checkpoints", "model.safetensors"), slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head, body))
	return dir
}

// fill sets all numbers of a tensor.
func (x *tensor) fill(v float64) {
	number := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
	x.data = bytes.Repeat(number, len(x.data)/4)
}

// A checkpoint of safetensors has no settings: those of hparams.yaml count, and the scores
// are the same.
func TestSafetensors(t *testing.T) {
	r := readRecorded(t)
	for _, c := range r.Cases {
		if c.Name != "max" && c.Name != "kiwi" && c.Name != "patch" {
			continue
		}
		dir := asSafetensors(t, c.Model, c.HParams, func(map[string]*tensor) {})
		s := open(t, dir, comet.Options{OnCut: func(string) {}})
		sources, refs, hyps := r.sides(c.Reads)
		near(t, c.Name, c.Scores, segmentScores(t, s, sources, refs, hyps))
	}
}

// A weight that is missing is an error, one that nobody knows a note, and numbers that make
// no score an error.
func TestWeights(t *testing.T) {
	remove := func(name string) func(map[string]*tensor) {
		return func(all map[string]*tensor) { delete(all, name) }
	}
	add := func(names ...string) func(map[string]*tensor) {
		return func(all map[string]*tensor) {
			for _, n := range names {
				all[n] = &tensor{"F32", []int{1}, make([]byte, 4)}
			}
		}
	}
	set := func(name string, v float64) func(map[string]*tensor) {
		return func(all map[string]*tensor) { all[name].fill(v) }
	}
	inf := math.Inf(1)
	for _, tt := range []struct {
		name               string
		change             func(map[string]*tensor)
		open, score, notes string // what an error, or a note, has; "": there is none
	}{
		{name: "nothing", change: remove("")},
		{name: "embedding", change: remove("encoder.model.embeddings.word_embeddings.weight"), open: "encoder.model.embeddings.word_embeddings.weight: missing"},
		{name: "layer", change: remove("encoder.model.encoder.layer.1.output.dense.bias"), open: "encoder.model.encoder.layer.1.output.dense.bias: missing"},
		{name: "gamma", change: remove("layerwise_attention.gamma"), open: "layerwise_attention.gamma: missing"},
		{name: "scalar", change: remove("layerwise_attention.scalar_parameters.2"), open: "layerwise_attention.scalar_parameters.2: missing"},
		{name: "head", change: remove("estimator.ff.3.bias"), open: "estimator.ff.3.bias: missing"},
		{name: "output", change: remove("estimator.ff.6.weight"), open: "estimator.ff.6.weight: missing"},
		{name: "mask", change: remove("layerwise_attention.dropout_mask")},
		{name: "known", change: add("encoder.model.embeddings.position_ids", "encoder.model.pooler.dense.weight")},
		{name: "unknown", change: add("estimator.ff.9.weight", "other", "layerwise_attention.scalar_parameters.3", "encoder.model.encoder.layer.2.output.dense.bias"),
			notes: "not used: encoder.model.encoder.layer.2.output.dense.bias, estimator.ff.9.weight, layerwise_attention.scalar_parameters.3 and 1 more"},
		{name: "gamma is NaN", change: set("layerwise_attention.gamma", math.NaN()), open: "the weight of layer 0 is NaN"},
		{name: "scalar is infinite", change: set("layerwise_attention.scalar_parameters.0", inf), open: "the weight of layer 0 is +Inf"},
		{name: "layer is NaN", change: set("encoder.model.encoder.layer.1.output.dense.bias", math.NaN()), score: "the model gives NaN"},
		{name: "head is infinite", change: set("estimator.ff.6.bias", inf), score: "segment 1, hypothesis: the model's score is +Inf"},
	} {
		dir := asSafetensors(t, "wmt22", "", tt.change)
		s, err := comet.Open(dir, comet.Options{})
		if tt.open != "" {
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tt.open) || !strings.Contains(err.Error(), "model.safetensors: ") {
				t.Errorf("%s: error %v, want %q", tt.name, err, tt.open)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := strings.Join(s.Notes(), "\n"); !strings.Contains(got, tt.notes) || tt.notes == "" && got != "" {
			t.Errorf("%s: notes %q, want %q", tt.name, got, tt.notes)
		}
		_, err = mteval.Sentence(t.Context(), mteval.WithSources(s, []string{"The cook"}), []string{"Der Koch"}, "Ein Koch")
		if tt.score == "" && err != nil || tt.score != "" && (err == nil || !strings.Contains(err.Error(), tt.score)) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.score)
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}
}

// Settings that are not there are errors that name them.
func TestSettingErrors(t *testing.T) {
	for _, tt := range []struct{ setting, want string }{
		{"encoder_model: XLM-RoBERTa-XL", "encoder_model: XLM-RoBERTa-XL is not there"},
		{"encoder_model: RemBERT", "encoder_model: RemBERT is not there"},
		{"encoder_model: none", `encoder_model: "none" is not there`},
		{"encoder_model: BERT", "model_type: xlm-roberta is no encoder of the model's, which is a bert"},
		{"encoder_model: BERT\npool: default", "pool: default"},
		{"pool: mean", `pool: "mean" is not avg, cls, max or default`},
		{"layer: 3", "layer: 3 is not in 0 to 2"},
		{"class_identifier: unified_metric\nsent_layer: 3", "sent_layer: 3 is not in 0 to 2"},
		{"activations: ReLU", `activations: activation "ReLU" is not there`},
		{"final_activation: 1", "final_activation: 1 is not a text"},
		{"final_activation: Softmax", `final_activation: activation "Softmax" is not there`},
		{"hidden_sizes: [7]", "estimator.ff.3.weight: shape"},
		{"pretrained_model: /etc", `its encoder "/etc" is not beside it`},
		{"pretrained_model: ../../xlmr", "is not beside it"},
	} {
		dir := asSafetensors(t, "wmt22", "", func(map[string]*tensor) {})
		name, _, _ := strings.Cut(tt.setting, ":")
		var lines []string
		for line := range strings.Lines(string(shareddata.ReadFile(t, filepath.Join(dir, "hparams.yaml")))) {
			if !strings.HasPrefix(line, name+":") && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "hidden_sizes") && !(strings.Contains(tt.setting, "\npool") && strings.HasPrefix(line, "pool")) {
				lines = append(lines, line)
			}
		}
		if name != "hidden_sizes" {
			lines = append(lines, "hidden_sizes: [7, 5]\n")
		}
		write(t, filepath.Join(dir, "hparams.yaml"), []byte(strings.Join(lines, "")+tt.setting+"\n"))
		s, err := comet.Open(dir, comet.Options{})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.setting, err, tt.want)
		}
	}
}

// counter counts the sequences that go through an encoder.
type counter struct {
	backend.Encoder
	n int
}

func (c *counter) Pool(ctx context.Context, dst []float32, sequences [][]int32, mix backend.Mix) error {
	c.n += len(sequences)
	return c.Encoder.Pool(ctx, dst, sequences, mix)
}

// Sources and references are embedded once for all systems, and equal texts once in a call.
func TestEmbeddedOnce(t *testing.T) {
	for _, tt := range []struct {
		model          string
		prepared, call int
	}{
		{"wmt22", 4, 2},       // s, t, r, q; a and b, q being known
		{"qe", 2, 3},          // s, t; a, b, q
		{"unified", 0, 3 * 4}, // each different hypothesis of a segment with three inputs
		{"unified-ref", 0, 4},
	} {
		var c *counter
		s := model(t, tt.model, comet.Options{OpenEncoder: func(f backend.EncoderFiles) (backend.Encoder, error) {
			e, err := transformer.OpenEncoder(f, transformer.EncoderOptions{})
			c = &counter{Encoder: e}
			return c, err
		}})
		p, err := s.PrepareSources(t.Context(), []string{"s", "t", "s"}, [][]string{{"r"}, {"q"}, {"r"}})
		if err != nil {
			t.Fatal(err)
		}
		prepared := c.n
		if _, err := p.Append(t.Context(), nil, []int{0, 0, 1, 1, 1, 0}, []string{"a", "b", "a", "q", "q", "a"}); err != nil {
			t.Fatal(err)
		}
		if prepared != tt.prepared || c.n-prepared != tt.call {
			t.Errorf("%s: %d and %d, want %d and %d", tt.model, prepared, c.n-prepared, tt.prepared, tt.call)
		}
	}
}

// With a cache in a folder nothing is embedded in another run, and the rows are the same.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	var want []float64
	for run := range 3 {
		var c *counter
		s := model(t, "wmt22", comet.Options{OpenEncoder: func(f backend.EncoderFiles) (backend.Encoder, error) {
			e, err := transformer.OpenEncoder(f, transformer.EncoderOptions{})
			if err != nil || run == 0 {
				return e, err
			}
			c = &counter{Encoder: e}
			return cache.NewEncoder(c, cache.Options{Dir: dir})
		}})
		got := segmentScores(t, s, []string{"a cold", "morning"}, [][]string{{"ein"}, {"Morgen"}}, []string{"kalter", "Morgen"})
		if run == 0 {
			want = got
		} else if asked := map[int]int{1: 5, 2: 0}[run]; !slices.Equal(got, want) || c.n != asked {
			t.Errorf("run %d: %v, %d sequences asked for; want %v, %d", run, got, c.n, want, asked)
		}
	}
}
