package tune_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/tune"
)

// People would rather have all of the words, in whatever order, than a part of them.
// METEOR with these parameters says otherwise, until it is tuned.
func Example() {
	s, err := meteor.New(meteor.Options{Params: &meteor.Params{Alpha: .1, Beta: 1, Gamma: .9, Delta: .5}})
	if err != nil {
		log.Fatal(err)
	}
	set := func(name string, refs, scrambled, short []string) tune.Set {
		out := tune.Set{Name: name, Systems: []mteval.System{{Name: "scrambled", Hyps: scrambled}, {Name: "short", Hyps: short}}}
		for i, r := range refs {
			out.Refs = append(out.Refs, []string{r})
			out.Pairs = append(out.Pairs, metaeval.Pair{Item: i, A: 0, B: 1, Human: +1})
		}
		return out
	}
	train := set("train",
		[]string{"the ferry leaves at nine every morning", "she sold the old bakery to her nephew"},
		[]string{"at nine the ferry leaves every morning", "to her nephew she sold the old bakery"},
		[]string{"the ferry leaves at nine", "she sold the old bakery"})
	test := set("test",
		[]string{"rain is expected in the north tonight"},
		[]string{"in the north tonight rain is expected"},
		[]string{"rain is expected in the north"})
	r, err := tune.Fit(context.Background(), s, []tune.Set{train}, []tune.Set{test}, tune.Options{Only: []string{"alpha", "gamma"}, Folds: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("training %+.0f → %+.0f\n", r.Figures.Train.Untuned, r.Figures.Train.Tuned)
	fmt.Printf("held out %+.0f → %+.0f\n", r.Figures.HeldOut.Untuned, r.Figures.HeldOut.Tuned)
	// Output:
	// training +0 → +1
	// held out -1 → +1
}

// A folder of references, outputs and what people said makes a set.
func ExampleOpenSet() {
	dir, err := os.MkdirTemp("", "tune")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "en-de")
	for name, text := range map[string]string{
		"ref.de":                 "Das Haus ist alt.\nEs regnet.\n",
		"sys/north.txt":          "Das Haus ist alt.\nRegen.\n",
		"sys/south.txt":          "Das Haus alt.\nEs regnet.\n",
		"human-segment-darr.tsv": "sid\tbetter\tworse\n1\tnorth\tsouth\n2\tsouth\tnorth\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	set, err := tune.OpenSet(context.Background(), folder, tune.SetOptions{Objective: tune.Kendall})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range set.Pairs {
		fmt.Printf("%s, segment %d: %q rather than %q\n", set.Name, p.Item+1, set.Systems[p.A].Hyps[p.Item], set.Systems[p.B].Hyps[p.Item])
	}
	// Output:
	// en-de, segment 1: "Das Haus ist alt." rather than "Das Haus alt."
	// en-de, segment 2: "Es regnet." rather than "Regen."
}
