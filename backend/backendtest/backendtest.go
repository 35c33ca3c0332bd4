// Package backendtest is the kit that an implementation of backend.Backend or of
// backend.Encoder must pass, and a deterministic fake for tests of what uses a backend.
//
// In the manner of testing/fstest, Test checks a backend against everything that
// the documentation of package backend promises, and says what it found:
//
//	func TestConformance(t *testing.T) {
//		open := func() (backend.Backend, error) { return model.Open("testdata/tiny") }
//		if err := backendtest.Test(open, backendtest.Options{}); err != nil {
//			t.Error(err)
//		}
//	}
//
// TestEncoder does the same for an encoder. The kit knows nothing of what a vector should be. It checks what scores that are
// the same everywhere rest on: that what a text gets depends on nothing but the
// text, and that what is cut off is told.
package backendtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/kit"
)

// Options of Test and TestEncoder.
type Options struct {
	// Texts are checked besides the kit's own.
	Texts []string

	// Tolerance is how far the vectors of a token may lie apart, both scaled
	// to length 1, where its text is embedded with other texts. Of vectors of
	// sequences it is a part of their length. 0, which is
	// what the documentation of backend asks for, is equality to the last
	// bit. It is for devices that choose their kernels, and with them the
	// order of sums, by the shape of a batch.
	Tolerance float64
}

// Test checks the backends that open returns. It calls open more than once and
// closes what it got. It returns nil if all is well, else an error that joins one
// for everything it found; each names the method, the rule that is broken, and
// with which text.
func Test(open func() (backend.Backend, error), o Options) error {
	if !(o.Tolerance >= 0) {
		return fmt.Errorf("backendtest: Tolerance is %v", o.Tolerance)
	}
	if open == nil {
		return errors.New("backendtest: no open: it is nil")
	}
	b, err := open()
	if err != nil {
		return fmt.Errorf("backendtest: open: %w", err)
	}
	if contract.Nil(b) {
		return errors.New("backendtest: open returned no backend")
	}
	t := &tester{b: b, tolerance: o.Tolerance}
	t.Guard("Info", t.checkInfo)
	if len(t.List()) > 0 {
		b.Close()
		return t.Err() // a dimension that is wrong makes everything wrong
	}
	t.texts, t.long = allTexts(t.info.MaxTokens, o.Texts)
	ok := false
	t.Guard("Embed", func() { ok = t.oneByOne() })
	if ok {
		t.Guard("Embed", t.checkTexts)
		t.Guard("Embed", t.checkLong)
		t.Guard("Embed", t.checkMemory)
		t.Guard("Embed", t.checkZero)
		t.Guard("Embed", t.checkLimit)
		t.Guard("Embed", t.checkBatches)
		// Where batches do not give what their texts get one by one, checks
		// of other things that compare batches would find the same once more
		// and call it something else.
		ok = !t.Found("Embed", noPanic, embedFails, embedAlone, embedDirty)
	}
	if ok {
		t.Guard("Embed", t.checkCancelled)
		t.checkConcurrent()
		t.Guard("open", func() { t.checkOther(open) })
		t.Guard("Match", func() { t.checkMatcher(open) })
	}
	t.Guard("Close", t.checkClose)
	return t.Err()
}

// An item is what a text got.
type item struct {
	tokens    []mteval.Token
	data      []float32
	truncated bool
}

// manyWords is how many words a text has that is long for a backend without a limit.
const manyWords = 2000

// allTexts are the kit's own, those given, and last, at the places long, one or two that
// are longer than so many tokens, or just long for 0, no limit.
func allTexts(maxTokens int, given []string) (all []string, long []int) {
	all = append(texts(), given...)
	n := manyWords
	if maxTokens > 0 {
		n = maxTokens + 10
	}
	if n > 50*manyWords {
		n = manyWords // it would take for ever
	}
	long = []int{len(all)}
	all = append(all, strings.TrimSpace(strings.Repeat("word ", n)))
	if maxTokens > 0 {
		long = append(long, len(all))
		all = append(all, strings.TrimSpace(strings.Repeat("other words ", n)))
	}
	return all, long
}

func (t *tester) checkInfo() {
	t.info = t.b.Info()
	if t.info.MaxTokens < 0 {
		t.Fail("Info", infoMax, "it is %d", t.info.MaxTokens)
	}
	checkInfo(&t.Findings, t.info)
	t.checkInfoAgain("again")
}

// checkInfo checks what is alike for backends and encoders.
func checkInfo(found *kit.Findings[rule], info backend.Info) {
	if info.Name == "" {
		found.Fail("Info", infoName, "it is empty")
	}
	if info.Dim <= 0 {
		found.Fail("Info", infoDim, "it is %d", info.Dim)
	}
	if len(info.Signature) == 0 {
		found.Fail("Info", infoSignature, "it is empty")
	}
	for _, f := range info.Signature {
		if f.Key == "" || f.Value == "" || strings.ContainsAny(f.Key, "|:") || strings.ContainsAny(f.Abbr, "|:") || strings.Contains(f.Value, "|") {
			found.Fail("Info", infoSignature, "key %q, abbreviated %q, has the value %q", f.Key, f.Abbr, f.Value)
		}
	}
}

func (t *tester) checkInfoAgain(when string) {
	for range 2 {
		if now := t.b.Info(); !sameInfo(t.info, now) {
			t.Fail("Info", infoSame, "first %+v, %s %+v", t.info, when, now)
		}
	}
}

func sameInfo(a, b backend.Info) bool {
	return a.Name == b.Name && a.ModelFree == b.ModelFree && a.Dim == b.Dim && a.MaxTokens == b.MaxTokens && slices.Equal(a.Signature, b.Signature)
}

// embed embeds texts and returns what each got, or false where it got nothing of
// use.
func (t *tester) embed(dst *backend.Batch, texts []string, what string) ([]item, bool) {
	own := slices.Clone(texts)
	if err := t.b.Embed(background, dst, own); err != nil {
		t.Fail("Embed", embedFails, "%s: %w", what, err)
		return nil, false
	}
	for k := range own {
		if own[k] != texts[k] {
			t.Fail("Embed", embedInput, "%s, place %d of %d: %.60q became %.60q", what, k, len(own), texts[k], own[k])
		}
	}
	return t.take(dst, texts, what)
}

// take checks the shape of a batch and returns a copy of what is in it.
func (t *tester) take(b *backend.Batch, texts []string, what string) ([]item, bool) {
	const where = "Embed"
	if b.Dim != t.info.Dim {
		t.Fail(where, batchShape, "%s: Dim is %d, that of Info %d", what, b.Dim, t.info.Dim)
		return nil, false
	}
	if len(b.Offsets) != len(texts)+1 || b.Offsets[0] != 0 || !slices.IsSorted(b.Offsets) || b.Offsets[len(texts)] != len(b.Tokens) {
		t.Fail(where, batchShape, "%s: %d texts with %d tokens, Offsets %v", what, len(texts), len(b.Tokens), b.Offsets)
		return nil, false
	}
	if len(b.Data) != len(b.Tokens)*b.Dim {
		t.Fail(where, batchShape, "%s: %d numbers for %d tokens of Dim %d", what, len(b.Data), len(b.Tokens), b.Dim)
		return nil, false
	}
	for k, i := range b.Truncated {
		if i < 0 || i >= len(texts) || k > 0 && i <= b.Truncated[k-1] {
			t.Fail(where, truncatedList, "%s: %d texts, Truncated %v", what, len(texts), b.Truncated)
			return nil, false
		}
	}
	items := make([]item, len(texts))
	for i := range items {
		tokens, data := b.Text(i)
		items[i] = item{slices.Clone(tokens), slices.Clone(data), slices.Contains(b.Truncated, i)}
	}
	return items, true
}

func (t *tester) oneByOne() bool {
	for _, text := range t.texts {
		var b backend.Batch
		got, ok := t.embed(&b, []string{text}, fmt.Sprintf("text %.60q", text))
		if !ok {
			return false
		}
		t.want = append(t.want, got[0])
	}
	return true
}

// checkTexts checks what each text got by itself. Tokens may share a place, as the
// bytes of a character do for some models.
func (t *tester) checkTexts() {
	const where = "Embed"
	for i, text := range t.texts {
		got := t.want[i]
		start, end := 0, 0
		for j, k := range got.tokens {
			if k.Weight != 0 && k.Weight != 1 {
				t.Fail(where, tokenWeight, "text %.60q, token %d: %+v", text, j, k)
			}
			if v := got.data[j*t.info.Dim : (j+1)*t.info.Dim]; slices.ContainsFunc(v, notFinite) {
				t.Fail(where, vectorFinite, "text %.60q, token %d: %+v: %v", text, j, k, v)
			}
			if k.Start == 0 && k.End == 0 {
				continue // not in the text
			}
			if k.Start < start || k.End < end || k.Start >= k.End || k.End > len(text) {
				t.Fail(where, tokenSpan, "text %.60q (%d bytes), token %d: %+v, the one before ends at %d", text, len(text), j, k, end)
			}
			start, end = k.Start, k.End
		}
		if m := t.info.MaxTokens; m > 0 && len(got.tokens) > m {
			t.Fail(where, maxTokens, "text %.60q has %d, the limit is %d", text, len(got.tokens), m)
		}
		if text == "" {
			for _, k := range got.tokens {
				if k.Weight != 0 {
					t.Fail(where, emptyText, "it has the token %+v", k)
				}
			}
		}
	}
}

func notFinite(x float32) bool { return x-x != 0 }

// checkLong checks that a text is complete or in Truncated. Long texts are plain
// words, of which nothing can get lost in between.
func (t *tester) checkLong() {
	const where = "Embed"
	for i, text := range t.texts {
		words := strings.Count(text, " ") + 1
		got := t.want[i]
		if got.truncated && t.info.MaxTokens == 0 {
			t.Fail(where, truncatedList, "text %.60q of %d bytes is there though there is no limit", text, len(text))
		}
		if !slices.Contains(t.long, i) {
			continue
		}
		end := 0
		for _, k := range got.tokens {
			end = max(end, k.End)
		}
		switch complete := end == len(text); {
		case complete && got.truncated:
			t.Fail(where, truncatedList, "text %.60q of %d words is there though it is complete", text, words)
		case !complete && !got.truncated:
			t.Fail(where, truncatedList, "text %.60q of %d words is not there though its tokens end at byte %d of %d", text, words, end, len(text))
		}
	}
}

// checkBatches embeds texts together, in other orders and into used memory.
func (t *tester) checkBatches() {
	const where = "Embed"
	var b backend.Batch
	batch := func(of []int, what string, r rule) {
		texts := make([]string, len(of))
		for k, i := range of {
			texts[k] = t.texts[i]
		}
		if got, ok := t.embed(&b, texts, what); ok {
			t.compare(got, of, where, r, what)
		}
	}
	all := t.all()
	batch(all, "all texts in a batch", embedAlone)
	slices.Reverse(all)
	b = backend.Batch{}
	batch(all, "all texts in reverse", embedAlone)

	rng := rand.New(rand.NewPCG(1, 0))
	short := slices.DeleteFunc(t.all(), func(i int) bool { return slices.Contains(t.long, i) })
	var mixed []int
	for len(mixed) < 150 {
		mixed = append(mixed, short[rng.IntN(len(short))])
	}
	b = backend.Batch{}
	batch(mixed, "texts in no order with repetitions", embedAlone)
	b = backend.Batch{}
	batch([]int{t.long[0], 0, t.long[len(t.long)-1], 0, t.long[0]}, "long texts among others", embedAlone)

	b = garbage()
	batch(short, "dst full of other things", embedDirty)
	batch([]int{t.long[0], short[0]}, "dst of an earlier call", embedDirty)
	batch([]int{short[1]}, "dst of an earlier call", embedDirty)
	batch(mixed, "dst of an earlier call", embedDirty)
}

func (t *tester) all() []int {
	of := make([]int, len(t.texts))
	for i := range of {
		of[i] = i
	}
	return of
}

func garbage() backend.Batch {
	nan := float32(math.NaN())
	return backend.Batch{
		Dim:       7,
		Data:      slices.Repeat([]float32{nan}, 9999),
		Offsets:   slices.Repeat([]int{-3}, 40),
		Tokens:    slices.Repeat([]mteval.Token{{Text: "garbage", Start: 9, End: 1, Weight: nan}}, 300),
		Truncated: []int{0, 1, 2, 9},
	}
}

// compare compares what texts got with what they got alone.
func (t *tester) compare(got []item, of []int, where string, r rule, what string) {
	for k, i := range of {
		if d := t.differ(got[k], t.want[i]); d != "" {
			t.Fail(where, r, "%s, place %d of %d, text %.60q: %s", what, k, len(of), t.texts[i], d)
		}
	}
}

// differ says where two items are not equal.
func (t *tester) differ(got, want item) string {
	if got.truncated != want.truncated {
		return fmt.Sprintf("truncated is %v, want %v", got.truncated, want.truncated)
	}
	if len(got.tokens) != len(want.tokens) {
		return fmt.Sprintf("%d tokens, want %d", len(got.tokens), len(want.tokens))
	}
	for j, k := range got.tokens {
		if k != want.tokens[j] {
			return fmt.Sprintf("token %d is %+v, want %+v", j, k, want.tokens[j])
		}
		u, v := got.data[j*t.info.Dim:(j+1)*t.info.Dim], want.data[j*t.info.Dim:(j+1)*t.info.Dim]
		if !sameBits(u, v) {
			if d := distance(u, v); t.tolerance == 0 || !(d <= t.tolerance) {
				return fmt.Sprintf("the vectors of token %d, %q, are %.3g apart", j, k.Text, d)
			}
		}
	}
	return ""
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// distance is that of two vectors scaled to length 1.
func distance(a, b []float32) float64 {
	length := func(v []float32) float64 {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if sum == 0 {
			return 1
		}
		return math.Sqrt(sum)
	}
	la, lb := length(a), length(b)
	sum := 0.0
	for i := range a {
		d := float64(a[i])/la - float64(b[i])/lb
		sum += d * d
	}
	return math.Sqrt(sum)
}

// checkMemory checks that dst's memory is used again, and that of other batches is
// left alone.
func (t *tester) checkMemory() {
	const where = "Embed"
	short := []string{t.texts[0], t.texts[1]}
	var a, b backend.Batch
	first, ok := t.embed(&a, short, "a batch to keep")
	if !ok || len(a.Tokens) == 0 {
		return
	}
	if _, ok := t.embed(&b, []string{t.texts[2], t.texts[1], t.texts[0]}, "another batch"); !ok {
		return
	}
	if kept, ok := t.take(&a, short, "a batch of an earlier call"); ok {
		for i := range kept {
			if d := (&tester{info: t.info}).differ(kept[i], first[i]); d != "" {
				t.Fail(where, embedEarlier, "text %.60q: %s", short[i], d)
			}
		}
	}
	data, offsets, tokens := &a.Data[0], &a.Offsets[0], &a.Tokens[0]
	if _, ok := t.embed(&a, short, "dst of an earlier call"); !ok || len(a.Tokens) == 0 {
		return
	}
	if data != &a.Data[0] || offsets != &a.Offsets[0] || tokens != &a.Tokens[0] {
		t.Fail(where, embedReuse, "the texts that dst held already have new memory: Data %t, Offsets %t, Tokens %t",
			data != &a.Data[0], offsets != &a.Offsets[0], tokens != &a.Tokens[0])
	}
}

func (t *tester) checkZero() {
	for _, texts := range [][]string{nil, {}} {
		for _, b := range []backend.Batch{{}, garbage()} {
			if err := t.b.Embed(background, &b, texts); err != nil {
				t.Fail("Embed", embedZero, "%w", err)
				continue
			}
			if len(b.Offsets) != 1 || b.Offsets[0] != 0 || len(b.Tokens) != 0 || len(b.Data) != 0 || len(b.Truncated) != 0 || b.Dim != t.info.Dim {
				t.Fail("Embed", embedZero, "Dim %d, Offsets %v, Truncated %v, %d tokens, %d numbers", b.Dim, b.Offsets, b.Truncated, len(b.Tokens), len(b.Data))
			}
		}
	}
}

var background = context.Background()

func (t *tester) checkCancelled() {
	const where = "Embed"
	cancelled, cancel := context.WithCancel(background)
	cancel()
	late, cancel := context.WithDeadline(background, time.Unix(0, 0))
	cancel()
	var of []int
	for len(of) < 600 {
		of = append(of, t.all()[:len(t.texts)-len(t.long)]...)
	}
	texts := make([]string, len(of))
	for k, i := range of {
		texts[k] = t.texts[i]
	}
	for _, c := range []struct {
		name string
		ctx  context.Context
		want error
	}{
		{"a cancelled ctx", cancelled, context.Canceled},
		{"a ctx with a deadline that is past", late, context.DeadlineExceeded},
	} {
		if err := t.b.Embed(c.ctx, new(backend.Batch), slices.Clone(texts)); !errors.Is(err, c.want) {
			t.Fail(where, embedCancelled, "%s and %d texts: error %v, want %v", c.name, len(texts), err, c.want)
		}
	}
	// Cancelled on the way it may be too late to stop, but there is no third
	// way.
	of, texts = of[:100], texts[:100]
	for _, after := range kit.Looks(func(ctx context.Context) { _ = t.b.Embed(ctx, new(backend.Batch), slices.Clone(texts)) }) {
		var b backend.Batch
		err := t.b.Embed(kit.NewCountdown(after), &b, slices.Clone(texts))
		switch {
		case err == nil:
			what := "ctx cancelled on the way and no error"
			if got, ok := t.take(&b, texts, what); ok {
				t.compare(got, of, where, embedCancelled, what)
			}
		case !errors.Is(err, context.Canceled):
			t.Fail(where, embedCancelled, "ctx cancelled on the way: error %v, want %v", err, context.Canceled)
		}
	}
	var b backend.Batch
	if got, ok := t.embed(&b, texts, "after cancelled calls"); ok {
		t.compare(got, of, where, embedCancelled, "after cancelled calls")
	}
}

func (t *tester) checkConcurrent() {
	const workers = 4
	t.Together("Embed", workers, func(w int) {
		of := t.all()[:len(t.texts)-len(t.long)]
		of = append(of[w*len(of)/workers:len(of):len(of)], of[:w*len(of)/workers]...)
		var b backend.Batch
		for _, part := range [][]int{of[:len(of)/2], of[len(of)/2:]} {
			texts := make([]string, len(part))
			for k, i := range part {
				texts[k] = t.texts[i]
			}
			if got, ok := t.embed(&b, texts, "several goroutines"); ok {
				t.compare(got, part, "Embed", embedConcurrent, "several goroutines")
			}
		}
	})
}

// checkOther opens another backend, which must be the same, and closes it while it
// is in use.
func (t *tester) checkOther(open func() (backend.Backend, error)) {
	b, err := open()
	if err != nil {
		t.Fail("open", openAgain, "%w", err)
		return
	}
	defer b.Close()
	if info := b.Info(); !sameInfo(info, t.info) {
		t.Fail("open", openAgain, "Info is %+v, was %+v", info, t.info)
		return
	}
	other := &tester{b: b, info: t.info, tolerance: t.tolerance, texts: t.texts, long: t.long, want: t.want}
	of := t.all()[:len(t.texts)-len(t.long)]
	texts := t.texts[:len(of)]
	var batch backend.Batch
	if got, ok := other.embed(&batch, texts, "a second backend"); ok {
		other.compare(got, of, "open", openAgain, "a second backend")
	}

	other.checkCloseInUse(2)
	t.Join(&other.Findings)
}

// checkCloseInUse closes the backend while it embeds the first n texts. Closing has to
// wait, or make Embed fail.
func (t *tester) checkCloseInUse(n int) {
	texts, of := t.texts[:n], t.all()[:n]
	var wg sync.WaitGroup
	started := make(chan struct{}, 3)
	for range cap(started) {
		wg.Go(func() {
			t.Guard("Close", func() {
				signal := sync.OnceFunc(func() { started <- struct{}{} })
				defer signal()
				for range 1000 {
					var batch backend.Batch
					err := t.b.Embed(background, &batch, slices.Clone(texts))
					signal()
					if err != nil {
						if !errors.Is(err, backend.ErrClosed) {
							t.Fail("Close", closeInUse, "Embed beside it: error %v, want %v", err, backend.ErrClosed)
						}
						return
					}
					got, ok := t.take(&batch, texts, "Embed beside Close")
					if !ok {
						return
					}
					t.compare(got, of, "Close", closeInUse, "Embed beside Close")
				}
			})
		})
	}
	for range cap(started) {
		<-started
	}
	t.Guard("Close", func() {
		if err := t.b.Close(); err != nil {
			t.Fail("Close", closeFails, "the second backend's: %w", err)
		}
	})
	wg.Wait()
}

// checkMatcher opens another backend if it is one that matches: it gets closed with a store
// of it there.
func (t *tester) checkMatcher(open func() (backend.Backend, error)) {
	if _, ok := t.b.(backend.Matcher); !ok {
		return
	}
	b, err := open()
	if err != nil {
		t.Fail("open", openAgain, "%w", err)
		return
	}
	defer b.Close()
	m, ok := b.(backend.Matcher)
	if !ok {
		t.Fail("open", openAgain, "the first backend is a Matcher, the second not")
		return
	}
	t.checkMatch(m)
}

func (t *tester) checkClose() {
	const where = "Close"
	if err := t.b.Close(); err != nil {
		t.Fail(where, closeFails, "%w", err)
	}
	for range 2 {
		if err := t.b.Close(); err != nil {
			t.Fail(where, closeAgain, "%w", err)
		}
	}
	var b backend.Batch
	for _, texts := range [][]string{{"a"}, t.texts} {
		if err := t.b.Embed(background, &b, slices.Clone(texts)); !errors.Is(err, backend.ErrClosed) {
			t.Fail("Embed", embedClosed, "%d texts: error %v, want %v", len(texts), err, backend.ErrClosed)
		}
	}
	t.checkInfoAgain("after Close")
}
