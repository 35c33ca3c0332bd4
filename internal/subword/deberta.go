package subword

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// DebertaOptions are what tokenizer_config.json says of a tokenizer of DeBERTa's that has no
// tokenizer.json.
type DebertaOptions struct {
	// LowerCase and SplitPunctuation are of v2: to write the text small, and to take each
	// punctuation mark for a word.
	LowerCase, SplitPunctuation bool
	// PrefixSpace is of v1: to put a space before a text.
	PrefixSpace bool
	// Added are tokens that are looked for in texts besides the special ones, or in
	// their place: one of the same content is as it is here.
	Added []AddedToken
}

// An AddedToken is looked for in texts before they are split.
type AddedToken struct {
	// ID is its id, which has to be the vocabulary's, or follow it; -1 is whichever that is.
	ID      int64 `json:"-"`
	Content string
	// SingleWord is not to be within a word, LStrip and RStrip to take the white space
	// before and after it, Normalized to be looked for after normalization.
	SingleWord                 bool `json:"single_word"`
	LStrip, RStrip, Normalized bool
}

// ParseDeberta makes the tokenizer of DeBERTa v1, byte-level BPE, from GPT-2's files, as
// transformers 4.57.6's DebertaTokenizerFast does. An error names the file.
func ParseDeberta(vocab, merges []byte, opt DebertaOptions) (*Tokenizer, error) {
	o := &opener{t: &Tokenizer{classes: classes()}, builder: newVocabBuilder(), byteLevel: true}
	o.t.pretokenizer = byteLevel{opt.PrefixSpace, true}
	if !json.Valid(vocab) { // pieces reads what is known to be
		return nil, errors.New("vocab.json: not JSON")
	}
	o.pieces(fields{o, "", map[string]json.RawMessage{"vocab": vocab}})
	if o.err != nil {
		return nil, fmt.Errorf("vocab.json: %w", o.err)
	}
	m := &bpe{vocabulary: &o.builder.vocabulary, unk: -1, byteLevel: true}
	if err := o.mergeLines(m, string(merges)); err != nil {
		return nil, fmt.Errorf("merges.txt:%w", err)
	}
	o.builder.finish(o.spellBytes(m))
	o.t.model, o.t.vocab = m, &o.builder.vocabulary
	// The mask takes the place of a word, with the space before it.
	special := []AddedToken{{Content: "[CLS]"}, {Content: "[SEP]"}, {Content: "[UNK]"}, {Content: "[PAD]"}, {Content: "[MASK]", LStrip: true, Normalized: true}}
	return o.deberta(opt.Added, special)
}

// mergeLines reads merges.txt. The first line, which names the version, counts for nothing,
// and nor does what follows the last line's end: the program leaves both out unseen.
func (o *opener) mergeLines(m *bpe, text string) error {
	lines := strings.Split(text, "\n")
	m.merges.grow()
	for i := 1; i < len(lines)-1; i++ {
		parts := strings.Fields(lines[i])
		if len(parts) != 2 {
			return fmt.Errorf("%d: not two pieces", i+1)
		}
		if err := o.addMerge(m, parts[0], parts[1], int32(i-1)); err != nil {
			return fmt.Errorf("%d: %w", i+1, err)
		}
	}
	return nil
}

// ParseDebertaV2 makes the tokenizer of DeBERTa v2 and v3 from a Unigram model of
// SentencePiece, as transformers 4.57.6's DebertaV2TokenizerFast does. An error names the file. From what
// SentencePiece itself gives, as [ParseSentencePiece] and that package's slow tokenizer do,
// it differs where two ways to split have nearly one score, and in white space around
// characters like "▁" and, if SplitPunctuation is set, around punctuation.
func ParseDebertaV2(model []byte, opt DebertaOptions) (*Tokenizer, error) {
	var f sentenceFile
	if err := f.read(model); err != nil {
		return nil, fmt.Errorf("spm.model: not a model of SentencePiece: %w", err)
	}
	if f.model != unigramModel {
		return nil, fmt.Errorf("spm.model: trainer_spec: model_type %d is not supported, %d is", f.model, unigramModel)
	}
	if f.unk < 0 || f.unk >= int64(len(f.text)) {
		return nil, fmt.Errorf("spm.model: trainer_spec: unk_id %d, where there are %d pieces", f.unk, len(f.text))
	}
	o := &opener{t: &Tokenizer{classes: classes()}, builder: newVocabBuilder()}
	steps := sequence{strip{true, true}}
	if opt.LowerCase {
		steps = sequence{lowercase{}, strip{true, true}}
	}
	if len(f.charsmap) > 0 {
		m, err := newCharsmap(f.charsmap)
		if err != nil {
			return nil, fmt.Errorf("spm.model: normalizer_spec.precompiled_charsmap: %w", err)
		}
		steps = append(steps, m)
	}
	o.t.normalizer = append(steps, replace{findRun{" ", 2}, " "})
	var words preSequence
	if opt.SplitPunctuation {
		words = append(words, splitter{behaviour: isolated})
	}
	o.t.pretokenizer = append(words, metaspace{mark: wordMark, scheme: "always", split: true})
	m := &unigram[float64]{vocabulary: &o.builder.vocabulary, steps: doubleSteps, unk: int32(f.unk), unkScore: math.Inf(1)}
	for i, text := range f.text {
		if err := o.builder.add(text, int64(i)); err != nil {
			return nil, fmt.Errorf("spm.model: piece %d: %w", i, err)
		}
		m.scores = append(m.scores, float64(f.scores[i]))
		m.unkScore = min(m.unkScore, m.scores[i])
	}
	m.unkScore -= 10
	o.builder.finish(nil)
	o.t.model, o.t.vocab = m, &o.builder.vocabulary
	var special []AddedToken
	for i, k := range f.kinds {
		if k == controlPiece || k == userPiece {
			special = append(special, AddedToken{Content: f.text[i]})
		}
	}
	special = append(special, AddedToken{Content: "[CLS]"}, AddedToken{Content: "[SEP]"}, AddedToken{Content: "[UNK]", Normalized: true},
		AddedToken{Content: "[PAD]"}, AddedToken{Content: "[MASK]"})
	return o.deberta(opt.Added, special)
}

// deberta adds the tokens that are looked for in texts, and those around a text. Special
// ones that the vocabulary does not have follow it in this order.
func (o *opener) deberta(listed, special []AddedToken) (*Tokenizer, error) {
	a := o.newAdder()
	add := func(t *AddedToken, id int64) {
		a.add(fmt.Sprintf("tokenizer_config.json: added_tokens_decoder: %.100q", t.Content), &tokenField{&id, &t.Content, t.SingleWord, t.LStrip, t.RStrip, t.Normalized})
	}
	for i := range listed {
		id := listed[i].ID
		if id < 0 {
			id = a.id(listed[i].Content)
		}
		add(&listed[i], id)
	}
	for i := range special {
		if _, ok := a.seen[special[i].Content]; !ok {
			add(&special[i], a.id(special[i].Content))
		}
	}
	if o.err != nil {
		return nil, o.err
	}
	o.t.added, o.t.addedNormal = newAdded(a.plain), newAdded(a.normal)
	around := func(content string) []Piece {
		return []Piece{{ID: int32(*a.seen[content].ID), Text: content, Special: true}}
	}
	o.t.before, o.t.after = around("[CLS]"), around("[SEP]")
	return o.t, nil
}
