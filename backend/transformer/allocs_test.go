package transformer

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/bert/berttest"
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
	for _, kind := range kinds {
		dir := berttest.Tokenized(t, filepath.Join("testdata", kind.model), kind.tokenizer)
		b := open(t, dir, Options{Layer: &layer, Workers: 1})
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
		if n := testing.AllocsPerRun(20, call); n != 0 {
			t.Errorf("%s: %v allocations", kind.model, n)
		}
	}
}
