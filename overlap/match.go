package overlap

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/tokenize"
)

// matcher matches equal words, the first in the hypothesis with the first in the
// reference and so on.
type matcher struct {
	split  *splitter
	tokens [][][]mteval.Token // [segment][reference][word]
}

// matchings are for all prepared references: a pool is known to the runtime, and one in them
// would keep them until the garbage was collected twice.
var matchings sync.Pool // *matching

// matching is what a call of Match works with.
type matching struct {
	watch pace.Pace
	spans []tokenize.Span
	wordPairer
}

// keptWords is of how many words the memory is kept for other calls.
const keptWords = 1 << 13

// release forgets the texts.
func (m *matcher) release(c *matching) {
	if cap(c.spans) > keptWords || cap(c.next) > keptWords {
		return
	}
	c.watch = pace.Pace{}
	clear(c.spans[:cap(c.spans)])
	clear(c.first)
	matchings.Put(c)
}

// spans appends the words of a line, with their places, to dst.
func (s *splitter) spans(c *matching, dst []mteval.Token, line string) ([]mteval.Token, error) {
	const byteSteps, tokenSteps = 8, 32
	if err := c.watch.Done(byteSteps * len(line)); err != nil {
		return dst, err
	}
	split := tokenize.AppendSpans
	if s.lower {
		split = tokenize.AppendLowerSpans
	}
	c.spans = split(c.spans[:0], s.tokenizer(), line)
	if err := limit.Text(len(c.spans), s.most); err != nil {
		return dst, err
	}
	for _, span := range c.spans {
		if err := c.watch.Done(tokenSteps); err != nil {
			return dst, err
		}
		dst = append(dst, mteval.Token{Text: span.Text, Start: span.Start, End: span.End, Weight: 1})
	}
	return dst, nil
}

// PrepareMatch splits the references into words. A word matches an equal one of the
// other side, with similarity 1, as often as it stands in both: the first one the
// first one, and so on.
func (s *FScorer) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	m := &matcher{split: &s.split, tokens: make([][][]mteval.Token, len(refs))}
	c := matching{watch: pace.Of(ctx)}
	for i, texts := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.tokens[i] = make([][]mteval.Token, len(texts))
		for r, text := range texts {
			var err error
			if m.tokens[i][r], err = m.split.spans(&c, nil, text); err != nil {
				return nil, limit.OfReference(i, r, err)
			}
		}
	}
	return m, ctx.Err()
}

// Len is the number of segments.
func (m *matcher) Len() int { return len(m.tokens) }

// RefTokens returns the words of each reference of a segment.
func (m *matcher) RefTokens(segment int) [][]mteval.Token { return m.tokens[segment] }

// Match matches hypotheses.
func (m *matcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(m.tokens), segs, hyps); err != nil {
		return err
	}
	if len(out) != len(hyps) {
		return fmt.Errorf("overlap: %d hypotheses with room for %d matchings", len(hyps), len(out))
	}
	c, _ := matchings.Get().(*matching)
	if c == nil {
		c = &matching{wordPairer: wordPairer{first: make(map[string]int32)}}
	}
	defer m.release(c)
	c.watch = pace.Of(ctx)
	for k, hyp := range hyps {
		if k%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		refs := m.tokens[rows.Segment(segs, k)]
		o := &out[k]
		var err error
		if o.Tokens, err = m.split.spans(c, o.Tokens[:0], hyp); err != nil {
			return rows.HypothesisError(segs, k, err)
		}
		o.Pairings = slices.Grow(o.Pairings[:0], len(refs))[:len(refs)] // with their memory
		for r, tokens := range refs {
			if err := c.pair(&c.watch, &o.Pairings[r], tokens, o.Tokens); err != nil {
				return err
			}
		}
	}
	return nil
}

// A wordPairer pairs equal words. Of the reference it has where a word stands that is not used
// yet, the first of several, and where the same word stands next; counted from 1, 0 is none.
type wordPairer struct {
	first map[string]int32
	next  []int32
}

// pair sets a pairing of the words of a reference and a hypothesis.
func (w *wordPairer) pair(watch *pace.Pace, pair *mteval.Pairing, ref, hyp []mteval.Token) error {
	const tokenSteps = 32
	pair.Hyp, pair.Ref, pair.Spans = slices.Grow(pair.Hyp[:0], len(hyp))[:len(hyp)], slices.Grow(pair.Ref[:0], len(ref))[:len(ref)], nil
	clear(w.first)
	w.next = slices.Grow(w.next[:0], len(ref))[:len(ref)]
	for j, t := range slices.Backward(ref) {
		if err := watch.Done(tokenSteps); err != nil {
			return err
		}
		pair.Ref[j] = mteval.Link{To: -1}
		w.next[j] = w.first[t.Text]
		w.first[t.Text] = int32(j) + 1
	}
	for i, t := range hyp {
		if err := watch.Done(tokenSteps); err != nil {
			return err
		}
		pair.Hyp[i] = mteval.Link{To: -1}
		if at := w.first[t.Text] - 1; at >= 0 {
			w.first[t.Text] = w.next[at]
			pair.Hyp[i] = mteval.Link{To: at, Sim: 1}
			pair.Ref[at] = mteval.Link{To: int32(i), Sim: 1}
		}
	}
	return nil
}
