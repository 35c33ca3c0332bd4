package mbr_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/mbr"
)

func ExampleDecoder_Decode() {
	d, err := mbr.New(&chrf.Scorer{}, mbr.Options{})
	if err != nil {
		log.Fatal(err)
	}
	// One Decoder serves one segment after another.
	r, err := d.Decode(context.Background(), mbr.Segment{Candidates: []string{"abc", "abc", "xyz"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range r.Order {
		fmt.Printf("%d %.2f\n", i, r.Utilities[i])
	}
	// Output:
	// 0 66.67
	// 1 66.67
	// 2 33.33
}
