package difficulty

import (
	"context"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/rows"
)

// A Field scores any of a set of systems with difficulty estimated by any of
// them, from matchings that were made once: for the curve over the K best
// systems, say. It implements ranking.FieldMetric; Poll tells more of one choice.
type Field struct {
	base mteval.MatchScorer
	ms   *mteval.Matchings
	opt  Options
	f    Function
	info mteval.Info
}

// NewField returns the field of the systems in ms, which base's matcher made. The
// function is the caller's own measure of difficulty (zero: equation 2). With ms nil there
// are no systems, and the field describes itself and has no scores.
func NewField(base mteval.MatchScorer, ms *mteval.Matchings, o Options, f Function) (*Field, error) {
	if err := rows.CheckScorer(base); err != nil {
		return nil, fmt.Errorf("difficulty: %w", err)
	}
	fd := &Field{base: base, ms: ms, opt: o, f: f}
	if err := fd.opt.check(); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := fd.opt.checkFunction(f.Name); err != nil {
		return nil, err
	}
	if ms != nil && len(ms.Systems) > 0 {
		if err := checkMatchings(context.Background(), ms); err != nil {
			return nil, err
		}
	}
	info := base.Info()
	fd.info = mteval.Info{Name: fd.opt.name(info.Name), Signature: slices.Concat(info.Signature, fd.opt.signature(), f.signature()), Scale: 1}
	return fd, nil
}

// Info describes the metric. As weights differ from call to call its signature
// has neither their hash nor the number of systems.
func (f *Field) Info() mteval.Info {
	if f.base == nil {
		return mteval.Info{Scale: 1}
	}
	return f.info
}

// Scorer returns the scorer with the difficulty that the voters (nil: all systems)
// give. With LeaveOneOut it is for outputs of the voters: Poll looks after others.
func (f *Field) Scorer(voters []int) (*Scorer, error) { return f.scorer(context.Background(), voters) }

func (f *Field) scorer(ctx context.Context, voters []int) (*Scorer, error) {
	if f.base == nil {
		return nil, errNotNew
	}
	if f.ms == nil || len(f.ms.Systems) == 0 {
		return nil, ErrNoSystems
	}
	w, err := estimate(ctx, f.ms, voters, f.f)
	if err != nil {
		return nil, err
	}
	return newScorer(ctx, f.base, w, f.opt)
}

// Scores returns the scores of the systems with these indices, with the difficulty
// that the voters (nil: all systems) give: those of Poll.
func (f *Field) Scores(ctx context.Context, systems, voters []int) ([]float64, error) {
	p, err := f.Poll(ctx, systems, voters)
	if err != nil {
		return nil, err
	}
	return p.Scores(ctx)
}
