package files

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/metaeval"
)

// WMT20's system scores are the means over segments of the segments' means: all 95 of
// them, from the segments' published scores, but for the last bits.
func TestWMT20Systems(t *testing.T) {
	systems := 0
	for _, lp := range []string{"cs-en", "de-en", "en-de", "ja-en", "pl-en", "ru-en", "zh-en"} {
		segments, err := OpenWMTSegments(t.Context(), shareddata.Path(t, "data", "wmt20-da", lp+".human-segment.tsv.gz"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		published, err := OpenWMTSystems(t.Context(), shareddata.Path(t, "data", "wmt20-da", lp+".human-system.tsv"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]human.SystemScore)
		for _, s := range segments.SystemScores() {
			got[s.System] = s
		}
		if len(got) != len(published) {
			t.Errorf("%s: %d systems, published %d", lp, len(got), len(published))
		}
		for _, want := range published {
			systems++
			s := got[want.System]
			if math.Abs(s.Raw-want.Raw) > 1e-12 || math.Abs(s.Z-want.Z) > 1e-12 || s.Segments != want.Segments || s.Judgements != want.Judgements {
				t.Errorf("%s: %+v, published %+v", lp, s, want)
			}
		}
	}
	if systems != 95 {
		t.Errorf("%d systems", systems)
	}
}

// The metrics task's form of the segments has the same scores under other names.
func TestWMT20MetricsTask(t *testing.T) {
	for lp, want := range map[string]int{"de-en": 9389, "en-de": 11360, "zh-en": 29248} {
		s, err := OpenWMTSegments(t.Context(), shareddata.Path(t, "data", "wmt20-da", lp+".human-segment-metricstask.tsv"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, v := range s.Raw.Values {
			if !math.IsNaN(v) {
				n++
			}
		}
		if n != want || !strings.Contains(s.Raw.Items[0], "::") {
			t.Errorf("%s: %d scores, want %d; items such as %s", lp, n, want, s.Raw.Items[0])
		}
	}
}

// The pairs of WMT19 with their official metric scores: how often chrF agrees, ties
// counted against it, is the correlation published.
func TestWMT19Pairs(t *testing.T) {
	for _, tt := range []struct {
		lp    string
		pairs int
		tau   float64
	}{{"gu-en", 20110, .2382}, {"kk-en", 9728, .3197}, {"lt-en", 21862, .3010}} {
		p, err := OpenPairs(t.Context(), shareddata.Path(t, "data", "wmt19-"+tt.lp, "human-segment-darr.tsv"), "", Options{})
		if err != nil {
			t.Fatal(err)
		}
		chrf, err := OpenScores(t.Context(), shareddata.Path(t, "data", "wmt19-"+tt.lp, "metric-chrF-official.segment.tsv"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := chrf.Select(p.Systems, p.Items)
		if err != nil {
			t.Fatal(err)
		}
		agree := 0
		for _, c := range p.Pairs {
			a, b := scores.At(c.A, c.Item), scores.At(c.B, c.Item)
			if math.IsNaN(a) || math.IsNaN(b) {
				t.Fatalf("%s: no score of %s or %s on %s", tt.lp, p.Systems[c.A], p.Systems[c.B], p.Items[c.Item])
			}
			if a > b {
				agree++
			}
		}
		tau := float64(2*agree-len(p.Pairs)) / float64(len(p.Pairs))
		if len(p.Pairs) != tt.pairs || math.Abs(tau-tt.tau) > .00005 {
			t.Errorf("%s: %d pairs, tau %.4f; want %d, %v", tt.lp, len(p.Pairs), tau, tt.pairs, tt.tau)
		}
	}
}

// Plain tables with names of columns of their own.
func TestPlainTables(t *testing.T) {
	for _, path := range [][]string{
		{"wmt20-da", "de-en.metric-TER.segment.tsv"},
		{"wmt17-da", "en-ru.human-segment.tsv"},
	} {
		path := shareddata.Path(t, append([]string{"data"}, path...)...)
		s, err := OpenScores(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkTable(t, path, s)
	}
}

// checkTable compares scores with the columns of a file of three, read line by line.
func checkTable(t *testing.T, path string, s *metaeval.Scores) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	place := make(map[[2]string]float64)
	for k, name := range s.Systems {
		for i, item := range s.Items {
			if v := s.At(k, i); !math.IsNaN(v) {
				place[[2]string{name, item}] = v
			}
		}
	}
	n := 0
	for in := bufio.NewScanner(f); in.Scan(); n++ {
		c := strings.Split(in.Text(), "\t")
		if n == 0 {
			continue
		}
		want, err := strconv.ParseFloat(c[2], 64)
		if got, ok := place[[2]string{c[0], c[1]}]; err != nil || !ok || got != want {
			t.Fatalf("%s: %v has %v, %v", path, c, got, ok)
		}
	}
	if n-1 != len(place) {
		t.Errorf("%s: %d scores of %d", path, len(place), n-1)
	}
}
