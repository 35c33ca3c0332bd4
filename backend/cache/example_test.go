package cache_test

import (
	"context"
	"fmt"
	"os"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/backend/backendtest"
	"github.com/mteval/mteval/backend/cache"
)

// Two runs share a folder: the second asks the model, here a fake one that counts, only for
// what is new.
func Example() {
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for _, texts := range [][]string{{"a cat", "a dog", "a cat"}, {"a dog", "a bird"}} {
		model := backendtest.NewFake(backendtest.FakeOptions{})
		b, err := cache.New(model, cache.Options{Dir: dir})
		if err != nil {
			fmt.Println(err)
			return
		}
		var batch backend.Batch
		if err := b.Embed(context.Background(), &batch, texts); err != nil {
			fmt.Println(err)
		}
		if err := b.Close(); err != nil { // tells, too, if the folder could not be written
			fmt.Println(err)
		}
		fmt.Println(batch.Len(), "texts,", model.Texts(), "asked for")
	}
	// Output:
	// 3 texts, 2 asked for
	// 2 texts, 1 asked for
}

// Stats tells what a cache is good for: of six texts the model embeds three.
func ExampleBackend_Stats() {
	b, err := cache.New(backendtest.NewFake(backendtest.FakeOptions{}), cache.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	var batch backend.Batch
	for _, texts := range [][]string{{"a cat", "a dog", "a cat"}, {"a dog", "a bird", "a cat"}} {
		if err := b.Embed(context.Background(), &batch, texts); err != nil {
			fmt.Println(err)
			return
		}
	}
	s := b.Stats()
	fmt.Println(s.Hits, "hits,", s.Misses, "misses,", s.Texts, "texts in memory")
	// Output:
	// 3 hits, 3 misses, 3 texts in memory
}
