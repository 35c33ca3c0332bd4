package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/escape"
	"github.com/mteval/mteval/internal/lines"
)

// scored is what becomes of a block.
type scored struct {
	out     []byte // what is to be written
	written int64  // how many lines that has
	// rows are those of each metric, of the lines that have scores, one after the other.
	rows [][]float64
	refs []int  // the number of references of each of these lines
	kept []bool // which of these lines the filter keeps
	// bad are the errors of the others, and fatal one that ends the run before anything of the
	// block is written.
	bad    []*files.LineError
	reason string // the error of each line, where all have the same
	fatal  error
}

// A worker scores blocks, one at a time.
type worker struct {
	x       *run
	texts   []texts // of each line
	bad     []error // of each line
	live    []int   // lines without an error
	hyps    []string
	sources []string
	refs    [][]string
	rows    []float64
	scores  []float64 // of each line, one of each metric
	keep    []bool    // of each line
	values  []float64
	plain   []byte
	lengths lengths
}

// score makes of a block what is to be written. An error is none of a line.
func (w *worker) score(ctx context.Context, b *block) error {
	x, n := w.x, len(b.at)
	b.out, b.written, b.refs, b.kept, b.bad, b.fatal = b.out[:0], 0, b.refs[:0], b.kept[:0], b.bad[:0], nil
	if len(b.rows) == 0 {
		b.rows = make([][]float64, len(x.metrics))
	}
	w.texts = slices.Grow(w.texts[:0], n)[:n]
	w.bad = append(w.bad[:0], make([]error, n)...)
	w.live = w.live[:0]
	text := string(b.data)
	for i := range n {
		if w.bad[i] = w.read(b, text, i); w.bad[i] == nil {
			w.live = append(w.live, i)
		}
	}
	for m := range x.metrics {
		if err := w.scoreMetric(ctx, b, m); err != nil {
			return err
		}
	}
	w.judge(b)
	if w.tell(b); b.fatal != nil {
		return nil
	}
	w.count(b)
	return w.write(b, text)
}

// read reads the texts of a line.
func (w *worker) read(b *block, text string, i int) error {
	w.texts[i].id = ""
	line, end := b.line(text, i)
	if line == "" && end == "" {
		return &noPlace{fmt.Errorf("%w: a line of more than %d bytes", lines.ErrTooLarge, w.x.o.MaxLine)}
	}
	if err := b.layout.place(line); err != nil {
		return &noPlace{err}
	}
	if err := lines.Valid(line); err != nil {
		return err
	}
	return b.layout.read(line, &w.texts[i])
}

// noPlace is the error of a line that has no place for a null.
type noPlace struct{ error }

func (e *noPlace) Unwrap() error { return e.error }

// scoreMetric makes the rows of the lines without an error, each at the place of its line.
func (w *worker) scoreMetric(ctx context.Context, b *block, m int) error {
	width := w.x.metrics[m].width
	n := len(b.at) * width
	if len(w.live) == len(b.at) && len(b.at) > 0 {
		rows, err := w.append(ctx, b.rows[m][:0], m, w.live)
		if err == nil {
			b.rows[m] = rows
			return nil
		}
	}
	b.rows[m] = slices.Grow(b.rows[m][:0], n)[:n]
	// Lines are taken out as errors are found.
	return w.scoreParts(ctx, b, m, slices.Clone(w.live))
}

// scoreParts scores some lines, and where one of them has an error, two parts of the others: so
// many errors don't cost their number of times a block.
func (w *worker) scoreParts(ctx context.Context, b *block, m int, some []int) error {
	if len(some) == 0 {
		return nil
	}
	width := w.x.metrics[m].width
	rows, err := w.append(ctx, w.rows[:0], m, some)
	if err == nil {
		w.rows = rows
		for k, i := range some {
			copy(b.rows[m][i*width:(i+1)*width], rows[k*width:])
		}
		return nil
	}
	if ctx.Err() != nil { // a cancelled run has no other error
		return ctx.Err()
	}
	var at *mteval.SegmentError
	if !errors.As(err, &at) || at.Segment < 0 || at.Segment >= len(some) {
		return fmt.Errorf("%s: %w", w.x.metrics[m].info.Name, err)
	}
	w.fail(some[at.Segment], w.x.metrics[m].lineError(at))
	some = slices.Delete(some, at.Segment, at.Segment+1)
	half := len(some) / 2
	if err := w.scoreParts(ctx, b, m, some[:half:half]); err != nil {
		return err
	}
	return w.scoreParts(ctx, b, m, some[half:])
}

// fail notes the error of a line, which other metrics need not score.
func (w *worker) fail(i int, err error) {
	w.bad[i] = err
	w.live = slices.DeleteFunc(w.live, func(j int) bool { return j == i })
}

// lineError is the error of a segment as one of its line.
func (m *metric) lineError(at *mteval.SegmentError) error {
	switch {
	case at.Side == mteval.ReferenceSide && at.Index > 0:
		return fmt.Errorf("%s: reference %d: %w", m.info.Name, at.Index+1, at.Err)
	case at.Side == mteval.ReferenceSide:
		return fmt.Errorf("%s: reference: %w", m.info.Name, at.Err)
	case at.Side == mteval.SourceSide:
		return fmt.Errorf("%s: source: %w", m.info.Name, at.Err)
	case at.Side == mteval.HypothesisSide:
		return fmt.Errorf("%s: hypothesis: %w", m.info.Name, at.Err)
	}
	return fmt.Errorf("%s: %w", m.info.Name, at.Err)
}

// append appends a metric's rows of some lines.
func (w *worker) append(ctx context.Context, dst []float64, m int, some []int) ([]float64, error) {
	w.hyps, w.refs, w.sources = w.hyps[:0], w.refs[:0], w.sources[:0]
	for _, i := range some {
		t := &w.texts[i]
		w.hyps, w.sources = append(w.hyps, t.hyp), append(w.sources, t.src)
		if len(w.x.o.Layout.References) > 0 {
			w.refs = append(w.refs, t.refs)
		}
	}
	one := &w.x.metrics[m]
	var p mteval.Prepared
	var err error
	if one.source != nil {
		refs := w.refs
		if len(w.x.o.Layout.References) == 0 {
			refs = nil
		}
		p, err = one.source.PrepareSources(ctx, w.sources, refs)
	} else {
		p, err = one.Prepare(ctx, w.refs)
	}
	if err == nil && contract.Nil(p) {
		err = contract.NoPrepared(one.info.Name)
	}
	if err != nil {
		return nil, err
	}
	if dst, err = p.Append(ctx, dst, nil, w.hyps); err != nil {
		return nil, err
	}
	return dst, contract.Length(one.info.Name, len(dst), len(w.hyps), one.width)
}

// judge makes the scores of the lines without an error, and asks the filter.
func (w *worker) judge(b *block) {
	x, n := w.x, len(w.x.metrics)
	w.scores = slices.Grow(w.scores[:0], len(b.at)*n)[:len(b.at)*n]
	w.keep = slices.Grow(w.keep[:0], len(b.at))[:len(b.at)]
	for i, err := range w.bad {
		if err != nil {
			continue
		}
		scores := w.scores[i*n : (i+1)*n]
		for m := range x.metrics {
			one := &x.metrics[m]
			s := one.Score(b.rows[m][i*one.width : (i+1)*one.width])
			if s-s != 0 { // which JSON could not have either
				w.bad[i] = fmt.Errorf("%s: the score is %v, and no number", one.info.Name, s)
			}
			scores[m] = s
		}
		if w.bad[i] == nil {
			w.keep[i], w.bad[i] = w.keeps(&w.texts[i], scores)
		}
	}
}

// keeps asks the filter.
func (w *worker) keeps(t *texts, scores []float64) (bool, error) {
	f := w.x.o.Filter
	if f == nil {
		return true, nil
	}
	w.lengths.reset()
	w.values = w.values[:0]
	for _, v := range w.x.values {
		if v.metric >= 0 {
			w.values = append(w.values, scores[v.metric])
		} else {
			w.values = append(w.values, w.lengths.value(v.name, t))
		}
	}
	return f.Keep(w.values)
}

// tell makes errors of the lines that have one, up to one that ends the run.
func (w *worker) tell(b *block) {
	b.reason = w.reason()
	for i, err := range w.bad {
		if err == nil {
			continue
		}
		if id := w.texts[i].id; id != "" {
			err = fmt.Errorf("%s: %w", escape.Visible(id), err)
		}
		at := &files.LineError{Path: w.x.o.Name, Line: int(b.at[i]), Err: err}
		if w.ends(err) {
			b.fatal = at
			return
		}
		b.bad = append(b.bad, at)
	}
}

// maxReason bounds what is kept of an error, in bytes.
const maxReason = 200

// reason is the error of each line, "" where they have not all the same.
func (w *worker) reason() string {
	if slices.Contains(w.bad, nil) || len(w.bad) == 0 {
		return ""
	}
	text := w.bad[0].Error()
	if len(text) > maxReason || slices.ContainsFunc(w.bad[1:], func(err error) bool { return err.Error() != text }) {
		return ""
	}
	return text
}

// count leaves the rows of lines with an error out, and notes what the totals need.
func (w *worker) count(b *block) {
	k := 0
	for i, err := range w.bad {
		if err != nil {
			continue
		}
		b.refs = append(b.refs, len(w.texts[i].refs))
		b.kept = append(b.kept, w.keep[i])
		if k < i {
			for m := range w.x.metrics {
				width := w.x.metrics[m].width
				copy(b.rows[m][k*width:(k+1)*width], b.rows[m][i*width:(i+1)*width])
			}
		}
		k++
	}
}

// write makes the output of the block.
func (w *worker) write(b *block, text string) error {
	n := len(w.x.metrics)
	out := append(w.plain[:0], b.head...)
	for i, err := range w.bad {
		line, end := b.line(text, i)
		switch {
		case err == nil && w.keep[i]:
			out = append(b.layout.write(out, line, w.scores[i*n:(i+1)*n]), end...)
			b.written++
		case err != nil && w.x.o.OnError == Null && w.x.o.Filter == nil:
			out = append(b.layout.write(out, line, nil), end...)
			b.written++
		}
	}
	w.plain = out
	if w.x.o.Pack == nil || len(out) == 0 {
		b.out = append(b.out, out...)
		return nil
	}
	packed, err := w.x.o.Pack(b.out, out)
	if err != nil {
		return err
	}
	b.out = packed
	return nil
}

// ends says whether the error of a line ends the run.
func (w *worker) ends(err error) bool {
	var present *errPresent
	var place *noPlace
	switch w.x.o.OnError {
	case Fail:
		return true
	case Null:
		return errors.As(err, &place)
	}
	return errors.As(err, &present)
}
