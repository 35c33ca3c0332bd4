package tuned

import (
	"fmt"
	"strings"

	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/tunable"
)

// Version of the form of the files.
const Version = 1

// A Result is the tuned parameters of a metric.
type Result struct {
	// Version is that of the form, Version.
	Version int `json:"version"`
	// Metric is its Info().Name.
	Metric string `json:"metric"`
	// Signature is that of the tuned metric. Apply takes its fields for the options that the
	// parameters were fitted with; "": these are not known.
	Signature string `json:"signature,omitempty"`
	// Parameters are all of the metric's, in its order, whether they were fitted or not.
	Parameters []Parameter `json:"parameters"`
	// Objective is what was made as large as possible, by its name in package tune.
	Objective string `json:"objective,omitempty"`
	// Data are the sets that the parameters were fitted on, Test those that were held out,
	// none if a share of the sources of Data was.
	Data []Data `json:"data,omitempty"`
	Test []Data `json:"test,omitempty"`
	// HeldOutShare is the share of the sources of each set of Data that was held out,
	// 0 if there is Test.
	HeldOutShare float64 `json:"held_out_share,omitempty"`
	// Seed, restarts and evaluations of the search.
	Seed        uint64 `json:"seed,omitempty"`
	Restarts    int    `json:"restarts,omitempty"`
	Evaluations int    `json:"evaluations,omitempty"`

	Figures Figures `json:"figures"`
}

// A Parameter of a metric with its value. Start is its value before, and Fitted whether it
// was free to change.
type Parameter struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Start  float64 `json:"start"`
	Fitted bool    `json:"fitted"`
}

// Data says what a set of judged texts is.
type Data struct {
	Name string `json:"name"`
	// SHA256 is of the texts and what people said, so that two sets with the same hash
	// are the same data.
	SHA256 string `json:"sha256"`
	// Sources, Hypotheses and Judgements are how many there are: source segments,
	// distinct texts for a segment that were judged, and pairs or scores.
	Sources    int `json:"sources"`
	Hypotheses int `json:"hypotheses"`
	Judgements int `json:"judgements"`
}

// A Figure is the objective on some data, before and after.
type Figure struct {
	// Name of the data, if it needs one.
	Name    string  `json:"name,omitempty"`
	Untuned float64 `json:"untuned"`
	Tuned   float64 `json:"tuned"`
}

// Figures say how far the metric agrees with people. Only Train is of data that the
// parameters were fitted on, and is too good for that.
type Figures struct {
	Train Figure `json:"train"`
	// Folds are those of cross-validation: of each, parameters fitted on the others.
	// CrossValidated and SD are their mean and standard deviation (n − 1).
	Folds          []Figure `json:"folds,omitempty"`
	CrossValidated Figure   `json:"cross_validated"`
	SD             Figure   `json:"sd"`
	// LeftOut has each set of the data, with parameters fitted on the other sets.
	LeftOut []Figure `json:"left_out,omitempty"`
	// HeldOut is of data that was not used at all, and HeldOutSets each of its sets.
	HeldOut     Figure   `json:"held_out"`
	HeldOutSets []Figure `json:"held_out_sets,omitempty"`
}

// Apply returns the scorer with the parameters. The error is for another metric, for
// parameters of other names, such as those of METEOR with other modules, for a value
// that the metric does not take, and an OptionsError where Signature tells of other options.
func (r *Result) Apply(s tunable.Scorer) (tunable.Scorer, error) {
	if err := rows.CheckScorer(s); err != nil {
		return nil, fmt.Errorf("tuned: %w", err)
	}
	if name := s.Info().Name; name != r.Metric {
		return nil, fmt.Errorf("tuned: parameters of %s for %s", r.Metric, name)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("tuned: %w", err)
	}
	params := s.Parameters()
	value := make(map[string]float64, len(r.Parameters))
	for _, p := range r.Parameters {
		value[p.Name] = p.Value
	}
	values := make([]float64, len(params))
	var missing []string
	for i, p := range params {
		v, ok := value[p.Name]
		if !ok {
			missing = append(missing, p.Name)
		}
		values[i] = v
		delete(value, p.Name)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("tuned: %s has a parameter %s, which was not tuned: use the options that it was tuned with%s", r.Metric, strings.Join(missing, ", "), r.with())
	}
	for _, p := range r.Parameters {
		if _, left := value[p.Name]; left {
			return nil, fmt.Errorf("tuned: %s as it is set up has no parameter %s: use the options that it was tuned with%s", r.Metric, p.Name, r.with())
		}
	}
	out, err := s.WithParameters(values)
	if err != nil {
		return nil, fmt.Errorf("tuned: %w", err)
	}
	if err := r.checkOptions(s.Info().Signature, out.Info().Signature); err != nil {
		return nil, err
	}
	return out, nil
}

// check returns an error for what can't be tuned parameters.
func (r *Result) check() error {
	switch {
	case r.Metric == "":
		return fmt.Errorf("field metric: no metric is named")
	case len(r.Parameters) == 0:
		return fmt.Errorf("field parameters: there are none")
	}
	seen := make(map[string]bool, len(r.Parameters))
	for i, p := range r.Parameters {
		switch {
		case p.Name == "":
			return fmt.Errorf("field parameters: number %d has no name", i+1)
		case seen[p.Name]:
			return fmt.Errorf("field parameters: two are called %q", p.Name)
		case p.Value-p.Value != 0:
			return fmt.Errorf("field parameters: %s is %v, which is no finite number", p.Name, p.Value)
		}
		seen[p.Name] = true
	}
	return nil
}
