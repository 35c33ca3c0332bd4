package dreem

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/sidefile"
)

// A Model is what the parts of DREEM are made with.
type Model struct {
	Vectors     *Vectors
	Autoencoder *Autoencoder // for vectors of the same dimension
}

const modelMagic = "mteval dreem model 1\n"

// WriteModel writes a small file of vectors and an autoencoder. Each vector is written as
// whole numbers of −127 to 127 and one factor, so that what OpenModel gives is not quite
// the same; the autoencoder is.
func WriteModel(w io.Writer, m *Model) error {
	if m == nil || m.Vectors == nil || m.Autoencoder == nil || m.Vectors.Len() == 0 || m.Vectors.dim != m.Autoencoder.dim {
		return fmt.Errorf("dreem: a model needs vectors and an autoencoder of one dimension")
	}
	if contract.Nil(w) {
		return fmt.Errorf("dreem: %w", contract.ErrNoWriter)
	}
	v, a := m.Vectors, m.Autoencoder
	body := binary.AppendUvarint(nil, uint64(v.dim))
	pieces := v.pieces
	if pieces == nil {
		pieces = &Vectors{dim: v.dim}
	}
	body = appendTable(appendTable(body, v), pieces)
	body = appendFloats(body, a.all)
	sum := sha256.Sum256(body)
	_, err := w.Write(bytes.Join([][]byte{[]byte(modelMagic), body, sum[:]}, nil))
	return err
}

// appendTable appends words, and then their vectors.
func appendTable(body []byte, v *Vectors) []byte {
	body = binary.AppendUvarint(body, uint64(v.Len()))
	for i := range v.Len() {
		word := v.Word(i)
		body = binary.AppendUvarint(body, uint64(len(word)))
		body = append(body, word...)
	}
	for i := range v.Len() {
		row := v.data[i*v.dim : (i+1)*v.dim]
		top := 0.0
		for _, x := range row {
			top = max(top, math.Abs(float64(x)))
		}
		body = appendFloats(body, []float32{float32(top / 127)})
		for _, x := range row {
			q := 0.0
			if top > 0 {
				q = math.RoundToEven(float64(x) / top * 127)
			}
			body = append(body, byte(int8(q)))
		}
	}
	return body
}

// maxModel bounds the file of a model, in bytes.
const maxModel = 1 << 30

// OpenModel reads the file at path, see ReadModel.
func OpenModel(path string) (*Model, error) {
	return sidefile.Load(path, ReadModel)
}

// ReadModel reads what WriteModel wrote, of at most 1 GiB. Errors name the file.
func ReadModel(r io.Reader, name string) (*Model, error) {
	if contract.Nil(r) {
		return nil, fmt.Errorf("%s: %w", name, contract.ErrNoReader)
	}
	in := bufio.NewReader(r)
	if head, err := in.Peek(len(modelMagic)); err == nil && string(head) != modelMagic {
		return nil, notModel(name) // however long it is
	}
	data, err := sidefile.ReadAll(in, maxModel)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return modelOf(data, name)
}

func notModel(name string) error {
	return fmt.Errorf("%s: no DREEM model of this version (it does not start with %q)", name, modelMagic)
}

// modelOf is the model of a file's content.
func modelOf(data []byte, name string) (*Model, error) {
	body, ok := bytes.CutPrefix(data, []byte(modelMagic))
	if !ok || len(body) < sha256.Size {
		return nil, notModel(name)
	}
	body, sum := body[:len(body)-sha256.Size], body[len(body)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return nil, fmt.Errorf("%s: damaged or cut short: its SHA-256 is not the one that it names", name)
	}
	m, err := parseModel(bytes.NewBuffer(body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func parseModel(in *bytes.Buffer) (*Model, error) {
	dim, err := binary.ReadUvarint(in)
	if err != nil || dim < 1 || dim > maxDim {
		return nil, fmt.Errorf("vectors of %d numbers: 1 to %d are possible", dim, maxDim)
	}
	words, data, err := parseTable(in, int(dim))
	if err != nil {
		return nil, err
	}
	v, err := NewVectors(int(dim), words, data)
	if err != nil {
		return nil, err
	}
	if words, data, err = parseTable(in, int(dim)); err != nil {
		return nil, err
	}
	if len(words) > 0 {
		pieces, err := NewVectors(int(dim), words, data)
		if err != nil {
			return nil, err
		}
		if v, err = v.WithPieces(pieces); err != nil {
			return nil, err
		}
	}
	if in.Len() != 4*Parameters(int(dim)) {
		return nil, fmt.Errorf("%d bytes are not an autoencoder of vectors of %d numbers", in.Len(), dim)
	}
	a, err := NewAutoencoder(int(dim), floats(in.Bytes()))
	if err != nil {
		return nil, err
	}
	return &Model{v, a}, nil
}

func parseTable(in *bytes.Buffer, dim int) ([]string, []float32, error) {
	n, err := binary.ReadUvarint(in)
	// A word takes a byte for its length, and its vector dim and a factor.
	if err != nil || n > uint64(in.Len())/uint64(1+4+dim) {
		return nil, nil, fmt.Errorf("a table of %d words in %d bytes", n, in.Len())
	}
	words := make([]string, n)
	for i := range words {
		k, err := binary.ReadUvarint(in)
		if err != nil || k > uint64(in.Len()) {
			return nil, nil, io.ErrUnexpectedEOF
		}
		words[i] = string(in.Next(int(k)))
	}
	if uint64(in.Len()) < n*uint64(4+dim) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	data := make([]float32, 0, int(n)*dim)
	for range words {
		f := floats(in.Next(4))[0]
		for _, b := range in.Next(dim) {
			data = append(data, f*float32(int8(b)))
		}
	}
	return words, data, nil
}
