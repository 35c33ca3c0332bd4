package sugarme_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/pretrained"

	"github.com/mteval/mteval/backend/sugarme"
	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/internal/subword"
)

// What the tokenizers of package subword's tests are called that the library reads
// right, with how they spell what they put around a text.
var kinds = map[string][2]string{
	"wordpiece uncased": {"[CLS]", "[SEP]"},
	"wordpiece cased":   {"[CLS]", "[SEP]"},
	"byte bpe":          {"<s>", "</s>"},
}

var recorded = sync.OnceValues(func() (map[string]json.RawMessage, error) {
	f, err := os.Open("../../internal/subword/testdata/tokenizers.json.gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var d struct{ Tokenizers map[string]json.RawMessage }
	err = json.NewDecoder(r).Decode(&d)
	return d.Tokenizers, err
})

// open returns one of the tokenizers, as the library reads it and as we do.
func open(t *testing.T, name string) (*tokenizer.Tokenizer, *subword.Tokenizer) {
	t.Helper()
	all, err := recorded()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := pretrained.FromReader(bytes.NewReader(all[name]))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := subword.Parse(all[name])
	if err != nil {
		t.Fatal(err)
	}
	return theirs, ours
}

// texts are English in ASCII, on which the library is right.
func texts() []string {
	words := strings.Fields(`the walking translation She is happy, and again! (x) [y] a "quoted" word's end.
		https://a.b/c?d=1 2024-05-06 100% unhappy unknown zqx translator e-mail; The END`)
	rng := rand.New(rand.NewPCG(1, 0))
	out := []string{"", "the", "the walking translation", "She is happy, and walking again!", "  Two  spaces\tand tab "}
	for range 100 {
		var b strings.Builder
		for n := rng.IntN(20); n > 0; n-- {
			b.WriteString(words[rng.IntN(len(words))])
			b.WriteByte(' ')
		}
		out = append(out, strings.TrimSpace(b.String()))
	}
	return out
}

// Pieces, their places and what is cut off are as our own tokenizers have them, which
// are checked against Hugging Face's.
func TestEnglish(t *testing.T) {
	for name, around := range kinds {
		t.Run(name, func(t *testing.T) {
			theirs, ours := open(t, name)
			k := sugarme.New(theirs)
			for _, text := range texts() {
				for _, limit := range []int{0, 1, 2, 3, 7, 1000} {
					// What dst has is left there.
					first := transformer.Piece{ID: 9, Text: "first"}
					got, gotCut := k.EncodeMax([]transformer.Piece{first}, text, limit)
					want, wantCut := ours.EncodeMax([]transformer.Piece{first}, text, limit)
					if !slices.Equal(got, want) || gotCut != wantCut {
						t.Errorf("%q, at most %d:\n got %+v, cut %t\nwant %+v, cut %t", text, limit, got, gotCut, want, wantCut)
					}
					got = got[1:]
					if len(got) > max(limit, 2) || got[0].Text != around[0] || got[len(got)-1].Text != around[1] || !got[0].Special || !got[len(got)-1].Special {
						t.Errorf("%q, at most %d: got %+v", text, limit, got)
					}
				}
			}
		})
	}
}

// A tokenizer without a post-processor gives no special pieces.
func TestNothingAround(t *testing.T) {
	theirs, _ := open(t, "wordpiece cased")
	theirs.WithPostProcessor(nil)
	got, cut := sugarme.New(theirs).EncodeMax(nil, "the walking", 1000)
	if cut || len(got) == 0 || got[0].Special || got[0].End == 0 {
		t.Errorf("got %+v, cut %t", got, cut)
	}
	if got, cut := sugarme.New(theirs).EncodeMax(nil, "the walking", 1); !cut || len(got) != 1 {
		t.Errorf("at most 1: got %+v, cut %t", got, cut)
	}
}

// What tokenizer.json says of truncation and padding is for batches of other programs.
func TestOwnLimits(t *testing.T) {
	theirs, ours := open(t, "wordpiece uncased")
	theirs.WithTruncation(&tokenizer.TruncationParams{MaxLength: 5})
	theirs.WithPadding(&tokenizer.PaddingParams{Strategy: *tokenizer.NewPaddingStrategy(tokenizer.WithFixed(50)), PadToken: "[PAD]"})
	text := "She is happy, and walking again!"
	got, cut := sugarme.New(theirs).EncodeMax(nil, text, 1000)
	if want := ours.Encode(nil, text); cut || !slices.Equal(got, want) {
		t.Errorf("got %+v, cut %t, want %+v", got, cut, want)
	}
}

// Goroutines share a tokenizer; the race detector looks on.
func TestConcurrent(t *testing.T) {
	for name := range kinds {
		theirs, ours := open(t, name)
		k := sugarme.New(theirs)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for _, text := range texts()[:30] {
					if got, _ := k.EncodeMax(nil, text, 1000); !slices.Equal(got, ours.Encode(nil, text)) {
						t.Errorf("%s, %q: got %+v", name, text, got)
					}
				}
			})
		}
		wg.Wait()
	}
}

// A panic of the library is not hidden, nor is an error.
func TestPanics(t *testing.T) {
	panics := func(k transformer.Tokenizer, text string) (x any) {
		defer func() { x = recover() }()
		k.EncodeMax(nil, text, 1000)
		return nil
	}
	theirs, _ := open(t, "unigram")
	if panics(sugarme.New(theirs), "  Two  spaces\tand tab ") == nil {
		t.Error("the library does not panic on this text any more")
	}
	theirs, _ = open(t, "byte bpe")
	theirs.WithModel(nil)
	if x, ok := panics(sugarme.New(theirs), "text").(error); !ok || !strings.Contains(x.Error(), "sugarme: \"text\"") {
		t.Errorf("a tokenizer without a model: panic %v", x)
	}
}
