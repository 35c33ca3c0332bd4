package testsets_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mteval/mteval/testsets"
)

func Example() {
	// A folder in sacreBLEU's form, so that nothing is downloaded here.
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"wmt24/wmt24.en-de.src":      "A small bird.\n",
		"wmt24/wmt24.en-de.ref-refA": "Ein kleiner Vogel.\n",
	} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}

	ctx := context.Background()
	set, err := testsets.Find("wmt24")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Description, set.Pairs()[:3])
	data, err := testsets.Open("wmt24", "en-de", testsets.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	source, err := data.Field(ctx, "src")
	if err != nil {
		log.Fatal(err)
	}
	references, err := data.References(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(source, references)
	_, err = testsets.Find("wmt2024")
	fmt.Println(err)
	// Output:
	// WMT 2024, general task [cs-uk en-cs en-de]
	// [A small bird.] [[Ein kleiner Vogel.]]
	// testsets: no test set is called "wmt2024" (did you mean wmt24?)
}
