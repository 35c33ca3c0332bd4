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
	d := decoder{in: bytes.NewBuffer(all)}
	n := d.number()
	if d.err != nil {
		return nil, d.err
	}
	t := &Table{ends: make([]uint32, 1, n+1), bases: make(map[string][]string)}
	if err := d.words(t, int(n)); err != nil {
		return nil, err
	}
	if err := d.synsets(t, int(n)); err != nil {
		return nil, err
	}
	return t, pairs(d.in, "exceptions", t.addForms)
}

// A decoder reads numbers, and keeps the first error.
type decoder struct {
	in  *bytes.Buffer
	err error
}

func (d *decoder) number() uint32 {
	n, err := binary.ReadUvarint(d.in)
	if err == nil && n > maxWords {
		err = fmt.Errorf("number %d", n)
	}
	if err != nil && d.err == nil {
		d.err = err
	}
	return uint32(n)
}

// words reads n words.
func (d *decoder) words(t *Table, n int) error {
	shared := make([]int, n)
	for i := range shared {
		shared[i] = int(d.number())
	}
	var word []byte
	for _, k := range shared {
		rest, err := d.in.ReadBytes('\n')
		if err != nil || k > len(word) {
			return fmt.Errorf("word %d of %d is damaged", t.words.Len()+1, n)
		}
		word = append(word[:k], rest[:len(rest)-1]...)
		t.words.Add(word)
	}
	if t.words.Len() != n {
		return fmt.Errorf("%d different words of %d", t.words.Len(), n)
	}
	return nil
}

// synsets reads those of n words.
func (d *decoder) synsets(t *Table, n int) error {
	total := uint32(0)
	for range n {
		total += d.number()
		t.ends = append(t.ends, total)
	}
	if d.err != nil || total > maxWords {
		return fmt.Errorf("%d synsets (%w)", total, d.err)
	}
	t.ids = make([]uint32, total)
	synsets := uint32(0)
	for i := range t.ids {
		if back := d.number(); back == 0 {
			synsets++
			t.ids[i] = synsets
		} else if back <= synsets {
			t.ids[i] = synsets + 1 - back
		} else {
			return fmt.Errorf("synset %d is damaged", i+1)
		}
	}
	return d.err
}
