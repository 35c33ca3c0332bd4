// Package backendcheck checks what a backend gives before it is used, so that one that
// breaks its contract is an error that names it, and neither a panic elsewhere nor a wrong
// score.
package backendcheck

import (
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/simd"
)

func wrong(info backend.Info, format string, args ...any) error {
	return fmt.Errorf("backend %s %s", info.Name, fmt.Sprintf(format, args...))
}

// Info checks what Info returned.
func Info(info backend.Info) error {
	if info.Dim <= 0 || info.MaxTokens < 0 {
		return wrong(info, "has an Info of Dim %d, MaxTokens %d", info.Dim, info.MaxTokens)
	}
	return nil
}

// TooLong says whether a text of n tokens, or of more if it is cut to these, is longer than
// a Batch of this MaxTokens allows.
func TooLong(n int, cut bool, most int) bool {
	return most > 0 && (n > most || cut && n == most)
}

// Length returns the error of a text that is TooLong.
func Length(text string, n int, cut bool, most int) error {
	if !TooLong(n, cut, most) {
		return nil
	}
	err := limit.Text(n, most)
	if cut { // nobody knows how many tokens it has
		err = fmt.Errorf("%w: more than the limit of %d tokens", mteval.ErrTooLong, most)
	}
	return &backend.TextError{Text: text, Err: err}
}

// Batch checks what Embed gave for texts, but for the numbers in vectors: see Vector.
func Batch(info backend.Info, b *backend.Batch, texts []string) error {
	return batch(info, b, texts, info.Dim)
}

// Tokens checks what Store or Match gave for texts, without vectors.
func Tokens(info backend.Info, b *backend.Batch, texts []string) error {
	return batch(info, b, texts, 0)
}

// batch checks a batch of so many numbers a token.
func batch(info backend.Info, b *backend.Batch, texts []string, numbers int) error {
	n := len(texts)
	bad := func(format string, args ...any) error {
		return wrong(info, "gave a batch of %d texts with %s", n, fmt.Sprintf(format, args...))
	}
	// Dim first, which bounds the product after it.
	if b.Dim != info.Dim || len(b.Offsets) != n+1 || numbers == 0 && len(b.Data) != 0 ||
		numbers > 0 && (len(b.Data)/numbers != len(b.Tokens) || len(b.Data)%numbers != 0) {
		return bad("Dim %d (Info says %d), %d offsets, %d tokens and %d numbers", b.Dim, info.Dim, len(b.Offsets), len(b.Tokens), len(b.Data))
	}
	if b.Offsets[0] != 0 || b.Offsets[n] != len(b.Tokens) {
		return bad("Offsets from %d to %d for %d tokens", b.Offsets[0], b.Offsets[n], len(b.Tokens))
	}
	last := -1
	for _, i := range b.Truncated {
		if i <= last || i >= n {
			return bad("%d after %d in Truncated", i, last)
		}
		last = i
	}
	for i := range texts {
		// All of them: one that is too large is above a later one.
		if b.Offsets[i] > b.Offsets[i+1] {
			return bad("Offsets that fall from %d to %d at text %d", b.Offsets[i], b.Offsets[i+1], i+1)
		}
	}
	for i, text := range texts {
		// Tokens may share a place, as the bytes of a character do for some models, and
		// have an empty one, as a space that a model puts in.
		start, end := 0, 0
		tokens := b.Tokens[b.Offsets[i]:b.Offsets[i+1]]
		for j := range tokens {
			t := &tokens[j]
			if t.Weight != 0 && t.Weight != 1 {
				return bad("weight %v, not 0 or 1, of token %q of text %d", t.Weight, t.Text, i+1)
			}
			if t.Start == 0 && t.End == 0 {
				continue // not in the text
			}
			if t.Start < start || t.End < end || t.Start > t.End || t.End > len(text) {
				return bad("token %q at bytes %d to %d of text %d, which has %d, after one at %d to %d",
					t.Text, t.Start, t.End, i+1, len(text), start, end)
			}
			start, end = t.Start, t.End
		}
	}
	return nil
}

// Vector checks that the numbers of token j of a batch are finite.
func Vector(info backend.Info, b *backend.Batch, j int) error {
	v := b.Data[j*b.Dim : (j+1)*b.Dim]
	if sum := simd.Dot(v, v); sum-sum == 0 {
		return nil // what is not finite would have made it so
	}
	for _, x := range v { // or the squares of large numbers did
		if x-x != 0 {
			return wrong(info, "gave a vector with %v for token %q", x, b.Tokens[j].Text)
		}
	}
	return nil
}

// Pairing checks the links of a Matcher between two texts.
func Pairing(info backend.Info, p *mteval.Pairing, hyp, ref []mteval.Token) error {
	if len(p.Hyp) != len(hyp) || len(p.Ref) != len(ref) || p.Spans != nil {
		return wrong(info, "gave %d and %d links and %d spans for %d and %d tokens", len(p.Hyp), len(p.Ref), len(p.Spans), len(hyp), len(ref))
	}
	if err := links(info, p.Hyp, ref); err != nil {
		return err
	}
	return links(info, p.Ref, hyp)
}

// links checks links to the tokens of the other side.
func links(info backend.Info, links []mteval.Link, others []mteval.Token) error {
	none := true // to be linked to
	for j := range others {
		none = none && others[j].Weight == 0
	}
	for _, l := range links {
		// Negated, to find NaN too.
		ok := l.Sim >= -1 && l.Sim <= 1 && (l.Sim == 0 || len(others) > 0)
		if none {
			ok = ok && l.To == -1
		} else {
			ok = ok && l.To >= 0 && int(l.To) < len(others) && others[l.To].Weight != 0
		}
		if !ok {
			return wrong(info, "gave a link to token %d, of similarity %v, of %d tokens", l.To, l.Sim, len(others))
		}
	}
	return nil
}
