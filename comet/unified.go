package comet

import (
	"context"
	"slices"
)

// blockTasks is how many hypotheses are joined with their sources and references at a time.
const blockTasks = 256

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
	for lo := 0; lo < len(c.tasks); lo += blockTasks {
		var err error
		if out, err = p.join(ctx, out, c, c.tasks[lo:min(len(c.tasks), lo+blockTasks)], &hyps); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// join appends the scores of tasks.
func (p *prepared) join(ctx context.Context, out []float64, c *call, tasks []task, hyps *encoded) ([]float64, error) {
	var sequences [][]int32
	var weights []float64
	ends := make([]int, len(tasks))
	for i, t := range tasks {
		long := false
		for _, x := range p.passes(hyps.ids[t.text], &p.segments[t.segment]) {
			if len(x.ids) > p.s.joined {
				x.ids, long = x.ids[:p.s.joined], true
			}
			sequences, weights = append(sequences, x.ids), append(weights, x.weight)
		}
		ends[i] = len(sequences)
		if long {
			at := c.texts.first[t.text]
			at.Segment = t.segment
			if err := p.s.cutText(c.texts.list[t.text], at, p.s.joined); err != nil {
				return nil, err
			}
		}
	}
	vectors, err := p.s.pool(ctx, sequences)
	if err != nil {
		return nil, err
	}
	dim := p.s.info.Dim
	scores, err := p.s.head.scores(ctx, len(sequences), p.s.o.Workers, func(i int, x []float32) { copy(x, vectors[i*dim:]) })
	if err != nil {
		return nil, err
	}
	start := 0
	for _, end := range ends {
		sum := 0.0
		for k := start; k < end; k++ {
			sum += weights[k] * scores[k]
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
