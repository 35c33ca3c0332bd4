package subword_test

import (
	"os"
	"testing"

	"github.com/mteval/mteval/internal/subword"
)

// The values of DeBERTa's tokenizers are compared in package bert.
func readTokenizer(f *testing.F, name string) []byte {
	data, err := os.ReadFile("../bert/testdata/" + name)
	if err != nil {
		f.Fatal(err)
	}
	return data
}

func FuzzDeberta(f *testing.F) {
	f.Add(readTokenizer(f, "deberta-bpe/vocab.json"), readTokenizer(f, "deberta-bpe/merges.txt"), "The [MASK] sings", "new", int64(331), uint8(0))
	f.Add([]byte(`{"[CLS]":1,"a":0,"b":2,"ab":3}`), []byte("#version: 0.2\na b\n"), "ab [SEP] b", "a b", int64(4), uint8(63))
	f.Fuzz(func(t *testing.T, vocab, merges []byte, text, token string, id int64, flags uint8) {
		k, err := subword.ParseDeberta(vocab, merges, fuzzedOptions(token, id, flags))
		if err == nil {
			checkPieces(t, k, text, k.Encode(nil, text))
		}
	})
}

func FuzzDebertaV2(f *testing.F) {
	for _, name := range []string{"deberta-spm", "deberta-spm-lower"} {
		f.Add(readTokenizer(f, name+"/spm.model"), "The [MASK] sings, x", "the", int64(201), uint8(0))
	}
	f.Fuzz(func(t *testing.T, model []byte, text, token string, id int64, flags uint8) {
		k, err := subword.ParseDebertaV2(model, fuzzedOptions(token, id, flags))
		if err == nil {
			checkPieces(t, k, text, k.Encode(nil, text))
		}
	})
}

func fuzzedOptions(token string, id int64, flags uint8) subword.DebertaOptions {
	o := subword.DebertaOptions{LowerCase: flags&1 != 0, SplitPunctuation: flags&2 != 0, PrefixSpace: flags&4 != 0}
	if token != "" {
		o.Added = []subword.AddedToken{{ID: id, Content: token, SingleWord: flags&8 != 0, LStrip: flags&16 != 0, RStrip: flags&32 != 0, Normalized: flags&64 != 0}}
	}
	return o
}
