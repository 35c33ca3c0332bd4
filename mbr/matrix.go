package mbr

import (
	"context"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/parallel"
)

// texts are different texts, those of the candidates first.
type texts struct {
	of    map[string]int
	texts []string
	at    []int // by candidate, then by reference: its text, −1 for one that is left out
	hyps  []int // the texts of candidates
	refs  []int // those of references, ascending, as sums are made in this order
	first []int // by text: the first reference that has it, −1 if none has
}

// put takes candidates and references in place of those before. A reference whose share is 0
// is left out; nil shares leave out none.
func (t *texts) put(candidates, references []string, shares []float64) {
	if t.of == nil {
		t.of = make(map[string]int)
	}
	clear(t.of)
	t.texts, t.at, t.hyps, t.refs, t.first = t.texts[:0], t.at[:0], t.hyps[:0], t.refs[:0], t.first[:0]
	for _, c := range candidates {
		t.at = append(t.at, t.number(c))
	}
	for i := range t.texts {
		t.hyps = append(t.hyps, i)
	}
	for j, r := range references {
		if shares != nil && shares[j] == 0 {
			t.at = append(t.at, -1)
			continue
		}
		i := t.number(r)
		t.at = append(t.at, i)
		if t.first[i] < 0 {
			t.first[i] = j
			t.refs = append(t.refs, i)
		}
	}
	// They are not where a reference of no weight has the text of a later one.
	slices.Sort(t.refs)
}

func (t *texts) number(text string) int {
	i, ok := t.of[text]
	if !ok {
		i = len(t.texts)
		t.of[text] = i
		t.texts = append(t.texts, text)
		t.first = append(t.first, -1)
	}
	return i
}

// Scores appends to dst the sentence scores of each candidate against each reference, those
// of the first candidate first: candidate i against reference j is at i·len(references)+j.
// Equal texts are scored once, and of a symmetric metric each pair, where the references
// are the candidates. Weights do not change them. It returns dst as it was on error.
func (d *Decoder) Scores(ctx context.Context, dst []float64, seg Segment) ([]float64, error) {
	if err := d.check(&seg); err != nil {
		return dst, err
	}
	refs := seg.references()
	d.set.put(seg.Candidates, refs, nil)
	if err := d.start(ctx, &seg); err != nil {
		return dst, err
	}
	n, m := len(seg.Candidates), len(refs)
	out := slices.Grow(dst, n*m)[:len(dst)+n*m]
	g := &d.grid
	g.out, g.across = out[len(dst):], m
	g.firsts = g.firsts[:0] // of candidates
	for i, t := range d.set.at[:n] {
		if t == len(g.firsts) {
			g.firsts = append(g.firsts, i)
		}
	}
	err := d.each(ctx, &seg, pairing{hyps: d.set.hyps, refs: d.set.refs, half: d.half(&seg), take: d.put})
	to := g.out
	g.out = nil
	if err != nil {
		return dst, err
	}
	// What was scored once is copied to where the same texts stand again.
	for i, h := range d.set.at[:n] {
		for j, r := range d.set.at[n:] {
			to[i*m+j] = to[g.firsts[h]*m+d.set.first[r]]
		}
	}
	return out, nil
}

// putScore puts a pair's score where the texts first stand.
func (d *Decoder) putScore(h, r int, score float64) {
	g := &d.grid
	g.out[g.firsts[h]*g.across+d.set.first[r]] = score
	if g.half {
		g.out[g.firsts[r]*g.across+d.set.first[h]] = score
	}
}

// half says whether each pair of texts need be scored in one direction only: the texts of
// candidates and references are the same, and so are scores both ways.
func (d *Decoder) half(seg *Segment) bool {
	s, ok := d.s.(mteval.SymmetricScorer)
	return ok && s.Symmetric() && len(d.set.refs) == len(d.set.hyps) &&
		(seg.References == nil || slices.Equal(seg.References, seg.Candidates))
}

// A pairing is which texts are to be scored against which.
type pairing struct {
	hyps, refs []int
	half       bool // hyps and refs are 0, 1, 2 and so on; only those of a hyp not below the ref
	take       func(h, r int, score float64)
}

// A grid is a block of a pairing that is being made, and memory for it.
type grid struct {
	pairing
	ctx    context.Context
	block  []int     // references of the block
	scores []float64 // by reference of the block, and hyp

	out    []float64 // of Scores
	across int       // its references
	firsts []int     // by text: the first candidate that has it

	segs   []int // of a call of Append
	of     []int // hyps of the call
	called []string
}

// start does what is to be done with the texts of d.set alone.
func (d *Decoder) start(ctx context.Context, seg *Segment) (err error) {
	if d.pair == nil {
		return nil
	}
	if p, ok := d.pair.(mteval.SourcePairs); ok && seg.Source != nil {
		err = p.SetSource(ctx, *seg.Source, d.set.texts)
	} else {
		err = d.pair.Set(ctx, d.set.texts)
	}
	if err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	return nil
}

// How many numbers there are in a block, if it isn't larger for one reference, and how many
// pairs in a call of Append.
const (
	mostNumbers = 1 << 18
	mostPairs   = 4096
)

// each gives take the score of every pair, those of a hyp in the order of refs.
func (d *Decoder) each(ctx context.Context, seg *Segment, p pairing) error {
	g := &d.grid
	g.pairing, g.ctx = p, ctx
	defer func() { g.pairing, g.ctx = pairing{}, nil }()
	if d.pair == nil {
		return d.plain(ctx, seg)
	}
	n := len(p.hyps)
	step := max(1, d.block/n)
	for refs := p.refs; len(refs) > 0; {
		g.block = refs[:min(len(refs), step)]
		refs = refs[len(g.block):]
		g.scores = resize(g.scores, len(g.block)*n)
		if err := parallel.For(ctx, len(g.block), d.o.Workers, 8, d.part); err != nil {
			return err
		}
		for i, r := range g.block {
			from := 0
			if p.half {
				from = r
			}
			for k := from; k < n; k++ {
				p.take(p.hyps[k], r, g.scores[i*n+k])
			}
		}
	}
	return nil
}

// doPart makes the scores against some references of the block.
func (d *Decoder) doPart(lo, hi int) (err error) {
	g := &d.grid
	rows := d.spare.Get().(*[]float64)
	n := len(g.hyps)
	for i := lo; i < hi; i++ {
		r, from := g.block[i], 0
		if g.half {
			from = r
		}
		if *rows, err = d.pair.Append(g.ctx, (*rows)[:0], r, g.hyps[from:]); err != nil {
			return fmt.Errorf("mbr: %w", err)
		}
		if err := d.checkRows(*rows, n-from); err != nil {
			return err
		}
		for k, to := 0, g.scores[i*n+from:(i+1)*n]; k < len(to); k++ {
			to[k] = d.s.Score((*rows)[k*d.width : (k+1)*d.width])
		}
	}
	d.spare.Put(rows)
	return nil
}

// plain is each by Prepare and Append. A hyp is in as few calls as can be, as a metric may do
// work on it in each.
func (d *Decoder) plain(ctx context.Context, seg *Segment) error {
	g := &d.grid
	lists := make([][]string, len(g.refs))
	for j, r := range g.refs {
		lists[j] = []string{d.set.texts[r]}
	}
	s := d.s
	if ss, ok := s.(mteval.SourceScorer); ok && seg.Source != nil && ss.Inputs().Sources != mteval.Unused {
		s = mteval.WithSources(ss, slices.Repeat([]string{*seg.Source}, len(g.refs)))
	}
	p, err := s.Prepare(ctx, lists)
	if err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	if contract.Nil(p) {
		return fmt.Errorf("mbr: %w", contract.NoPrepared(d.s.Info().Name))
	}
	g.segs, g.of, g.called = g.segs[:0], g.of[:0], g.called[:0]
	for _, h := range g.hyps {
		for j, r := range g.refs {
			if g.half && r > h {
				break
			}
			g.segs, g.of, g.called = append(g.segs, j), append(g.of, h), append(g.called, d.set.texts[h])
			if len(g.segs) == d.call {
				if err := d.flush(ctx, p); err != nil {
					return err
				}
			}
		}
	}
	return d.flush(ctx, p)
}

// flush scores the pairs of a call, and takes them out of it.
func (d *Decoder) flush(ctx context.Context, p mteval.Prepared) (err error) {
	g := &d.grid
	if d.rows, err = p.Append(ctx, d.rows[:0], g.segs, g.called); err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	if err := d.checkRows(d.rows, len(g.of)); err != nil {
		return err
	}
	for i, h := range g.of {
		g.take(h, g.refs[g.segs[i]], d.s.Score(d.rows[i*d.width:(i+1)*d.width]))
	}
	g.segs, g.of, g.called = g.segs[:0], g.of[:0], g.called[:0]
	return nil
}
