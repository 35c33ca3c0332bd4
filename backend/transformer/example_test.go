package transformer_test

import (
	"context"
	"fmt"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/transformer"
)

// A model's folder, here one of two layers with random weights and letters for pieces, gives
// the vectors of any layer.
func Example() {
	layer := 1
	b, err := transformer.Open("testdata/bert", transformer.Options{Layer: &layer})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	var batch backend.Batch
	if err := b.Embed(context.Background(), &batch, []string{"a cab"}); err != nil {
		fmt.Println(err)
		return
	}
	tokens, vectors := batch.Text(0)
	for _, t := range tokens {
		fmt.Printf("%s %d–%d weighs %v\n", t.Text, t.Start, t.End, t.Weight)
	}
	fmt.Println(len(vectors)/len(tokens), "numbers each")
	fmt.Printf("layer %s, at most %d tokens\n", b.Info().Signature.Get("layer"), b.Info().MaxTokens)
	// Output:
	// [CLS] 0–0 weighs 0
	// a 0–1 weighs 1
	// c 2–3 weighs 1
	// ##a 3–4 weighs 1
	// ##b 4–5 weighs 1
	// [SEP] 0–0 weighs 0
	// 24 numbers each
	// layer 1, at most 40 tokens
}
