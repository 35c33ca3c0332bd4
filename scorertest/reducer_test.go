package scorertest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/tunable"
)

// powerMean is a sound Reducer: overlap's F to a power, as a mean over segments. What is
// not nil is its fault.
type powerMean struct {
	power float64

	statistics func(ctx context.Context, refs []string) (mteval.Prepared, error)
	width      int // of statistics; 0: what there is
	appendRow  func(s powerMean, dst, statistics []float64) []float64
}

func (powerMean) Width() int { return 2 }

func (s powerMean) Info() mteval.Info {
	return mteval.Info{Name: "powermean", Scale: 1, Signature: signature("power", s.power)}
}

// signature has one field. Those of a call are made once, as Info must not allocate.
func signature(key string, value float64) mteval.Signature {
	signatures.Lock()
	defer signatures.Unlock()
	of := struct {
		key   string
		value float64
	}{key, value}
	s, ok := signatures.of[of]
	if !ok {
		s = mteval.Signature{{Key: key, Value: decimal.Format(value)}}
		signatures.of[of] = s
	}
	return s
}

var signatures = struct {
	sync.Mutex
	of map[struct {
		key   string
		value float64
	}]mteval.Signature
}{of: make(map[struct {
	key   string
	value float64
}]mteval.Signature)}

func (s powerMean) Score(row []float64) float64 {
	mteval.CheckRow(row, 2)
	return row[0] / max(1, row[1])
}

func (s powerMean) Parameters() []tunable.Parameter {
	return []tunable.Parameter{{Name: "power", Value: s.power, Min: 1, Max: 4}}
}

func (s powerMean) WithParameters(values []float64) (tunable.Scorer, error) {
	if len(values) != 1 || !(values[0] >= 1 && values[0] <= 4) {
		return nil, fmt.Errorf("want a power from 1 to 4")
	}
	s.power = values[0]
	return s, nil
}

func (s powerMean) Statistics() tunable.Statistics { return &powerMeanStatistics{s} }

type powerMeanStatistics struct{ s powerMean }

func (p *powerMeanStatistics) Width() int {
	s := p.s
	if s.width != 0 {
		return s.width
	}
	return 3
}

func (p *powerMeanStatistics) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	s := p.s
	if s.statistics != nil {
		return s.statistics(ctx, refs)
	}
	return overlap{}.Prepare(ctx, views(refs))
}

// views are the references as segments with one each, in the same memory.
func views(refs []string) [][]string {
	out := make([][]string, len(refs))
	for i := range refs {
		out[i] = refs[i : i+1 : i+1]
	}
	return out
}

func (s powerMean) sound(dst, statistics []float64) []float64 {
	return append(dst, math.Pow(overlap{}.Score(statistics[:3]), s.power), 1)
}

func (p *powerMeanStatistics) AppendRow(dst, statistics []float64) []float64 {
	s := p.s
	if s.appendRow != nil {
		return s.appendRow(s, dst, statistics)
	}
	return s.sound(dst, statistics)
}

// Prepare has every reference as a segment of its own.
func (s powerMean) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	p := powerMeanRefs{s: s}
	var flat []string
	for _, r := range refs {
		p.first = append(p.first, len(flat))
		flat = append(flat, r...)
	}
	p.first = append(p.first, len(flat))
	var err error
	p.flat, err = overlap{}.Prepare(ctx, views(flat))
	return p, err
}

type powerMeanRefs struct {
	s     powerMean
	flat  mteval.Prepared
	first []int
}

func (p powerMeanRefs) Len() int { return len(p.first) - 1 }

func (p powerMeanRefs) Append(ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
	if err := mteval.CheckHypotheses(p.Len(), segs, hyps); err != nil {
		return dst, err
	}
	n := len(dst)
	for k, h := range hyps {
		seg := k
		if segs != nil {
			seg = segs[k]
		}
		best := []float64{-1, 1}
		for r := p.first[seg]; r < p.first[seg+1]; r++ {
			stats, err := p.flat.Append(ctx, nil, []int{r}, []string{h})
			if err != nil {
				return dst[:n], err
			}
			if row := p.s.sound(nil, stats); row[0] > best[0] {
				best = row
			}
		}
		dst = append(dst, best...)
	}
	return dst, nil
}

// statisticsOf is a Reducer with these statistics and nothing else wrong with it.
func statisticsOf(prepare func(ctx context.Context, refs [][]string) (mteval.Prepared, error)) powerMean {
	return powerMean{power: 2, statistics: func(ctx context.Context, refs []string) (mteval.Prepared, error) {
		return prepare(ctx, views(refs))
	}}
}

func reducerFaults() []fault {
	row := func(f func(s powerMean, dst, statistics []float64) []float64) powerMean {
		return powerMean{power: 2, appendRow: f}
	}
	rows := func(f func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error)) powerMean {
		return statisticsOf((&faulty{rows: f}).Prepare)
	}
	calls := new(atomic.Int64)
	return []fault{
		{name: "statistics change references", s: powerMean{power: 2, statistics: func(ctx context.Context, refs []string) (mteval.Prepared, error) {
			p, err := overlap{}.Prepare(ctx, views(refs))
			for i := range refs {
				refs[i] += "."
			}
			return p, err
		}}, want: breaks(statisticsPrepare, prepareInput)},
		{name: "statistics too few", s: powerMean{power: 2, width: 4}, want: breaks(statisticsAppend, statistics)},
		{name: "statistics NaN", s: rows(func(p mteval.Prepared, ctx context.Context, dst []float64, segs []int, hyps []string) ([]float64, error) {
			n := len(dst)
			dst, err := p.Append(ctx, dst, segs, hyps)
			for i := range dst[n:] {
				if i%3 == 2 && hyps[i/3] == "" {
					dst[n+i] = math.NaN()
				}
			}
			return dst, err
		}), want: breaks(statisticsAppend, statistics)},
		{name: "statistics with the parameter in them", s: statisticsWithPower{powerMean{power: 2}}, want: breaks("WithParameters", paramRows)},
		{name: "AppendRow gives another row", s: row(func(s powerMean, dst, st []float64) []float64 {
			return append(dst, s.sound(nil, st)[0]/2, 1)
		}), want: append(breaks("AppendRow", reduceRow), breaks("Keep", keepRows)...)},
		{name: "AppendRow changes from call to call", s: row(func(s powerMean, dst, st []float64) []float64 {
			return append(dst, s.sound(nil, st)[0], float64(calls.Add(1)))
		}), want: breaks("AppendRow", reducePure)},
		{name: "AppendRow changes statistics", s: row(func(s powerMean, dst, st []float64) []float64 {
			dst = s.sound(dst, st)
			st[0] += .5
			return dst
		}), want: breaks("AppendRow", reducePure)},
		{name: "AppendRow starts over", s: row(func(s powerMean, dst, st []float64) []float64 {
			return s.sound(dst[:0], st)
		}), want: breaks("AppendRow", reduceAppends)},
		{name: "AppendRow adds to what lies behind", s: row(func(s powerMean, dst, st []float64) []float64 {
			r := s.sound(nil, st)
			n := len(dst)
			dst = slices.Grow(dst, 2)[:n+2]
			dst[n] += r[0]
			dst[n+1] += r[1]
			return dst
		}), want: breaks("AppendRow", reduceAppends)},
		{name: "AppendRow allocates", s: row(func(s powerMean, dst, st []float64) []float64 {
			return append(dst, s.sound(nil, clone(st))...)
		}), want: breaks("AppendRow", reduceAllocates)},
	}
}

// statisticsWithPower is powerMean with statistics that are its row.
type statisticsWithPower struct{ powerMean }

func (s statisticsWithPower) WithParameters(values []float64) (tunable.Scorer, error) {
	p, err := s.powerMean.WithParameters(values)
	if err != nil {
		return nil, err
	}
	return statisticsWithPower{p.(powerMean)}, nil
}

func (s statisticsWithPower) Statistics() tunable.Statistics { return &rowStatistics{s} }

type rowStatistics struct{ s statisticsWithPower }

func (*rowStatistics) Width() int { return 2 }

func (r *rowStatistics) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	return r.s.Prepare(ctx, views(refs))
}

func (*rowStatistics) AppendRow(dst, statistics []float64) []float64 {
	return append(dst, statistics...)
}
