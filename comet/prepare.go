package comet

import (
	"context"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
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

// reset forgets the texts.
func (t *texts) reset() {
	clear(t.index)
	clear(t.list)
	t.list, t.first = t.list[:0], t.first[:0]
}

// encoded are texts as the encoder makes them: their vectors, or, for unified models, in
// which texts are joined before they are embedded, their tokens.
type encoded struct {
	dim       int
	vectors   []float32 // [texts][dim]
	ids       [][]int32
	cut       []bool
	sequences []backend.Sequence // the last ones, for their memory
}

func (e *encoded) vector(i int) []float32 { return e.vectors[i*e.dim : (i+1)*e.dim] }

func (e *encoded) reset() { e.vectors, e.ids, e.cut = e.vectors[:0], e.ids[:0], e.cut[:0] }

// encode appends texts lo to hi.
func (s *Scorer) encode(ctx context.Context, e *encoded, t *texts, lo, hi int) (err error) {
	e.dim = s.info.Dim
	if e.sequences, err = s.encoder.Tokenize(ctx, e.sequences, t.list[lo:hi], s.longest); err != nil {
		return err
	}
	from := len(e.ids)
	for i, q := range e.sequences {
		e.ids = append(e.ids, q.IDs)
		e.cut = append(e.cut, q.Cut)
		if q.Cut {
			if err := s.cutText(t.list[lo+i], &t.first[lo+i], s.longest); err != nil {
				return err
			}
		}
	}
	if s.set.class == unified {
		return nil
	}
	var room []float32
	e.vectors, room = extend(e.vectors, (hi-lo)*e.dim)
	err = s.encoder.Pool(ctx, room, e.ids[from:], s.mix)
	e.ids = e.ids[:from]
	return err
}

// extend returns s longer by n numbers, and those, whatever they are.
func extend[T any](s []T, n int) (longer, added []T) {
	longer = slices.Grow(s, n)[:len(s)+n]
	return longer, longer[len(s):]
}

// cutText tells of a text of which only the beginning is scored.
func (s *Scorer) cutText(text string, at *mteval.SegmentError, most int) error {
	if s.o.OnCut == nil {
		e := *at
		e.Err = fmt.Errorf("%w (%d tokens); set OnCut to score its beginning, as unbabel-comet does", backend.ErrTruncated, most)
		return &e
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
func (s *Scorer) prepare(ctx context.Context, sources []string, refs [][]string) (*prepared, error) {
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
		p.encoded.sequences = nil // their ids may be kept
		mteval.ReportProgress(ctx, hi, n)
	}
	return p, nil
}

// Len is the number of segments.
func (p *prepared) Len() int { return len(p.segments) }

// Append embeds the hypotheses, equal texts once, and scores each against its segment.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(len(p.segments), segs, hyps); err != nil {
		return dst, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	c := p.s.calls.Get().(*call)
	defer c.release()
	c.p = p
	c.plan(segs, hyps)
	if err := c.score(ctx); err != nil {
		return dst, err
	}
	for i, x := range c.scores {
		if x-x != 0 {
			at := c.at(i)
			at.Err = fmt.Errorf("the model's score is %v", x)
			return dst, &at
		}
	}
	for _, at := range c.places {
		dst = append(dst, c.scores[at], 1)
	}
	return dst, nil
}
