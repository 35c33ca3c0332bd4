package subword

import (
	"errors"
	"fmt"
	"math"
)

// ParseXLMRoberta makes the tokenizer of XLM-RoBERTa from its Unigram model of SentencePiece,
// sentencepiece.bpe.model, as transformers 4.57.6's XLMRobertaTokenizerFast does where there
// is no tokenizer.json: fairseq's <s>, <pad>, </s> and <unk> in place of the model's first
// three pieces, and <mask> at the end.
func ParseXLMRoberta(model []byte) (*Tokenizer, error) {
	var f sentenceFile
	if err := f.read(model); err != nil {
		return nil, fmt.Errorf("not a model of SentencePiece: %w", err)
	}
	if f.model != unigramModel {
		return nil, fmt.Errorf("trainer_spec: model_type %d is not supported, %d is", f.model, unigramModel)
	}
	if len(f.text) < 3 {
		return nil, errors.New("it has fewer than 3 pieces")
	}
	o := &opener{t: &Tokenizer{classes: classes()}, builder: newVocabBuilder()}
	var steps sequence
	if len(f.charsmap) > 0 {
		m, err := newCharsmap(f.charsmap)
		if err != nil {
			return nil, fmt.Errorf("normalizer_spec.precompiled_charsmap: %w", err)
		}
		steps = append(steps, m)
	}
	o.t.normalizer = append(steps, strip{right: true}, replace{findRun{" ", 2}, wordMark})
	o.t.pretokenizer = metaspace{mark: wordMark, scheme: "always", split: true}
	if err := o.fairseq(&f); err != nil {
		return nil, err
	}
	a := o.newAdder()
	for i, text := range append(fairseqPieces[:len(fairseqPieces):len(fairseqPieces)], "<mask>") {
		id, mask := a.id(text), i == len(fairseqPieces)
		a.add(text, &tokenField{ID: &id, Content: &text, LStrip: mask, Normalized: mask})
	}
	if o.err != nil {
		return nil, o.err
	}
	o.t.added, o.t.addedNormal = newAdded(a.plain), newAdded(a.normal)
	o.t.before, o.t.after = []Piece{{ID: 0, Text: "<s>", Special: true}}, []Piece{{ID: 2, Text: "</s>", Special: true}}
	return o.t, nil
}

// fairseqPieces are in place of the first three.
var fairseqPieces = []string{"<s>", "<pad>", "</s>", "<unk>"}

// fairseq sets the model and its vocabulary.
func (o *opener) fairseq(f *sentenceFile) error {
	m := &unigram[float64]{vocabulary: &o.builder.vocabulary, steps: doubleSteps, unk: 3, unkScore: math.Inf(1)}
	add := func(text string, score float64) error {
		if err := o.builder.add(text, int64(len(m.scores))); err != nil {
			return fmt.Errorf("piece %d: %w", len(m.scores), err)
		}
		m.scores = append(m.scores, score)
		m.unkScore = min(m.unkScore, score)
		return nil
	}
	for _, text := range fairseqPieces {
		if err := add(text, 0); err != nil {
			return err
		}
	}
	for i, text := range f.text[3:] {
		if err := add(text, float64(f.scores[3+i])); err != nil {
			return err
		}
	}
	if err := add("<mask>", 0); err != nil {
		return err
	}
	m.unkScore -= 10
	o.builder.finish(nil)
	o.t.model, o.t.vocab = m, &o.builder.vocabulary
	return nil
}
