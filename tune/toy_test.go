package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/tunable"
)

// toy is a metric over texts of numbers, "precision recall fragmentation", with METEOR's
// parameters and ranges. Its corpus's score is of the means.
type toy struct {
	alpha, beta, gamma float64
	lower              bool // 1 − score
}

func (toy) Width() int { return 4 }

func (s toy) Info() mteval.Info {
	return mteval.Info{Name: "toy", Scale: 1, LowerIsBetter: s.lower, Signature: mteval.Signature{{Key: "alpha", Value: decimal.Format(s.alpha)}}}
}

func (s toy) Score(row []float64) float64 {
	mteval.CheckRow(row, 4)
	v := 0.0
	if n := row[3]; n > 0 {
		p, r, f := row[0]/n, row[1]/n, row[2]/n
		if mean := (1-s.alpha)/p + s.alpha/r; mean > 0 {
			v = (1 - s.gamma*math.Pow(f, s.beta)) / mean
		}
	}
	if s.lower {
		v = 1 - v
	}
	return v
}

func (s toy) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return texts{len(refs), 3, true}, ctx.Err()
}

func (s toy) Parameters() []tunable.Parameter {
	return []tunable.Parameter{
		{Name: "alpha", Value: s.alpha, Max: 1}, {Name: "beta", Value: s.beta, Max: math.Inf(1)}, {Name: "gamma", Value: s.gamma, Max: 1},
	}
}

func (s toy) WithParameters(v []float64) (tunable.Scorer, error) {
	if len(v) != 3 || !(v[0] >= 0 && v[0] <= 1 && v[1] >= 0 && v[2] >= 0 && v[2] <= 1) {
		return nil, errors.New("out of range")
	}
	s.alpha, s.beta, s.gamma = v[0], v[1], v[2]
	return s, nil
}

// mix is a Reducer over texts of two numbers: the mean of w·a + (1−w)·b. It takes no w
// above most.
type mix struct{ w, most float64 }

func (mix) Width() int { return 2 }

func (s *mix) Info() mteval.Info { return mteval.Info{Name: "mix", Scale: 1} }

func (s *mix) Score(row []float64) float64 {
	mteval.CheckRow(row, 2)
	if row[1] == 0 {
		return 0
	}
	return row[0] / row[1]
}

func (s *mix) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return nil, errors.New("rows are not asked for")
}

func (s *mix) Parameters() []tunable.Parameter {
	return []tunable.Parameter{{Name: "w", Value: s.w, Max: 1}}
}

func (s *mix) WithParameters(v []float64) (tunable.Scorer, error) {
	if len(v) != 1 || !(v[0] >= 0 && v[0] <= s.most) {
		return nil, errors.New("out of range")
	}
	other := *s
	other.w = v[0]
	return &other, nil
}

func (s *mix) Statistics() tunable.Statistics { return (*mixStatistics)(s) }

type mixStatistics mix

func (*mixStatistics) Width() int { return 2 }

func (*mixStatistics) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	return texts{len(refs), 2, false}, ctx.Err()
}

func (s *mixStatistics) AppendRow(dst, stats []float64) []float64 {
	return append(dst, s.w*stats[0]+(1-s.w)*stats[1], 1)
}

// texts reads width numbers of each hypothesis, and adds a 1 if one is set.
type texts struct {
	n, width int
	one      bool
}

func (p texts) Len() int { return p.n }

func (p texts) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(p.n, segs, hyps); err != nil {
		return dst, err
	}
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	for _, h := range hyps {
		fields := strings.Fields(h)
		if len(fields) != p.width {
			return dst, fmt.Errorf("no %d numbers: %q", p.width, h)
		}
		for _, f := range fields {
			var v float64
			if _, err := fmt.Sscan(f, &v); err != nil {
				return dst, err
			}
			dst = append(dst, v)
		}
		if p.one {
			dst = append(dst, 1)
		}
	}
	return dst, nil
}

// numbers makes a set of n segments and k systems of random numbers, width each, better
// for later systems. Some outputs are the same.
func numbers(name string, r *rand.Rand, k, n, width int) *Set {
	s := &Set{Name: name, Refs: make([][]string, n)}
	for i := range n {
		s.Refs[i] = []string{"reference"}
	}
	for j := range k {
		sys := mteval.System{Name: fmt.Sprintf("s%d", j)}
		for i := range n {
			if j > 0 && r.IntN(5) == 0 {
				sys.Hyps = append(sys.Hyps, s.Systems[j-1].Hyps[i])
				continue
			}
			var x []string
			for range width {
				x = append(x, fmt.Sprintf("%.3f", .1+.3*float64(j)/float64(k)+.6*r.Float64()))
			}
			sys.Hyps = append(sys.Hyps, strings.Join(x, " "))
		}
		s.Systems = append(s.Systems, sys)
	}
	return s
}
