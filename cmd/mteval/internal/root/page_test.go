package root_test

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/internal/reporttest"
)

// pagesOf are command lines with pages, without their format.
func pagesOf(t *testing.T) (dir string, lines map[string]string) {
	t.Helper()
	dir = t.TempDir()
	clitest.JudgedFolder(t, dir+"/one", 20, 1)
	clitest.JudgedFolder(t, dir+"/two", 20, 2)
	clitest.CalibrationFolders(t, dir)
	return dir, map[string]string{
		"score":             "score -r $Dref.de -m bleu,chrf,ter $Dsys/*.txt",
		"score of one":      "score -r $Dref.de -m bleu --confidence --confidence-n 100 $Dsys/aspen.txt",
		"score, tested":     "score -r $Dref.de --source $Dsrc.en -m bleu,bertscore --paired bs --paired-n 200 $Dsys/*.txt",
		"score, randomized": "score -r $Dref.de -m chrf --paired ar --paired-n 200 $Dsys/*.txt",
		"rank":              "rank -r $Dref.de --human $Dhuman.tsv -m bleu,ter $Dsys/*.txt",
		"rank of two":       "rank -r $Dref.de --source $Dsrc.en $Dsys/aspen.txt $Dsys/birch.txt",
		"meta":              "meta --human testdata/meta/human.tsv --scores testdata/meta/scores.tsv --lower-is-better ter --samples 100",
		"meta, segments":    "meta --level segment --human testdata/meta/human.tsv --scores testdata/meta/scores.tsv --lower-is-better ter --samples 100",
		"study":             "study -r $Dref.de --human $Dhuman.tsv -m bleu,wordf --samples 50 $Dsys/*.txt",
		"study of no form":  "study -r $Dref.de --human $Dhuman.tsv -m chrf --samples 50 $Dsys/*.txt",
		"tune":              "tune --data $T/one --data $T/two --folds 2 --evaluations 20",
		"tune, tested":      "tune --data $T/one --test $T/two --folds 1 --evaluations 20 --fix beta",
		"compare":           "compare --scores testdata/compare/comet.txt --samples 200",
		"select":            "select --evaluate --human $Dhuman-segment.tsv --method diversity,length -r $Dref.de --choices 20 $Dsys/*.txt",
		"calibrate":         "calibrate $T/one-de-en $T/one-en-de -m bleu",
	}
}

var answerOnPage = regexp.MustCompile(`(?s)<section id="answer".*?</section>`)

// Of a page: what package report has tests of, styles, scripts, drawings, controls and segments; the
// ends of cells; tags; and lines without anything.
var (
	drawn   = regexp.MustCompile(`(?s)<style.*?</style>|<script.*?</script>|<svg.*?</svg>|<div class="tools">.*?</div>|<section id="segments".*?</section>`)
	cellEnd = regexp.MustCompile(`</t[dh]><t`)
	tags    = regexp.MustCompile(`<[^>]*>`)
	blank   = regexp.MustCompile(`\n\s+`)
)

// words are those of a page, a line each paragraph and row.
func words(page string) string {
	page = cellEnd.ReplaceAllString(drawn.ReplaceAllString(page, ""), "\t<t")
	return strings.TrimSpace(html.UnescapeString(blank.ReplaceAllString(tags.ReplaceAllString(page, ""), "\n"))) + "\n"
}

// A page begins with the answer that json has.
func TestPageAnswer(t *testing.T) {
	dir, lines := pagesOf(t)
	for name, line := range lines {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line+" -f json --html $T/page.html")...)
			if status != 0 {
				t.Fatal(stderr)
			}
			var got struct{ Answer string }
			if err := json.Unmarshal([]byte(stdout), &got); err != nil {
				t.Fatal(err)
			}
			clitest.CheckXML(t, dir+"/page.html", ">mteval<", ">"+html.EscapeString("How this was made")+"<")
			page := answerOnPage.FindString(string(readFile(t, dir+"/page.html")))
			if len(got.Answer) < 20 || !strings.HasSuffix(got.Answer, ".") || !strings.Contains(html.UnescapeString(page), ">"+got.Answer+"<") {
				t.Errorf("the answer is %q, the page begins with %s", got.Answer, page)
			}
		})
	}
}

// numbers are those of a text, also in the middle of words.
var numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// Pages of score, study and tune have all that the text has: the numbers, and what is a line of its
// own.
func TestPageHasTheText(t *testing.T) {
	dir, lines := pagesOf(t)
	for name, line := range lines {
		if !slices.ContainsFunc([]string{"score", "study", "tune"}, func(c string) bool { return strings.HasPrefix(line, c+" ") }) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line+" --html $T/page.html")...)
			if status != 0 {
				t.Fatal(stderr)
			}
			page := words(string(readFile(t, dir+"/page.html")))
			have := make(map[string]bool)
			for _, n := range numbers.FindAllString(page, -1) {
				have[n] = true
			}
			for _, n := range numbers.FindAllString(stdout, -1) {
				if !have[n] {
					t.Errorf("the page lacks %s of the text", n)
				}
			}
			for _, l := range strings.Split(stdout, "\n") {
				if _, signature, ok := strings.Cut(l, ": "); ok && strings.Contains(signature, "|version:") && !strings.Contains(page, signature) {
					t.Errorf("the page lacks %s", signature)
				}
			}
		})
	}
}

// What is noted on standard error is on the page, too.
func TestPageNotes(t *testing.T) {
	dir := t.TempDir()
	tokenized := strings.Repeat("a text .\n", 100)
	clitest.Write(t, dir+"/ref", tokenized)
	clitest.Write(t, dir+"/a", tokenized)
	for _, quiet := range []string{"", " -q"} {
		_, stderr, status := clitest.Exec(t, clitest.Args(dir, "score -r $T/ref --html $T/page.html $T/a"+quiet)...)
		const warning = `100 lines of a end in a tokenized period (" .")`
		if status != 0 || !strings.Contains(stderr, "warning: "+warning) {
			t.Fatalf("status %d, %s", status, stderr)
		}
		if page := words(string(readFile(t, dir+"/page.html"))); strings.Count(page, warning) != 1 || strings.Contains(page, "warning: ") {
			t.Error(page)
		}
	}
}

// --html-segments bounds the segments of score's page, those on which systems differ most first.
// Their scores are those of --sentence-level.
func TestScorePageSegments(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/ref", "the cat sat\nthe dog ran off\na bird sang\n")
	clitest.Write(t, dir+"/a", "the cat sat\nthe dog ran off\na bird sang\n")
	clitest.Write(t, dir+"/b", "the cat sat\na text of other words\na bird sings\n")
	for n, want := range map[string][]int{"": {2, 3, 1}, " --html-segments 1": {2}, " --html-segments 0": nil} {
		const line = "score -r $T/ref -m chrf,bleu $T/a $T/b"
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, line+" --html $T/page.html"+n)...); status != 0 {
			t.Fatal(stderr)
		}
		data := readFile(t, dir+"/page.html")
		if strings.Contains(string(data), `id="segments"`) != (want != nil) {
			t.Errorf("%q: whether there are segments", n)
		}
		if want == nil {
			continue
		}
		page, err := reporttest.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		stdout, _, _ := clitest.Exec(t, clitest.Args(dir, line+" --sentence-level -w 2")...)
		var got []int
		for _, x := range page.All {
			got = append(got, x.Number)
			for k, o := range x.Outputs {
				for m, metric := range []string{"chrf", "bleu"} {
					if row := fmt.Sprintf("%s\t%s\t%d\t%.2f\n", page.Systems[k], metric, x.Number, o.Scores[m]); !strings.Contains(stdout, row) {
						t.Errorf("no %q in\n%s", row, stdout)
					}
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: segments %v, want %v", n, got, want)
		}
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "score -r $T/ref --html-segments 1 $T/a")...); status != 2 || !strings.Contains(stderr, "--html-segments is an option of --html") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// Sources are read to be shown, and only for that where no metric reads them.
func TestShownSources(t *testing.T) {
	dir := t.TempDir()
	for _, command := range []string{"score", "rank"} {
		line := command + " -r $Dref.de --source $Dsrc.en $Dsys/aspen.txt $Dsys/birch.txt"
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...); status != 2 || !strings.Contains(stderr, "--source is an option of comet: add ") {
			t.Errorf("%s: status %d, %s", line, status, stderr)
		}
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, line+" --html $T/page.html")...); status != 0 {
			t.Errorf("%s: status %d, %s", line, status, stderr)
		}
		page, err := reporttest.Read(readFile(t, dir+"/page.html"))
		if err != nil {
			t.Fatal(err)
		}
		sources := strings.Split(strings.TrimSpace(string(readFile(t, clitest.Sample+"src.en"))), "\n")
		if len(page.All) != len(sources) {
			t.Errorf("%s: %d segments of %d", command, len(page.All), len(sources))
		}
		for _, x := range page.All {
			if x.Source != sources[x.Number-1] {
				t.Errorf("%s: the source of segment %d is %q", command, x.Number, x.Source)
			}
		}
	}
}

// Of a test set sources are shown, and segments have the numbers that they have in the whole of it.
func TestTestSetPage(t *testing.T) {
	clitest.SacreFolder(t)
	echo := func(line string) []string {
		stdout, stderr, status := clitest.Exec(t, strings.Fields(line)...)
		if status != 0 {
			t.Fatal(stderr)
		}
		return strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	}
	all := echo("score -t wmt18 -l en-de --echo src")
	for _, some := range []string{"", " --origlang en", " --detail"} {
		if _, stderr, status := clitest.Exec(t, strings.Fields("score -t wmt18 -l en-de north.de --html page.html"+some)...); status != 0 {
			t.Fatal(stderr)
		}
		data := readFile(t, "page.html")
		page, err := reporttest.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		slices.SortFunc(page.All, func(a, b reporttest.Segment) int { return a.Number - b.Number })
		for _, s := range page.All {
			if got = append(got, s.Source); s.Source != all[s.Number-1] {
				t.Errorf("%s: the source of segment %d is %q", some, s.Number, s.Source)
			}
		}
		if want := echo("score -t wmt18 -l en-de --echo src" + strings.ReplaceAll(some, " --detail", "")); !slices.Equal(got, want) {
			t.Errorf("%s: sources %q, want %q", some, got, want)
		}
		if strings.Contains(words(string(data)), "By original language and domain") != (some == " --detail") {
			t.Errorf("%s: whether there are parts", some)
		}
	}
}
