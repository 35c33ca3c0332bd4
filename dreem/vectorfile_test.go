package dreem

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mteval/mteval/internal/race"
)

// binaryFile is in word2vec's binary format, with or without a line feed after each word.
func binaryFile(header string, feed bool, words []string, data []float32) string {
	out := []byte(header + "\n")
	d := len(data) / len(words)
	for i, w := range words {
		out = append(append(out, w...), ' ')
		for _, x := range data[i*d : (i+1)*d] {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
		}
		if feed {
			out = append(out, '\n')
		}
	}
	return string(out)
}

func zipped(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadVectors(t *testing.T) {
	words, data := []string{"the", "Bär", ","}, []float32{1, -2.5, 3e-5, 4, 0, .125}
	text := "the 1 -2.5\nBär 3e-5 4\n, 0 .125\n"
	for name, file := range map[string]string{
		"GloVe":               text,
		"word2vec":            "3 2\n" + text,
		"word2vec, CRLF":      "3 2\r\n" + strings.ReplaceAll(text, "\n", "\r\n"),
		"fastText":            "3 2\n" + strings.ReplaceAll(text, "\n", " \n"),
		"no last line feed":   strings.TrimSuffix(text, "\n"),
		"binary":              binaryFile("3 2", false, words, data),
		"binary, line feeds":  binaryFile("3 2", true, words, data),
		"gzip":                zipped(t, text),
		"gzip of binary":      zipped(t, binaryFile("3 2", true, words, data)),
		"tabs and more space": strings.ReplaceAll(text, " ", " \t"),
	} {
		v, err := ReadVectors(strings.NewReader(file), name, VectorOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for i := range v.Len() {
			got = append(got, v.Word(i))
		}
		if diff := cmp.Diff(words, got); diff != "" || v.Dim() != 2 {
			t.Errorf("%s: words (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(data, v.data); diff != "" {
			t.Errorf("%s: numbers (-want +got):\n%s", name, diff)
		}
	}
	// A word with spaces, also in the first row.
	v, err := ReadVectors(strings.NewReader(". . . 1 2\na 3 4\nb at c 5 6\n"), "glove", VectorOptions{})
	if err != nil || v.Word(0) != ". . ." || v.Word(2) != "b at c" || v.Dim() != 2 {
		t.Errorf("%v, %v", v, err)
	}
	v, err = ReadVectors(strings.NewReader("4 1\na 1\nb 2\nc 3\nd 4\n"), "kept", VectorOptions{First: 3, Keep: func(w string) bool { return w != "b" }})
	if err != nil || v.Len() != 2 || v.Word(1) != "c" || v.Lookup([]byte("d")) != nil || v.Lookup([]byte("c"))[0] != 3 {
		t.Errorf("%v, %v", v, err)
	}
}

// A byte order mark is no part of the first word, of whatever format.
func TestVectorsBOM(t *testing.T) {
	text := "the 0.1 0.2 0.3\nhouse 0.3 0.1 0.2\n"
	for name, file := range map[string]string{
		"GloVe":    "\ufeff" + text,
		"word2vec": "\ufeff2 3\n" + text,
		"binary":   "\ufeff" + binaryFile("2 3", true, []string{"the", "house"}, []float32{.1, .2, .3, .3, .1, .2}),
		"gzip":     zipped(t, "\ufeff"+text),
	} {
		v, err := ReadVectors(strings.NewReader(file), name, VectorOptions{})
		if err != nil {
			t.Error(err)
			continue
		}
		if v.Len() != 2 || v.Word(0) != "the" || v.Lookup([]byte("the")) == nil {
			t.Errorf("%s: the first word is %q", name, v.Word(0))
		}
	}
}

// Of a repeated word the first row counts, as in gensim 4.4.0, and the first line counts
// all rows.
func TestVectorsRepeated(t *testing.T) {
	rows := "the .1 .2 .3\nhouse .5 -.2 .1\nriver .4 .1 -.3\nhouse .9 .9 .9\n"
	words, data := []string{"the", "house", "river", "house"}, []float32{.1, .2, .3, .5, -.2, .1, .4, .1, -.3, .9, .9, .9}
	for name, file := range map[string]string{
		"GloVe": rows, "word2vec": "4 3\n" + rows, "binary": binaryFile("4 3", false, words, data),
	} {
		for _, keep := range []func(string) bool{nil, func(w string) bool { return w == "house" }} {
			v, err := ReadVectors(strings.NewReader(file), name, VectorOptions{Keep: keep})
			if err != nil {
				t.Error(err)
				continue
			}
			want := 3
			if keep != nil {
				want = 1
			}
			if diff := cmp.Diff([]float32{.5, -.2, .1}, v.Lookup([]byte("house"))); diff != "" || v.Len() != want || v.Repeated() != 1 {
				t.Errorf("%s: %d words, %d repeated, house (-want +got):\n%s", name, v.Len(), v.Repeated(), diff)
			}
		}
	}
	if _, err := ReadVectors(strings.NewReader("3 3\n"+rows), "f", VectorOptions{}); err == nil {
		t.Error("no error for a first line that does not count repeated rows")
	}
}

// What is not kept changes neither scores nor the signature.
func TestVectorsKeep(t *testing.T) {
	file := "the 1 2\nhouse 3 -1\nunk 5 5\n<unk> 4 3\nriver 1 1\nUNK 0 1\n"
	all, err := ReadVectors(strings.NewReader(file), "f", VectorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Unknown: Substitute, Trees: fixedTrees{"The house": {{Words: []string{"River"}}}}}
	texts := []string{"The house", "The hut"}
	keep, err := o.Lookups(ctx, texts)
	if err != nil {
		t.Fatal(err)
	}
	some, err := ReadVectors(strings.NewReader(file), "f", VectorOptions{Keep: keep})
	if err != nil {
		t.Fatal(err)
	}
	if some.Len() != 3 || some.Lookup([]byte("river")) == nil || some.Lookup([]byte("unk")) != nil {
		t.Errorf("%d words of the texts and their trees", some.Len())
	}
	if some.Hash() != all.Hash() {
		t.Error("the hash depends on what is kept")
	}
	for _, u := range []Unknown{Skip, Substitute} {
		var rows [2][]float64
		for i, v := range []*Vectors{all, some} {
			p, err := mustNew(t, Options{Vectors: v, Autoencoder: adder(t), Unknown: u}).Prepare(ctx, [][]string{{texts[0]}})
			if err != nil {
				t.Fatal(err)
			}
			if rows[i], err = p.Append(ctx, nil, nil, texts[1:]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(rows[0], rows[1]); diff != "" {
			t.Errorf("Unknown %d: (-all +some):\n%s", u, diff)
		}
	}
	if none, err := ReadVectors(strings.NewReader(file), "f", VectorOptions{Keep: func(string) bool { return false }}); err != nil || none.Len() != 0 || none.Hash() != all.Hash() {
		t.Errorf("nothing kept: %v, %v", none, err)
	}
}

// The first line does not decide how much memory is asked for.
func TestVectorsLargeHeader(t *testing.T) {
	for _, file := range []string{"1000000000000 4096\n", "1000000000000 2\na 1 2\n", binaryFile("1000000000000 2", false, []string{"a"}, []float32{1, 2})} {
		if v, err := ReadVectors(strings.NewReader(file), "f", VectorOptions{}); err == nil {
			t.Errorf("%q: %d words", file, v.Len())
		}
	}
}

func TestVectorsExpand(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes it slow, and nothing here is concurrent")
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	line := []byte("a" + strings.Repeat(" 0", 4000) + "\n")
	for range 20_000 {
		if _, err := z.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadVectors(&b, "f", VectorOptions{}); err == nil || !strings.Contains(err.Error(), "expands") {
		t.Errorf("160 MB of %d: %v", b.Len(), err)
	}
}

func TestReadVectorsErrors(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tt := range []struct{ file, want string }{
		{"", "f: empty"},
		{"\n", "f:1: "},
		{"word\n", "f:1: "},
		{"0 5\n", "f:1: a header for 0 words of 5"},
		{"5 0\n", "f:1: a header for 5 words of 0"},
		{"5 5000\n", "1 to 4096 numbers"},
		{"a 1 2\n\n", "f:2: an empty line"},
		{"a 1 2\n \t\nb 1 2\n", "f:2: an empty line"},
		{"a 1 2\nb 1\n", "f:2: 1 numbers after the word where the others have 2"},
		{"a 1 2\nb 1 2 3\n", "f:2: 3 numbers after the word where the others have 2"},
		{"a 1 2\n\nb 1 2\n", "f:2: "},
		{"2 2\na 1 2\nb 1 x\n", `f:3: "x" is not a number`},
		{"a 1 2\nb nan 2\n", `f:2: "b": a number is NaN`},
		{"a 1 2\nb 1 -inf\n", `f:2: "b": a number is -Inf`},
		{"a 1 2\nb 1 1e99\n", `f:2: "1e99" is not a number`},
		{"a 1 2\nb 1 0x1p3\n", `f:2: "0x1p3" is not a number`},
		{"3 2\na 1 2\nb 1 2\n", "f: 2 words where line 1 says 3"},
		{"1 2\na 1 2\nb 1 2\n", "f:3: more words than the 1"},
		{"a 1 2\n\xff 1 2\n", "f:2: bytes that are not UTF-8"},
		{"\xba\x16O/xxxx", "print-word-vectors"},
		{modelMagic, "OpenModel"},
		{"PK\x03\x04zip", "unpack it"},
		{"\x1f\x8bx", "f: "},
		{binaryFile("2 2", false, []string{"a", "b"}, []float32{1, 2, 3, inf}), `f: word 2: "b": a number is +Inf`},
		{binaryFile("3 2", false, []string{"a", "b"}, []float32{1, 2, 3, 4}), "f: word 3: cut short"},
		{binaryFile("1 2", false, []string{"a", "b"}, []float32{1, 2, 3, 4}), "f: more after the 1 words"},
	} {
		_, err := ReadVectors(strings.NewReader(tt.file), "f", VectorOptions{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%q: %v, want %q", tt.file, err, tt.want)
		}
	}
	if _, err := OpenVectors(t.TempDir()+"/none", VectorOptions{}); err == nil {
		t.Error("no error for a missing file")
	}
}

func FuzzReadVectors(f *testing.F) {
	f.Add([]byte("2 2\na 1 2\nb 3 4\n"))
	f.Add([]byte(". . 1\n"))
	f.Add([]byte(binaryFile("2 2", true, []string{"a", "b"}, []float32{1, 2, 3, 4})))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ReadVectors(bytes.NewReader(data), "f", VectorOptions{})
		if err != nil {
			return
		}
		if len(v.data) != v.Len()*v.Dim() {
			t.Fatalf("%d numbers for %d words of %d", len(v.data), v.Len(), v.Dim())
		}
		for _, x := range v.data {
			if !finite(x) {
				t.Fatal(x)
			}
		}
	})
}

func TestPieces(t *testing.T) {
	var got []string
	Pieces(nil, []byte("für"), func(p []byte) { got = append(got, string(p)) })
	if diff := cmp.Diff([]string{"<fü", "<für", "für", "für>", "ür>"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	n := 0
	Pieces(nil, []byte(strings.Repeat("ab", 1000)), func(p []byte) { n++ })
	if n == 0 || n > 3*65 {
		t.Errorf("%d pieces of a long word", n)
	}
	// An unknown word is the sum of its pieces, scaled.
	pieces, err := NewVectors(2, []string{"<zo", "oo>"}, []float32{1, 0, 3, 3})
	if err != nil {
		t.Fatal(err)
	}
	v, err := plane(t).WithPieces(pieces)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, 2)
	if _, ok := v.compose(nil, x, []byte("zoo")); !ok || math.Abs(float64(x[0])-.8) > 1e-7 || math.Abs(float64(x[1])-.6) > 1e-7 {
		t.Errorf("%v, %v", x, ok)
	}
	if _, ok := v.compose(nil, x, []byte("gnu")); ok {
		t.Error("a word without known pieces has a vector")
	}
}
