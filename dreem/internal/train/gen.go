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
	vectors, err := train.Vectors(context.Background(), sentences, train.VectorOptions{Dim: 80, MinCount: 3, MaxWords: 3800, Pieces: 5600})
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("%d vectors", vectors.Len())
	rae, err := train.Autoencoder(context.Background(), vectors, sentences, 0, func(round int, loss float64) {
		log.Printf("round %d: %.4f a sentence", round, loss)
	})
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
