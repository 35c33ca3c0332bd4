package berttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Tokenized returns a copy of the folder of a model with a tokenizer.json: WordPiece in lower
// case as BERT's, BPE of bytes as RoBERTa's, or Unigram as XLM-RoBERTa's, of letters and some
// words. Its ids are below 60.
func Tokenized(tb testing.TB, dir, kind string) string {
	tb.Helper()
	to := tb.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		tb.Fatal(err)
	}
	file, err := json.Marshal(tokenizers[kind]())
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "tokenizer.json"), file, 0o666)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return to
}

var tokenizers = map[string]func() object{"WordPiece": wordPiece, "BPE": bytePairs, "Unigram": unigram}

type (
	object = map[string]any
	list   = []any
)

// numbered gives pieces ids in their order: the special ones first, then the letters with
// something in front, then others.
func numbered(special []string, before string, others ...string) object {
	vocab := object{}
	for _, p := range special {
		vocab[p] = len(vocab)
	}
	for c := 'a'; c <= 'z'; c++ {
		vocab[before+string(c)] = len(vocab)
	}
	for _, p := range others {
		vocab[p] = len(vocab)
	}
	return vocab
}

// addedTokens are those of special pieces.
func addedTokens(special []string) list {
	var out list
	for i, p := range special {
		mask := p == "<mask>" || p == "[MASK]"
		out = append(out, object{"id": i, "content": p, "single_word": false, "lstrip": mask, "rstrip": false, "normalized": false, "special": true})
	}
	return out
}

var (
	bertSpecial    = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	robertaSpecial = []string{"<s>", "<pad>", "</s>", "<unk>", "<mask>"}
)

func wordPiece() object {
	return object{
		"added_tokens":   addedTokens(bertSpecial),
		"normalizer":     object{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer":  object{"type": "BertPreTokenizer"},
		"post_processor": object{"type": "BertProcessing", "cls": list{"[CLS]", 2}, "sep": list{"[SEP]", 3}},
		"model": object{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
			"vocab": numbered(bertSpecial, "##", "the", "t", "s", "w", "der", "n", "h", ".", ",", "a", "b", "d", "old", "that")},
	}
}

func bytePairs() object {
	return object{
		"added_tokens":   addedTokens(robertaSpecial),
		"pre_tokenizer":  object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
		"post_processor": object{"type": "RobertaProcessing", "cls": list{"<s>", 0}, "sep": list{"</s>", 2}, "trim_offsets": true, "add_prefix_space": false},
		"model": object{"type": "BPE", "unk_token": "<unk>",
			"vocab":  numbered(robertaSpecial, "", "Ġ", ".", ",", "th", "the", "Ġthe", "er", "Ġw", "at"),
			"merges": list{"t h", "th e", "Ġ the", "e r", "Ġ w", "a t"}},
	}
}

func unigram() object {
	vocab := list{}
	for _, p := range robertaSpecial[:4] {
		vocab = append(vocab, list{p, 0})
	}
	for c := 'a'; c <= 'z'; c++ {
		vocab = append(vocab, list{string(c), -5})
	}
	for _, p := range []string{"▁", "▁the", "▁that", "er", ".", ",", "▁w"} {
		vocab = append(vocab, list{p, -4})
	}
	return object{
		"added_tokens": addedTokens(robertaSpecial[:4]),
		"normalizer": object{"type": "Sequence", "normalizers": list{object{"type": "NFKC"}, object{"type": "Lowercase"},
			object{"type": "Replace", "pattern": object{"Regex": " {2,}"}, "content": " "}}},
		"pre_tokenizer":  object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
		"post_processor": object{"type": "RobertaProcessing", "cls": list{"<s>", 0}, "sep": list{"</s>", 2}, "trim_offsets": true, "add_prefix_space": false},
		"model":          object{"type": "Unigram", "unk_id": 3, "vocab": vocab},
	}
}
