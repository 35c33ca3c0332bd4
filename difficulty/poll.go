package difficulty

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/parallel"
)

// A Poll is a choice of a field's systems with the difficulty that its voters give: their
// scores, the rows of these, and what the score of a single output is made of. With
// LeaveOneOut a voter's own vote is taken out, and a system that is none meets the votes
// of all. It is safe for concurrent use. The zero value has no systems and no segments, and
// its scores are an error.
type Poll struct {
	field   *Field
	scorer  *Scorer   // of the voters
	scorers []*Scorer // by system
	systems []int
}

var errNotPolled = errors.New("difficulty: no field: a Poll comes from Field.Poll")

// Poll takes the votes of the voters (nil: all systems) for the systems with these indices,
// which the Poll's methods count in this order.
func (f *Field) Poll(ctx context.Context, systems, voters []int) (*Poll, error) {
	s, err := f.scorer(ctx, voters)
	if err != nil {
		return nil, err
	}
	p := &Poll{field: f, scorer: s, scorers: make([]*Scorer, len(systems)), systems: slices.Clone(systems)}
	var others *Scorer // of systems that have no vote to be taken out
	for i, k := range systems {
		if k < 0 || k >= len(f.ms.Systems) {
			return nil, fmt.Errorf("difficulty: system %d of %d", k, len(f.ms.Systems))
		}
		p.scorers[i] = s
		if !f.opt.LeaveOneOut || voters == nil || slices.Contains(voters, k) {
			continue
		}
		if others == nil {
			o := f.opt
			o.LeaveOneOut = false
			if others, err = newScorer(ctx, f.base, s.weights, o); err != nil {
				return nil, err
			}
		}
		p.scorers[i] = others
	}
	return p, nil
}

// Scorer is that of the voters, whose signature has their number and the weights' hash.
func (p *Poll) Scorer() *Scorer {
	if p.scorer == nil {
		return new(Scorer)
	}
	return p.scorer
}

// Weights are the difficulties that the voters give.
func (p *Poll) Weights() *Weights {
	if p.scorer == nil {
		return new(Weights)
	}
	return p.scorer.weights
}

// Len is the number of segments.
func (p *Poll) Len() int {
	if p.field == nil {
		return 0
	}
	return p.field.ms.Len()
}

// Systems returns the names of the systems.
func (p *Poll) Systems() []string {
	out := make([]string, len(p.systems))
	for i, k := range p.systems {
		out[i] = p.field.ms.Systems[k]
	}
	return out
}

// BaseScore is the base metric's score of the output of system i for a segment. It panics,
// as Score and Detail do, if there is no such output.
func (p *Poll) BaseScore(i, segment int) float64 {
	s := p.field.base
	refs, m := p.matching(i, segment)
	return s.Score(s.AppendMatch(nil, segment, refs, m))
}

// Score is the difficulty-aware score of the output of system i for a segment. It panics if
// there is no such output.
func (p *Poll) Score(i, segment int) float64 {
	s := p.scorers[i]
	refs, m := p.matching(i, segment)
	return s.Score(s.AppendMatch(nil, segment, refs, m))
}

// Detail is the difficulty-aware score of the output of system i for a segment, in parts. It
// panics if there is no such output.
func (p *Poll) Detail(i, segment int) Detail {
	refs, m := p.matching(i, segment)
	return p.scorers[i].Detail(segment, refs, m)
}

func (p *Poll) matching(i, segment int) ([][]mteval.Token, *mteval.Matching) {
	return p.field.ms.RefTokens(segment), p.field.ms.At(p.systems[i], segment)
}

// Scores returns the scores of the systems.
func (p *Poll) Scores(ctx context.Context) ([]float64, error) {
	if p.field == nil {
		return nil, errNotPolled
	}
	out := make([]float64, len(p.systems))
	err := parallel.For(ctx, len(out), 0, 1, func(i, _ int) error {
		sum, err := p.sum(ctx, i)
		out[i] = p.scorers[i].Score(sum)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// sum is the sum of a system's rows.
func (p *Poll) sum(ctx context.Context, i int) ([]float64, error) {
	s := p.scorers[i]
	sum, row := make([]float64, s.Width()), make([]float64, 0, s.Width())
	for segment := range p.Len() {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		refs, m := p.matching(i, segment)
		row = s.AppendMatch(row[:0], segment, refs, m)
		if segment == 0 {
			copy(sum, row) // not added to 0, which makes 0 of −0
			continue
		}
		for j, x := range row {
			sum[j] += x
		}
	}
	return sum, nil
}

// Table returns the rows of the systems. Its Info is the Field's, without a hash of the
// weights, which takes longer than the rows: that of Scorer has it.
func (p *Poll) Table(ctx context.Context) (*mteval.Table, error) {
	if p.field == nil {
		return nil, errNotPolled
	}
	t := mteval.NewTable(&tableScorer{p.scorer, p.field.info}, p.Systems(), p.Len())
	err := parallel.For(ctx, p.Len(), 0, 16, func(lo, hi int) error {
		for segment := lo; segment < hi; segment++ {
			for i, s := range p.scorers {
				refs, m := p.matching(i, segment)
				s.AppendMatch(t.Row(i, segment)[:0], segment, refs, m)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// A tableScorer is a scorer with the description of its field.
type tableScorer struct {
	*Scorer
	info mteval.Info
}

func (s *tableScorer) Info() mteval.Info { return s.info }
