package dreem

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/conllu"
)

// What no constructor made, and what makes no sense, is an error.
func TestMisuse(t *testing.T) {
	v, a := plane(t), adder(t)
	_, err := v.WithPieces(nil)
	for name, err := range map[string]error{
		"pieces nil":                err,
		"zero vectors":              errorOf(New(Options{Vectors: new(Vectors)})),
		"zero autoencoder":          errorOf(New(Options{Vectors: v, Autoencoder: new(Autoencoder)})),
		"both zero":                 errorOf(New(Options{Vectors: new(Vectors), Autoencoder: new(Autoencoder)})),
		"autoencoder alone":         errorOf(New(Options{Autoencoder: a})),
		"trees alone":               errorOf(New(Options{Vectors: v, Trees: new(Treebank)})),
		"negative weight":           errorOf(New(Options{Vectors: v, Weights: PartWeights{OneHot: -1}})),
		"NaN weight":                errorOf(New(Options{Vectors: v, Weights: PartWeights{OneHot: math.NaN()}})),
		"infinite alpha":            errorOf(New(Options{Vectors: v, Alpha: math.Inf(1)})),
		"unknown Unknown":           errorOf(New(Options{Vectors: v, Unknown: 9})),
		"zero scorer, Prepare":      errorOf(new(Scorer).Prepare(ctx, [][]string{{"a"}})),
		"zero scorer, statistics":   errorOf(new(Scorer).Statistics().Prepare(ctx, []string{"a"})),
		"zero scorer, parameters":   errorOf(new(Scorer).WithParameters([]float64{1, 1, 1, 1, 1})),
		"no parameters":             errorOf(mustNew(t, Options{}).WithParameters(nil)),
		"pieces of zero vectors":    errorOf(new(Vectors).WithPieces(new(Vectors))),
		"zero autoencoder, WriteTo": errorOf(new(Autoencoder).WriteTo(io.Discard)),
		"nil model":                 WriteModel(io.Discard, nil),
		"zero model":                WriteModel(io.Discard, new(Model)),
		"model of zeros":            WriteModel(io.Discard, &Model{new(Vectors), new(Autoencoder)}),
		"no vectors":                errorOf(NewVectors(2, nil, nil)),
		"negative dimension":        errorOf(NewVectors(-1, nil, nil)),
		"huge dimension":            errorOf(NewVectors(math.MaxInt/2+1, nil, nil)),
		"short data":                errorOf(NewVectors(2, []string{"a"}, []float32{1})),
		"parameters of dimension":   errorOf(NewAutoencoder(-1, nil)),
		"parameters of half of all": errorOf(NewAutoencoder(math.MaxInt/2+1, nil)),
		"short parameters":          errorOf(NewAutoencoder(2, []float32{1})),
		"greedy of zero":            errorOf(new(Autoencoder).Greedy([][]float32{{1}})),
		"greedy of short vectors":   errorOf(a.Greedy([][]float32{{1, 2}, {1}})),
		"greedy of NaN":             errorOf(a.Greedy([][]float32{{1, 2}, {1, float32(math.NaN())}})),
		"First negative":            errorOf(ReadVectors(strings.NewReader("a 1\n"), "f", VectorOptions{First: -1})),
		"nil sentence":              errorOf(FromDependencies(nil)),
		"no words":                  errorOf(FromDependencies(new(conllu.Sentence))),
		"governor":                  errorOf(FromDependencies(&conllu.Sentence{Words: []conllu.Word{{Head: -1}}})),
		"ring":                      errorOf(FromDependencies(&conllu.Sentence{Words: []conllu.Word{{Head: 2}, {Head: 1}}})),
		"nil parser":                errorOf(FromParser(nil).Trees(ctx, "a")),
		"empty bank":                errorOf(new(Treebank).Trees(ctx, "a")),
		"huge pieces":               errorOf(v.WithPieces(must(NewVectors(2, []string{"<a"}, []float32{1, 2e30})))),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, tree := range map[string]Tree{
		"no words": {}, "no merges": {Words: []string{"a", "b"}},
		"negative": {Words: []string{"a", "b"}, Merges: [][2]int{{-1, 0}}}, "itself": {Words: []string{"a", "b"}, Merges: [][2]int{{2, 0}}},
	} {
		s := mustNew(t, Options{Trees: fixedTrees{"a": {tree}}})
		if _, err := s.Prepare(ctx, [][]string{{"a"}}); err == nil {
			t.Errorf("a tree, %s: no error", name)
		}
	}
	// These have nothing to return an error with.
	_, _, _, _ = new(Scorer).Info(), new(Scorer).Parameters(), new(Scorer).Score(make([]float64, 3)), new(Scorer).Statistics().Width()
	if new(Vectors).Lookup([]byte("a")) != nil || new(Vectors).Word(-1) != "" || v.Word(3) != "" {
		t.Error("words that are not there")
	}
	if Parameters(-1) != 0 || Parameters(math.MaxInt/2+1) != 0 {
		t.Error("parameters of dimensions that are not possible")
	}
}

func errorOf[T any](_ T, err error) error { return err }

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// Files that are no model are not read to their end, and those of large numbers ask for no
// memory that the file does not fill.
func TestEndlessFiles(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := OpenModel("/dev/zero"); err == nil {
			t.Error("an endless model")
		}
		if _, err := OpenAutoencoder("/dev/zero"); err == nil {
			t.Error("an endless autoencoder")
		}
		if _, err := OpenVectors("/dev/zero", VectorOptions{}); err == nil {
			t.Error("endless vectors")
		}
	}
	// A dimension of 4096, and nothing after.
	if _, err := ReadAutoencoder(strings.NewReader(autoencoderMagic+"\x00\x10\x00\x00"), "f"); err == nil {
		t.Error("an autoencoder without parameters")
	}
	if _, err := ReadPenn(io.LimitReader(endless{}, 1<<30), "f"); err == nil || !strings.Contains(err.Error(), "more than 65536 bytes") {
		t.Errorf("an endless word: %v", err)
	}
	path := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(path, []byte("mteval"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenModel(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a short file: %v", err)
	}
}

// endless is a text of "a".
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

func TestPennBOM(t *testing.T) {
	for name, file := range map[string]string{"plain": "\ufeff(A a)", "gzip": zipped(t, "\ufeff(A a)")} {
		trees, err := ReadPenn(strings.NewReader(file), "f")
		if err != nil || len(trees) != 1 || trees[0].Words[0] != "a" {
			t.Errorf("%s: %v, %v", name, trees, err)
		}
	}
}

// The hash is made anew, so that what is behind it is tried.
func FuzzReadAutoencoder(f *testing.F) {
	var b bytes.Buffer
	if _, err := must(NewAutoencoder(1, []float32{1, 2, 3, 4, 5, 6, 7})).WriteTo(&b); err != nil {
		f.Fatal(err)
	}
	body := b.Bytes()[len(autoencoderMagic) : b.Len()-sha256.Size]
	f.Add(body, true)
	f.Add(b.Bytes(), false)
	f.Add(binary.LittleEndian.AppendUint32(nil, math.MaxUint32), true)
	f.Fuzz(func(t *testing.T, data []byte, hashed bool) {
		if hashed {
			sum := sha256.Sum256(data)
			data = bytes.Join([][]byte{[]byte(autoencoderMagic), data, sum[:]}, nil)
		}
		a, err := ReadAutoencoder(bytes.NewReader(data), "f")
		if err != nil || a.Dim() > 64 {
			return
		}
		var again bytes.Buffer
		if _, err := a.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), data) {
			t.Fatalf("%v, written otherwise than read", err)
		}
		x := make([]float32, a.Dim())
		x[0] = 1
		v, err := NewVectors(a.Dim(), []string{"a", "b"}, append(x, x...))
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(Options{Vectors: v, Autoencoder: a})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Prepare(context.Background(), [][]string{{"a b a b b"}})
		if err != nil {
			t.Fatal(err)
		}
		row, err := p.Append(context.Background(), nil, nil, []string{"b a a"})
		if err != nil || !(s.Score(row) >= 0 && s.Score(row) <= 1) {
			t.Fatal(row, err)
		}
	})
}
