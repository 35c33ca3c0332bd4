package dreem

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"

	"github.com/mteval/mteval/internal/vocab"
)

// Vectors are word vectors. They do not change, and are safe for concurrent use. They
// take 4 bytes a number and some 40 bytes a word.
type Vectors struct {
	dim      int
	words    vocab.Vocab
	data     []float32 // word after word
	hash     string
	unknown  []float32 // what stands for unknown words
	repeated int

	pieces *Vectors // nil without
}

// Bounds of the pieces of words, in characters, the marks at both ends included.
const (
	minPiece = 3
	maxPiece = 5
)

// maxPieceNumber bounds the numbers of pieces, so that no sum of them overflows.
const maxPieceNumber = 1e30

// WithPieces returns the vectors with those of pieces of words, of which vectors of
// unknown words are made: the runs of 3 to 5 characters of the word between "<" and ">".
// The vector of an unknown word is the sum of its pieces' scaled to unit length.
func (v *Vectors) WithPieces(pieces *Vectors) (*Vectors, error) {
	if pieces == nil || v.dim == 0 || pieces.dim != v.dim || pieces.pieces != nil {
		return nil, errors.New("dreem: vectors and pieces of them must have as many numbers, and pieces none of their own")
	}
	for _, x := range pieces.data {
		if !(x >= -maxPieceNumber && x <= maxPieceNumber) {
			return nil, fmt.Errorf("dreem: a number of a piece is %v, beyond ±%g", x, float32(maxPieceNumber))
		}
	}
	out := *v
	out.pieces = pieces
	sum := sha256.Sum256([]byte(v.hash + pieces.hash))
	out.hash = hex.EncodeToString(sum[:])
	return &out, nil
}

// Pieces calls each for the pieces of a word that WithPieces speaks of, which it puts into
// buf. It returns buf, to be used again. Of a word of more than 60 characters it takes
// the pieces of the start. It panics if each is nil.
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
	if len(words) == 0 {
		return nil, errors.New("dreem: no word vectors")
	}
	v := &Vectors{dim: dim, data: data}
	var all summary
	all.start(dim)
	for i, w := range words {
		word, vector := []byte(w), data[i*dim:(i+1)*dim]
		if err := checkVector(word, vector); err != nil {
			return nil, fmt.Errorf("dreem: word %d: %w", i+1, err)
		}
		if !v.add(word) {
			return nil, fmt.Errorf("dreem: word %d: %q is there a second time", i+1, w)
		}
		all.add(word, vector)
	}
	all.finish(v)
	return v, nil
}

// add takes a word, the vector of which the caller adds to data, unless it is there
// already.
func (v *Vectors) add(word []byte) bool {
	n := v.words.Len()
	return int(v.words.Add(word)) == n+1
}

func checkVector(word []byte, vector []float32) error {
	if len(word) == 0 {
		return errors.New("an empty word")
	}
	for _, x := range vector {
		if !finite(x) {
			return fmt.Errorf("%q: a number is %v", word, x)
		}
	}
	return nil
}

// unknownNames are what files call the vector that stands for unknown words.
var unknownNames = []string{"<unk>", "<UNK>", "[UNK]", "UNK", "unk"}

// A summary is what is known of all rows of vectors, of those that are not kept too, so that
// neither signatures nor scores depend on which are.
type summary struct {
	hash hash.Hash
	row  []byte
	sum  []float64
	n    int
	// named is the vector with the first of unknownNames, nameAt its place there.
	named  []float32
	nameAt int
}

func (s *summary) start(dim int) {
	s.hash, s.sum, s.nameAt = sha256.New(), make([]float64, dim), len(unknownNames)
	s.hash.Write(binary.LittleEndian.AppendUint32(nil, uint32(dim)))
}

func (s *summary) add(word []byte, vector []float32) {
	s.row = append(append(s.row[:0], word...), 0)
	s.row = appendFloats(s.row, vector)
	s.hash.Write(s.row)
	for i, x := range vector {
		s.sum[i] += float64(x)
	}
	s.n++
	for i, name := range unknownNames[:s.nameAt] {
		if string(word) == name {
			s.named, s.nameAt = append(s.named[:0], vector...), i
		}
	}
}

// finish gives the vectors their hash and what stands for unknown words: the vector that the
// file has under one of the usual names, or the mean of all.
func (s *summary) finish(v *Vectors) {
	v.hash = hex.EncodeToString(s.hash.Sum(nil))
	v.unknown = s.named
	if v.unknown == nil {
		v.unknown = make([]float32, len(s.sum))
		for i, x := range s.sum {
			v.unknown[i] = float32(x / float64(s.n))
		}
	}
}

// Dim is the number of numbers in each vector.
func (v *Vectors) Dim() int { return v.dim }

// Len is the number of words.
func (v *Vectors) Len() int { return v.words.Len() }

// Repeated is how many rows of the file were left out because their word had one before.
func (v *Vectors) Repeated() int { return v.repeated }

// Word returns word i, from 0, in the order of the file, "" if there is none.
func (v *Vectors) Word(i int) string {
	if i < 0 || i >= v.Len() {
		return ""
	}
	return v.words.Word(uint32(i + 1))
}

// Hash is the SHA-256 of the words and vectors in hexadecimal, of a file of all its rows,
// whichever of them were kept.
func (v *Vectors) Hash() string { return v.hash }

// Lookup returns the vector of a word, not to be changed, nil for an unknown one.
func (v *Vectors) Lookup(word []byte) []float32 {
	id := int(v.words.Get(word))
	if id == 0 {
		return nil
	}
	return v.data[(id-1)*v.dim : id*v.dim]
}
