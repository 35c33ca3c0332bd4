package mteval

// A Parameter is a number that a metric's score depends on, but not the work on texts.
type Parameter struct {
	Name     string
	Value    float64
	Min, Max float64 // the range of values; either can be infinite
}

// A Parameterised is a Scorer with parameters that can be changed without scoring texts
// again, as tuning does: whatever the parameters, the row of a hypothesis against one
// reference is the same. (With several references the one that is chosen may differ.)
type Parameterised interface {
	Scorer

	// Parameters returns the parameters with their values.
	Parameters() []Parameter

	// WithParameters returns the scorer with other values, in the order of
	// Parameters. It is an error if their number is another, or one is out of range.
	WithParameters(values []float64) (Parameterised, error)
}
