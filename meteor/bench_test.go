package meteor

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/shareddata"
)

// BenchmarkScore scores 2,000 segments of WMT19 German-English on one thread.
func BenchmarkScore(b *testing.B) {
	for _, bm := range []struct {
		name       string
		modules    []Module
		paraphrase bool
	}{
		{"exact", []Module{Exact}, false},
		{"exact+stem+synonym", []Module{Exact, Stem, Synonym}, false},
		{"full", nil, true},
	} {
		b.Run(bm.name, func(b *testing.B) {
			o := Options{Normalization: Full, Modules: bm.modules, Workers: 1}
			if bm.paraphrase {
				o.Paraphrases = openParaphrases(b, filepath.Join(jarDir(b), "data", "paraphrase-en.gz"))
			}
			s, err := New(o)
			if err != nil {
				b.Fatal(err)
			}
			hyps, refs := readBench(b)
			prepared, err := s.Prepare(context.Background(), refs)
			if err != nil {
				b.Fatal(err)
			}
			var rows []float64
			b.ReportAllocs()
			for b.Loop() {
				if rows, err = prepared.Append(context.Background(), rows[:0], nil, hyps); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(hyps))*float64(b.N)/b.Elapsed().Seconds(), "segments/s")
		})
	}
}

func readBench(b *testing.B) (hyps []string, refs [][]string) {
	dir := shareddata.Path(b, "data", "wmt19-de-en")
	hyp, err := files.OpenText(b.Context(), filepath.Join(dir, "sys", "Facebook_FAIR.6750.txt"), files.Options{})
	if err != nil {
		b.Fatal(err)
	}
	ref, err := files.OpenText(b.Context(), filepath.Join(dir, "ref.en"), files.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range ref.Lines {
		refs = append(refs, []string{r})
	}
	return hyp.Lines, refs
}
