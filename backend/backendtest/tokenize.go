package backendtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/kit"
)

// tokenize returns what texts[of[0]], texts[of[1]], … got, or false where that is nothing of
// use.
func (t *encoderTester) tokenize(of []int, most int, what string) ([]backend.Sequence, bool) {
	texts := make([]string, len(of))
	for k, i := range of {
		texts[k] = t.texts[i]
	}
	return t.tokenizeTexts(texts, most, what)
}

func (t *encoderTester) tokenizeTexts(texts []string, most int, what string) ([]backend.Sequence, bool) {
	return t.tokenizeInto(nil, texts, most, what)
}

func (t *encoderTester) tokenizeInto(dst []backend.Sequence, texts []string, most int, what string) ([]backend.Sequence, bool) {
	const where = "Tokenize"
	own := slices.Clone(texts)
	got, err := t.e.Tokenize(background, dst, own, most)
	if err != nil {
		t.Fail(where, tokenizeFails, "%s: %w", what, err)
		return nil, false
	}
	for k := range own {
		if own[k] != texts[k] {
			t.Fail(where, tokenizeInput, "%s, place %d of %d: %.60q became %.60q", what, k, len(own), texts[k], own[k])
		}
	}
	if len(got) != len(texts) {
		t.Fail(where, tokenizeShape, "%s: %d sequences for %d texts", what, len(got), len(texts))
		return nil, false
	}
	for k, s := range got {
		if len(s.IDs) == 0 || len(s.IDs) > most {
			t.Fail(where, tokenizeShape, "%s, place %d of %d: text %.60q has %d tokens, asked for %d", what, k, len(texts), texts[k], len(s.IDs), most)
			return nil, false
		}
	}
	return got, true
}

// tokenizeAll tokenizes each text in a call of its own.
func (t *encoderTester) tokenizeAll() bool {
	for i, text := range t.texts {
		got, ok := t.tokenize([]int{i}, t.info.MaxTokens, fmt.Sprintf("text %.60q", text))
		if !ok {
			return false
		}
		s := got[0]
		t.whole = append(t.whole, backend.Sequence{IDs: slices.Clone(s.IDs), Cut: s.Cut})
		t.sequences = append(t.sequences, t.whole[i].IDs)
	}
	// As many tokens as a sequence of one has, each once.
	one := t.whole[0].IDs
	for k, id := range one[:min(5, len(one))] {
		if id != t.info.Pad && !slices.Contains(one[:k], id) {
			t.sequences = append(t.sequences, []int32{id})
		}
	}
	return true
}

func (t *encoderTester) checkTokenize() {
	for _, check := range []func(){t.checkSpecial, t.checkCut, t.checkLongCut, t.checkTokenizeBatches, t.checkTokenizeWrong} {
		t.Guard("Tokenize", check)
	}
}

// empty is what a text without words has: the special tokens.
func (t *encoderTester) empty() []int32 { return t.whole[slices.Index(t.texts, "")].IDs }

func (t *encoderTester) checkSpecial() {
	empty := t.empty()
	if len(empty) < 2 {
		t.Fail("Tokenize", tokenizeSpecial, "an empty text has %d tokens", len(empty))
		return
	}
	for i, s := range t.whole {
		if n := len(s.IDs); n < len(empty) || s.IDs[0] != empty[0] || s.IDs[n-1] != empty[len(empty)-1] {
			t.Fail("Tokenize", tokenizeSpecial, "text %.60q has the tokens %s, an empty one %v", t.texts[i], some(s.IDs), empty)
		}
	}
}

// some are the first and the last ids of a sequence.
func some(ids []int32) string {
	if len(ids) < 20 {
		return fmt.Sprint(ids)
	}
	return fmt.Sprintf("%v … %v", ids[:10], ids[len(ids)-5:])
}

// checkCut asks for fewer tokens than texts have, for as many, and for one more.
func (t *encoderTester) checkCut() {
	const where = "Tokenize"
	for i, whole := range t.whole {
		n := len(whole.IDs)
		if whole.Cut && n != t.info.MaxTokens {
			t.Fail(where, tokenizeCut, "text %.60q is cut to %d tokens, asked for %d", t.texts[i], n, t.info.MaxTokens)
		}
		for _, most := range []int{3, 4, n/2 + 1, n - 1, n, n + 1} {
			if most < max(3, len(t.empty())) || most > t.info.MaxTokens {
				continue
			}
			got, ok := t.tokenize([]int{i}, most, fmt.Sprintf("at most %d tokens", most))
			if !ok {
				return
			}
			if s, cut := got[0], whole.Cut || most < n; s.Cut != cut {
				t.Fail(where, tokenizeCut, "text %.60q of %d tokens, asked for %d: Cut is %t", t.texts[i], n, most, s.Cut)
			} else if !t.beginning(s.IDs, whole.IDs, most, cut) {
				t.Fail(where, tokenizeCut, "text %.60q of the tokens %s, asked for %d: %s", t.texts[i], some(whole.IDs), most, some(s.IDs))
			}
		}
	}
}

// beginning says whether ids are the first of whole, with the special tokens at the end.
func (t *encoderTester) beginning(ids, whole []int32, most int, cut bool) bool {
	if !cut {
		return slices.Equal(ids, whole)
	}
	if len(ids) != most {
		return false
	}
	empty := t.empty()
	for after := 1; after < len(empty); after++ { // how many special tokens are at the end
		if at := most - after; slices.Equal(ids[:at], whole[:at]) && slices.Equal(ids[at:], empty[len(empty)-after:]) {
			return true
		}
	}
	return false
}

// checkLongCut looks for what is cut and not told.
func (t *encoderTester) checkLongCut() {
	for _, i := range t.long {
		got, ok := t.tokenizeTexts([]string{t.texts[i] + " word other word"}, t.info.MaxTokens, "a long text")
		if ok && !t.whole[i].Cut && slices.Equal(got[0].IDs, t.whole[i].IDs) {
			t.Fail("Tokenize", tokenizeCut, "text %.60q of %d bytes has the same tokens with more words, and Cut is false", t.texts[i], len(t.texts[i]))
		}
	}
}

// checkTokenizeBatches tokenizes texts together and again, and looks at what the first call
// gave.
func (t *encoderTester) checkTokenizeBatches() {
	const where = "Tokenize"
	all := upTo(len(t.texts))
	first, ok := t.tokenize(all, t.info.MaxTokens, "all texts together")
	if !ok {
		return
	}
	t.compareTokens(first, all, where, tokenizeAlone, "all texts together")
	reverse := slices.Clone(all)
	slices.Reverse(reverse)
	for _, of := range [][]int{reverse, append(reverse, reverse...), all[:1]} {
		what := fmt.Sprintf("%d texts in reverse", len(of))
		if got, ok := t.tokenize(of, t.info.MaxTokens, what); ok {
			t.compareTokens(got, of, where, tokenizeAlone, what)
		}
	}
	if !t.Found(where, tokenizeAlone) {
		t.compareTokens(first, all, where, tokenizeEarlier, "what all texts together got, after other calls")
	}
	// In the memory of one call, others of more texts, of fewer, and of other ones.
	memory := []backend.Sequence{{IDs: []int32{-1}, Cut: true}, {Cut: true}}
	for _, of := range [][]int{all[:1], reverse, all, reverse[:len(reverse)/2], all} {
		texts := make([]string, len(of))
		for k, i := range of {
			texts[k] = t.texts[i]
		}
		what := fmt.Sprintf("%d texts in the memory of another call", len(of))
		if memory, ok = t.tokenizeInto(memory, texts, t.info.MaxTokens, what); ok {
			t.compareTokens(memory, of, where, tokenizeAlone, what)
		}
	}
	for _, none := range [][]string{nil, {}} {
		t.tokenizeTexts(none, t.info.MaxTokens, "no text")
	}
}

func (t *encoderTester) checkTokenizeWrong() {
	for _, most := range []int{-1, 0, 2, t.info.MaxTokens + 1} {
		t.Guard("Tokenize", func() {
			if _, err := t.e.Tokenize(background, nil, []string{"a", "", "a word or two"}, most); err == nil {
				t.Fail("Tokenize", tokenizeWrong, "no error for %d", most)
			}
		})
	}
}

// compareTokens compares what texts got with what they got alone.
func (t *encoderTester) compareTokens(got []backend.Sequence, of []int, where string, r rule, what string) {
	if len(got) != len(of) {
		t.Fail(where, r, "%s: %d sequences for %d texts", what, len(got), len(of))
		return
	}
	for k, i := range of {
		if w := t.whole[i]; got[k].Cut != w.Cut || !slices.Equal(got[k].IDs, w.IDs) {
			t.Fail(where, r, "%s, place %d of %d, text %.60q: %s, Cut %t, want %s, Cut %t",
				what, k, len(of), t.texts[i], some(got[k].IDs), got[k].Cut, some(w.IDs), w.Cut)
		}
	}
}

func (t *encoderTester) checkTokenizeCancelled() {
	var of []int
	for len(of) < 600 {
		of = append(of, upTo(t.short())...)
	}
	texts := make([]string, len(of))
	for k, i := range of {
		texts[k] = t.texts[i]
	}
	t.checkCancelled("Tokenize", tokenizeCancelled, func(ctx context.Context, what string) error {
		got, err := t.e.Tokenize(ctx, nil, slices.Clone(texts), t.info.MaxTokens)
		if err == nil {
			t.compareTokens(got, of, "Tokenize", tokenizeCancelled, what)
		}
		return err
	})
}

// checkCancelled checks calls, which check what they give without an error, under contexts
// that are cancelled before and on the way.
func (t *encoderTester) checkCancelled(where string, r rule, call func(ctx context.Context, what string) error) {
	cancelled, cancel := context.WithCancel(background)
	cancel()
	late, cancel := context.WithDeadline(background, time.Unix(0, 0))
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		want error
	}{
		{"a cancelled ctx", cancelled, context.Canceled},
		{"a ctx with a deadline that is past", late, context.DeadlineExceeded},
	} {
		if err := call(c.ctx, c.name); !errors.Is(err, c.want) {
			t.Fail(where, r, "%s: error %v, want %v", c.name, err, c.want)
		}
	}
	what := "ctx cancelled on the way"
	for _, after := range kit.Looks(func(ctx context.Context) { _ = call(ctx, "ctx not cancelled") }) {
		if err := call(kit.NewCountdown(after), what); err != nil && !errors.Is(err, context.Canceled) {
			t.Fail(where, r, "%s: error %v, want %v", what, err, context.Canceled)
		}
	}
	if err := call(background, "after cancelled calls"); err != nil {
		t.Fail(where, r, "after cancelled calls: %w", err)
	}
}
