package mteval_test

import (
	"path/filepath"
	"testing"

	"github.com/mteval/mteval/backend/transformer"
	"github.com/mteval/mteval/bertscore"
	"github.com/mteval/mteval/internal/bert/berttest"
	"github.com/mteval/mteval/internal/race"
)

// loopModels are models of other kinds than BERT, in backend/transformer/testdata, with
// tokenizers as such ones have.
var loopModels = []struct{ name, tokenizer string }{
	{"distilbert", "WordPiece"}, {"mpnet", "WordPiece"}, {"roberta-f16", "BPE"}, {"xlm-roberta-sharded", "Unigram"},
	{"deberta-v1-all", "BPE"}, {"deberta-v2-conv", "Unigram"}, {"deberta-v3", "Unigram"}, {"deberta-v3-far", "Unigram"},
}

// BERTScore makes no work for the garbage collector over any kind of model. Most texts here
// are longer than the models take.
func TestLoopModelsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector drops what pools hold")
	}
	layer := 2
	for _, model := range loopModels {
		dir := berttest.Tokenized(t, filepath.Join("backend", "transformer", "testdata", model.name), model.tokenizer)
		for _, workers := range []int{1, 3} {
			b, err := transformer.Open(dir, transformer.Options{Layer: &layer, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			s, err := bertscore.New(b, bertscore.Options{Workers: workers, OnTruncated: func(string) {}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Prepare(t.Context(), loopReferences())
			if err != nil {
				t.Fatal(err)
			}
			allocatesNothing(t, loopMetric{"bertscore " + model.name, p}, workers, loopCalls[:3])
		}
	}
}
