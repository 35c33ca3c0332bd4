package mteval

import "context"

// A Parameter is a number that a metric's score depends on, but not the work on texts.
type Parameter struct {
	Name     string
	Value    float64
	Min, Max float64 // the range of values; either can be infinite
}

// A Parameterised is a Scorer with parameters that can be changed without scoring texts
// again, as tuning does: whatever the parameters, the row of a hypothesis against one
// reference is the same, or, if it is a Reducer, its statistics are. (With several
// references the one that is chosen may differ.)
type Parameterised interface {
	Scorer

	// Parameters returns the parameters with their values.
	Parameters() []Parameter

	// WithParameters returns the scorer with other values, in the order of
	// Parameters. It is an error if their number is another, or one is out of range.
	WithParameters(values []float64) (Parameterised, error)
}

// A Reducer is a Parameterised whose rows depend on its parameters, because a corpus's
// score is no function of sums without them: it is the mean of segments' scores, say. It
// works in two steps, from texts to statistics, which are the same whatever the
// parameters, and from the statistics of a segment to its row.
type Reducer interface {
	Parameterised

	// StatisticsWidth is the number of statistics of a hypothesis and one reference.
	StatisticsWidth() int

	// PrepareStatistics does the work on references under the conditions of Prepare.
	// Segment i has the reference refs[i], and what Append appends is the statistics of
	// each hypothesis, StatisticsWidth of them.
	PrepareStatistics(ctx context.Context, refs []string) (Prepared, error)

	// AppendRow appends the row of a hypothesis with these statistics against one
	// reference. It is a pure function, and allocates nothing but room in dst.
	AppendRow(dst, statistics []float64) []float64
}

// StatisticsWidth is the number of statistics that PrepareStatistics makes for s.
func StatisticsWidth(s Scorer) int {
	if r, ok := s.(Reducer); ok {
		return r.StatisticsWidth()
	}
	return s.Info().Width
}

// PrepareStatistics prepares one reference a segment for what does not depend on the
// parameters of s: the statistics of a Reducer, the rows of another.
func PrepareStatistics(ctx context.Context, s Scorer, refs []string) (Prepared, error) {
	if r, ok := s.(Reducer); ok {
		return r.PrepareStatistics(ctx, refs)
	}
	single, err := Segments(refs)
	if err != nil {
		return nil, err
	}
	return s.Prepare(ctx, single)
}

// AppendRow appends the row of a hypothesis with these statistics.
func AppendRow(dst []float64, s Scorer, statistics []float64) []float64 {
	if r, ok := s.(Reducer); ok {
		return r.AppendRow(dst, statistics)
	}
	return append(dst, statistics...)
}

// A BestReference makes the row of a hypothesis from its statistics against several
// references: that with the best score, of equals the first.
type BestReference struct {
	s     Scorer
	width int
	lower bool
}

// NewBestReference is for the rows of s.
func NewBestReference(s Scorer) BestReference {
	return BestReference{s, StatisticsWidth(s), s.Info().LowerIsBetter}
}

// AppendRow appends the row. statistics are those against each reference, one after
// another, at least one. It allocates nothing but room in dst, one row more than it needs.
func (b BestReference) AppendRow(dst, statistics []float64) []float64 {
	start := len(dst)
	dst = AppendRow(dst, b.s, statistics[:b.width])
	end := len(dst)
	best := 0.0
	for at := b.width; at < len(statistics); at += b.width {
		if at == b.width {
			best = b.s.Score(dst[start:end])
		}
		dst = AppendRow(dst, b.s, statistics[at:at+b.width])
		if v := b.s.Score(dst[end:]); b.lower && v < best || !b.lower && v > best {
			best = v
			copy(dst[start:end], dst[end:])
		}
		dst = dst[:end]
	}
	return dst
}
