package mbr

import (
	"context"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
)

// texts are different texts, and where those of a list are among them.
type texts struct {
	of    map[string]int
	texts []string
	at    []int
	all   []int
}

func (t *texts) reset() {
	clear(t.of)
	t.texts, t.at = t.texts[:0], t.at[:0]
}

func (t *texts) add(list []string) {
	if t.of == nil {
		t.of = make(map[string]int)
	}
	for _, text := range list {
		i, ok := t.of[text]
		if !ok {
			i = len(t.texts)
			t.of[text] = i
			t.texts = append(t.texts, text)
		}
		t.at = append(t.at, i)
	}
}

// Scores appends to dst the sentence scores of each candidate against each reference, those
// of the first candidate first: candidate i against reference j is at i·len(references)+j.
// Equal texts are scored once, and of a symmetric metric each pair, where the references
// are the candidates. Weights do not change them. It returns dst as it was on error.
func (d *Decoder) Scores(ctx context.Context, dst []float64, seg Segment) ([]float64, error) {
	width := d.s.Width()
	s, ok := d.s.(mteval.SymmetricScorer)
	half := ok && s.Symmetric() && (seg.References == nil || slices.Equal(seg.References, seg.Candidates))
	if err := d.pairs(ctx, &seg, half); err != nil {
		return dst, err
	}
	n, k := len(seg.Candidates), len(d.set.texts)
	for _, h := range d.set.at[:n] {
		for _, r := range d.set.at[n:] {
			a, b := h, r
			if half {
				a, b = max(h, r), min(h, r)
			}
			at := (b*k + a) * width
			dst = append(dst, d.s.Score(d.rows[at:at+width]))
		}
	}
	return dst, nil
}

// Rows appends to dst the rows of which Scores has the scores, each of the metric's Width.
func (d *Decoder) Rows(ctx context.Context, dst []float64, seg Segment) ([]float64, error) {
	if err := d.pairs(ctx, &seg, false); err != nil {
		return dst, err
	}
	width := d.s.Width()
	n, k := len(seg.Candidates), len(d.set.texts)
	for _, h := range d.set.at[:n] {
		for _, r := range d.set.at[n:] {
			at := (r*k + h) * width
			dst = append(dst, d.rows[at:at+width]...)
		}
	}
	return dst, nil
}

// pairs sets d.rows to the rows of different texts: that of text h against text r begins at
// (r·k+h)·width, where k is the number of texts. With half those of r above h are left out.
func (d *Decoder) pairs(ctx context.Context, seg *Segment, half bool) error {
	if err := seg.check(); err != nil {
		return err
	}
	d.set.reset()
	d.set.add(seg.Candidates)
	d.set.add(seg.references())
	t, width := &d.set, d.s.Width()
	k := len(t.texts)
	d.rows = slices.Grow(d.rows[:0], k*k*width)[:k*k*width]
	t.all = t.all[:0]
	for i := range k {
		t.all = append(t.all, i)
	}
	hyps, refs := t.spans(len(seg.Candidates))
	if d.pair == nil {
		return d.plain(ctx, seg, hyps, refs, half)
	}
	set := d.pair.Set
	if p, ok := d.pair.(mteval.SourcePairs); ok && seg.Source != nil {
		set = func(ctx context.Context, texts []string) error { return p.SetSource(ctx, *seg.Source, texts) }
	}
	if err := set(ctx, t.texts); err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	return parallel.For(ctx, len(refs), d.o.Workers, 8, func(lo, hi int) error {
		for _, r := range refs[lo:hi] {
			from := hyps
			if half {
				from = hyps[r:]
			}
			at := (r*k + from[0]) * width
			if _, err := d.pair.Append(ctx, d.rows[at:at:len(d.rows)], r, from); err != nil {
				return fmt.Errorf("mbr: %w", err)
			}
		}
		return nil
	})
}

// spans returns the texts that are candidates, the first ones, and those that are references.
func (t *texts) spans(candidates int) (hyps, refs []int) {
	last := slices.Max(t.at[:candidates])
	refs = slices.Compact(slices.Sorted(slices.Values(t.at[candidates:])))
	return t.all[:last+1], refs
}

// plain is pairs by Prepare and Append.
func (d *Decoder) plain(ctx context.Context, seg *Segment, hyps, refs []int, half bool) error {
	lists := make([][]string, len(refs))
	for j, r := range refs {
		lists[j] = []string{d.set.texts[r]}
	}
	s := d.s
	if ss, ok := s.(mteval.SourceScorer); ok && seg.Source != nil && ss.Inputs().Sources != mteval.Unused {
		s = mteval.WithSources(ss, slices.Repeat([]string{*seg.Source}, len(refs)))
	}
	p, err := s.Prepare(ctx, lists)
	if err != nil {
		return fmt.Errorf("mbr: %w", err)
	}
	const most = 4096 // pairs in a call
	var segs, cells []int
	var texts []string
	var rows []float64
	width, k := d.s.Width(), len(d.set.texts)
	flush := func() error {
		if rows, err = p.Append(ctx, rows[:0], segs, texts); err != nil {
			return fmt.Errorf("mbr: %w", err)
		}
		for i, cell := range cells {
			copy(d.rows[cell*width:(cell+1)*width], rows[i*width:])
		}
		segs, cells, texts = segs[:0], cells[:0], texts[:0]
		return nil
	}
	for _, h := range hyps {
		for j, r := range refs {
			if half && r > h {
				break
			}
			segs, cells, texts = append(segs, j), append(cells, r*k+h), append(texts, d.set.texts[h])
		}
		if len(segs) >= most {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}
