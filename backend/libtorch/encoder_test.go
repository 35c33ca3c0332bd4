//go:build libtorch

package libtorch

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/comet"
	"github.com/mteval/mteval/internal/shareddata"
)

// recordedCOMET is what scripts/record_comet.py recorded.
type recordedCOMET struct {
	Texts []struct{ Src, MT, Ref string }
	Cases []struct {
		Name, Model, HParams string
		Reads                []string
		Scores               []float64
	}
}

// COMET's models of every class and option give the program's scores here, too, whatever
// the batches.
func TestCOMET(t *testing.T) {
	var r recordedCOMET
	root := filepath.Join("..", "..", "comet", "testdata")
	shareddata.ReadJSON(t, filepath.Join(root, "expected.json"), &r)
	for _, c := range r.Cases {
		if c.HParams != "" {
			continue
		}
		reads := make(map[string]bool)
		for _, k := range c.Reads {
			reads[k] = true
		}
		for _, tokens := range []int{1, 200} {
			open := func(f backend.EncoderFiles) (backend.Encoder, error) {
				return OpenEncoder(f, Options{BatchTokens: tokens})
			}
			s, err := comet.Open(filepath.Join(root, c.Model), comet.Options{OpenEncoder: open, OnCut: func(string) {}})
			if err != nil {
				t.Fatal(err)
			}
			var sources, hyps []string
			var refs [][]string
			for _, x := range r.Texts {
				sources, hyps, refs = append(sources, x.Src), append(hyps, x.MT), append(refs, []string{x.Ref})
			}
			if !reads["ref"] {
				refs = nil
			}
			prepared, err := s.PrepareSources(t.Context(), sources, refs)
			if !reads["src"] {
				prepared, err = s.Prepare(t.Context(), refs)
			}
			if err != nil {
				t.Fatal(err)
			}
			rows, err := prepared.Append(t.Context(), nil, nil, hyps)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range c.Scores {
				if got := rows[2*i]; !(math.Abs(got-want) <= 5e-6) {
					t.Errorf("%s, batches of %d, segment %d: %v, want %v", c.Name, tokens, i+1, got, want)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Every mix is that of the backend in Go, to rounding.
func TestPool(t *testing.T) {
	files := backend.EncoderFiles{Dir: filepath.Join(models, "bert")}
	want, err := transformer.OpenEncoder(files, transformer.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	var seqs [][]int32
	for i := range 30 {
		ids := []int32{2}
		for k := range i * 7 % 30 {
			ids = append(ids, int32((i*5+k*3)%80))
		}
		seqs = append(seqs, ids)
	}
	dim := want.Info().Dim
	for _, tt := range []struct {
		dtype DType
		most  float64
	}{{Float32, 1e-5}, {BFloat16, .1}} {
		got, err := OpenEncoder(files, Options{DType: tt.dtype, BatchTokens: 90})
		if err != nil {
			t.Fatal(err)
		}
		defer got.Close()
		if v := got.Info().Signature.Get("dtype"); v != string(tt.dtype) {
			t.Errorf("dtype %s, want %s", v, tt.dtype)
		}
		for _, pooling := range []backend.Pooling{backend.Average, backend.First, backend.Largest} {
			for _, norm := range []bool{false, true} {
				for _, weights := range [][]float64{{.7, -.5, 1}, {0, 1, 0}, {0, 0, 0}} {
					mix := backend.Mix{Weights: weights, Norm: norm, Pooling: pooling}
					a, b := make([]float32, len(seqs)*dim), make([]float32, len(seqs)*dim)
					if err := errors.Join(want.Pool(t.Context(), a, seqs, mix), got.Pool(t.Context(), b, seqs, mix)); err != nil {
						t.Fatal(err)
					}
					for i := range a {
						if d := math.Abs(float64(a[i] - b[i])); !(d <= tt.most) {
							t.Fatalf("%s, %+v, sequence %d: %v, want %v", tt.dtype, mix, i/dim, b[i], a[i])
						}
					}
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		mix := backend.Mix{Weights: []float64{1, 1, 1}}
		if err := got.Pool(ctx, make([]float32, dim), seqs[:1], mix); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if err := got.Pool(t.Context(), nil, seqs[:1], mix); err == nil {
			t.Error("no room: no error")
		}
		if err := errors.Join(got.Close(), got.Close()); err != nil {
			t.Error(err)
		}
		if err := got.Pool(t.Context(), nil, nil, mix); !errors.Is(err, backend.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	}
}

func TestEncoderConformance(t *testing.T) {
	for _, tt := range []struct {
		o         Options
		tolerance float64
	}{{Options{}, 1e-5}, {Options{BatchTokens: 20}, 1e-5}, {Options{DType: BFloat16}, .05}} {
		open := func() (backend.Encoder, error) {
			return OpenEncoder(backend.EncoderFiles{Dir: filepath.Join(models, "bert")}, tt.o)
		}
		o := backendtest.Options{Tolerance: tt.tolerance, Texts: []string{"a [PAD] b", "[PAD]"}}
		if err := backendtest.TestEncoder(open, o); err != nil {
			t.Errorf("%+v: %v", tt.o, err)
		}
	}
}
