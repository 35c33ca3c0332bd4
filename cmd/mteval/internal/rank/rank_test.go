package rank_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/rank"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
	"github.com/mteval/mteval/internal/kit"
	"github.com/mteval/mteval/internal/reporttest"
)

// A line of --segments as a reader of JSON finds it.
type segmentLine struct {
	Segment    int         `json:"segment"`
	System     string      `json:"system"`
	Base       *float64    `json:"base"`
	Precision  *float64    `json:"precision"`
	Recall     *float64    `json:"recall"`
	F          *float64    `json:"f"`
	Reference  int         `json:"reference"`
	Hypothesis []tokenLine `json:"hypothesis_tokens"`
	Ref        []tokenLine `json:"reference_tokens"`
}

type tokenLine struct {
	Token      string  `json:"token"`
	Start      int     `json:"start"`
	End        int     `json:"end"`
	Weight     float64 `json:"weight"`
	Difficulty float64 `json:"difficulty"`
	Similarity float64 `json:"similarity"`
	Match      *int    `json:"match"`
	Alone      bool    `json:"alone"`
	Share      float64 `json:"share"`
}

// runRank runs the command with --format json and --segments.
func runRank(t *testing.T, line ...string) (rank.JSON, []segmentLine) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "segments.jsonl")
	stdout, stderr, status := clitest.Exec(t, append(line, "--format", "json", "--segments", path)...)
	var got rank.JSON
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 {
		t.Fatalf("status %d, %v, %s", status, err, stderr)
	}
	return got, readSegments(t, path)
}

func readSegments(t *testing.T, path string) []segmentLine {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []segmentLine
	for d := json.NewDecoder(file); ; {
		d.DisallowUnknownFields()
		var l segmentLine
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
}

// The shares of tokens add up to the segments' scores, and those to the systems', in all
// modes, for all metrics.
func TestRankSegments(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/human.tsv", "aspen\t.4\nbirch\t.3\ncedar\t.2\n")
	for _, line := range []string{
		clitest.RankSample,
		clitest.RankSample + "--base bertscore(idf)",
		clitest.RankSample + "--difficulty paper",
		clitest.RankSample + "--difficulty paper --difficulty-smoothing power --difficulty-novel hardest",
		clitest.RankSample + "--difficulty-plain-if-easy=false --difficulty-normalize=false --difficulty-novel one",
		clitest.RankSample + "--difficulty normalized --top 4",
		clitest.RankSample + "--difficulty released --difficulty-baseline .3",
		clitest.RankSample + "--difficulty released --difficulty-novel matched --difficulty-normalize --difficulty-smoothing softmax",
		clitest.RankSample + "--difficulty released --difficulty-normalize --difficulty-smoothing max --difficulty-leave-one-out",
		clitest.RankSample + "--difficulty-smoothing power --difficulty-novel hardest",
		clitest.RankSample + "--base wordf -m bertscore",
		clitest.RankSample + "--base meteor(language=de) -m bleu --difficulty normalized",
		"rank -r $Dref.de --human $T/human.tsv --difficulty-leave-one-out $Dsys/*.txt",
		"rank -r $Dref.de -r $Dsys/elder.txt --base wordf -m chrf $Dsys/aspen.txt $Dsys/birch.txt $Dsys/cedar.txt",
	} {
		t.Run(line, func(t *testing.T) {
			got, segments := runRank(t, clitest.Args(dir, line)...)
			name := "bertscore-lexical"
			if _, rest, ok := strings.Cut(line, "--base "); ok {
				if name, _, _ = strings.Cut(strings.Fields(rest)[0], "("); name == "bertscore" {
					name = "bertscore-lexical"
				}
			}
			form, combined := "da-"+name, !strings.Contains(line, "--difficulty ")
			if combined {
				form = name + "+da"
			}
			type sum struct{ p, r, f, base float64 }
			sums := make(map[string]*sum)
			for i, l := range segments {
				if want := got.Systems[i%len(got.Systems)].System; l.System != want || l.Segment != i/len(got.Systems)+1 {
					t.Fatalf("line %d is segment %d of %s, want %s", i+1, l.Segment, l.System, want)
				}
				for _, side := range []struct {
					tokens, other []tokenLine
					want          float64
				}{{l.Hypothesis, l.Ref, *l.Precision}, {l.Ref, l.Hypothesis, *l.Recall}} {
					shares := 0.0
					for _, x := range side.tokens {
						shares += x.Share
						if x.Match != nil && (*x.Match < 0 || *x.Match >= len(side.other)) {
							t.Errorf("segment %d of %s: %q matches token %d of %d", l.Segment, l.System, x.Token, *x.Match, len(side.other))
						}
						same := slices.ContainsFunc(side.other, func(o tokenLine) bool { return o.Token == x.Token && o.Weight != 0 })
						if x.Alone != (x.Weight != 0 && !same) {
							t.Errorf("segment %d of %s: %q alone: %v", l.Segment, l.System, x.Token, x.Alone)
						}
					}
					if math.Abs(shares-side.want) > 1e-9 {
						t.Errorf("segment %d of %s: the shares make %v, the score is %v", l.Segment, l.System, shares, side.want)
					}
				}
				s := sums[l.System]
				if s == nil {
					s = new(sum)
					sums[l.System] = s
				}
				s.p, s.r, s.f, s.base = s.p+*l.Precision, s.r+*l.Recall, s.f+*l.F, s.base+*l.Base
			}
			n := float64(len(segments) / len(got.Systems))
			for _, s := range got.Systems {
				x := sums[s.System]
				f := 2 * x.p / n * x.r / n / (x.p/n + x.r/n)
				if combined {
					f = x.f / n
				}
				if got, ok := s.Scores[form]; !ok || math.Abs(f-got) > 1e-9 {
					t.Errorf("%s: the segments make %v, the score is %v", s.System, f, s.Scores)
				}
				if name == "bertscore-lexical" && math.Abs(x.base/n-s.Scores[name]) > 1e-9 {
					t.Errorf("%s: the segments make %v, the plain score is %v", s.System, x.base/n, s.Scores[name])
				}
			}
		})
	}
}

// TSV has the same tokens, whatever is in them.
func TestRankSegmentsTSV(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/ref", "a \\ \"b\"\n\n")
	clitest.Write(t, dir+"/x.txt", "a \\n c\n\"\n")
	clitest.Write(t, dir+"/y.txt", "\nb\n")
	line := clitest.Args(dir, "rank -r $T/ref $T/x.txt $T/y.txt --base wordf -m chrf")
	_, want := runRank(t, line...)
	path := dir + "/out"
	if _, stderr, status := clitest.Exec(t, append(line, "--segments", path, "--segments-format", "tsv")...); status != 0 {
		t.Fatal(stderr)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows [][]string
	for s := bufio.NewScanner(file); s.Scan(); {
		rows = append(rows, strings.Split(s.Text(), "\t"))
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	wanted := [][]string{strings.Fields("segment system side reference token text start end weight difficulty similarity match alone share")}
	for _, l := range want {
		for side, tokens := range [][]tokenLine{l.Hypothesis, l.Ref} {
			for k, x := range tokens {
				match := ""
				if x.Match != nil {
					match = fmt.Sprint(*x.Match)
				}
				wanted = append(wanted, []string{fmt.Sprint(l.Segment), l.System, []string{"hypothesis", "reference"}[side], fmt.Sprint(l.Reference), fmt.Sprint(k),
					strings.ReplaceAll(x.Token, `\`, `\\`), fmt.Sprint(x.Start), fmt.Sprint(x.End), number(x.Weight), number(x.Difficulty), number(x.Similarity), match, fmt.Sprint(x.Alone), number(x.Share)})
			}
		}
	}
	if len(wanted) < 10 {
		t.Fatalf("%d tokens", len(wanted))
	}
	if d := cmp.Diff(wanted, rows); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// The released program's F runs off to infinity near P = −R, which JSON does not have.
func TestNumberNull(t *testing.T) {
	for x, want := range map[float64]string{math.Inf(1): "null", math.Inf(-1): "null", -.25: "-0.25"} {
		if got, err := json.Marshal(rank.Number(x)); err != nil || string(got) != want {
			t.Errorf("%v: %s, %v", x, got, err)
		}
	}
	if got, _ := json.Marshal(rank.Number(math.NaN())); string(got) != "null" {
		t.Errorf("NaN: %s", got)
	}
}

// A baseline rescales the similarities of the released program, and no other's.
func TestRankBaseline(t *testing.T) {
	const line = "rank -r $Dref.de $Dsys/*.txt --base bertscore(backend=transformer,model=../../backend/transformer/testdata/bert,layer=1"
	const baseline = ",baseline=testdata/baseline.csv)"
	for more, want := range map[string]string{
		baseline + " --difficulty released":                          "difficulty:released,novel=one,baseline=0.25|",
		") --difficulty released":                                    "difficulty:released,novel=one|",
		baseline + " --difficulty released --difficulty-baseline .1": "difficulty:released,novel=one,baseline=0.1|",
		baseline + " --difficulty released --difficulty-baseline 0":  "difficulty:released,novel=one|",
		baseline + " --difficulty paper":                             "difficulty:novel=one|",
		") --difficulty-normalize=false --difficulty normalized":     "difficulty:novel=matched|",
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", line+more+" --format json")...)
		var got rank.JSON
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 {
			t.Fatalf("%s: status %d, %v, %s", more, status, err, stderr)
		}
		if sig := got.Signature["da-bertscore"]; !strings.Contains(sig, "|"+want) {
			t.Errorf("%s: %s", more, sig)
		}
	}
}

func TestRankErrors(t *testing.T) {
	dir := t.TempDir()
	clitest.WithoutModels(t)
	clitest.Write(t, dir+"/sys.txt", strings.Repeat("line\n", 48))
	for _, tt := range []struct{ more, want string }{
		{"--group-confidence .5", "--group-confidence 0.5: want a number above .5 and below 1"},
		{"--group-confidence 1", "--group-confidence 1: want a number above 0 and below 1"},
		{"--calibration=", "--calibration: name a file"},
		{"--human=", "--human: name a file"},
		{"--calibration no/such", "no/such: no such file"},
		{"--calibration $Dhuman.tsv", "human.tsv:1: "},
		{"--target-language ko", "--target-language ko: tokenizer ko-mecab: "},
		{"--base ter", `--base: no metric that matches tokens "ter": have bertscore, bertscore-lexical, wordf, meteor`},
		{"--base bleau", `no metric that matches tokens "bleau"`},
		{"--base wordf(idf)", `no option of wordf "idf"`},
		{"--difficulty-novel two", `--difficulty-novel: no weight "two": have one, matched, hardest`},
		{"--difficulty-smoothing log", `--difficulty-smoothing: no smoothing "log": have none, power, softmax, max`},
		{"--difficulty released --difficulty-novel hardest", "--difficulty released: difficulty: Released has no Hardest"},
		{"--difficulty released --difficulty-smoothing power", "Released has no Hardest, Power"},
		{"--difficulty-baseline 1", "--difficulty-baseline: difficulty: Baseline 1 is not in −1 to below 1"},
		{"--difficulty-baseline NaN", "--difficulty-baseline NaN: want a number"},
		{"--difficulty released --base bertscore(baseline=x)", "bertscore(baseline): lexical vectors have no layers"},
		{"--html=", "--html: name a file"},
		{"--html -", "--html: name a file"},
		{"--html $T/sys.txt $T/sys.txt", "sys.txt: that is also the file of SYS; it would be overwritten"},
		{"--html $Dref.de", "ref.de: that is also the file of -r"},
		{"--html $T/p --segments $T/p --segments-format tsv", "p: that is also the file of --segments; one would overwrite the other"},
		{"--html-segments 3", "--html-segments is an option of --html"},
		{"--html $T/p --html-segments -1", "--html-segments -1: want a whole number from 0 up"},
		{"--segments=", "--segments: name a file"},
		{"--segments $T/p", "the name does not tell the format: end it with .jsonl or .tsv"},
		{"--segments $T/p --segments-format csv", `--segments-format: no format "csv": have jsonl, tsv`},
		{"--segments-format tsv", "--segments-format is an option of --segments"},
		{"--segments $Dhuman.tsv", "human.tsv: that is also the file of --human"},
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, clitest.RankSample+tt.more)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q; want %q", tt.more, status, stdout, stderr, tt.want)
		}
	}
	for _, flag := range []string{"--html", "--segments-format tsv --segments"} {
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, clitest.RankSample+flag+" $T")...); status != 1 || !strings.Contains(stderr, "is a folder") {
			t.Errorf("%s: status %d, %s", flag, status, stderr)
		}
	}
	// One system has no vote that could be taken out.
	if _, stderr, status := clitest.Exec(t, clitest.Args("", "rank -r $Dref.de --difficulty-leave-one-out $Dsys/aspen.txt")...); status != 2 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestRankHTMLGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	if _, stderr, status := clitest.Exec(t, append(clitest.Args("", clitest.RankSample+"--html-segments 2 --html"), path)...); status != 0 {
		t.Fatal(stderr)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = reporttest.Plain(got); err != nil {
		t.Fatal(err)
	}
	clitest.CheckGolden(t, "rank.html", clitest.WithoutHash(assets.ReplaceAllString(string(got), "…")))
}

// assets are drawings, styles, scripts and what the policy says of these.
var assets = regexp.MustCompile(`(?s)<svg.*?</svg>|<style>.*?</style>|<script>.*?</script>|'sha256-[^']*'`)

// An element of a page.
type element struct {
	name, class, text string
	children          []*element
}

func (e *element) all(name string) []*element {
	var out []*element
	for _, c := range e.children {
		if c.name == name {
			out = append(out, c)
		}
		out = append(out, c.all(name)...)
	}
	return out
}

func readPage(t *testing.T, path string) *element {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	open := []*element{{}}
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return open[0]
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		switch v := token.(type) {
		case xml.StartElement:
			e := &element{name: v.Name.Local}
			for _, a := range v.Attr {
				if a.Name.Local == "class" {
					e.class = a.Value
				}
			}
			top := open[len(open)-1]
			top.children = append(top.children, e)
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, e := range open {
				e.text += string(v)
			}
		}
	}
}

// The page says what --format json and --segments say, whatever systems are called and
// texts hold.
func TestRankHTML(t *testing.T) {
	dir := t.TempDir()
	const nasty = `a <b> & "c"`
	paths, err := filepath.Glob(clitest.Sample + "sys/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(p)
		if name == "cedar.txt" {
			name = nasty + ".txt"
			text = []byte("<script>alert(1)</script> ]]&gt; &amp; " + string(text))
		}
		clitest.Write(t, filepath.Join(dir, name), string(text))
	}
	human, err := os.ReadFile(clitest.Sample + "human.tsv")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, dir+"/human.tsv", strings.ReplaceAll(string(human), "cedar", nasty))
	for _, line := range []string{
		"rank -r $Dref.de --human $T/human.tsv $T/*.txt",
		"rank -r $Dref.de --difficulty normalized --difficulty-leave-one-out $T/*.txt",
		"rank -r $Dref.de --base meteor --human $T/human.tsv $T/*.txt",
		"rank -r $Dref.de -r $Dsrc.en --base wordf --human $T/human.tsv $T/*.txt",
	} {
		t.Run(line, func(t *testing.T) {
			path := dir + "/page.html"
			got, segments := runRank(t, append(clitest.Args(dir, line), "--html", path)...)
			page := readPage(t, path)
			if slices.ContainsFunc(page.all("script"), func(e *element) bool { return strings.Contains(e.text, "alert(1)") }) || len(page.all("b")) > 0 {
				t.Error("a text became an element")
			}
			plots := 2 // of the answer and of difficulty
			if strings.Contains(line, "--human") {
				plots += 2
			}
			if n := len(page.all("figure")); n != plots {
				t.Errorf("%d plots, want %d", n, plots)
			}
			tables := page.all("table")
			rank := tables[slices.IndexFunc(tables, func(e *element) bool { return strings.Contains(e.text, "bleu") })]
			for i, s := range got.Systems {
				row := rank.all("tbody")[0].all("tr")[i]
				if row.all("th")[0].text != s.System || s.HumanRank != nil && row.all("td")[1].text != strconv.Itoa(*s.HumanRank) {
					t.Errorf("row %d is of %q", i+1, row.text)
				}
			}
			checkRankSegments(t, path, got, segments)
		})
	}
}

// checkRankSegments compares the segments of a page with the lines of --segments.
func checkRankSegments(t *testing.T, path string, r rank.JSON, lines []segmentLine) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page, err := reporttest.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	n := len(r.Systems)
	last := math.Inf(1)
	short := func(x float64) string { return fmt.Sprintf("%.3f", x+0) }
	shown := func(thousandths int) string { return short(float64(thousandths) / 1000) }
	for _, s := range page.All {
		outputs := lines[(s.Number-1)*n : s.Number*n]
		if s.Keys[0] > last {
			t.Errorf("segment %d comes after one of less change", s.Number)
		}
		last = s.Keys[0]
		if want := changedPairs(outputs); want != s.Keys[0] {
			t.Errorf("segment %d: change %v, want %v", s.Number, s.Keys[0], want)
		}
		for i, o := range outputs {
			p := s.Outputs[i]
			if page.Systems[i] != o.System || fmt.Sprintf("%.4f %.4f", *o.F, *o.Base) != fmt.Sprintf("%.4f %.4f", p.Scores[0], p.Scores[1]) || p.Reference != o.Reference-1 {
				t.Errorf("segment %d of %s: the page has %s with %v of reference %d", s.Number, o.System, page.Systems[i], p.Scores, p.Reference+1)
			}
			var want, have []string
			for _, x := range o.Hypothesis {
				if x.Weight != 0 {
					want = append(want, fmt.Sprintln(x.Token, short(x.Difficulty), short(x.Similarity), short(x.Share), x.Alone, name(o.Ref, x.Match)))
				}
			}
			ref := s.References[p.Reference]
			for _, x := range p.Tokens {
				to := ""
				if x.To >= 0 {
					to = ref.Tokens[x.To].Name
				}
				have = append(have, fmt.Sprintln(x.Name, shown(x.Difficulty), shown(x.Similarity), shown(x.Share), x.Novel, to))
			}
			for _, x := range o.Ref {
				if x.Alone {
					want = append(want, fmt.Sprintln("missed", x.Token, short(x.Difficulty), short(x.Similarity), short(x.Share), name(o.Hypothesis, x.Match)))
				}
			}
			for _, x := range p.Missed {
				to := ""
				if x.To >= 0 {
					to = p.Tokens[x.To].Name
				}
				have = append(have, fmt.Sprintln("missed", ref.Tokens[x.Index].Name, shown(x.Difficulty), shown(x.Similarity), shown(x.Share), to))
			}
			if d := cmp.Diff(want, have); d != "" {
				t.Errorf("segment %d of %s (-segments +page):\n%s", s.Number, o.System, d)
			}
		}
	}
	if len(page.All) != 48 {
		t.Errorf("%d segments", len(page.All))
	}
}

// name is that of a token's match, if it has one that weighs something.
func name(tokens []tokenLine, match *int) string {
	if match == nil || tokens[*match].Weight == 0 {
		return ""
	}
	return tokens[*match].Token
}

// changedPairs are those of outputs that difficulty puts in another order.
func changedPairs(outputs []segmentLine) float64 {
	pairs := 0.0
	sign := func(a, b float64) float64 {
		if math.Abs(a-b) <= 1e-9 {
			return 0
		}
		return math.Copysign(1, a-b)
	}
	for i := range outputs {
		for j := range i {
			pairs += math.Abs(sign(*outputs[i].Base, *outputs[j].Base)-sign(*outputs[i].F, *outputs[j].F)) / 2
		}
	}
	return pairs
}

// Texts without a token, and none at all, make a page.
func TestRankHTMLEmpty(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/ref", "\n \n")
	clitest.Write(t, dir+"/x.txt", "\na\n")
	clitest.Write(t, dir+"/y.txt", "\n\n")
	for _, more := range []string{"", "--html-segments 0", "--base wordf -m chrf", "--difficulty released --difficulty-normalize"} {
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "rank -r $T/ref $T/x.txt $T/y.txt --html $T/page.html --segments $T/s.jsonl "+more)...); status != 0 {
			t.Errorf("%s: status %d, %s", more, status, stderr)
			continue
		}
		readPage(t, dir+"/page.html")
		if n := len(readSegments(t, dir+"/s.jsonl")); n != 4 {
			t.Errorf("%s: %d lines", more, n)
		}
	}
}

// Wherever the page is cancelled, there is none.
func TestRankHTMLInterrupt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	interrupted := 0
	for calls := int64(1); ; calls += calls/8 + 1 {
		var out, stderr bytes.Buffer
		status := root.Run(kit.NewCountdown(calls), append(clitest.Args("", clitest.RankSample+"--html"), path), &out, &stderr)
		_, err := os.Stat(path)
		if status == 0 && err == nil {
			break
		}
		interrupted++
		if status != 130 || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(stderr.String(), "mteval: interrupted") {
			t.Fatalf("after %d calls: status %d, %v, %s", calls, status, err, stderr.String())
		}
	}
	if interrupted < 10 {
		t.Errorf("interrupted %d times", interrupted)
	}
}
