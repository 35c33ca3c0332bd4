// Package train makes word vectors and a recursive autoencoder for package dreem from
// plain text. It uses numerical libraries that scoring does not need.
package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/vocab"
	"github.com/mteval/mteval/tokenize"
)

// VectorOptions say which word vectors to make.
type VectorOptions struct {
	Dim      int // numbers in a vector, above 0
	MinCount int // words that occur less often get no vector
	MaxWords int // only the most frequent ones; 0 is all
	// Pieces is how many vectors of pieces of words to make, the most frequent ones in
	// different words, for words that are not in the text: see dreem.Vectors.WithPieces.
	// With pieces, how a word is spelt has a part in its vector. 0 is none.
	Pieces  int
	Workers int // bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on it.
}

// What the vectors are made with.
const (
	window     = 5   // words to each side that are counted, one at distance n as 1/n
	smoothing  = .75 // power of a context word's frequency (Levy, Goldberg and Dagan 2015)
	power      = .5  // of the singular values which columns are scaled by
	spelling   = .7  // how much of a part spelling has in a vector, against its contexts as 1
	iterations = 4   // of the randomised decomposition
	// rarity is a in a word's weight a/(a+p), p its share of the text (Arora, Liang and Ma
	// 2017): vectors have that length, so that rare words count more in a mean.
	rarity = .001
)

// Vectors makes word vectors of a text: it counts which words occur near which, takes the
// positive pointwise mutual information of the counts, and decomposes the matrix (Levy and
// Goldberg 2014) by the randomised method of Halko, Martinsson and Tropp 2011. Words are in
// the order of their frequency. Lines are windows' limits. The result depends on the lines,
// the options and the kind of machine alone.
func Vectors(ctx context.Context, lines []string, o VectorOptions) (*dreem.Vectors, error) {
	if o.Dim < 1 || o.Pieces < 0 {
		return nil, fmt.Errorf("train: vectors of %d numbers, and %d pieces", o.Dim, o.Pieces)
	}
	words, text := frequent(lines, &o)
	n := len(words)
	if n <= o.Dim {
		return nil, fmt.Errorf("train: %d words occur %d times or more, which is too few for vectors of %d numbers: give more text, or a lower MinCount or Dim", n, o.MinCount, o.Dim)
	}
	m, err := information(ctx, text, n)
	if err != nil {
		return nil, err
	}
	var pieces []string
	if o.Pieces > 0 {
		pieces = m.addPieces(words, &o)
	}
	data, below, err := decompose(ctx, m, n, &o)
	if err != nil {
		return nil, err
	}
	weigh(data, text, n, o.Dim)
	v, err := dreem.NewVectors(o.Dim, words, data)
	if err != nil || len(pieces) == 0 {
		return v, err
	}
	p, err := dreem.NewVectors(o.Dim, pieces, below)
	if err != nil {
		return nil, err
	}
	return v.WithPieces(p)
}

// frequent returns the words that get vectors, and the text in their numbers, −1 for
// others and −2 at the end of a line.
func frequent(lines []string, o *VectorOptions) ([]string, []int32) {
	var v vocab.Vocab
	var counts []int
	var text []int32
	var buf []byte
	for _, line := range lines {
		buf = tokenize.Each(buf, tokenize.V13a, tokenize.Lower(line), func(w []byte) {
			id := int(v.Add(w))
			if id > len(counts) {
				counts = append(counts, 0)
			}
			counts[id-1]++
			text = append(text, int32(id-1))
		})
		text = append(text, -2)
	}
	var order []int
	for i, n := range counts {
		if n >= o.MinCount {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	if o.MaxWords > 0 {
		order = order[:min(len(order), o.MaxWords)]
	}
	rank := make([]int32, len(counts))
	for i := range rank {
		rank[i] = -1
	}
	words := make([]string, len(order))
	for r, i := range order {
		rank[i] = int32(r)
		words[r] = v.Word(uint32(i + 1))
	}
	for i, id := range text {
		if id >= 0 {
			text[i] = rank[id]
		}
	}
	return words, text
}

// A sparse matrix by rows.
type sparse struct {
	n, columns int
	starts     []int
	column     []int32
	value      []float64
	scale      []float64 // of pieces
}

// information is the matrix of positive mutual information.
func information(ctx context.Context, text []int32, n int) (*sparse, error) {
	counts := make(map[uint64]float64)
	for i, a := range text {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for d := 1; d <= window && i+d < len(text) && text[i+d] != -2; d++ {
			if b := text[i+d]; a >= 0 && b >= 0 {
				counts[uint64(a)<<32|uint64(b)] += 1 / float64(d)
				counts[uint64(b)<<32|uint64(a)] += 1 / float64(d)
			}
		}
	}
	keys := make([]uint64, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	sums, total := make([]float64, n), 0.0
	for _, k := range keys {
		sums[k>>32] += counts[k]
	}
	smooth := make([]float64, n)
	for i, x := range sums {
		smooth[i] = math.Pow(x, smoothing)
		total += smooth[i]
	}
	m := &sparse{n: n, columns: n, starts: make([]int, n+1)}
	for _, k := range keys {
		a, b := k>>32, uint32(k)
		if x := math.Log(counts[k] * total / (sums[a] * smooth[b])); x > 0 {
			m.column = append(m.column, int32(b))
			m.value = append(m.value, x)
			m.starts[a+1]++
		}
	}
	for i := range n {
		m.starts[i+1] += m.starts[i]
	}
	return m, nil
}

// addPieces adds columns for pieces of words, which it returns: in each row the inverse
// frequencies of the word's pieces, scaled so that they are together as large as the other
// columns are in the mean row, times spelling.
func (m *sparse) addPieces(words []string, o *VectorOptions) []string {
	counts := make(map[string]int)
	for _, w := range words {
		dreem.Pieces(nil, []byte(w), func(p []byte) { counts[string(p)]++ })
	}
	var pieces []string
	for p, n := range counts {
		if n > 1 {
			pieces = append(pieces, p)
		}
	}
	slices.SortFunc(pieces, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	pieces = pieces[:min(len(pieces), o.Pieces)]
	place := make(map[string]int32)
	for i, p := range pieces {
		place[p] = int32(m.n + i)
	}
	size := m.size()
	out := &sparse{n: m.n, columns: m.n + len(pieces), starts: make([]int, 1, m.n+1)}
	for r, w := range words {
		out.column = append(out.column, m.column[m.starts[r]:m.starts[r+1]]...)
		out.value = append(out.value, m.value[m.starts[r]:m.starts[r+1]]...)
		at := len(out.value)
		sum := 0.0
		dreem.Pieces(nil, []byte(w), func(p []byte) {
			if c, ok := place[string(p)]; ok {
				x := math.Log(float64(m.n) / float64(counts[string(p)]))
				out.column, out.value = append(out.column, c), append(out.value, x)
				sum += x * x
			}
		})
		for i := at; i < len(out.value); i++ {
			out.value[i] *= spelling * size / math.Sqrt(sum)
		}
		out.starts = append(out.starts, len(out.value))
	}
	// What a piece adds to the row of an unknown word, but for the row's scale.
	out.scale = make([]float64, len(pieces))
	for i, p := range pieces {
		out.scale[i] = math.Log(float64(m.n) / float64(counts[p]))
	}
	*m = *out
	return pieces
}

// size is the mean length of a row.
func (m *sparse) size() float64 {
	size := 0.0
	for r := range m.n {
		sum := 0.0
		for _, x := range m.value[m.starts[r]:m.starts[r+1]] {
			sum += x * x
		}
		size += math.Sqrt(sum) / float64(m.n)
	}
	return size
}

func (m *sparse) transpose() *sparse {
	t := &sparse{n: m.columns, columns: m.n, starts: make([]int, m.columns+1), column: make([]int32, len(m.column)), value: make([]float64, len(m.value))}
	for _, c := range m.column {
		t.starts[c+1]++
	}
	for i := range t.n {
		t.starts[i+1] += t.starts[i]
	}
	at := slices.Clone(t.starts)
	for r := range m.n {
		for k := m.starts[r]; k < m.starts[r+1]; k++ {
			c := m.column[k]
			t.column[at[c]], t.value[at[c]] = int32(r), m.value[k]
			at[c]++
		}
	}
	return t
}

// times sets out to m·x, where x has k columns.
func (m *sparse) times(ctx context.Context, out, x []float64, k, workers int) error {
	return parallel.For(ctx, m.n, workers, 256, func(lo, hi int) error {
		for r := lo; r < hi; r++ {
			row := out[r*k : (r+1)*k]
			clear(row)
			for j := m.starts[r]; j < m.starts[r+1]; j++ {
				c := int(m.column[j])
				v := m.value[j]
				for i, b := range x[c*k : (c+1)*k] {
					row[i] += v * b
				}
			}
		}
		return nil
	})
}

// orthonormalise replaces the k columns of y, n rows, by an orthonormal basis of theirs.
func orthonormalise(y []float64, n, k int) {
	a := blas64.General{Rows: n, Cols: k, Stride: k, Data: y}
	tau := make([]float64, k)
	work := make([]float64, 1)
	lapack64.Geqrf(a, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(a, tau, work, len(work))
	lapack64.Orgqr(a, tau, work, -1)
	if len(work) < int(work[0]) {
		work = make([]float64, int(work[0]))
	}
	lapack64.Orgqr(a, tau, work, len(work))
}

// decompose returns the first left singular vectors as columns, scaled by a power of the
// singular values. Each column's sign is such that its sum is not negative. Columns of m
// after the first n are of pieces: the vectors that they stand for come second, such that
// their sum is that of a word with these pieces and no context.
func decompose(ctx context.Context, m *sparse, n int, o *VectorOptions) (words, pieces []float32, err error) {
	k, columns := min(n, o.Dim+10), m.columns
	x, y, err := iterate(ctx, m, n, k, o)
	if err != nil {
		return nil, nil, err
	}
	// With Q in y, the left singular vectors are Q times the eigenvectors of (QᵀM)(QᵀM)ᵀ,
	// and the right ones MᵀQ times them over the singular values.
	b := mat.NewDense(columns, k, x)
	var square mat.SymDense
	square.SymOuterK(1, b.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&square, true) {
		return nil, nil, fmt.Errorf("train: the decomposition did not converge")
	}
	var vectors, u, r mat.Dense
	eigen.VectorsTo(&vectors)
	u.Mul(mat.NewDense(n, k, y), &vectors)
	r.Mul(b, &vectors)
	values := eigen.Values(nil) // from the smallest
	words = make([]float32, n*o.Dim)
	pieces = make([]float32, len(m.scale)*o.Dim)
	for j := range o.Dim {
		from := k - 1 - j
		sum := 0.0
		for i := range n {
			sum += u.At(i, from)
		}
		sigma := math.Sqrt(max(0, values[from]))
		scale := math.Pow(sigma, power)
		if sum < 0 {
			scale = -scale
		}
		for i := range n {
			words[i*o.Dim+j] = float32(scale * u.At(i, from))
		}
		if sigma > 0 {
			for i, f := range m.scale {
				pieces[i*o.Dim+j] = float32(f * scale * r.At(n+i, from) / (sigma * sigma))
			}
		}
	}
	return words, pieces, nil
}

// iterate finds an orthonormal y whose k columns span what is largest in m, and mᵀy as x.
func iterate(ctx context.Context, m *sparse, n, k int, o *VectorOptions) (x, y []float64, err error) {
	t := m.transpose()
	random := rand.New(rand.NewPCG(0, 0))
	x, y = make([]float64, m.columns*k), make([]float64, n*k)
	for i := range x {
		x[i] = random.NormFloat64()
	}
	for i := range iterations + 1 {
		if i > 0 {
			if err := t.times(ctx, x, y, k, o.Workers); err != nil {
				return nil, nil, err
			}
			orthonormalise(x, m.columns, k)
		}
		if err := m.times(ctx, y, x, k, o.Workers); err != nil {
			return nil, nil, err
		}
		orthonormalise(y, n, k)
	}
	return x, y, t.times(ctx, x, y, k, o.Workers)
}

// weigh takes the mean vector of the words of the text from each, so that the cosine of two
// texts' means is not that of what all texts share, and scales it to the word's weight.
func weigh(data []float32, text []int32, n, d int) {
	counts, total := make([]float64, n), 0.0
	for _, id := range text {
		if id >= 0 {
			counts[id]++
			total++
		}
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = rarity / (rarity + counts[i]/total)
	}
	scale := func(row []float32, to float64) {
		sum := 0.0
		for _, x := range row {
			sum += float64(x) * float64(x)
		}
		if sum > 0 {
			for j := range row {
				row[j] = float32(float64(row[j]) * to / math.Sqrt(sum))
			}
		}
	}
	mean, all := make([]float64, d), 0.0
	for i, c := range counts {
		row := data[i*d : (i+1)*d]
		scale(row, 1)
		for j, x := range row {
			mean[j] += c * weights[i] * float64(x)
		}
		all += c * weights[i]
	}
	for i, w := range weights {
		row := data[i*d : (i+1)*d]
		for j := range row {
			row[j] -= float32(mean[j] / all)
		}
		scale(row, w)
	}
}
