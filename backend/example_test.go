package backend_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/bertscore"
)

// letters is a backend: a word's vector counts its letters a to z.
type letters struct{ closed atomic.Bool }

func (*letters) Info() backend.Info {
	return backend.Info{
		Name:      "letters",
		Signature: mteval.Signature{{Key: "backend", Abbr: "b", Value: "letters"}},
		Dim:       26,
	}
}

func (l *letters) Close() error {
	l.closed.Store(true)
	return nil
}

func (l *letters) Embed(ctx context.Context, dst *backend.Batch, texts []string) error {
	if l.closed.Load() {
		return backend.ErrClosed
	}
	dst.Dim = 26
	dst.Data, dst.Tokens, dst.Truncated = dst.Data[:0], dst.Tokens[:0], dst.Truncated[:0]
	dst.Offsets = append(dst.Offsets[:0], 0)
	for _, text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		words := strings.Fields(text)
		if most := dst.MaxTokens; most > 0 && len(words) > most {
			return &backend.TextError{Text: text, Err: mteval.ErrTooLong}
		}
		end := 0
		for _, word := range words {
			start := end + strings.Index(text[end:], word)
			end = start + len(word)
			dst.Tokens = append(dst.Tokens, mteval.Token{Text: word, Start: start, End: end, Weight: 1})
			var count [26]float32
			for _, c := range word {
				if 'a' <= c && c <= 'z' {
					count[c-'a']++
				}
			}
			dst.Data = append(dst.Data, count[:]...)
		}
		dst.Offsets = append(dst.Offsets, len(dst.Tokens))
	}
	return nil
}

// A backend of one's own gives BERTScore its vectors. Package backendtest checks it.
func Example() {
	s, err := bertscore.New(new(letters), bertscore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := mteval.Sentence(context.Background(), s, []string{"the cat sat"}, "teh cat sits")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f\n", r.Score)
	err = backendtest.Test(func() (backend.Backend, error) { return new(letters), nil }, backendtest.Options{})
	fmt.Println(err)
	// Output:
	// 0.90
	// <nil>
}

// A batch holds what texts got one after another.
func ExampleBatch() {
	var b backend.Batch
	if err := new(letters).Embed(context.Background(), &b, []string{"a bb", "", "abc"}); err != nil {
		fmt.Println(err)
		return
	}
	for i := range b.Len() {
		tokens, vectors := b.Text(i)
		fmt.Print("text ", i, ":")
		for j, t := range tokens {
			fmt.Print(" ", t.Text, vectors[j*b.Dim:][:3])
		}
		fmt.Println()
	}
	// Output:
	// text 0: a[1 0 0] bb[0 2 0]
	// text 1:
	// text 2: abc[1 1 1]
}
