package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/tokenize"
)

// What the autoencoder is trained with.
const (
	maxSentences = 2000 // lines that are trained on, drawn by chance
	minWords     = 3    // shorter lines are left out
	maxWords     = 40   // longer lines are left out
	rounds       = 4    // times that the trees are made anew
	steps        = 25   // of the optimiser in a round
	lambda       = 1e-4 // weight of the squares of the matrices' numbers
)

// Autoencoder trains a recursive autoencoder for these vectors on lines of one sentence
// each (Socher et al. 2011). The error of a node is that of its two children's
// reconstruction, each weighted by its share of the words. In each round the trees are the
// greedy ones of the parameters so far, and L-BFGS lowers the mean error of a sentence
// along them; progress is told of that error. Words without a vector are left out. Workers
// bounds the goroutines, 0 is GOMAXPROCS. The result depends on the lines and the kind of
// machine alone.
func Autoencoder(ctx context.Context, v *dreem.Vectors, lines []string, workers int, progress func(round int, loss float64)) (*dreem.Autoencoder, error) {
	if v == nil || v.Len() == 0 {
		return nil, errors.New("train: an autoencoder for no vectors")
	}
	random := rand.New(rand.NewPCG(0, 1))
	d := v.Dim()
	sentences := sample(v, lines, random)
	if len(sentences) == 0 {
		return nil, fmt.Errorf("train: no line has from %d to %d words with vectors", minWords, maxWords)
	}

	params := make([]float64, dreem.Parameters(d))
	r := math.Sqrt(6 / float64(3*d))
	for i := range 2 * d * d {
		params[i] = (2*random.Float64() - 1) * r
		params[2*d*d+d+i] = (2*random.Float64() - 1) * r
	}
	ob := &objective{ctx: ctx, d: d, sentences: sentences, workers: workers}
	for round := range rounds {
		a, err := autoencoder(d, params)
		if err != nil {
			return nil, err
		}
		if err := plantTrees(ctx, a, sentences, workers); err != nil {
			return nil, err
		}
		ob.last = nil
		result, err := optimize.Minimize(
			optimize.Problem{Func: ob.value, Grad: ob.gradient, Status: ob.status},
			params, &optimize.Settings{MajorIterations: steps, GradientThreshold: 1e-7}, &optimize.LBFGS{Store: 20})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// A line search that finds nothing lower leaves the best so far.
		if result == nil {
			return nil, fmt.Errorf("train: %w", err)
		}
		copy(params, result.X)
		progress(round+1, result.F)
	}
	return autoencoder(d, params)
}

// sample draws the sentences to train on, those with words enough.
func sample(v *dreem.Vectors, lines []string, random *rand.Rand) []sentence {
	var out []sentence
	var buf []byte
	for _, at := range random.Perm(len(lines)) {
		if len(out) == maxSentences {
			break
		}
		var s sentence
		buf = tokenize.Each(buf, tokenize.V13a, tokenize.Lower(lines[at]), func(w []byte) {
			if x := v.Lookup(w); x != nil {
				s.vectors = append(s.vectors, x)
			}
		})
		if n := len(s.vectors); n >= minWords && n <= maxWords {
			s.leaves = unitVectors(s.vectors, v.Dim())
			out = append(out, s)
		}
	}
	return out
}

// plantTrees sets the merges of sentences to those of an autoencoder.
func plantTrees(ctx context.Context, a *dreem.Autoencoder, sentences []sentence, workers int) error {
	return parallel.For(ctx, len(sentences), workers, 16, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			var err error
			if sentences[i].merges, err = a.Greedy(sentences[i].vectors); err != nil {
				return err
			}
		}
		return nil
	})
}

func autoencoder(d int, params []float64) (*dreem.Autoencoder, error) {
	small := make([]float32, len(params))
	for i, x := range params {
		small[i] = float32(x)
	}
	return dreem.NewAutoencoder(d, small)
}

// A sentence to train on.
type sentence struct {
	vectors [][]float32
	leaves  []float64 // of unit length, one after another
	merges  [][2]int
}

func unitVectors(vectors [][]float32, d int) []float64 {
	out := make([]float64, 0, len(vectors)*d)
	for _, v := range vectors {
		at := len(out)
		for _, x := range v {
			out = append(out, float64(x))
		}
		if n := floats.Norm(out[at:], 2); n > 0 {
			floats.Scale(1/n, out[at:])
		}
	}
	return out
}

// objective is the mean error of sentences along their trees, and λ/2 times the squares of
// the matrices' numbers.
type objective struct {
	ctx       context.Context
	d         int
	sentences []sentence
	workers   int

	last []float64 // where f and grad were taken
	f    float64
	grad []float64
}

func (o *objective) status() (optimize.Status, error) {
	if err := o.ctx.Err(); err != nil {
		return optimize.Failure, err
	}
	return optimize.NotTerminated, nil
}

func (o *objective) value(x []float64) float64 {
	o.evaluate(x)
	return o.f
}

func (o *objective) gradient(grad, x []float64) {
	o.evaluate(x)
	copy(grad, o.grad)
}

// evaluate adds up sentences in parts that do not depend on the number of workers.
func (o *objective) evaluate(x []float64) {
	if o.last != nil && floats.Equal(o.last, x) {
		return
	}
	const nParts = 32
	var fs [nParts]float64
	grads := make([][]float64, nParts)
	n := len(o.sentences)
	// Cancelled, the value does not matter: status ends the search.
	_ = parallel.For(o.ctx, nParts, o.workers, 1, func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			grads[k] = make([]float64, len(x))
			w := newWalker(o.d, x, grads[k])
			for i := k * n / nParts; i < (k+1)*n/nParts; i++ {
				fs[k] += w.sentence(&o.sentences[i])
			}
		}
		return nil
	})
	o.last = append(o.last[:0], x...)
	o.f = 0
	o.grad = make([]float64, len(x))
	for k, g := range grads {
		o.f += fs[k]
		if g != nil {
			floats.Add(o.grad, g)
		}
	}
	o.f /= float64(n)
	floats.Scale(1/float64(n), o.grad)
	d := o.d
	for _, at := range []int{0, 2*d*d + d} {
		for i := at; i < at+2*d*d; i++ {
			o.f += lambda / 2 * x[i] * x[i]
			o.grad[i] += lambda * x[i]
		}
	}
}

// walker goes through trees and adds to a gradient.
type walker struct {
	d                  int
	w1, b1, w2, b2     []float64
	g1, gb1, g2, gb2   []float64
	node, t, dx, delta []float64
	norm, words        []float64
}

func newWalker(d int, x, grad []float64) *walker {
	w := &walker{d: d, dx: make([]float64, 2*d)}
	split := func(x []float64) (a, b, c, e []float64) {
		return x[:2*d*d], x[2*d*d : 2*d*d+d], x[2*d*d+d : 4*d*d+d], x[4*d*d+d:]
	}
	w.w1, w.b1, w.w2, w.b2 = split(x)
	w.g1, w.gb1, w.g2, w.gb2 = split(grad)
	return w
}

// sentence returns the error of a sentence and adds its gradient.
func (w *walker) sentence(s *sentence) float64 {
	d, n := w.d, len(s.leaves)/w.d
	total := n + len(s.merges)
	w.node = append(append(w.node[:0], s.leaves...), make([]float64, len(s.merges)*d)...)
	w.t = append(w.t[:0], make([]float64, total*d)...)         // before scaling
	w.delta = append(w.delta[:0], make([]float64, total*d)...) // by node, from above
	w.norm = append(w.norm[:0], make([]float64, total)...)
	w.words = w.words[:0]
	for range n {
		w.words = append(w.words, 1)
	}
	w.up(s)
	return w.down(s)
}

// up makes the nodes of the merges.
func (w *walker) up(s *sentence) {
	d, n := w.d, len(s.leaves)/w.d
	pair := make([]float64, 2*d)
	for k, m := range s.merges {
		at := n + k
		copy(pair, w.node[m[0]*d:(m[0]+1)*d])
		copy(pair[d:], w.node[m[1]*d:(m[1]+1)*d])
		t := w.t[at*d : (at+1)*d]
		for i := range t {
			t[i] = math.Tanh(floats.Dot(w.w1[i*2*d:(i+1)*2*d], pair) + w.b1[i])
		}
		w.norm[at] = floats.Norm(t, 2)
		if w.norm[at] > 0 {
			floats.ScaleTo(w.node[at*d:(at+1)*d], 1/w.norm[at], t)
		}
		w.words = append(w.words, w.words[m[0]]+w.words[m[1]])
	}
}

// down adds to the gradient, from the last merge to the first, and returns the error.
func (w *walker) down(s *sentence) float64 {
	d, n := w.d, len(s.leaves)/w.d
	loss, pair := 0.0, make([]float64, 2*d)
	dr, gp := make([]float64, 2*d), make([]float64, d)
	for k := len(s.merges) - 1; k >= 0; k-- {
		at, m := n+k, s.merges[k]
		copy(pair, w.node[m[0]*d:(m[0]+1)*d])
		copy(pair[d:], w.node[m[1]*d:(m[1]+1)*d])
		p := w.node[at*d : (at+1)*d]
		copy(gp, w.delta[at*d:(at+1)*d])
		for i := range dr {
			row := w.w2[i*d : (i+1)*d]
			e := floats.Dot(row, p) + w.b2[i] - pair[i]
			share := w.words[m[i/d]] / w.words[at]
			loss += share * e * e
			dr[i] = 2 * share * e
			floats.AddScaled(w.g2[i*d:(i+1)*d], dr[i], p)
			floats.AddScaled(gp, dr[i], row)
		}
		floats.Add(w.gb2, dr)
		floats.ScaleTo(w.dx, -1, dr)
		if norm := w.norm[at]; norm > 0 {
			along := floats.Dot(p, gp)
			for i, t := range w.t[at*d : (at+1)*d] {
				g := (gp[i] - along*p[i]) / norm * (1 - t*t)
				w.gb1[i] += g
				floats.AddScaled(w.g1[i*2*d:(i+1)*2*d], g, pair)
				floats.AddScaled(w.dx, g, w.w1[i*2*d:(i+1)*2*d])
			}
		}
		floats.Add(w.delta[m[0]*d:(m[0]+1)*d], w.dx[:d])
		floats.Add(w.delta[m[1]*d:(m[1]+1)*d], w.dx[d:])
	}
	return loss
}
