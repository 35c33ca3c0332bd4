package bertscore

import (
	"context"
	"errors"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
)

// references are the different texts among the references, which are embedded once.
type references struct {
	texts  []string
	first  []mteval.SegmentError // where each came first
	places [][]int               // [segment][reference]: its text
}

func newReferences(refs [][]string) *references {
	r := &references{places: make([][]int, len(refs))}
	index := make(map[string]int)
	for i, segment := range refs {
		for k, text := range segment {
			at, ok := index[text]
			if !ok {
				at = len(r.texts)
				index[text] = at
				r.texts = append(r.texts, text)
				r.first = append(r.first, mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: k})
			}
			r.places[i] = append(r.places[i], at)
		}
	}
	return r
}

// PrepareMatch embeds the references, equal ones once.
func (s *Scorer) PrepareMatch(ctx context.Context, refs [][]string) (mteval.Matcher, error) {
	if s.b == nil {
		return nil, errors.New("bertscore: no backend: the Scorer was not made with New")
	}
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	r := newReferences(refs)
	m := &matcher{s: s, places: r.places}
	var sides []side
	var err error
	if b, ok := s.b.(backend.Matcher); ok {
		m.store, sides, err = s.store(ctx, b, r)
	} else {
		sides, err = s.embedReferences(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	if s.opt.IDF {
		if m.idf, err = newIDF(ctx, r, sides); err != nil {
			return nil, err
		}
		for i := range sides {
			m.idf.apply(sides[i].tokens)
		}
	}
	m.sides = make([][]side, len(refs))
	m.tokens = make([][][]mteval.Token, len(refs))
	for i, places := range r.places {
		for _, place := range places {
			m.sides[i] = append(m.sides[i], sides[place])
			m.tokens[i] = append(m.tokens[i], sides[place].tokens)
		}
	}
	return m, nil
}

// store lets a backend that matches embed the references and keep the vectors.
func (s *Scorer) store(ctx context.Context, b backend.Matcher, r *references) (backend.TextStore, []side, error) {
	batch := backend.Batch{MaxTokens: s.opt.MaxTokens}
	at := func(i int) mteval.SegmentError { return r.first[i] }
	store, err := b.Store(ctx, &batch, r.texts)
	if err != nil {
		return nil, nil, ofText(err, r.texts, at)
	}
	if store == nil {
		return nil, nil, fmt.Errorf("bertscore: backend %s stores nothing", s.info.Name)
	}
	if err := s.checkTokens(&batch, r.texts, at); err != nil {
		return nil, nil, err
	}
	return store, appendSides(make([]side, 0, len(r.texts)), &batch), nil
}

// embedReferences embeds the references, a chunk at a time, after which it reports.
func (s *Scorer) embedReferences(ctx context.Context, r *references) ([]side, error) {
	sides := make([]side, 0, len(r.texts))
	for lo := 0; lo < len(r.texts); {
		hi := chunkEnd(r.texts, lo)
		c := newChunk(s) // the references keep its vectors
		if err := c.embed(ctx, r.texts[lo:hi], func(i int) mteval.SegmentError { return r.first[lo+i] }); err != nil {
			return nil, err
		}
		sides = appendSides(sides, &c.batch)
		mteval.ReportProgress(ctx, hi, len(r.texts))
		lo = hi
	}
	return sides, nil
}

// appendSides appends the texts of a batch, which has vectors or not. They stay where they
// are: to copy those of a long text takes long.
func appendSides(sides []side, b *backend.Batch) []side {
	for i := range b.Len() {
		lo, hi := b.Offsets[i], b.Offsets[i+1]
		d := side{tokens: append([]mteval.Token(nil), b.Tokens[lo:hi]...)}
		if len(b.Data) > 0 {
			d.vectors = b.Data[lo*b.Dim : hi*b.Dim : hi*b.Dim]
		}
		sides = append(sides, d)
	}
	return sides
}
