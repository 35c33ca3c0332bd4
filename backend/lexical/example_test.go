package lexical_test

import (
	"context"
	"fmt"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/lexical"
)

// Words are near each other by their letters, not their meaning. Vectors have length 1, so
// that a product of two is their cosine.
func Example() {
	b, err := lexical.New(lexical.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	var batch backend.Batch
	texts := []string{"Haus", "Hauses", "Gebäude"}
	if err := b.Embed(context.Background(), &batch, texts); err != nil {
		fmt.Println(err)
		return
	}
	_, house := batch.Text(0)
	for i, text := range texts {
		_, v := batch.Text(i)
		cos := 0.0
		for k := range v {
			cos += float64(house[k]) * float64(v[k])
		}
		fmt.Printf("%s %s %.2f\n", texts[0], text, cos)
	}
	// Output:
	// Haus Haus 1.00
	// Haus Hauses 0.64
	// Haus Gebäude 0.06
}
