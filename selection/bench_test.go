package selection_test

import (
	"strconv"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/selection"
)

// Utilities of 1,000 segments by 12 systems.
func BenchmarkUtilities(b *testing.B) {
	var systems []mteval.System
	var names, items []string
	for i := range 1000 {
		items = append(items, strconv.Itoa(i+1))
	}
	for k := range 12 {
		names = append(names, strconv.Itoa(k))
		s := mteval.System{Name: names[k]}
		for i := range items {
			s.Hyps = append(s.Hyps, "these are the words of output "+strconv.Itoa(i*k%7)+" of "+strconv.Itoa(i))
		}
		systems = append(systems, s)
	}
	m := metaeval.Metric{Name: "m", Scores: metaeval.NewScores(names, items)}
	for i := range m.Scores.Values {
		m.Scores.Values[i] = float64(i * i % 97)
	}
	for name, f := range map[string]func() ([]float64, error){
		"variance":       func() ([]float64, error) { return selection.Variance(m) },
		"consistency":    func() ([]float64, error) { return selection.Consistency(m) },
		"word diversity": func() ([]float64, error) { return selection.WordDiversity(b.Context(), systems) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
