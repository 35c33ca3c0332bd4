package choose_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/cmd/mteval/internal/choose"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
)

// What is printed, with what is said on standard error below it.
func TestSelectGolden(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/docs", strings.Repeat("news\tn1\n", 20)+strings.Repeat("news\tn2\n", 20)+strings.Repeat("chat\tc1\n", 8))
	for name, line := range map[string]string{
		"select":               "select -n 5 -r $Dref.de --source $Dsrc.en $Dsys/*.txt",
		"select-tsv":           "select -n 2 -r $Dref.de --source $Dsrc.en --documents $T/docs -f tsv $Dsys/aspen.txt $Dsys/birch.txt",
		"select-csv":           "select --words 40 -r $Dref.de --method variance:bleu+2*difficulty:wordf -m bleu,chrf -f csv $Dsys/aspen.txt new=$Dsys/birch.txt",
		"select-outputs":       "select -n 2 --source $Dsrc.en --rows outputs -f csv --method diversity:chrf $Dsys/aspen.txt $Dsys/birch.txt",
		"select-jsonl":         "select -n 2 -r $Dref.de -r $Dsys/elder.txt --source $Dsrc.en --documents $T/docs -f jsonl $Dsys/aspen.txt $Dsys/birch.txt",
		"select-json":          "select -n 3 --method random --seed 7 -f json --source $Dsrc.en $Dsys/aspen.txt $Dsys/birch.txt",
		"select-documents":     "select -n 30 -r $Dref.de --source $Dsrc.en --documents $T/docs --whole-documents $Dsys/*.txt",
		"select-scores":        "select -n 3 --scores $Dhuman-segment.tsv",
		"select-one":           "select -n 2 --source $Dsrc.en $Dsys/aspen.txt",
		"select-evaluate":      "select --evaluate --human $Dhuman-segment.tsv -r $Dref.de --source $Dsrc.en --choices 20 $Dsys/*.txt",
		"select-evaluate-tsv":  "select --evaluate --human $Dhuman-segment.tsv --method diversity,length -f tsv -r $Dref.de --choices 20 $Dsys/*.txt",
		"select-evaluate-json": "select --evaluate --human $Dhuman-segment.tsv --method diversity --documents $T/docs --whole-documents -f json --choices 20 $Dsys/*.txt",
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...)
			if status != 0 {
				t.Fatal(stderr)
			}
			clitest.CheckGolden(t, name+".txt", clitest.WithoutHash(stdout)+"--- standard error\n"+clitest.WithoutHash(stderr))
		})
	}
}

// The utilities are those of subset2evaluate, which scripts/record_selection.py recorded.
func TestSelectIsSubset2evaluates(t *testing.T) {
	data, err := os.ReadFile("../../selection/testdata/subset2evaluate.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Outputs map[string][]string
		Scores  map[string][]float64
		Cases   []struct {
			Systems                                                  []string
			Average, Variance, Consistency, Unigram, ChrF, BLEU, Sum []float64
		}
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var scores strings.Builder
	for name, lines := range want.Outputs {
		clitest.Write(t, dir+"/"+name, strings.Join(lines, "\n")+"\n")
		for i, v := range want.Scores[name] {
			fmt.Fprintf(&scores, "%s\t%d\t%v\n", name, i+1, v)
		}
	}
	clitest.Write(t, dir+"/m.tsv", scores.String())
	for _, c := range want.Cases {
		if len(c.Systems) == 1 {
			// Of one system subset2evaluate has −100 for chrF and BLEU, and 0 for the rest.
			c.ChrF, c.BLEU = make([]float64, len(c.ChrF)), make([]float64, len(c.BLEU))
		}
		for method, utilities := range map[string][]float64{
			"average": c.Average, "variance": c.Variance, "consistency": c.Consistency, "diversity": c.Unigram,
			"diversity:chrf": c.ChrF, "diversity:bleu": c.BLEU, "2*variance+average+.5*diversity": c.Sum,
		} {
			line := []string{"select", "-n", "1", "-f", "json", "--scores", dir + "/m.tsv", "--method", method}
			for _, s := range c.Systems {
				line = append(line, dir+"/"+s)
			}
			if got := chosenJSON(t, line...); !cmp.Equal(utilities, got.Utilities, cmpopts.EquateApprox(0, 1e-9)) {
				t.Errorf("%v: %s: %s", c.Systems, method, cmp.Diff(utilities, got.Utilities))
			}
		}
	}
}

// chosenJSON runs the command, which prints JSON.
func chosenJSON(t *testing.T, line ...string) choose.JSON {
	t.Helper()
	stdout, stderr, status := clitest.Exec(t, line...)
	var out choose.JSON
	if status != 0 || json.Unmarshal([]byte(stdout), &out) != nil {
		t.Fatalf("%v: status %d, %s%s", line, status, stdout, stderr)
	}
	return out
}

func chosenSegments(s choose.JSON) []string {
	var out []string
	for _, c := range s.Chosen {
		out = append(out, c.Segment)
	}
	return out
}

// A larger choice begins with a smaller one, and --after goes on from it, whatever form the list
// has.
func TestSelectGoesOn(t *testing.T) {
	dir := t.TempDir()
	const sys = " -r $Dref.de --source $Dsrc.en $Dsys/aspen.txt $Dsys/birch.txt $Dsys/elder.txt"
	large := chosenSegments(chosenJSON(t, clitest.Args(dir, "select -n 12 -f json"+sys)...))
	if small := chosenSegments(chosenJSON(t, clitest.Args(dir, "select -n 5 -f json"+sys)...)); !slices.Equal(small, large[:5]) {
		t.Fatalf("5: %v, 12: %v", small, large)
	}
	for _, name := range []string{"a.tsv", "a.csv", "a.jsonl", "a.json", "a.txt", "A.CSV", "outputs.csv", "outputs.jsonl"} {
		rows := ""
		if strings.HasPrefix(name, "outputs") {
			rows = " --rows outputs"
		}
		if stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "select -n 5 -o $T/"+name+rows+sys)...); status != 0 || stdout != "" {
			t.Fatalf("%s: status %d, %s%s", name, status, stdout, stderr)
		}
	}
	clitest.Write(t, dir+"/numbers", strings.Join(large[:5], "\n")+"\n\n")
	clitest.Write(t, dir+"/judged.tsv", "system\tsegid\tscore\nx\t"+strings.Join(large[:5], "\t1\nx\t")+"\t1\n")
	// As annotation tools and spreadsheets write them: remarks of two lines, semicolons, numbers in
	// JSON, and JSON laid out by jq.
	clitest.Write(t, dir+"/remarks.csv", "\n\"what,\nfor\",Segment\n\"a \"\"b\"\"\n\nc\","+strings.Join(large[:5], "\nx,")+"\n")
	clitest.Write(t, dir+"/semicolons.csv", "remark;segment\nx, y;"+strings.Join(large[:5], "\n\"p;q\";")+"\n")
	clitest.Write(t, dir+"/numbers.jsonl", `{"item_id":`+strings.Join(large[:5], "}\n{\"item_id\":")+"}\n")
	clitest.Write(t, dir+"/jq.json", "{\n \"item_id\": \""+strings.Join(large[:5], "\"\n}\n{\n \"item_id\": \"")+"\"\n}\n")
	clitest.Write(t, dir+"/spaces", "system segment\nx "+strings.Join(large[:5], "\nx ")+"\n")
	for _, name := range []string{"a.tsv", "a.csv", "a.jsonl", "a.json", "a.txt", "A.CSV", "outputs.csv", "outputs.jsonl", "numbers", "judged.tsv",
		"remarks.csv", "semicolons.csv", "numbers.jsonl", "jq.json", "spaces"} {
		got := chosenJSON(t, clitest.Args(dir, "select -n 7 -f json --after $T/"+name+sys)...)
		if diff := cmp.Diff(large[5:], chosenSegments(got)); diff != "" || got.LeftOut.Before != 5 {
			t.Errorf("%s: %d before, %s", name, got.LeftOut.Before, diff)
		}
	}
	// Of several lists.
	clitest.Write(t, dir+"/first", strings.Join(large[:2], "\n"))
	clitest.Write(t, dir+"/second", strings.Join(large[1:5], "\n"))
	got := chosenJSON(t, clitest.Args(dir, "select -n 7 -f json --after $T/first --after $T/second"+sys)...)
	if diff := cmp.Diff(large[5:], chosenSegments(got)); diff != "" || got.LeftOut.Before != 5 {
		t.Errorf("two lists: %d before, %s", got.LeftOut.Before, diff)
	}
	// By words.
	first := chosenSegments(chosenJSON(t, clitest.Args(dir, "select --words 60 -f json"+sys)...))
	clitest.Write(t, dir+"/words", strings.Join(first, "\n"))
	for _, s := range chosenSegments(chosenJSON(t, clitest.Args(dir, "select --words 600 -f json --after $T/words"+sys)...)) {
		if slices.Contains(first, s) {
			t.Errorf("%s again", s)
		}
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "select -n 48 --after $T/all -f json"+sys)...); status != 2 {
		t.Error(stderr)
	}
}

// Segments of scores alone are called as the scores call them, by names that tables may escape.
func TestSelectGoesOnByName(t *testing.T) {
	dir := t.TempDir()
	// The variances of a\1, b 2 and c are 1/4, 1 and 0.
	clitest.Write(t, dir+"/m.tsv", "system\tsegment\tscore\nx\ta\\1\t1\nx\tb 2\t2\nx\tc\t0\ny\ta\\1\t2\ny\tb 2\t4\ny\tc\t0\n")
	const line = "select --scores $T/m.tsv --method variance -f json "
	for _, name := range []string{"list.tsv", "list.csv", "list.jsonl", "list.json", "list.txt"} {
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "select --scores $T/m.tsv --method variance -n 2 -o $T/"+name)...); status != 0 {
			t.Fatal(stderr)
		}
		if got := chosenSegments(chosenJSON(t, clitest.Args(dir, line+"-n 1 --after $T/"+name)...)); !slices.Equal(got, []string{"c"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	clitest.Write(t, dir+"/names", "b 2\na\\1\n")
	if got := chosenSegments(chosenJSON(t, clitest.Args(dir, line+"-n 1 --after $T/names")...)); !slices.Equal(got, []string{"c"}) {
		t.Errorf("names: %q", got)
	}
}

// Of blank segments, repetitions and documents; numbers of words by hand.
func TestSelectTexts(t *testing.T) {
	dir := t.TempDir()
	// Segment 3 has no output, 4 repeats 2, and 5 has the outputs of 2 and another source.
	clitest.Write(t, dir+"/src", "one two three\nyes\nfour\nyes\nindeed\nsix 六つ\n")
	clitest.Write(t, dir+"/a", "eins zwei drei\nja\n\nja\nja\nsechs\n")
	clitest.Write(t, dir+"/b", "ein zwei drei\nja\n  \nja\nja\nsechs Stück\n")
	clitest.Write(t, dir+"/docs", "x\nx\ny\ny\nx\ny\n")
	clitest.Write(t, dir+"/zh", "一二三四五六七八九十一二三四五六\n一\n二\n三\n四\n五\n")
	for _, tt := range []struct {
		line  string
		want  string // segments
		blank int
		again int
		words string
	}{
		// Of words in common segment 6 has 2/3, segment 1 4/6, and those with ja all.
		{line: "-n 9 --source $T/src $T/a $T/b", want: "1 6 2 5", blank: 1, again: 1, words: "3 2 1 1"},
		{line: "-n 2 --source $T/src $T/a $T/b", want: "1 6", blank: 1, again: 1, words: "3 2"},
		{line: "-n 9 $T/a $T/b", want: "1 6 2 4 5", blank: 1},
		{line: "--words 4 --source $T/src $T/a $T/b", want: "1 2", blank: 1, again: 1, words: "3 1"},
		{line: "--words 4 --words-tokenize zh --source $T/src $T/a $T/b", want: "1 2", blank: 1, again: 1, words: "3 1"},
		{line: "--words 6 --words-tokenize char --source $T/src $T/a $T/b", want: "6", blank: 1, again: 1, words: "5"},
		{line: "--words 3 --words-tokenize zh --method length --source $T/zh $T/a $T/b", want: "2 4 5", blank: 1, words: "1 1 1"},
		{line: "-n 1 --source $T/zh $T/a $T/b", want: "1", blank: 1, words: "1"},
		// The means of x, −(2/3 + 1 + 1)/3, and of y without segment 3, −(1 + 2/3)/2.
		{line: "-n 2 --whole-documents --documents $T/docs $T/a $T/b", want: "4 6", blank: 1},
		{line: "-n 9 --whole-documents --documents $T/docs --source $T/src $T/a $T/b", want: "4 6 1 2 5", blank: 1, words: "1 2 3 1 1"},
	} {
		got := chosenJSON(t, clitest.Args(dir, "select -f json "+tt.line)...)
		var words []string
		for _, c := range got.Chosen {
			if c.Words != nil {
				words = append(words, strconv.Itoa(*c.Words))
			}
		}
		if strings.Join(chosenSegments(got), " ") != tt.want || got.LeftOut.Blank != tt.blank || got.LeftOut.Repeated != tt.again || strings.Join(words, " ") != tt.words {
			t.Errorf("%s: %v, words %v, left out %+v", tt.line, chosenSegments(got), words, got.LeftOut)
		}
	}
	clitest.Write(t, dir+"/long", strings.Repeat("这是没有空格的一个很长的句子所以只有一个词\n", 6))
	clitest.Write(t, dir+"/short", strings.Repeat("你好。\n我不知道。\n", 3))
	for line, want := range map[string]string{
		"-n 2 --source $T/long $T/a $T/b":                        "warning: words of the source have 21 letters on average: no spaces between? --words-tokenize zh",
		"-n 2 --source $T/short $T/a $T/b":                       "warning: words of the source have 4 letters on average",
		"-n 2 $T/long":                                           "warning: words of the outputs have 21 letters on average: no spaces between? diversity:chrf",
		"-n 2 --source $T/long --words-tokenize zh $T/a $T/b":    "126 words of the source",
		"-n 2 --method diversity:bleu -m bleu(tokenize=zh) $T/a": "tok:zh",
	} {
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "select "+line)...); status != 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", line, status, stderr)
		}
	}
}

// Texts come out as they went in.
func TestSelectKeepsTexts(t *testing.T) {
	dir := t.TempDir()
	hostile := []string{`He said "no", \twice`, "a\tb;c,d", "=1+1", "  spaced  ", "\u202eright\x1b[2J"}
	clitest.Write(t, dir+"/a", strings.Join(hostile, "\n")+"\n")
	clitest.Write(t, dir+"/b", "1\n2\n3\n4\n5\n")
	stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "select -n 5 -f csv $T/a $T/b")...)
	if status != 0 {
		t.Fatal(stderr)
	}
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"segment", "a", "b", "utility", "rank"}, rows[0]); diff != "" {
		t.Error(diff)
	}
	for _, r := range rows[1:] {
		i, _ := strconv.Atoi(r[0])
		if r[1] != hostile[i-1] || r[2] != r[0] {
			t.Errorf("%q", r)
		}
	}
	stdout, _, _ = clitest.Exec(t, clitest.Args(dir, "select -n 5 -f jsonl $T/a $T/b")...)
	for line := range strings.Lines(stdout) {
		var item struct {
			ID  string            `json:"item_id"`
			Tgt map[string]string `json:"tgt"`
		}
		if err := json.Unmarshal([]byte(line), &item); err != nil {
			t.Fatal(err)
		}
		i, _ := strconv.Atoi(item.ID)
		if item.Tgt["a"] != hostile[i-1] {
			t.Errorf("%q", item)
		}
	}
	stdout, _, _ = clitest.Exec(t, clitest.Args(dir, "select -n 5 -f tsv $T/a $T/b")...)
	if strings.ContainsAny(stdout, "\x1b\u202e") || !strings.Contains(stdout, `a\tb;c,d`) {
		t.Errorf("%q", stdout)
	}
}

func TestSelectErrors(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/a", "one\ntwo\n")
	clitest.Write(t, dir+"/b", "one\nzwo\n")
	clitest.Write(t, dir+"/short", "one\n")
	clitest.Write(t, dir+"/blank", "\n\n")
	clitest.Write(t, dir+"/empty", "")
	clitest.Write(t, dir+"/gap", "x\n\n")
	clitest.Write(t, dir+"/m.tsv", "a\t1\t1\na\t2\t2\nb\t1\t2\nb\t2\t1\n")
	clitest.Write(t, dir+"/beyond.tsv", "a\t1\t1\na\t3\t2\n")
	clitest.Write(t, dir+"/five.json", `{"segments": 5, "chosen": [{"segment": "1"}]}`)
	clitest.Write(t, dir+"/twice.json", `{"segments": 2, "chosen": [{"segment": "1"}, {"segment": "1"}]}`)
	clitest.Write(t, dir+"/half.tsv", "a\t1\t1\nb\t1\t2\n")
	clitest.Write(t, dir+"/other.tsv", "x\t1\t1\nx\t2\t2\n")
	clitest.Write(t, dir+"/systems.tsv", "system\tscore\na\t1\nb\t2\n")
	clitest.Write(t, dir+"/one.tsv", "a\t1\t1\na\t2\t2\n")
	clitest.Write(t, dir+"/h%d.tsv", "a\t1\t1\nx\t2\t2\n")
	clitest.Write(t, dir+"/level.tsv", "a\t1\t1\na\t2\t1\nb\t1\t1\nb\t2\t1\n")
	clitest.Write(t, dir+"/after.tsv", "segment\tutility\n3\t1\n")
	clitest.Write(t, dir+"/after.csv", "utility,segment\n3\n")
	clitest.Write(t, dir+"/quote.csv", "utility,segment\n\"3,1\n")
	clitest.Write(t, dir+"/columns.tsv", "a\tb\n1\t2\n")
	clitest.Write(t, dir+"/after.json", "{\"x\": 1}\n")
	clitest.Write(t, dir+"/after.ids", "9\n")
	clitest.Write(t, dir+"/half.json", "{\"item_id\": 1}\n\n{\"item_id\":\n")
	clitest.Write(t, dir+"/both", "1\n2\n")
	for _, tt := range []struct{ line, want string }{
		{"-n 1", "no outputs and no scores: name files of outputs, or of scores with --scores"},
		{"$T/a", "how many segments? Give -n N, or --words N"},
		{"-n 0 $T/a", "-n"},
		{"-n 1 $T/a $T/short", "$T/short:2: missing line"},
		{"-n 1 --source $T/short $T/a", "$T/a:2: no such line in $T/short"},
		{"-n 1 -r $T/a --source $T/short $T/b", "$T/short:2: missing line: the file has 1 lines, $T/a 2"},
		{"-n 1 --documents $T/short $T/a", "$T/short has the documents of 1 segment, and there are 2"},
		{"-n 1 --documents $T/gap $T/a", "$T/gap:2: no document"},
		{"-n 1 --source $T/empty $T/a", "$T/empty is empty"},
		{"-n 1 $T/blank", "nothing left to choose of 2 segments: 2 without any output"},
		{"-n 1 --after $T/both $T/a", "nothing left to choose of 2 segments: 2 chosen before"},
		{"-n 1 --whole-documents $T/a", "--documents"},
		{"-n 1 --whole-documents --documents $T/a -f tsv --source $T/b $T/b --words 0", "--words"},
		{"--words 3 $T/a", "--words: there is no text to count words of: name one with --source, or -r"},
		{"-n 1 --method length $T/a", "there is no text to count words of"},
		{"-n 1 --method variance $T/a", "variance is of a metric: give its --scores, or a reference with -r for one of -m"},
		{"-n 1 --method difficulty $T/a", "difficulty is of references, by the outputs"},
		{"-n 1 --method difficulty:chrf -r $T/a $T/b", "does not match tokens"},
		{"-n 1 --method diversity --scores $T/m.tsv", "diversity is of outputs: name files of them"},
		{"-n 1 --method diversity:x $T/a", `no metric "x"`},
		{"-n 1 --method varience $T/a", `no method "varience" (did you mean variance?)`},
		{"-n 1 --method -1*variance $T/a", `a weight of "-1"`},
		{"-n 1 --method random:x $T/a", "random is of no metric"},
		{"-n 1 --method variance,random -r $T/a $T/b", "one of variance and random can choose"},
		{"--evaluate --human $T/m.tsv --method diversity,diversity $T/a $T/b", "diversity twice"},
		{"-n 1 -r $T/a -m bleu,chrf $T/b", "variance of which metric? Have bleu, chrf: variance:bleu, say"},
		{"-n 1 -r $T/a --method variance:ter $T/b", "ter is not one of the metrics, chrf: add -m ter"},
		{"-n 1 --scores $T/m.tsv --method variance:ter", "ter compares outputs with references: name a file with -r"},
		{"-n 1 --scores $T/m.tsv --method variance:n", `no scores of a metric "n": have m`},
		{"-n 1 -m bleu $T/a", "-m: these metrics compare outputs with references: name a file with -r"},
		{"-n 1 -r $T/a --scores $T/m.tsv", "-r: references are compared with outputs"},
		{"-n 1 --scores $T/beyond.tsv $T/a", `scores of beyond: segment "3" is none of the 2 that there are, 1 to 2`},
		{"-n 1 --scores $T/half.tsv $T/a $T/b", "scores of half: 2 of 4 are missing: segments count by the systems that have one"},
		{"-n 1 --scores $T/half.tsv $T/a $T/b", "segment 2 has no score of half of any system"},
		{"-n 1 --scores $T/h%d.tsv $T/a $T/b", "mteval: scores of h%d: nothing of b: without a part in it\n"},
		{"-n 1 --scores $T/h%d.tsv $T/a $T/b", "mteval: scores of h%d: also of systems whose outputs were not given: x\n"},
		{"-n 1 --scores $T/other.tsv $T/a $T/b", "scores of other: none of the systems: of x, and the outputs are of a, b"},
		{"-n 1 --scores $T/systems.tsv", "has scores of systems"},
		{"-n 1 --scores $T/m.tsv --lower-is-better x", "--lower-is-better x: no such metric: have m"},
		{"-n 1 --after $T/after.tsv $T/a", `$T/after.tsv:2: segment "3" is none of the 2 that there are`},
		{"-n 1 --after $T/after.csv $T/a", "$T/after.csv:2: 1 columns, and the segment is in column 2"},
		{"-n 1 --after $T/quote.csv $T/a", "$T/quote.csv:2: "},
		{"-n 1 --after $T/columns.tsv $T/a", "$T/columns.tsv:1: no column segment"},
		{"-n 1 --after $T/after.json $T/a", "$T/after.json:1: no item_id"},
		{"-n 1 --after $T/five.json $T/a", "$T/five.json:1: field segments: it was chosen of 5 segments, and there are 2"},
		{"-n 1 --after $T/twice.json $T/a", `$T/twice.json:1: field chosen: segment "1" stands there twice`},
		{"-n 1 --after $T/after.ids $T/a", `$T/after.ids:1: segment "9" is none of the 2 that there are`},
		{"-n 1 --after $T/half.json $T/a", "$T/half.json:3: "},
		{"-n 1 --after $T/empty $T/a", "$T/empty is empty"},
		{"-n 1 -o $T/x.doc $T/a", "-o $T/x.doc: the name does not tell the format"},
		{"-n 1 -o $T/a $T/a --format csv", "that is also the file of SYS"},
		{"-n 1 -f csv rank=$T/a", "a system is called rank, as another column is"},
		{"-n 1 -f json --rows outputs $T/a", "--rows outputs is of tsv, csv and jsonl"},
		{"-n 1 -f csv --rows outputs --scores $T/m.tsv", "--rows outputs: there are no outputs"},
		{"-n 1 --human $T/m.tsv $T/a", "--evaluate"},
		{"--evaluate $T/a $T/b", "--evaluate needs people's scores: name a file with --human"},
		{"--evaluate -n 1 --human $T/m.tsv $T/a $T/b", "--evaluate"},
		{"--evaluate --human $T/m.tsv -f csv $T/a $T/b", "--evaluate: no format csv: have text, tsv, json"},
		{"--evaluate --human $T/systems.tsv $T/a $T/b", "--evaluate needs those of segments, or pairs"},
		{"--evaluate --human $T/one.tsv $T/a $T/b", "people judged 1 of the systems, and a ranking is of two or more"},
		{"--evaluate --human $T/level.tsv $T/a $T/b", "people's ranking of the systems: "},
		{"--evaluate --human $T/beyond.tsv $T/a $T/b", `$T/beyond.tsv: segment "3" is none of the 2`},
		{"--evaluate --human $T/m.tsv --lp en-de $T/a $T/b", "--lp is of a file of pairs, or of --mtme"},
		{"-n 1 --mtme $T", "--mtme needs a language pair"},
		{"--evaluate --human $T/m.tsv --human-score z $T/a $T/b", "--human-score is of WMT's files"},
		{"--evaluate --human $T/m.tsv --human-score mqm $T/a $T/b", "--human-score mqm: WMT's files have raw and z"},
		{"-n 1 --mtme $T --lp en-de $T/a", "--mtme has the systems' outputs: leave $T/a out"},
		{"-n 1 --mtme $T --lp en-de --source $T/a", "--mtme"},
		{"-n 1 --mtme $T/none --lp en-de", "$T/none"},
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "select "+tt.line)...)
		if want := strings.ReplaceAll(tt.want, "$T", dir); status != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1+strings.Count(stderr, "nothing of")+strings.Count(stderr, "are missing")+strings.Count(stderr, "also of") {
			t.Errorf("%s: status %d, %s%s, want %s", tt.line, status, stdout, stderr, want)
		}
	}
}

// It stops at once when it is interrupted.
func TestSelectInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err strings.Builder
	for _, line := range []string{
		"select -n 5 -r $Dref.de $Dsys/*.txt", "select -n 5 --method diversity:chrf $Dsys/*.txt", "select -n 5 --method diversity $Dsys/*.txt",
		"select --evaluate --human $Dhuman-segment.tsv --method diversity $Dsys/*.txt",
	} {
		if status := root.Run(ctx, clitest.Args("", line), &out, &err); status != root.Interrupted || out.Len() > 0 {
			t.Errorf("%s: status %d, %s%s", line, status, out.String(), err.String())
		}
	}
}

// A page and a picture.
func TestSelectPage(t *testing.T) {
	dir := t.TempDir()
	_, stderr, status := clitest.Exec(t, clitest.Args(dir, "select --evaluate --human $Dhuman-segment.tsv --method diversity,length --source $Dsrc.en --choices 10 --html $T/p.html --svg $T/p.svg -o $T/c.tsv $Dsys/*.txt")...)
	if status != 0 {
		t.Fatal(stderr)
	}
	clitest.CheckXML(t, dir+"/p.html", "Which segments people should judge", "random 97.5%", "By words of the source")
	clitest.CheckXML(t, dir+"/p.svg", "diversity", "random 2.5%", "clusters")
	if data, err := os.ReadFile(dir + "/c.tsv"); err != nil || !strings.HasPrefix(string(data), "cost\tmethod\tsize\t") {
		t.Errorf("%s, %v", data, err)
	}
}

// What docs/select.md says first: on MQM of WMT23 variance and consistency of MetricX tell more
// systems apart than random segments do, and on the rankings of WMT19 for Kazakh variance by chrF
// does, and ranks them better.
func TestSelectWorth(t *testing.T) {
	if race.Enabled {
		t.Skip("numbers alone")
	}
	tree := clitest.Wmt23Tree(t)
	for lp, reference := range map[string]string{"en-de": "refA", "he-en": "refB"} {
		of := "MetricX-23-" + reference
		got := curvesOf(t, "select", "--evaluate", "--mtme", tree, "--lp", lp, "--choices", "40", "-f", "json", "--method", "variance:"+of+"+consistency:"+of+",variance:"+of)
		want := map[string][2]int{"en-de": {460, 12}, "he-en": {820, 13}}[lp]
		if got.Segments != want[0] || got.Systems != want[1] {
			t.Errorf("%s: %d segments, %d systems", lp, got.Segments, got.Systems)
		}
		for _, m := range got.Costs[0].Curves {
			if m.ClustersAbove < .975 {
				t.Errorf("%s: %s: %+v", lp, m.Method, m)
			}
		}
	}
	kk := func(name string) string { return shareddata.Path(t, "data", "wmt19-kk-en", name) }
	line := []string{"select", "--evaluate", "--human", kk("human-segment-darr.tsv"), "-r", kk("ref.en"), "--source", kk("src.kk"), "--choices", "40", "-f", "json", "--method", "variance"}
	files, err := os.ReadDir(kk("sys"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		line = append(line, kk("sys/"+f.Name()))
	}
	for _, cost := range curvesOf(t, line...).Costs {
		if m := cost.Curves[0]; m.ClustersAbove < .975 || m.KendallAbove < .975 {
			t.Errorf("by %s: %+v", cost.Unit, m)
		}
	}
}

func curvesOf(t *testing.T, line ...string) choose.CurvesJSON {
	t.Helper()
	stdout, stderr, status := clitest.Exec(t, line...)
	var out choose.CurvesJSON
	if status != 0 || json.Unmarshal([]byte(stdout), &out) != nil {
		t.Fatalf("%v: status %d, %s", line, status, stderr)
	}
	return out
}
