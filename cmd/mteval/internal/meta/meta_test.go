package meta_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/meta"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/shareddata"
)

// metaArgs are args with $M for the sample data of meta.
func metaArgs(dir, line string) []string {
	return clitest.Args(dir, strings.ReplaceAll(line, "$M", clitest.MetaSample))
}

func TestMetaGolden(t *testing.T) {
	for name, line := range map[string]string{
		"system":        "meta --human $Mhuman.tsv --scores $Mscores.tsv $Mlength.tsv --lower-is-better ter",
		"system.json":   "meta --human $Mhuman.tsv --scores $Mscores.tsv --lower-is-better ter --format json --samples 200 --seed 4",
		"system-only":   "meta --human $Dhuman.tsv --scores $Msystems.tsv --lower-is-better ter --format latex",
		"segment":       "meta --level segment --human $Mhuman.tsv --scores $Mscores.tsv $Mlength.tsv --lower-is-better ter --sweep 1,25,50",
		"segment.json":  "meta --level segment --human $Mhuman.tsv --scores $Mscores.tsv --lower-is-better ter --sweep 25 --kendall 5,4a --format json --exclude elder",
		"segment-tsv":   "meta --level segment --human $Mwmt.tsv --scores $Mscores.tsv --lower-is-better ter --group none --sweep 10,30 --format tsv",
		"segment-one":   "meta --level segment --human $Mwmt.tsv --human-score z --threshold 0.5 --scores $Mscores.tsv $Mlength.tsv --lower-is-better ter --kendall 5 --group system",
		"segment-pairs": "meta --level segment --human $Mpairs.tsv --scores $Mscores.tsv $Mlength.tsv --lower-is-better ter --alpha .01",
		"system-wmt":    "meta --human $Mwmt-systems.tsv --scores $Mscores.tsv $Mlength.tsv --lower-is-better ter --exclude elder",
		"system-pairs":  "meta --human $Mpairs.tsv --scores $Mscores.tsv --lower-is-better ter --samples 0",
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := clitest.Exec(t, metaArgs("", line)...)
			if status != 0 {
				t.Fatalf("status %d, %s", status, stderr)
			}
			var options []cmp.Option
			if strings.Contains(line, "json") {
				options = []cmp.Option{cmpopts.EquateApprox(1e-9, 1e-12)}
			} else if stderr != "" {
				stdout += "\nstandard error:\n" + stderr
			}
			clitest.CheckGolden(t, "meta-"+name+".txt", stdout, options...)
		})
	}
}

func metric(m *meta.JSON, t *testing.T, name string) meta.MetaMetricJSON {
	t.Helper()
	i := slices.IndexFunc(m.Metrics, func(m meta.MetaMetricJSON) bool { return m.Metric == name })
	if i < 0 {
		t.Fatalf("no metric %s", name)
	}
	return m.Metrics[i]
}

// What SciPy, NumPy and statsmodels have for the sample: see scripts/record_meta.py.
func TestMetaRecorded(t *testing.T) {
	data, err := os.ReadFile(clitest.MetaSample + "recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Segment     map[string]map[string][]float64
		System      map[string]map[string]float64
		Comparisons []meta.ComparisonJSON
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	near := func(what string, got *float64, want float64) {
		t.Helper()
		if got == nil || !(math.Abs(*got-want) <= 1e-12) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	line := strings.Fields("--human $Mhuman.tsv --scores $Mscores.tsv $Mlength.tsv --lower-is-better ter")
	for i := range line {
		line[i] = strings.ReplaceAll(line[i], "$M", clitest.MetaSample)
	}
	got, _ := clitest.RunMeta(t, append(line, "--level", "segment")...)
	checked := 0
	for name, measures := range want.Segment {
		m := metric(&got, t, name)
		for key, v := range measures {
			checked++
			if key == "epsilon" {
				near(name+" epsilon", m.Epsilon, v[0])
				continue
			}
			near(name+" "+key, &m.Measures[key].Value, v[0])
			if len(v) == 3 {
				near(name+" "+key+" low", m.Measures[key].Low, v[1])
				near(name+" "+key+" high", m.Measures[key].High, v[2])
			}
		}
	}
	for _, c := range want.Comparisons {
		i := slices.IndexFunc(got.Comparisons, func(d meta.ComparisonJSON) bool {
			return c.Measure == d.Measure && c.X == d.X && c.Y == d.Y
		})
		if i < 0 {
			t.Fatalf("no comparison %+v", c)
		}
		checked++
		near(fmt.Sprintf("p of %+v", c), &got.Comparisons[i].P, c.P)
		near(fmt.Sprintf("adjusted p of %+v", c), &got.Comparisons[i].Adjusted, c.Adjusted)
	}
	got, _ = clitest.RunMeta(t, line...)
	for name, measures := range want.System {
		for key, v := range measures {
			checked++
			near(name+" "+key, &metric(&got, t, name).Measures[key].Value, v)
		}
	}
	if checked != 4*9+4*6+4*4 {
		t.Errorf("checked %d numbers", checked)
	}
}

// The figures of WMT20's metrics task, and of the paper's proposal on its data.
func TestMetaWMT20(t *testing.T) {
	data := shareddata.Path(t, "data", "wmt20-da")
	for _, tt := range []struct {
		lp     string
		ranked []int64 // at 1, 25 and 50
		all    int64
		taus   map[string][]string // under 4a, 4b, 4c, 5
	}{
		{"de-en", []int64{42035, 16584, 8006}, 43669, map[string][]string{
			"TER":  {"0.5059", "0.4553", "0.3554", "0.2753"},
			"chrF": {"0.4769", "0.4643", "0.4379", "0.2131"},
		}},
		{"en-de", []int64{29254, 9339, 2764}, 30567, map[string][]string{
			"TER":  {"0.3658", "0.3165", "0.1819", "0.2247"},
			"chrF": {"0.4008", "0.3946", "0.3789", "0.1520"},
		}},
	} {
		file := func(name string) string { return filepath.Join(data, tt.lp+"."+name+".tsv") }
		name := func(metric string) string { return tt.lp + ".metric-" + metric + ".segment" }
		line := []string{"--level", "segment", "--human", file("human-segment-metricstask"), "--scores", file("metric-TER.segment"), file("metric-chrF.segment"),
			"--exclude", "Human*", "--sweep", "1,25,50", "--samples", "0"}
		got, stderr := clitest.RunMeta(t, line...)
		if got.Pairs.Ranked != tt.ranked[1] || got.Pairs.Ranked+got.Pairs.Ties != tt.all {
			t.Errorf("%s: %+v", tt.lp, got.Pairs)
		}
		var ranked []int64
		for _, p := range got.Sweep {
			ranked = append(ranked, p.Ranked)
		}
		taus := func(m meta.MetaMetricJSON) (out []string) {
			for _, f := range []string{"4a", "4b", "4c", "5"} {
				out = append(out, fmt.Sprintf("%.4f", m.Measures["kendall_"+f].Value))
			}
			return out
		}
		if d := cmp.Diff(tt.ranked, ranked) + cmp.Diff(tt.taus, map[string][]string{"TER": taus(metric(&got, t, name("TER"))), "chrF": taus(metric(&got, t, name("chrF")))}); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.lp, d)
		}
		if !strings.Contains(stderr, "rest on fewer than 15 judgements") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: stderr %q", tt.lp, stderr)
		}
		// The error metric TER, which those tables hold negated.
		dir := t.TempDir()
		negate(t, file("metric-TER.segment"), filepath.Join(dir, "ter.tsv"))
		line[5] = filepath.Join(dir, "ter.tsv")
		want := slices.Clone(tt.taus["TER"])
		want[3] = "-" + want[3]
		for _, said := range [][]string{nil, {"--lower-is-better", "ter"}} { // by its name, too
			got, _ = clitest.RunMeta(t, slices.Concat(line, said)...)
			if d := cmp.Diff(want, taus(metric(&got, t, "ter"))); d != "" {
				t.Errorf("%s, error metric, %v (-want +got):\n%s", tt.lp, said, d)
			}
		}
	}
}

// negate writes a table with the scores of its last column negated.
func negate(t *testing.T, from, to string) {
	t.Helper()
	f, err := files.OpenText(t.Context(), from, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i, l := range f.Lines {
		at := strings.LastIndex(l, "\t") + 1
		v, err := strconv.ParseFloat(l[at:], 64)
		if err != nil && i > 0 {
			t.Fatal(err)
		}
		if err == nil {
			l = l[:at] + strconv.FormatFloat(-v, 'f', -1, 64)
		}
		b.WriteString(l + "\n")
	}
	clitest.Write(t, to, b.String())
}

// The official chrF of WMT19; lt-en's is published.
func TestMetaWMT19(t *testing.T) {
	for lp, want := range map[string]string{"lt-en": "21862 0.3010", "gu-en": "20110 0.2382", "kk-en": "9728 0.3197"} {
		data := shareddata.Path(t, "data", "wmt19-"+lp)
		got, _ := clitest.RunMeta(t, "--level", "segment", "--kendall", "4c", "--human", data+"/human-segment-darr.tsv", "--scores", data+"/metric-chrF-official.segment.tsv")
		if s := fmt.Sprintf("%d %.4f", got.Pairs.Ranked, got.Metrics[0].Measures["kendall_4c"].Value); s != want {
			t.Errorf("%s: %s, want %s", lp, s, want)
		}
	}
	for lp, want := range map[string]string{"en-de": "22 0.991 0.816 0.939", "de-en": "16 0.949 0.723 0.866"} {
		data := shareddata.Path(t, "data", "wmt19-"+lp)
		f, err := files.OpenText(t.Context(), data+"/metric-system-scores.tsv", files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var human, metrics strings.Builder
		for i, l := range f.Lines {
			// language pair, system, human, metrics
			row := strings.Split(l, "\t")
			if i == 0 {
				row[1] = "system"
				if k := slices.Index(row[3:], "LP"); k >= 0 {
					row[3+k] = "LP metric"
				}
			}
			human.WriteString(row[1] + "\t" + row[2] + "\n")
			metrics.WriteString(strings.Join(append(row[1:2:2], row[3:]...), "\t") + "\n")
		}
		dir := t.TempDir()
		clitest.Write(t, dir+"/human.tsv", human.String())
		clitest.Write(t, dir+"/metrics.tsv", metrics.String())
		got, _ := clitest.RunMeta(t, "--human", dir+"/human.tsv", "--scores", dir+"/metrics.tsv")
		m := metric(&got, t, "YiSi-1").Measures
		if s := fmt.Sprintf("%d %.3f %.3f %.3f", len(got.Systems), m["pearson"].Value, m["kendall"].Value, m["spearman"].Value); s != want {
			t.Errorf("%s: %s, want %s", lp, s, want)
		}
	}
}

// The same scores give the same, in whatever form they come.
func TestMetaForms(t *testing.T) {
	dir := t.TempDir()
	f, err := files.OpenText(t.Context(), clitest.MetaSample+"scores.tsv", files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	apart := make(map[string]string)
	headed := "score\tnote\tsegment\tMetric\tsystem\n"
	for _, l := range f.Lines {
		r := strings.Split(l, "\t")
		apart[r[1]] += r[0] + "\t" + r[2] + "\t" + r[3] + "\n"
		headed += r[3] + "\tx\t" + r[2] + "\t" + r[1] + "\t" + r[0] + "\n"
	}
	for name, text := range apart {
		clitest.Write(t, dir+"/"+name+".tsv", text)
	}
	clitest.Write(t, dir+"/headed.tsv", headed)
	for _, level := range []string{"system", "segment"} {
		line := []string{"--level", level, "--human", clitest.MetaSample + "human.tsv", "--samples", "50", "--scores"}
		want, _ := clitest.RunMeta(t, append(line, clitest.MetaSample+"scores.tsv")...)
		for _, files := range [][]string{{dir + "/headed.tsv"}, {dir + "/chrf.tsv", dir + "/ter.tsv", dir + "/bertscore.tsv"}, {dir + "/chrf.tsv", "--scores", dir + "/ter.tsv", "--scores", dir + "/bertscore.tsv"}} {
			got, _ := clitest.RunMeta(t, append(line, files...)...)
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s of %s (-want +got):\n%s", level, files, d)
			}
		}
	}
	// People's, read as what they are, or forced.
	forced, _ := clitest.RunMeta(t, "--level", "segment", "--human", clitest.MetaSample+"human.tsv", "--human-format", "scores", "--scores", clitest.MetaSample+"scores.tsv")
	told, _ := clitest.RunMeta(t, "--level", "segment", "--human", clitest.MetaSample+"human.tsv", "--scores", clitest.MetaSample+"scores.tsv")
	if d := cmp.Diff(told, forced); d != "" {
		t.Errorf("(-told +forced):\n%s", d)
	}
	wmt, _ := clitest.RunMeta(t, "--level", "segment", "--human", clitest.MetaSample+"wmt.tsv", "--scores", clitest.MetaSample+"scores.tsv")
	if wmt.People != (meta.PeopleJSON{File: clitest.MetaSample + "wmt.tsv", Format: "wmt-segments", Score: "raw"}) {
		t.Errorf("%+v", wmt.People)
	}
	if z, _ := clitest.RunMeta(t, "--human", clitest.MetaSample+"wmt.tsv", "--scores", clitest.MetaSample+"scores.tsv"); z.People.Score != "z" {
		t.Errorf("%+v", z.People)
	}
	if d := cmp.Diff(told.Metrics, wmt.Metrics); d != "" {
		t.Errorf("(-plain +WMT's):\n%s", d)
	}
}

func TestMetaErrors(t *testing.T) {
	dir := t.TempDir()
	human := "a\t1\t10\na\t2\t90\nb\t1\t50\nb\t2\t20\nc\t1\t70\nc\t2\t80\n"
	for name, text := range map[string]string{
		"human": human, "m": human, "two": "a\t1\nb\t2\nc\t3\n", "pairs": "sid\tbetter\tworse\n1\ta\tb\n2\tb\tc\n",
		"others": "x\t1\t1\ny\t1\t2\n", "segments": "a\tseg-1\t1\nb\tseg-1\t2\nc\tseg-1\t3\n", "single": "a\t1\t1\nb\t2\t1\n",
		"judges": "judge\tsystem\tsegment\tscore\nj\ta\t1\t50\n", "empty": "", "blank": "\n\n",
		"number": "a\t1\tx\nb\t1\tx\n", "four": "a\tm\t1\t.5\na\tm\t3\t.5\n", "five": "a\tm\t1\t.5\t1\n",
		"twice": "system\tmetric\tscore\tsignature\na\tm\t.5\tx:1\nb\tm\t.5\tx:1\na\tm\t.6\tx:1\n",
		"long":  "system\tmetric\tsegment\tscore\na\tm\t1\t.5\na\tm\t1\t.6\n", "named": "system\tmetric\tsegment\tbleu\na\tm\t1\t.5\n",
		"cells": "system\tmetric\tsegment\tscore\na\tm\t1\thigh\n", "short": "system\tmetric\tsegment\tscore\na\tm\t1\n", "noname": "system\tmetric\tsegment\tscore\n\tm\t1\t1\n",
		"headonly": "system\tmetric\tsegment\tscore\n", "wide": "system\tbleu\tter\na\t1\tx\n", "wide2": "system\tbleu\tter\na\t1\t2\na\t1\t2\n",
		"wide3": "system\tbleu\tter\na\t1\n", "wide4": "system\tbleu\t\na\t1\t2\n", "wide5": "system\tbleu\tter\n", "dup": "a\t1\t1\na\t1\t2\n",
		"ties": "sid\ta\tb\tresult\n1\ta\tb\t=\n", "lps": "lp sid better worse\nde-en 1 a b\nen-de 1 a b\n",
	} {
		clitest.Write(t, dir+"/"+name+".tsv", text)
	}
	sparse := "system\tmetric\tsegment\tscore\n"
	for i := range 5000 {
		sparse += fmt.Sprintf("%d\tm\t%d\t1\n", i, i)
	}
	clitest.Write(t, dir+"/sparse.tsv", sparse)
	for _, tt := range []struct{ line, want string }{
		{"--human $T/human.tsv --scores $T/sparse.tsv", "sparse.tsv: 5000 scores of 1 metrics and 5000 systems on 5000 segments: is a column taken for another?"},
		{"--scores $T/m.tsv", "no human scores: name a file with --human"},
		{"--human $T/human.tsv", "no metric's scores: name files with --scores"},
		{"--human $T/human.tsv --scores no/such.tsv", "no/such.tsv: no such file"},
		{"--human no/such.tsv --scores $T/m.tsv", "no/such.tsv: no such file"},
		{"--human $T/human.tsv --scores $T/m.tsv --level document", "--level document is of --mtme"},
		{"--human $T/human.tsv --scores $T/m.tsv --kendall 4c", "--kendall is an option of --level segment"},
		{"--human $T/human.tsv --scores $T/m.tsv --threshold 25", "--threshold is an option of --level segment"},
		{"--human $T/human.tsv --scores $T/m.tsv --sweep 1,2", "--sweep is an option of --level segment"},
		{"--human $T/human.tsv --scores $T/m.tsv --group item", "--group is an option of --level segment"},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --outliers", "--outliers is an option of --level system"},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --human-system $T/two.tsv", "--human-system is an option of --level system"},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --kendall 4d", `no form of Kendall's tau "4d"`},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --kendall 4c,6", "have 4a, 4b, 4c, 5"},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --group doc", `no group "doc"`},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --threshold -1", "--threshold -1"},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --threshold NaN", "--threshold NaN"},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --sweep 1,-2", "--sweep 1,-2: want numbers, 0 or more"},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --sweep one", "--sweep one: want numbers, 0 or more"},
		{"--level segment --human $T/human.tsv --scores $T/m.tsv --human-score z", "--threshold 25 is one of raw scores"},
		{"--human $T/human.tsv --scores $T/m.tsv --human-score z", "--human-score is of WMT's files"},
		{"--human $T/human.tsv --scores $T/m.tsv --human-score y", `no human score "y"`},
		{"--human $T/human.tsv --scores $T/m.tsv --human-format csv", `no human format "csv": have scores`},
		{"--human-system $T/two.tsv --human-format scores --scores $T/m.tsv", "--human-format is an option of --human"},
		{"--human $T/human.tsv --scores $T/m.tsv --lp de-en", "--lp is of a file of pairs"},
		{"--human $T/human.tsv --scores $T/m.tsv --format yaml", `no format "yaml"`},
		{"--human $T/human.tsv --scores $T/m.tsv --alpha 0", "--alpha 0"},
		{"--human $T/human.tsv --scores $T/m.tsv --alpha 5", "--alpha 5"},
		{"--human $T/human.tsv --scores $T/m.tsv --samples -1", "--samples -1"},
		{"--human $T/human.tsv --scores $T/m.tsv --samples 2000000", "--samples 2000000: want 0 to 1000000"},
		{"--human $T/human.tsv --scores $T/m.tsv --seed 0", "--seed 0"},
		{"--human $T/human.tsv --scores $T/m.tsv --html=", "--html: name a file"},
		{"--human $T/human.tsv --scores $T/m.tsv --html -", "--html: name a file"},
		{"--human - --scores -", "standard input (-) can be only one"},
		{"--human $T/judges.tsv --scores $T/m.tsv", "or say with --human-format what it is"},
		{"--human $T/human.tsv --scores $T/m.tsv --lower-is-better ter", "--lower-is-better ter: no such metric: have m"},
		{"--human $T/human.tsv --scores $T/m.tsv --exclude d*", "--exclude d*: no such system: have a, b, c"},
		{"--human $T/human.tsv --scores $T/m.tsv --exclude [a-z]", "--exclude leaves no system"},
		{"--human $T/human.tsv --scores $T/m.tsv $T/m.tsv", "both have scores of a metric m"},
		{"--human $T/human.tsv --scores $T/others.tsv", "0 systems have scores by people and by every metric: people's are a, b, c, others's x, y"},
		{"--level segment --human $T/human.tsv --scores $T/segments.tsv", "segments has no score of what people judged: theirs is such as system a, segment 1, and segments's system a, segment seg-1"},
		{"--level segment --human $T/pairs.tsv --scores $T/segments.tsv", "no pair of people's has scores by every metric: theirs is such as system a, segment 1"},
		{"--level segment --human $T/single.tsv --scores $T/m.tsv", "no two systems have people's scores of the same segment"},
		{"--level segment --human $T/two.tsv --scores $T/m.tsv", "two.tsv has scores of systems: --level segment needs"},
		{"--level segment --human $T/human.tsv --scores $T/two.tsv", "two has scores of systems: --level segment needs"},
		{"--level segment --human $T/pairs.tsv --scores $T/m.tsv --threshold 5", "--threshold and --sweep make pairs of scores"},
		{"--level segment --human $T/pairs.tsv --scores $T/m.tsv --group item", "--group is of correlations"},
		{"--human $T/two.tsv --human-system $T/two.tsv --scores $T/m.tsv", "two.tsv has scores of systems already"},
		{"--human $T/judges.tsv --scores $T/m.tsv", "judges.tsv: judgements of single judges"},
		{"--human $T/ties.tsv --scores $T/m.tsv", "name a file of scores of systems with --human-system"},
		{"--human $T/lps.tsv --scores $T/m.tsv", "say which of the language pairs"},
		{"--human $T/empty.tsv --scores $T/m.tsv", "empty.tsv: no scores"},
		{"--human $T/human.tsv --scores $T/empty.tsv", "empty.tsv: no scores"},
		{"--human $T/human.tsv --scores $T/blank.tsv", "blank.tsv: no scores"},
		{"--human $T/number.tsv --scores $T/m.tsv", `number.tsv:1: the third column is "x"`},
		{"--human $T/human.tsv --human-format wmt-segments --scores $T/m.tsv", "human.tsv:1: no column is called"},
		{"--human $T/human.tsv --scores $T/dup.tsv", "dup.tsv:2: a second score"},
		{"--human $T/human.tsv --scores $T/four.tsv", "four.tsv: 4 columns and no header, and not what mteval score"},
		{"--human $T/human.tsv --scores $T/five.tsv", "five.tsv:1: 5 columns and no header"},
		{"--human $T/human.tsv --scores $T/long.tsv", "long.tsv:3: a second score of m for system a on segment 1, which has one on line 2"},
		{"--human $T/human.tsv --scores $T/twice.tsv", "twice.tsv:4: a second score of m for system a, which has one on line 2: for scores of segments there must be a column segment"},
		{"--human $T/human.tsv --scores $T/named.tsv", "named.tsv:1: the header has a column metric and none called score"},
		{"--human $T/human.tsv --scores $T/cells.tsv", `cells.tsv:2: the score is "high"`},
		{"--human $T/human.tsv --scores $T/short.tsv", "short.tsv:2: 3 columns, the line before has 4"},
		{"--human $T/human.tsv --scores $T/noname.tsv", "noname.tsv:2: column 1 is empty"},
		{"--human $T/human.tsv --scores $T/headonly.tsv", "headonly.tsv: no scores"},
		{"--human $T/human.tsv --scores $T/wide.tsv", `wide.tsv:2: the ter of a is "x"`},
		{"--human $T/human.tsv --scores $T/wide2.tsv", "wide2.tsv:3: a second row of system a"},
		{"--human $T/human.tsv --scores $T/wide3.tsv", "wide3.tsv:2: 2 columns, the header has 3"},
		{"--human $T/human.tsv --scores $T/wide4.tsv", "wide4.tsv:1: column 3 has no name"},
		{"--human $T/human.tsv --scores $T/wide5.tsv", "wide5.tsv: no scores"},
	} {
		stdout, stderr, status := clitest.Exec(t, append([]string{"meta"}, clitest.Args(dir, tt.line)...)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q; want %q", tt.line, status, stdout, stderr, tt.want)
		}
	}
}

func TestMetaWarnings(t *testing.T) {
	dir := t.TempDir()
	var human, good, bad, same strings.Builder
	var sets []string
	for i := range 12 {
		for k, name := range []string{"a", "b", "c", "d", "Human-A.0"} {
			v := (30*k + 17*i*i) % 101
			fmt.Fprintf(&human, "%s\t%d\t%d\n", name, i, v)
			fmt.Fprintf(&good, "%s\t%d\t%d\n", name, i, v+i%3)
			fmt.Fprintf(&bad, "%s\t%d\t%d\n", name, i, -v)
			fmt.Fprintf(&same, "%s\t%d\t1\n", name, i)
		}
	}
	for name, text := range map[string]string{
		"human": human.String(), "good": good.String(), "bad": bad.String(), "same": same.String(),
		"holes":    strings.Replace(good.String(), "a\t3\t", "a\t33\t", 1),
		"unjudged": good.String() + "e\t1\t1\n",
		"lacking":  strings.ReplaceAll(good.String(), "d\t", "dd\t"),
		"z":        "a\t1\t.1\nb\t1\t.2\na\t2\t.3\nc\t2\t.4\n",
		"few":      "a\t.9\nb\t.8\nc\t.7\nd\t-9\n",
		"equal":    "a\t1\nb\t1\nc\t1\nd\t2\n",
		"pairs":    "sid\tbetter\tworse\n1\ta\tb\n2\tb\tc\n3\ta\tb\n",
		"alone":    human.String() + "a\tlast\t5\n", "alone2": good.String() + "a\tlast\t5\n",
	} {
		clitest.Write(t, dir+"/"+name+".tsv", text)
	}
	for i := range 12 {
		clitest.Write(t, fmt.Sprintf("%s/set%d.tsv", dir, i), good.String())
		sets = append(sets, fmt.Sprintf("$T/set%d.tsv", i))
	}
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"--human $T/human.tsv --scores $T/good.tsv --exclude Human*", nil},
		{"--human $T/human.tsv --scores $T/good.tsv", []string{"Human-A.0: human translations"}},
		{"--level segment --human $T/human.tsv --scores $T/good.tsv", []string{"Human-A.0: human translations"}},
		{"--level segment --human $T/human.tsv --scores $T/bad.tsv --exclude Human*", []string{"bad is high where people's scores are low: if less is better, --lower-is-better bad"}},
		{"--level segment --human $T/human.tsv --scores $T/good.tsv --exclude Human* --lower-is-better good", []string{"good is high where people's scores are high, but was taken for an error metric: if more is better, --higher-is-better good"}},
		{"--level segment --human $T/human.tsv --scores $T/bad.tsv --exclude Human* --lower-is-better bad --kendall 5", nil},
		{"--level segment --human $T/human.tsv --scores $T/same.tsv --exclude Human*", []string{"same ties every pair"}},
		{"--human $T/human.tsv --scores $T/same.tsv --exclude Human*", []string{"same gives every system the same score"}},
		{"--level segment --human $T/human.tsv --scores $T/holes.tsv $T/good.tsv --exclude Human*", []string{"1 of 48 outputs have no score by some metric (holes 1): left out for all"}},
		{"--level segment --human $T/pairs.tsv --scores $T/holes.tsv --first-segment 1", []string{"1 of 3 pairs have no score by some metric (holes 1)", "1 of 3 pairs of systems have no segment on which both were judged: a and c"}},
		{"--human $T/human.tsv --scores $T/holes.tsv $T/good.tsv --exclude Human*", []string{"1 of 48 outputs have no score by some metric (holes 1)", "outputs that people did not judge (holes 1): left out of the means"}},
		{"--human $T/human.tsv --scores $T/unjudged.tsv --exclude Human*", []string{"e: scored by a metric and not by people, left out"}},
		{"--human $T/human.tsv --scores $T/lacking.tsv $T/good.tsv --exclude Human*", []string{"lacking has no score of d: left out for all metrics", "dd: scored by a metric and not by people"}},
		{"--level segment --human $T/z.tsv --scores $T/good.tsv --first-segment 1", []string{"no two scores of a segment differ by 25 or more", "1 of 3 pairs of systems have no segment on which both were judged: b and c"}},
		{"--level segment --human $T/alone.tsv --scores $T/alone2.tsv --exclude Human*", []string{"1 of 13 segments have scores of fewer than two systems"}},
		{"--human $T/few.tsv --scores $T/good.tsv --outliers --exclude Human*", []string{"d: outliers by human score, left out"}},
		{"--human $T/equal.tsv --scores $T/good.tsv --outliers --exclude Human*", []string{"outliers are not defined"}},
		{"--human $T/human.tsv --human-system $T/few.tsv --scores $T/good.tsv --exclude Human*", nil},
		{"--human $T/pairs.tsv --human-system $T/few.tsv --scores $T/good.tsv --exclude Human*", nil},
		{"--human $T/z.tsv --scores $T/good.tsv --first-segment 1 --exclude Human*", []string{"d: scored by a metric and not by people", "outputs that people did not judge (good 32)", "no soft pairwise accuracy"}},
		{"--level segment --human $T/human.tsv --exclude Human* --samples 100 --scores " + strings.Join(sets, " "), []string{"100 samples are too few: after Holm's correction for 66 pairs of metrics no difference can be significant at 0.05; --samples 1320 would do"}},
		{"--human $T/human.tsv --exclude Human* --samples 100 --scores " + strings.Join(sets, " "), []string{"100 permutations are too few"}},
		{"--human $T/human.tsv --scores $T/good.tsv $T/segless.tsv --exclude Human*", []string{"metrics have no segments in common"}},
		{"--human $T/human.tsv --scores $T/segless.tsv --exclude Human*", []string{"such as segment 0, and segless's x: means of metrics are over all segments"}},
		{"--human $T/human.tsv --scores $T/good.tsv $T/few.tsv --exclude Human*", nil},
		{"--human $T/human.tsv --scores $T/alone2.tsv $T/few.tsv --exclude Human*", []string{"outputs that people did not judge (alone2 1)"}},
	} {
		clitest.Write(t, dir+"/segless.tsv", "a\tx\t1\nb\tx\t2\nc\tx\t3\nd\tx\t5\n")
		_, stderr, status := clitest.Exec(t, append([]string{"meta"}, clitest.Args(dir, tt.line)...)...)
		clitest.CheckWarnings(t, tt.line, stderr, status, tt.want)
	}
}

// acc_eq of many pairs is left out, and nothing else.
func TestMetaTooManyPairs(t *testing.T) {
	dir := t.TempDir()
	var human, metric strings.Builder
	for i := range 3000 {
		for k := range 2 {
			fmt.Fprintf(&human, "s%d\t%d\t%d\n", k, i, (i*7+k*31)%101)
			fmt.Fprintf(&metric, "s%d\t%d\t%d\n", k, i, (i*7+k*29)%97)
		}
	}
	clitest.Write(t, dir+"/human.tsv", human.String())
	clitest.Write(t, dir+"/m.tsv", metric.String())
	got, stderr := clitest.RunMeta(t, "--level", "segment", "--group", "none", "--samples", "0", "--human", dir+"/human.tsv", "--scores", dir+"/m.tsv")
	m := got.Metrics[0].Measures
	if _, ok := m["acc_eq"]; ok || m["pearson"] == nil || !strings.Contains(stderr, "no acc_eq: --group none compares 17997000 pairs of scores, more than the 16777216 there is room for; --group item has fewer") {
		t.Errorf("%v, %s", m, stderr)
	}
}

// Expected wins are of the systems that are compared.
func TestMetaExcludePairs(t *testing.T) {
	dir := t.TempDir()
	text := "sid\tbetter\tworse\n1\ta\tb\n2\tb\ta\n3\ta\tb\n4\tb\tc\n5\tc\ta\n"
	clitest.Write(t, dir+"/with.tsv", text+"6\th\ta\n7\tb\th\n8\th\tc\n")
	clitest.Write(t, dir+"/without.tsv", text)
	clitest.Write(t, dir+"/m.tsv", "a\t1\t3\nb\t1\t2\nc\t1\t1\nh\t1\t9\n")
	with, _ := clitest.RunMeta(t, "--human", dir+"/with.tsv", "--scores", dir+"/m.tsv", "--exclude", "h")
	without, _ := clitest.RunMeta(t, "--human", dir+"/without.tsv", "--scores", dir+"/m.tsv", "--exclude", "h")
	if d := cmp.Diff(without.Systems, with.Systems); d != "" || len(with.Systems) != 3 || *with.Systems[1].Human != (1./3+1)/2 {
		t.Errorf("(-without +with):\n%s", d)
	}
}

// What does not exist is null and "undefined", never NaN.
func TestMetaUndefined(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/human.tsv", "a\t1\t50\nb\t1\t50\na\t2\t60\nb\t2\t60\n")
	clitest.Write(t, dir+"/same.tsv", "a\t1\t1\nb\t1\t1\na\t2\t1\nb\t2\t1\n")
	for _, level := range []string{"system", "segment"} {
		got, _ := clitest.RunMeta(t, "--level", level, "--human", dir+"/human.tsv", "--scores", dir+"/same.tsv")
		if m := got.Metrics[0].Measures; m["pearson"] != nil || level == "segment" && (m["kendall_4c"] != nil || m["kendall_5"].Value != 1 || m["acc_eq"].Value != 1) {
			t.Errorf("%s: %+v", level, m)
		}
		for _, format := range []string{"text", "tsv", "latex"} {
			stdout, _, status := clitest.Exec(t, "meta", "--level", level, "--human", dir+"/human.tsv", "--scores", dir+"/same.tsv", "--format", format, "--html", dir+"/page.html")
			if status != 0 || strings.Contains(stdout, "NaN") || !strings.Contains(stdout, map[bool]string{true: "NA", false: "undefined"}[format == "tsv"]) {
				t.Errorf("%s: status %d, %s", format, status, stdout)
			}
		}
	}
}

// Standard input and pipes, which can be read once.
func TestMetaStdin(t *testing.T) {
	feed := func(path string) {
		t.Helper()
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		was := os.Stdin
		os.Stdin = f
		t.Cleanup(func() { os.Stdin = was; f.Close() })
	}
	feed(clitest.MetaSample + "scores.tsv")
	if got, _ := clitest.RunMeta(t, "--human", clitest.MetaSample+"human.tsv", "--scores", "-", "--samples", "0"); len(got.Metrics) != 3 {
		t.Errorf("%+v", got.Metrics)
	}
	feed(clitest.MetaSample + "human.tsv")
	if got, _ := clitest.RunMeta(t, "--human", "-", "--human-format", "scores", "--scores", clitest.MetaSample+"scores.tsv", "--samples", "0"); len(got.Systems) != 5 {
		t.Errorf("%+v", got.Systems)
	}
	// What it is is told by its first line, though it can't be read twice.
	feed(clitest.MetaSample + "human.tsv")
	if got, _ := clitest.RunMeta(t, "--human", "-", "--scores", clitest.MetaSample+"scores.tsv", "--samples", "0"); len(got.Systems) != 5 {
		t.Errorf("%+v", got.Systems)
	}
	feed(clitest.MetaSample + "length.tsv")
	if _, stderr, status := clitest.Exec(t, "meta", "--human", clitest.MetaSample+"human.tsv", "--scores", "-"); status != 2 || !strings.Contains(stderr, "it has no name for a metric") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// Cancelled before, and in the middle of the tests.
func TestMetaInterrupt(t *testing.T) {
	for _, level := range []string{"system", "segment"} {
		for _, calls := range []int64{0, 5, 40} {
			ctx := kit.NewCountdown(calls)
			var out, stderr bytes.Buffer
			status := root.Run(ctx, metaArgs("", "meta --level "+level+" --human $Mhuman.tsv --scores $Mscores.tsv $Mlength.tsv --samples 20000"), &out, &stderr)
			if status != 130 || out.Len() > 0 || !strings.Contains(stderr.String(), "mteval: interrupted") {
				t.Errorf("%s after %d calls: status %d, %s%s", level, calls, status, out.String(), stderr.String())
			}
		}
	}
}

// The page has the figures and the systems, whatever they are called.
func TestMetaHTML(t *testing.T) {
	dir := t.TempDir()
	nasty := `<b onclick="x()">&amp;'`
	rename := func(from, to string) {
		f, err := files.OpenText(t.Context(), clitest.MetaSample+from, files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, l := range f.Lines {
			if rest, ok := strings.CutPrefix(l, "aspen\t"); ok {
				l = nasty + "\t" + rest
			}
			b.WriteString(l + "\n")
		}
		clitest.Write(t, filepath.Join(dir, to), b.String())
	}
	rename("human.tsv", "human.tsv")
	rename("length.tsv", "a <metric> & more.tsv")
	rename("scores.tsv", "scores.tsv")
	for _, level := range []string{"system", "segment"} {
		page := filepath.Join(dir, level+".html")
		got, _ := clitest.RunMeta(t, "--level", level, "--human", dir+"/human.tsv", "--scores", dir+"/scores.tsv", dir+"/a <metric> & more.tsv", "--lower-is-better", "ter", "--html", page)
		_, elements, texts := clitest.ReadXML(t, page)
		bars := 1
		if level == "segment" {
			bars = 5 // four forms and Pearson
		}
		if elements["b"] > 0 || elements["figure"] != bars+4 {
			t.Errorf("%s: elements %v", level, elements)
		}
		want := []string{nasty, "birch", "a <metric> & more", "ter (error)", "ter (less is better)"}
		for _, m := range got.Metrics {
			for key, v := range m.Measures {
				if slices.Contains([]string{"tau_c", "tau_eq", "acc_eq_0"}, key) {
					continue // which are for programs
				}
				text := fmt.Sprintf("%.4f", v.Value)
				if key == "pairwise_accuracy" {
					text += fmt.Sprintf(" (%d/%d)", *m.Agree, *m.PairsOfSystems)
				}
				want = append(want, text)
			}
		}
		for _, w := range want {
			if !slices.Contains(texts, w) {
				t.Errorf("%s: the page does not say %q", level, w)
			}
		}
	}
	if _, stderr, status := clitest.Exec(t, "meta", "--human", dir+"/human.tsv", "--scores", dir+"/scores.tsv", "--html", dir); status != 1 || !strings.Contains(stderr, "is a folder") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func FuzzMetaTables(f *testing.F) {
	f.Add("a\tm\t1\t.5\na\tm\t2\t.5\n")
	f.Add("system\tmetric\tsegment\tscore\na\tm\t1\tNA\n")
	f.Add("system\tbleu\tter\na\t1\t2\n")
	f.Add("a\tm\t1\t.5\t.1\t.2\t.3\n\nb\tm\t1\t.5\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "scores.tsv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		a := &app.App{Stdout: io.Discard, Stderr: &stderr}
		ms, err := a.ReadMetrics(context.Background(), &app.MetaOptions{Scores: []string{path}, Level: "system"})
		if err != nil {
			if len(ms) > 0 || !strings.HasPrefix(err.Error(), path) {
				t.Errorf("%d metrics, %v", len(ms), err)
			}
			return
		}
		for _, m := range ms {
			if err := m.Scores.Check(); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
	})
}

// Names may have commas in them.
func TestSplitNames(t *testing.T) {
	known := func(names ...string) func(string) bool {
		return func(n string) bool { return slices.Contains(names, n) }
	}
	for _, tt := range []struct {
		values string // with ; between
		known  func(string) bool
		want   string
	}{
		{"a", known("a"), "a"},
		{"a,b;c", known("a", "b", "c"), "a;b;c"},
		{"a,b", known("a,b"), "a,b"},
		{"a,b", known("a,b", "a"), "a,b"},
		{"a,b", known("a,b", "a", "b"), `--exclude a,b: one name, or several with commas between? Type --exclude '"a,b"' or --exclude a --exclude b`},
		{`"a,b"`, known("a,b", "a", "b"), "a,b"},
		{`"a,b",c`, known("a,b", "c"), "a,b;c"},
		{"a,x", known("a"), "a;x"},
		{`a"b`, known(`a"b`), `a"b`},
		{`a"b`, known(), `a"b`},
		{"", known(), ""},
	} {
		names, err := app.SplitNames("exclude", strings.Split(tt.values, ";"), tt.known)
		got := strings.Join(names, ";")
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.values, got, tt.want)
		}
	}
}
