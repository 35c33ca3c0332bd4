package meteor

import (
	"slices"
	"unicode/utf8"

	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/vocab"
	"github.com/mteval/mteval/tokenize"
)

// A word is all that the stages of the alignment need to know of one.
type word struct {
	text string
	// key and stem stand for the word and its stem where they are compared.
	key, stem uint64
	synsets   []uint32  // sorted
	bloom     uint64    // of synsets
	more      [4]uint64 // the same, by other bits
	phrase    uint32    // its number in the paraphrase table, 0 for none
	hash      uint32    // the table's
	size      int32     // in UTF-16 units
	function  bool
}

// shareSynset says whether two words share a synset.
func shareSynset(a, b *word) bool {
	if a.more[0]&b.more[0]|a.more[1]&b.more[1]|a.more[2]&b.more[2]|a.more[3]&b.more[3] == 0 {
		return false
	}
	x, y := a.synsets, b.synsets
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] == y[0]:
			return true
		case x[0] < y[0]:
			x = x[1:]
		default:
			y = y[1:]
		}
	}
	return false
}

// dictionary makes words, and keeps those that it made. It is for one goroutine; the words
// are for all.
type dictionary struct {
	s     *Scorer
	seen  vocab.Vocab
	words []*word
	bytes int // of all words
}

// Bounds of the words that are kept, and of their bytes.
const (
	maxWords = 1 << 17
	maxBytes = 1 << 24
)

// get returns the word with this text.
func (d *dictionary) get(text []byte) *word {
	if d.seen.Len() >= maxWords || d.bytes >= maxBytes {
		d.seen, d.words, d.bytes = vocab.Vocab{}, nil, 0
	}
	id := int(d.seen.Add(text))
	if id > len(d.words) {
		d.bytes += len(text)
		d.words = append(d.words, d.s.newWord(string(text)))
	}
	return d.words[id-1]
}

// newWord looks a word up.
func (s *Scorer) newWord(text string) *word {
	w := &word{text: text, key: s.hash(text), size: int32(utf16Len(text))}
	w.function = s.function.words[tokenize.Lower(text)]
	if s.stem != nil {
		w.stem = s.hash(s.stem(text))
	}
	if s.synonyms != nil {
		w.synsets = s.synonyms.Synsets(text)
		for _, id := range w.synsets {
			bit := id * 0x9e3779b1
			w.bloom |= 1 << (bit >> 26)
			w.more[bit>>24&3] |= 1 << (bit >> 18 & 63)
		}
	}
	if s.paraphrases != nil {
		w.phrase = s.paraphrases.words.Get([]byte(text))
		w.hash = s.paraphrases.hash([]byte(text))
	}
	return w
}

// javaHash is Java's String.hashCode: the program compares words by it. Words that differ
// can have the same, such as "variants" and "gelato".
func javaHash(text string) uint64 {
	h := uint32(0)
	for _, r := range text {
		if r > 0xffff {
			r -= 0x10000
			h = h*31 + 0xd800 + uint32(r>>10)
			r = 0xdc00 + r&0x3ff
		}
		h = h*31 + uint32(r)
	}
	return uint64(h)
}

// stringHash has 64 bits (FNV-1a), enough to tell words apart.
func stringHash(text string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return h
}

// utf16Len is the length of a text in UTF-16 units.
func utf16Len(text string) int {
	n := utf8.RuneCountInString(text)
	for _, r := range text {
		if r > 0xffff {
			n++
		}
	}
	return n
}

// A side is a hypothesis or a reference, as words.
type side struct {
	words            []*word
	length, function float64       // of all words, and of the function words, in words or in characters
	phrases          []tablePhrase // that have paraphrases, by place, short ones first
}

// A tablePhrase stands in a text, and has the row of the table.
type tablePhrase struct{ start, n, row int32 }

// read sets the side to the words of a line. The error is that of the context, or wraps
// mteval.ErrTooLong.
func (s *Scorer) read(sd *side, sc *scratch, line string) error {
	if err := s.split.split(&sc.text, line); err != nil {
		return err
	}
	if err := limit.Text(len(sc.text.spans), s.opt.MaxTokens); err != nil {
		return err
	}
	sd.words = slices.Grow(sd.words[:0], len(sc.text.spans))
	known, work := len(sc.dict.words), 0
	for i, at := range sc.text.spans {
		sd.words = append(sd.words, sc.dict.get(sc.text.text[at.lo:at.hi]))
		if n := len(sc.dict.words); n != known { // a new one was stemmed
			known = n
			work += 1000 + int(at.hi-at.lo)*int(at.hi-at.lo)
		}
		if i%64 == 63 || work > 1<<16 {
			if err := sc.text.pace.Done(64*30 + work); err != nil {
				return err
			}
			work = 0
		}
	}
	var err error
	if sd.phrases, err = s.paraphrases.find(sd.phrases[:0], sd.words, &sc.text.pace); err != nil {
		return err
	}
	sd.length, sd.function = 0, 0
	for _, w := range sd.words {
		n := s.units(w)
		sd.length += n
		if w.function {
			sd.function += n
		}
	}
	return nil
}

// units is what a word counts for: 1, or its characters.
func (s *Scorer) units(w *word) float64 {
	if s.opt.Characters {
		return float64(w.size)
	}
	return 1
}
