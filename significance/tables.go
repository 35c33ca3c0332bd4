package significance

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
)

// BootstrapTables is Bootstrap of several tables of the same segments, on the same samples:
// BootstrapTables(…)[t][k][i] is the score of system k of table t on sample i. Tables can
// have other systems and other metrics.
//
// A row that is drawn several times is added once, multiplied, in the order of the segments.
// That is faster than the order of the draws, which Bootstrap has for sacreBLEU's sake, and
// sums of real numbers differ from Bootstrap's in the last bits.
func BootstrapTables(ctx context.Context, tables []*mteval.Table, o Options) ([][][]float64, error) {
	all := make([]*segments, len(tables))
	n, values, width := 0, 0, 0
	for i, t := range tables {
		if t == nil || t.Len() == 0 {
			return nil, ErrNoSegments
		}
		if i > 0 && t.Len() != n {
			return nil, fmt.Errorf("significance: table %d has %d segments, the first %d", i+1, t.Len(), n)
		}
		n = t.Len()
		var err error
		if all[i], err = bySegment(ctx, t); err != nil {
			return nil, err
		}
		values += len(t.Systems)
		width = max(width, all[i].width)
	}
	if len(tables) == 0 {
		return nil, nil
	}
	samples, err := Resample(ctx, n, o, values, func(draws []uint32, out []float64) error {
		times, room := countDraws(draws, n), make([]float64, width)
		for i, s := range all {
			sum := room[:s.width]
			clear(sum)
			if err := s.add(ctx, sum, times); err != nil {
				return err
			}
			k := len(tables[i].Systems)
			for system := range k {
				out[system] = tables[i].Score(s.system(sum, system))
			}
			out = out[k:]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([][][]float64, len(tables))
	for i, t := range tables {
		k := min(len(t.Systems), len(samples)) // none, if no table has a system
		out[i], samples = samples[:k:k], samples[k:]
	}
	return out, nil
}
