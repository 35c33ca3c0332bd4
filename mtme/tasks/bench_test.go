package tasks

import (
	"testing"

	"github.com/mteval/mteval/internal/numpyrand"
	"github.com/mteval/mteval/metaeval"
)

// A block of permutations of two metrics on 5,000 outputs.
func BenchmarkPermutations(b *testing.B) {
	s := &sample{metrics: make([][]float64, 2)}
	for i := range 5000 {
		s.human = append(s.human, float64(i*i%17))
		s.metrics[0], s.metrics[1] = append(s.metrics[0], float64(i*i%23)), append(s.metrics[1], float64(i*i%29))
		if i%10 == 9 {
			s.ends = append(s.ends, i+1)
		}
	}
	flat := *s
	flat.ends = []int{len(s.human)}
	for name, task := range map[string]Task{
		"pearson": {Measure: Pearson}, "kendall": {Measure: Kendall, Grouping: metaeval.ByItem}, "acc_eq": {Measure: AccEq, Grouping: metaeval.ByItem},
	} {
		of := s
		if task.Grouping == metaeval.NoGrouping {
			of = &flat
		}
		b.Run(name, func(b *testing.B) {
			p := newPermuter(newArena(task, of, []float64{0, 0}), task, &Options{}, numpyrand.NewCoins(0))
			c := p.arena.contest(0, 1)
			for b.Loop() {
				if err := p.draw(b.Context(), c, block); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
