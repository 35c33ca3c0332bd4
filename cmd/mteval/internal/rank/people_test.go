package rank_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/cmd/internal/show"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/rank"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/preference"
)

// pairsOf are the probabilities, by both orders of each pair.
func pairsOf(t *testing.T, r rank.JSON) map[[2]string]float64 {
	t.Helper()
	out := make(map[[2]string]float64)
	for _, p := range r.Pairs {
		for pair, v := range map[[2]string]float64{{p.A, p.B}: p.Probability, {p.B, p.A}: 1 - p.Probability} {
			if _, twice := out[pair]; twice || p.A == p.B || !(v >= 0 && v <= 1) {
				t.Fatalf("pair %v: %v, a second time: %v", pair, v, twice)
			}
			out[pair] = v
		}
	}
	if n := len(r.Systems); len(out) != n*(n-1) {
		t.Fatalf("%d pairs of %d systems", len(out)/2, n)
	}
	return out
}

// samePairs compares probabilities but for the last digits, as one of them may be 1 less the
// other.
func samePairs(t *testing.T, what string, want, got map[[2]string]float64) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%s: %d pairs, want %d", what, len(got), len(want))
	}
	for pair, p := range want {
		if math.Abs(got[pair]-p) > 1e-12 {
			t.Errorf("%s: %v is %v, want %v", what, pair, got[pair], p)
		}
	}
}

// The systems come by expected wins, or as people put them; each pair is there once, and what
// is told of a system follows from the pairs.
func TestRankPairs(t *testing.T) {
	for _, line := range []string{"rank -r $Dref.de $Dsys/*.txt", clitest.RankSample} {
		got := clitest.RankOf(t, clitest.Args("", line)...)
		pairs := pairsOf(t, got)
		place := make(map[string]int)
		best, group := 0.0, 0
		for i, s := range got.Systems {
			place[s.System] = i
			wins := 0.0
			for _, o := range got.Systems {
				if o.System != s.System {
					wins += pairs[[2]string{s.System, o.System}] / 4
				}
			}
			if math.Abs(wins-*s.Wins) > 1e-12 {
				t.Errorf("%s: %v wins, want %v", s.System, *s.Wins, wins)
			}
			best += *s.Best
			if line != clitest.RankSample && i > 0 && (*s.Wins > *got.Systems[i-1].Wins || *s.Group < group || *s.Group > group+1) {
				t.Errorf("%s: wins %v, group %d after %v, %d", s.System, *s.Wins, *s.Group, *got.Systems[i-1].Wins, group)
			}
			group = *s.Group
		}
		if math.Abs(best-1) > 1e-12 {
			t.Errorf("the best is one of them with %v", best)
		}
		for _, p := range got.Pairs {
			if place[p.A] >= place[p.B] {
				t.Errorf("%s, which is listed after %s, comes first", p.A, p.B)
			}
		}
		if sig := preference.Default().Signature().String(); *got.Calibration != sig {
			t.Errorf("calibration %s, want %s", *got.Calibration, sig)
		}
		if want := []string{fewSegments()}; !slices.Equal(got.Outside, want) {
			t.Errorf("outside: %q, want %q", got.Outside, want)
		}
		if (got.People != nil) != (line == clitest.RankSample) {
			t.Errorf("people: %v", got.People)
		}
		text, _, _ := clitest.Exec(t, clitest.Args("", line)...)
		for _, want := range []string{"calibration " + preference.Default().Hash(), "- 48 segments: the fewest", "group: systems that are not told apart at 95%\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", line, want, text)
			}
		}
	}
}

// fewSegments is why the sample is outside of what the embedded calibration was fitted on.
func fewSegments() string {
	fewest := math.MaxInt
	for _, s := range preference.Default().Sets {
		fewest = min(fewest, s.Segments)
	}
	return fmt.Sprintf("48 segments: the fewest of a set that it was fitted on are %d", fewest)
}

// How right it was, worked out from the pairs and people's scores: aspen .412, birch .287,
// cedar .105, dogwood −.214, elder −.633.
func TestRankPeople(t *testing.T) {
	got := clitest.RankOf(t, clitest.Args("", clitest.RankSample)...)
	pairs := pairsOf(t, got)
	names := []string{"aspen", "birch", "cedar", "dogwood", "elder"}
	var want preference.Agreement
	for i, a := range names {
		for _, b := range names[i+1:] {
			p := pairs[[2]string{a, b}]
			want.Pairs++
			if p > .5 {
				want.Accuracy += .1
			}
			want.Expected += max(p, 1-p) / 10
			want.LogLoss -= math.Log(p) / 10
			want.Brier += (1 - p) * (1 - p) / 10
		}
	}
	// A quarter of their standard deviation is .105: all pairs differ by more.
	for _, a := range []preference.Agreement{got.People.All, got.People.Clear} {
		for _, v := range [][2]float64{{float64(a.Pairs), 10}, {a.Accuracy, want.Accuracy}, {a.Expected, want.Expected}, {a.LogLoss, want.LogLoss}, {a.Brier, want.Brier}} {
			if math.Abs(v[0]-v[1]) > 1e-12 {
				t.Errorf("%+v, want %+v", a, want)
				break
			}
		}
	}
	dir := t.TempDir()
	clitest.Write(t, dir+"/human.tsv", "aspen\t2\nbirch\t2\ncedar\t0\noak\t7\n")
	line := clitest.Args(dir, "rank -r $Dref.de --human $T/human.tsv $Dsys/*.txt")
	got = clitest.RankOf(t, line...)
	if got.People.All.Pairs != 2 || got.People.Clear.Pairs != 2 {
		t.Errorf("of systems with a score: %+v", got.People)
	}
	// Those without a score have their part in the probabilities, as there are no people.
	samePairs(t, "unscored systems", pairs, pairsOf(t, got))
	clitest.Write(t, dir+"/human.tsv", "aspen\t2\nbirch\t2\n")
	if text, _, _ := clitest.Exec(t, line...); !strings.Contains(text, "People scored no two systems differently.") {
		t.Error(text)
	}
}

// Columns and their options, and the order of the systems, change no probability.
func TestRankPairsAlike(t *testing.T) {
	want := clitest.RankOf(t, clitest.Args("", "rank -r $Dref.de $Dsys/*.txt")...)
	pairs := pairsOf(t, want)
	for _, line := range []string{
		"rank -r $Dref.de $Dsys/elder.txt $Dsys/cedar.txt $Dsys/aspen.txt $Dsys/dogwood.txt $Dsys/birch.txt",
		"rank -r $Dref.de -m chrf(word-order=2) $Dsys/*.txt",
		"rank -r $Dref.de -m chrf,bertscore --base meteor $Dsys/*.txt",
		"rank -r $Dref.de -m bleu(lowercase,tokenize=char) --base wordf(lowercase) $Dsys/*.txt",
		"rank -r $Dref.de --base bertscore(idf) --difficulty paper --difficulty-leave-one-out $Dsys/*.txt",
		"rank -r $Dref.de --base bertscore(backend=transformer,model=../../backend/transformer/testdata/bert,layer=1) $Dsys/*.txt",
		"rank -r $Dref.de --target-language de $Dsys/*.txt",
	} {
		got := clitest.RankOf(t, clitest.Args("", line)...)
		samePairs(t, line, pairs, pairsOf(t, got))
		if d := cmp.Diff(systemsOf(want), systemsOf(got)); d != "" {
			t.Errorf("%s: order (-want +got):\n%s", line, d)
		}
		if strings.HasPrefix(line, "rank -r $Dref.de $Dsys/elder.txt") && !slices.Equal(want.Pairs, got.Pairs) {
			t.Errorf("in another order:\n%v, want\n%v", got.Pairs, want.Pairs)
		}
	}
}

// Neither do they depend on how many work on them.
func TestRankPairsWorkers(t *testing.T) {
	want := clitest.RankOf(t, clitest.Args("", clitest.RankSample)...)
	for _, n := range []int{1, 5} {
		was := runtime.GOMAXPROCS(n)
		got := clitest.RankOf(t, clitest.Args("", clitest.RankSample)...)
		runtime.GOMAXPROCS(was)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%d workers (-want +got):\n%s", n, d)
		}
	}
}

func systemsOf(r rank.JSON) []string {
	var out []string
	for _, s := range r.Systems {
		out = append(out, fmt.Sprint(s.System, " ", *s.Group))
	}
	return out
}

// Equal outputs are level, with other systems and alone.
func TestRankEqual(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(clitest.Sample + "sys/aspen.txt")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, dir+"/twin.txt", string(text))
	for _, systems := range []string{"$Dsys/*.txt", "$Dsys/aspen.txt"} {
		got := clitest.RankOf(t, clitest.Args(dir, "rank -r $Dref.de $T/twin.txt "+systems)...)
		pairs := pairsOf(t, got)
		if p := pairs[[2]string{"aspen", "twin"}]; p != .5 {
			t.Errorf("%s: %v", systems, p)
		}
		if p, q := pairs[[2]string{"aspen", "birch"}], pairs[[2]string{"twin", "birch"}]; p != q {
			t.Errorf("%s: against another %v and %v", systems, p, q)
		}
	}
	// Texts without a token.
	clitest.Write(t, dir+"/ref", "\n \n")
	clitest.Write(t, dir+"/x.txt", "\na\n")
	clitest.Write(t, dir+"/y.txt", "\n\n")
	if got := clitest.RankOf(t, clitest.Args(dir, "rank -r $T/ref $T/x.txt $T/y.txt")...); pairsOf(t, got)[[2]string{"x", "y"}] != .5 {
		t.Errorf("without tokens: %v", got.Pairs)
	}
}

// A system alone has no pair, and is none to rank.
func TestRankAlone(t *testing.T) {
	for line, want := range map[string]string{
		"rank -r $Dref.de $Dsys/cedar.txt": "mteval: cedar is one system, which",
		clitest.RankSample + "--top 1":     "mteval: --top 1 leaves one system, which",
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", line)...)
		if status != 2 || stdout != "" || !strings.HasPrefix(stderr, want) || !strings.HasSuffix(stderr, "use mteval score\n") {
			t.Errorf("%s: status %d, %s%s, want %s", line, status, stdout, stderr, want)
		}
	}
}

// People's scores of less than two systems rank nothing.
func TestRankHumanAlone(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/one", "cedar\t1\nelse\t2\n")
	clitest.Write(t, dir+"/none", "else\t2\n")
	for file, want := range map[string]string{
		"one":  ": a human score of cedar alone, and among one system nothing is difficult",
		"none": ": no human score is of any of the systems: its systems are else, the outputs' aspen, cedar\n",
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "rank -r $Dref.de $Dsys/aspen.txt $Dsys/cedar.txt --human $T/"+file)...)
		if status != 2 || stdout != "" || !strings.HasPrefix(stderr, "mteval: "+dir+"/"+file+want) {
			t.Errorf("%s: status %d, %s%s, want %s", file, status, stdout, stderr, want)
		}
	}
}

// --top leaves the others out of the probabilities, too.
func TestRankTopPairs(t *testing.T) {
	top := clitest.RankOf(t, clitest.Args("", clitest.RankSample+"--top 3")...)
	three := clitest.RankOf(t, clitest.Args("", "rank -r $Dref.de $Dsys/aspen.txt $Dsys/birch.txt $Dsys/cedar.txt")...)
	samePairs(t, "--top 3", pairsOf(t, three), pairsOf(t, top))
	if top.People.All.Pairs != 3 {
		t.Errorf("%+v", top.People)
	}
}

func TestRankOutside(t *testing.T) {
	dir := t.TempDir()
	nrefs := func(name string) string { return name + ": nrefs is 2, and was 1" }
	got := clitest.RankOf(t, clitest.Args("", "rank -r $Dref.de -r $Dsrc.en $Dsys/*.txt")...)
	if want := []string{fewSegments(), nrefs("bertscore-lexical"), nrefs("chrf"), nrefs("da-bertscore-lexical")}; !slices.Equal(got.Outside, want) {
		t.Errorf("two references: %q, want %q", got.Outside, want)
	}
	// As many segments as a set had, of a language with a tokenizer of its own.
	for name, from := range map[string]string{"ref": "ref.de", "x.txt": "sys/aspen.txt", "y.txt": "sys/birch.txt"} {
		text, err := os.ReadFile(clitest.Sample + from)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, name), strings.Repeat(string(text), 11))
	}
	german := clitest.RankOf(t, clitest.Args(dir, "rank -r $T/ref $T/x.txt $T/y.txt")...)
	chinese := clitest.RankOf(t, clitest.Args(dir, "rank -r $T/ref --target-language zh $T/x.txt $T/y.txt")...)
	for _, r := range []rank.JSON{german, chinese} {
		if r.Outside == nil || len(r.Outside) > 0 {
			t.Errorf("%s: %q", r.Signature["bertscore-lexical"], r.Outside)
		}
	}
	if german.Pairs[0].Probability == chinese.Pairs[0].Probability {
		t.Error("the language is not that of the metrics of the probabilities")
	}
	if text, _, _ := clitest.Exec(t, clitest.Args(dir, "rank -r $T/ref $T/x.txt $T/y.txt")...); strings.Contains(text, "outside") {
		t.Error(text)
	}
}

// --target-language chooses the tokenizer of lexical vectors in all commands.
func TestLexicalLanguage(t *testing.T) {
	if race.Enabled {
		t.Skip("of numbers alone, and long under the race detector, as ja-mecab's dictionary is")
	}
	clitest.WithoutModels(t)
	for language, want := range map[string]string{"zh-TW": "zh", "ja": "ja-mecab", "de": "13a", "ko": "13a", "th": "13a"} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", "score -r $Dref.de -m bertscore --target-language "+language+" $Dsys/elder.txt")...)
		if status != 0 || !strings.Contains(stdout, "|tok:"+want) {
			t.Errorf("%s: status %d, %s%s", language, status, stdout, stderr)
		}
	}
	for line, want := range map[string]string{
		"score -r $Dref.de -m bertscore --target-language german $Dsys/elder.txt":           `--target-language: "german" is not a language code`,
		"score -r $Dref.de -m bleu --target-language ko $Dsys/elder.txt":                    "choose one with bleu(tokenize)",
		"rank -r $Dref.de --target-language ko $Dsys/elder.txt $Dsys/cedar.txt":             "choose one with bleu(tokenize)",
		"rank -r $Dref.de -m chrf --base wordf --target-language deutsch $Dsys/*.txt":       "is not a language code",
		"score -r $Dref.de -m chrf,wordf --target-language de $Dsys/elder.txt":              "--target-language is an option of bleu, meteor",
		"score -r $Dref.de -m bertscore(backend=lexical,model=x) $Dsys/elder.txt":           "bertscore(model) is an option of backend=transformer",
		"score -r $Dref.de -m bertscore --tokenize zh --target-language zh $Dsys/elder.txt": "--tokenize is an option of bleu",
	} {
		if stdout, stderr, status := clitest.Exec(t, clitest.Args("", line)...); status != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s; want %q", line, status, stderr, want)
		}
	}
}

// A calibration of one's own is of the metrics that the options make.
func TestRankCalibration(t *testing.T) {
	dir := t.TempDir()
	calibration := func(terms ...preference.Term) {
		t.Helper()
		var b bytes.Buffer
		c := &preference.Calibration{Terms: terms, Sets: []preference.Judged{{Name: "own", Campaign: "mine", Systems: 2, Segments: 48, Pairs: 1}}}
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, dir+"/own.json", b.String())
	}
	term := func(name string, values ...string) preference.Term {
		m := preference.Metric{Name: name}
		for i := 0; i < len(values); i += 2 {
			m.Signature = append(m.Signature, preference.Field{Key: values[i], Values: []string{values[i+1]}})
		}
		return preference.Term{Metric: m, Shape: preference.Linear, Weight: .25}
	}
	chrf := term("chrf", "nrefs", "1", "case", "mixed", "eff", "yes", "nc", "5", "nw", "0", "space", "no")
	calibration(chrf)
	line := clitest.Args(dir, "rank -r $Dref.de --calibration $T/own.json -m chrf(char-order=5) $Dsys/*.txt")
	got := clitest.RankOf(t, line...)
	if len(got.Outside) > 0 || !strings.Contains(*got.Calibration, "|terms:chrf=linear|sets:1") {
		t.Errorf("outside %q, %s", got.Outside, *got.Calibration)
	}
	// With one term the order is the metric's, whose z decides.
	for i, s := range got.Systems {
		if s.Ranks["chrf"] != i+1 {
			t.Errorf("%s is at %d, and at %d by chrF", s.System, i+1, s.Ranks["chrf"])
		}
	}
	got = clitest.RankOf(t, clitest.Args(dir, "rank -r $Dref.de --calibration $T/own.json $Dsys/*.txt")...)
	if want := []string{"chrf: nc is 6, and was 5"}; !slices.Equal(got.Outside, want) {
		t.Errorf("%q, want %q", got.Outside, want)
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "rank -r $Dref.de --calibration $T/own.json -m chrf(word-order=2) $Dsys/*.txt")...); status != 2 || !strings.Contains(stderr, "own.json: it was fitted on chrf, and chrf(word-order=2) makes chrf++ of it") {
		t.Errorf("status %d, %s", status, stderr)
	}
	text, _, _ := clitest.Exec(t, line...)
	if !strings.Contains(text, ", from 1 judged sets of mine\n") {
		t.Error(text)
	}
	words := []string{"nrefs", "1", "case", "mixed", "tok", "13a"}
	calibration(term("wordf", words...), term("da-wordf", words...), term("wordf+da", words...))
	if got := clitest.RankOf(t, clitest.Args(dir, "rank -r $Dref.de --calibration $T/own.json $Dsys/*.txt")...); len(got.Pairs) != 10 || len(got.Outside) == 0 {
		t.Errorf("%v, outside %q", got.Pairs, got.Outside)
	}
	for name, want := range map[string]string{"gemba": `own.json: no metric "gemba": have bleu`, "da-bleu": "own.json: da-bleu: it does not match tokens", "da-": `no metric ""`} {
		calibration(term(name))
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "rank -r $Dref.de --calibration $T/own.json $Dsys/*.txt")...); status != 2 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s, want %q", name, status, stderr, want)
		}
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "rank -r $Dref.de --calibration $T/own.json --html $T/own.json $Dsys/*.txt")...); status != 2 || !strings.Contains(stderr, "own.json: that is also the file of --calibration") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// The matrix of the page has the numbers of --format json, by expected wins.
func TestRankMatrix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	for _, line := range []string{clitest.RankSample, "rank -r $Dref.de $Dsys/*.txt"} {
		got := clitest.RankOf(t, append(clitest.Args("", line), "--html", path)...)
		pairs := pairsOf(t, got)
		slices.SortFunc(got.Systems, func(a, b rank.SystemJSON) int { // no two are equal
			if *a.Wins > *b.Wins {
				return -1
			}
			return 1
		})
		var matrix *element
		page := readPage(t, path)
		for _, table := range page.all("table") {
			if table.class == "matrix" {
				matrix = table
			}
		}
		if matrix == nil {
			t.Fatal("no matrix")
		}
		for i, row := range matrix.all("tbody")[0].all("tr") {
			a := got.Systems[i].System
			if head := matrix.all("thead")[0].all("th")[i].text; row.all("th")[0].text != a || head != a {
				t.Errorf("row %d is of %s, the column of %s, want %s", i+1, row.all("th")[0].text, head, a)
			}
			for j, cell := range row.all("td") {
				want := "–"
				if j != i {
					want = strings.TrimSuffix(show.Probability.Format(pairs[[2]string{a, got.Systems[j].System}], 0), "%")
				}
				if cell.text != want {
					t.Errorf("%s and %s: %q, want %q", a, got.Systems[j].System, cell.text, want)
				}
			}
		}
		for _, want := range []string{preference.Default().Hash(), "the fewest of a set that it was fitted on are 503"} {
			if !strings.Contains(page.text, want) {
				t.Errorf("the page does not say %q", want)
			}
		}
		if strings.Contains(page.text, "people's side in 8 (80%") != (line == clitest.RankSample) {
			t.Errorf("%s: how right it was", line)
		}
	}
}

// A share that binary fractions only come near is written as it was given.
func TestGroupKey(t *testing.T) {
	for _, share := range []string{"55", "57", "58", "99.9"} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", "rank -r $Dref.de --group-confidence "+share+"e-2 $Dsys/*.txt")...)
		if want := "not told apart at " + share + "%\n"; status != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d, %s%s", share, status, stdout, stderr)
		}
	}
}

// Words that 13a does not split are not what the embedded calibration is of.
func TestRankWithoutSpaces(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/ref.txt", strings.Repeat("今天天气很好。BLEU\n", 3))
	clitest.Write(t, dir+"/a.txt", strings.Repeat("今天天气好。\n", 3))
	clitest.Write(t, dir+"/b.txt", strings.Repeat("天气不好。\n", 3))
	clitest.Write(t, dir+"/latin.txt", strings.Repeat("Today the weather in 北京 is fine.\n", 3))
	const reason = "references in Chinese or Japanese"
	for line, want := range map[string]bool{
		"rank -r $T/ref.txt $T/a.txt $T/b.txt":                      true,
		"rank -r $T/ref.txt --target-language zh $T/a.txt $T/b.txt": false,
		"rank -r $T/latin.txt $T/a.txt $T/b.txt":                    false,
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...)
		if status != 0 || strings.Contains(stdout, reason) != want {
			t.Errorf("%s: status %d, %s%s", line, status, stdout, stderr)
		}
	}
}

// What is over lexical vectors is called so wherever it is named, and can be typed so; the same
// metric by two names is one column.
func TestLexicalName(t *testing.T) {
	score := "score -r $Dref.de $Dsys/elder.txt "
	for line, want := range map[string]string{
		score + "-m bertscore":                             "system  bertscore-lexical\n",
		score + "-m bertscore-lexical":                     "system  bertscore-lexical\n",
		score + "-m bertscore,chrf,bertscore-lexical":      "system  bertscore-lexical   chrf\n",
		score + "-m bertscore --sentence-level":            "elder\tbertscore-lexical\t1\t",
		score + "-m bertscore -f json":                     "",
		"rank -r $Dref.de $Dsys/elder.txt $Dsys/cedar.txt": "system  group  above next  best   bleu  #  bertscore-lexical  #  bertscore-lexical+da  #\n",
		"rank -r $Dref.de $Dsys/elder.txt $Dsys/cedar.txt --base bertscore-lexical -m bertscore --difficulty paper": "system  group  above next  best  bertscore-lexical  #  da-bertscore-lexical  #\n",
		score + "-m bertscore(backend=transformer,layer=1,model=" + clitest.Tiny + "),bertscore-lexical":            "system  bertscore  bertscore-lexical\n",
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", line)...)
		if status != 0 || !strings.HasPrefix(stdout, want) || !strings.Contains(stdout, "bertscore-lexical") {
			t.Errorf("%s: status %d, %s%s", line, status, stdout, stderr)
		}
		// No mention without it but of the model's.
		if bare := strings.NewReplacer("bertscore-lexical", "").Replace(stdout); !strings.Contains(line, "model=") && strings.Contains(bare, "bertscore") {
			t.Errorf("%s: %s", line, stdout)
		}
	}
}
