package root_test

import (
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// An error that the value of an option makes names the option.
func TestErrorsNameOptions(t *testing.T) {
	dir := levelsFiles(t)
	clitest.Write(t, dir+"/rows.tsv", "source\treference\thypothesis\tscore\na\ta b\ta\t1\nb\tb c\tb\t2\n")
	const (
		bert  = "-m bertscore(backend=transformer,model=../../backend/transformer/testdata/bert,"
		score = "score -r $T/ref $T/hyp "
		tune  = "tune --data $T/rows.tsv --objective pearson --target-language en "
	)
	for _, line := range []string{
		score + "-m bleu(smooth-value=3)",
		score + "-m bleu(smooth-method=floor,smooth-value=-1)",
		score + "-m bleu(max-ngram-order=17)",
		score + "-m chrf(char-order=17)",
		score + "-m chrf(word-order=17)",
		score + "-m chrf(beta=0)",
		score + "-m meteor(beam=99999)",
		score + "-m meteor(modules=synonym) --target-language de",
		score + "-m meteor(modules=\"exact,exact\")",
		score + "-m meteor(modules=paraphrase)",
		score + "-m meteor(task=hter) --target-language de",
		score + "-m meteor(task=hter,modules=synonym) --target-language de", // both are wrong
		score + "-m meteor(weights=\"1,2\")",
		score + "-m meteor(weights=\"1,1,1,1,1\")",
		score + "-m meteor(params=\"2,1,1,1\")",
		score + "-m meteor(normalize) --target-language fi",
		score + "-m meteor(paraphrases=$T/ref)",
		score + "-m meteor(function-words=$T/none)",
		score + "-m meteor(jar=$T/ref)",
		score + "-m meteor(new=$T)",
		score + "-m meteor(correct=nothing)",
		score + "-m meteor(language=zz)",
		score + "-m meteor --target-language zz",
		score + "-m meteor --parameters $T/ref",
		score + "-m dreem(language=de)",
		score + "-m dreem --target-language de",
		score + "-m dreem(model=$T/ref)",
		score + "-m dreem(vectors=$T/nan.vec)",
		score + "-m dreem(autoencoder=$T/ref)",
		score + "-m dreem(trees=$T/ref=$T/ref)",
		score + "-m dreem --parses $T/ref=$T/ref",
		score + "-m multilevel-meteor(thresholds=\"2,3\") --target-language en",
		score + "-m multilevel-meteor(thresholds=.1) --target-language en",
		score + "-m bertscore --target-language german",
		score + "-m bertscore(baseline=$T/ref)",
		score + bert + "layer=1,baseline=$T/ref)",
		score + bert + "layer=99)",
		score + bert + "layer=1,cache=$T/ref)",
		score + "-m bertscore(backend=transformer,model=$T)",
		score + "-m bertscore(backend=transformer,model=no/such)",
		score + "--max-line 3",
		score + "--max-tokens 1",
		score + "$T/ref --paired bs --calibration $T/ref",
		"rank -r $T/ref $T/ref $T/hyp --difficulty-baseline 1",
		"rank -r $T/ref $T/ref $T/hyp --calibration $T/ref",
		tune + "--fit alpah",
		tune + "--fit alpha --fix alpha",
		tune + "--folds 9",
	} {
		words := strings.Fields(line)
		want := ""
		for _, w := range words {
			if name, options, ok := strings.Cut(strings.TrimSuffix(w, ")"), "("); ok {
				last := options[strings.LastIndexAny(strings.Split(options, "\"")[0], ",")+1:]
				option, _, _ := strings.Cut(last, "=")
				want = name + "(" + option + ")" // the last option
			} else if strings.HasPrefix(w, "--") && !strings.Contains(want, "(") {
				want = w
			}
		}
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...)
		if status != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s%s, want %s in it", line, status, stdout, stderr, want)
		}
	}
}

// What is misspelt is answered with the nearest, on the one line of the error, and upper case is
// no misspelling.
func TestDidYouMean(t *testing.T) {
	score := "score -r $Dref.de $Dsys/elder.txt "
	for line, want := range map[string]string{
		"scroe":                                "mteval: unknown command \"scroe\" for \"mteval\" (did you mean score?)\n",
		"model gte x":                          "mteval: unknown command \"gte\" for \"mteval model\" (did you mean get?)\n",
		"help rnak":                            "mteval: help: unknown command \"rnak\" (did you mean rank?)\n",
		"frobnicate":                           "mteval: unknown command \"frobnicate\" for \"mteval\"\n",
		score + "--tokenise zh":                "mteval: unknown flag: --tokenise (did you mean --tokenize?)\n",
		score + "--frobnicate":                 "mteval: unknown flag: --frobnicate\n",
		"rank --diffculty paper":               "mteval: unknown flag: --diffculty (did you mean --difficulty?)\n",
		score + "-m blue":                      "mteval: --metrics: no metric \"blue\" (did you mean bleu?): have bleu,",
		score + "-m bleu(tokenize=ja-mecb)":    "mteval: --metrics: bleu(tokenize): no tokenizer \"ja-mecb\" (did you mean ja-mecab?): have none,",
		score + "-m bleu(tokenise=zh)":         "mteval: --metrics: no option of bleu \"tokenise\" (did you mean tokenize?): have tokenize,",
		score + "--tokenize ja-mecb":           "mteval: --tokenize: no tokenizer \"ja-mecb\" (did you mean ja-mecab?): have none,",
		score + "-m BLEU,chrF --tokenize INTL": "",
		"rank -r $Dref.de $Dsys/elder.txt $Dsys/cedar.txt --base WordF -m TER": "",
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args("", line)...)
		if ok := status == 0; ok != (want == "") || !strings.HasPrefix(stderr, want) || !ok && strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, %s%s, want %s", line, status, stdout, stderr, want)
		}
	}
}
