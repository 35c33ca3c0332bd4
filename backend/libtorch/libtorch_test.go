//go:build libtorch

package libtorch

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sugarme/gotch/libtch"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/internal/bert"
	"github.com/mteval/mteval/internal/bert/berttest"
)

const models = "../transformer/testdata"

// alone is how far a text's numbers may be apart in one batch and another.
const alone = 2e-6

func openAny(dir string, o bert.Options) (backend.Backend, error) {
	return Open(dir, Options{Options: o})
}

func open1(t *testing.T, dir string, o Options) *Backend {
	t.Helper()
	b, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestOwnModels(t *testing.T)     { berttest.Own(t, openAny, models, alone) }
func TestGoldenModels(t *testing.T)  { berttest.Golden(t, openAny, alone) }
func TestGoldenText(t *testing.T)    { berttest.GoldenText(t, openAny) }
func TestTiny(t *testing.T)          { berttest.Tiny(t, openAny, 2e-6) }
func TestNames(t *testing.T)         { berttest.Names(t, openAny, models) }
func TestTorch(t *testing.T)         { berttest.Torch(t, openAny, models) }
func TestSpelled(t *testing.T)       { berttest.Spelled(t, openAny) }
func TestLimits(t *testing.T)        { berttest.Limits(t, openAny, models) }
func TestGoldenDeberta(t *testing.T) { berttest.GoldenDeberta(t, openAny) }
func TestLiars(t *testing.T)         { berttest.Liars(t, openAny, models) }
func TestMiniLM(t *testing.T)        { berttest.MiniLM(t, openAny, 1e-5) }

func atLayer(n int) transformer.Options { return transformer.Options{Layer: &n} }

func TestConformance(t *testing.T) {
	letters := atLayer(2)
	letters.Tokenizer, letters.TokenizerName = berttest.Letters{}, "letters"
	short := atLayer(2)
	short.Workers, short.MaxTokens = 1, 9
	for _, o := range []Options{{Options: letters}, {Options: atLayer(2)}, {Options: short, BatchTokens: 20}, {Options: atLayer(2), DType: BFloat16}} {
		tolerance := 1e-5
		if o.DType != "" {
			tolerance = .05
		}
		open := func() (backend.Backend, error) { return Open(filepath.Join(models, "bert"), o) }
		if err := backendtest.Test(open, backendtest.Options{Tolerance: tolerance}); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// texts are of many lengths, for batches with padding.
func texts() []string {
	words := strings.Fields("the a line of words and some more words that a model knows or does not know , because it is small .")
	var out []string
	for i := range 60 {
		var text []string
		for j := range i % 23 {
			text = append(text, words[(i*7+j*j)%len(words)])
		}
		out = append(out, strings.Join(text, " "))
	}
	return out
}

// The vectors are those of the pure Go backend, of every kind of model, in batches.
func TestTransformer(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(models, "*", "config.json"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%d models, %v", len(dirs), err)
	}
	for _, d := range dirs {
		o := atLayer(2)
		o.Tokenizer, o.TokenizerName = berttest.Letters{}, "letters"
		dir := filepath.Dir(d)
		want, err := transformer.Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		for dtype, tolerance := range map[DType]float64{Float32: 1e-5, Float16: .02, BFloat16: .2} {
			var a, b backend.Batch
			if err := want.Embed(t.Context(), &a, texts()); err != nil {
				t.Fatal(err)
			}
			err := open1(t, dir, Options{Options: o, DType: dtype}).Embed(t.Context(), &b, texts())
			if dtype == Float16 && err != nil && strings.Contains(err.Error(), "not implemented for 'Half'") {
				t.Logf("an old libtorch: %v", err) // 2.1 has no float16 on the CPU
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			for i := range a.Data {
				worst = max(worst, math.Abs(float64(a.Data[i]-b.Data[i])))
			}
			if len(a.Data) != len(b.Data) || !(worst <= tolerance) {
				t.Errorf("%s, %s: off by %v", dir, dtype, worst)
			}
		}
	}
}

// BERTScore on the device is that of the pure Go backend, with a text that many systems
// have and several references.
func TestMatching(t *testing.T) {
	o := atLayer(2)
	all := texts()
	var refs [][]string
	for i := range all {
		refs = append(refs, all[i:min(len(all), i+1+i%3)])
	}
	var hyps []string
	var segs []int
	for i := range 3 * len(all) {
		segs = append(segs, i%len(all))
		hyps = append(hyps, all[(i*i+1)%len(all)])
	}
	pure, err := transformer.Open(filepath.Join(models, "bert"), o)
	if err != nil {
		t.Fatal(err)
	}
	defer pure.Close()
	var rows [2][]float64
	for k, b := range []backend.Backend{pure, open1(t, filepath.Join(models, "bert"), Options{Options: o})} {
		s, err := bertscore.New(b, bertscore.Options{IDF: true, OnTruncated: func(string) {}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Prepare(t.Context(), refs)
		if err != nil {
			t.Fatal(err)
		}
		if rows[k], err = p.Append(t.Context(), nil, segs, hyps); err != nil {
			t.Fatal(err)
		}
	}
	for i, x := range rows[0] {
		if math.Abs(x-rows[1][i]) > 1e-5 {
			t.Errorf("number %d of hypothesis %d: %v, want %v", i%4, i/4, rows[1][i], x)
		}
	}
}

func TestOptions(t *testing.T) {
	dir := filepath.Join(models, "bert")
	for _, tt := range []struct {
		opt  Options
		want string
	}{
		{Options{Options: atLayer(1), Device: "tpu"}, `no device "tpu"`},
		{Options{Options: atLayer(1), Device: "cuda:x"}, `no device "cuda:x"`},
		{Options{Options: atLayer(1), Device: "cuda:200"}, "sees"},
		{Options{Options: atLayer(1), DType: "fp8"}, `"fp8"`},
		{Options{Options: atLayer(1), BatchTokens: -1}, "BatchTokens"},
		{Options{Options: atLayer(9)}, "layer 9"},
	} {
		if _, err := Open(dir, tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.opt, err, tt.want)
		}
	}
	if a, b := open1(t, dir, Options{Options: atLayer(1)}), open1(t, dir, Options{Options: atLayer(1), DType: BFloat16}); a.Info().Signature.String() == b.Info().Signature.String() {
		t.Error("two number types with one signature")
	}
}

// What goes wrong in libtorch is an error, and the thread works on.
func TestErrors(t *testing.T) {
	b := open1(t, filepath.Join(models, "bert"), Options{Options: atLayer(2)})
	e := b.Matcher.(*engine)
	if n := libtch.AtcCudaDeviceCount(); n == 0 {
		if err := <-e.start(func(o *ops) { put(o, 0, floats, []float32{1}, 1) }); err == nil {
			t.Error("no error for a device that is not there")
		}
	}
	for name, do := range map[string]func(o *ops){
		"wrong shape": func(o *ops) {
			x, y := put(o, cpu, floats, make([]float32, 6), 2, 3), put(o, cpu, floats, make([]float32, 4), 1, 4)
			o.get(make([]float32, 6), o.add(x, y))
		},
		"out of memory": func(o *ops) {
			o.do(func(out *tensor) { libtch.AtgZeros(out, []int64{1 << 50}, 1, floats, cpu) })
		},
		"index out of range": func(o *ops) {
			o.rows(put(o, cpu, floats, []float32{1}, 1, 1), put(o, cpu, int64s, []int64{5}, 1))
		},
		"numbers that don't fit": func(o *ops) { put(o, cpu, floats, []float32{1, 2}, 3) },
	} {
		err := <-e.start(do)
		if err == nil || !strings.HasPrefix(err.Error(), "libtorch: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", name, err)
		}
		var batch backend.Batch
		if err := b.Embed(t.Context(), &batch, texts()); err != nil || batch.Len() != len(texts()) {
			t.Errorf("after %s: %v", name, err)
		}
	}
}

// A call stops within a batch.
func TestCancelled(t *testing.T) {
	b := open1(t, filepath.Join(models, "bert"), Options{Options: atLayer(2)})
	var many []string
	for range 5000 {
		many = append(many, texts()...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- b.Embed(ctx, new(backend.Batch), many) }()
	time.Sleep(50 * time.Millisecond)
	start := time.Now()
	cancel()
	if err := <-done; err == nil {
		t.Error("300,000 texts were embedded at once")
	}
	t.Logf("stopped after %v", time.Since(start))
}

// Stores that are garbage are freed.
func TestStoreIsFreed(t *testing.T) {
	b := open1(t, filepath.Join(models, "bert"), Options{Options: atLayer(2)})
	e := b.Matcher.(*engine)
	if _, err := b.Store(t.Context(), new(backend.Batch), texts()); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		runtime.GC()
		e.storesMu.Lock()
		n := len(e.stores)
		e.storesMu.Unlock()
		if n == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("still there after 100 collections")
}

// Memory does not grow from sentence to sentence: neither Go's nor libtorch's.
func TestMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/statm"); err != nil || testing.Short() {
		t.Skip("needs /proc/self/statm and, as it takes long, no -short")
	}
	b := open1(t, filepath.Join(models, "bert"), Options{Options: atLayer(2)})
	s, err := bertscore.New(b, bertscore.Options{OnTruncated: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	all := texts()
	var first int
	for sentences := 0; sentences < 50_000; {
		refs, err := mteval.Segments(all)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := mteval.Corpus(t.Context(), s, refs, all); err != nil {
			t.Fatal(err)
		}
		sentences += 2 * len(all)
		if first == 0 && sentences > 10_000 {
			first = resident(t)
		}
	}
	last := resident(t)
	t.Logf("%d KiB after 10,000 sentences, %d KiB after 50,000", first>>10, last>>10)
	if last > first+16<<20 {
		t.Errorf("grew by %d KiB", (last-first)>>10)
	}
}
