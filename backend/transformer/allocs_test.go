package transformer

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert/berttest"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/race"
)

// kinds are models of every kind with tokenizers as they have them.
var kinds = []struct{ model, tokenizer string }{
	{"bert", "WordPiece"}, {"distilbert", "WordPiece"}, {"mpnet", "WordPiece"},
	{"roberta-f16", "BPE"}, {"deberta-v1", "BPE"}, {"deberta-v1-all", "BPE"},
	{"xlm-roberta-sharded", "Unigram"}, {"deberta-v2-conv", "Unigram"}, {"deberta-v3", "Unigram"},
}

// Embed allocates nothing once its memory has grown: of any kind of model, texts that are
// cut, in capitals, with accents in two ways, of unknown signs, with special pieces, with white
// space around them and of bytes that are not UTF-8 among them.
func TestEmbedAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	texts := make([]string, 100)
	odd := []string{"The Ferryman", "ÜBER der Bäche, cafe\u0301", "☃☃ 文字", "the [MASK] <mask>", " \u3000 the end. ", "a\xffb", "", "der", strings.Repeat("the old weir ", 40)}
	for i := range texts {
		texts[i] = fmt.Sprintf("%s%s", odd[i%len(odd)], strings.Repeat(" w", i/len(odd)))
	}
	layer := 2
	for i, kind := range append(kinds, kinds...) {
		dir := berttest.Tokenized(t, filepath.Join("testdata", kind.model), kind.tokenizer)
		o := Options{Layer: &layer, Workers: 1}
		if i >= len(kinds) {
			o.DType = BFloat16
		}
		b := open(t, dir, o)
		var batch backend.Batch
		call := func() {
			if err := b.Embed(t.Context(), &batch, texts); err != nil {
				t.Fatal(err)
			}
		}
		call()
		if len(batch.Truncated) == 0 {
			t.Errorf("%s: no text is cut", kind.model)
		}
		if n := kit.Allocations(call); n != 0 {
			t.Errorf("%s %s: %v allocations", kind.model, o.DType, n)
		}
	}
}

// Pool allocates nothing either, of any kind of model and pooling.
func TestPoolAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	var sequences [][]int32
	for i := range 100 {
		s := make([]int32, 1+i%40)
		for k := range s {
			s[k] = 5 + int32((i+7*k)%50)
		}
		sequences = append(sequences, s)
	}
	for i, kind := range kinds {
		dir := berttest.Tokenized(t, filepath.Join("testdata", kind.model), kind.tokenizer)
		e, err := OpenEncoder(backend.EncoderFiles{Dir: dir}, EncoderOptions{Workers: 1, DType: []DType{Float32, BFloat16}[i%2]})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		dst := make([]float32, len(sequences)*e.Info().Dim)
		mix := backend.Mix{Weights: []float64{.5, .25, .25}, Norm: true, Pooling: backend.Pooling(i % 3)}
		n := kit.Allocations(func() { err = e.Pool(t.Context(), dst, sequences, mix) })
		if n != 0 || err != nil {
			t.Errorf("%s, pooling %d: %v allocations, %v", kind.model, mix.Pooling, n, err)
		}
	}
}
