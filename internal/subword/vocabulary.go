package subword

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A vocabBuilder collects the pieces of a vocabulary.
type vocabBuilder struct {
	vocabulary
	index map[string]int32
	taken map[int32]bool
	bytes int // of all pieces
}

// Bounds on a vocabulary. The largest, of a million pieces, has about 10 MB of text, and
// the longest piece some hundred bytes.
const (
	maxPiece  = 1 << 12
	maxPieces = 1 << 25 // bytes of all
)

func newVocabBuilder() *vocabBuilder {
	return &vocabBuilder{index: make(map[string]int32), taken: make(map[int32]bool)}
}

func (v *vocabBuilder) add(text string, id int64) error {
	if id < 0 || id > math.MaxInt32 {
		return fmt.Errorf("id %d is out of range", id)
	}
	if len(text) > maxPiece {
		return fmt.Errorf("a piece of %d bytes, and %d are the most: %.40q…", len(text), maxPiece, text)
	}
	if v.bytes += len(text); v.bytes > maxPieces {
		return fmt.Errorf("all pieces have more than %d bytes", maxPieces)
	}
	if _, ok := v.index[text]; ok {
		return fmt.Errorf("%q twice", text)
	}
	if v.taken[int32(id)] {
		return fmt.Errorf("id %d twice", id)
	}
	if len(v.text) == math.MaxInt32/2 {
		return errors.New("too many pieces")
	}
	v.index[text] = int32(len(v.text))
	v.taken[int32(id)] = true
	v.text = append(v.text, text)
	v.ids = append(v.ids, int32(id))
	return nil
}

// finish makes the trie. spell says how a piece is spelled in it, or that it is not;
// nil: as it is.
func (v *vocabBuilder) finish(spell func(string) (string, bool)) {
	entries := make([]trieEntry, 0, len(v.text))
	for i, text := range v.text {
		if spell != nil {
			var ok bool
			if text, ok = spell(text); !ok {
				continue
			}
		}
		entries = append(entries, trieEntry{text, int32(i)})
	}
	slices.SortFunc(entries, func(a, b trieEntry) int { return strings.Compare(a.key, b.key) })
	v.trie = newTrie(entries)
}
