package difficulty

import (
	"context"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
)

// A Field scores any of a set of systems with difficulty estimated by any of
// them, from matchings that were made once: for the curve over the K best
// systems, say. It implements ranking.Metric.
type Field struct {
	base mteval.MatchScorer
	ms   *mteval.Matchings
	opt  Options
	f    Function
}

// NewField returns the field of the systems in ms, which base's matcher made. The
// function is the caller's own measure of difficulty (zero: equation 2).
func NewField(base mteval.MatchScorer, ms *mteval.Matchings, o Options, f Function) (*Field, error) {
	fd := &Field{base, ms, o, f}
	if err := fd.opt.check(); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	if err := fd.opt.checkFunction(f.Name); err != nil {
		return nil, err
	}
	return fd, nil
}

// Info describes the metric. As weights differ from call to call its signature
// has neither their hash nor the number of systems.
func (f *Field) Info() mteval.Info {
	info := f.base.Info()
	sig := slices.Concat(info.Signature, f.opt.signature(), f.f.signature())
	return mteval.Info{Name: "da-" + info.Name, Signature: sig, Width: 4, Scale: 1}
}

// Scorer returns the scorer with the difficulty that the voters (nil: all systems)
// give. With LeaveOneOut it is for outputs of the voters.
func (f *Field) Scorer(voters []int) (*Scorer, error) {
	w, err := estimate(f.ms, voters, f.f)
	if err != nil {
		return nil, err
	}
	return New(f.base, w, f.opt)
}

// Scores returns the scores of the systems with these indices, with the difficulty
// that the voters (nil: all systems) give. With LeaveOneOut a voter's own vote is
// taken out, and a system that is none meets the votes of all.
func (f *Field) Scores(ctx context.Context, systems, voters []int) ([]float64, error) {
	s, err := f.Scorer(voters)
	if err != nil {
		return nil, err
	}
	others := s
	isVoter := func(k int) bool { return voters == nil || slices.Contains(voters, k) }
	if f.opt.LeaveOneOut && slices.ContainsFunc(systems, func(k int) bool { return !isVoter(k) }) {
		o := f.opt
		o.LeaveOneOut = false
		if others, err = New(f.base, s.weights, o); err != nil {
			return nil, err
		}
	}
	out := make([]float64, len(systems))
	err = parallel.For(ctx, len(systems), 0, 1, func(i, _ int) error {
		own := s
		if !isVoter(systems[i]) {
			own = others
		}
		out[i] = own.Score(f.ms.Sum(own, systems[i]))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
