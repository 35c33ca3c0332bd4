package mteval

import (
	"context"
	"errors"
	"fmt"

	"github.com/mteval/mteval/internal/contract"
)

// ErrNoSource is returned where a metric reads sources and was given none. An empty source
// ("") is a source.
var ErrNoSource = errors.New("no source")

// A SourceScorer is a Scorer of a metric that reads sources, beside references or in their
// place. Its Prepare, which has none, gives an error that wraps ErrNoSource where it can't
// do without.
type SourceScorer interface {
	Scorer

	// Inputs says what the metric reads. It returns the same value every time.
	Inputs() Inputs

	// PrepareSources does the work on sources and references, under the conditions of
	// Scorer.Prepare: sources[i] is what segment i translates, and refs[i] holds its
	// references. There are as many sources as references, else it is ErrLength; where
	// references are not Required, refs may be nil, which is that no segment has any, and
	// where they are Unused they are not looked at. It keeps neither.
	PrepareSources(ctx context.Context, sources []string, refs [][]string) (Prepared, error)
}

// A SourceAggregateScorer is a SourceScorer that can make one reference of many beside a source,
// as an AggregateScorer does without. Package mbr uses it.
type SourceAggregateScorer interface {
	SourceScorer
	// PrepareSourcesAggregate is AggregateScorer.PrepareAggregate of segments with a source
	// each, under the conditions of PrepareSources. Where with its options there is no mean,
	// the error wraps errors.ErrUnsupported.
	PrepareSourcesAggregate(ctx context.Context, sources []string, refs [][]string, weights [][]float64) (Prepared, error)
}

// SourcePairs are Pairs, of a SourceScorer's NewPairs, of texts that all translate one source.
type SourcePairs interface {
	Pairs
	// SetSource is Set with the source. Set, which has none, gives an error that wraps
	// ErrNoSource where the metric can't do without.
	SetSource(ctx context.Context, source string, texts []string) error
}

// A Use says whether a metric reads something.
type Use uint8

// What a metric can do with a kind of text.
const (
	Unused   Use = iota // it is not looked at
	Optional            // it is read where it is there, which changes the score
	Required            // there is no score without
)

// Inputs are what a metric reads beside hypotheses. One of the two at least is Required, or
// both are Optional and one must be there. Sources are Unused of a metric that reads them
// with other options.
type Inputs struct{ Sources, References Use }

// InputsOf returns what s reads: references alone, if it is no SourceScorer, or one that
// WithSources has given its sources.
func InputsOf(s Scorer) Inputs {
	if contract.Nil(s) {
		return Inputs{References: Required}
	}
	switch s := s.(type) {
	case SourceScorer:
		return s.Inputs()
	case *sourced:
		return Inputs{References: s.of.Inputs().References}
	}
	return Inputs{References: Required}
}

// WithSources returns a scorer of the same metric that has its sources: with it a metric
// that reads sources goes wherever any Scorer goes, such as Corpus, Systems, and the
// packages over them. Its Prepare takes the references of exactly these segments, in
// their order, else it is ErrLength; where the metric can do without references, as many
// segments without any will do: make([][]string, len(sources)). It keeps sources. It panics
// if s is nil.
func WithSources(s SourceScorer, sources []string) Scorer {
	if contract.Nil(s) {
		panic("mteval: WithSources: " + contract.ErrNoMetric.Error())
	}
	return &sourced{s, sources}
}

// sourced is no SourceScorer itself: it has its sources.
type sourced struct {
	of      SourceScorer
	sources []string
}

func (s *sourced) Info() Info                  { return s.of.Info() }
func (s *sourced) Width() int                  { return s.of.Width() }
func (s *sourced) Score(row []float64) float64 { return s.of.Score(row) }

func (s *sourced) Prepare(ctx context.Context, refs [][]string) (Prepared, error) {
	if len(refs) != len(s.sources) {
		return nil, differentSources(len(s.sources), len(refs))
	}
	return s.of.PrepareSources(ctx, s.sources, refs)
}

func differentSources(sources, refs int) error {
	return fmt.Errorf("%w: %d sources for %d segments of references", ErrLength, sources, refs)
}

// CheckSources returns an error if sources and refs are not what PrepareSources takes of a
// metric that reads references as in says. Every PrepareSources starts with it.
func CheckSources(in Inputs, sources []string, refs [][]string) error {
	if in.References != Required && (in.References == Unused || refs == nil) {
		return nil
	}
	if len(refs) != len(sources) {
		return differentSources(len(sources), len(refs))
	}
	if in.References == Required {
		return CheckReferences(refs)
	}
	return nil
}

// readBy returns the references that s reads, for its signature.
func readBy(s Scorer, refs [][]string) [][]string {
	if InputsOf(s).References == Unused {
		return nil
	}
	return refs
}
