package cache

import (
	"context"
	"errors"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
)

// What is kept of a text is no way around a MaxTokens: neither of one that is there whole, in
// memory or in the folder, nor of one that was cut.
func TestMaxTokensOfKeptTexts(t *testing.T) {
	dir := t.TempDir()
	const whole, cut = "a b c d", "a b c d e f g h i j k" // of 4 words and, with special tokens, cut to 9
	for _, kept := range []struct {
		name string
		o    Options
		here bool // by this backend
	}{{"memory", Options{}, true}, {"folder", Options{Dir: dir, Bytes: 1}, true}, {"folder of before", Options{Dir: dir, Bytes: 1}, false}} {
		c, fake := open(t, kept.o, fakeOptions)
		if kept.here {
			embed(t, c, whole, cut)
		}
		asked := fake.Texts()
		for _, tt := range []struct {
			text string
			most int
			ok   bool
		}{{whole, 5, false}, {whole, 6, true}, {whole, 0, true}, {cut, 8, false}, {cut, 9, false}, {cut, 10, true}, {cut, -1, true}} {
			b := backend.Batch{MaxTokens: tt.most}
			err := c.Embed(context.Background(), &b, []string{"a", tt.text})
			var of *backend.TextError
			if tt.ok && err != nil || !tt.ok && (!errors.Is(err, mteval.ErrTooLong) || !errors.As(err, &of) || of.Text != tt.text) {
				t.Errorf("%s, %q with a MaxTokens of %d: error %v", kept.name, tt.text, tt.most, err)
			}
			if tt.ok {
				same(t, &b, embed(t, backendtest.NewFake(fakeOptions), "a", tt.text), tt.text)
			}
		}
		if n := fake.Texts() - asked; n > 1 { // "a"
			t.Errorf("%s: %d texts were embedded that are kept", kept.name, n)
		}
	}
}
