package tasks

import (
	"context"
	"sync/atomic"

	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/internal/parallel"
)

// When a test stops, as in WMT's tasks: it looks after so many permutations.
const (
	block    = 100
	earlyMin = .02
	earlyMax = .5
)

// A permuter tests pairs of metrics of a task, one after the other.
type permuter struct {
	arena        arena
	permutations int
	// inside says that mt-metrics-eval looks whether to stop only after a permutation that
	// counts: a slip of its test of verdicts, kept for the same p-values.
	inside  bool
	toss    func(dst []uint64) // the coins of a permutation
	words   int
	workers int
	done    *atomic.Int64 // permutations, those that are left out by stopping too

	batch   [][]uint64
	values  [][2]float64
	scratch []scratch
}

// maxBatch is how many words of coins there are at once.
const maxBatch = 1 << 21

func newPermuter(a arena, t Task, o *Options, coins *numpyrand.Coins) *permuter {
	p := &permuter{arena: a, permutations: o.permutations(), inside: t.Measure == AccEq, workers: o.Workers, done: new(atomic.Int64)}
	rows := a.rows()
	for _, n := range rows {
		p.words += (n + 63) / 64
	}
	p.toss = func(dst []uint64) {
		for _, n := range rows {
			coins.Toss(dst, n)
			dst = dst[(n+63)/64:]
		}
	}
	size := max(1, min(block, p.permutations, maxBatch/max(1, p.words)))
	all := make([]uint64, size*p.words)
	for i := range size {
		p.batch = append(p.batch, all[i*p.words:(i+1)*p.words])
	}
	p.values, p.scratch = make([][2]float64, block), make([]scratch, size)
	return p
}

// A tested is what the test of two metrics, a and b, gave.
type tested struct {
	p    float64
	used int // permutations
	// draws are the measures of a and b, swapped.
	draws [][2]float64
}

// test tests whether metric b is better than a.
func (p *permuter) test(ctx context.Context, a, b int) (tested, error) {
	c := p.arena.contest(a, b)
	x, y := p.asIs(c)
	delta := y - x
	var out tested
	hits := 0
	for out.used < p.permutations {
		n := min(block, p.permutations-out.used)
		if err := p.draw(ctx, c, n); err != nil {
			return out, err
		}
		stop := false
		for _, v := range p.values[:n] {
			out.draws = append(out.draws, v)
			out.used++
			hit := v[1]-v[0] >= delta
			if hit {
				hits++
			}
			out.p = float64(hits) / float64(out.used)
			looks := out.used%block == 0 && (hit || !p.inside)
			stop = looks && (out.p < earlyMin || out.p > earlyMax)
		}
		p.done.Add(int64(n))
		if stop {
			p.done.Add(int64(p.permutations - out.used))
			break
		}
	}
	return out, nil
}

// asIs returns the measures without swapping, from the same sums as those of permutations.
func (p *permuter) asIs(c contest) (a, b float64) {
	own := p.batch[0]
	at := 0
	for _, n := range p.arena.rows() {
		for ; n > 0; n -= 64 {
			own[at] = ^uint64(0) >> (64 - min(64, n))
			at++
		}
	}
	return c.of(own, &p.scratch[0])
}

// draw fills the first n values.
func (p *permuter) draw(ctx context.Context, c contest, n int) error {
	for lo := 0; lo < n; lo += len(p.batch) {
		hi := min(n, lo+len(p.batch))
		for i := range hi - lo {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.toss(p.batch[i])
		}
		grain := min(len(p.batch), 1+256/max(1, p.words)) // what is worth a goroutine
		err := parallel.For(ctx, hi-lo, p.workers, grain, func(from, to int) error {
			for i := from; i < to; i++ {
				a, b := c.of(p.batch[i], &p.scratch[from])
				p.values[lo+i] = [2]float64{a, b}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
