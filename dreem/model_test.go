package dreem

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestModelFile(t *testing.T) {
	pieces, err := NewVectors(2, []string{"<zo"}, []float32{1, -1})
	if err != nil {
		t.Fatal(err)
	}
	v, err := plane(t).WithPieces(pieces)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteModel(&b, &Model{v, adder(t)}); err != nil {
		t.Fatal(err)
	}
	m, err := ReadModel(bytes.NewReader(b.Bytes()), "f")
	if err != nil {
		t.Fatal(err)
	}
	if m.Autoencoder.Hash() != adder(t).Hash() {
		t.Error("another autoencoder")
	}
	for i, x := range m.Vectors.data {
		if math.Abs(float64(x-v.data[i])) > 4./127/2 {
			t.Errorf("number %d: %v, was %v", i, x, v.data[i])
		}
	}
	if diff := cmp.Diff([]float32{1, -1}, m.Vectors.pieces.data); diff != "" {
		t.Error(diff)
	}
	for _, at := range []int{0, 30, b.Len() - 1} {
		data := bytes.Clone(b.Bytes())
		data[at] ^= 1
		if _, err := ReadModel(bytes.NewReader(data), "f"); err == nil || !strings.HasPrefix(err.Error(), "f: ") {
			t.Errorf("byte %d changed: %v", at, err)
		}
	}
}

func TestAutoencoderFile(t *testing.T) {
	var b bytes.Buffer
	if _, err := adder(t).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	a, err := ReadAutoencoder(bytes.NewReader(b.Bytes()), "f")
	if err != nil || a.Hash() != adder(t).Hash() || a.Dim() != 2 {
		t.Fatalf("%v, %v", a, err)
	}
	for _, data := range [][]byte{nil, []byte("mteval autoencoder 2\n"), []byte(autoencoderMagic), b.Bytes()[:b.Len()-1], append(bytes.Clone(b.Bytes()), 0)} {
		if _, err := ReadAutoencoder(bytes.NewReader(data), "f"); err == nil || !strings.HasPrefix(err.Error(), "f: ") {
			t.Errorf("%d bytes: %v", len(data), err)
		}
	}
	for _, bad := range [][]float32{{1}, {1, 1, 1, 1, 1, 1, float32(math.NaN())}, {1, 1, 1, 1, 1, 1, 1e9}} {
		if _, err := NewAutoencoder(1, bad); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
}

func FuzzReadModel(f *testing.F) {
	f.Add([]byte{2, 1, 1, 'a', 0, 0, 128, 63, 1, 2, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		// The hash is beside the point.
		if m, err := parseModel(bytes.NewBuffer(body)); err == nil && m.Vectors.Len() == 0 {
			t.Fatal("a model without words")
		}
	})
}

// Greedy trees, worked by hand: see TestByHand. The tie between the pairs of a a a goes to
// the first; the one that is left then has another error.
func TestGreedy(t *testing.T) {
	v := plane(t)
	vectors := func(words ...string) [][]float32 {
		var out [][]float32
		for _, w := range words {
			out = append(out, v.Lookup([]byte(w)))
		}
		return out
	}
	for _, tt := range []struct {
		words []string
		want  [][2]int
	}{
		{[]string{"a"}, nil},
		{[]string{"a", "b"}, [][2]int{{0, 1}}},
		{[]string{"a", "a", "c"}, [][2]int{{0, 1}, {3, 2}}},
		{[]string{"c", "a", "a"}, [][2]int{{1, 2}, {0, 3}}},
		{[]string{"a", "a", "b", "b"}, [][2]int{{0, 1}, {2, 3}, {4, 5}}},
	} {
		got, err := adder(t).Greedy(vectors(tt.words...))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.words, diff)
		}
	}
}
