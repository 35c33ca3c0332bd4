package backendtest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/kit"
)

func TestFakeConforms(t *testing.T) {
	for _, tt := range []struct {
		name string
		opt  FakeOptions
	}{
		{"default", FakeOptions{}},
		{"special tokens", FakeOptions{Special: true, Dim: 3}},
		{"truncating", FakeOptions{MaxTokens: 5}},
		{"truncating with special tokens", FakeOptions{MaxTokens: 8, Special: true}},
		{"truncating to a word", FakeOptions{MaxTokens: 3, Special: true}},
		{"one-hot", FakeOptions{OneHot: true, Vocabulary: []string{"the", "word", CLS, "THE"}, Special: true}},
		{"one-hot without words", FakeOptions{OneHot: true}},
	} {
		open := func() (backend.Backend, error) { return NewFake(tt.opt), nil }
		if err := Test(open, Options{Texts: []string{"a text of the caller's"}}); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestFake(t *testing.T) {
	f := NewFake(FakeOptions{Special: true, MaxTokens: 4, OneHot: true, Vocabulary: []string{"b", "a", "b", SEP}})
	if info := f.Info(); info.Dim != 3 || info.MaxTokens != 4 {
		t.Errorf("%+v", info)
	}
	var b backend.Batch
	if err := f.Embed(context.Background(), &b, []string{" a b", "", "b c a"}); err != nil {
		t.Fatal(err)
	}
	want := backend.Batch{
		Dim:     3,
		Offsets: []int{0, 4, 6, 10},
		Tokens: []mteval.Token{
			{Text: CLS}, {Text: "a", Start: 1, End: 2, Weight: 1}, {Text: "b", Start: 3, End: 4, Weight: 1}, {Text: SEP},
			{Text: CLS}, {Text: SEP},
			{Text: CLS}, {Text: "b", Start: 0, End: 1, Weight: 1}, {Text: "c", Start: 2, End: 3, Weight: 1}, {Text: SEP},
		},
		Data: []float32{
			0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1,
			0, 0, 0, 0, 0, 1,
			0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1,
		},
		Truncated: []int{2},
	}
	if d := cmp.Diff(want, b); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestFakeVectors(t *testing.T) {
	f, g := NewFake(FakeOptions{Dim: 8}), NewFake(FakeOptions{Dim: 8})
	v := f.Vector("word")
	if d := cmp.Diff(v, g.Vector("word")); d != "" {
		t.Errorf("the same word differs:\n%s", d)
	}
	if cmp.Equal(v, f.Vector("sword")) || len(v) != 8 {
		t.Errorf("vectors %v, %v", v, f.Vector("sword"))
	}
	for _, x := range v {
		if !(x >= -1 && x < 1) {
			t.Errorf("%v is not from -1 to 1", x)
		}
	}
}

func TestFakeCountsAndFails(t *testing.T) {
	ctx := context.Background()
	f := NewFake(FakeOptions{FailAt: 2})
	for call, want := range []error{nil, ErrFake, nil} {
		if err := f.Embed(ctx, new(backend.Batch), []string{"a", "b"}); !errors.Is(err, want) {
			t.Errorf("call %d: error %v, want %v", call+1, err, want)
		}
	}
	if f.Calls() != 3 || f.Texts() != 4 {
		t.Errorf("%d calls, %d texts", f.Calls(), f.Texts())
	}
	if err := NewFake(FakeOptions{FailAt: 1, Err: errOther}).Embed(ctx, new(backend.Batch), nil); !errors.Is(err, errOther) {
		t.Errorf("error %v", err)
	}
}

func TestFakeSignature(t *testing.T) {
	seen := make(map[string]int)
	for i, o := range []FakeOptions{
		{}, {Dim: 3}, {Special: true}, {MaxTokens: 9}, {OneHot: true, Dim: 16},
		{OneHot: true, Dim: 16, Vocabulary: []string{"a"}}, {OneHot: true, Dim: 16, Vocabulary: []string{"a", "b"}},
		{OneHot: true, Dim: 16, Vocabulary: []string{"b", "a"}},
	} {
		sig := NewFake(o).Info().Signature.String()
		if k, ok := seen[sig]; ok {
			t.Errorf("options %d and %d have the signature %s", k, i, sig)
		}
		seen[sig] = i
	}
}

func TestNewFakePanics(t *testing.T) {
	for _, o := range []FakeOptions{
		{Dim: -1}, {MaxTokens: -1}, {Special: true, MaxTokens: 2},
		{OneHot: true, Dim: 1, Vocabulary: []string{"a", "b"}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for %+v", o)
				}
			}()
			NewFake(o)
		}()
	}
}

var errOther = errors.New("some other error")

func TestOptionsErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		open func() (backend.Backend, error)
		o    Options
		want string
	}{
		{"open fails", func() (backend.Backend, error) { return nil, errOther }, Options{}, "some other error"},
		{"open gives nothing", func() (backend.Backend, error) { return nil, nil }, Options{}, "no backend"},
		{"tolerance", func() (backend.Backend, error) { return NewFake(FakeOptions{}), nil }, Options{Tolerance: math.NaN()}, "Tolerance"},
	} {
		if err := Test(tt.open, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// faulty is a Fake with some methods replaced.
type faulty struct {
	*Fake
	info  func(backend.Info) backend.Info
	embed func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error
	close func(f *Fake) error
	match matchFunc // makes it a Matcher
}

func (f *faulty) Info() backend.Info {
	if f.info != nil {
		return f.info(f.Fake.Info())
	}
	return f.Fake.Info()
}

func (f *faulty) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	if f.embed != nil {
		return f.embed(ctx, f.Fake, dst, texts)
	}
	return f.Fake.Embed(ctx, dst, texts)
}

func (f *faulty) Close() error {
	if f.close != nil {
		return f.close(f.Fake)
	}
	return f.Fake.Close()
}

// changed embeds and then changes the batch.
func changed(change func(b *backend.Batch, texts []string)) func(context.Context, *Fake, *backend.Batch, []string) error {
	return func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if err := f.Embed(ctx, dst, texts); err != nil {
			return err
		}
		change(dst, texts)
		return nil
	}
}

// Every fault is found as what it is, and for every rule there is a fault.
func TestFaults(t *testing.T) {
	missing := make(map[rule]bool)
	for r := range numRules {
		if ruleTable[r].text == "" {
			t.Errorf("rule %d has no text", r)
		}
		missing[r] = r < infoEncoder
	}
	for _, f := range faults() {
		opt := FakeOptions{Special: true, MaxTokens: 40}
		if f.opt != nil {
			opt = *f.opt
		}
		err := Test(func() (backend.Backend, error) {
			b := f.make()
			b.Fake = NewFake(opt)
			if b.match != nil {
				return faultyMatcher{b}, nil
			}
			return b, nil
		}, Options{Tolerance: f.tolerance})
		checkFound(t, f.name, err, ruleTable[f.want].where, f.want)
		missing[f.want] = false
	}
	for r, without := range missing {
		if without {
			t.Errorf("no fault for %s: %s", ruleTable[r].where, r)
		}
	}
}

// checkFound checks that what a kit returned names a rule, and is for people to read.
func checkFound(t *testing.T, name string, err error, where string, want rule) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: nothing found", name)
		return
	}
	found := false
	all := err.(interface{ Unwrap() []error }).Unwrap()
	for _, e := range all {
		var v *kit.Violation[rule]
		if !errors.As(e, &v) {
			t.Fatalf("%s: %T", name, e)
		}
		found = found || v.Where == where && v.Rule == want
		if start := v.Where + ": " + ruleTable[v.Rule].text + ": "; !strings.HasPrefix(e.Error(), start) {
			t.Errorf("%s: %v does not start with %q", name, e, start)
		}
	}
	if !found {
		t.Errorf("%s: not found: %s: %s. Found:\n%.2000v", name, where, want, err)
	}
	if len(all) > 30 {
		t.Errorf("%s: %d errors are too many to read", name, len(all))
	}
}

// A fault is a backend with something wrong and the rule that it must be found to
// break.
type fault struct {
	name      string
	opt       *FakeOptions // of the Fake in it
	tolerance float64
	make      func() *faulty
	want      rule
}

func faults() (out []fault) {
	add := func(name string, want rule, make func() *faulty) {
		out = append(out, fault{name: name, make: make, want: want})
	}
	info := func(name string, want rule, change func(*backend.Info)) {
		add(name, want, func() *faulty {
			return &faulty{info: func(i backend.Info) backend.Info {
				change(&i)
				return i
			}}
		})
	}
	info("no name", infoName, func(i *backend.Info) { i.Name = "" })
	info("no dimension", infoDim, func(i *backend.Info) { i.Dim = 0 })
	info("negative limit", infoMax, func(i *backend.Info) { i.MaxTokens = -1 })
	info("no signature", infoSignature, func(i *backend.Info) { i.Signature = nil })
	info("bar in the signature", infoSignature, func(i *backend.Info) { i.Signature[0].Value = "a|b" })
	info("field without a value", infoSignature, func(i *backend.Info) { i.Signature[0].Value = "" })
	add("Info counts calls", infoSame, func() *faulty {
		n := 0
		return &faulty{info: func(i backend.Info) backend.Info {
			n++
			i.MaxTokens += n
			return i
		}}
	})
	add("no Info after Close", infoSame, func() *faulty {
		b := &faulty{}
		b.info = func(i backend.Info) backend.Info {
			if b.closed.Load() {
				return backend.Info{}
			}
			return i
		}
		return b
	})

	type embed = func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error
	embeds := func(name string, want rule, e embed) {
		add(name, want, func() *faulty { return &faulty{embed: e} })
	}
	embeds("fails for bad bytes", embedFails, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if slices.ContainsFunc(texts, func(s string) bool { return strings.ToValidUTF8(s, "") != s }) {
			return errOther
		}
		return f.Embed(ctx, dst, texts)
	})
	embeds("panics without a word", noPanic, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if slices.Contains(texts, "") {
			panic("no word")
		}
		return f.Embed(ctx, dst, texts)
	})
	embeds("panics beside Close", noPanic, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if len(texts) == 2 {
			panic("two texts")
		}
		return f.Embed(ctx, dst, texts)
	})
	embeds("sorts texts", embedInput, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		err := f.Embed(ctx, dst, texts)
		slices.Sort(texts)
		return err
	})
	embeds("no Dim", batchShape, changed(func(b *backend.Batch, _ []string) { b.Dim = 0 }))
	embeds("no last offset", batchShape, changed(func(b *backend.Batch, texts []string) { b.Offsets = b.Offsets[:len(texts)] }))
	embeds("offsets in disorder", batchShape, changed(func(b *backend.Batch, texts []string) {
		if len(texts) > 1 {
			b.Offsets[1] = b.Offsets[len(texts)] + 1
		}
	}))
	embeds("first offset 2", batchShape, changed(func(b *backend.Batch, _ []string) { b.Offsets[0] = 2 }))
	embeds("negative offset", batchShape, changed(func(b *backend.Batch, texts []string) {
		if len(texts) > 1 {
			b.Offsets[1] = -1
		}
	}))
	embeds("a vector short", batchShape, changed(func(b *backend.Batch, _ []string) { b.Data = b.Data[:max(0, len(b.Data)-b.Dim)] }))
	embeds("a token too many", batchShape, changed(func(b *backend.Batch, _ []string) { b.Tokens = append(b.Tokens, mteval.Token{}) }))
	embeds("padded data", batchShape, changed(func(b *backend.Batch, _ []string) { b.Data = append(b.Data, 0) }))

	embeds("truncates silently", truncatedList, changed(func(b *backend.Batch, _ []string) { b.Truncated = b.Truncated[:0] }))
	embeds("truncated in reverse", truncatedList, changed(func(b *backend.Batch, _ []string) { slices.Reverse(b.Truncated) }))
	embeds("truncated at -1", truncatedList, changed(func(b *backend.Batch, _ []string) {
		b.Truncated = append([]int{-1}, b.Truncated...)
	}))
	embeds("truncated twice", truncatedList, changed(func(b *backend.Batch, _ []string) {
		b.Truncated = append(b.Truncated, b.Truncated...)
	}))
	embeds("truncated past the end", truncatedList, changed(func(b *backend.Batch, texts []string) {
		if len(b.Truncated) > 0 {
			b.Truncated = append(b.Truncated, len(texts))
		}
	}))
	out = append(out,
		fault{name: "truncated without a limit", want: truncatedList, opt: &FakeOptions{}, make: func() *faulty {
			return &faulty{embed: changed(func(b *backend.Batch, texts []string) {
				b.Truncated = b.Truncated[:0]
				for i, text := range texts {
					if len(text) > 100 {
						b.Truncated = append(b.Truncated, i)
					}
				}
			})}
		}},
		fault{name: "truncates without a limit", want: truncatedList, opt: &FakeOptions{MaxTokens: 50}, make: func() *faulty {
			return &faulty{
				info:  func(i backend.Info) backend.Info { i.MaxTokens = 0; return i },
				embed: changed(func(b *backend.Batch, _ []string) { b.Truncated = b.Truncated[:0] }),
			}
		}},
		fault{name: "more than the limit", want: maxTokens, opt: &FakeOptions{}, make: func() *faulty {
			return &faulty{info: func(i backend.Info) backend.Info { i.MaxTokens = 50; return i }}
		}})
	embeds("truncated of an earlier call", embedDirty, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		before := slices.DeleteFunc(slices.Clone(dst.Truncated), func(i int) bool { return i >= len(texts) })
		err := f.Embed(ctx, dst, texts)
		if len(before) > 0 {
			dst.Truncated = before
		}
		return err
	})

	// token changes the tokens of the text with this one.
	token := func(change func(*mteval.Token)) embed {
		return changed(func(b *backend.Batch, _ []string) {
			for j := range b.Tokens {
				if strings.HasPrefix(b.Tokens[j].Text, "Die") || strings.HasPrefix(b.Tokens[j].Text, "legt") {
					change(&b.Tokens[j])
				}
			}
		})
	}
	embeds("empty place", tokenSpan, token(func(t *mteval.Token) { t.Start = t.End }))
	embeds("place outside the text", tokenSpan, token(func(t *mteval.Token) { t.End += 500 }))
	embeds("negative place", tokenSpan, token(func(t *mteval.Token) { t.Start = -1 }))
	embeds("places in disorder", tokenSpan, changed(func(b *backend.Batch, texts []string) {
		for i := range texts {
			tokens, _ := b.Text(i)
			slices.Reverse(tokens)
		}
	}))
	embeds("weight of a half", tokenWeight, token(func(t *mteval.Token) { t.Weight = .5 }))
	embeds("weight infinite", tokenWeight, token(func(t *mteval.Token) { t.Weight = float32(math.Inf(1)) }))
	embeds("weight negative", tokenWeight, token(func(t *mteval.Token) { t.Weight = -1 }))
	embeds("weight NaN", tokenWeight, token(func(t *mteval.Token) { t.Weight = float32(math.NaN()) }))
	embeds("vector NaN", vectorFinite, changed(func(b *backend.Batch, _ []string) {
		if len(b.Data) > 0 {
			b.Data[len(b.Data)-1] = float32(math.NaN())
		}
	}))
	embeds("vector infinite", vectorFinite, changed(func(b *backend.Batch, _ []string) {
		if len(b.Data) > 0 {
			b.Data[0] = float32(math.Inf(-1))
		}
	}))
	embeds("empty text weighs", emptyText, changed(func(b *backend.Batch, _ []string) {
		for j := range b.Tokens {
			b.Tokens[j].Weight = 1
		}
	}))

	shift := func(x float32) embed { // by the length of the batch
		return changed(func(b *backend.Batch, texts []string) {
			if len(texts) > 1 {
				for j := range b.Data {
					b.Data[j] += x
				}
			}
		})
	}
	embeds("padding changes vectors", embedAlone, shift(1e-7))
	out = append(out, fault{name: "padding changes vectors beyond tolerance", tolerance: 1e-3, want: embedAlone,
		make: func() *faulty { return &faulty{embed: shift(1e-2)} }})
	embeds("mean of the batch is taken off", embedAlone, changed(func(b *backend.Batch, texts []string) {
		if len(texts) < 2 {
			return
		}
		mean := float32(0)
		for _, x := range b.Data {
			mean += x / float32(len(b.Data))
		}
		for j := range b.Data {
			b.Data[j] -= mean
		}
	}))
	embeds("batch is cut to the first text's length", embedAlone, changed(func(b *backend.Batch, texts []string) {
		for i := 1; i < len(texts); i++ {
			first, _ := b.Text(0)
			if tokens, data := b.Text(i); len(tokens) > len(first) {
				clear(data[len(first)*b.Dim:])
			}
		}
	}))
	embeds("truncated by the batch", embedAlone, changed(func(b *backend.Batch, texts []string) {
		if len(texts) > 1 && len(b.Truncated) > 0 {
			b.Truncated = b.Truncated[1:]
		}
	}))
	embeds("adds to what dst holds", embedDirty, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		before := float32(0)
		if len(dst.Data) > 0 {
			before = 1
		}
		err := f.Embed(ctx, dst, texts)
		for j := range dst.Data {
			dst.Data[j] += before
		}
		return err
	})
	lenders := new(atomic.Int64)
	add("lends its own memory", embedEarlier, func() *faulty {
		own := make([]float32, 0, 4096)
		first := lenders.Add(1) == 1 // a second one is used by several goroutines
		return &faulty{embed: func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
			err := f.Embed(ctx, dst, texts)
			if first && len(texts) > 1 && len(texts) < 4 { // as for the check of memory
				own = append(own[:0], dst.Data...)
				dst.Data = own
			}
			return err
		}}
	})
	embeds("new memory every time", embedReuse, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		var b backend.Batch
		err := f.Embed(ctx, &b, texts)
		*dst = b
		return err
	})
	embeds("new vectors every time", embedReuse, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		dst.Data = nil
		return f.Embed(ctx, dst, texts)
	})
	embeds("fails without texts", embedZero, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if len(texts) == 0 {
			return errOther
		}
		return f.Embed(ctx, dst, texts)
	})
	embeds("leaves dst without texts", embedZero, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if len(texts) == 0 {
			return nil
		}
		return f.Embed(ctx, dst, texts)
	})
	embeds("does not stop", embedCancelled, func(_ context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		return f.Embed(background, dst, texts)
	})
	embeds("has another error when cancelled", embedCancelled, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if err := f.Embed(ctx, dst, texts); !errors.Is(err, context.Canceled) {
			return err
		}
		return errOther
	})
	embeds("gives zeros when cancelled on the way", embedCancelled, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := f.Embed(ctx, dst, texts)
		if errors.Is(err, context.Canceled) {
			err = f.Embed(background, dst, texts)
			clear(dst.Data)
		}
		return err
	})
	add("serves one caller at a time", embedConcurrent, func() *faulty {
		inUse := new(atomic.Int64)
		return &faulty{embed: func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
			defer inUse.Add(-1)
			if inUse.Add(1); len(texts) > 2 && len(texts) < 20 {
				time.Sleep(10 * time.Millisecond) // for the others to come
			}
			err := f.Embed(ctx, dst, texts)
			if inUse.Load() > 1 {
				clear(dst.Data)
			}
			return err
		}}
	})
	embeds("works when closed", embedClosed, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		return NewFake(f.opt).Embed(ctx, dst, texts)
	})
	embeds("has another error when closed", embedClosed, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		if err := f.Embed(ctx, dst, texts); !errors.Is(err, backend.ErrClosed) {
			return err
		}
		return errOther
	})

	instances := new(atomic.Int64)
	add("every instance has other vectors", openAgain, func() *faulty {
		n := float32(instances.Add(1))
		return &faulty{embed: changed(func(b *backend.Batch, _ []string) {
			for j := range b.Data {
				b.Data[j] += n
			}
		})}
	})
	add("every instance has another signature", openAgain, func() *faulty {
		n := strings.Repeat("x", int(instances.Add(1)))
		return &faulty{info: func(i backend.Info) backend.Info {
			i.Signature[0].Value = n
			return i
		}}
	})
	out = append(out, matcherFaults()...)
	out = append(out, limitFaults()...)
	add("Close fails", closeFails, func() *faulty {
		return &faulty{close: func(f *Fake) error {
			f.Close()
			return errOther
		}}
	})
	add("Close fails the second time", closeAgain, func() *faulty {
		return &faulty{close: func(f *Fake) error {
			if f.closed.Swap(true) {
				return backend.ErrClosed
			}
			return nil
		}}
	})
	// Its memory is gone while it works.
	embeds("Close does not wait", closeInUse, func(ctx context.Context, f *Fake, dst *backend.Batch, texts []string) error {
		err := f.Embed(ctx, dst, texts)
		if err == nil && len(texts) == 2 {
			time.Sleep(20 * time.Millisecond)
		}
		if f.closed.Load() && err == nil {
			clear(dst.Data)
		}
		return err
	})
	return out
}

// A tolerance lets pass what it is for.
func TestTolerance(t *testing.T) {
	open := func() (backend.Backend, error) {
		return &faulty{Fake: NewFake(FakeOptions{}), embed: changed(func(b *backend.Batch, texts []string) {
			for j := range b.Data {
				b.Data[j] *= 1 + float32(len(texts))*1e-7
			}
		})}, nil
	}
	if err := Test(open, Options{}); err == nil {
		t.Error("nothing found without a tolerance")
	}
	if err := Test(open, Options{Tolerance: 1e-4}); err != nil {
		t.Error(err)
	}
}
