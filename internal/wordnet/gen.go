//go:build ignore

// This program makes synsets.bin from the two files of meteor-1.5.jar that are taken
// from WordNet 3.0, and stand under WordNet's licence: see COPYING.WORDNET.
//
//	MTEVAL_METEOR=$(../../scripts/meteor.sh DIR) go generate
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	dir := os.Getenv("MTEVAL_METEOR")
	if dir == "" {
		log.Fatal("MTEVAL_METEOR: set it to the folder of meteor-1.5.jar, which scripts/meteor.sh fetches")
	}
	jar, err := zip.OpenReader(filepath.Join(dir, "meteor-1.5.jar"))
	if err != nil {
		log.Fatal(err)
	}
	defer jar.Close()
	lines := strings.Split(strings.TrimSuffix(read(jar, "synonym/english.synsets"), "\n"), "\n")
	synsets := make(map[string][]string)
	var words []string
	for i := 0; i+1 < len(lines); i += 2 {
		words = append(words, lines[i])
		synsets[lines[i]] = strings.Fields(lines[i+1])
	}
	slices.Sort(words)

	var shared, rest, counts, ids []byte
	last := ""
	first := make(map[string]int) // the number of a synset, from 1 in order of mention
	for _, w := range words {
		k := 0
		for k < min(len(last), len(w)) && last[k] == w[k] {
			k++
		}
		last = w
		shared = binary.AppendUvarint(shared, uint64(k))
		rest = append(append(rest, w[k:]...), '\n')
		counts = binary.AppendUvarint(counts, uint64(len(synsets[w])))
		for _, s := range synsets[w] {
			if n := first[s]; n > 0 {
				ids = binary.AppendUvarint(ids, uint64(len(first)+1-n))
			} else {
				first[s] = len(first) + 1
				ids = append(ids, 0)
			}
		}
	}
	var out bytes.Buffer
	z, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		log.Fatal(err)
	}
	head := binary.AppendUvarint(nil, uint64(len(words)))
	for _, section := range [][]byte{head, shared, rest, counts, ids, []byte(read(jar, "synonym/english.exceptions"))} {
		if _, err := z.Write(section); err != nil {
			log.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("synsets.bin", out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("synsets.bin: %d words, %d synsets, %d bytes\n", len(words), len(first), out.Len())
}

func read(jar *zip.ReadCloser, name string) string {
	f, err := jar.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		log.Fatal(err)
	}
	return string(data)
}
