package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
)

// An answer has the scores of a request by the metric's name.
type answer struct {
	Scores map[string]scores `json:"scores"`
}

// scores are what a metric says of a request.
type scores struct {
	Corpus    float64   `json:"corpus"`
	Segments  []float64 `json:"segments"`
	Signature string    `json:"signature"`
	// SegmentSignature is that of Segments where it is another: BLEU's.
	SegmentSignature string `json:"segment_signature,omitempty"`
	LowerIsBetter    bool   `json:"lower_is_better,omitempty"`
}

// choose returns the metrics of these names, all if there are no names.
func choose(metrics []metric, names []string) ([]metric, error) {
	if len(names) == 0 {
		return metrics, nil
	}
	var chosen []metric
	for i, name := range names {
		at := slices.IndexFunc(metrics, func(m metric) bool { return m.name == name })
		if at < 0 {
			var all []string
			for _, m := range metrics {
				all = append(all, m.name)
			}
			return nil, bad(fmt.Errorf("metrics: no %q here; there are %s", name, strings.Join(all, ", ")))
		}
		if slices.Contains(names[:i], name) {
			return nil, bad(fmt.Errorf("metrics: %q is named twice", name))
		}
		chosen = append(chosen, metrics[at])
	}
	return chosen, nil
}

// score scores a request by all of metrics.
func score(ctx context.Context, metrics []metric, r *request) (*answer, error) {
	a := &answer{Scores: make(map[string]scores)}
	for _, m := range metrics {
		s, err := m.score(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		a.Scores[m.name] = s
	}
	return a, nil
}

// score scores a request. The sum of the rows is that of mteval.Corpus, to the last bit, but
// the references of a few segments at a time are prepared: those of BERTScore take 2 KiB a
// token, which a body of a MiB would make a GiB of.
func (m metric) score(ctx context.Context, r *request) (scores, error) {
	info, inputs, read := m.scorer.Info(), mteval.InputsOf(m.scorer), r.references
	if inputs.Sources == mteval.Required && r.sources == nil {
		return scores{}, bad(errors.New("it reads sources: send them too"))
	}
	if inputs.References == mteval.Unused {
		read = nil
	}
	out := scores{
		Segments:      make([]float64, 0, len(r.hypotheses)),
		Signature:     info.Signature.Complete(read).String(),
		LowerIsBetter: info.LowerIsBetter,
	}
	if s := m.sentence.Info().Signature.Complete(read).String(); s != out.Signature {
		out.SegmentSignature = s
	}
	width := m.scorer.Width()
	sum := make([]float64, width)
	var rows []float64
	for lo, hi := 0, 0; lo < len(r.hypotheses); lo = hi {
		hi = r.blockEnd(lo)
		var err error
		if rows, err = m.rows(ctx, rows[:0], r.block(lo, hi)); err != nil {
			return scores{}, moved(err, lo)
		}
		for ; len(rows) > 0; rows = rows[width:] {
			for j, x := range rows[:width] {
				sum[j] += x
			}
			out.Segments = append(out.Segments, m.sentence.Score(rows[:width]))
		}
	}
	out.Corpus = m.scorer.Score(sum)
	return out, nil
}

// rows appends the rows of a request.
func (m metric) rows(ctx context.Context, dst []float64, r *request) ([]float64, error) {
	refs := r.references
	if refs == nil {
		refs = make([][]string, len(r.hypotheses))
	}
	prepare := m.scorer.Prepare
	if s, ok := m.scorer.(mteval.SourceScorer); ok && r.sources != nil && s.Inputs().Sources != mteval.Unused {
		prepare = mteval.WithSources(s, r.sources).Prepare
	}
	p, err := prepare(ctx, refs)
	if err != nil {
		return dst, err
	}
	return p.Append(ctx, dst, nil, r.hypotheses)
}

// A block has at least one segment, and no more where it has this many bytes.
const blockBytes = 64 << 10

// blockEnd returns the end of the block that begins with segment lo.
func (r *request) blockEnd(lo int) int {
	hi := lo
	for bytes := 0; hi < len(r.hypotheses) && bytes < blockBytes; hi++ {
		bytes += len(r.hypotheses[hi])
		if r.references != nil {
			for _, text := range r.references[hi] {
				bytes += len(text)
			}
		}
	}
	return hi
}

// block returns the request of segments lo to hi.
func (r *request) block(lo, hi int) *request {
	b := &request{hypotheses: r.hypotheses[lo:hi]}
	if r.references != nil {
		b.references = r.references[lo:hi]
	}
	if r.sources != nil {
		b.sources = r.sources[lo:hi]
	}
	return b
}

// moved returns an error of a block that begins with segment lo with the request's segment.
func moved(err error, lo int) error {
	var at *mteval.SegmentError
	if !errors.As(err, &at) {
		return err
	}
	m := *at
	m.Segment += lo
	return &m
}
