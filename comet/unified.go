package comet

import (
	"context"
	"slices"
)

// blockSequences is about how many joined texts are embedded at a time.
const blockSequences = 512

// pass is one sequence, and what its score weighs in that of the task.
type pass struct {
	ids    []int32
	weight float64
}

// unify returns the scores of a call's tasks: unified models.
func (p *prepared) unify(ctx context.Context, c *call) ([]float64, error) {
	var hyps encoded
	for lo := 0; lo < len(c.texts.list); lo += blockTexts {
		if err := p.s.encode(ctx, &hyps, &c.texts, lo, min(len(c.texts.list), lo+blockTexts)); err != nil {
			return nil, err
		}
	}
	out := make([]float64, 0, len(c.tasks))
	for len(out) < len(c.tasks) {
		j, err := p.join(c, len(out), &hyps)
		if err != nil {
			return nil, err
		}
		if out, err = p.s.judge(ctx, out, j); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// joined are the sequences of some tasks.
type joined struct {
	sequences [][]int32
	weights   []float64
	ends      []int // where those of each task end
}

// join returns the sequences of a block of tasks from lo on.
func (p *prepared) join(c *call, lo int, hyps *encoded) (*joined, error) {
	j := new(joined)
	for i := lo; i < len(c.tasks) && len(j.sequences) < blockSequences; i++ {
		t := c.tasks[i]
		long := false
		for _, x := range p.passes(hyps.ids[t.text], &p.segments[t.segment]) {
			if len(x.ids) > p.s.joined {
				x.ids, long = x.ids[:p.s.joined], true
			}
			j.sequences, j.weights = append(j.sequences, x.ids), append(j.weights, x.weight)
		}
		j.ends = append(j.ends, len(j.sequences))
		if long {
			if err := p.s.cutText(c.texts.list[t.text], c.at(i), p.s.joined); err != nil {
				return nil, err
			}
		}
	}
	return j, nil
}

// judge appends the scores of the tasks of joined texts.
func (s *Scorer) judge(ctx context.Context, out []float64, j *joined) ([]float64, error) {
	vectors, err := s.pool(ctx, j.sequences)
	if err != nil {
		return nil, err
	}
	dim := s.info.Dim
	scores, err := s.head.scores(ctx, len(j.sequences), s.o.Workers, func(i int, x []float32) { copy(x, vectors[i*dim:]) })
	if err != nil {
		return nil, err
	}
	start := 0
	for _, end := range j.ends {
		sum := 0.0
		for k := start; k < end; k++ {
			sum += float64(j.weights[k] * scores[k])
		}
		out = append(out, sum)
		start = end
	}
	return out, nil
}

// passes returns the sequences of a hypothesis: with the source, with each reference, and
// with both, as far as there are these.
func (p *prepared) passes(hyp []int32, g *segment) []pass {
	ids := func(text int) []int32 { return p.encoded.ids[text] }
	n := float64(len(g.refs))
	if g.source < 0 {
		var out []pass
		for _, r := range g.refs {
			out = append(out, pass{p.s.joinTexts(hyp, ids(r)), 1 / n})
		}
		return out
	}
	source := ids(g.source)
	if len(g.refs) == 0 {
		return []pass{{p.s.joinTexts(hyp, source), 1}}
	}
	out := []pass{{p.s.joinTexts(hyp, source), 1. / 3}}
	for _, r := range g.refs {
		out = append(out, pass{p.s.joinTexts(hyp, ids(r)), 1 / (3 * n)}, pass{p.s.joinTexts(hyp, source, ids(r)), 1 / (3 * n)})
	}
	return out
}

// joinTexts joins texts in tokens, <s> and </s> around each, to one: as XLM-RoBERTa does,
// <s> a </s></s> b </s>. Padding, which a text may spell, is left out.
func (s *Scorer) joinTexts(texts ...[]int32) []int32 {
	out := []int32{s.bos}
	for i, t := range texts {
		if i > 0 {
			out = append(out, s.eos)
		}
		out = append(append(out, t[1:len(t)-1]...), s.eos)
	}
	return slices.DeleteFunc(out, func(id int32) bool { return id == s.info.Pad })
}
