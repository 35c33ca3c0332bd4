package bert

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Buckets of v3's models, worked out by hand from the reference's
// make_log_bucket_position: the exact half, the first that hold several, and the last.
func TestLogBucket(t *testing.T) {
	for _, c := range []struct{ distance, buckets, far, want int }{
		{0, 8, 64, 0}, {4, 8, 64, 4}, {-4, 8, 64, -4},
		{5, 8, 64, 5},    // ln(5/4)/ln(63/4)*3 = .24, up to 1
		{10, 8, 64, 5},   // .997
		{-11, 8, 64, -6}, // 1.1
		{25, 8, 64, 6},   // 1.99
		{26, 8, 64, 7},   // 2.04
		{63, 8, 64, 7},   // 3
		{64, 8, 64, 8},   // beyond far
		{128, 256, 512, 128}, {129, 256, 512, 129}, {-511, 256, 512, -255},
	} {
		if got := logBucket(c.distance, c.buckets, c.far); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	// In float32 no bound moves, at the sizes that models have.
	for _, size := range [][2]int{{256, 512}, {32, 128}} {
		half := size[0] / 2
		for d := half + 1; d < size[1]; d++ {
			want := half + int(math.Ceil(math.Log(float64(d)/float64(half))/math.Log(float64(size[1]-1)/float64(half))*float64(half-1)-1e-12))
			if got := logBucket(d, size[0], size[1]); got != want || logBucket(-d, size[0], size[1]) != -want {
				t.Errorf("%d of %v: %d, want %d", d, size, got, want)
			}
		}
	}
}

// A config that asks for what is not there is an error that names the field.
func TestDebertaConfig(t *testing.T) {
	for _, c := range []struct {
		model, field string
		value        any
		want         string
	}{
		{"v1", "pos_att_type", "c2p|p2p", `pos_att_type: "p2p" is not c2p or p2c`},
		{"v1", "pos_att_type", []string{"x"}, `pos_att_type: "x"`},
		{"v1", "pos_att_type", 7, "pos_att_type: "},
		{"v1", "pos_att_type", nil, ""},
		{"v1", "pos_att_type", []string{"c2p"}, ""},
		{"v1", "max_position_embeddings", 1 << 15, "max_position_embeddings: 32768 is not in 1 to 16384"},
		{"v1-all", "max_position_embeddings", 1 << 15, ""},
		{"v1", "talking_head", true, "talking_head"},
		{"v1", "max_relative_positions", 1 << 25, "max_relative_positions: 33554432"},
		{"v1", "embedding_size", -1, "embedding_size: -1"},
		{"v1", "hidden_act", "relu", `hidden_act: "relu"`},
		{"v1", "num_attention_heads", 3, "hidden_size: 16 can't be divided among 3 heads"},
		{"v1", "type_vocab_size", -2, "type_vocab_size: -2"},
		{"v2-conv", "attention_head_size", 4, "attention_head_size: 2 heads of 4 are not hidden_size 16"},
		{"v2-conv", "norm_rel_ebd", "batch_norm", `norm_rel_ebd: "batch_norm"`},
		{"v2-conv", "norm_rel_ebd", "none", ""},
		{"v2-conv", "position_buckets", 1, "position_buckets: 1 "},
		{"v2-conv", "position_buckets", 1 << 25, "position_buckets: 33554432"},
		{"v2-conv", "max_relative_positions", 5, "position_buckets: 8 is not in 2 to 16777216, below twice max_relative_positions (5)"},
		{"v2-conv", "position_buckets", -1, ""},
		{"v2-conv", "conv_kernel_size", 2, "conv_kernel_size: 2 is not an odd number"},
		{"v2-conv", "conv_kernel_size", 65, "conv_kernel_size: 65"},
		{"v2-conv", "conv_kernel_size", 0, ""},
		{"v2-conv", "conv_groups", 2, "conv_groups: 2 is not 1"},
		{"v2-conv", "conv_act", "relu", `conv_act: "relu" is not gelu`},
		{"v2-conv", "layer_norm_eps", 0, "layer_norm_eps"},
		{"v2-conv", "share_att_key", "yes", "share_att_key: "},
	} {
		data, err := os.ReadFile(filepath.Join("..", "..", "backend", "transformer", "testdata", "deberta-"+c.model, "config.json"))
		if err != nil {
			t.Fatal(err)
		}
		fields := make(map[string]any)
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
		fields[c.field] = c.value
		if data, err = json.Marshal(fields); err != nil {
			t.Fatal(err)
		}
		_, err = parseConfig(data)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s %v: error %v, want %q", c.model, c.field, c.value, err, c.want)
		}
	}
}
