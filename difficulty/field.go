package difficulty

import (
	"context"
	"errors"
	"fmt"
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
	info mteval.Info
}

// NewField returns the field of the systems in ms, which base's matcher made. The
// function is the caller's own measure of difficulty (zero: equation 2). With ms nil the
// field checks options and describes itself, and has no scores.
func NewField(base mteval.MatchScorer, ms *mteval.Matchings, o Options, f Function) (*Field, error) {
	if base == nil {
		return nil, errors.New("difficulty: no metric")
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
	fd.info = mteval.Info{Name: "da-" + info.Name, Signature: slices.Concat(info.Signature, fd.opt.signature(), f.signature()), Scale: 1}
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
// give. With LeaveOneOut it is for outputs of the voters.
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
// that the voters (nil: all systems) give. With LeaveOneOut a voter's own vote is
// taken out, and a system that is none meets the votes of all.
func (f *Field) Scores(ctx context.Context, systems, voters []int) ([]float64, error) {
	s, err := f.scorer(ctx, voters)
	if err != nil {
		return nil, err
	}
	for _, k := range systems {
		if k < 0 || k >= len(f.ms.Systems) {
			return nil, fmt.Errorf("difficulty: system %d of %d", k, len(f.ms.Systems))
		}
	}
	others := s
	isVoter := func(k int) bool { return voters == nil || slices.Contains(voters, k) }
	if f.opt.LeaveOneOut && slices.ContainsFunc(systems, func(k int) bool { return !isVoter(k) }) {
		o := f.opt
		o.LeaveOneOut = false
		if others, err = newScorer(ctx, f.base, s.weights, o); err != nil {
			return nil, err
		}
	}
	out := make([]float64, len(systems))
	err = parallel.For(ctx, len(systems), 0, 1, func(i, _ int) error {
		own := s
		if !isVoter(systems[i]) {
			own = others
		}
		sum, err := f.sum(ctx, own, systems[i])
		out[i] = own.Score(sum)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// sum is what f.ms.Sum(s, system) is, but ends when ctx does.
func (f *Field) sum(ctx context.Context, s *Scorer, system int) ([]float64, error) {
	sum, row := make([]float64, 4), make([]float64, 0, 4)
	for i := range f.ms.Len() {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		row = s.AppendMatch(row[:0], i, f.ms.RefTokens(i), f.ms.At(system, i))
		if i == 0 {
			copy(sum, row) // not added to 0, which makes 0 of −0
			continue
		}
		for j, x := range row {
			sum[j] += x
		}
	}
	return sum, nil
}
