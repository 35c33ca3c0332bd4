package subword_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/internal/subword"
)

// sentenceModel is a model and what SentencePiece makes of texts.
type sentenceModel struct {
	Name     string
	Model    []byte
	Charsmap string
	Cases    []sentenceCase
}

type sentenceCase struct {
	Text   []byte
	Pieces []string
	IDs    []int32
	Starts []int
}

// readSentenceModels reads testdata/sentencepiece.json.gz, written by
// scripts/record_sentencepiece.py. A large charsmap is kept once, as a message that goes
// after a model's.
func readSentenceModels(t testing.TB) []sentenceModel {
	t.Helper()
	var recorded struct {
		Texts     [][]byte // of the cases of every model
		Charsmaps map[string][]byte
		Models    []sentenceModel
	}
	shareddata.ReadJSON(t, "testdata/sentencepiece.json.gz", &recorded)
	for i := range recorded.Models {
		m := &recorded.Models[i]
		m.Model = append(m.Model, recorded.Charsmaps[m.Charsmap]...)
		for k := range m.Cases {
			m.Cases[k].Text = recorded.Texts[k]
		}
	}
	if len(recorded.Models) == 0 {
		t.Fatal("no models")
	}
	return recorded.Models
}

func parseSentencePiece(t testing.TB, data []byte) *subword.Tokenizer {
	t.Helper()
	k, err := subword.ParseSentencePiece(data)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// checkSentence compares pieces, ids and where they begin with SentencePiece's.
func checkSentence(t *testing.T, k *subword.Tokenizer, c *sentenceCase) {
	t.Helper()
	text := string(c.Text)
	var pieces []string
	var ids []int32
	var starts []int
	for _, p := range k.Encode(nil, text) {
		pieces, ids, starts = append(pieces, p.Text), append(ids, p.ID), append(starts, p.Start)
		if p.Start > p.End || p.End > len(text) {
			t.Errorf("%q: %q is from %d to %d", text, p.Text, p.Start, p.End)
		}
	}
	switch {
	case !slices.Equal(pieces, c.Pieces):
		t.Errorf("%q:\ngot  %q\nwant %q", text, pieces, c.Pieces)
	case !slices.Equal(ids, c.IDs):
		t.Errorf("%q: %q:\ngot  %v\nwant %v", text, pieces, ids, c.IDs)
	case !slices.Equal(starts, c.Starts):
		t.Errorf("%q: %q begin at:\ngot  %v\nwant %v", text, pieces, starts, c.Starts)
	}
}

// Pieces, ids and their beginnings are SentencePiece's.
func TestSentencePiece(t *testing.T) {
	for _, m := range readSentenceModels(t) {
		t.Run(m.Name, func(t *testing.T) {
			k := parseSentencePiece(t, m.Model)
			var group sync.WaitGroup
			for range 2 { // they do not disturb each other
				group.Go(func() {
					for i := range m.Cases {
						checkSentence(t, k, &m.Cases[i])
					}
				})
			}
			group.Wait()
		})
	}
}

// protoField appends a field of a protocol buffer to b: bytes, a number or a float.
func protoField(b []byte, field int, v any) []byte {
	switch v := v.(type) {
	case string:
		b = binary.AppendUvarint(b, uint64(field)<<3|2)
		b = binary.AppendUvarint(b, uint64(len(v)))
		return append(b, v...)
	case int:
		b = binary.AppendUvarint(b, uint64(field)<<3)
		return binary.AppendUvarint(b, uint64(v))
	case float32:
		b = binary.AppendUvarint(b, uint64(field)<<3|5)
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	panic(fmt.Sprintf("%T", v))
}

// The types of pieces and models, as files have them.
const (
	normal, unknown, control, user, unused, byteKind = 1, 2, 3, 4, 5, 6

	unigramKind, bpeKind, wordKind, charKind = 1, 2, 3, 4
)

// protoPiece is the field of a piece.
func protoPiece(text string, score float32, kind int) string {
	p := protoField(nil, 1, text)
	p = protoField(p, 2, score)
	p = protoField(p, 3, kind)
	return string(protoField(nil, 1, string(p)))
}

// specs are the fields of the trainer, with a type of model, and of the normalizer, without
// a space at the beginning, with more fields.
func specs(kind int, trainer, normalizer string) string {
	t := string(protoField(nil, 3, kind)) + trainer
	n := string(protoField(nil, 3, 0)) + normalizer
	return string(protoField(protoField(nil, 2, t), 3, n))
}

var unk = protoPiece("<unk>", 0, unknown)

// What a file must not have gives an error that says what it is.
func TestSentencePieceErrors(t *testing.T) {
	a := protoPiece("a", -1, normal)
	bytesOn := string(protoField(nil, 35, 1))
	number := func(field, v int) string { return string(protoField(nil, field, v)) }
	for _, c := range []struct{ file, want string }{
		{"", "it has no pieces"},
		{"version https://git-lfs.github.com/spec/v1", "field 14 is of the kind 6"},
		{"<html>", "field 7 is of the kind 4"},
		{"\x00\x00\x00", "a field has the number 0"},
		{unk + a, "no trainer_spec: its end is missing"},
		{unk + a + string(protoField(nil, 2, "")), "no normalizer_spec: its end is missing"},
		{unk + a[:len(a)-1], "the file ends within a field"},
		{unk + "\x0a\xff\xff\xff\xff\x0f", "the file ends within a field"},
		{unk + "\x0a" + strings.Repeat("\xff", 11), "a number of more than 64 bits"},
		{unk + "\x0a\x02\x0a\x05", "piece 1: the file ends within a field"},
		{unk + string(protoField(nil, 1, 7)), "field 1 is of the kind 0 and not 2"},
		{unk + string(protoField(nil, 1, string(protoField(nil, 2, 1)))), "piece 1: field 2 is of the kind 0 and not 5"},
		{unk + string(protoField(nil, 1, "")), "piece 1: it has no text"},
		{unk + protoPiece("\xff", 0, normal), `piece 1: "\xff" is not UTF-8`},
		{unk + protoPiece("a\x00", 0, normal), `piece 1: "a\x00" has a zero byte`},
		{unk + protoPiece("a", float32(math.NaN()), normal), `piece 1: "a" has the score NaN`},
		{unk + protoPiece("a", float32(math.Inf(-1)), normal), `piece 1: "a" has the score -Inf`},
		{unk + protoPiece("a", 0, 7), `piece 1: "a" is of the type 7`},
		{unk + protoPiece("a", 0, 0), `piece 1: "a" is of the type 0`},
		{unk + protoPiece(strings.Repeat("a", 5000), 0, normal), "piece 1: 5000 bytes, and 4096 are the most"},
		{unk + a + specs(5, "", ""), "trainer_spec: model_type 5 is not supported"},
		{unk + a + specs(bpeKind, "\x18", ""), "trainer_spec: the file ends within a field"},
		{unk + a + specs(bpeKind, "", "\x12\x05"), "normalizer_spec: the file ends within a field"},
		{unk + a + specs(bpeKind, "", string(protoField(nil, 2, "abc"))), "normalizer_spec.precompiled_charsmap: shorter than 4 bytes"},
		{unk + a + specs(bpeKind, "", string(protoField(nil, 2, strings.Repeat("a", 9<<20)))), "precompiled_charsmap: 9437184 bytes, and 8388608 are the most"},
		{a + specs(bpeKind, "", ""), "no piece is the unknown one"},
		{unk + a + protoPiece("<u>", 0, unknown) + specs(bpeKind, "", ""), "pieces 0 and 2 are unknown ones"},
		{unk + a + a + specs(unigramKind, "", ""), `pieces 1 and 2 are both "a"`},
		{unk + a + protoPiece("<unk>", 0, control) + specs(unigramKind, "", ""), `pieces 0 and 2 are both "<unk>"`},
		{unk + a + protoPiece("a", 0, control) + specs(bpeKind, "", ""), `pieces 1 and 2 are both "a"`},
		{unk + protoPiece("<0x41>", 0, byteKind) + specs(bpeKind, "", ""), `piece 1: "<0x41>" is of the type of bytes, and is none, or byte_fallback is off`},
		{unk + protoPiece("<0xag>", 0, byteKind) + specs(bpeKind, bytesOn, ""), `piece 1: "<0xag>" is of the type of bytes`},
		{unk + protoPiece("<0x00>", 0, byteKind) + specs(bpeKind, bytesOn, ""), "byte_fallback is on, and the byte 0x01 has no piece"},
		{unk + a + specs(bpeKind, "", number(4, 1)+"\x0b"), "normalizer_spec: field 1 is of the kind 3"},
	} {
		_, err := subword.ParseSentencePiece([]byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 300 {
			t.Errorf("%.60q: error %v, want %s", c.file, err, c.want)
		}
	}
	// Fields that are not known are passed over, and later ones count.
	extra := string(protoField(protoField(nil, 4, "x"), 200, 5)) + "\xc9\x0c12345678"
	k := parseSentencePiece(t, []byte(unk+specs(charKind, "", "")+extra+a+specs(bpeKind, "", "")))
	if got := k.Encode(nil, "a"); len(got) != 1 || got[0].ID != 1 {
		t.Errorf("got %v", got)
	}
}

// ids returns the ids of a text's pieces.
func ids(k *subword.Tokenizer, text string) []int32 {
	var ids []int32
	for _, p := range k.Encode(nil, text) {
		ids = append(ids, p.ID)
	}
	return ids
}

// Small models of what trained ones do not have. What is wanted is of SentencePiece 0.2.3.
func TestSentencePieceOddModels(t *testing.T) {
	for _, c := range []struct {
		what, pieces string
		kind         int
		text         string
		want         []int32
	}{
		{"control symbols are not found", protoPiece("¤", 0, control) + protoPiece("a", 0, normal), charKind, "a¤a", []int32{2, 0, 2}},
		{"nor in words", protoPiece("¤", 0, control) + protoPiece("▁a", 0, normal), wordKind, "¤ a", []int32{0, 2}},
		{"unused characters are unknown", protoPiece("a", 0, normal) + protoPiece("b", 0, unused), charKind, "ab", []int32{1, 0}},
		{"and unused words", protoPiece("▁a", 0, normal) + protoPiece("▁b", 0, unused), wordKind, "▁a▁b", []int32{1, 0}},
		{"normal pieces before control symbols", protoPiece("a", 0, control) + protoPiece("a", 0, normal), charKind, "a", []int32{2}},
		{"of equal scores the first", protoPiece("a", 0, normal) + protoPiece("aa", -1, normal), bpeKind, "aaa", []int32{2, 1}},
		{"a character that is in longer pieces only", protoPiece("a", -1, normal) + protoPiece("ab", -2, normal), bpeKind, "abb", []int32{2, 0}},
		{"zero before minus zero", protoPiece("ab", float32(math.Copysign(0, -1)), normal) + protoPiece("bc", 0, normal) + protoPiece("a", -1, normal), bpeKind, "abc", []int32{3, 2}},
	} {
		k := parseSentencePiece(t, []byte(unk+c.pieces+specs(c.kind, "", "")))
		if got := ids(k, c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q: %v, want %v", c.what, c.text, got, c.want)
		}
	}
}

// What is unused comes apart a hundred times, and no further. SentencePiece 0.2.3 has 102
// pieces here, the first of 49 characters.
func TestDeepUnusedPieces(t *testing.T) {
	var text, pieces strings.Builder
	pieces.WriteString(unk)
	for i := range 150 {
		r := string(rune(0x4e00 + i))
		text.WriteString(r)
		pieces.WriteString(protoPiece(r, -1000, normal))
	}
	for i := 2; i <= 150; i++ {
		pieces.WriteString(protoPiece(text.String()[:3*i], -float32(i), unused))
	}
	k := parseSentencePiece(t, []byte(pieces.String()+specs(bpeKind, "", "")))
	got := ids(k, text.String())
	if len(got) != 102 || got[0] != 198 || got[1] != 50 || got[101] != 150 {
		t.Errorf("%d pieces: %v", len(got), got)
	}
}

// Start and End are where pieces come from, also of what normalization made.
func TestSentencePiecePlaces(t *testing.T) {
	for _, m := range readSentenceModels(t) {
		if m.Name != "unigram-symbols" {
			continue
		}
		k := parseSentencePiece(t, m.Model)
		text := "  \ufb01 \u00a0☃☄ <ent>\xff\u2100 "
		var got []string
		for _, p := range k.Encode(nil, text) {
			got = append(got, fmt.Sprintf("%s %q", p.Text, text[p.Start:p.End]))
		}
		// A space that is left out belongs to none, and ℀ becomes " a/c ".
		want := []string{`▁ ""`, `f "ﬁ"`, `i "ﬁ"`, `▁ " "`, `☃☄ "☃☄"`, `▁ " "`, `<ent> "<ent>"`, "\ufffd \"\\xff\"", `▁a "℀"`, `/ "℀"`, `c "℀"`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		return
	}
	t.Error("no such model")
}

// Encode allocates nothing once its memory has grown, and it has seen the unknown pieces that
// normalization changed.
func TestSentencePieceAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	text := strings.Repeat("The old kettle ☃ singing near the Bäckerin's 文字 <ent> waits. ", 4)
	for _, m := range readSentenceModels(t) {
		k := parseSentencePiece(t, m.Model)
		var pieces []subword.Piece
		if n := kit.Allocations(func() { pieces = k.Encode(pieces[:0], text) }); n > 0 {
			t.Errorf("%s: %v allocations", m.Name, n)
		}
	}
}

// Every loop looks at the context, and takes linear time.
func TestSentencePieceCancel(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	const n = 1 << 16
	texts := map[string]string{
		"word": strings.Repeat("a", n), "words": strings.Repeat("the ", n/4), "spaces": strings.Repeat(" ", n), "signs": strings.Repeat("☃", n/3),
		"symbols": strings.Repeat("<ent>", n/5), "invalid": strings.Repeat("\xff", n),
	}
	for _, m := range readSentenceModels(t) {
		k := parseSentencePiece(t, m.Model)
		for name, text := range texts {
			whole := kit.NewCountdown(math.MaxInt64)
			want, _, err := k.EncodeContext(whole, nil, text, math.MaxInt)
			if err != nil {
				t.Fatal(err)
			}
			if whole.Calls() < n>>15-1 {
				t.Errorf("%s, %s: %d looks at the context", m.Name, name, whole.Calls())
			}
			for _, left := range []int64{0, 1, whole.Calls() - 1} {
				if _, _, err := k.EncodeContext(kit.NewCountdown(left), nil, text, math.MaxInt); err != context.Canceled {
					t.Errorf("%s, %s: %v after %d looks of %d", m.Name, name, err, left, whole.Calls())
				}
			}
			if got := k.Encode(nil, text); !slices.Equal(got, want) {
				t.Errorf("%s, %s: other pieces after a call was stopped", m.Name, name)
			}
		}
	}
}

// Files that were made to exhaust memory are refused, or need no more than they should.
func TestSentencePieceBombs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	var many, long strings.Builder
	for i := range 9000 {
		long.WriteString(protoPiece(fmt.Sprint(i, strings.Repeat("x", 4000)), 0, normal))
	}
	for range 5 << 20 {
		many.WriteString("\x0a\x03\x0a\x01x")
	}
	for _, c := range []struct{ what, file, want string }{
		{"many pieces", unk + many.String(), "there are more than 4194304 pieces"},
		{"long pieces", unk + long.String(), "all pieces have more than"},
		{"a field of 4 GB", unk + "\x0a\xff\xff\xff\xff\x0f", "ends within"},
	} {
		var err error
		took := allocated(func() { _, err = subword.ParseSentencePiece([]byte(c.file)) })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.what, err, c.want)
		}
		if most := uint64(512<<20 + 16*len(c.file)); took > most {
			t.Errorf("%s: %d bytes allocated for a file of %d", c.what, took, len(c.file))
		}
	}
}

// Whatever a file has, its pieces are places in the text, in order, and the same each time.
func FuzzSentencePiece(f *testing.F) {
	a := protoPiece("a", -1, normal) + protoPiece("ab", -2, user) + protoPiece("bab", -1, unused) + protoPiece("ba", -3, normal) + protoPiece("¤", 0, control)
	for kind := unigramKind; kind <= charKind; kind++ {
		f.Add([]byte(unk+a+specs(kind, "", "")), "ab babab ☃¤")
		f.Add([]byte(unk+a+specs(kind, string(protoField(nil, 24, 1)), string(protoField(protoField(nil, 4, 0), 5, 0)))), " a\xffb  bab\x00")
	}
	units := make([]byte, 1024)
	for i, u := range map[int]uint32{0: 1 << 10, 1 ^ 'x': 0x80<<10 | 1<<8 | 'x', 1 ^ 'x' ^ 0x80: 1 << 31} {
		binary.LittleEndian.PutUint32(units[4*i:], u)
	}
	charsmap := string(binary.LittleEndian.AppendUint32(nil, 1024)) + string(units) + " y \x00ﷺ\x00"
	f.Add([]byte(unk+a+specs(bpeKind, "", string(protoField(nil, 2, charsmap)))), "axb xx")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		k, err := subword.ParseSentencePiece(file)
		if err != nil {
			return
		}
		last := 0
		for _, p := range k.Encode(nil, text) {
			if p.Start < last || p.Start > p.End || p.End > len(text) || p.Text == "" || p.ID < 0 {
				t.Errorf("%q: piece outside: %v after %d", text, p, last)
			}
			last = p.Start
		}
		if got, again := k.Encode(nil, text), k.Encode(nil, text); !slices.Equal(got, again) {
			t.Errorf("%q: %v, and then %v", text, got, again)
		}
	})
}
