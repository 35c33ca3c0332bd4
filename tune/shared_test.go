package tune

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/meteor"
)

// wmt19 reads the pairs of a language pair, and the texts of its systems.
func wmt19(t testing.TB, lp string, text func(system string) []string) *Set {
	t.Helper()
	p, err := files.OpenPairs(t.Context(), shareddata.Path(t, "data", "wmt19-"+lp, "human-segment-darr.tsv"), "", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refs, err := files.OpenText(t.Context(), shareddata.Path(t, "data", "wmt19-"+lp, "ref.en"), files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Set{Name: lp}
	for _, r := range refs.Lines {
		s.Refs = append(s.Refs, []string{r})
	}
	for _, name := range p.Systems {
		s.Systems = append(s.Systems, mteval.System{Name: name, Hyps: text(name)})
	}
	for _, c := range p.Pairs {
		line, err := strconv.Atoi(p.Items[c.Item])
		if err != nil {
			t.Fatal(err)
		}
		s.Pairs = append(s.Pairs, metaeval.Pair{Item: line - 1, A: c.A, B: c.B, Human: c.Human})
	}
	return s
}

// WMT19's official scores of chrF, as texts that are numbers: the value under w = 1 is
// the published correlation of lt-en, and that of the systems that are here of the others.
func TestWMT19(t *testing.T) {
	for lp, want := range map[string]string{"lt-en": "21862 0.3010", "gu-en": "20110 0.2382", "kk-en": "9728 0.3197"} {
		chrf, err := files.OpenScores(t.Context(), shareddata.Path(t, "data", "wmt19-"+lp, "metric-chrF-official.segment.tsv"), files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		set := wmt19(t, lp, func(system string) []string {
			var items []string
			for i := range len(chrf.Items) {
				items = append(items, strconv.Itoa(i+1))
			}
			s, err := chrf.Select([]string{system}, items)
			if err != nil {
				t.Fatal(err)
			}
			var out []string
			for _, v := range s.Values {
				if math.IsNaN(v) {
					t.Fatalf("%s: no score of %s", lp, system)
				}
				out = append(out, decimal.Format(v)+" 0")
			}
			return out
		})
		p, err := set.keep(context.Background(), &mix{1, 1}, Kendall)
		if err != nil {
			t.Fatal(err)
		}
		got := newEvaluator(Kendall).value(&mix{1, 1}, []*part{p})
		if s := fmt.Sprintf("%d %.4f", len(p.pairs), got); s != want {
			t.Errorf("%s: %s, want %s", lp, s, want)
		}
	}
}

// One evaluation of METEOR on 20,110 pairs.
func BenchmarkMeteor(b *testing.B) {
	s, err := meteor.New(meteor.Options{Normalization: meteor.Full})
	if err != nil {
		b.Fatal(err)
	}
	set := wmt19(b, "gu-en", func(system string) []string {
		f, err := files.OpenText(b.Context(), shareddata.Path(b, "data", "wmt19-gu-en", "sys", system+".txt"), files.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return f.Lines
	})
	p, err := set.keep(b.Context(), s, Kendall)
	if err != nil {
		b.Fatal(err)
	}
	e, parts := newEvaluator(Kendall), []*part{p}
	b.ReportAllocs()
	for b.Loop() {
		e.value(s, parts)
	}
	b.ReportMetric(float64(p.kept.Len()), "texts")
}
