package dreem

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/fold"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/mean"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/tokenize"
)

// A representation of a text. A part without a vector is empty.
type representation struct {
	words  []token // different ones in order
	norm   float64 // Σ count²
	length int
	parts  [parts - 1][]float32 // words, greedy, tree
	norms  [parts - 1]float64   // Σ x²
}

type token struct {
	count int
	text  []byte
}

// scratch is what one goroutine needs.
type scratch struct {
	lower    fold.Line
	text     []byte
	word     []byte // of a tree
	used     []bool // its nodes
	all      []token
	r        representation
	sum      []float64
	c        combiner
	has      []bool
	composed []float32
	piece    []byte
	row      []float64
	stats    [nStatistics]float64
}

type prepared struct {
	s          *Scorer
	refs       [][]representation
	statistics bool
}

// scratches are for all prepared references: a pool is known to the runtime, and one in them
// would keep them until the garbage was collected twice.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// scratch returns one for work under ctx.
func (p *prepared) scratch(ctx context.Context) *scratch {
	sc := scratches.Get().(*scratch)
	sc.c.pace = pace.Of(ctx)
	return sc
}

// put gives a scratch back, unless a long text left it with more memory than is worth
// keeping.
func (p *prepared) put(sc *scratch) {
	if cap(sc.c.x) < 1<<22 && cap(sc.text) < 1<<20 && sc.lower.Cap() < 1<<20 {
		sc.c.pace = pace.Pace{}
		scratches.Put(sc)
	}
}

func (s *Scorer) prepare(ctx context.Context, refs [][]string, statistics bool) (mteval.Prepared, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	p := &prepared{s: s, refs: make([][]representation, len(refs)), statistics: statistics}
	err := parallel.For(ctx, len(refs), s.o.Workers, 16, func(lo, hi int) error {
		sc := p.scratch(ctx)
		defer p.put(sc)
		for i := lo; i < hi; i++ {
			p.refs[i] = make([]representation, len(refs[i]))
			for k, text := range refs[i] {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := s.tokens(sc, text); err != nil {
					return limit.OfReference(i, k, err)
				}
				trees, err := s.trees(ctx, sc, text)
				if err != nil {
					return &mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: k, Err: err}
				}
				if err := s.represent(sc, trees); err != nil {
					return err
				}
				p.refs[i][k] = sc.r.clone()
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// trees are those of a text, none without a source.
func (s *Scorer) trees(ctx context.Context, sc *scratch, text string) ([]Tree, error) {
	if s.o.Trees == nil {
		return nil, nil
	}
	trees, err := s.o.Trees.Trees(ctx, text)
	if err != nil {
		return nil, err
	}
	for i := range trees {
		if sc.used, err = trees[i].check(sc.used); err != nil {
			return nil, fmt.Errorf("dreem: tree %d of the text %q: %w", i+1, text, err)
		}
	}
	return trees, nil
}

// clone is a copy that shares nothing with the scratch.
func (r *representation) clone() representation {
	out := *r
	n := 0
	for _, w := range r.words {
		n += len(w.text)
	}
	text := make([]byte, 0, n)
	out.words = slices.Clone(r.words)
	for i := range out.words {
		at := len(text)
		text = append(text, out.words[i].text...)
		out.words[i].text = text[at:len(text):len(text)]
	}
	for i, x := range r.parts {
		out.parts[i] = slices.Clone(x)
	}
	return out
}

// lookup returns the vector of a word, nil if it is to be left out.
func (s *Scorer) lookup(sc *scratch, word []byte) []float32 {
	v := s.o.Vectors
	if x := v.Lookup(word); x != nil {
		return x
	}
	sc.composed = grown(sc.composed, v.dim)
	var ok bool
	if sc.piece, ok = v.compose(sc.piece, sc.composed, word); ok {
		return sc.composed
	}
	return s.unknown
}

// lookupSteps is about what a word takes at most, with its pieces if it is unknown.
func (s *Scorer) lookupSteps(word []byte) int {
	steps := 100 + 4*s.o.Vectors.dim
	if s.o.Vectors.pieces != nil {
		steps += 400 * min(len(word), 100)
	}
	return steps
}

// tokens sets sc.all to the tokens of a text. It fails for one that is too long before it makes
// a list of them.
func (s *Scorer) tokens(sc *scratch, line string) (err error) {
	line = s.o.lower(&sc.lower, line)
	sc.all = sc.all[:0]
	if sc.text, err = limit.Tokens(&sc.c.pace, s.o.MaxTokens, sc.text, s.o.Tokenizer, line); err != nil {
		return err
	}
	for at := 0; ; {
		start, end, ok := tokenize.Next(sc.text, at)
		if !ok {
			return nil
		}
		sc.all = append(sc.all, token{text: sc.text[start:end], count: 1})
		at = end
	}
}

// represent sets sc.r to the representations of the text whose tokens are in sc.all.
func (s *Scorer) represent(sc *scratch, trees []Tree) error {
	r := &sc.r
	r.length = len(sc.all)
	for i := range r.parts {
		r.parts[i] = r.parts[i][:0]
	}
	if err := s.vectors(sc); err != nil {
		return err
	}
	if err := s.tree(sc, trees); err != nil {
		return err
	}
	for i, x := range r.parts {
		r.norms[i] = dot(x, x)
	}
	return sc.count() // which changes the order of the text
}

// vectors sets the parts of words and of adjacent pairs.
func (s *Scorer) vectors(sc *scratch) error {
	r, d := &sc.r, s.o.Vectors.dim
	sc.sum = grown(sc.sum, d)
	clear(sc.sum)
	sc.c.x = sc.c.x[:0]
	n := 0
	for _, w := range sc.all {
		if err := sc.c.pace.Done(s.lookupSteps(w.text)); err != nil { // of one without a vector too
			return err
		}
		x := s.lookup(sc, w.text)
		if x == nil {
			continue
		}
		for i, v := range x {
			sc.sum[i] += float64(v)
		}
		sc.c.x = append(sc.c.x, x...)
		unit(sc.c.x[n*d:])
		n++
	}
	if n == 0 {
		return nil
	}
	for _, v := range sc.sum {
		r.parts[0] = append(r.parts[0], float32(v/float64(n)))
	}
	if a := s.o.Autoencoder; a != nil {
		if err := a.greedy(&sc.c, n, false); err != nil {
			return err
		}
		r.parts[1] = append(r.parts[1], sc.c.x[:d]...)
	}
	return nil
}

// count sets the one-hot part: the different tokens in order, with how often each occurs.
func (sc *scratch) count() error {
	r := &sc.r
	var err error
	slices.SortFunc(sc.all, func(a, b token) int {
		if err != nil {
			return 0 // so that it ends
		}
		err = sc.c.pace.Done(20)
		return bytes.Compare(a.text, b.text)
	})
	if err != nil {
		return err
	}
	r.words, r.norm = r.words[:0], 0
	for _, w := range sc.all {
		if k := len(r.words) - 1; k >= 0 && bytes.Equal(r.words[k].text, w.text) {
			r.words[k].count++
		} else {
			r.words = append(r.words, w)
		}
	}
	for _, w := range r.words {
		r.norm += float64(w.count) * float64(w.count)
	}
	return nil
}

// tree sets the tree part: each tree's vector, combined from left to right.
func (s *Scorer) tree(sc *scratch, trees []Tree) error {
	a, d, r := s.o.Autoencoder, s.o.Vectors.dim, &sc.r
	for t := range trees {
		sc.c.x, sc.has = sc.c.x[:0], sc.has[:0]
		for _, w := range trees[t].Words {
			sc.word = append(sc.word[:0], s.o.fold(&sc.lower, w)...)
			x := s.lookup(sc, sc.word)
			sc.has = append(sc.has, x != nil)
			at := len(sc.c.x)
			if x == nil {
				x = s.o.Vectors.unknown // room that is not read
			}
			sc.c.x = append(sc.c.x, x...)
			unit(sc.c.x[at:])
			if err := sc.c.pace.Done(s.lookupSteps(sc.word)); err != nil {
				return err
			}
		}
		var err error
		if sc.has, err = a.tree(&sc.c, trees[t].Merges, sc.has); err != nil {
			return err
		}
		if !sc.has[len(sc.has)-1] {
			continue
		}
		root := sc.c.x[len(sc.c.x)-d:]
		if len(r.parts[2]) == 0 {
			r.parts[2] = append(r.parts[2], root...)
			continue
		}
		sc.c.p = append(append(sc.c.p[:0], r.parts[2]...), root...)
		a.encode(r.parts[2], sc.c.p)
	}
	return nil
}

// dot is a product in double precision, added up in order, so that it is the same on
// every machine.
func dot(x, y []float32) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64(float64(v) * float64(y[i]))
	}
	return sum
}

// compare sets sc.stats to the statistics of sc.r against a reference.
func (s *Scorer) compare(sc *scratch, ref *representation) {
	h := &sc.r
	st := &sc.stats
	*st = [nStatistics]float64{absent, absent, absent, absent, float64(h.length), float64(ref.length)}
	if h.length == 0 || ref.length == 0 {
		return
	}
	common := 0.0
	for i, k := 0, 0; i < len(h.words) && k < len(ref.words); {
		switch bytes.Compare(h.words[i].text, ref.words[k].text) {
		case -1:
			i++
		case 1:
			k++
		default:
			common += float64(h.words[i].count) * float64(ref.words[k].count)
			i, k = i+1, k+1
		}
	}
	st[0] = common / math.Sqrt(h.norm*ref.norm)
	for i := range h.parts {
		if h.norms[i] > 0 && ref.norms[i] > 0 {
			// The root of each, as a product of squares could overflow.
			c := dot(h.parts[i], ref.parts[i]) / (math.Sqrt(h.norms[i]) * math.Sqrt(ref.norms[i]))
			if h.norms[i] == ref.norms[i] {
				c = dot(h.parts[i], ref.parts[i]) / h.norms[i] // exactly 1 for the same
			}
			st[i+1] = min(1, max(-1, c))
		}
	}
}

func (p *prepared) Len() int { return len(p.refs) }

func (p *prepared) width() int {
	if p.statistics {
		return nStatistics
	}
	return mean.Width
}

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.refs), p.width(), p.s.o.Workers, 8, dst, segs, hyps)
}

// Fill fills in rows.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	sc := p.scratch(ctx)
	defer p.put(sc)
	width := p.width()
	for k := lo; k < hi; k++ {
		if err := p.s.tokens(sc, hyps[k]); err != nil {
			return rows.HypothesisError(segs, k, err)
		}
		t, err := p.s.trees(ctx, sc, hyps[k])
		if err != nil {
			return rows.HypothesisError(segs, k, err)
		}
		if err := p.s.represent(sc, t); err != nil {
			return err
		}
		row, best := out[(k-lo)*width:(k-lo+1)*width], -1.0
		for i := range p.refs[rows.Segment(segs, k)] {
			p.s.compare(sc, &p.refs[rows.Segment(segs, k)][i])
			if p.statistics {
				copy(row, sc.stats[:])
				break
			}
			sc.row = (*statistics)(p.s).AppendRow(sc.row[:0], sc.stats[:])
			if score := p.s.Score(sc.row); score > best {
				best = score
				copy(row, sc.row)
			}
		}
	}
	return nil
}
