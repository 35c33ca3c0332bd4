package selection_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/selection"
)

// On WMT19 Kazakh-English segments of high variance by chrF tell systems apart better than
// random ones, for the same number of segments and of words: docs/select.md says so.
func TestVarianceBeatsRandomOnKazakh(t *testing.T) {
	if race.Enabled {
		t.Skip("numbers alone")
	}
	human, names := netWins(t)
	refs, err := mteval.Segments(shareddata.ReadLines(t, shareddata.Path(t, "data", "wmt19-kk-en", "ref.en")))
	if err != nil {
		t.Fatal(err)
	}
	var systems []mteval.System
	for _, name := range names {
		systems = append(systems, mteval.System{Name: name, Hyps: shareddata.ReadLines(t, shareddata.Path(t, "data", "wmt19-kk-en", "sys", name+".txt"))})
	}
	table, err := mteval.Systems(t.Context(), newChrF(t), refs, systems)
	if err != nil {
		t.Fatal(err)
	}
	m := metaeval.TableSegments(table)
	candidates := []selection.Candidate{{Name: "variance", Utilities: must(selection.Variance(m))(t)}}
	var words []int
	for _, line := range shareddata.ReadLines(t, shareddata.Path(t, "data", "wmt19-kk-en", "src.kk")) {
		words = append(words, len(strings.Fields(line)))
	}
	for name, lengths := range map[string][]int{"segments": nil, "words": words} {
		e, err := selection.Evaluate(t.Context(), human, candidates, selection.EvaluateOptions{Lengths: lengths, Random: 40, Permutations: 200})
		if err != nil {
			t.Fatal(err)
		}
		if c := e.Curves[0]; c.KendallAbove < .975 || c.ClustersAbove < .975 {
			t.Errorf("by %s: above %g of random choices in Kendall's tau and %g in clusters", name, c.KendallAbove, c.ClustersAbove)
		}
	}
}

// netWins are people's scores, and their systems.
func netWins(t *testing.T) (*metaeval.Scores, []string) {
	p, err := files.OpenPairs(t.Context(), shareddata.Path(t, "data", "wmt19-kk-en", "human-segment-darr.tsv"), "", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := selection.NetWins(p)
	if err != nil {
		t.Fatal(err)
	}
	segments := make([]string, 1000)
	for i := range segments {
		segments[i] = strconv.Itoa(i + 1)
	}
	names := slices.Sorted(slices.Values(p.Systems))
	if s, err = s.Select(names, segments); err != nil {
		t.Fatal(err)
	}
	return s, names
}
