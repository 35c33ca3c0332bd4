package multilevel_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/tunable"
)

// outputs reads the references and all systems' outputs of a pair of WMT19.
func outputs(t testing.TB, pair string) (refs [][]string, segs []int, hyps []string) {
	t.Helper()
	file, err := files.OpenText(t.Context(), shareddata.Path(t, "data", "wmt19-"+pair, "ref."+pair[3:]), files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Lines {
		refs = append(refs, []string{r})
	}
	systems, err := filepath.Glob(filepath.Join(shareddata.Path(t, "data", "wmt19-"+pair, "sys"), "*"))
	if err != nil || len(systems) == 0 {
		t.Fatalf("%d systems, error %v", len(systems), err)
	}
	for _, path := range systems {
		file, err := files.OpenText(t.Context(), path, files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range file.Lines {
			segs, hyps = append(segs, i), append(hyps, h)
		}
	}
	return refs, segs, hyps
}

// readBank reads the parses of a pair's texts, from the folder MTEVAL_PARSES: PAIR.conllu,
// made with scripts/parse_conllu.py of PAIR.txt.
func readBank(t testing.TB, pair string) *conllu.Bank {
	t.Helper()
	folder := os.Getenv("MTEVAL_PARSES")
	if folder == "" {
		t.Skip("needs parses: MTEVAL_PARSES is not set")
	}
	path := filepath.Join(folder, "wmt19-"+pair)
	texts, err := files.OpenText(t.Context(), path+".txt", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := conllu.Open(path + ".conllu")
	if err != nil {
		t.Fatal(err)
	}
	var b conllu.Bank
	if err := b.Add(texts.Lines, sentences, path+".conllu"); err != nil {
		t.Fatal(err)
	}
	return &b
}

// The presets' thresholds have a quarter of the segments below and a fifth above, in the
// data that their documentation names.
func TestPresetShares(t *testing.T) {
	if race.Enabled {
		t.Skip("it counts levels of 78,000 outputs, for which the race detector takes ten times as long")
	}
	for _, tt := range []struct {
		name  string
		pairs []string
		o     func(t *testing.T, pair string) multilevel.Options
	}{
		{"into English by words", []string{"lt-en", "gu-en", "kk-en"}, func(*testing.T, string) multilevel.Options { return multilevel.IntoEnglish(nil) }},
		{"into English", []string{"lt-en", "gu-en", "kk-en"}, func(t *testing.T, pair string) multilevel.Options { return multilevel.IntoEnglish(readBank(t, pair)) }},
		{"out of English", []string{"en-de"}, func(*testing.T, string) multilevel.Options { return multilevel.OutOfEnglish() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			counts, all := make([]float64, 3), 0.0
			for _, pair := range tt.pairs {
				s := newScorer(t, newMeteor(t, meteor.Options{Language: pair[3:], Normalization: meteor.Full}), tt.o(t, pair))
				refs, segs, hyps := outputs(t, pair)
				kept, err := tunable.Keep(ctx, s, refs, segs, hyps)
				if err != nil {
					t.Fatal(err)
				}
				rows, w := kept.Append(nil, s), s.Width()
				of := make([]float64, 3)
				for ; len(rows) > 0; rows = rows[w:] {
					for i, n := range s.Counts(rows[:w]) {
						of[i] += float64(n)
					}
				}
				t.Logf("%s: %d segments, levels %v", pair, kept.Len(), of)
				for i := range of {
					counts[i] += of[i]
				}
				all += float64(kept.Len())
			}
			if low, high := counts[0]/all, counts[2]/all; math.Abs(low-.25) > .01 || math.Abs(high-.2) > .01 {
				t.Errorf("%.3f low and %.3f high, want .25 and .2", low, high)
			}
		})
	}
}

// One evaluation of 10,000 segments from kept statistics.
func BenchmarkScores(b *testing.B) {
	s := newScorer(b, newMeteor(b, meteor.Options{Normalization: meteor.Full}), multilevel.IntoEnglish(nil))
	refs, segs, hyps := outputs(b, "lt-en")
	kept, err := tunable.Keep(b.Context(), s, refs, segs[:10000], hyps[:10000])
	if err != nil {
		b.Fatal(err)
	}
	values := make([]float64, 0, 50)
	for _, p := range s.Parameters() {
		values = append(values, p.Value)
	}
	scores := kept.Scores(nil, s)
	b.ReportAllocs()
	for b.Loop() {
		with, err := s.WithParameters(values)
		if err != nil {
			b.Fatal(err)
		}
		scores = kept.Scores(scores[:0], with)
	}
}
