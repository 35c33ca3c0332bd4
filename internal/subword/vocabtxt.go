package subword

import (
	"bytes"
	"errors"
	"fmt"
)

// VocabOptions say how a BERT model that has a vocab.txt only treats text.
type VocabOptions struct {
	// LowerCase is for models called uncased.
	LowerCase bool
	// StripAccents removes accents; nil: when LowerCase is set.
	StripAccents *bool
	// KeepChinese leaves Chinese characters together, where BERT splits between all.
	KeepChinese bool
}

// ParseVocab makes a WordPiece tokenizer from a BERT vocab.txt, a piece a line.
func ParseVocab(vocab []byte, o VocabOptions) (*Tokenizer, error) {
	v := newVocabBuilder()
	i := int64(0)
	for line := range bytes.Lines(vocab) {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) > 0 { // otherwise it is a number that nothing has
			if err := v.add(string(line), i); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
		i++
	}
	b := bert{clean: true, chinese: !o.KeepChinese, strip: o.LowerCase, lower: o.LowerCase}
	if o.StripAccents != nil {
		b.strip = *o.StripAccents
	}
	t := &Tokenizer{classes: classes(), normalizer: b, pretokenizer: bertPre{}, addedNormal: newAdded(nil)}
	tokens := make(map[string]addedToken)
	for _, special := range []string{"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"} {
		if i, ok := v.index[special]; ok {
			tokens[special] = addedToken{content: special, id: v.ids[i]}
		} else if special != "[PAD]" && special != "[MASK]" {
			return nil, errors.New("no " + special)
		}
	}
	t.added = newAdded(tokens)
	t.before = []Piece{{ID: tokens["[CLS]"].id, Text: "[CLS]", Special: true}}
	t.after = []Piece{{ID: tokens["[SEP]"].id, Text: "[SEP]", Special: true}}
	v.finish(nil)
	m := &wordPiece{&v.vocabulary, v.index["[UNK]"], 100, v.trie.walk(root, "##")}
	t.model, t.vocab = m, &v.vocabulary
	return t, nil
}
