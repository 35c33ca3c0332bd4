package dreem

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/internal/simd"
)

// An Autoencoder is a trained recursive autoencoder (Socher et al. 2011). It makes one
// vector of two, p = tanh(Encode·[a; b] + EncodeBias) scaled to unit length, and takes
// them back as Decode·p + DecodeBias. Word vectors are scaled to unit length first. It
// does not change, and is safe for concurrent use.
type Autoencoder struct {
	dim int
	// w1 is dim×2dim, b1 dim, w2 2dim×dim, b2 2dim, one after another in all.
	all            []float32
	w1, b1, w2, b2 []float32
	hash           string
}

// Parameters is the number of parameters of an autoencoder of vectors of dim numbers, 0 if
// there can be none.
func Parameters(dim int) int {
	if dim < 1 || dim > maxDim {
		return 0
	}
	return 4*dim*dim + 3*dim
}

// maxDim bounds the dimensions of vectors, so that a damaged file does not ask for
// memory that no one has.
const maxDim = 4096

// NewAutoencoder returns the autoencoder of vectors of dim numbers with these parameters:
// Encode (dim rows of 2·dim numbers), EncodeBias (dim), Decode (2·dim rows of dim),
// DecodeBias (2·dim), all within ±1e6.
func NewAutoencoder(dim int, parameters []float32) (*Autoencoder, error) {
	if dim < 1 || dim > maxDim {
		return nil, fmt.Errorf("dreem: an autoencoder of vectors of %d numbers: 1 to %d are possible", dim, maxDim)
	}
	if n := Parameters(dim); len(parameters) != n {
		return nil, fmt.Errorf("dreem: %d parameters for an autoencoder of vectors of %d numbers, which has %d", len(parameters), dim, n)
	}
	for i, x := range parameters {
		if !(x >= -maxParameter && x <= maxParameter) {
			return nil, fmt.Errorf("dreem: parameter %d of the autoencoder is %v, beyond ±%g", i+1, x, float64(maxParameter))
		}
	}
	a := &Autoencoder{dim: dim, all: append([]float32(nil), parameters...)}
	rest := a.all
	for _, part := range []struct {
		to *[]float32
		n  int
	}{{&a.w1, 2 * dim * dim}, {&a.b1, dim}, {&a.w2, 2 * dim * dim}, {&a.b2, 2 * dim}} {
		*part.to, rest = rest[:part.n:part.n], rest[part.n:]
	}
	sum := sha256.Sum256(a.body())
	a.hash = hex.EncodeToString(sum[:])
	return a, nil
}

// Dim is the number of numbers in its vectors.
func (a *Autoencoder) Dim() int { return a.dim }

// Hash is the SHA-256 of the parameters in hexadecimal, which tells autoencoders apart.
func (a *Autoencoder) Hash() string { return a.hash }

const autoencoderMagic = "mteval autoencoder 1\n"

// body is the file of an autoencoder without its first line and hash.
func (a *Autoencoder) body() []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(a.dim))
	return appendFloats(out, a.all)
}

// WriteTo writes the autoencoder for ReadAutoencoder: a line with the version, the
// dimension and the parameters as little-endian numbers of 32 bits, and their SHA-256.
func (a *Autoencoder) WriteTo(w io.Writer) (int64, error) {
	if a.dim == 0 {
		return 0, errors.New("dreem: an autoencoder without parameters")
	}
	if contract.Nil(w) {
		return 0, fmt.Errorf("dreem: %w", contract.ErrNoWriter)
	}
	body := a.body()
	sum := sha256.Sum256(body)
	n, err := w.Write(bytes.Join([][]byte{[]byte(autoencoderMagic), body, sum[:]}, nil))
	return int64(n), err
}

// OpenAutoencoder reads the file of an autoencoder that WriteTo wrote.
func OpenAutoencoder(path string) (*Autoencoder, error) {
	return sidefile.Load(path, ReadAutoencoder)
}

// ReadAutoencoder reads an autoencoder that WriteTo wrote. Errors name the file. It reads no
// more than an autoencoder of the dimension that the file names has.
func ReadAutoencoder(r io.Reader, name string) (*Autoencoder, error) {
	if contract.Nil(r) {
		return nil, fmt.Errorf("%s: %w", name, contract.ErrNoReader)
	}
	head := make([]byte, len(autoencoderMagic)+4)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("%s: %w", name, sidefile.Plain(err))
	}
	body, ok := bytes.CutPrefix(head[:n], []byte(autoencoderMagic))
	if !ok {
		return nil, fmt.Errorf("%s: no autoencoder of this version (it does not start with %q)", name, autoencoderMagic)
	}
	if len(body) < 4 {
		return nil, fmt.Errorf("%s: cut short after %d bytes", name, n)
	}
	dim := int(binary.LittleEndian.Uint32(body))
	if dim < 1 || dim > maxDim {
		return nil, fmt.Errorf("%s: an autoencoder of vectors of %d numbers: 1 to %d are possible", name, dim, maxDim)
	}
	// A byte more shows that it is no longer.
	want := 4*Parameters(dim) + sha256.Size
	rest, err := io.ReadAll(io.LimitReader(r, int64(want)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, sidefile.Plain(err))
	}
	if len(rest) != want {
		return nil, fmt.Errorf("%s: damaged or cut short: not the %d bytes of the parameters for vectors of %d numbers", name, want, dim)
	}
	rest, sum := rest[:len(rest)-sha256.Size], rest[len(rest)-sha256.Size:]
	hash := sha256.New()
	hash.Write(body)
	hash.Write(rest)
	if !bytes.Equal(hash.Sum(nil), sum) {
		return nil, fmt.Errorf("%s: damaged or cut short: its SHA-256 is not the one that it names", name)
	}
	a, err := NewAutoencoder(dim, floats(rest))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

func finite(x float32) bool { return x-x == 0 }

// maxParameter bounds the parameters, far from what training gives, so that no sum overflows.
const maxParameter = 1e6

func appendFloats(dst []byte, xs []float32) []byte {
	for _, x := range xs {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

func floats(data []byte) []float32 {
	out := make([]float32, len(data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}

// combiner is the room in which one goroutine uses an autoencoder.
type combiner struct {
	pace pace.Pace
	x    []float32 // vectors, one after another
	p    []float32 // parents of adjacent ones
	pair []float32
	back []float32
	// Of vectors that are left, by place: how many words they stand for, and the
	// neighbours' places.
	words      []int32
	prev, next []int32
	err        []float32 // reconstruction errors of adjacent pairs, by the left one's place
	best       []int32   // a binary tree over err: the place of the smallest below each node
	nodes      []int
	merges     [][2]int
}

// grown returns s with a length of n, what it holds is not defined.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// encode sets p to the parent of two vectors that follow each other in pair.
func (a *Autoencoder) encode(p, pair []float32) {
	simd.Dots(p, pair, a.w1, 1, a.dim, 2*a.dim)
	for i := range p {
		p[i] = float32(math.Tanh(float64(p[i] + a.b1[i])))
	}
	unit(p)
}

// loss is the reconstruction error of a pair whose parent is p and whose children stand
// for n1 and n2 words.
func (a *Autoencoder) loss(c *combiner, p, pair []float32, n1, n2 int32) float32 {
	c.back = grown(c.back, 2*a.dim)
	simd.Dots(c.back, p, a.w2, 1, 2*a.dim, a.dim)
	var e [2]float64
	for i, x := range c.back {
		d := float64(x + a.b2[i] - pair[i])
		e[i/a.dim] += float64(d * d)
	}
	return float32((float64(n1)*e[0] + float64(n2)*e[1]) / float64(n1+n2))
}

// unit scales a vector to unit length; one of zeros stays as it is.
func unit(x []float32) {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	if sum == 0 {
		return
	}
	f := 1 / math.Sqrt(sum)
	for i := range x {
		x[i] = float32(float64(x[i]) * f)
	}
}

// greedy makes one vector, at the start of c.x, of the n in c.x: again and again the
// adjacent pair whose reconstruction is best, the first of equals, becomes its parent.
// With keep, c.merges says which: node n+k is made of the two nodes of merges[k]. It ends
// early with an error if the context of c.pace is cancelled. For each of n vectors of d
// numbers it takes 8·d + 30 bytes.
func (a *Autoencoder) greedy(c *combiner, n int, keep bool) error {
	if n < 2 {
		c.merges = c.merges[:0]
		return nil
	}
	if err := a.adjacent(c, n, keep); err != nil {
		return err
	}
	d := a.dim
	for m := n; m > 1; m-- {
		at := int(c.best[1])
		gone := int(c.next[at])
		next, prev := int(c.next[gone]), int(c.prev[at])
		copy(c.x[at*d:(at+1)*d], c.p[at*d:(at+1)*d])
		c.words[at] += c.words[gone]
		if keep {
			c.merges = append(c.merges, [2]int{c.nodes[at], c.nodes[gone]})
			c.nodes[at] = 2*n - m
		}
		c.next[at] = int32(next)
		if next < n {
			c.prev[next] = int32(at)
			c.err[gone] = float32(math.Inf(1))
			c.update(gone)
			if err := a.try(c, at); err != nil {
				return err
			}
		} else {
			c.err[at] = float32(math.Inf(1))
		}
		c.update(at)
		if prev >= 0 {
			if err := a.try(c, prev); err != nil {
				return err
			}
			c.update(prev)
		}
	}
	return nil
}

// adjacent sets the parents and errors of all adjacent pairs of n vectors, two at least.
func (a *Autoencoder) adjacent(c *combiner, n int, keep bool) error {
	d := a.dim
	c.merges = c.merges[:0]
	c.p, c.words = grown(c.p, n*d), grown(c.words, n)
	c.prev, c.next = grown(c.prev, n), grown(c.next, n)
	if keep {
		c.nodes = grown(c.nodes, n)
	}
	for i := range n {
		c.words[i], c.prev[i], c.next[i] = 1, int32(i-1), int32(i+1)
		if keep {
			c.nodes[i] = i
		}
	}
	leaves := 1
	for leaves < n-1 {
		leaves *= 2
	}
	c.err, c.best = grown(c.err, leaves), grown(c.best, 2*leaves)
	for i := range leaves {
		c.err[i], c.best[leaves+i] = float32(math.Inf(1)), int32(i)
	}
	for i := range n - 1 {
		if err := a.try(c, i); err != nil {
			return err
		}
	}
	for k := leaves - 1; k > 0; k-- {
		c.choose(k)
	}
	return nil
}

// try sets the parent and the error of the vector at place i and the next.
func (a *Autoencoder) try(c *combiner, i int) error {
	d, j := a.dim, int(c.next[i])
	pair, p := c.x[i*d:], c.p[i*d:(i+1)*d]
	if j > i+1 {
		c.pair = append(append(c.pair[:0], c.x[i*d:(i+1)*d]...), c.x[j*d:(j+1)*d]...)
		pair = c.pair
	}
	pair = pair[:2*d]
	a.encode(p, pair)
	c.err[i] = a.loss(c, p, pair, c.words[i], c.words[j])
	return c.pace.Done(a.work())
}

// work is about how many nanoseconds a parent and its error take.
func (a *Autoencoder) work() int { return a.dim * (a.dim + 20) }

// choose sets a node of the tree over errors.
func (c *combiner) choose(k int) {
	l, r := c.best[2*k], c.best[2*k+1]
	if c.err[r] < c.err[l] {
		l = r
	}
	c.best[k] = l
}

// update sets the nodes above the error at place i, which is another than before.
func (c *combiner) update(i int) {
	for k := (len(c.best)/2 + i) / 2; k > 0; k /= 2 {
		c.choose(k)
	}
}

// Greedy returns the merges by which the autoencoder makes one vector of these, words in
// their order: node k < len(vectors) is vector k, and node len(vectors)+k is made of the
// two nodes of merge k. A vector of more or fewer numbers than the autoencoder's, or with
// one that is NaN or infinite, is an error.
func (a *Autoencoder) Greedy(vectors [][]float32) ([][2]int, error) {
	var c combiner
	for i, v := range vectors {
		if len(v) != a.dim || a.dim == 0 {
			return nil, fmt.Errorf("dreem: vector %d has %d numbers, for an autoencoder of vectors of %d", i+1, len(v), a.dim)
		}
		for _, x := range v {
			if !finite(x) {
				return nil, fmt.Errorf("dreem: vector %d has a number that is %v", i+1, x)
			}
		}
		at := len(c.x)
		c.x = append(c.x, v...)
		unit(c.x[at:])
	}
	if err := a.greedy(&c, len(vectors), true); err != nil {
		return nil, err
	}
	return c.merges, nil
}

// tree appends the vectors of a tree's merges to c.x, which holds those of its words. has
// says which nodes have a vector: a merge with a node that has none is the other one. It
// ends early with an error if the context of c.pace is cancelled.
func (a *Autoencoder) tree(c *combiner, merges [][2]int, has []bool) ([]bool, error) {
	d := a.dim
	c.p = grown(c.p, 2*d)
	for _, m := range merges {
		at := len(c.x)
		l, r := c.x[m[0]*d:(m[0]+1)*d], c.x[m[1]*d:(m[1]+1)*d]
		switch {
		case has[m[0]] && has[m[1]]:
			copy(c.p, l)
			copy(c.p[d:], r)
			c.x = append(c.x, l...) // room, written over
			a.encode(c.x[at:], c.p)
			if err := c.pace.Done(a.work()); err != nil {
				return has, err
			}
		case has[m[0]]:
			c.x = append(c.x, l...)
		default:
			c.x = append(c.x, r...)
		}
		has = append(has, has[m[0]] || has[m[1]])
	}
	return has, nil
}
