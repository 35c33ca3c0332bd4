package bertscore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/parallel"
	"github.com/mteval/mteval/internal/simd"
)

// chunkSize is how many different texts are embedded at a time, and of how many bytes
// together: enough to give a backend full batches, and few enough to bound the vectors
// that are in memory. A longer text is a chunk of its own.
const (
	chunkSize  = 256
	chunkBytes = 1 << 18
)

// chunkEnd returns where the chunk of texts that starts at lo ends.
func chunkEnd(texts []string, lo int) int {
	hi := lo + 1
	for sum := len(texts[lo]); hi < min(len(texts), lo+chunkSize); hi++ {
		if sum += len(texts[hi]); sum > chunkBytes {
			break
		}
	}
	return hi
}

// A chunk is of texts that are embedded together. It is used again, with the function that
// goroutines are given.
type chunk struct {
	s     *Scorer
	batch backend.Batch
	scale func(lo, hi int) error // normalize
}

func newChunk(s *Scorer) *chunk {
	c := &chunk{s: s}
	c.scale = c.normalize
	return c
}

// embed embeds texts, checks what comes back, and scales the vectors to length 1.
// at tells where a text is, for errors.
func (c *chunk) embed(ctx context.Context, texts []string, at func(i int) mteval.SegmentError) error {
	s, b := c.s, &c.batch
	b.MaxTokens = s.opt.MaxTokens
	if err := s.b.Embed(ctx, b, texts); err != nil {
		return ofText(err, texts, at)
	}
	if err := backendcheck.Batch(s.info, b, texts); err != nil {
		return fmt.Errorf("bertscore: %w", err)
	}
	if err := s.checkLengths(b, texts, at); err != nil {
		return err
	}
	return parallel.For(ctx, len(b.Tokens), s.opt.Workers, max(1, 1<<18/b.Dim), c.scale)
}

// normalize checks the vectors of tokens lo to hi and scales them.
func (c *chunk) normalize(lo, hi int) error {
	b := &c.batch
	for j := lo; j < hi; j++ {
		if err := backendcheck.Vector(c.s.info, b, j); err != nil {
			return fmt.Errorf("bertscore: %w", err)
		}
		simd.Normalize(b.Data[j*b.Dim : (j+1)*b.Dim])
	}
	return nil
}

// ofText makes the error of a text that the backend refuses one of a segment. at tells where a
// text is.
func ofText(err error, texts []string, at func(i int) mteval.SegmentError) error {
	var refused *backend.TextError
	if !errors.As(err, &refused) {
		return err
	}
	i := slices.Index(texts, refused.Text)
	if i < 0 {
		return err
	}
	e := at(i)
	e.Err = refused.Err
	return &e
}

// checkTokens checks what a backend that keeps the vectors gave for texts.
func (s *Scorer) checkTokens(b *backend.Batch, texts []string, at func(i int) mteval.SegmentError) error {
	if err := backendcheck.Tokens(s.info, b, texts); err != nil {
		return fmt.Errorf("bertscore: %w", err)
	}
	return s.checkLengths(b, texts, at)
}

// checkLengths finds texts that are longer than they may be, or whose ends were cut off.
func (s *Scorer) checkLengths(b *backend.Batch, texts []string, at func(i int) mteval.SegmentError) error {
	cut := b.Truncated
	for i, text := range texts { // for a backend that knows of no MaxTokens
		isCut := len(cut) > 0 && cut[0] == i
		if isCut {
			cut = cut[1:]
		}
		if err := backendcheck.Length(text, b.Offsets[i+1]-b.Offsets[i], isCut, s.opt.MaxTokens); err != nil {
			return ofText(err, texts, at)
		}
	}
	for _, i := range b.Truncated {
		if s.opt.OnTruncated == nil {
			e := at(i)
			e.Err = fmt.Errorf("%w (%d tokens); set OnTruncated to score its beginning", backend.ErrTruncated, s.info.MaxTokens)
			return &e
		}
		s.opt.OnTruncated(texts[i])
	}
	return nil
}
