package subword_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/internal/subword"
)

const wordPieceFile = `{"added_tokens":[{"id":0,"content":"[UNK]","special":true}],
	"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
	"pre_tokenizer":{"type":"BertPreTokenizer"},
	"post_processor":{"type":"BertProcessing","sep":["[SEP]",2],"cls":["[CLS]",1]},
	"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
		"vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3,"##a":4,"ab":5}}}`

const bpeFile = `{"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true},
	"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}}`

const unigramFile = `{"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"},
	"normalizer":{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]},
	"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0.0],["▁",-1.5],["a",-2.0]]}}`

// Files that are wrong, or ask for what is not there, give an error with the field's name.
func TestOpenErrors(t *testing.T) {
	files := map[string]string{"wordpiece": wordPieceFile, "bpe": bpeFile, "unigram": unigramFile}
	for name, file := range files {
		if _, err := subword.Parse([]byte(file)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range len(file) {
			if _, err := subword.Parse([]byte(file[:i])); err == nil {
				t.Errorf("%s cut after %d bytes: no error", name, i)
			}
		}
	}
	deep := strings.Repeat(`{"type":"Sequence","normalizers":[`, 1000) + strings.Repeat(`]}`, 1000)
	grow := `{"type":"Replace","pattern":{"String":"x"},"content":"xxxxxxxxxx"}`
	growing := `{"type":"Sequence","normalizers":[` + strings.Repeat(grow+",", 30) + grow + `]},"added_tokens":[{"id":3,"content":"x","normalized":true}]`
	for _, c := range []struct{ file, old, new, want string }{
		{"wordpiece", `"BertNormalizer"`, `"Nmt"`, `normalizer.type: "Nmt" is not supported`},
		{"wordpiece", `"clean_text":true,`, ``, `normalizer.clean_text: is missing`},
		{"wordpiece", `"lowercase":true`, `"lowercase":1`, `normalizer.lowercase: `},
		{"wordpiece", `"BertPreTokenizer"`, `"Digits"`, `pre_tokenizer.type: "Digits" is not supported`},
		{"wordpiece", `"BertPreTokenizer"`, `"ByteLevel","add_prefix_space":false`, `model.type: "WordPiece" with the pre_tokenizer ByteLevel`},
		{"wordpiece", `"BertProcessing"`, `"Other"`, `post_processor.type: "Other" is not supported`},
		{"wordpiece", `["[SEP]",2]`, `["[SEP]",-2]`, `post_processor.sep[1]: -2 is out of range`},
		{"wordpiece", `["[SEP]",2]`, `["[SEP]"]`, `post_processor.sep: 1 values`},
		{"wordpiece", `"unk_token":"[UNK]"`, `"unk_token":"?"`, `model.unk_token: "?" is not in model.vocab`},
		{"wordpiece", `"max_input_chars_per_word":100`, `"max_input_chars_per_word":-1`, `model.max_input_chars_per_word: `},
		{"wordpiece", `"ab":5`, `"ab":4`, `model.vocab: id 4 twice`},
		{"wordpiece", `"ab":5`, `"a":5`, `model.vocab: "a" twice`},
		{"wordpiece", `"ab":5`, `"ab":-5`, `model.vocab: id -5 is out of range`},
		{"wordpiece", `"ab":5`, `"ab":99999999999`, `model.vocab: id 99999999999 is out of range`},
		{"wordpiece", `"ab":5`, `"ab":1e99`, `model.vocab: "ab" has the id 1e99`},
		{"wordpiece", `"ab":5`, `"ab":[5]`, `model.vocab: "ab" has the id [`},
		{"wordpiece", `"type":"WordPiece"`, `"type":"WordLevel"`, `model.type: "WordLevel" is not supported`},
		{"wordpiece", `"id":0,"content":"[UNK]"`, `"id":7,"content":"[UNK]"`, `added_tokens[0].id: 7, where "[UNK]" has 0`},
		{"wordpiece", `"id":0,"content":"[UNK]"`, `"id":7,"content":"new"`, `added_tokens[0].id: 7, where "new" has 6`},
		{"wordpiece", `"id":0,"content":"[UNK]"`, `"id":0,"content":""`, `added_tokens[0].content: is missing`},
		{"wordpiece", `"id":0,"content":"[UNK]"`, `"content":"[UNK]"`, `added_tokens[0].id: is missing`},
		{"bpe", `["a b"]`, `["a b","a b"]`, `model.merges[1]: "a" and "b" twice`},
		{"bpe", `["a b"]`, `["a c"]`, `model.merges[0]: "c" is not in model.vocab`},
		{"bpe", `["a b"]`, `[["b","a"]]`, `model.merges[0]: "ba" is not in model.vocab`},
		{"bpe", `["a b"]`, `["a b c"]`, `model.merges[0]: not two pieces`},
		{"bpe", `["a b"]`, `[3]`, `model.merges[0]: not two pieces`},
		{"bpe", `["a b"]`, `[["a",3]]`, `model.merges[0]: not two pieces`},
		{"bpe", `["a b"]`, `{}`, `model.merges: is missing, or no list`},
		{"bpe", `{"a":0,"b":1,"ab":2}`, `[]`, `model.vocab: `},
		{"bpe", `"merges":["a b"]`, `"merges":["a b"],"dropout":0.1`, `model.dropout: `},
		{"bpe", `"add_prefix_space":false`, `"x":0`, `pre_tokenizer.add_prefix_space: is missing`},
		{"unigram", `"▁","prepend_scheme"`, `"ab","prepend_scheme"`, `pre_tokenizer.replacement: "ab" is not one character`},
		{"unigram", `"always"`, `"often"`, `pre_tokenizer.prepend_scheme: "often" is not supported`},
		{"unigram", `"unk_id":0`, `"unk_id":3`, `model.unk_id: 3, where there are 3 pieces`},
		{"unigram", `"unk_id":0`, `"unk_id":null`, `model.unk_id: is missing`},
		{"unigram", `["a",-2.0]`, `["▁",-2.0]`, `model.vocab[2]: "▁" twice`},
		{"unigram", `["a",-2.0]`, `["a","x"]`, `model.vocab[2]: `},
		{"unigram", `["a",-2.0]`, `["a",1e999]`, `model.vocab[2]: `},
		{"unigram", `["a",-2.0]`, `[]`, `model.vocab[2]: not a piece and its score`},
		{"unigram", `"Regex":" {2,}"`, `"Regex":"\\s+"`, `normalizer.normalizers[0].pattern.Regex: "\\s+" is not supported`},
		{"unigram", `"Regex":" {2,}"`, `"Regex":"x*"`, `normalizer.normalizers[0].pattern.Regex: "x*" is not supported`},
		{"unigram", `"Regex":" {2,}"`, `"Regex":"(?=a)"`, `normalizer.normalizers[0].pattern.Regex: `},
		{"unigram", `"Regex":" {2,}"`, `"String":""`, `normalizer.normalizers[0].pattern.String: is empty`},
		{"unigram", `{"type":"Replace"`, `{"type":"Precompiled","precompiled_charsmap":"%"}, {"type":"Replace"`, `normalizer.normalizers[0].precompiled_charsmap: `},
		{"unigram", `{"type":"Replace"`, `{"type":"Precompiled","precompiled_charsmap":"/////w=="}, {"type":"Replace"`, `normalizer.normalizers[0].precompiled_charsmap: a trie of 4294967295 bytes`},
		{"unigram", `{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]}`, growing, `added_tokens[0].content: "x" is too long after normalization`},
		{"unigram", `{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "}]}`, deep, `a Sequence in too many others`},
	} {
		file := strings.Replace(files[c.file], c.old, c.new, 1)
		if file == files[c.file] {
			t.Errorf("%s: nothing to replace", c.old)
		}
		_, err := subword.Parse([]byte(file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s:\ngot  %v\nwant %s", c.new[:min(len(c.new), 80)], c.old, err, c.want)
		}
	}
}

func TestParseVocab(t *testing.T) {
	vocab := "[PAD]\n[UNK]\n[CLS]\n[SEP]\n\ncafe\ncafé\nCafé\r\n##s\n中\n文\n##文\n"
	yes := true
	for _, c := range []struct {
		o    subword.VocabOptions
		want []int32
	}{
		{subword.VocabOptions{LowerCase: true}, []int32{2, 5, 8, 9, 10, 1, 3}},
		{subword.VocabOptions{}, []int32{2, 7, 8, 9, 10, 1, 3}},
		{subword.VocabOptions{StripAccents: &yes}, []int32{2, 1, 9, 10, 1, 3}},
		{subword.VocabOptions{KeepChinese: true}, []int32{2, 7, 8, 9, 11, 1, 3}},
	} {
		k, err := subword.ParseVocab([]byte(vocab), c.o)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int32
		for _, p := range k.Encode(nil, "Cafés 中文 [UNK]") {
			ids = append(ids, p.ID)
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%+v: %v, want %v", c.o, ids, c.want)
		}
	}
	for vocab, want := range map[string]string{
		"[UNK]\n[CLS]\n[SEP]\na\na\n": `line 5: "a" twice`,
		"[UNK]\n[SEP]\n":              "no [CLS]",
		"":                            "no [UNK]",
	} {
		if _, err := subword.ParseVocab([]byte(vocab), subword.VocabOptions{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", vocab, err, want)
		}
	}
}

// The vocab.txt of MiniLM makes the tokenizer that its tokenizer.json does.
func TestMiniLMVocab(t *testing.T) {
	dir := minilm(t)
	k, err := subword.ParseVocab(shareddata.ReadFile(t, filepath.Join(dir, "vocab.txt")), subword.VocabOptions{LowerCase: true})
	if err != nil {
		t.Fatal(err)
	}
	want := open(t, filepath.Join(dir, "tokenizer.json"))
	for _, set := range readRecorded(t).Sets[:5] {
		for _, c := range set.Cases {
			if diff := cmp.Diff(want.Encode(nil, c.Text), k.Encode(nil, c.Text)); diff != "" {
				t.Errorf("%q: %s", c.Text, diff)
			}
		}
	}
}

// EncodeMax gives the beginning of Encode, and the special pieces.
func TestEncodeMax(t *testing.T) {
	r := readRecorded(t)
	for base := range r.Tokenizers {
		k := r.open(t, base)
		if k.Specials() != 2 {
			t.Errorf("%s: %d special pieces", base, k.Specials())
		}
		for _, text := range []string{"", "the kettle", "a [MASK]<mask> b<mask>c\xff"} {
			all := k.Encode(nil, text)
			for limit := range len(all) + 3 {
				got, truncated := k.EncodeMax(nil, text, limit)
				n := min(max(limit, 2), len(all)) - 1
				want := append(slices.Clone(all[:n]), all[len(all)-1])
				if diff := cmp.Diff(want, got); diff != "" || truncated != (len(want) < len(all)) {
					t.Errorf("%s: %q to %d: truncated %t: %s", base, text, limit, truncated, diff)
				}
			}
		}
	}
}

// A byte that is not UTF-8 is U+FFFD in its place.
func TestInvalidUTF8(t *testing.T) {
	r := readRecorded(t)
	for base := range r.Tokenizers {
		k := r.open(t, base)
		got := k.Encode(nil, "ab\xffc \xe4\xbd d")
		want := k.Encode(nil, "ab\ufffdc \ufffd\ufffd d")
		if len(got) != len(want) {
			t.Fatalf("%s: %v, want %v", base, got, want)
		}
		at := map[int]int{0: 0, 1: 1, 2: 2, 5: 3, 6: 4, 7: 5, 10: 6, 13: 7, 14: 8, 15: 9}
		for i, w := range want {
			w.Start, w.End = at[w.Start], at[w.End]
			if got[i] != w {
				t.Errorf("%s: %v, want %v", base, got[i], w)
			}
		}
	}
}

// Long words take no longer than many short ones. What is quadratic takes minutes here.
func TestLongTexts(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	r := readRecorded(t)
	var pieces []subword.Piece
	for i, set := range r.Sets {
		if i%3 != 0 && i > 4 {
			continue
		}
		k, err := subword.Parse(r.file(t, set.Base, set.Patch))
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range []string{"a", "ab", "е\u0301", "\u0301\u0323", " ", "'s", "中", "ﷺ", "[MASK]", "<", "😀", "\u200d", "▁", "\x01"} {
			start := time.Now()
			pieces = k.Encode(pieces[:0], strings.Repeat(unit, 100_000/len(unit)))
			if d := time.Since(start); d > 20*time.Second { // a hundredth is enough
				t.Errorf("%d %s: 100,000 bytes of %q took %v", i, set.Base, unit, d)
			}
		}
	}
}

// checkPieces checks what is true of the pieces of any text.
func checkPieces(t interface{ Errorf(string, ...any) }, k *subword.Tokenizer, text string, pieces []subword.Piece) {
	last, special := 0, 0
	for i, p := range pieces {
		if p.Special {
			special++
			if p.Start != 0 || p.End != 0 {
				t.Errorf("%q: special piece %v", text, p)
			}
			continue
		}
		if p.Start < 0 || p.Start > p.End || p.End > len(text) {
			t.Errorf("%q: piece %d is outside: %v", text, i, p)
		}
		if p.Text == "" {
			t.Errorf("%q: piece %d has no text", text, i)
		}
		if p.Start < last {
			t.Errorf("%q: piece %d begins before the one before it: %v", text, i, p)
		}
		last = p.Start
		for _, at := range []int{p.Start, p.End} {
			if utf8.ValidString(text) && at < len(text) && !utf8.RuneStart(text[at]) {
				t.Errorf("%q: piece %d is no whole characters: %v", text, i, p)
			}
		}
	}
	if special != k.Specials() {
		t.Errorf("%q: %d special pieces, want %d", text, special, k.Specials())
	}
}

// genText makes text of what tokenizers treat in ways of its own.
func genText() *rapid.Generator[string] {
	atom := rapid.SampledFrom([]string{"a", "B", "the", " ", "  ", "\t", "\u00a0", "\u3000", "\r\n", ".", "'s", "é", "e\u0301", "\u0323", "İ", "ß", "中", "한",
		"\u1112\u1161", "😀", "\u200d", "\ufe0f", "ﬁ", "½", "\u00ad", "\x00", "\xff", "\xe4\xbd", "[MASK]", "<mask>", "<unk>", "▁", "new", "\u0344", "\u302e"})
	return rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "any") {
			return rapid.String().Draw(t, "text")
		}
		return strings.Join(rapid.SliceOfN(atom, 0, 20).Draw(t, "atoms"), "")
	})
}

func TestProperties(t *testing.T) {
	r := readRecorded(t)
	var all []*subword.Tokenizer
	for _, set := range r.Sets[:5] {
		all = append(all, r.open(t, set.Base))
	}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(all).Draw(t, "tokenizer")
		a, b := genText().Draw(t, "a"), genText().Draw(t, "b")
		pieces := k.Encode(nil, a)
		checkPieces(t, k, a, pieces)
		// What is in dst stays, and memory that was used does not show.
		if got := k.Encode(slices.Clone(pieces), b); !slices.Equal(got[:len(pieces)], pieces) || !slices.Equal(got[len(pieces):], k.Encode(nil, b)) {
			t.Errorf("%q after %q: %v", b, a, got)
		}
		// Added tokens part texts: each side is as it is alone.
		for _, mask := range []string{"[MASK]", "<mask>"} {
			m := k.Encode(nil, mask)
			if len(m) != 3 || strings.HasSuffix(a, " ") || k == all[2] || k == all[4] {
				continue
			}
			var ids, want []int32
			for _, p := range k.Encode(nil, a+mask+b) {
				ids = append(ids, p.ID)
			}
			pa, pb := k.Encode(nil, a), k.Encode(nil, b)
			for _, p := range slices.Concat(pa[:len(pa)-1], m[1:2], pb[1:]) {
				want = append(want, p.ID)
			}
			if !slices.Equal(ids, want) {
				t.Errorf("%q: %v, want %v", a+mask+b, ids, want)
			}
		}
	})
}

func FuzzEncode(f *testing.F) {
	r := readRecorded(f)
	var all []*subword.Tokenizer
	for _, set := range r.Sets {
		k, err := subword.Parse(r.file(f, set.Base, set.Patch))
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, k)
	}
	for _, c := range r.Sets[0].Cases {
		f.Add(c.Text, 8)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		for i, k := range all {
			pieces := k.Encode(nil, text)
			if i < 5 {
				checkPieces(t, k, text, pieces)
			}
			cut, truncated := k.EncodeMax(nil, text, limit)
			if want := max(k.Specials(), min(limit, len(pieces))); len(cut) != want || truncated != (len(cut) < len(pieces)) {
				t.Errorf("%q to %d: %d pieces of %d, truncated %t", text, limit, len(cut), len(pieces), truncated)
			}
		}
	})
}

func FuzzOpen(f *testing.F) {
	for _, file := range []string{wordPieceFile, bpeFile, unigramFile} {
		f.Add([]byte(file), "ab  a\u0301 [UNK]")
	}
	r := readRecorded(f)
	small := map[string]json.RawMessage{"WordPiece": nil}
	for _, x := range []struct{ file, model string }{{wordPieceFile, "wordpiece"}, {bpeFile, "bpe"}, {unigramFile, "unigram"}} {
		if err := json.Unmarshal([]byte(x.file), &small); err != nil {
			f.Fatal(err)
		}
		for _, set := range r.Sets {
			file := make(map[string]json.RawMessage)
			for _, k := range []string{"normalizer", "pre_tokenizer", "post_processor"} {
				file[k] = r.Tokenizers[set.Base][k]
				if p, ok := set.Patch[k]; ok {
					file[k] = p
				}
			}
			file["model"] = small["model"]
			data, err := json.Marshal(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, fmt.Sprint("ab \u00a0İ ", x.model))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		k, err := subword.Parse(data)
		if err != nil {
			return
		}
		for _, p := range k.Encode(nil, text) {
			if p.Start < 0 || p.Start > p.End || p.End > len(text) {
				t.Errorf("%q: piece outside: %v", text, p)
			}
		}
	})
}

func FuzzParseVocab(f *testing.F) {
	f.Add([]byte("[UNK]\n[CLS]\n[SEP]\na\n##b\n"), true, "ab [CLS]")
	f.Fuzz(func(t *testing.T, vocab []byte, lower bool, text string) {
		k, err := subword.ParseVocab(vocab, subword.VocabOptions{LowerCase: lower})
		if err == nil {
			checkPieces(t, k, text, k.Encode(nil, text))
		}
	})
}
