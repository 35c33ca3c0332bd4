package scoring

import (
	"errors"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/contract"
)

// A MissingError says that a metric lacks what it reads. It wraps mteval.ErrNoSource where
// sources are among that, and else mteval.ErrNoReference.
type MissingError struct {
	Metric string
	// Sources and References say what there must be: where both are true, one of the two.
	Sources, References bool
}

func (e *MissingError) Error() string {
	switch {
	case e.Sources && e.References:
		return fmt.Sprintf("%s: %v, and no reference", e.Metric, mteval.ErrNoSource)
	case e.Sources:
		return fmt.Sprintf("%s: %v: it reads what was translated", e.Metric, mteval.ErrNoSource)
	}
	return e.Metric + " reads references"
}

func (e *MissingError) Unwrap() error {
	if e.Sources {
		return mteval.ErrNoSource
	}
	return mteval.ErrNoReference
}

// WithSources returns a metric with the sources that it reads, or a *MissingError if it can't do
// without what the texts lack.
func WithSources(s mteval.Scorer, texts *files.Corpus) (mteval.Scorer, error) {
	switch {
	case texts == nil:
		return nil, errNoTexts
	case contract.Nil(s):
		return nil, contract.ErrNoMetric
	}
	in, unreferenced := mteval.InputsOf(s), !referenced(texts)
	sourced, reads := s.(mteval.SourceScorer)
	lacks := &MissingError{Metric: s.Info().Name}
	switch {
	case in.References == mteval.Required && unreferenced:
		lacks.References = true
		return nil, lacks
	case texts.Sources == nil && in.Sources == mteval.Required:
		lacks.Sources = true
		return nil, lacks
	case texts.Sources == nil && reads && unreferenced:
		lacks.Sources, lacks.References = true, true
		return nil, lacks
	case texts.Sources == nil || !reads || in.Sources == mteval.Unused:
		return s, nil
	}
	return mteval.WithSources(sourced, texts.Sources), nil
}

// referenced says whether there are references.
func referenced(texts *files.Corpus) bool { return len(texts.Refs) > 0 && len(texts.Refs[0]) > 0 }

// Reads says what of the texts some metric reads: sources, and references. References that are
// not there are taken for read. The error is the first metric's that lacks what it reads.
func Reads(texts *files.Corpus, scorers ...mteval.Scorer) (sources, references bool, err error) {
	if texts == nil {
		return false, false, errNoTexts
	}
	references = !referenced(texts) || len(scorers) == 0
	for _, s := range scorers {
		if _, err := WithSources(s, texts); err != nil {
			return false, false, err
		}
		in := mteval.InputsOf(s)
		sources = sources || in.Sources != mteval.Unused
		references = references || in.References != mteval.Unused
	}
	return sources, references, nil
}

// A TextError is a metric's failure at a text.
type TextError struct {
	Metric string
	Place  string // file:line, or the number of a segment whose text was in no file
	Err    error
}

func (e *TextError) Error() string { return fmt.Sprintf("%s: %s: %v", e.Place, e.Metric, e.Err) }

func (e *TextError) Unwrap() error { return e.Err }

// Locate says at which of the texts a metric failed: a *TextError, if err has a
// *mteval.SegmentError that names a text, and else err with the metric's name. The systems are
// those that were scored, nil for all of texts.
func Locate(texts *files.Corpus, systems []mteval.System, metric string, err error) error {
	var at *mteval.SegmentError
	if err == nil || texts == nil || !errors.As(err, &at) || at.Side == 0 {
		return fmt.Errorf("%s: %w", metric, err)
	}
	if systems == nil {
		systems = texts.Systems
	}
	var place string
	switch {
	case at.Side == mteval.SourceSide:
		place = texts.SourcePlace(at.Segment)
	case at.Side == mteval.ReferenceSide:
		place = texts.RefPlace(at.Segment, at.Index)
	case at.Index >= 0 && at.Index < len(systems):
		place = texts.HypPlace(systems[at.Index].Name, at.Segment)
	}
	if place == "" {
		place = fmt.Sprintf("segment %d", texts.Number(at.Segment))
	}
	return &TextError{metric, place, at.Err}
}

// locate is Locate of the texts of a run.
func (r *Run) locate(metric string, err error) error { return Locate(r.Texts, r.Systems, metric, err) }
