// Package vocab numbers words.
package vocab

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// A Vocab numbers different words from 1 up, in the order in which they come. It does
// what a map[string]uint32 does in half the time, and without an allocation for each
// word. The zero value is empty. A Vocab that no longer grows is safe for concurrent use.
type Vocab struct {
	seed   maphash.Seed
	secret [2]uint64 // for short words, what seed is for others
	// slots is a hash table, open addressing, its length a power of two.
	slots []slot
	text  []byte // the words, one after another
	ends  []uint32
}

type slot struct {
	short uint64 // the bytes of a word of at most shortWord
	hash  uint32 // its last four bits are the length of a short word and 1, or 0
	id    uint32 // 0: free
}

// shortWord is of how many bytes a word may be to stand in its slot: most words are no longer, and
// are found without a look at the text, which makes BLEU of a sentence an eighth faster.
const shortWord = 8

// pack returns the bytes of a short word: of equal lengths, others for each.
func pack(word []byte) uint64 {
	switch n := len(word); {
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(word)) | uint64(binary.LittleEndian.Uint32(word[n-4:]))<<32
	case n > 0:
		return uint64(word[0]) | uint64(word[n/2])<<8 | uint64(word[n-1])<<16
	}
	return 0
}

// Len is the number of words.
func (v *Vocab) Len() int { return max(0, len(v.ends)-1) }

// Reset empties v, and keeps its memory.
func (v *Vocab) Reset() {
	clear(v.slots)
	v.text, v.ends = v.text[:0], v.ends[:min(1, len(v.ends))]
}

// find returns the slot of a word, or the free one where it would be, and what is to be in it.
func (v *Vocab) find(word []byte) (*slot, slot) {
	if len(word) > shortWord {
		return v.findLong(word)
	}
	w := slot{short: pack(word)}
	high, low := bits.Mul64(w.short^v.secret[0], uint64(len(word)+1)*v.secret[1])
	sum := high ^ low
	w.hash = uint32(sum>>32)&^15 | uint32(len(word)+1)
	for i := int(sum) & (len(v.slots) - 1); ; i = (i + 1) & (len(v.slots) - 1) {
		s := &v.slots[i]
		if s.id == 0 || s.hash == w.hash && s.short == w.short {
			return s, w
		}
	}
}

func (v *Vocab) findLong(word []byte) (*slot, slot) {
	sum := maphash.Bytes(v.seed, word)
	w := slot{hash: uint32(sum>>32) &^ 15}
	for i := int(sum) & (len(v.slots) - 1); ; i = (i + 1) & (len(v.slots) - 1) {
		s := &v.slots[i]
		if s.id == 0 || s.hash == w.hash && string(v.text[v.ends[s.id-1]:v.ends[s.id]]) == string(word) {
			return s, w
		}
	}
}

// Get returns the number of a word, 0 if it has none.
func (v *Vocab) Get(word []byte) uint32 {
	if len(v.slots) == 0 {
		return 0
	}
	s, _ := v.find(word)
	return s.id
}

// Add returns the number of a word, and gives it one if it has none. The text of all
// words together must stay below 4 GiB.
func (v *Vocab) Add(word []byte) uint32 {
	if v.Len()*2 >= len(v.slots) {
		v.grow()
	}
	s, w := v.find(word)
	if s.id == 0 {
		v.text = append(v.text, word...)
		v.ends = append(v.ends, uint32(len(v.text)))
		w.id = uint32(v.Len())
		*s = w
	}
	return s.id
}

func (v *Vocab) grow() {
	if v.slots == nil {
		v.seed = maphash.MakeSeed()
		v.secret = [2]uint64{rand.Uint64(), rand.Uint64() | 1}
		v.ends = []uint32{0}
	}
	v.slots = make([]slot, max(64, 4*len(v.slots)))
	for id := uint32(1); int(id) <= v.Len(); id++ {
		s, w := v.find(v.text[v.ends[id-1]:v.ends[id]])
		w.id = id
		*s = w
	}
}

// GetString is Get of a string, and allocates no more.
func (v *Vocab) GetString(word string) uint32 { return v.Get(view(word)) }

// AddString is Add of a string.
func (v *Vocab) AddString(word string) uint32 { return v.Add(view(word)) }

// view is a word as bytes, which are not to be changed.
func view(word string) []byte { return unsafe.Slice(unsafe.StringData(word), len(word)) }

// Word returns the word of a number that Add gave.
func (v *Vocab) Word(id uint32) string { return string(v.text[v.ends[id-1]:v.ends[id]]) }
