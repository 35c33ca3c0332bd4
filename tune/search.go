package tune

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/optimize"

	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/tunable"
)

// step is the first standard deviation of CMA-ES, in shares of a parameter's range.
const step = .2

// A search is one run of the optimiser.
type search struct {
	scorer    tunable.Scorer
	space     *space
	parts     []*part
	objective Objective
	seed      uint64
	number    uint64 // of the search, for its random numbers
	random    bool   // starts from a random point
	limit     int    // evaluations
	done      *atomic.Int64
}

// best is what a search found.
type best struct {
	value  float64
	values []float64
}

// run returns the best values that it came across, or those of the scorer. It is
// deterministic: one evaluation follows the other.
func (s *search) run(ctx context.Context) (best, error) {
	e := newEvaluator(s.objective)
	b := best{e.value(s.scorer, s.parts), slices.Clone(s.space.start)}
	source := rand.NewPCG(s.seed, s.number)
	point := s.space.origin()
	if s.random {
		r := rand.New(source)
		for i, a := range s.space.axes {
			if a.bounded() {
				point[i] = r.Float64()
			} else {
				point[i] += r.NormFloat64()
			}
		}
	}
	n := 0
	var values []float64
	problem := optimize.Problem{
		Func: func(u []float64) float64 {
			n++
			s.done.Add(1)
			v := s.objective.worst()
			if ctx.Err() != nil { // Status is asked only after several evaluations
				return -v
			}
			values = s.space.values(values, u)
			// Values within the ranges that are refused together are as bad as can be.
			if c, err := s.scorer.WithParameters(values); err == nil && !contract.Nil(c) && c.Width() == s.scorer.Width() {
				if v = e.value(c, s.parts); v > b.value {
					b.value = v
					b.values = append(b.values[:0], values...)
				}
			}
			return -v
		},
		Status: func() (optimize.Status, error) {
			if err := ctx.Err(); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}
	settings := &optimize.Settings{FuncEvaluations: s.limit, Converger: optimize.NeverTerminate{}}
	// An error of the method's own is no more than its end: b has the best so far.
	_, _ = optimize.Minimize(problem, point, settings, &optimize.CmaEsChol{InitStepSize: step, Src: source})
	s.done.Add(int64(s.limit - n))
	return b, ctx.Err()
}
