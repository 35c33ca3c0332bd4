package backendtest

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
)

// The texts of the special tokens of a Fake.
const (
	CLS = "[CLS]"
	SEP = "[SEP]"
)

// ErrFake is what a Fake fails with if FakeOptions.Err is not set.
var ErrFake = errors.New("backendtest: the fake backend was told to fail")

// FakeOptions of a Fake. The zero value embeds words in 16 numbers that look
// random.
type FakeOptions struct {
	// Dim is the length of a vector; 0 is 16, or the number of words in
	// Vocabulary with OneHot.
	Dim int
	// Special puts the token CLS before the words of a text and SEP after
	// them, of weight 0, as models of the BERT family do.
	Special bool
	// MaxTokens is the longest text in tokens, the special ones included,
	// which a longer text keeps; 0: no limit.
	MaxTokens int

	// OneHot gives word i of Vocabulary the unit vector of place i, so that
	// two words have similarity 1 where they are equal and 0 where they are
	// not. Any other token has a vector of zeros, which is similar to
	// nothing; the special ones too, unless Vocabulary has them.
	OneHot     bool
	Vocabulary []string

	// FailAt makes call number FailAt of Embed, counted from 1, return Err
	// (nil: ErrFake); 0: none.
	FailAt int
	Err    error
}

// Fake is a backend for tests: what it gives is a simple function of the words of
// a text, split at white space, and it counts what it is asked for.
type Fake struct {
	opt    FakeOptions
	place  map[string]int // of the words in the vocabulary
	closed atomic.Bool
	calls  atomic.Int64
	texts  atomic.Int64
}

var _ backend.Backend = (*Fake)(nil)

// NewFake returns a backend with these options. As it is for tests it panics where
// they make no sense: where the vocabulary has more words than vectors have
// places, or MaxTokens leaves none for a word.
func NewFake(o FakeOptions) *Fake {
	f := &Fake{place: make(map[string]int)}
	if o.OneHot {
		for _, w := range o.Vocabulary {
			if _, ok := f.place[w]; !ok {
				f.place[w] = len(f.place)
			}
		}
		if o.Dim == 0 {
			o.Dim = max(1, len(f.place))
		}
		if len(f.place) > o.Dim {
			panic(fmt.Sprintf("backendtest: %d words in a vocabulary for vectors of %d", len(f.place), o.Dim))
		}
	}
	if o.Dim == 0 {
		o.Dim = 16
	}
	if o.Dim < 0 {
		panic(fmt.Sprintf("backendtest: Dim is %d", o.Dim))
	}
	if o.MaxTokens < 0 || o.Special && o.MaxTokens > 0 && o.MaxTokens < 3 {
		panic(fmt.Sprintf("backendtest: MaxTokens is %d", o.MaxTokens))
	}
	if o.Err == nil {
		o.Err = ErrFake
	}
	f.opt = o
	return f
}

// Calls is the number of calls of Embed.
func (f *Fake) Calls() int { return int(f.calls.Load()) }

// Texts is the number of texts that were embedded, in all calls that did not fail.
func (f *Fake) Texts() int { return int(f.texts.Load()) }

// Info describes the backend.
func (f *Fake) Info() backend.Info {
	o := f.opt
	sig := mteval.Signature{
		{Key: "backend", Abbr: "b", Value: "fake"},
		{Key: "dim", Abbr: "d", Value: fmt.Sprint(o.Dim)},
	}
	if o.Special {
		sig = append(sig, mteval.Field{Key: "special", Abbr: "sp", Value: "yes"})
	}
	if o.MaxTokens > 0 {
		sig = append(sig, mteval.Field{Key: "max", Abbr: "m", Value: fmt.Sprint(o.MaxTokens)})
	}
	if o.OneHot {
		h := fnv.New64a()
		for _, w := range o.Vocabulary {
			fmt.Fprintf(h, "%d %s", len(w), w)
		}
		sig = append(sig, mteval.Field{Key: "onehot", Abbr: "oh", Value: hex.EncodeToString(h.Sum(nil))})
	}
	return backend.Info{Name: "fake", Signature: sig, Dim: o.Dim, MaxTokens: o.MaxTokens}
}

// Close makes later calls of Embed fail.
func (f *Fake) Close() error {
	f.closed.Store(true)
	return nil
}

// Embed splits the texts into words and gives them their vectors.
func (f *Fake) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	if f.closed.Load() {
		return backend.ErrClosed
	}
	if dst == nil {
		return errors.New("backendtest: no batch to set: it is nil")
	}
	if int(f.calls.Add(1)) == f.opt.FailAt {
		return f.opt.Err
	}
	o := f.opt
	*dst = backend.Batch{
		Dim:       o.Dim,
		Data:      dst.Data[:0],
		Offsets:   append(dst.Offsets[:0], 0),
		Tokens:    dst.Tokens[:0],
		Truncated: dst.Truncated[:0],
		MaxTokens: dst.MaxTokens,
	}
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if o.Special {
			dst.Tokens = append(dst.Tokens, mteval.Token{Text: CLS})
		}
		room := o.MaxTokens
		if o.Special {
			room -= 2
		}
		for at := 0; ; {
			start, end := nextWord(text, at)
			if start == end {
				break
			}
			if o.MaxTokens > 0 && room == 0 {
				dst.Truncated = append(dst.Truncated, i)
				break
			}
			dst.Tokens = append(dst.Tokens, mteval.Token{Text: text[start:end], Start: start, End: end, Weight: 1})
			room--
			at = end
		}
		if o.Special {
			dst.Tokens = append(dst.Tokens, mteval.Token{Text: SEP})
		}
		cut := len(dst.Truncated) > 0 && dst.Truncated[len(dst.Truncated)-1] == i
		if err := backendcheck.Length(text, len(dst.Tokens)-dst.Offsets[i], cut, dst.MaxTokens); err != nil {
			return fmt.Errorf("backendtest: %w", err)
		}
		for _, t := range dst.Tokens[dst.Offsets[i]:] {
			dst.Data = f.appendVector(dst.Data, t.Text)
		}
		dst.Offsets = append(dst.Offsets, len(dst.Tokens))
	}
	f.texts.Add(int64(len(texts)))
	return nil
}

// nextWord returns the bounds of the first word at or after at; they are equal if
// there is none.
func nextWord(text string, at int) (start, end int) {
	start = strings.IndexFunc(text[at:], func(r rune) bool { return !unicode.IsSpace(r) })
	if start < 0 {
		return len(text), len(text)
	}
	start += at
	for end = start; end < len(text); {
		r, width := utf8.DecodeRuneInString(text[end:])
		if unicode.IsSpace(r) {
			break
		}
		end += width
	}
	return start, end
}

// Vector returns the vector of a token.
func (f *Fake) Vector(token string) []float32 { return f.appendVector(nil, token) }

func (f *Fake) appendVector(dst []float32, token string) []float32 {
	n := len(dst)
	for range f.opt.Dim {
		dst = append(dst, 0)
	}
	v := dst[n:]
	if f.opt.OneHot {
		if i, ok := f.place[token]; ok {
			v[i] = 1
		}
		return dst
	}
	h := fnv.New64a()
	h.Write([]byte(token))
	x := h.Sum64()
	for i := range v {
		// SplitMix64; the upper 24 bits are exact in a float32.
		x += 0x9e3779b97f4a7c15
		z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		v[i] = float32(int32((z^z>>31)>>40)-1<<23) / (1 << 23)
	}
	return dst
}
