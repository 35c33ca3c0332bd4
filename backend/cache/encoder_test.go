package cache_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/cache"
	"github.com/mteval/mteval/backend/transformer"
)

// encoder is one whose vectors are sums of ids, and which counts what it is asked for.
type encoder struct {
	asked  int
	closed int
	name   string
}

func (e *encoder) Info() backend.EncoderInfo {
	info := backend.EncoderInfo{Layers: 1}
	info.Name, info.Dim, info.MaxTokens = "sums", 2, 9
	if e.name != "none" {
		info.Signature = mteval.Signature{{Key: "model", Value: e.name}}
	}
	return info
}

func (e *encoder) Tokenize(_ context.Context, _ []backend.Sequence, texts []string, _ int) ([]backend.Sequence, error) {
	return make([]backend.Sequence, len(texts)), nil
}

func (e *encoder) Pool(_ context.Context, dst []float32, sequences [][]int32, mix backend.Mix) error {
	e.asked += len(sequences)
	for i, ids := range sequences {
		dst[2*i], dst[2*i+1] = 0, float32(mix.Weights[0])
		for k, id := range ids {
			if id < 0 {
				return errors.New("no such id")
			}
			dst[2*i] += float32(int(id) * (k + 1))
		}
	}
	return nil
}

func (e *encoder) Close() error { e.closed++; return nil }

// Vectors are those of the encoder within, each sequence and mix being asked for once, and
// not at all by who finds them in the folder.
func TestEncoder(t *testing.T) {
	sequences := [][]int32{{1, 2}, {3}, {1, 2}, {2, 1}, {}, {1 << 30}}
	one, two := backend.Mix{Weights: []float64{1}}, backend.Mix{Weights: []float64{1}, Norm: true}
	pool := func(e backend.Encoder, mix backend.Mix, seqs [][]int32) []float32 {
		t.Helper()
		dst := make([]float32, 2*len(seqs))
		if err := e.Pool(t.Context(), dst, seqs, mix); err != nil {
			t.Fatal(err)
		}
		return dst
	}
	want := pool(&encoder{}, one, sequences)
	dir := t.TempDir()
	for run, name := range []string{"a", "a", "b"} {
		inner := &encoder{name: name}
		e, err := cache.NewEncoder(inner, cache.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		asked := func(n int) {
			t.Helper()
			if run == 1 {
				n = 0
			}
			if inner.asked != n {
				t.Errorf("run %d: asked for %d sequences, want %d", run, inner.asked, n)
			}
		}
		for range 2 {
			if got := pool(e, one, sequences); !slices.Equal(got, want) {
				t.Errorf("run %d: %v, want %v", run, got, want)
			}
			asked(5)
		}
		pool(e, two, sequences[:2])
		asked(7)
		pool(e, backend.Mix{Weights: []float64{.5}}, sequences[:1])
		asked(8)
		if run == 0 {
			if err := e.Pool(t.Context(), make([]float32, 2), [][]int32{{-1}}, one); err == nil {
				t.Error("an error within: none")
			}
			if err := e.Pool(t.Context(), nil, sequences, one); err == nil {
				t.Error("no room: no error")
			}
		}
		if err := errors.Join(e.Close(), e.Close()); err != nil || inner.closed != 1 {
			t.Errorf("closed %d times: %v", inner.closed, err)
		}
		if err := e.Pool(t.Context(), nil, nil, one); !errors.Is(err, backend.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	}
	if _, err := cache.NewEncoder(nil, cache.Options{}); err == nil {
		t.Error("no encoder: no error")
	}
	if _, err := cache.NewEncoder(&encoder{}, cache.Options{Bytes: -1}); err == nil {
		t.Error("negative bytes: no error")
	}
}

// An encoder without a signature has its mixes apart, too.
func TestEncoderWithoutSignature(t *testing.T) {
	e, err := cache.NewEncoder(&encoder{name: "none"}, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, w := range []float64{1, .5} {
		dst := make([]float32, 2)
		if err := e.Pool(t.Context(), dst, [][]int32{{1}}, backend.Mix{Weights: []float64{w}}); err != nil || dst[1] != float32(w) {
			t.Errorf("weight %v: %v, error %v", w, dst, err)
		}
	}
	if _, err := cache.NewEncoder(&encoder{name: "none"}, cache.Options{Dir: t.TempDir()}); err == nil {
		t.Error("a folder without a signature: no error")
	}
}

func TestEncoderConformance(t *testing.T) {
	for _, o := range []cache.Options{{}, {Bytes: 1}, {Bytes: 4000}, {Dir: t.TempDir()}, {Dir: t.TempDir(), Bytes: 1}} {
		open := func() (backend.Encoder, error) {
			e, err := transformer.OpenEncoder(backend.EncoderFiles{Dir: filepath.Join("..", "transformer", "testdata", "bert")}, transformer.EncoderOptions{})
			if err != nil {
				return nil, err
			}
			return cache.NewEncoder(e, o)
		}
		if err := backendtest.TestEncoder(open, backendtest.Options{}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
