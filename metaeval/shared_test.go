package metaeval

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/internal/shareddata"
)

// readTSV returns the rows of a file of ../shared, as maps by the names in its first
// line.
func readTSV(t testing.TB, elem ...string) []map[string]string {
	t.Helper()
	f, err := os.Open(shareddata.Path(t, elem...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var from io.Reader = f
	if strings.HasSuffix(f.Name(), ".gz") {
		if from, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	r := csv.NewReader(from)
	r.Comma, r.LazyQuotes = '\t', true
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := make(map[string]string)
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		out = append(out, row)
	}
	return out
}

// scoresOf makes Scores of rows, systems and items in the order in which they come.
func scoresOf(t testing.TB, rows []map[string]string, system, item, score string) *Scores {
	t.Helper()
	var systems, items []string
	seen := make(map[string]bool)
	add := func(kind, name string, to *[]string) {
		if !seen[kind+name] {
			seen[kind+name] = true
			*to = append(*to, name)
		}
	}
	for _, r := range rows {
		add("system ", r[system], &systems)
		add("item ", r[item], &items)
	}
	s := NewScores(systems, items)
	k, _ := index("", systems)
	i, _ := index("", items)
	for _, r := range rows {
		v, err := strconv.ParseFloat(r[score], 64)
		if err != nil {
			t.Fatal(err)
		}
		s.Set(k[r[system]], i[r[item]], v)
	}
	return s
}

// wmt20 returns the raw direct assessments of a language pair, and a metric's scores of
// the same, of which more is better.
func wmt20(t testing.TB, lp string, metrics ...string) (human *Scores, out []Metric) {
	t.Helper()
	human = scoresOf(t, readTSV(t, "data", "wmt20-da", lp+".human-segment-metricstask.tsv"), "SYS", "SEGID", "RAW.SCR")
	for _, name := range metrics {
		all := scoresOf(t, readTSV(t, "data", "wmt20-da", lp+".metric-"+name+".segment.tsv"), "SYS", "SEGID", "SCORE")
		s, err := all.Select(human.Systems, human.Items)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Metric{Name: name, Scores: s})
	}
	return human, out
}

// What WMT20's metrics task published, and the paper's proposal on the same data.
func TestWMT20(t *testing.T) {
	for _, tt := range []struct {
		lp     string
		ranked int64
		all    int64
		taus   map[string][]string // metric to taus under 4a, 4b, 4c, 5
	}{
		{"de-en", 16584, 43669, map[string][]string{
			"TER":  {"0.5059", "0.4553", "0.3554", "0.2753"},
			"chrF": {"0.4769", "0.4643", "0.4379", "0.2131"},
		}},
		{"en-de", 9339, 30567, map[string][]string{
			"TER":  {"0.3658", "0.3165", "0.1819", "0.2247"},
			"chrF": {"0.4008", "0.3946", "0.3789", "0.1520"},
		}},
	} {
		human, metrics := wmt20(t, tt.lp, "TER", "chrF")
		without, err := DARR(human, DARRThreshold, DARROptions{Exclude: IsHuman})
		if err != nil {
			t.Fatal(err)
		}
		with, err := DARR(human, DARRThreshold, DARROptions{Exclude: IsHuman, KeepTies: true})
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(without.Pairs)) != tt.ranked || int64(len(with.Pairs)) != tt.all ||
			without.Ranked != tt.ranked || without.Ties != tt.all-tt.ranked || with.Ties != without.Ties {
			t.Errorf("%s: %d and %d pairs, %d ranked, want %d and %d", tt.lp, len(without.Pairs), len(with.Pairs), without.Ranked, tt.ranked, tt.all)
		}
		for _, m := range metrics {
			var got []string
			for _, f := range KendallForms() {
				var taus []float64
				for _, pairs := range [][]Pair{without.Pairs, with.Pairs} {
					c, missing, err := CountPairs(pairs, m.Scores, 0)
					if err != nil || missing != 0 {
						t.Fatal(missing, err)
					}
					tau, err := f.Tau(c, false)
					if err != nil {
						t.Fatal(err)
					}
					taus = append(taus, tau)
					// The tables hold negated TER; as an error metric it must give
					// the same, and the opposite under Table 5.
					want := tau
					if f.Name == "5" {
						want = -tau
					}
					if tau, err := f.Tau(c.Negated(), true); err != nil || tau != want {
						t.Errorf("%s %s as an error metric: %s gives %v, %v, want %v", tt.lp, m.Name, f.Name, tau, err, want)
					}
				}
				if f.Name != "5" && taus[0] != taus[1] {
					t.Errorf("%s %s: people's ties change %s from %v to %v", tt.lp, m.Name, f.Name, taus[0], taus[1])
				}
				got = append(got, fmt.Sprintf("%.4f", taus[1]))
			}
			if diff := cmp.Diff(tt.taus[m.Name], got); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", tt.lp, m.Name, diff)
			}
		}
	}
}

// The number of DARR pairs of all seven language pairs, and the taus of the metrics whose
// scores are here, as WMT20's metrics task published them.
func TestPublishedDARR(t *testing.T) {
	folder := shareddata.Path(t, "data", "wmt20-da")
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err == nil
	}
	checked := make(map[string]bool)
	pairs := make(map[string][]Pair)
	of := make(map[string]*Scores)
	for _, row := range readTSV(t, "data", "wmt20-da", "published-darr-kendall-allsys.tsv") {
		lp := row["lp"]
		if !has(lp + ".human-segment.tsv.gz") {
			continue
		}
		if pairs[lp] == nil {
			of[lp] = scoresOf(t, readTSV(t, "data", "wmt20-da", lp+".human-segment.tsv.gz"), "SYS", "SID", "RAW.SCR")
			if lp == "de-en" || lp == "en-de" {
				of[lp], _ = wmt20(t, lp)
			}
			r, err := DARR(of[lp], DARRThreshold, DARROptions{Exclude: IsHuman})
			if err != nil {
				t.Fatal(err)
			}
			pairs[lp] = r.Pairs
		}
		if got := strconv.Itoa(len(pairs[lp])); got != row["n_pairs"] {
			t.Errorf("%s: %s pairs, published are %s", lp, got, row["n_pairs"])
		}
		checked[lp] = true
		if !has(lp + ".metric-" + row["metric"] + ".segment.tsv") {
			continue
		}
		_, metrics := wmt20(t, lp, row["metric"])
		c, _, err := CountPairs(pairs[lp], metrics[0].Scores, 0)
		if err != nil {
			t.Fatal(err)
		}
		tau, err := Table4c().Tau(c, false)
		want, _ := strconv.ParseFloat(row["kendall"], 64)
		if err != nil || fmt.Sprintf("%.4f", tau) != fmt.Sprintf("%.4f", want) {
			t.Errorf("%s %s: %v, %v; published is %s", lp, row["metric"], tau, err, row["kendall"])
		}
		checked[lp+row["metric"]] = true
	}
	if len(checked) != 7+4 {
		t.Errorf("checked %v", checked)
	}
}

// The sweep of docs/metaeval.md. The numbers of pairs at 1, 25 and 50 and the taus at 25
// without a threshold on the metric are the task's; the others only keep the document
// true.
func TestSweepWMT20(t *testing.T) {
	thresholds := []float64{1, 10, 25, 50}
	for _, tt := range []struct {
		lp     string
		ranked []int64
		taus   []string // of TER and chrF under 4c, then under 5, by threshold
		own    []string // of chrF under all forms, by its threshold, at 25
		tieAll string   // of a metric that ties every pair, under 5
	}{
		{
			"de-en", []int64{42035, 29998, 16584, 8006},
			[]string{".0954 .1954 .2321 .2349", ".1738 .2732 .2597 .2345", ".3554 .4379 .2753 .2131", ".6535 .7067 .2601 .1763"},
			[]string{".4769 .4643 .4379 .2131", ".5148 .4635 .3637 .2862", ".6634 .4502 .1288 .5041", ".9203 .3871 -.1922 .7161"},
			".6202",
		},
		{
			"en-de", []int64{29254, 18521, 9339, 2764},
			[]string{"-.0213 .1381 .1488 .1684", ".0656 .2293 .2089 .1752", ".1819 .3789 .2247 .1520", ".3719 .6035 .2027 .0908"},
			[]string{".4008 .3946 .3789 .1520", ".4377 .3889 .2774 .2402", ".5634 .3236 -.1020 .4839", ".8493 .0893 -.8055 .6932"},
			".6945",
		},
	} {
		human, metrics := wmt20(t, tt.lp, "TER", "chrF")
		constant := NewScores(human.Systems, human.Items)
		clear(constant.Values)
		points, err := Sweep(human, thresholds, []SweepMetric{
			{Metric: metrics[0]},
			{metrics[1], []float64{0, .01, .05, .2}},
			{Metric: Metric{Name: "constant", Scores: constant}},
		}, KendallForms(), DARROptions{Exclude: IsHuman})
		if err != nil {
			t.Fatal(err)
		}
		var ranked []int64
		var taus, own []string
		for _, p := range points {
			m := p.Metrics
			ranked = append(ranked, p.Ranked)
			taus = append(taus, digits4(m[0].Taus[2], m[1].Taus[2], m[0].Taus[3], m[1].Taus[3]))
			if p.Threshold == 25 {
				for _, r := range m[1:5] {
					own = append(own, digits4(r.Taus...))
				}
				if got := digits4(m[5].Taus[3]); got != tt.tieAll {
					t.Errorf("%s: all tied %s, want %s", tt.lp, got, tt.tieAll)
				}
			}
		}
		if diff := cmp.Diff(tt.ranked, ranked) + cmp.Diff(tt.taus, taus) + cmp.Diff(tt.own, own); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.lp, diff)
		}
	}
	var into [4]int64
	for _, lp := range []string{"cs", "de", "ja", "pl", "ru", "zh"} {
		human := scoresOf(t, readTSV(t, "data", "wmt20-da", lp+"-en.human-segment.tsv.gz"), "SYS", "SID", "RAW.SCR")
		points, err := Sweep(human, thresholds, nil, nil, DARROptions{Exclude: IsHuman})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range points {
			into[i] += p.Ranked
		}
	}
	if want := [4]int64{393825, 278356, 143526, 49356}; into != want { // six times the mean
		t.Errorf("into English: %v, want %v", into, want)
	}
}

// digits4 prints numbers below 1 as the document does.
func digits4(x ...*float64) string {
	var out []string
	for _, v := range x {
		out = append(out, strings.Replace(fmt.Sprintf("%.4f", *v), "0.", ".", 1))
	}
	return strings.Join(out, " ")
}

// Nearly all of WMT20's scores of segments rest on one judgement or two.
func TestJudgementsWMT20(t *testing.T) {
	n := scoresOf(t, readTSV(t, "data", "wmt20-da", "de-en.human-segment-metricstask.tsv"), "SYS", "SEGID", "N")
	j, err := CountJudgements(n)
	if err != nil {
		t.Fatal(err)
	}
	if j.Scores != 9389 || j.Few != 9389 || j.Warning() == "" {
		t.Errorf("%+v: %s", j, j.Warning())
	}
}

// wmt19 returns WMT19's DARR pairs of a language pair and the scores of the official
// chrF.
func wmt19(t testing.TB, lp string) ([]Pair, *Scores) {
	t.Helper()
	chrF := scoresOf(t, readTSV(t, "data", "wmt19-"+lp, "metric-chrF-official.segment.tsv"), "system", "sid", "score")
	system, err := index("", chrF.Systems)
	if err != nil {
		t.Fatal(err)
	}
	item, _ := index("", chrF.Items)
	var pairs []Pair
	for _, r := range readTSV(t, "data", "wmt19-"+lp, "human-segment-darr.tsv") {
		a, okA := system[r["better"]]
		b, okB := system[r["worse"]]
		i, okI := item[r["sid"]]
		if !okA || !okB || !okI {
			t.Fatalf("no score for %v", r)
		}
		pairs = append(pairs, Pair{Item: i, A: a, B: b, Human: 1})
	}
	return pairs, chrF
}

// The official chrF of WMT19: lt-en's is the published value, of the others some systems
// are missing here.
func TestWMT19(t *testing.T) {
	for _, tt := range []struct {
		lp    string
		pairs int
		taus  string // under 4a, 4b, 4c and 5: those under 4c are the official ones
		ties  int64
	}{
		{"lt-en", 21862, ".3025 .3021 .3010 .3021", 25},
		{"gu-en", 20110, ".2383 .2383 .2382 .2383", 2},
		{"kk-en", 9728, ".3209 .3206 .3197 .3206", 9},
	} {
		pairs, chrF := wmt19(t, tt.lp)
		c, missing, err := CountPairs(pairs, chrF, 0)
		if err != nil || missing != 0 {
			t.Fatal(missing, err)
		}
		var taus []*float64
		for _, f := range KendallForms() {
			tau, err := f.Tau(c, false)
			if err != nil {
				t.Fatal(err)
			}
			taus = append(taus, &tau)
		}
		if got := digits4(taus...); got != tt.taus {
			t.Errorf("%s: %s, want %s", tt.lp, got, tt.taus)
		}
		if ties := c[0][1] + c[1][1] + c[2][1]; len(pairs) != tt.pairs || ties != tt.ties {
			t.Errorf("%s: %d pairs with %d ties, want %d with %d", tt.lp, len(pairs), ties, tt.pairs, tt.ties)
		}
	}
}

// wmt19Systems returns people's scores of WMT19's systems, and a metric's.
func wmt19Systems(t testing.TB, lp, metric string) (*Scores, Metric) {
	t.Helper()
	rows := readTSV(t, "data", "wmt19-"+lp, "metric-system-scores.tsv")
	for _, r := range rows {
		r["all"] = "all"
	}
	s := scoresOf(t, rows, "SYSTEM", "all", metric)
	return scoresOf(t, rows, "SYSTEM", "all", "HUMAN"), Metric{Name: metric, Scores: s}
}

// System level on WMT19, as its metrics task published it.
func TestSystemLevelWMT19(t *testing.T) {
	for _, tt := range []struct {
		lp   string
		want []string
	}{
		{"en-de", []string{"0.991", "0.816", "0.939"}},
		{"de-en", []string{"0.949", "0.723", "0.866"}},
	} {
		human, m := wmt19Systems(t, tt.lp, "YiSi-1")
		var got []string
		for _, f := range []Correlation{Pearson, Kendall, Spearman} {
			a, err := SystemLevel(human, m, f)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%.3f", a.Value))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.lp, diff)
		}
	}
}
