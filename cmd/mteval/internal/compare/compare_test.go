package compare_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/compare"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/reporttest"
)

const compareSample = "testdata/compare/"

func compareArgs(dir, line string) []string {
	return clitest.Args(dir, strings.ReplaceAll(line, "$C", compareSample))
}

func TestCompareGolden(t *testing.T) {
	for name, line := range map[string]string{
		"comet":     "compare --scores $Ccomet.txt",
		"two":       "compare --scores $Ccomet.txt --systems pine,oak --test t --pairs",
		"texts":     "compare --scores $Ccomet.txt --source $Csource.en -r $Cref.de --outputs $Cpine.de --outputs $Cfir.de --documents $Cdocuments.txt --by length,domain --decide pine,fir --segments 2",
		"metricx":   "compare --scores $Cpine.jsonl $Coak.jsonl $Cfir.jsonl --exclude oak --decide fir,pine --segments 3",
		"two-tsv":   "compare --scores $Ccomet.txt $Cpine.jsonl $Coak.jsonl $Cfir.jsonl --lower-is-better MetricX --pairs --documents $Cdocuments.txt --by document --decide pine,oak --format tsv",
		"latex":     "compare --scores $Ccomet.txt --pairs --test bs --samples 500 --decide pine,oak --segments 1 --format latex",
		"json":      "compare --scores $Ccomet.txt --decide pine,oak --segments 1 --outputs $Cpine.de --by length --tokenize 13a --tie .01 --format json",
		"frequency": "compare --scores $Ccomet.txt -r $Cref.de --corpus $Cpine.de --labels kind=$Cdocuments.txt --by frequency --alpha .01 --seed 3",
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := clitest.Exec(t, compareArgs("", line)...)
			if status != 0 || strings.Contains(stderr, "warning") {
				t.Fatalf("status %d, %s", status, stderr)
			}
			if name == "json" {
				clitest.CheckGolden(t, "compare-json.txt", stdout, cmpopts.EquateApprox(0, 1e-9))
				return
			}
			clitest.CheckGolden(t, "compare-"+name+".txt", stdout)
		})
	}
}

// Scores of mteval score come through a pipe, and the means are those that it prints.
func TestCompareFromScore(t *testing.T) {
	scores, stderr, status := clitest.Exec(t, clitest.Args("", "score -r $Dref.de -m bertscore,ter --sentence-level --width 12 $Dsys/*.txt")...)
	if status != 0 {
		t.Fatal(stderr)
	}
	path := filepath.Join(t.TempDir(), "scores.tsv")
	clitest.Write(t, path, scores)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdin
	os.Stdin = f
	defer func() { os.Stdin = was; f.Close() }()
	got := clitest.ComparedOf(t, "--scores", "-", "--samples", "200")
	if len(got.Metrics) != 2 || len(got.Metrics[0].Systems) != 5 || got.Metrics[0].Segments != 48 || len(got.Metrics[1].Pairs) != 10 || len(got.Warnings) != 0 {
		t.Fatalf("%+v", got)
	}
	// BERTScore's score of a corpus is the mean of its segments'.
	whole, _, _ := clitest.Exec(t, clitest.Args("", "score -r $Dref.de -m bertscore --format tsv --width 12 $Dsys/*.txt")...)
	for _, s := range got.Metrics[0].Systems {
		if !strings.Contains(whole, s.System+"\t") {
			t.Errorf("score does not know %s", s.System)
		}
		for line := range strings.Lines(whole) {
			if fields := strings.Split(line, "\t"); fields[0] == s.System {
				if v, err := strconv.ParseFloat(fields[2], 64); err != nil || v-s.Mean > 1e-9 || s.Mean-v > 1e-9 {
					t.Errorf("%s: mean %v, score says %v", s.System, s.Mean, fields)
				}
			}
		}
	}
	if best := got.Metrics[1].Systems; best[0].Mean >= best[4].Mean {
		t.Errorf("ter: the best is %+v", best[0])
	}
}

func TestCompareErrors(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/one.tsv", "a\t1\t.5\na\t2\t.25\n")
	clitest.Write(t, dir+"/systems.tsv", "a\t1\nb\t2\n")
	clitest.Write(t, dir+"/apart.tsv", "a\t1\t1\nb\t2\t1\n")
	clitest.Write(t, dir+"/short.txt", "x\ny\n")
	clitest.Write(t, dir+"/mixed.txt", "d\tx\n"+strings.Repeat("x\n", 11))
	clitest.Write(t, dir+"/comma.tsv", "a\t1\t1\nb,c\t1\t1\na,b\t1\t1\nc\t1\t1\n")
	for _, tt := range []struct{ line, want string }{
		{"", "no scores: name files with --scores"},
		{"--scores $T/one.tsv", "one has scores of 1 of the systems to compare (its systems are a): two or more"},
		{"--scores $T/systems.tsv", "the scores of systems are of whole systems: tests need those of segments"},
		{"--scores $T/apart.tsv", `metric "apart" has no segment with scores of all systems`},
		{"--scores $Ccomet.txt --systems pin", "--systems pin: no such system: have pine, oak, fir"},
		{"--scores $Ccomet.txt --systems pine", "of 1 of the systems to compare"},
		{"--scores $Ccomet.txt --exclude elm", "--exclude elm: no such system"},
		{"--scores $Ccomet.txt --lower-is-better comet", "--lower-is-better comet: no such metric: have COMET"},
		{"--scores $Ccomet.txt --decide pine", "--decide pine: want two systems with a comma between: have pine, oak, fir"},
		{"--scores $Ccomet.txt --decide pine,pine", "want two systems"},
		{"--scores $T/comma.tsv --decide a,b,c", "it can be read in two ways"},
		{"--scores $Ccomet.txt --segments 3", "--segments"},
		{"--scores $Ccomet.txt -r $T/short.txt --by length", "short.txt has 2 lines, and COMET scores of 12 segments, such as 12"},
		{"--scores $Ccomet.txt -r $T/short.txt --source $Csource.en", "short.txt has 2 lines, testdata/compare/source.en 12"},
		{"--scores $Ccomet.txt --by length", "--by length needs a text to count words in"},
		{"--scores $Ccomet.txt --by frequency", "--by frequency needs a text"},
		{"--scores $Ccomet.txt --by domain", "--by domain needs --documents FILE"},
		{"--scores $Ccomet.txt --by domain --documents $Cref.de", "--by domain needs --documents FILE"},
		{"--scores $Ccomet.txt --by domain --documents $T/mixed.txt", "mixed.txt:2: one column, and two in other lines"},
		{"--scores $Ccomet.txt --by colour", "colour"},
		{"--scores $Ccomet.txt $Ccomet.txt", "both have scores of a metric COMET for the system pine"},
		{"--scores $T/none.tsv", "none.tsv"},
		{"--scores $Ccomet.txt --html $Ccomet.txt", "comet.txt"},
	} {
		stdout, stderr, status := clitest.Exec(t, append([]string{"compare"}, compareArgs(dir, tt.line)...)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, stdout %q, stderr %q; want %q", tt.line, status, stdout, stderr, tt.want)
		}
	}
}

func TestCompareWarnings(t *testing.T) {
	dir := t.TempDir()
	// m and n agree, o is against both.
	var table strings.Builder
	table.WriteString("system\tsegment\tm\tn\to\n")
	var m, n, o strings.Builder
	for i := range 30 {
		for k, s := range []string{"a", "b"} {
			x := (i*7+k*3)%11 + k
			line := func(b *strings.Builder, v int) {
				b.WriteString(s + "\t" + strconv.Itoa(i+1) + "\t" + strconv.Itoa(v) + "\n")
			}
			line(&m, x)
			line(&n, 2*x+i%2)
			line(&o, -x)
		}
	}
	clitest.Write(t, dir+"/m.tsv", m.String())
	clitest.Write(t, dir+"/n.tsv", n.String())
	clitest.Write(t, dir+"/o.tsv", o.String())
	clitest.Write(t, dir+"/TER.tsv", m.String())
	clitest.Write(t, dir+"/TER-refA.tsv", o.String()+"a\t31\t0.1\nb\t31\t0.2\n") // negated, as in WMT's trees
	clitest.Write(t, dir+"/wer.tsv", o.String())
	clitest.Write(t, dir+"/meteor.tsv", m.String())
	clitest.Write(t, dir+"/zh.txt", strings.Repeat("这座桥从昨天起已经关闭了，市长说春天再重新开放，但是没有人问过摆渡的人。\n", 30))
	var many strings.Builder
	for k := range 12 {
		for i := range 20 {
			many.WriteString("s" + strconv.Itoa(k) + "\t" + strconv.Itoa(i+1) + "\t" + strconv.Itoa(i*k) + "\n")
		}
	}
	clitest.Write(t, dir+"/many.tsv", many.String())
	clitest.Write(t, dir+"/gaps.tsv", "a\t1\na\t2\na\t3\na\t4\na\t5\nb\t2\nb\t2\nb\t2\nb\t2\nb\tNA\nc\t1\nc\t3\nc\tNA\nc\tNA\nc\tNA\n")
	clitest.Write(t, dir+"/single.tsv", "a\t1\t1\nb\t1\t0\n")
	clitest.Write(t, dir+"/few.tsv", "a\t1\t1\na\t2\t3\nb\t1\t0\nb\t2\t1\n")
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"$T/m.tsv $T/n.tsv", nil},
		{"$T/m.tsv $T/o.tsv", []string{"m is low where o is high: if less is better for one of them, --lower-is-better NAME, if more is, --higher-is-better NAME"}},
		{"$T/m.tsv $T/o.tsv --lower-is-better o", nil},
		{"$T/m.tsv $T/n.tsv $T/o.tsv", []string{"o is low where the other metrics are high: if less is better, --lower-is-better o"}},
		{"$T/m.tsv $T/n.tsv --lower-is-better n", []string{"m is low where n is high"}},
		{"$T/m.tsv $T/n.tsv $T/o.tsv --higher-is-better o", []string{"o is low where the other metrics are high"}},
		{"$T/m.tsv $T/n.tsv $T/TER.tsv", []string{"TER is high where the other metrics say better, and less was taken for better: if more is better, --higher-is-better TER"}},
		{"$T/m.tsv $T/n.tsv $T/TER.tsv --higher-is-better TER", nil},
		{"$T/TER.tsv", nil},
		{"$T/TER-refA.tsv", nil},
		{"$T/wer.tsv", []string{"less was taken for better of wer by its name, and all systems' scores are below 0: if they are turned round, --higher-is-better wer"}},
		{"$T/wer.tsv --higher-is-better wer", nil},
		{"$T/wer.tsv --lower-is-better wer", nil},
		{"$T/meteor.tsv", nil},
		{"$T/many.tsv --test bs", []string{"many: whatever the scores, no difference can be significant at 0.05 after Holm's correction for 66 pairs: --samples 1320 would do"}},
		{"$T/few.tsv", []string{"few: whatever the scores, no difference can be significant at 0.05: there are only 4 ways to swap the scores of 2 segments"}},
		{"$T/few.tsv --test t", nil},
		{"$T/gaps.tsv --test t", []string{"gaps: 3 of 5 segments are left out, as not all systems have scores there: c has the fewest, 2 (--exclude)"}},
		{"$T/gaps.tsv --test t --exclude c", nil},
		{"$T/few.tsv --test bs", []string{"few: on 2 segments bs calls one pair of equal systems in five different, or more: take --test ar or t"}},
		{"$T/single.tsv --test t", []string{"single: whatever the scores, no difference can be significant at 0.05: one segment shows no spread"}},
		{"$T/many.tsv --test bs --samples 1320", nil},
		{"$T/m.tsv -r $T/zh.txt --by length", []string{"hardly any spaces"}},
		{"$T/m.tsv -r $T/zh.txt --by length --tokenize zh", nil},
	} {
		_, stderr, status := clitest.Exec(t, append([]string{"compare", "--scores"}, clitest.Args(dir, tt.line)...)...)
		clitest.CheckWarnings(t, tt.line, stderr, status, tt.want)
	}
}

// --encoding is of all texts, of the corpus too.
func TestCompareCorpusEncoding(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("H\xe4user\n", 12) // latin-1
	clitest.Write(t, dir+"/ref.txt", text)
	clitest.Write(t, dir+"/corpus.txt", text)
	line := clitest.Args(dir, "--scores "+compareSample+"comet.txt -r $T/ref.txt --by frequency --corpus $T/corpus.txt")
	groups := clitest.ComparedOf(t, append(line, "-e", "latin-1")...).Metrics[0].Groups
	if len(groups) != 3 || groups[0].Group != "[10,100)" || groups[0].Segments != 12 {
		t.Errorf("%+v", groups)
	}
	if _, stderr, status := clitest.Exec(t, append([]string{"compare"}, line...)...); status != 2 || !strings.Contains(stderr, "--encoding NAME") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// Lines of texts go by the number of a segment, from 1, or else by its place.
func TestCompareTextPlaces(t *testing.T) {
	for _, tt := range []struct {
		items string
		lines int
		want  []int
	}{
		{"1 2 3", 3, []int{0, 1, 2}},
		{"3 1 2", 3, []int{2, 0, 1}},
		{"2 5", 5, []int{1, 4}},
		{"0 1 2", 3, []int{0, 1, 2}},
		{"2 0", 4, nil},
		{"doc:1 doc:2", 2, []int{0, 1}},
		{"11 12", 2, []int{0, 1}},
		{"01 02", 2, []int{0, 1}},
		{"0 3", 3, nil},
		{"1 4", 3, nil},
		{"x y", 3, nil},
	} {
		texts := &compare.CompareTexts{Lines: tt.lines, First: "f"}
		got, err := texts.Place("m", strings.Fields(tt.items))
		if (err != nil) != (tt.want == nil) || err == nil && !slices.Equal(got, tt.want) {
			t.Errorf("%s of %d: %v, %v", tt.items, tt.lines, got, err)
		}
	}
}

// Names forge no row, and the page is XML.
func TestCompareNames(t *testing.T) {
	dir := t.TempDir()
	nasty := `<b onclick="x()">&amp;'\u202e`
	var scores strings.Builder
	for i := range 12 {
		scores.WriteString(nasty + "\t" + strconv.Itoa(i+1) + "\t" + strconv.Itoa(i*i%7) + "\n")
		scores.WriteString("b\t" + strconv.Itoa(i+1) + "\t" + strconv.Itoa(i*i%5) + "\n")
	}
	clitest.Write(t, dir+"/m.tsv", scores.String())
	page := dir + "/page.html"
	line := append([]string{"compare", "--decide", nasty + ",b", "--html", page, "--pairs"}, compareArgs(dir, "--scores $T/m.tsv -r $Cref.de --by length --documents $Cdocuments.txt")...)
	for _, format := range []string{"text", "tsv", "latex", "markdown", "json"} {
		if stdout, stderr, status := clitest.Exec(t, append(line, "--format", format)...); status != 0 || strings.Contains(stdout, "\u202e") || strings.Contains(stdout, "NaN") {
			t.Errorf("%s: status %d, %s%s", format, status, stdout, stderr)
		}
	}
	data, elements, _ := clitest.ReadXML(t, page)
	if elements["b"] > 0 || elements["figure"] != 2 || elements["article"] != 10 {
		t.Errorf("elements %v", elements)
	}
	segments, err := reporttest.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(segments.All); n != 10 || !slices.Equal(segments.Systems, []string{nasty, "b"}) {
		t.Errorf("%d segments of %q", n, segments.Systems)
	}
	for _, s := range segments.All {
		i := float64(s.Number - 1)
		a, b := math.Mod(i*i, 7), math.Mod(i*i, 5)
		if len(s.References) != 1 || s.Outputs[0].Scores[0] != a || s.Outputs[1].Scores[0] != b || s.Keys[0] != math.Abs(a-b) {
			t.Errorf("segment %d has %+v", s.Number, s)
		}
	}
}

// A page has all pairs of no more systems than can be looked at.
func TestComparePageOfMany(t *testing.T) {
	dir := t.TempDir()
	for n, want := range map[int]bool{compare.MostOnPage: true, compare.MostOnPage + 1: false} {
		var scores strings.Builder
		for k := range n {
			for i := range 3 {
				scores.WriteString("s" + strconv.Itoa(k) + "\t" + strconv.Itoa(i+1) + "\t" + strconv.Itoa(i*k%7) + "\n")
			}
		}
		clitest.Write(t, dir+"/m.tsv", scores.String())
		if stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "compare --scores $T/m.tsv --samples 20 --html $T/page.html")...); status != 0 {
			t.Fatalf("status %d, %s%s", status, stdout, stderr)
		}
		data, err := os.ReadFile(dir + "/page.html")
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(data, []byte("m: pairs (p-values")); got != want || bytes.Contains(data, []byte("too many for a page")) == want {
			t.Errorf("%d systems: pairs on the page: %v", n, got)
		}
	}
}

// Cancelled before, and in the middle of the tests.
func TestCompareInterrupt(t *testing.T) {
	for _, calls := range []int64{0, 5, 40} {
		ctx := kit.NewCountdown(calls)
		var out, stderr bytes.Buffer
		status := root.Run(ctx, compareArgs("", "compare --scores $Ccomet.txt --samples 20000"), &out, &stderr)
		if status != 130 || out.Len() > 0 || !strings.Contains(stderr.String(), "mteval: interrupted") {
			t.Errorf("after %d calls: status %d, %s%s", calls, status, out.String(), stderr.String())
		}
	}
}
