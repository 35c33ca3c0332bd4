package meteor

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/tokenize"
)

// scratch is what one goroutine needs to score hypotheses.
type scratch struct {
	dict  dictionary
	text  words
	hyp   side
	align aligner
	other [width]float64
}

// scratch returns one for work under ctx.
func (s *Scorer) scratch(ctx context.Context) *scratch {
	sc := s.pool.Get().(*scratch)
	sc.text.pace, sc.align.pace = pace.Of(ctx), pace.Of(ctx)
	return sc
}

// put gives a scratch back.
func (s *Scorer) put(sc *scratch) {
	sc.text.pace, sc.align.pace = pace.Pace{}, pace.Pace{}
	if !sc.align.large() && cap(sc.text.cells) < 1<<18 {
		s.pool.Put(sc)
	}
}

// prepared holds the references as words.
type prepared struct {
	s    *Scorer
	refs [][]side
}

func (s *Scorer) prepare(ctx context.Context, refs [][]string) (*prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	if err := s.made(); err != nil {
		return nil, err
	}
	p := &prepared{s, make([][]side, len(refs))}
	err := parallel.For(ctx, len(refs), s.opt.Workers, 64, func(lo, hi int) error {
		sc := s.scratch(ctx)
		defer s.put(sc)
		for i := lo; i < hi; i++ {
			p.refs[i] = make([]side, len(refs[i]))
			for r, text := range refs[i] {
				if err := s.read(&p.refs[i][r], sc, text); err != nil {
					return limit.OfReference(i, r, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Len is the number of segments.
func (p *prepared) Len() int { return len(p.refs) }

// Append scores hypotheses.
func (p *prepared) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	return rows.Append(ctx, p, len(p.refs), width, p.s.opt.Workers, 16, dst, segs, hyps)
}

// Fill implements rows.Filler.
func (p *prepared) Fill(ctx context.Context, out []float64, segs []int, hyps []string, lo, hi int) error {
	s := p.s
	sc := s.scratch(ctx)
	defer s.put(sc)
	for k := lo; k < hi; k++ {
		if err := s.read(&sc.hyp, sc, hyps[k]); err != nil {
			return rows.HypothesisError(segs, k, err)
		}
		row := out[:width]
		out = out[width:]
		best := 0.0
		refs := p.refs[rows.Segment(segs, k)]
		for r := range refs {
			into := row
			if r > 0 {
				into = sc.other[:]
				clear(into)
			}
			spans, err := sc.align.align(s, &sc.hyp, &refs[r])
			if err != nil {
				return rows.HypothesisError(segs, k, err)
			}
			s.count(into, &sc.hyp, &refs[r], spans)
			if score := s.Score(into); r == 0 || score > best {
				best = score
				copy(row, into)
			}
		}
	}
	return nil
}

// count puts the statistics of an alignment into a row of zeros.
func (s *Scorer) count(row []float64, hyp, ref *side, spans []mteval.Span) {
	row[rowHyp], row[rowRef] = hyp.length, ref.length
	row[rowHypFunction], row[rowRefFunction] = hyp.function, ref.function
	for _, c := range spans {
		at := rowStages + 4*int(c.Stage)
		for _, w := range hyp.words[c.Hyp : c.Hyp+c.HypLen] {
			if w.function {
				row[at+2] += s.units(w)
			} else {
				row[at] += s.units(w)
			}
		}
		for _, w := range ref.words[c.Ref : c.Ref+c.RefLen] {
			if w.function {
				row[at+3] += s.units(w)
			} else {
				row[at+1] += s.units(w)
			}
		}
	}
	countChunks(row, spans, len(hyp.words), len(ref.words))
}

// countChunks counts matched words and chunks, which a text that is matched as a whole and in
// order has none of.
func countChunks(row []float64, spans []mteval.Span, hyp, ref int) {
	chunks, endHyp, endRef := 0, int32(-1), int32(-1)
	for _, c := range spans {
		row[rowHypMatched] += float64(c.HypLen)
		row[rowRefMatched] += float64(c.RefLen)
		if c.Hyp != endHyp || c.Ref != endRef {
			chunks++
		}
		endHyp, endRef = c.Hyp+c.HypLen, c.Ref+c.RefLen
	}
	if chunks == 1 && row[rowHypMatched] == float64(hyp) && row[rowRefMatched] == float64(ref) {
		chunks = 0
	}
	row[rowChunks] = float64(chunks)
}

// An Alignment of a hypothesis and a reference.
type Alignment struct {
	Hyp, Ref []string // the words, as they are compared
	// Spans are the matches in the order of the reference. Their Stage is the place
	// of the module in the list.
	Spans []mteval.Span
	Statistics
}

// Align returns the alignment of a hypothesis with a reference. It ends with ctx's error when
// ctx is cancelled, and with one that wraps mteval.ErrTooLong for a text of more than
// Options.MaxTokens, or of more words than a search has room for.
func (s *Scorer) Align(ctx context.Context, ref, hyp string) (*Alignment, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	sc := s.scratch(ctx)
	defer s.put(sc)
	var r side
	if err := s.read(&r, sc, ref); err != nil {
		return nil, limit.Of("meteor: reference", err)
	}
	if err := s.read(&sc.hyp, sc, hyp); err != nil {
		return nil, limit.Of("meteor: hypothesis", err)
	}
	spans, err := sc.align.align(s, &sc.hyp, &r)
	if err != nil {
		return nil, limit.Of("meteor", err)
	}
	a := &Alignment{Hyp: sc.hyp.texts(), Ref: r.texts(), Spans: append([]mteval.Span(nil), spans...)}
	row := make([]float64, width)
	s.count(row, &sc.hyp, &r, a.Spans)
	a.Statistics = s.Statistics(row)
	return a, nil
}

// texts are the words of a side, as they are compared.
func (x *side) texts() []string {
	var out []string
	for _, w := range x.words {
		out = append(out, w.text)
	}
	return out
}

// matcher gives alignments as links.
type matcher struct {
	*prepared
	tokens [][][]mteval.Token
}

// PrepareMatch splits the references into words. A word's weight is that of content or
// function words, and the similarity of matched words the weight of the module, so that the
// means of similarities are METEOR's precision and recall. A word of a phrase is linked
// to the word at the same place of the other, or the one nearest to that.
func (s *Scorer) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	p, err := s.prepare(ctx, refs)
	if err != nil {
		return nil, err
	}
	m := &matcher{p, make([][][]mteval.Token, len(refs))}
	sc := s.scratch(ctx)
	defer s.put(sc)
	for i, texts := range refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for r, text := range texts {
			if err := s.split.split(&sc.text, text); err != nil {
				return nil, err
			}
			m.tokens[i] = append(m.tokens[i], s.tokens(nil, sc, p.refs[i][r].words))
		}
	}
	return m, nil
}

// tokens appends words, which sc.text has the places of.
func (s *Scorer) tokens(dst []mteval.Token, sc *scratch, words []*word) []mteval.Token {
	for i, w := range words {
		at := sc.text.spans[i]
		dst = append(dst, mteval.Token{Text: w.text, Start: int(at.start), End: int(at.end), Weight: float32(s.weight(w))})
	}
	return dst
}

// weight is what a word weighs in precision and recall.
func (s *Scorer) weight(w *word) float64 {
	if w.function {
		return (1 - s.params.Delta) * s.units(w)
	}
	return s.params.Delta * s.units(w)
}

// RefTokens returns the words of each reference of a segment.
func (m *matcher) RefTokens(segment int) [][]mteval.Token { return m.tokens[segment] }

// Match aligns hypotheses.
func (m *matcher) Match(ctx context.Context, out []mteval.Matching, segs []int, hyps []string) error {
	if err := mteval.CheckHypotheses(len(m.refs), segs, hyps); err != nil {
		return err
	}
	if len(out) != len(hyps) {
		return fmt.Errorf("meteor: %d hypotheses with room for %d matchings", len(hyps), len(out))
	}
	c := matchCalls.Get().(*matchCall)
	c.ctx, c.m, c.out, c.segs, c.hyps = ctx, m, out, segs, hyps
	err := parallel.For(ctx, len(hyps), m.s.opt.Workers, 16, c.part)
	*c = matchCall{part: c.part}
	matchCalls.Put(c)
	return err
}

// A matchCall is one of Match. It is used again, with the function that goroutines are given.
type matchCall struct {
	ctx  context.Context
	m    *matcher
	out  []mteval.Matching
	segs []int
	hyps []string
	part func(lo, hi int) error // match
}

var matchCalls = sync.Pool{New: func() any {
	c := new(matchCall)
	c.part = c.match
	return c
}}

func (c *matchCall) match(lo, hi int) error {
	m := c.m
	sc := m.s.scratch(c.ctx)
	defer m.s.put(sc)
	for k := lo; k < hi; k++ {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := m.match(&c.out[k], sc, m.refs[rows.Segment(c.segs, k)], c.hyps[k]); err != nil {
			return rows.HypothesisError(c.segs, k, err)
		}
	}
	return nil
}

func (m *matcher) match(o *mteval.Matching, sc *scratch, refs []side, hyp string) error {
	s := m.s
	if err := s.read(&sc.hyp, sc, hyp); err != nil {
		return err
	}
	o.Tokens = s.tokens(o.Tokens[:0], sc, sc.hyp.words)
	o.Pairings = slices.Grow(o.Pairings[:0], len(refs))[:len(refs)] // with their memory
	to := func(words []*word, i int32) int32 {
		if s.weight(words[i]) == 0 {
			return -1 // the word is left out
		}
		return i
	}
	for r := range refs {
		pair := &o.Pairings[r]
		pair.Hyp, pair.Ref = unmatched(pair.Hyp, len(o.Tokens)), unmatched(pair.Ref, len(refs[r].words))
		spans, err := sc.align.align(s, &sc.hyp, &refs[r])
		if err != nil {
			return err
		}
		pair.Spans = append(pair.Spans[:0], spans...)
		for _, c := range pair.Spans {
			sim := float32(s.weights[c.Stage])
			for i := range c.HypLen {
				pair.Hyp[c.Hyp+i] = mteval.Link{To: to(refs[r].words, c.Ref+min(i, c.RefLen-1)), Sim: sim}
			}
			for i := range c.RefLen {
				pair.Ref[c.Ref+i] = mteval.Link{To: to(sc.hyp.words, c.Hyp+min(i, c.HypLen-1)), Sim: sim}
			}
		}
	}
	return nil
}

// unmatched returns n links to nothing, in the memory of links where that is enough.
func unmatched(links []mteval.Link, n int) []mteval.Link {
	links = slices.Grow(links[:0], n)[:n]
	for i := range links {
		links[i] = mteval.Link{To: -1}
	}
	return links
}

// AppendMatch appends the row with the reference of the highest score.
func (s *Scorer) AppendMatch(dst []float64, _ int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
	var best, other [width]float64
	score := -1.0
	for r, tokens := range refs {
		clear(other[:])
		s.countTokens(other[:], m.Tokens, 0)
		s.countTokens(other[:], tokens, 1)
		for _, c := range m.Pairings[r].Spans {
			at := rowStages + 4*int(c.Stage)
			s.countStage(other[at:], m.Tokens[c.Hyp:c.Hyp+c.HypLen], 0)
			s.countStage(other[at:], tokens[c.Ref:c.Ref+c.RefLen], 1)
		}
		countChunks(other[:], m.Pairings[r].Spans, len(m.Tokens), len(tokens))
		if v := s.Score(other[:]); v > score {
			best, score = other, v
		}
	}
	return append(dst, best[:]...)
}

// countTokens counts the words of a side, 0 for the hypothesis and 1 for the reference.
func (s *Scorer) countTokens(row []float64, tokens []mteval.Token, side int) {
	for _, t := range tokens {
		n, function := s.weigh(t.Text)
		row[rowHyp+side] += n
		if function {
			row[rowHypFunction+side] += n
		}
	}
}

func (s *Scorer) countStage(stage []float64, tokens []mteval.Token, side int) {
	for _, t := range tokens {
		n, function := s.weigh(t.Text)
		if function {
			side += 2
		}
		stage[side] += n
		side &= 1
	}
}

// weigh returns what a word counts for, and whether it is a function word.
func (s *Scorer) weigh(text string) (float64, bool) {
	n := 1.0
	if s.opt.Characters {
		n = float64(utf16Len(text))
	}
	return n, s.function.words[tokenize.Lower(text)]
}
