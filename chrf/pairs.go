package chrf

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/ngram"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/vocab"
)

var (
	_ mteval.PairScorer      = (*Scorer)(nil)
	_ mteval.SymmetricScorer = (*Scorer)(nil)
)

// Symmetric says whether Beta is 1, where precision and recall change places with the texts
// and the score stays. EpsSmoothing treats an empty reference and hypothesis differently.
func (s *Scorer) Symmetric() bool {
	s = s.ready()
	return s.opt.Beta == 1 && !s.opt.EpsSmoothing
}

// NewPairs implements mteval.PairScorer.
func (s *Scorer) NewPairs() mteval.Pairs { return &pairs{s: s.ready()} }

type pairs struct {
	s            *Scorer
	n            int
	chars, words ngram.Bags
	vocab        vocab.Vocab
	text         []uint32
	marks        sync.Pool // *marks
}

type marks struct{ chars, words []uint8 } // all zero between uses

// Set implements mteval.Pairs.
func (p *pairs) Set(ctx context.Context, texts []string) error {
	o := &p.s.opt
	p.n = 0
	p.chars.Reset(o.CharOrder)
	p.words.Reset(o.WordOrder)
	p.vocab.Reset()
	watch := pace.Of(ctx)
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.add(&watch, text); err != nil {
			if limit.OfContext(err) {
				return err
			}
			return &mteval.SegmentError{Segment: i, Side: mteval.HypothesisSide, Index: i, Err: err}
		}
	}
	p.chars.Trim()
	p.words.Trim()
	if err := ctx.Err(); err != nil {
		return err
	}
	p.n = len(texts)
	return nil
}

func (p *pairs) add(watch *pace.Pace, text string) (err error) {
	if err := limit.Words(text, p.s.opt.MaxTokens); err != nil {
		return err
	}
	text = p.s.fold(text)
	if p.text, err = p.s.chars(watch, p.text[:0], text); err != nil {
		return err
	}
	if err := p.chars.Add(watch, p.text); err != nil || p.s.opt.WordOrder == 0 {
		return err
	}
	p.text = p.text[:0]
	err = eachWord(watch, text, func(w string) { p.text = append(p.text, p.vocab.AddString(w)) })
	if err != nil {
		return err
	}
	return p.words.Add(watch, p.text)
}

// Append implements mteval.Pairs.
func (p *pairs) Append(ctx context.Context, dst []float64, ref int, hyps []int) ([]float64, error) {
	if ref < 0 || ref >= p.n || len(hyps) > 0 && (slices.Min(hyps) < 0 || slices.Max(hyps) >= p.n) {
		return dst, errors.New("chrf: a text that is not there")
	}
	m, _ := p.marks.Get().(*marks)
	if m == nil {
		m = new(marks)
	}
	m.chars = p.chars.Mark(m.chars, ref, 1)
	chars, words := p.s.opt.CharOrder, p.s.opt.WordOrder
	if words > 0 {
		m.words = p.words.Mark(m.words, ref, 1)
	}
	out := dst
	watch := pace.Of(ctx)
	var err error
	for _, hyp := range hyps {
		out = appendPair(out, &p.chars, m.chars, ref, hyp, chars)
		work := p.chars.Length(hyp) * chars
		if words > 0 {
			out = appendPair(out, &p.words, m.words, ref, hyp, words)
			work += p.words.Length(hyp) * words
		}
		if err = watch.Done(work + 3*p.s.order); err != nil {
			out = dst
			break
		}
	}
	p.chars.Mark(m.chars, ref, 0)
	if words > 0 {
		p.words.Mark(m.words, ref, 0)
	}
	p.marks.Put(m)
	return out, err
}

// appendPair appends what match fills in.
func appendPair(dst []float64, b *ngram.Bags, marks []uint8, ref, hyp, order int) []float64 {
	for n := range order {
		h, r := max(0, b.Length(hyp)-n), max(0, b.Length(ref)-n)
		common := h
		if r == 0 {
			h, common = 0, 0
		} else if hyp != ref {
			common = b.Common(marks, hyp, n)
		}
		dst = append(dst, float64(h), float64(r), float64(common))
	}
	return dst
}
