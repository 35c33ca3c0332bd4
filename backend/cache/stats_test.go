package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/internal/race"
)

func TestStats(t *testing.T) {
	one := embed(t, backendtest.NewFake(fakeOptions), "a")
	n := size("a", one.Tokens, one.Data) // of every text of one letter
	dir := t.TempDir()
	filled, _ := open(t, Options{Dir: dir}, fakeOptions)
	embed(t, filled, "a", "b")
	// Of each call, one after another, what is counted after it.
	type step struct {
		texts string
		want  Stats
	}
	for _, tt := range []struct {
		name  string
		opt   Options
		steps []step
	}{
		{"memory", Options{}, []step{
			{"", Stats{}},
			{"a b", Stats{Misses: 2, Texts: 2, Bytes: 2 * n}},
			{"a b", Stats{Misses: 2, Hits: 2, Texts: 2, Bytes: 2 * n}},
			{"b c", Stats{Misses: 3, Hits: 3, Texts: 3, Bytes: 3 * n}},
		}},
		{"repeats", Options{}, []step{
			{"a b a c a", Stats{Misses: 3, Hits: 2, Texts: 3, Bytes: 3 * n}},
			{"a a d d b", Stats{Misses: 4, Hits: 6, Texts: 4, Bytes: 4 * n}},
			{"a a a a", Stats{Misses: 4, Hits: 10, Texts: 4, Bytes: 4 * n}},
			// More than are compared one by one.
			{"e f g h i j k l m n e f g n a", Stats{Misses: 14, Hits: 15, Texts: 14, Bytes: 14 * n}},
		}},
		{"eviction", Options{Bytes: 2 * n}, []step{
			{"a b", Stats{Misses: 2, Texts: 2, Bytes: 2 * n}},
			{"a", Stats{Misses: 2, Hits: 1, Texts: 2, Bytes: 2 * n}},
			{"c", Stats{Misses: 3, Hits: 1, Texts: 2, Bytes: 2 * n}}, // b goes
			{"a", Stats{Misses: 3, Hits: 2, Texts: 2, Bytes: 2 * n}},
			{"b", Stats{Misses: 4, Hits: 2, Texts: 2, Bytes: 2 * n}},
			{"a b c d", Stats{Misses: 6, Hits: 4, Texts: 2, Bytes: 2 * n}},
		}},
		{"no memory", Options{Bytes: 1}, []step{
			{"a a", Stats{Misses: 1, Hits: 1}},
			{"a", Stats{Misses: 2, Hits: 1}},
		}},
		{"folder", Options{Dir: dir}, []step{ // has a and b
			{"a c a c", Stats{Misses: 1, Hits: 3, DirHits: 1, Texts: 2, Bytes: 2 * n}},
			{"b a c", Stats{Misses: 1, Hits: 6, DirHits: 2, Texts: 3, Bytes: 3 * n}},
			{"b a c", Stats{Misses: 1, Hits: 9, DirHits: 2, Texts: 3, Bytes: 3 * n}},
		}},
		{"folder alone", Options{Dir: dir, Bytes: 1}, []step{ // has c now
			{"a b a c d", Stats{Misses: 1, Hits: 4, DirHits: 3}},
			{"a d", Stats{Misses: 1, Hits: 6, DirHits: 5}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, fake := open(t, tt.opt, fakeOptions)
			for i, step := range tt.steps {
				texts := strings.Fields(step.texts)
				same(t, embed(t, c, texts...), embed(t, backendtest.NewFake(fakeOptions), texts...), step.texts)
				if d := cmp.Diff(step.want, c.Stats()); d != "" {
					t.Errorf("after call %d (-want +got):\n%s", i+1, d)
				}
				if got := fake.Texts(); int64(got) != step.want.Misses {
					t.Errorf("after call %d: the backend was asked for %d texts", i+1, got)
				}
			}
			last := c.Stats()
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			last.Texts, last.Bytes = 0, 0
			if d := cmp.Diff(last, c.Stats()); d != "" {
				t.Errorf("closed (-want +got):\n%s", d)
			}
		})
	}
	if s := new(Backend).Stats(); s != (Stats{}) {
		t.Errorf("of none: %+v", s)
	}
}

// Calls that end in an error count for nothing, and the next is as if they had not been.
func TestStatsOfErrors(t *testing.T) {
	o := fakeOptions
	o.FailAt = 2
	c, _ := open(t, Options{Dir: t.TempDir()}, o)
	embed(t, c, "a", "b")
	want := c.Stats()
	if err := c.Embed(t.Context(), new(backend.Batch), []string{"a", "c", "c"}); !errors.Is(err, backendtest.ErrFake) {
		t.Fatalf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Embed(ctx, new(backend.Batch), []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if d := cmp.Diff(want, c.Stats()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	o.FailAt = 0
	same(t, embed(t, c, "a", "c", "c"), embed(t, backendtest.NewFake(o), "a", "c", "c"), "after errors")
	want.Hits, want.Misses = want.Hits+2, want.Misses+1
	if got := c.Stats(); got.Hits != want.Hits || got.Misses != want.Misses {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Who looks while others call sees whole calls, and at the end all of them.
func TestStatsConcurrent(t *testing.T) {
	const goroutines, calls, each = 8, 50, 3
	c, fake := open(t, Options{Bytes: 2000}, fakeOptions)
	done := make(chan struct{})
	var looker, callers sync.WaitGroup
	looker.Go(func() {
		for {
			s := c.Stats()
			if (s.Hits+s.Misses)%each != 0 || s.Bytes > 2000 || (s.Bytes == 0) != (s.Texts == 0) {
				t.Errorf("%+v", s)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for w := range goroutines {
		callers.Go(func() {
			var dst backend.Batch
			for i := range calls {
				texts := []string{fmt.Sprint("text ", (i+w)%9), fmt.Sprint("text ", i%5), "text 0"}
				if err := c.Embed(t.Context(), &dst, texts); err != nil {
					t.Error(err)
				}
			}
		})
	}
	callers.Wait()
	close(done)
	looker.Wait()
	if s := c.Stats(); s.Hits+s.Misses != goroutines*calls*each || s.Misses != int64(fake.Texts()) {
		t.Errorf("%+v of %d texts, of which the backend was asked for %d", s, goroutines*calls*each, fake.Texts())
	}
}

// A call for texts that are all in memory allocates nothing.
func TestHitsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	for _, n := range []int{0, 1, 8, 100, 1000} {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprint("text ", i%97, strings.Repeat(" long", i%17)) // some repeat, some are cut
		}
		c, fake := open(t, Options{}, fakeOptions)
		dst := embed(t, c, texts...)
		before := fake.Calls()
		got := testing.AllocsPerRun(20, func() {
			if err := c.Embed(t.Context(), dst, texts); err != nil {
				t.Fatal(err)
			}
		})
		if got != 0 || fake.Calls() != before {
			t.Errorf("%d texts: %v allocations, %d calls of the backend", n, got, fake.Calls()-before)
		}
	}
}

// idSum is an encoder whose vectors are sums of ids.
type idSum struct{ asked int }

func (e *idSum) Info() backend.EncoderInfo {
	info := backend.EncoderInfo{Layers: 25}
	info.Name, info.Dim, info.MaxTokens = "sums", 1, 9
	info.Signature = mteval.Signature{{Key: "model", Value: "sums"}}
	return info
}

func (e *idSum) Tokenize(_ context.Context, _ []backend.Sequence, texts []string, _ int) ([]backend.Sequence, error) {
	return make([]backend.Sequence, len(texts)), nil
}

func (e *idSum) Pool(_ context.Context, dst []float32, sequences [][]int32, mix backend.Mix) error {
	e.asked += len(sequences)
	for i, ids := range sequences {
		dst[i] = float32(mix.Weights[0])
		for _, id := range ids {
			dst[i] += float32(id)
		}
	}
	return nil
}

func (e *idSum) Close() error { return nil }

// An Encoder counts sequences, of all mixes, and hits of it allocate nothing either.
func TestEncoderStats(t *testing.T) {
	weights := make([]float64, 25)
	weights[0] = 1
	first, second := backend.Mix{Weights: weights}, backend.Mix{Weights: weights, Norm: true}
	dir := t.TempDir()
	sequences := [][]int32{{1, 2}, {3}, {1, 2}, {4}}
	dst := make([]float32, len(sequences))
	entry := size("........", []mteval.Token{{}}, dst[:1]) // {1, 2}, and the others are 4 bytes less
	for run, want := range []Stats{
		{Misses: 5, Hits: 10, Texts: 5, Bytes: 5*entry - 3*4},
		{Hits: 15, DirHits: 5, Texts: 5, Bytes: 5*entry - 3*4},
	} {
		inner := new(idSum)
		e, err := NewEncoder(inner, Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		pool := func(n int, mix backend.Mix) {
			t.Helper()
			if err := e.Pool(t.Context(), dst[:n], sequences[:n], mix); err != nil {
				t.Fatal(err)
			}
		}
		if s := e.Stats(); s != (Stats{}) {
			t.Errorf("before any call: %+v", s)
		}
		pool(4, first)  // 3 and a repeat
		pool(4, first)  // 4 hits
		pool(2, second) // 2
		pool(4, first)
		clear(dst)
		pool(1, first)
		if dst[0] != 4 {
			t.Errorf("vector %v, want 1 + 1 + 2", dst[0])
		}
		if d := cmp.Diff(want, e.Stats()); d != "" || int64(inner.asked) != want.Misses {
			t.Errorf("run %d, asked for %d (-want +got):\n%s", run, inner.asked, d)
		}
		if n := testing.AllocsPerRun(20, func() { pool(4, first) }); n != 0 && !race.Enabled {
			t.Errorf("%v allocations", n)
		}
		want = e.Stats()
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		want.Texts, want.Bytes = 0, 0
		if d := cmp.Diff(want, e.Stats()); d != "" {
			t.Errorf("closed (-want +got):\n%s", d)
		}
	}
}

// BenchmarkHits is of a call for texts that are all in memory.
func BenchmarkHits(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c, err := New(backendtest.NewFake(backendtest.FakeOptions{Dim: 384}), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			texts := make([]string, n)
			for i := range texts {
				texts[i] = fmt.Sprint("what the clerk had mislaid was found in drawer ", i)
			}
			var dst backend.Batch
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Embed(b.Context(), &dst, texts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
