package bert

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/subword"
)

// openVocab opens vocab.txt, BERT's list of pieces, with the options that
// tokenizer_config.json tells: lower case, accents, Chinese characters.
func openVocab(dir string) (*subword.Tokenizer, string, error) {
	path := filepath.Join(dir, "vocab.txt")
	vocab, err := sidefile.ReadFile(path, maxTokenizer)
	if errors.Is(err, os.ErrNotExist) {
		return nil, "", fmt.Errorf("%s: no tokenizer.json in it, no sentencepiece.bpe.model, and no vocab.txt", dir)
	}
	if err != nil {
		return nil, "", err
	}
	c := struct {
		Lower   *bool `json:"do_lower_case"`
		Accents *bool `json:"strip_accents"`
		Chinese *bool `json:"tokenize_chinese_chars"`
	}{}
	config := filepath.Join(dir, "tokenizer_config.json")
	data, err := sidefile.ReadFile(config, maxConfig)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, "", fmt.Errorf("%s: %w", config, err)
	}
	// What BertTokenizer does where the file is silent.
	or := func(p *bool, otherwise bool) bool {
		if p == nil {
			return otherwise
		}
		return *p
	}
	t, err := subword.ParseVocab(vocab, subword.VocabOptions{
		LowerCase:    or(c.Lower, true),
		StripAccents: c.Accents,
		KeepChinese:  !or(c.Chinese, true),
	})
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return t, "vocab-" + short(sha256.Sum256(append(vocab, data...))), nil
}

// openSentencePiece opens sentencepiece.bpe.model, which is XLM-RoBERTa's.
func openSentencePiece(dir string) (*subword.Tokenizer, string, error) {
	path := filepath.Join(dir, "sentencepiece.bpe.model")
	data, err := sidefile.ReadFile(path, maxTokenizer)
	if err != nil {
		return nil, "", err
	}
	t, err := subword.ParseXLMRoberta(data)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return t, "spm-" + short(sha256.Sum256(data)), nil
}
