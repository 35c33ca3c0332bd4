package significance

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
)

// readScores reads a table of ../shared with columns SYS, SEGID and a score.
func readScores(t *testing.T, name, column string) *metaeval.Scores {
	t.Helper()
	lines := shareddata.ReadLines(t, shareddata.Path(t, "data", "wmt20-da", name))
	header := strings.Split(lines[0], "\t")
	at := func(name string) int { return slices.Index(header, name) }
	type key struct{ system, item string }
	scores := make(map[key]float64)
	var systems, items []string
	for _, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		k := key{fields[at("SYS")], fields[at("SEGID")]}
		v, err := strconv.ParseFloat(fields[at(column)], 64)
		if err != nil {
			t.Fatal(err)
		}
		scores[k] = v
		systems, items = append(systems, k.system), append(items, k.item)
	}
	slices.Sort(systems)
	slices.Sort(items)
	s := metaeval.NewScores(slices.Compact(systems), slices.Compact(items))
	for k, system := range s.Systems {
		for i, item := range s.Items {
			if v, ok := scores[key{system, item}]; ok {
				s.Set(k, i, v)
			}
		}
	}
	return s
}

// On real scores, with their ties and gaps, the quick ways to a rank correlation lead to
// the p-values of package metaeval's.
func TestWMT20(t *testing.T) {
	human := readScores(t, "de-en.human-segment-metricstask.tsv", "RAW.SCR")
	var metrics [2]metaeval.Metric
	for m, name := range []string{"TER", "chrF"} {
		s, err := readScores(t, "de-en.metric-"+name+".segment.tsv", "SCORE").Select(human.Systems, human.Items)
		if err != nil {
			t.Fatal(err)
		}
		for at, v := range human.Values {
			if math.IsNaN(v) { // as both standardize what they are given
				s.Values[at] = v
			}
		}
		metrics[m] = metric(name, s)
	}
	o := Options{Samples: 20}
	for _, c := range []struct {
		coefficient Coefficient
		of          metaeval.Correlation
	}{{Pearson, metaeval.Pearson}, {Spearman, metaeval.Spearman}, {Kendall, metaeval.Kendall}} {
		for g := metaeval.NoGrouping; g <= metaeval.BySystem; g++ {
			got, err := PermutationTest(ctx, human, metrics[0], metrics[1], Measure{c.coefficient, true, g}, SwapOutputs, o)
			if err != nil {
				t.Fatal(err)
			}
			want, err := PermutationTestOf(ctx, metrics[0], metrics[1], func(m metaeval.Metric) (float64, error) {
				a, err := metaeval.SegmentLevel(human, m, g, c.of)
				return a.Value, err
			}, SwapOutputs, o)
			if err != nil {
				t.Fatal(err)
			}
			if near(got.X, want.X) && near(got.Y, want.Y) {
				got.X, got.Y = want.X, want.Y
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("coefficient %d, by %s (-metaeval's +got):\n%s", c.coefficient, g, d)
			}
			t.Logf("coefficient %d, by %s: %+v", c.coefficient, g, got)
		}
	}
}
