package subword_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/subword"
)

// allocated is how many bytes f allocates, freed ones included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func sequenceOf(kind, one string, n int) string {
	return `{"type":"Sequence","` + kind + `":[` + strings.Repeat(one+",", n-1) + one + `]}`
}

// file is a tokenizer.json of WordPiece with some fields.
func file(fields string) string {
	return `{` + fields + `"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{"[UNK]":0,"x":1}}}`
}

// Files that were made to exhaust memory or time are refused at once, with an error that
// names the field and is short.
func TestBombs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	mega := strings.Repeat("x", 1<<20)
	var tokens, pieces, ids strings.Builder
	for i := range 140_000 {
		fmt.Fprintf(&tokens, `,{"id":%d,"content":"t%d"}`, i+2, i)
		fmt.Fprintf(&ids, ",%d", i)
	}
	for i := range 9000 {
		fmt.Fprintf(&pieces, `,"%d%s":%d`, i, mega[:4000], i+2)
	}
	processor := `{"type":"BertProcessing","sep":["a",0],"cls":["b",1]}`
	for _, c := range []struct{ what, file, want string }{
		{"50 times a megabyte before the text", file(`"normalizer":` + sequenceOf("normalizers", `{"type":"Prepend","prepend":"`+mega+`"}`, 50) + `,`), "normalizer: 52"},
		{"a megabyte before the text", file(`"normalizer":{"type":"Prepend","prepend":"` + mega + `"},`), "normalizer.prepend: 1048576 bytes"},
		{"a megabyte for a letter", file(`"normalizer":{"type":"Replace","pattern":{"String":"a"},"content":"` + mega + `"},`), "normalizer.content: 1048576 bytes"},
		{"a pattern of a megabyte", file(`"normalizer":{"type":"Replace","pattern":{"String":"` + mega + `"},"content":"a"},`), "normalizer.pattern.String: 1048576 bytes"},
		{"a long expression", file(`"normalizer":{"type":"Replace","pattern":{"Regex":"` + mega + `"},"content":"a"},`), "normalizer.pattern.Regex: "},
		{"a repeated expression", file(`"normalizer":{"type":"Replace","pattern":{"Regex":"(?:(?:ab){9,30}c){30}"},"content":"a"},`), "it repeats too much"},
		{"a map of 12 MB", file(`"normalizer":{"type":"Precompiled","precompiled_charsmap":"` + strings.Repeat("AAAA", 3<<20) + `"},`), "normalizer: 12"},
		{"10,000 normalizers", file(`"normalizer":` + sequenceOf("normalizers", `{"type":"NFC"}`, 10_000) + `,`), "normalizer.normalizers: has more than 1000 elements"},
		{"normalizers in sequences", file(`"normalizer":` + sequenceOf("normalizers", sequenceOf("normalizers", `{"type":"NFC"}`, 500), 500) + `,`), "there are more than 1000 steps"},
		{"pretokenizers in sequences", file(`"pre_tokenizer":` + sequenceOf("pretokenizers", sequenceOf("pretokenizers", `{"type":"BertPreTokenizer"}`, 500), 500) + `,`), "there are more than 1000 steps"},
		{"processors in sequences", file(`"post_processor":` + sequenceOf("processors", sequenceOf("processors", processor, 100), 100) + `,`), "there are more than 1000 steps"},
		{"many special pieces", file(`"post_processor":{"type":"TemplateProcessing","single":[` + strings.Repeat(`{"SpecialToken":{"id":"c","type_id":0}},`, 100_000) + `{"Sequence":{"id":"A","type_id":0}}],"special_tokens":{"c":{"id":"c","ids":[1],"tokens":["c"]}}},`), "post_processor.single: has more than 65536"},
		{"a template in a template", file(`"post_processor":` + sequenceOf("processors", `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"c"}},{"Sequence":{"id":"A"}}],"special_tokens":{"c":{"ids":[`+ids.String()[1:40_000]+`0],"tokens":[`+strings.Repeat(`"",`, strings.Count(ids.String()[1:40_000], ","))+`""]}}}`, 10) + `,`), "special pieces around a text"},
		{"many added tokens", file(`"added_tokens":[` + tokens.String()[1:] + `],`), "added_tokens: has more than 131072 elements"},
		{"a long added token", file(`"added_tokens":[{"id":2,"content":"` + mega + `"}],`), "added_tokens[0].content: 1048576 bytes"},
		{"an added token that grows", file(`"normalizer":` + sequenceOf("normalizers", `{"type":"Replace","pattern":{"String":"x"},"content":"`+mega[:4000]+`"}`, 9) + `,"added_tokens":[{"id":1,"content":"x","normalized":true}],`), "too long after normalization"},
		{"a piece of 50 MB", strings.Replace(file(""), `"x":1`, `"`+strings.Repeat(mega, 50)+`":1`, 1), "model.vocab: a piece of 52428800 bytes"},
		{"pieces of 36 MB", strings.Replace(file(""), `"x":1`, `"x":1`+pieces.String(), 1), "model.vocab: all pieces have more than"},
		{"20 MB of commas for merges", `{"model":{"type":"BPE","vocab":{"a":0},"merges":["` + strings.Repeat(",", 20<<20) + `"]}}`, "model.merges[0]: not two pieces"},
		{"an unknown kind of a megabyte", file(`"normalizer":{"type":"` + mega + `"},`), "normalizer.type: "},
		{"deep", file(`"normalizer":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `,`), "exceeded max depth"},
	} {
		var err error
		took := allocated(func() { _, err = subword.Parse([]byte(c.file)) })
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1200 {
			t.Errorf("%s: error %.200v, want %s", c.what, err, c.want)
		}
		if most := uint64(256<<20 + 16*len(c.file)); took > most {
			t.Errorf("%s: %d bytes allocated for a file of %d", c.what, took, len(c.file))
		}
	}
	for what, vocab := range map[string]string{
		"line 2: a piece of 52428800 bytes": "[UNK]\n" + strings.Repeat(mega, 50) + "\n",
		"no [UNK]":                          strings.Repeat("\n", 50<<20),
	} {
		var err error
		took := allocated(func() { _, err = subword.ParseVocab([]byte(vocab), subword.VocabOptions{}) })
		if err == nil || !strings.Contains(err.Error(), what) || took > 200<<20 {
			t.Errorf("%s: error %.200v, %d bytes allocated", what, err, took)
		}
	}
}

// Steps that make a text longer stop before memory is exhausted, and say that they cut.
func TestGrowingTexts(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	k := strings.Repeat("x", 4000)
	grow := `{"type":"Replace","pattern":{"String":"x"},"content":"` + k + `"}`
	mark := func(i int) string {
		return fmt.Sprintf(`{"type":"Metaspace","replacement":"%c","prepend_scheme":"always","split":true}`, '一'+i)
	}
	var marks []string
	for i := range 900 {
		marks = append(marks, mark(i))
	}
	for _, c := range []struct{ what, fields, text string }{
		{"Replace", `"normalizer":` + sequenceOf("normalizers", grow, 5) + `,`, strings.Repeat("x ", 1000)},
		{"Replace and Strip", `"normalizer":` + sequenceOf("normalizers", grow+`,{"type":"Replace","pattern":{"String":"x"},"content":""},{"type":"Prepend","prepend":"`+k+`"}`, 20) + `,"added_tokens":[{"id":2,"content":"a"}],`, strings.Repeat("xa", 50_000)},
		{"Prepend", `"normalizer":` + sequenceOf("normalizers", `{"type":"Prepend","prepend":"`+k+`"}`, 999) + `,`, "x"},
		{"Prepend to parts", `"normalizer":` + sequenceOf("normalizers", `{"type":"Prepend","prepend":"`+k+`"}`, 100) + `,"added_tokens":[{"id":2,"content":"a"}],`, strings.Repeat("xa", 50_000)},
		{"Metaspace", `"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},` + strings.Join(marks, ",") + `]},`, strings.Repeat("x ", 20_000)},
	} {
		tok, err := subword.Parse([]byte(file(c.fields)))
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		var truncated bool
		took := allocated(func() { _, truncated = tok.EncodeMax(nil, c.text, 512) })
		if !truncated || took > 3<<30 {
			t.Errorf("%s: truncated %t, %d bytes allocated", c.what, truncated, took)
		}
	}
}

// White space that several tokens take, and expressions that look far ahead, take no
// longer than others. What is quadratic takes minutes here.
func TestQuadraticTexts(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	const n = 1_000_000
	for _, c := range []struct{ what, fields, text string }{
		{"white space after", `"added_tokens":[{"id":2,"content":"y","rstrip":true},{"id":3,"content":" ","rstrip":true,"lstrip":true}],`, "y" + strings.Repeat(" ", n)},
		{"white space before", `"added_tokens":[{"id":2,"content":"y","lstrip":true,"single_word":true},{"id":3,"content":" ","lstrip":true}],`, strings.Repeat(" ", n) + "yy" + strings.Repeat(" ", n)},
		{"tokens", `"added_tokens":[{"id":2,"content":"y"}],`, strings.Repeat("y", n)},
		{"tokens and text", `"added_tokens":[{"id":2,"content":"y"}],`, strings.Repeat("yx", n/2)},
		{"one word", ``, strings.Repeat("x", n)},
		{"marks", `"normalizer":{"type":"NFC"},`, "e" + strings.Repeat("\u0301\u0323\u0327", n/6)},
		{"marks and accents", `"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"lowercase":true},`, "e" + strings.Repeat("\u0301\u302e", n/5)},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		tok, err := subword.Parse([]byte(file(c.fields)))
		if err == nil {
			_, _, err = tok.EncodeContext(ctx, nil, c.text, n*3)
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		cancel()
	}
}

// Every step looks at the context within a long text, and a tokenizer that was stopped
// goes on as if it had not been.
func TestCancel(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	const n = 1 << 17
	r := readRecorded(t)
	texts := map[string]string{
		"word": strings.Repeat("a", n), "words": strings.Repeat("the ", n/4), "marks": strings.Repeat("e\u0301", n/3),
		"tokens": strings.Repeat("[MASK]<mask>", n/12), "invalid": strings.Repeat("\xff", n), "signs": strings.Repeat(".", n),
	}
	for _, set := range r.Sets[:5] {
		k := r.open(t, set.Base)
		for name, text := range texts {
			whole := kit.NewCountdown(math.MaxInt64)
			want, _, err := k.EncodeContext(whole, nil, text, 9*n)
			if err != nil {
				t.Fatal(err)
			}
			if whole.Calls() < n>>15-1 {
				t.Errorf("%s, %s: %d looks at the context", set.Base, name, whole.Calls())
			}
			for _, left := range []int64{0, 1, whole.Calls() / 2, whole.Calls() - 1} {
				kept := []subword.Piece{{ID: 7}}
				got, _, err := k.EncodeContext(kit.NewCountdown(left), kept, text, 9*n)
				if err != context.Canceled || len(got) != 1 || got[0] != kept[0] {
					t.Errorf("%s, %s: %d pieces, %v after %d looks of %d", set.Base, name, len(got), err, left, whole.Calls())
				}
			}
			if got := k.Encode(nil, text); !slices.Equal(got, want) {
				t.Errorf("%s, %s: other pieces after a call was stopped", set.Base, name)
			}
		}
	}
}

// An expression is stopped between the characters that it goes through.
func TestCancelExpression(t *testing.T) {
	for _, fields := range []string{
		`"normalizer":{"type":"Replace","pattern":{"Regex":"(?:x[xy]*z|x)"},"content":"x"},"pre_tokenizer":{"type":"Split","pattern":{"String":"x"},"behavior":"Isolated","invert":false},`,
		`"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(?:x[xy]*z|x)"},"behavior":"Isolated","invert":false},`,
	} {
		k, err := subword.Parse([]byte(file(fields)))
		if err != nil {
			t.Fatal(err)
		}
		ctx := kit.NewCountdown(50)
		if _, _, err := k.EncodeContext(ctx, nil, strings.Repeat("x", 1_000_000), 512); err != context.Canceled {
			t.Errorf("%s: %v", fields, err)
		}
		// Where a text is long enough to be read by characters, matches are the same.
		want := k.Encode(nil, "xyzxx y")
		got := k.Encode(nil, strings.Repeat("xyzxx y", 1000))
		for i, p := range got {
			if p.Text != want[i%len(want)].Text || len(got) != 1000*len(want) {
				t.Fatalf("%s: piece %d of %d: %v", fields, i, len(got), p)
			}
		}
	}
}

// charsmapFile is a tokenizer with a map.
func charsmapFile(m []byte) []byte {
	return []byte(file(`"normalizer":{"type":"Precompiled","precompiled_charsmap":"` + base64.StdEncoding.EncodeToString(m) + `"},`))
}

// What a map of characters makes of a text lies in the text, whatever the map.
func FuzzCharsmap(f *testing.F) {
	// A map of x to "y": the real ones are too large to try many changes of.
	units := make([]uint32, 256)
	units[0], units[1^'x'], units[1^'x'^0x80] = 1<<10, 0x80<<10|1<<8|'x', 1<<31
	small := binary.LittleEndian.AppendUint32(nil, 4*uint32(len(units)))
	for _, u := range units {
		small = binary.LittleEndian.AppendUint32(small, u)
	}
	small = append(small, "y\x00ﷺ\x00"...)
	k, err := subword.Parse(charsmapFile(small))
	if err != nil {
		f.Fatal(err)
	}
	if got := k.Encode(nil, "x"); len(got) != 1 || got[0].Text != "[UNK]" {
		f.Fatalf("the map does nothing: %v", got)
	}
	f.Add(small, "xx\u0301é \r\n ﷺ")
	f.Add(small[:len(small)-1], "x")
	f.Fuzz(func(t *testing.T, m []byte, text string) {
		k, err := subword.Parse(charsmapFile(m))
		if err != nil {
			return
		}
		last := 0
		for _, p := range k.Encode(nil, text) {
			if p.Start < 0 || p.Start > p.End || p.End > len(text) || p.Start < last {
				t.Errorf("%q: piece outside: %v", text, p)
			}
			last = p.Start
		}
	})
}

// Special pieces are around every text, as many as Specials says, and no more pieces than
// were asked for beside them.
func FuzzTemplate(f *testing.F) {
	f.Add([]byte(`{"type":"BertProcessing","sep":["[SEP]",1],"cls":["[CLS]",0]}`), "x [SEP]", 5)
	f.Add([]byte(`{"type":"RobertaProcessing","sep":["</s>",1],"cls":["<s>",0],"trim_offsets":true,"add_prefix_space":false}`), "x", 1)
	f.Add([]byte(`{"type":"Sequence","processors":[{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"c","type_id":0}},{"Sequence":{"id":"A","type_id":0}},
		{"SpecialToken":{"id":"c","type_id":1}}],"special_tokens":{"c":{"id":"c","ids":[0,1,1],"tokens":["a","b","c"]}}},{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true}]}`), "x y", 3)
	f.Fuzz(func(t *testing.T, processor []byte, text string, limit int) {
		if !json.Valid(processor) {
			return
		}
		k, err := subword.Parse([]byte(file(`"post_processor":` + string(processor) + `,`)))
		if err != nil {
			return
		}
		pieces, _ := k.EncodeMax(nil, text, limit)
		special := 0
		for i, p := range pieces {
			if p.Special {
				special++
			}
			if p.ID < 0 || p.Start < 0 || p.Start > p.End || p.End > len(text) {
				t.Errorf("piece %d: %v", i, p)
			}
		}
		if special != k.Specials() || len(pieces) > max(limit, special) {
			t.Errorf("%d pieces of %d, %d of them special, where there are %d", len(pieces), limit, special, k.Specials())
		}
		if k.Check(2) == nil {
			for _, p := range pieces {
				if p.ID >= 2 {
					t.Errorf("Check did not see %v", p)
				}
			}
		}
	})
}
