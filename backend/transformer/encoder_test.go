package transformer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/bert/berttest"
	"github.com/mteval/mteval/internal/kit"
)

// openEncoder opens a model of testdata, with letters for pieces where it has no
// tokenizer.
func openEncoder(t testing.TB, name string, o EncoderOptions) *Encoder {
	t.Helper()
	dir := filepath.Join("testdata", name)
	e, err := OpenEncoder(backend.EncoderFiles{Dir: dir}, o)
	if _, missing := os.Stat(filepath.Join(dir, "vocab.txt")); missing != nil {
		e, err = withLetters(dir, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// fewLetters has no id that the models of testdata do not have.
type fewLetters struct{ berttest.Letters }

func (l fewLetters) EncodeMax(dst []bert.Piece, text string, max int) ([]bert.Piece, bool) {
	n := len(dst)
	dst, cut := l.Letters.EncodeMax(dst, text, max)
	for i := range dst[n:] {
		if p := &dst[n+i]; !p.Special {
			p.ID = 4 + p.ID%60
		}
	}
	return dst, cut
}

func withLetters(dir string, o EncoderOptions) (*Encoder, error) {
	layer := 2
	folder, err := bert.Open(dir, bert.Options{Layer: &layer, Tokenizer: fewLetters{}, TokenizerName: "letters"})
	if err != nil {
		return nil, err
	}
	e := newEncoder(o)
	if e.info, err = folder.EncoderInfo("transformer", "fp32"); err != nil {
		return nil, err
	}
	e.m, err = load(folder, Float32)
	return e, err
}

// sequences are of many lengths.
func sequences(e *Encoder, n int) [][]int32 {
	out := make([][]int32, n)
	for i := range out {
		for k := range 1 + i*7%e.info.MaxTokens {
			out[i] = append(out[i], int32((i*5+k*3)%e.m.Vocab))
		}
	}
	return out
}

// states are the vectors of a sequence after every layer.
func states(t *testing.T, e *Encoder, ids []int32) [][]float32 {
	t.Helper()
	w := &workspace{ids: ids, ends: []int{len(ids)}}
	var out [][]float32
	err := e.m.run(t.Context(), w, len(e.m.layers), func(int) { out = append(out, slices.Clone(w.x)) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// mixed is the vector of a sequence, computed layer after layer and number after number as
// the definition says.
func mixed(layers [][]float32, ids []int32, hidden int, pad int32, mix backend.Mix) []float64 {
	all := make([]float64, len(layers[0]))
	for k, x := range layers {
		mean, variance := 0.0, 1.0
		if mix.Norm {
			for _, v := range x {
				mean += float64(v) / float64(len(x))
			}
			variance = 0
			for _, v := range x {
				variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
			}
			variance += 1e-12
		}
		for i, v := range x {
			all[i] += mix.Weights[k] * (float64(v) - mean) / math.Sqrt(variance)
		}
	}
	out := slices.Clone(all[:hidden])
	for i := range out {
		switch mix.Pooling {
		case backend.Average:
			out[i] = 0
		case backend.Largest:
			out[i] = math.Inf(-1)
		case backend.First:
			continue
		}
		for j, id := range ids {
			if id == pad {
				continue
			}
			if mix.Pooling == backend.Average {
				out[i] += all[j*hidden+i] / float64(len(ids))
			} else {
				out[i] = max(out[i], all[j*hidden+i])
			}
		}
	}
	return out
}

func TestPool(t *testing.T) {
	for _, name := range []string{"bert", "roberta-f16", "mpnet", "deberta-v1-all", "deberta-v2-conv"} {
		e := openEncoder(t, name, EncoderOptions{})
		info := e.Info()
		weights := make([]float64, info.Layers)
		for i := range weights {
			weights[i] = .7 - .6*float64(i)
		}
		alone := slices.Clone(weights)
		clear(alone[1:])
		seqs := sequences(e, 9)
		for _, mix := range []backend.Mix{
			{Weights: weights}, {Weights: weights, Norm: true}, {Weights: alone}, {Weights: make([]float64, info.Layers), Norm: true},
			{Weights: weights, Pooling: backend.First}, {Weights: weights, Norm: true, Pooling: backend.First},
			{Weights: weights, Pooling: backend.Largest}, {Weights: weights, Norm: true, Pooling: backend.Largest},
		} {
			got := make([]float32, len(seqs)*info.Dim)
			if err := e.Pool(t.Context(), got, seqs, mix); err != nil {
				if mix.Pooling == backend.Largest && strings.Contains(err.Error(), "the model gives -Inf") {
					continue // nothing but padding
				}
				t.Fatal(err)
			}
			for i, ids := range seqs {
				want := mixed(states(t, e, ids), ids, info.Dim, info.Pad, mix)
				for k, w := range want {
					if d := math.Abs(float64(got[i*info.Dim+k]) - w); !(d <= 1e-5) {
						t.Fatalf("%s, %+v, sequence %d: number %d is %v, want %v", name, mix, i, k, got[i*info.Dim+k], w)
					}
				}
			}
		}
	}
}

// A vector is the same to the last bit whatever else is in the call, and however many workers.
func TestPoolAlone(t *testing.T) {
	for _, workers := range []int{1, 4} {
		e := openEncoder(t, "bert", EncoderOptions{Workers: workers})
		dim := e.Info().Dim
		for _, pooling := range []backend.Pooling{backend.Average, backend.First, backend.Largest} {
			mix := backend.Mix{Weights: []float64{.2, -.5, 1}, Norm: true, Pooling: pooling}
			seqs := sequences(e, 40)
			for i := range seqs {
				seqs[i][0] = 2 // not padding
			}
			all := make([]float32, len(seqs)*dim)
			if err := e.Pool(t.Context(), all, seqs, mix); err != nil {
				t.Fatal(err)
			}
			for i := range seqs {
				one := make([]float32, dim)
				if err := e.Pool(t.Context(), one, seqs[i:i+1], mix); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(all[i*dim:(i+1)*dim], one); d != "" {
					t.Fatalf("%d workers, pooling %d, sequence %d (-together +alone):\n%s", workers, pooling, i, d)
				}
			}
		}
	}
}

func TestPoolErrors(t *testing.T) {
	e := openEncoder(t, "bert", EncoderOptions{})
	dim := e.Info().Dim
	mix := backend.Mix{Weights: make([]float64, e.Info().Layers)}
	for _, tt := range []struct {
		room int
		seqs [][]int32
		mix  backend.Mix
		want string
	}{
		{dim, [][]int32{{1}}, backend.Mix{}, "0 weights for 3 layers"},
		{dim, [][]int32{{1}}, backend.Mix{Weights: []float64{0, math.NaN(), 0}}, "the weight of layer 1 is NaN"},
		{dim, [][]int32{{1}}, backend.Mix{Weights: mix.Weights, Pooling: 3}, "unknown pooling"},
		{dim, [][]int32{{1}, {2}}, mix, "room for"},
		{dim, [][]int32{{}}, mix, "sequence 1 has 0 tokens"},
		{dim, [][]int32{make([]int32, e.Info().MaxTokens+1)}, mix, "tokens, and 1 to"},
		{dim, [][]int32{{-1}}, mix, "sequence 1 has token -1"},
		{dim, [][]int32{{1 << 20}}, mix, "sequence 1 has token 1048576"},
	} {
		if err := e.Pool(t.Context(), make([]float32, tt.room), tt.seqs, tt.mix); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: error %v, want %q", tt.seqs, err, tt.want)
		}
	}
	for _, most := range []int{2, e.Info().MaxTokens + 1} {
		if _, err := e.Tokenize(t.Context(), nil, []string{"a"}, most); err == nil {
			t.Errorf("%d tokens: no error", most)
		}
	}
	if err := e.Pool(t.Context(), nil, nil, mix); err != nil {
		t.Errorf("nothing: %v", err)
	}
	if err := errors.Join(e.Close(), e.Close()); err != nil {
		t.Error(err)
	}
	if err := e.Pool(t.Context(), nil, nil, mix); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := e.Tokenize(t.Context(), nil, nil, 9); !errors.Is(err, backend.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	for _, files := range []backend.EncoderFiles{
		{Dir: "testdata/none"}, {Dir: "testdata/bert", Weights: "testdata/none"}, {Dir: "testdata/bert", Root: "encoder.model."},
	} {
		if _, err := OpenEncoder(files, EncoderOptions{}); err == nil || !strings.HasPrefix(err.Error(), "transformer: ") {
			t.Errorf("%+v: error %v", files, err)
		}
	}
}

// The context is looked at in every layer.
func TestPoolCancelled(t *testing.T) {
	defer func(was int) { blockWork = was }(blockWork)
	blockWork = 1
	e := openEncoder(t, "bert", EncoderOptions{Workers: 1})
	mix := backend.Mix{Weights: []float64{1, 1, 1}}
	ids := make([]int32, e.Info().MaxTokens)
	dst := make([]float32, e.Info().Dim)
	looks := int64(0)
	for ; looks < 10_000; looks++ {
		err := e.Pool(kit.NewCountdown(looks), dst, [][]int32{ids}, mix)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	// Of each of two layers the three parts in blocks of 24 rows, and attention by head.
	if looks < 2*(2+2+1) || looks == 10_000 {
		t.Errorf("%d looks", looks)
	}
}

// Texts are cut to their beginning, special tokens kept; white space is the tokenizer's.
func TestTokenize(t *testing.T) {
	e := openEncoder(t, "bert", EncoderOptions{})
	got, err := e.Tokenize(t.Context(), nil, []string{"a cab", " a\tcab ", "", "a cab a cab a cab"}, 6)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got[0].IDs, got[1].IDs) || len(got[2].IDs) != 2 || got[0].Cut || got[2].Cut {
		t.Errorf("%v", got)
	}
	last := got[3]
	if len(last.IDs) != 6 || !last.Cut || last.IDs[5] != got[2].IDs[1] || last.IDs[0] != got[2].IDs[0] {
		t.Errorf("%v", last)
	}
	if want := fmt.Sprint(e.Info().Signature.Get("tok")); want == "" || e.Info().Signature.Get("dtype") != "fp32" {
		t.Errorf("signature %v", e.Info().Signature)
	}
}

func TestEncoderConformance(t *testing.T) {
	models := make(map[string]func(workers int) (*Encoder, error))
	for _, name := range []string{"roberta-f16", "mpnet", "deberta-v1-all", "deberta-v2-conv"} {
		models[name] = func(workers int) (*Encoder, error) {
			return withLetters(filepath.Join("testdata", name), EncoderOptions{Workers: workers})
		}
	}
	root := filepath.Join("..", "..", "comet", "testdata")
	weights := filepath.Join(root, "wmt22", "checkpoints", "model.ckpt")
	for name, files := range map[string]backend.EncoderFiles{
		"bert": {Dir: filepath.Join("testdata", "bert")},
		"xlmr": {Dir: filepath.Join(root, "xlmr"), Weights: weights, Root: "encoder.model."},
		"spm":  {Dir: filepath.Join(root, "spm"), Weights: weights, Root: "encoder.model."},
	} {
		models[name] = func(workers int) (*Encoder, error) { return OpenEncoder(files, EncoderOptions{Workers: workers}) }
	}
	for name, model := range models {
		for _, workers := range []int{1, 3} {
			open := func() (backend.Encoder, error) { return model(workers) }
			if err := backendtest.TestEncoder(open, backendtest.Options{Texts: []string{"a [PAD] b <pad> c", "[PAD]<pad>"}}); err != nil {
				t.Errorf("%s, %d workers: %v", name, workers, err)
			}
		}
	}
}
