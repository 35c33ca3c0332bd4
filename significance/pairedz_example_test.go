package significance_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/chrf"
	"github.com/mteval/mteval/significance"
)

// How far apart two systems are, in standard errors of the difference of their chrF.
func ExamplePairedZ() {
	ctx := context.Background()
	refs := [][]string{{"the cat sat on the mat"}, {"a dog ran by"}, {"birds sing"}, {"it rained all day"}}
	systems := []mteval.System{
		{Name: "first", Hyps: []string{"the cat sat on a mat", "a dog ran by", "birds sang", "it rained all day"}},
		{Name: "second", Hyps: []string{"a cat sits on the mat", "a dog ran past", "birds sing", "it rains all day"}},
	}
	c, err := chrf.New(chrf.Options{})
	if err != nil {
		log.Fatal(err)
	}
	t, err := mteval.Systems(ctx, c, refs, systems)
	if err != nil {
		log.Fatal(err)
	}
	z, err := significance.PairedZ(ctx, t)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f, the other way %.2f\n", z[0][1], z[1][0])
	// Output:
	// 1.28, the other way -1.28
}
