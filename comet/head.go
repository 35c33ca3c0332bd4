package comet

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"unicode"

	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/simd"
)

// activations are those of PyTorch without parameters that the program finds: by their
// names in title case, so that torch.nn.ReLU, GELU and SiLU are none of them.
var activations = map[string]func(x float64) float64{
	"Tanh":        math.Tanh,
	"Sigmoid":     func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"Identity":    func(x float64) float64 { return x },
	"Mish":        func(x float64) float64 { return x * math.Tanh(softplus(x)) },
	"Softplus":    softplus,
	"Softsign":    func(x float64) float64 { return x / (1 + math.Abs(x)) },
	"Hardtanh":    func(x float64) float64 { return min(1, max(-1, x)) },
	"Hardsigmoid": hardSigmoid,
	"Hardshrink":  func(x float64) float64 { return pick(math.Abs(x) > .5, x) },
	"Softshrink":  func(x float64) float64 { return x - min(.5, max(-.5, x)) },
	"Hardswish":   func(x float64) float64 { return x * hardSigmoid(x) },
	"Tanhshrink":  func(x float64) float64 { return x - math.Tanh(x) },
}

// pick returns x or 0.
func pick(yes bool, x float64) float64 {
	if yes {
		return x
	}
	return 0
}

func hardSigmoid(x float64) float64 { return min(1, max(0, x/6+.5)) }

func softplus(x float64) float64 {
	if x > 20 { // as PyTorch's default
		return x
	}
	return math.Log1p(math.Exp(x))
}

// activation finds one as the program does.
func activation(name string) (func(float64) float64, error) {
	f, ok := activations[title(name)]
	if !ok {
		return nil, fmt.Errorf("activation %.40q is not there", name)
	}
	return f, nil
}

// title is Python's str.title.
func title(s string) string {
	var b strings.Builder
	within := false
	for _, r := range s {
		if within {
			r = unicode.ToLower(r)
		} else {
			r = unicode.ToUpper(r)
		}
		within = unicode.IsLetter(r)
		b.WriteRune(r)
	}
	return b.String()
}

// head is the feed-forward network that makes a score of features.
type head struct {
	steps      []step
	act, final func(x float64) float64 // final nil: none
	pool       sync.Pool               // *layer
}

// layer is the numbers of some rows before a step and after it.
type layer struct{ in, out []float32 }

type step struct {
	weights *simd.Packed
	bias    []float32
}

// newHead reads the head of a model with so many features.
func newHead(get getter, s *settings, features int) (*head, error) {
	h := new(head)
	h.pool.New = func() any { return new(layer) }
	var err error
	if h.act, err = activation(s.act); err != nil {
		return nil, fmt.Errorf("activations: %w", err)
	}
	if s.final != "" {
		if h.final, err = activation(s.final); err != nil {
			return nil, fmt.Errorf("final_activation: %w", err)
		}
	}
	in := features
	for i, out := range append(s.hidden[:len(s.hidden):len(s.hidden)], 1) {
		// Between two are the activation and dropout, which have numbers too.
		name := fmt.Sprintf("estimator.ff.%d", 3*i)
		weights, err := get(name+".weight", out, in)
		if err != nil {
			return nil, err
		}
		bias, err := get(name+".bias", out)
		if err != nil {
			return nil, err
		}
		h.steps = append(h.steps, step{simd.Pack(weights, in, out), bias})
		in = out
	}
	return h, nil
}

// headRows is how many rows of features go through the head together: some milliseconds'
// work of the largest.
const headRows = 12

// scoring takes rows of features through a head. It is used again, with the function that
// goroutines are given.
type scoring struct {
	h    *head
	fill func(row int, features []float32) // sets those of a row
	out  []float64
	part func(lo, hi int) error // rows
}

func newScoring(h *head, fill func(row int, features []float32)) *scoring {
	r := &scoring{h: h, fill: fill}
	r.part = r.rows
	return r
}

// run returns the scores of n rows, until the next run. A score depends on nothing but its
// row.
func (r *scoring) run(ctx context.Context, n, workers int) ([]float64, error) {
	r.out, _ = extend(r.out[:0], n)
	err := parallel.For(ctx, n, workers, headRows, r.part)
	return r.out, err
}

// rows sets the scores of rows lo to hi.
func (r *scoring) rows(lo, hi int) error {
	h, n := r.h, hi-lo
	l := h.pool.Get().(*layer)
	defer h.pool.Put(l)
	width := h.steps[0].weights.K()
	l.in, _ = extend(l.in[:0], n*width)
	for i := range n {
		r.fill(lo+i, l.in[i*width:(i+1)*width])
	}
	for i, s := range h.steps {
		l.out, _ = extend(l.out[:0], n*len(s.bias))
		simd.Gemm(l.out, l.in, n, s.weights, s.bias)
		if i < len(h.steps)-1 {
			for k, v := range l.out {
				l.out[k] = float32(h.act(float64(v)))
			}
		}
		l.in, l.out = l.out, l.in
	}
	for i, v := range l.in {
		x := float64(v)
		if h.final != nil {
			x = float64(float32(h.final(x)))
		}
		r.out[lo+i] = x
	}
	return nil
}
