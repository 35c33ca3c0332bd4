package wordnet

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

//go:generate go run gen.go

// embedded is made by gen.go. It is, deflated: the number of words; for each, in order, how
// many bytes it shares with the one before; the rest of each, ended by LF; for each, the
// number of its synsets; all synsets, a new one as 0 and an older one as how many other
// new ones there were since, plus 1; and then what is the text of the exceptions.
// Numbers are varints. Synsets are numbered by first mention: only which words
// share one counts.
//
//go:embed synsets.bin
var embedded []byte

// Default returns the table that comes with the package: all that METEOR 1.5 has.
var Default = sync.OnceValue(func() *Table {
	t, err := decode(embedded)
	if err != nil {
		panic("wordnet: " + err.Error()) // the package was built with another file
	}
	return t
})

// maxWords bounds what a damaged file can make us allocate.
const maxWords = 1 << 20

func decode(data []byte) (*Table, error) {
	all, err := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	if err != nil {
		return nil, err
	}
	in := bytes.NewBuffer(all)
	number := func() uint32 {
		n, e := binary.ReadUvarint(in)
		if e == nil && n > maxWords {
			e = fmt.Errorf("number %d", n)
		}
		if e != nil && err == nil {
			err = e
		}
		return uint32(n)
	}
	n := number()
	if err != nil {
		return nil, err
	}
	t := &Table{ends: make([]uint32, 1, n+1), bases: make(map[string][]string)}
	shared := make([]int, n)
	for i := range shared {
		shared[i] = int(number())
	}
	var word []byte
	for _, k := range shared {
		rest, e := in.ReadBytes('\n')
		if e != nil || k > len(word) {
			return nil, fmt.Errorf("word %d of %d is damaged", t.words.Len()+1, n)
		}
		word = append(word[:k], rest[:len(rest)-1]...)
		t.words.Add(word)
	}
	if t.words.Len() != int(n) {
		return nil, fmt.Errorf("%d different words of %d", t.words.Len(), n)
	}
	total := uint32(0)
	for range n {
		total += number()
		t.ends = append(t.ends, total)
	}
	if err != nil || total > maxWords {
		return nil, fmt.Errorf("%d synsets (%w)", total, err)
	}
	t.ids = make([]uint32, total)
	synsets := uint32(0)
	for i := range t.ids {
		if back := number(); back == 0 {
			synsets++
			t.ids[i] = synsets
		} else if back <= synsets {
			t.ids[i] = synsets + 1 - back
		} else {
			return nil, fmt.Errorf("synset %d is damaged", i+1)
		}
	}
	if err != nil {
		return nil, err
	}
	return t, pairs(in, "exceptions", t.addForms)
}
