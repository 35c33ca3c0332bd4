package comet

import (
	"context"
	"slices"
)

// blockSequences is about how many joined texts are embedded at a time.
const blockSequences = 512

// unify sets the scores of a call's tasks: unified models.
func (c *call) unify(ctx context.Context) error {
	if err := c.s.encode(ctx, &c.hyps, &c.texts, 0, len(c.texts.list)); err != nil {
		return err
	}
	c.scores = c.scores[:0]
	for len(c.scores) < len(c.tasks) {
		if err := c.join(len(c.scores)); err != nil {
			return err
		}
		if err := c.judge(ctx); err != nil {
			return err
		}
	}
	return nil
}

// joined are the sequences of some tasks.
type joined struct {
	ids       []int32 // of all
	ends      []int   // where each ends in ids
	sequences [][]int32
	weights   []float64 // what the score of each weighs in that of its task
	tasks     []int     // where the sequences of each task end
	vectors   []float32
}

// join sets c.joined to the sequences of a block of tasks from lo on.
func (c *call) join(lo int) error {
	j, s := &c.joined, c.s
	j.ids, j.ends, j.weights, j.tasks = j.ids[:0], j.ends[:0], j.weights[:0], j.tasks[:0]
	for i := lo; i < len(c.tasks) && len(j.ends) < blockSequences; i++ {
		t := c.tasks[i]
		long := c.p.passes(j, c.hyps.ids[t.text], &c.p.segments[t.segment])
		j.tasks = append(j.tasks, len(j.ends))
		if long {
			at := c.at(i)
			if err := s.cutText(c.texts.list[t.text], &at, s.joined); err != nil {
				return err
			}
		}
	}
	j.sequences = j.sequences[:0]
	start := 0
	for _, end := range j.ends {
		j.sequences = append(j.sequences, j.ids[start:end])
		start = end
	}
	return nil
}

// judge appends the scores of the tasks of joined texts.
func (c *call) judge(ctx context.Context) error {
	j, s := &c.joined, c.s
	j.vectors, _ = extend(j.vectors[:0], len(j.sequences)*s.info.Dim)
	if err := s.encoder.Pool(ctx, j.vectors, j.sequences, s.mix); err != nil {
		return err
	}
	scores, err := c.head.run(ctx, len(j.sequences), s.o.Workers)
	if err != nil {
		return err
	}
	start := 0
	for _, end := range j.tasks {
		sum := 0.0
		for k := start; k < end; k++ {
			sum += float64(j.weights[k] * scores[k])
		}
		c.scores = append(c.scores, sum)
		start = end
	}
	return nil
}

// passes adds the sequences of a hypothesis: with the source, with each reference, and with
// both, as far as there are these. It says whether one was too long.
func (p *prepared) passes(j *joined, hyp []int32, g *segment) (long bool) {
	add := func(weight float64, texts ...[]int32) {
		start := len(j.ids)
		j.ids = p.s.joinTexts(j.ids, texts...)
		if most := start + p.s.joined; len(j.ids) > most {
			j.ids, long = j.ids[:most], true
		}
		j.ends, j.weights = append(j.ends, len(j.ids)), append(j.weights, weight)
	}
	ids := func(text int) []int32 { return p.encoded.ids[text] }
	n := float64(len(g.refs))
	if g.source < 0 {
		for _, r := range g.refs {
			add(1/n, hyp, ids(r))
		}
		return long
	}
	source := ids(g.source)
	if len(g.refs) == 0 {
		add(1, hyp, source)
		return long
	}
	add(1./3, hyp, source)
	for _, r := range g.refs {
		add(1/(3*n), hyp, ids(r))
		add(1/(3*n), hyp, source, ids(r))
	}
	return long
}

// joinTexts appends texts in tokens, <s> and </s> around each, as one: as XLM-RoBERTa does,
// <s> a </s></s> b </s>. Padding, which a text may spell, is left out.
func (s *Scorer) joinTexts(dst []int32, texts ...[]int32) []int32 {
	start := len(dst)
	dst = append(dst, s.bos)
	for i, t := range texts {
		if i > 0 {
			dst = append(dst, s.eos)
		}
		dst = append(append(dst, t[1:len(t)-1]...), s.eos)
	}
	kept := slices.DeleteFunc(dst[start:], func(id int32) bool { return id == s.info.Pad })
	return dst[:start+len(kept)]
}
