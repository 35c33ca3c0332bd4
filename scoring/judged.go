package scoring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/lookalike"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/preference"
	"github.com/mteval/mteval/ranking"
)

// A JudgedSet is a folder of systems that people judged, as files.FindJudged finds it.
type JudgedSet struct {
	*files.Folder
	Language string // of the references, as files.Language tells it
	// Human scores by output, more being better; NaN: none. Unscored are the systems without one,
	// and Missing those with one whose outputs are not there. OpenHuman reads them.
	Human             []float64
	Unscored, Missing []string
}

// FindJudged finds the files of folders of systems that people judged. Two of a name, and one
// with less than two outputs, are errors.
func FindJudged(paths []string) ([]*JudgedSet, error) {
	at := make(map[string]string)
	var out []*JudgedSet
	for _, path := range paths {
		f, err := files.FindJudged(path)
		if err != nil {
			return nil, err
		}
		if before, ok := at[f.Name]; ok {
			return nil, fmt.Errorf("%s and %s are both called %s: give one of them another name", before, path, f.Name)
		}
		at[f.Name] = path
		s := &JudgedSet{Folder: f}
		if s.Language, err = f.Language(); err != nil {
			return nil, err
		}
		if len(f.Outputs) < 2 {
			return nil, fmt.Errorf("%s: one output in it (%s): want two systems at least", path, f.Outputs[0])
		}
		out = append(out, s)
	}
	return out, nil
}

// Campaign is what the set was judged in: its name before the first "-".
func (s *JudgedSet) Campaign() string {
	if s.Folder == nil {
		return ""
	}
	c, _, _ := strings.Cut(s.Name, "-")
	return c
}

// OpenHuman reads people's scores of the set. It is an error if no two systems with outputs have
// different ones.
func (s *JudgedSet) OpenHuman(ctx context.Context, o files.Options) error {
	if s.Folder == nil {
		return errors.New("scoring: a judged set without a folder")
	}
	systems := files.SystemNames(s.Outputs)
	scored, human, err := openHuman(ctx, s.Folder.Human, systems, o)
	if err != nil {
		return err
	}
	// If all scores are of other systems, that is NewOrder's error, which does not name them.
	order, err := ranking.NewOrder(systems, human)
	if err != nil || len(order.Human) == 0 || order.Human[0] == order.Human[len(order.Human)-1] {
		return fmt.Errorf("%s: no two of the outputs have different scores in it: its systems are %s, the outputs' %s", s.Folder.Human, names.Few(scored), names.Few(systems))
	}
	s.Human = slices.Repeat([]float64{math.NaN()}, len(systems))
	for i, k := range order.Systems {
		s.Human[k] = order.Human[i]
	}
	s.Unscored, s.Missing = nil, order.Missing
	for _, k := range order.Unscored {
		s.Unscored = append(s.Unscored, systems[k])
	}
	return nil
}

// OpenHuman reads a file of people's scores of systems. A system without a score is left out. A
// name that is none of the systems', and is shown as one of them is, is an error.
func OpenHuman(ctx context.Context, path string, systems []mteval.System, o files.Options) ([]ranking.Human, error) {
	_, human, err := openHuman(ctx, path, systemNames(systems), o)
	return human, err
}

// openHuman reads people's scores, and the names of all systems in the file.
func openHuman(ctx context.Context, path string, systems []string, o files.Options) ([]string, []ranking.Human, error) {
	scores, err := files.OpenSystems(ctx, path, systems, o)
	if err != nil {
		return nil, nil, err
	}
	if err := lookalike.Check(path, scores.Systems, "the outputs", systems); err != nil {
		return nil, nil, err
	}
	return scores.Systems, ranking.HumanOf(scores), nil
}

// A Calibrated is a calibration and what it is worth.
type Calibrated struct {
	*preference.Calibration
	// Figures are the combination's and then each metric's, on what they were not fitted on;
	// none, if there is one set only.
	Figures []preference.Validation
}

// Calibrate fits a calibration to judged sets, and says what it is worth where it was not fitted.
// Errors are those of preference.Fit and Validate, and that nothing could be learnt.
func Calibrate(ctx context.Context, sets []preference.Set, o preference.FitOptions) (*Calibrated, error) {
	c, err := preference.Fit(ctx, sets, o)
	if err != nil {
		return nil, err
	}
	if c.Terms[0].Weight == 0 {
		return nil, errors.New("the metrics tell no systems apart that people scored differently, so that nothing can be learnt: of a single segment, and where all outputs are equal, they do not")
	}
	r := &Calibrated{Calibration: c}
	if len(sets) > 1 {
		if r.Figures, err = preference.Validate(ctx, sets, o); err != nil {
			return nil, err
		}
	}
	return r, nil
}
