package mbr

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Pruning gives up candidates that are most likely not the best (Cheng and Vlachos, EMNLP 2023,
// https://aclanthology.org/2023.emnlp-main.767, algorithm 1). Candidates are scored against few
// references, then, those that are left, against more, and between them are given up that are
// seldom as good as the best so far when references are drawn with replacement from those that
// there were (the bootstrap). It is for many candidates, and metrics that take long for a pair:
// of 100 about a fifth of the pairs are scored, of 20 four fifths.
//
// References come in an order drawn by Seed, as an n-best list has the likely ones first. The
// candidates that are kept have the utilities that they have without Pruning, unless Samples
// end before the references do. The zero value is what the package mbrs 0.1.8 does, which
// takes references as they come, and 256 at most.
type Pruning struct {
	// Alpha is the confidence, above 0 and up to 1; 0 is 0.99. A candidate is kept if it is as
	// good as the best in more than a share 1−Alpha of the draws; 1 gives up none.
	Alpha float64
	// Samples are the numbers of references after which candidates are given up, ascending.
	// The last one is how many are used at most. Nil is 8, 16, 32 and so on, up to all.
	Samples []int
	// Draws is how often references are drawn with replacement; 0 is 500, and 1,000,000 the
	// most.
	Draws int
	// Seed of what is random; 0 is a seed as any other. It begins anew with each segment, so
	// that results don't depend on the segments before.
	Seed uint64
}

const maxDraws = 1_000_000

// filled is p with what stands for 0, or an error that says what is wrong.
func (p Pruning) filled() (Pruning, error) {
	switch {
	case p.Alpha == 0:
		p.Alpha = 0.99
	case !(p.Alpha > 0 && p.Alpha <= 1):
		return p, fmt.Errorf("mbr: Alpha %v is not above 0 and up to 1", p.Alpha)
	}
	switch {
	case p.Draws == 0:
		p.Draws = 500
	case p.Draws < 0 || p.Draws > maxDraws:
		return p, fmt.Errorf("mbr: Draws %d is not in 1 to %d", p.Draws, maxDraws)
	}
	if p.Samples != nil && len(p.Samples) == 0 {
		return p, fmt.Errorf("mbr: no Samples: leave them nil for 8, 16, 32 and so on")
	}
	before := 0
	for _, n := range p.Samples {
		if n <= before {
			return p, fmt.Errorf("mbr: Samples %v: want numbers above 0, each above the one before", p.Samples)
		}
		before = n
	}
	p.Samples = slices.Clone(p.Samples)
	return p, nil
}

// after is how many of n references are used in a step, from 0, and whether it is the last.
func (p *Pruning) after(step, n int) (int, bool) {
	if p.Samples != nil {
		used := min(p.Samples[step], n)
		return used, used == n || step == len(p.Samples)-1
	}
	used := n
	if step < 32 {
		used = min(n, 8<<step)
	}
	return used, used == n
}

// wins is how many draws are enough to be kept.
func (p *Pruning) wins() int {
	if p.Alpha == 1 {
		return 0
	}
	// Of 0.9 and 500, 1−Alpha is a little below a tenth.
	return int(math.Floor((1-p.Alpha)*float64(p.Draws)+1e-9)) + 1
}

// A pruner is Pruning with what is known of a segment.
type pruner struct {
	Pruning
	pcg    *rand.PCG
	random *rand.Rand

	order  []int       // references, as they are taken
	rank   []int       // by reference: its place in order
	place  []int       // by text: its first place in order
	scores [][]float64 // by text, against the references in order so far
	alive  []int       // texts of candidates that were not given up
	fresh  []int       // texts of references that are new in this step
	drawn  []float64   // by place: what a draw weighs
	open   []contender
}

// A contender is a text of which it is not known yet whether it is kept.
type contender struct{ text, wins int }

// prune is expect for as long as candidates are not given up.
func (d *Decoder) prune(ctx context.Context, r *Result, seg *Segment) error {
	d.set.put(seg.Candidates, seg.references(), d.shares)
	if err := d.start(ctx, seg); err != nil {
		return err
	}
	p := &d.pruner
	p.begin(&d.set, len(seg.Candidates))
	d.sums = resize(d.sums, len(d.set.texts))
	for step, used := 0, 0; ; step++ {
		next, last := p.after(step, len(p.order))
		if err := d.sample(ctx, seg, used, next); err != nil {
			return err
		}
		used = next
		of := d.weigh(seg, p.rank, used)
		for _, h := range p.alive {
			d.sums[h] = d.estimate(h) / of
		}
		if last {
			break
		}
		if err := d.giveUp(ctx, seg, used); err != nil {
			return err
		}
	}
	r.Kept = 0
	r.Samples = resize(r.Samples, len(r.Order))
	for i := range r.Utilities {
		h := d.set.at[i]
		r.Utilities[i], r.Samples[i] = d.sums[h], len(p.scores[h])
		if _, kept := slices.BinarySearch(p.alive, h); kept {
			r.Kept++
		}
	}
	return nil
}

// begin draws an order of the references that weigh something.
func (p *pruner) begin(t *texts, candidates int) {
	p.pcg.Seed(p.Seed, 0)
	at := t.at[candidates:]
	p.order = p.order[:0]
	for j, text := range at {
		if text >= 0 {
			p.order = append(p.order, j)
		}
	}
	p.random.Shuffle(len(p.order), func(i, j int) { p.order[i], p.order[j] = p.order[j], p.order[i] })
	p.rank = resize(p.rank, len(at))
	p.place = resize(p.place, len(t.texts))
	for k, j := range slices.Backward(p.order) {
		p.rank[j], p.place[at[j]] = k, k
	}
	p.alive = append(p.alive[:0], t.hyps...)
	for len(p.scores) < len(t.hyps) {
		p.scores = append(p.scores, nil)
	}
	for _, h := range t.hyps {
		p.scores[h] = p.scores[h][:0]
	}
}

// sample scores the candidates that are left against the references from lo to hi in order.
func (d *Decoder) sample(ctx context.Context, seg *Segment, lo, hi int) error {
	p, at := &d.pruner, d.set.at[len(seg.Candidates):]
	p.fresh = p.fresh[:0]
	for k, j := range p.order[lo:hi] {
		if r := at[j]; p.place[r] == lo+k {
			p.fresh = append(p.fresh, r)
		}
	}
	for _, h := range p.alive {
		p.scores[h] = slices.Grow(p.scores[h], hi-lo)[:hi]
	}
	if err := d.each(ctx, seg, pairing{hyps: p.alive, refs: p.fresh, take: d.remember}); err != nil {
		return err
	}
	for _, h := range p.alive {
		scores := p.scores[h]
		for k, j := range p.order[lo:hi] {
			scores[lo+k] = scores[p.place[at[j]]]
		}
	}
	return nil
}

func (d *Decoder) rememberScore(h, r int, score float64) {
	d.pruner.scores[h][d.pruner.place[r]] = score
}

// estimate is the sum of the scores of a text, as addScore makes it.
func (d *Decoder) estimate(h int) float64 {
	p, sum := &d.pruner, 0.0
	for _, r := range d.set.refs {
		if c := d.counts[r]; c != 0 {
			sum += float64(p.scores[h][p.place[r]] * c)
		}
	}
	return sum
}

// giveUp takes out of alive the candidates that win too seldom.
func (d *Decoder) giveUp(ctx context.Context, seg *Segment, used int) error {
	p, enough := &d.pruner, d.pruner.wins()
	sign := 1.0
	if d.s.Info().LowerIsBetter {
		sign = -1
	}
	best := p.alive[0]
	for _, h := range p.alive {
		if sign*d.sums[h] > sign*d.sums[best] {
			best = h
		}
	}
	p.open = p.open[:0]
	for _, h := range p.alive {
		if h != best && enough > 0 {
			p.open = append(p.open, contender{text: h})
		}
	}
	for i := 0; i < p.Draws && len(p.open) > 0; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.draw(seg, d.shares, used)
		toBeat := sign * weighted(p.scores[best], p.drawn)
		still := p.open[:0]
		for _, c := range p.open {
			if sign*weighted(p.scores[c.text], p.drawn) >= toBeat {
				c.wins++
			}
			if c.wins < enough {
				still = append(still, c)
			}
		}
		p.open = still
	}
	left := p.alive[:0]
	open := p.open
	for _, h := range p.alive {
		if len(open) > 0 && open[0].text == h {
			open = open[1:]
			continue
		}
		left = append(left, h)
	}
	p.alive = left
	return nil
}

// draw draws as many references with replacement as are used.
func (p *pruner) draw(seg *Segment, shares []float64, used int) {
	p.drawn = resize(p.drawn, used)
	clear(p.drawn)
	for range used {
		k := p.random.IntN(used)
		if seg.Weights == nil {
			p.drawn[k]++
		} else {
			p.drawn[k] += shares[p.order[k]]
		}
	}
}

// weighted is the sum of scores times weights, of which there are as many.
func weighted(scores, weights []float64) float64 {
	sum := 0.0
	for i, w := range weights {
		sum += float64(scores[i] * w) // rounded alike on every processor
	}
	return sum
}
