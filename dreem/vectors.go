package dreem

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/mteval/mteval/internal/vocab"
)

// Vectors are word vectors. They do not change, and are safe for concurrent use. They
// take 4 bytes a number and some 40 bytes a word.
type Vectors struct {
	dim   int
	words vocab.Vocab
	data  []float32 // word after word
	hash  string

	pieces *Vectors // nil without
}

// Bounds of the pieces of words, in characters, the marks at both ends included.
const (
	minPiece = 3
	maxPiece = 5
)

// WithPieces returns the vectors with those of pieces of words, of which vectors of
// unknown words are made: the runs of 3 to 5 characters of the word between "<" and ">".
// The vector of an unknown word is the sum of its pieces' scaled to unit length.
func (v *Vectors) WithPieces(pieces *Vectors) (*Vectors, error) {
	if pieces.dim != v.dim || pieces.pieces != nil {
		return nil, fmt.Errorf("dreem: pieces of %d numbers, with pieces of their own or not, for vectors of %d", pieces.dim, v.dim)
	}
	out := *v
	out.pieces = pieces
	sum := sha256.Sum256([]byte(v.hash + pieces.hash))
	out.hash = hex.EncodeToString(sum[:])
	return &out, nil
}

// Pieces calls each for the pieces of a word that WithPieces speaks of, which it puts into
// buf. It returns buf, to be used again. Of a word of more than 60 characters it takes
// the pieces of the start.
func Pieces(buf, word []byte, each func(piece []byte)) []byte {
	all := append(append(append(buf[:0], '<'), word...), '>')
	var starts [66]int
	n := 0
	for i := range all {
		if all[i]&0xc0 != 0x80 && n < len(starts)-1 {
			starts[n] = i
			n++
		}
	}
	end := len(all)
	if n == len(starts)-1 {
		n--
		end = starts[n]
	}
	starts[n] = end
	for i := range n {
		for k := minPiece; k <= maxPiece && i+k <= n; k++ {
			if i > 0 || i+k < n { // not the whole word
				each(all[starts[i]:starts[i+k]])
			}
		}
	}
	return all
}

// compose sets dst, of dim numbers, to the vector of an unknown word, and says whether it
// has any piece with a vector.
func (v *Vectors) compose(buf []byte, dst []float32, word []byte) ([]byte, bool) {
	if v.pieces == nil {
		return buf, false
	}
	clear(dst)
	found := false
	buf = Pieces(buf, word, func(piece []byte) {
		if x := v.pieces.Lookup(piece); x != nil {
			found = true
			for i, y := range x {
				dst[i] += y
			}
		}
	})
	unit(dst)
	return buf, found
}

// NewVectors returns the vectors of these words: that of words[i] is
// data[i*dim : (i+1)*dim]. A word that is there twice or empty, and a number that is NaN
// or infinite, are errors. It keeps data.
func NewVectors(dim int, words []string, data []float32) (*Vectors, error) {
	if dim < 1 || dim > maxDim {
		return nil, fmt.Errorf("dreem: vectors of %d numbers: 1 to %d are possible", dim, maxDim)
	}
	if len(data) != len(words)*dim {
		return nil, fmt.Errorf("dreem: %d numbers for %d words of %d", len(data), len(words), dim)
	}
	v := &Vectors{dim: dim}
	for i, w := range words {
		if err := v.add([]byte(w), data[i*dim:(i+1)*dim]); err != nil {
			return nil, fmt.Errorf("dreem: word %d: %w", i+1, err)
		}
	}
	v.data = data
	return v, v.finish()
}

// add takes a word and checks its vector; the caller appends that to data.
func (v *Vectors) add(word []byte, vector []float32) error {
	if len(word) == 0 {
		return fmt.Errorf("an empty word")
	}
	for _, x := range vector {
		if !finite(x) {
			return fmt.Errorf("%q: a number is %v", word, x)
		}
	}
	if n := v.words.Len(); int(v.words.Add(word)) != n+1 {
		return fmt.Errorf("%q is there a second time", word)
	}
	return nil
}

func (v *Vectors) finish() error {
	if v.words.Len() == 0 {
		return fmt.Errorf("dreem: no word vectors")
	}
	h := sha256.New()
	head := binary.LittleEndian.AppendUint32(nil, uint32(v.dim))
	h.Write(head)
	var row []byte
	for i := range v.words.Len() {
		row = append(append(row[:0], v.words.Word(uint32(i+1))...), 0)
		h.Write(appendFloats(row, v.data[i*v.dim:(i+1)*v.dim]))
	}
	v.hash = hex.EncodeToString(h.Sum(nil))
	return nil
}

// Dim is the number of numbers in each vector.
func (v *Vectors) Dim() int { return v.dim }

// Len is the number of words.
func (v *Vectors) Len() int { return v.words.Len() }

// Word returns word i, from 0, in the order of the file.
func (v *Vectors) Word(i int) string { return v.words.Word(uint32(i + 1)) }

// Hash is the SHA-256 of the words and vectors in hexadecimal.
func (v *Vectors) Hash() string { return v.hash }

// Lookup returns the vector of a word, not to be changed, nil for an unknown one.
func (v *Vectors) Lookup(word []byte) []float32 {
	id := int(v.words.Get(word))
	if id == 0 {
		return nil
	}
	return v.data[(id-1)*v.dim : id*v.dim]
}

// unknown returns the vector that stands for unknown words: the one that the file has
// under one of the usual names, or the mean of all.
func (v *Vectors) unknown() []float32 {
	for _, name := range []string{"<unk>", "<UNK>", "[UNK]", "UNK", "unk"} {
		if x := v.Lookup([]byte(name)); x != nil {
			return x
		}
	}
	sum := make([]float64, v.dim)
	for i, x := range v.data {
		sum[i%v.dim] += float64(x)
	}
	out := make([]float32, v.dim)
	for i, x := range sum {
		out[i] = float32(x / float64(v.Len()))
	}
	return out
}
