package root_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

const levelsRef = "The dog sees a cat .\nRain fell on the old bridge .\nShe opened the heavy door slowly .\n"

// The parses are invented, as far as they go wrong.
const levelsRefParses = `1	The	_	_	_	_	2	det	_	_
2	dog	_	_	_	_	3	nsubj	_	_
3	sees	_	_	_	_	0	root	_	_
4	a	_	_	_	_	5	det	_	_
5	cat	_	_	_	_	3	obj	_	_
6	.	_	_	_	_	3	punct	_	_

1	Rain	_	_	_	_	2	nsubj	_	_
2	fell	_	_	_	_	0	root	_	_
3	on	_	_	_	_	6	case	_	_
4	the	_	_	_	_	6	det	_	_
5	old	_	_	_	_	6	amod	_	_
6	bridge	_	_	_	_	2	obl	_	_
7	.	_	_	_	_	2	punct	_	_

1	She	_	_	_	_	2	nsubj	_	_
2	opened	_	_	_	_	0	root	_	_
3	the	_	_	_	_	5	det	_	_
4	heavy	_	_	_	_	5	amod	_	_
5	door	_	_	_	_	2	obj	_	_
6	slowly	_	_	_	_	2	advmod	_	_
7	.	_	_	_	_	2	punct	_	_

`

const levelsHyp = "A dog sees the cat .\nIt rained on the old bridge .\nShe opened the heavy door slowly .\n"

var levelsHypParses = strings.NewReplacer("\tThe\t", "\tA\t", "\ta\t", "\tthe\t", "Rain", "It", "fell", "rained").Replace(levelsRefParses)

// levelsFiles writes the texts and parses, and returns their folder.
func levelsFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"ref": levelsRef, "hyp": levelsHyp, "ref.conllu": levelsRefParses, "hyp.conllu": levelsHypParses,
		"ragged.vec": "2 3\na 1 2 3\nb 1 2\n",
		"nan.vec":    "a 1 2\nb 1 NaN\n",
		"ref.penn":   "(S (NP (DT The) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN bird))) (. .))\n",
	} {
		clitest.Write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func TestLevels(t *testing.T) {
	dir := levelsFiles(t)
	for name, line := range map[string]string{
		"levels":            "score -r $D/ref -m dreem,multilevel-dreem,meteor,multilevel-meteor $D/hyp",
		"levels-parses":     "score -r $D/ref -m dreem,multilevel-dreem(triples-lowercase),multilevel-meteor(triples-lowercase) --parses $D/ref=$D/ref.conllu --parses $D/hyp=$D/hyp.conllu --sentence-level $D/hyp",
		"levels-thresholds": "score -r $D/ref -m multilevel-meteor(levels=4,thresholds=\".1,.7,.9\") $D/hyp",
		"levels-one":        "score -r $D/ref -m meteor,multilevel-meteor(levels=1) --sentence-level $D/hyp",
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := clitest.Exec(t, strings.Fields(strings.ReplaceAll(line, "$D", dir))...)
			if status != 0 {
				t.Fatalf("status %d, %s", status, stderr)
			}
			clitest.CheckGolden(t, name+".txt", strings.ReplaceAll(stdout+stderr, dir, "DIR"))
		})
	}
}

func TestLevelErrors(t *testing.T) {
	dir := levelsFiles(t)
	for _, tt := range []struct{ line, want string }{
		{"-m multilevel-meteor --parses $D/ref=$D/hyp.conllu", "hyp.conllu:1: "},
		{"-m multilevel-meteor --parses $D/ref", "want TEXT=FILE"},
		{"-m multilevel-meteor --parses $D/ref=$D/ref.conllu", "no parse of the text"},
		{"-m multilevel-meteor --parses $D/ref=$D/ref", "ref:1: "},
		{"-m multilevel-meteor --target-language de --parses $D/ref=$D/ref.conllu", "multilevel-meteor(thresholds)"},
		{"-m multilevel-meteor(levels=0)", "multilevel-meteor(levels)=0"},
		{"-m multilevel-meteor(levels=2,thresholds=\".1,.2\")", "2 thresholds for 2 levels"},
		{"-m multilevel-meteor(thresholds=\".5,.2\")", "as large as the one before"},
		{"-m multilevel-meteor(thresholds=x)", `multilevel-meteor(thresholds): "x" is not a finite number`},
		{"-m meteor(levels=2)", `no option of meteor "levels"`},
		{"-m dreem --target-language fi", "--target-language fi: DREEM has word vectors of English only"},
		{"-m dreem --target-language gu-IN", "--target-language gu-IN: DREEM has word vectors of English only"},
		{"-m dreem(vectors=$D/ragged.vec)", "ragged.vec:3: "},
		{"-m dreem(vectors=$D/nan.vec)", "nan.vec:2: "},
		{"-m dreem(trees=$D/ref=$D/ref.penn)", "ref.penn:1: "},
		{"-m dreem(model=x,vectors=y)", "leave dreem(vectors)"},
		{"-m dreem(autoencoder=$D/ref)", "ref: "},
		{"-m bleu(model=x)", `no option of bleu "model"`},
	} {
		_, stderr, status := clitest.Exec(t, strings.Fields(strings.ReplaceAll("score -r $D/ref "+tt.line+" $D/hyp", "$D", dir))...)
		if status != 2 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %s, want %q", tt.line, status, stderr, tt.want)
		}
	}
}

// Levels are tuned, and scored with what was found.
func TestTuneLevels(t *testing.T) {
	dir := levelsFiles(t)
	ref, words := strings.Fields("the old dog saw a cat near the bridge at night"), strings.Fields("rain door slow house heavy walked")
	table := "source\treference\thypothesis\tscore\n"
	for i := range 24 {
		hyp := append([]string(nil), ref...)
		for j := range i % 8 {
			hyp[(i*3+j*2)%len(hyp)] = words[(i+j)%len(words)]
		}
		table += strings.Join([]string{"s" + strings.Repeat("x", i), strings.Join(ref, " "), strings.Join(hyp, " "), []string{"9", "8", "6", "6", "4", "3", "1", "2"}[i%8]}, "\t") + "\n"
	}
	clitest.Write(t, filepath.Join(dir, "rated.tsv"), table)
	for _, metric := range []string{"multilevel-meteor", "multilevel-dreem"} {
		file := filepath.Join(dir, metric+".json")
		stdout, stderr, status := clitest.Exec(t, "tune", "-m", metric+"(levels=2)", "--data", filepath.Join(dir, "rated.tsv"),
			"--objective", "pearson", "--folds", "1", "--restarts", "1", "--evaluations", "40", "-o", file)
		if status != 0 || !strings.Contains(stdout, "theta1") || !strings.Contains(stdout, "low.alpha") || !strings.Contains(stdout, "held out") {
			t.Fatalf("%s: status %d, %s%s", metric, status, stdout, stderr)
		}
		stdout, stderr, status = clitest.Exec(t, "score", "-r", filepath.Join(dir, "ref"), "-m", metric+"(levels=2)", "--parameters", file, filepath.Join(dir, "hyp"))
		if status != 0 || !strings.Contains(stdout, "levels:low,high") || !strings.Contains(stderr, " high") {
			t.Errorf("%s: status %d, %s%s", metric, status, stdout, stderr)
		}
	}
}
