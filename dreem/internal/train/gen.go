//go:build ignore

// Gen makes dreem/english.bin, before it is compressed, of text files; see scripts/dreem.sh.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/dreem/internal/train"
	"github.com/mteval/mteval/tokenize"
)

func main() {
	out := flag.String("out", "english.bin", "the file to write")
	var v train.VectorOptions
	flag.IntVar(&v.Dim, "dim", 80, "numbers in a vector")
	flag.IntVar(&v.MaxWords, "words", 3800, "words at most")
	flag.IntVar(&v.MinCount, "min-count", 3, "how often a word must occur")
	flag.IntVar(&v.Window, "window", 5, "words to each side")
	flag.Float64Var(&v.Shift, "shift", 0, "taken from the mutual information")
	flag.Float64Var(&v.Power, "power", .5, "of the singular values")
	flag.IntVar(&v.Pieces, "pieces", 5600, "pieces of words")
	flag.Float64Var(&v.Spelling, "spelling", .7, "how much spelling counts in vectors")
	flag.Float64Var(&v.Rarity, "rarity", 0, "a of the words' weights")
	var a train.AutoencoderOptions
	flag.IntVar(&a.Sentences, "sentences", 2000, "sentences for the autoencoder")
	flag.IntVar(&a.Rounds, "rounds", 4, "of training the autoencoder")
	flag.Float64Var(&a.Lambda, "lambda", 1e-4, "weight of squares")
	flag.Parse()
	log.SetFlags(log.Ltime)

	var sentences []string
	for _, path := range flag.Args() {
		data, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			sentences = split(sentences, line)
		}
	}
	log.Printf("%d sentences", len(sentences))
	vectors, err := train.Vectors(context.Background(), sentences, v)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("%d vectors", vectors.Len())
	a.Progress = func(round int, loss float64) { log.Printf("round %d: %.4f a sentence", round, loss) }
	rae, err := train.Autoencoder(context.Background(), vectors, sentences, a)
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	if err := dreem.WriteModel(f, &dreem.Model{Vectors: vectors, Autoencoder: rae}); err != nil {
		log.Fatal(err)
	}
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
	info, _ := os.Stat(*out)
	fmt.Printf("%s: %d words of %d numbers, %d bytes\n", *out, vectors.Len(), vectors.Dim(), info.Size())
}

// split appends the sentences of a line: a full stop, question or exclamation mark that is
// a token of its own ends one.
func split(dst []string, line string) []string {
	var words []string
	tokenize.Each(nil, tokenize.V13a, line, func(w []byte) {
		words = append(words, string(w))
		if s := string(w); s == "." || s == "?" || s == "!" {
			dst = append(dst, strings.Join(words, " "))
			words = nil
		}
	})
	if len(words) > 0 {
		dst = append(dst, strings.Join(words, " "))
	}
	return dst
}
