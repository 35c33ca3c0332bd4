package subword

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// ParseSentencePiece reads a model of SentencePiece: the protocol buffer that its trainer
// writes as NAME.model, of any of its four types. Pieces and ids are those of SentencePiece
// 0.2.3's EncodeAsPieces and EncodeAsIds (see package tokenize/spm for older releases):
// there are no special pieces around a text, what is unknown is one piece for a run of
// characters, or one for every byte, and control symbols are never found in a text. An
// error says which part of the file is at fault.
func ParseSentencePiece(data []byte) (*Tokenizer, error) {
	var f sentenceFile
	if err := f.read(data); err != nil {
		return nil, fmt.Errorf("not a model of SentencePiece: %w", err)
	}
	return f.tokenizer()
}

// pieceKind is the type of a piece.
type pieceKind uint8

const (
	normalPiece  pieceKind = 1
	unknownPiece pieceKind = 2
	controlPiece pieceKind = 3
	userPiece    pieceKind = 4 // always one piece where it stands in a text
	unusedPiece  pieceKind = 5
	bytePiece    pieceKind = 6
)

// inText says that a piece of this kind can be text, and not stand for something only.
func (k pieceKind) inText() bool { return k == normalPiece || k == userPiece || k == unusedPiece }

// The types of models.
const (
	unigramModel = 1
	bpeModel     = 2
	wordModel    = 3
	charModel    = 4
)

// sentenceFile is what a file has that matters here.
type sentenceFile struct {
	text   []string
	scores []float32
	kinds  []pieceKind
	bytes  int // of all pieces

	hasTrainer, hasNormalizer bool

	model        uint64
	unk          int64 // as the trainer was asked for it
	byteFallback bool
	suffix       bool // white space is the end of a word, not its beginning

	charsmap                []byte
	dummy, squeeze, escaped bool
}

// maxCount is the most pieces, where the largest models have less than a million.
const maxCount = 1 << 22

func (f *sentenceFile) read(data []byte) error {
	f.model, f.dummy, f.squeeze, f.escaped = unigramModel, true, true, true
	m := message{b: data}
	for m.next() {
		var err error
		switch {
		case m.is(1, wireBytes):
			if err = f.readPiece(m.data); err != nil {
				err = fmt.Errorf("piece %d: %w", len(f.text), err)
			}
		case m.is(2, wireBytes):
			if err = f.readTrainer(m.data); err != nil {
				err = fmt.Errorf("trainer_spec: %w", err)
			}
		case m.is(3, wireBytes):
			if err = f.readNormalizer(m.data); err != nil {
				err = fmt.Errorf("normalizer_spec: %w", err)
			}
		}
		if err != nil {
			return err
		}
	}
	switch {
	case m.err != nil:
		return m.err
	case len(f.text) == 0:
		return errors.New("it has no pieces")
	// The trainer always writes these, in this order.
	case !f.hasTrainer:
		return errors.New("it has no trainer_spec: its end is missing")
	case !f.hasNormalizer:
		return errors.New("it has no normalizer_spec: its end is missing")
	}
	return nil
}

func (f *sentenceFile) readPiece(data []byte) error {
	text, score, kind := "", float32(0), uint64(normalPiece)
	m := message{b: data}
	for m.next() {
		switch {
		case m.is(1, wireBytes):
			if len(m.data) > maxPiece {
				return fmt.Errorf("%d bytes, and %d are the most: %.40q…", len(m.data), maxPiece, m.data)
			}
			text = string(m.data)
		case m.is(2, wireFixed32):
			score = math.Float32frombits(uint32(m.n))
		case m.is(3, wireVarint):
			kind = m.n
		}
	}
	f.bytes += len(text)
	switch {
	case m.err != nil:
		return m.err
	case text == "":
		return errors.New("it has no text")
	case !utf8.ValidString(text):
		return fmt.Errorf("%.100q is not UTF-8", text)
	case strings.Contains(text, "\x00"):
		return fmt.Errorf("%.100q has a zero byte", text)
	case score-score != 0: // not a number, or infinite
		return fmt.Errorf("%.100q has the score %v", text, score)
	case kind < uint64(normalPiece) || kind > uint64(bytePiece):
		return fmt.Errorf("%.100q is of the type %d, which is none", text, kind)
	case f.bytes > maxPieces:
		return fmt.Errorf("all pieces have more than %d bytes", maxPieces)
	case len(f.text) == maxCount:
		return fmt.Errorf("there are more than %d pieces", maxCount)
	}
	f.text = append(f.text, text)
	f.scores = append(f.scores, score)
	f.kinds = append(f.kinds, pieceKind(kind))
	return nil
}

func (f *sentenceFile) readTrainer(data []byte) error {
	f.hasTrainer = true
	m := message{b: data}
	for m.next() {
		switch {
		case m.is(3, wireVarint):
			f.model = m.n
		case m.is(24, wireVarint):
			f.suffix = m.n != 0
		case m.is(35, wireVarint):
			f.byteFallback = m.n != 0
		case m.is(40, wireVarint):
			f.unk = int64(m.n)
		}
	}
	if m.err == nil && (f.model < unigramModel || f.model > charModel) {
		return fmt.Errorf("model_type %d is not supported", f.model)
	}
	return m.err
}

func (f *sentenceFile) readNormalizer(data []byte) error {
	f.hasNormalizer = true
	m := message{b: data}
	for m.next() {
		switch {
		case m.is(2, wireBytes):
			if len(m.data) > maxPart {
				return fmt.Errorf("precompiled_charsmap: %d bytes, and %d are the most", len(m.data), maxPart)
			}
			f.charsmap = m.data
		case m.is(3, wireVarint):
			f.dummy = m.n != 0
		case m.is(4, wireVarint):
			f.squeeze = m.n != 0
		case m.is(5, wireVarint):
			f.escaped = m.n != 0
		}
	}
	return m.err
}

// tokenizer makes a tokenizer of what was read.
func (f *sentenceFile) tokenizer() (*Tokenizer, error) {
	unk, bytes, err := f.reserved()
	if err != nil {
		return nil, err
	}
	v := &vocabulary{text: f.text, ids: make([]int32, len(f.text))}
	for i := range v.ids {
		v.ids[i] = int32(i)
	}
	if v.trie, err = f.trie(); err != nil {
		return nil, err
	}
	users := f.users()
	n := &sentenceNormalizer{users: users, dummy: f.dummy, suffix: f.suffix, squeeze: f.squeeze, space: " "}
	if f.escaped {
		n.space = wordMark
	}
	if len(f.charsmap) > 0 {
		if n.charsmap, err = newCharsmap(f.charsmap); err != nil {
			return nil, fmt.Errorf("normalizer_spec.precompiled_charsmap: %w", err)
		}
	}
	n.findPlain()
	t := &Tokenizer{normalizer: n, vocab: v, raw: true}
	common := sentenceVocabulary{v, users, unk, bytes}
	switch f.model {
	case unigramModel:
		t.model = f.unigram(v, unk, bytes)
	case bpeModel:
		t.model = newSentenceBPE(common, f.scores, f.kinds)
	case wordModel:
		t.model = &sentenceWords{common}
	case charModel:
		t.model = &sentenceChars{common}
	}
	return t, nil
}

// reserved returns the unknown piece and, with byte_fallback, the pieces of bytes.
func (f *sentenceFile) reserved() (unk int32, bytes *[256]int32, err error) {
	unk = -1
	spelled := make(map[string]byte)
	if f.byteFallback {
		bytes = new([256]int32)
		for b := range bytes {
			bytes[b] = -1
			spelled[fmt.Sprintf("<0x%02X>", b)] = byte(b)
		}
	}
	for i, k := range f.kinds {
		switch k {
		case unknownPiece:
			if unk >= 0 {
				return 0, nil, fmt.Errorf("pieces %d and %d are unknown ones, and one is the most", unk, i)
			}
			unk = int32(i)
		case bytePiece:
			b, ok := spelled[f.text[i]]
			if !ok {
				return 0, nil, fmt.Errorf("piece %d: %.100q is of the type of bytes, and is none, or byte_fallback is off", i, f.text[i])
			}
			bytes[b] = int32(i)
		}
	}
	if unk < 0 {
		return 0, nil, errors.New("no piece is the unknown one")
	}
	if bytes != nil {
		if b := slices.Index(bytes[:], -1); b >= 0 {
			return 0, nil, fmt.Errorf("byte_fallback is on, and the byte %#02x has no piece", b)
		}
	}
	return unk, bytes, nil
}

// trie makes the trie of the pieces that are found in texts. Unused ones count as unknown,
// but for BPE, which takes them apart.
func (f *sentenceFile) trie() (*trie, error) {
	var entries []trieEntry
	var reserved map[string]int32
	for i, text := range f.text {
		if f.kinds[i].inText() {
			entries = append(entries, trieEntry{text, int32(i)})
			continue
		}
		if reserved == nil {
			reserved = make(map[string]int32)
		}
		if before, ok := reserved[text]; ok {
			return nil, errTwice(text, before, int32(i))
		}
		reserved[text] = int32(i)
	}
	slices.SortFunc(entries, func(a, b trieEntry) int { return strings.Compare(a.key, b.key) })
	kept := entries[:0]
	for _, e := range entries {
		if n := len(kept); n > 0 && kept[n-1].key == e.key {
			return nil, errTwice(e.key, kept[n-1].value, e.value)
		}
		if i, ok := reserved[e.key]; ok && f.model == bpeModel {
			return nil, errTwice(e.key, i, e.value)
		}
		kept = append(kept, e)
	}
	if f.model != bpeModel {
		kept = slices.DeleteFunc(kept, func(e trieEntry) bool { return f.kinds[e.value] == unusedPiece })
	}
	return newTrie(kept), nil
}

func errTwice(text string, a, b int32) error {
	return fmt.Errorf("pieces %d and %d are both %.100q", min(a, b), max(a, b), text)
}

// users makes the trie of user-defined symbols.
func (f *sentenceFile) users() userSymbols {
	var u userSymbols
	var entries []trieEntry
	for i, k := range f.kinds {
		if k == userPiece {
			entries = append(entries, trieEntry{f.text[i], int32(i)})
			u.first[f.text[i][0]] = true
		}
	}
	if len(entries) == 0 {
		return u
	}
	slices.SortFunc(entries, func(a, b trieEntry) int { return strings.Compare(a.key, b.key) })
	u.trie = newTrie(entries)
	return u
}

// unigram makes the model of that type. SentencePiece gives user-defined symbols a score
// that grows with their length, and unknown characters one below all others.
func (f *sentenceFile) unigram(v *vocabulary, unk int32, bytes *[256]int32) model {
	m := &unigram[float32]{vocabulary: v, steps: singleSteps, scores: f.scores, unk: unk, unkScore: math.MaxFloat32, bytes: bytes, sentence: true}
	for i, k := range f.kinds {
		switch k {
		case normalPiece:
			m.unkScore = min(m.unkScore, f.scores[i])
		case userPiece:
			m.scores[i] = float32(0.1 * float64(len(f.text[i])-1))
		}
	}
	m.unkScore -= 10
	return m
}
