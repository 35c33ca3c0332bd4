package transformer

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert/berttest"
	"github.com/mteval/mteval/internal/kit"
)

// Goroutines that divide the work of a text change no bit, of any kind of model, nor does one that
// was stopped before.
func TestWorkers(t *testing.T) {
	layer := 2
	long := strings.Repeat("5 7 11 13 ", 9)
	for _, name := range []string{"bert", "mpnet", "deberta-v1", "deberta-v2-conv", "deberta-v3-far"} {
		for _, dtype := range []DType{Float32, BFloat16} {
			o := Options{Layer: &layer, Tokenizer: berttest.Numbers{}, TokenizerName: "n", DType: dtype, Workers: 1}
			one := open(t, filepath.Join("testdata", name), o)
			for _, texts := range [][]string{{long}, {"1 2 3"}, {""}, {long, strings.Repeat("1 ", 33)}} {
				var want backend.Batch
				if err := one.Embed(t.Context(), &want, texts); err != nil {
					t.Fatal(err)
				}
				for _, workers := range []int{2, 3, 8} {
					o.Workers = workers
					b := open(t, filepath.Join("testdata", name), o)
					var got backend.Batch
					for _, looks := range []int64{3, 11, 30} {
						if err := b.Embed(kit.NewCountdown(looks), &got, texts); err != nil && !errors.Is(err, context.Canceled) {
							t.Fatal(err)
						}
					}
					err := b.Embed(t.Context(), &got, texts)
					if d := cmp.Diff(want, got); err != nil || d != "" {
						t.Errorf("%s in %s, %d goroutines for %.60q: %v (-want +got):\n%s", name, dtype, workers, texts, err, d)
					}
				}
			}
		}
	}
}

// Sequences neither, of an encoder.
func TestPoolWorkers(t *testing.T) {
	mix := backend.Mix{Weights: []float64{.5, .25, .25}, Norm: true}
	var want []float32
	for _, workers := range []int{1, 2, 3, 8} {
		e := openEncoder(t, "bert", EncoderOptions{Workers: workers})
		ids := make([]int32, e.Info().MaxTokens)
		for i := range ids {
			ids[i] = int32(i % e.m.Vocab)
		}
		got := make([]float32, e.Info().Dim)
		if err := e.Pool(t.Context(), got, [][]int32{ids}, mix); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d goroutines: %v, want %v", workers, got, want)
		}
	}
}

// Goroutines that divide the work of a text stop with the context, within a layer.
func TestWorkersCancelled(t *testing.T) {
	layer := 2
	b := open(t, filepath.Join("testdata", "bert"), Options{Layer: &layer, Tokenizer: berttest.Numbers{}, TokenizerName: "n", Workers: 2})
	texts := []string{strings.Repeat("5 7 11 13 ", 9)}
	var batch backend.Batch
	whole := kit.NewCountdown(1 << 40)
	if err := b.Embed(whole, &batch, texts); err != nil {
		t.Fatal(err)
	}
	// Of each of two layers the four matrices in two parts, and attention by head.
	if whole.Calls() < 2*(4*2+2) {
		t.Errorf("%d looks at the context", whole.Calls())
	}
	for looks := range whole.Calls() / 2 {
		if err := b.Embed(kit.NewCountdown(looks), &batch, texts); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks of %d: %v", looks, whole.Calls(), err)
		}
	}
}
