package comet

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/rows"
)

// blockTexts is how many texts are embedded at a time: enough for full batches, few enough to
// bound what is in memory.
const blockTexts = 512

// texts are different texts, each with where it came first.
type texts struct {
	index map[string]int
	list  []string
	first []mteval.SegmentError
}

// add returns the place of a text.
func (t *texts) add(text string, at mteval.SegmentError) int {
	i, ok := t.index[text]
	if !ok {
		if t.index == nil {
			t.index = make(map[string]int)
		}
		i = len(t.list)
		t.index[text] = i
		t.list = append(t.list, text)
		t.first = append(t.first, at)
	}
	return i
}

// encoded are texts as the encoder makes them: their vectors, or, for unified models, in
// which texts are joined before they are embedded, their tokens.
type encoded struct {
	dim     int
	vectors []float32 // [texts][dim]
	ids     [][]int32
	cut     []bool
}

func (e *encoded) vector(i int) []float32 { return e.vectors[i*e.dim : (i+1)*e.dim] }

// encode appends texts lo to hi.
func (s *Scorer) encode(ctx context.Context, e *encoded, t *texts, lo, hi int) error {
	e.dim = s.info.Dim
	sequences, err := s.encoder.Tokenize(ctx, t.list[lo:hi], s.longest)
	if err != nil {
		return err
	}
	ids := make([][]int32, len(sequences))
	for i, q := range sequences {
		ids[i] = q.IDs
		e.cut = append(e.cut, q.Cut)
		if q.Cut {
			if err := s.cutText(t.list[lo+i], t.first[lo+i], s.longest); err != nil {
				return err
			}
		}
	}
	if s.set.class == unified {
		e.ids = append(e.ids, ids...)
		return nil
	}
	vectors, err := s.pool(ctx, ids)
	e.vectors = append(e.vectors, vectors...)
	return err
}

// pool returns the vectors of sequences.
func (s *Scorer) pool(ctx context.Context, sequences [][]int32) ([]float32, error) {
	out := make([]float32, len(sequences)*s.info.Dim)
	return out, s.encoder.Pool(ctx, out, sequences, s.mix)
}

// cutText tells of a text of which only the beginning is scored.
func (s *Scorer) cutText(text string, at mteval.SegmentError, most int) error {
	if s.o.OnCut == nil {
		at.Err = fmt.Errorf("%w (%d tokens); set OnCut to score its beginning, as unbabel-comet does", backend.ErrTruncated, most)
		return &at
	}
	s.o.OnCut(text)
	return nil
}

// segment is what a segment has, as places of texts.
type segment struct {
	source int // -1: none
	refs   []int
}

// prepared are sources and references.
type prepared struct {
	s        *Scorer
	segments []segment
	texts    texts
	encoded  encoded
}

// prepare embeds sources, of each segment one or none at all, and references.
func (s *Scorer) prepare(ctx context.Context, sources []string, refs [][]string) (mteval.Prepared, error) {
	p := &prepared{s: s, segments: make([]segment, len(refs))}
	for i := range refs {
		at := &p.segments[i]
		at.source = -1
		if sources != nil {
			at.source = p.texts.add(sources[i], mteval.SegmentError{Segment: i, Side: mteval.SourceSide})
		}
		for k, text := range refs[i] {
			at.refs = append(at.refs, p.texts.add(text, mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: k}))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n := len(p.texts.list)
	for lo := 0; lo < n; lo += blockTexts {
		hi := min(n, lo+blockTexts)
		if err := s.encode(ctx, &p.encoded, &p.texts, lo, hi); err != nil {
			return nil, err
		}
		mteval.ReportProgress(ctx, hi, n)
	}
	return p, nil
}

// Len is the number of segments.
func (p *prepared) Len() int { return len(p.segments) }

// call are the different texts among the hypotheses of a call, and what is to be scored.
type call struct {
	texts texts
	tasks []task
	first []int // the hypothesis that each task was first of
}

// task is a hypothesis of a segment, its text by place.
type task struct{ text, segment int }

// at is where task i came first.
func (c *call) at(i int) mteval.SegmentError {
	return mteval.SegmentError{Segment: c.tasks[i].segment, Side: mteval.HypothesisSide, Index: c.first[i]}
}

// Append embeds the hypotheses, equal texts once, and scores each against its segment.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p.segments), segs, hyps); err != nil {
		return dst, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	var c call
	index := make(map[task]int)
	places := make([]int, len(hyps))
	for k, h := range hyps {
		seg := rows.Segment(segs, k)
		t := task{c.texts.add(h, mteval.SegmentError{Segment: seg, Side: mteval.HypothesisSide, Index: k}), seg}
		at, ok := index[t]
		if !ok {
			at = len(c.tasks)
			index[t] = at
			c.tasks, c.first = append(c.tasks, t), append(c.first, k)
		}
		places[k] = at
	}
	score := p.regress
	if p.s.set.class == unified {
		score = p.unify
	}
	scores, err := score(ctx, &c)
	if err != nil {
		return dst, err
	}
	for i, x := range scores {
		if x-x != 0 {
			at := c.at(i)
			at.Err = fmt.Errorf("the model's score is %v", x)
			return dst, &at
		}
	}
	for _, at := range places {
		dst = append(dst, scores[at], 1)
	}
	return dst, nil
}
