package bert

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/parallel"
)

// Tokenize is backend.Encoder's.
func (m *Model) Tokenize(ctx context.Context, dst []backend.Sequence, texts []string, most int) ([]backend.Sequence, error) {
	if most < 3 || most > m.MaxTokens {
		return nil, fmt.Errorf("%d tokens are not in 3 to %d, the model's positions", most, m.MaxTokens)
	}
	dst = dst[:cap(dst)]
	if more := len(texts) - len(dst); more > 0 {
		dst = append(dst, make([]backend.Sequence, more)...)
	}
	s := sequencesPool.Get().(*sequences)
	s.m, s.ctx, s.out, s.texts, s.most = m, ctx, dst[:len(texts)], texts, most
	err := parallel.For(ctx, len(texts), m.opt.Workers, textsPart, s.do)
	out := s.out
	*s = sequences{do: s.do}
	sequencesPool.Put(s)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// sequences is what one call of Tokenize works with. It is used again, with the function that
// goroutines are given.
type sequences struct {
	m     *Model
	ctx   context.Context
	texts []string
	most  int
	out   []backend.Sequence
	do    func(lo, hi int) error // split
}

var sequencesPool = sync.Pool{New: func() any {
	s := new(sequences)
	s.do = s.split
	return s
}}

// oneText is a text in pieces, and the memory of these.
type oneText struct {
	Text
	part []Piece
}

var oneTextPool = sync.Pool{New: func() any { return new(oneText) }}

// split splits some of the texts.
func (s *sequences) split(lo, hi int) error {
	t := oneTextPool.Get().(*oneText)
	defer t.release()
	for i := lo; i < hi; i++ {
		t.part = t.part[:0]
		if err := s.m.encode(s.ctx, &t.Text, &t.part, s.texts[i], false, s.most); err != nil {
			return err
		}
		q := &s.out[i]
		q.Cut = t.Cut
		q.IDs = slices.Grow(q.IDs[:0], len(t.Pieces))
		for _, p := range t.Pieces {
			q.IDs = append(q.IDs, p.ID)
		}
	}
	return nil
}

// release forgets the pieces' texts.
func (t *oneText) release() {
	t.Text = Text{}
	if cap(t.part) > keptPieces {
		return
	}
	clear(t.part[:cap(t.part)])
	oneTextPool.Put(t)
}
