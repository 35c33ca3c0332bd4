package comet

import (
	"context"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/rows"
)

// keptTasks is of how many hypotheses, and of how many rows for the head, the memory is kept for
// other calls.
const keptTasks = 1 << 13

// call is what a call of Append works with: the different texts among the hypotheses, and what
// is to be scored. It is used again, for all that a Scorer prepared: a pool is known to the
// runtime, and one in a prepared would keep its vectors until the garbage was collected twice.
type call struct {
	s      *Scorer
	p      *prepared // nil between uses
	texts  texts
	tasks  []task
	first  []int // the hypothesis that each task was first of
	places []int // by hypothesis, its task
	index  map[task]int
	hyps   encoded
	scores []float64 // by task
	head   *scoring
	// Of regression models.
	order []int // tasks by text
	block block
	rows  []row
	// Of unified ones.
	joined joined
}

// task is a hypothesis of a segment, its text by place.
type task struct{ text, segment int }

func newCall(s *Scorer) *call {
	c := &call{s: s, index: make(map[task]int)}
	c.head = newScoring(s.head, c.fill)
	return c
}

// plan finds out what there is to do.
func (c *call) plan(segs []int, hyps []string) {
	for k, h := range hyps {
		seg := rows.Segment(segs, k)
		t := task{c.texts.add(h, mteval.SegmentError{Segment: seg, Side: mteval.HypothesisSide, Index: k}), seg}
		at, ok := c.index[t]
		if !ok {
			at = len(c.tasks)
			c.index[t] = at
			c.tasks, c.first = append(c.tasks, t), append(c.first, k)
		}
		c.places = append(c.places, at)
	}
}

// at is where task i came first.
func (c *call) at(i int) mteval.SegmentError {
	return mteval.SegmentError{Segment: c.tasks[i].segment, Side: mteval.HypothesisSide, Index: c.first[i]}
}

// score sets the scores of the tasks.
func (c *call) score(ctx context.Context) error {
	if c.s.set.class == unified {
		return c.unify(ctx)
	}
	return c.regress(ctx)
}

// fill sets the features of a row.
func (c *call) fill(row int, features []float32) {
	if c.s.set.class == unified {
		copy(features, c.joined.vectors[row*len(features):])
		return
	}
	c.rows[row].features(features)
}

// release forgets the call's texts and vectors, and gives the call back if its memory is worth
// keeping.
func (c *call) release() {
	if cap(c.places) > keptTasks || cap(c.rows) > keptTasks {
		return
	}
	c.p = nil
	c.texts.reset()
	clear(c.index)
	c.tasks, c.first, c.places = c.tasks[:0], c.first[:0], c.places[:0]
	c.hyps.reset()
	c.block.reset()
	clear(c.rows)
	c.rows = c.rows[:0]
	c.s.calls.Put(c)
}
