package root_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/internal/shareddata"
)

// The command gives unbabel-comet's scores of segments, from files of texts.
func TestCOMETRecorded(t *testing.T) {
	var recorded struct {
		Texts []struct{ Src, MT, Ref string }
		Cases []struct {
			Name, Model, HParams string
			Reads                []string
			Scores               []float64
		}
	}
	shareddata.ReadJSON(t, clitest.CometModels+"expected.json", &recorded)
	dir := t.TempDir()
	var src, mt, ref strings.Builder
	var kept []int // texts of one line
	for i, text := range recorded.Texts {
		if strings.ContainsAny(text.Src+text.MT+text.Ref, "\r\n") {
			continue
		}
		kept = append(kept, i)
		src.WriteString(text.Src + "\n")
		mt.WriteString(text.MT + "\n")
		ref.WriteString(text.Ref + "\n")
	}
	clitest.Write(t, dir+"/src", src.String())
	clitest.Write(t, dir+"/mt", mt.String())
	clitest.Write(t, dir+"/ref", ref.String())
	for _, c := range recorded.Cases {
		if c.HParams != "" {
			continue // of another hparams.yaml: package comet has these
		}
		t.Run(c.Name, func(t *testing.T) {
			line := "score --sentence-level -q -m comet(model=" + clitest.CometModels + c.Model + ")"
			if slices.Contains(c.Reads, "src") {
				line += " --source $T/src"
			}
			if slices.Contains(c.Reads, "ref") {
				line += " -r $T/ref"
			}
			stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line+" $T/mt")...)
			rows := strings.Split(strings.TrimSpace(stdout), "\n")
			if status != 0 || len(rows) != len(kept) {
				t.Fatalf("status %d, %d rows: %s", status, len(rows), stderr)
			}
			for i, row := range rows {
				cells := strings.Split(row, "\t")
				got, err := strconv.ParseFloat(cells[3], 64)
				// Printed with 6 decimals.
				if want := c.Scores[kept[i]]; err != nil || math.Abs(got-want) > 5e-6+5e-7 {
					t.Errorf("segment %d: %s, want %v", i+1, row, want)
				}
			}
		})
	}
}

func TestCOMETErrors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HF_HUB_CACHE", dir)
	clitest.Write(t, dir+"/short", "one\ntwo\n")
	clitest.Write(t, dir+"/ref", "one\ntwo\nthree\n")
	clitest.Write(t, dir+"/empty", "\n\n\n")
	clitest.Write(t, dir+"/none", "")
	clitest.Write(t, dir+"/hyp", "one\n\nthree\n")
	clitest.Write(t, dir+"/hyp2", "one\ntwo\n3\n")
	clitest.Write(t, dir+"/human", "hyp\t1\nhyp2\t2\n")
	long := strings.Repeat("bread ", 30)
	clitest.Write(t, dir+"/long", "one\n"+long+"\nthree\n")
	if err := os.Mkdir(dir+"/alone", 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, dir+"/alone/model.ckpt", "")
	model := " -m comet(model=" + clitest.CometModels
	// As a checkout of XCOMET would be.
	for name, yaml := range map[string]string{"xcomet": "class_identifier: xcomet_metric\n", "broken": "class_identifier: regression_metric\n", "bare": "a: b\n"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "checkpoints"), 0o755); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, name, "hparams.yaml"), yaml)
		data, err := os.ReadFile(clitest.CometModels + "wmt22/checkpoints/model.ckpt")
		if err != nil {
			t.Fatal(err)
		}
		if name == "broken" {
			data = data[:len(data)/2]
		}
		clitest.Write(t, filepath.Join(dir, name, "checkpoints", "model.ckpt"), string(data))
	}
	for _, tt := range []struct{ line, want string }{
		// A source file of another length, as of references.
		{"score -r $T/ref --source $T/short" + model + "wmt22) $T/hyp", "$T/short:3: missing line: the file has 2 lines, $T/ref 3"},
		{"score -r $T/short --source $T/ref" + model + "wmt22) $T/short", "$T/ref:3: no such line in $T/short, which has 2 lines, not 3"},
		{"score --source $T/ref" + model + "qe) $T/short", "$T/short:3: missing line: the file has 2 lines, $T/ref 3"},
		{"score -r $T/ref --source $T/none" + model + "wmt22) $T/hyp", "$T/none:1: missing line"},
		{"rank -r $T/ref --source $T/short" + model + "wmt22) $T/hyp $T/hyp2", "$T/short:3: missing line"},
		{"study -r $T/ref --human $T/human --source $T/short" + model + "wmt22) $T/hyp $T/hyp2", "$T/short:3: missing line"},
		// A metric without what it reads.
		{"score -r $T/ref" + model + "wmt22) $T/hyp", "comet: no source: it reads what was translated: name its file with --source"},
		{"score -r $T/ref" + model + "qe) $T/hyp", "comet: no source"},
		{"rank -r $T/ref" + model + "kiwi) $T/hyp $T/hyp2", "comet: no source"},
		{"study -r $T/ref --human $T/human" + model + "wmt22) $T/hyp $T/hyp2", "comet: no source"},
		{"score --source $T/ref" + model + "wmt22) $T/hyp", "comet reads references: name a file with -r"},
		{"score --source $T/ref -m comet(model=" + clitest.CometModels + "qe),bleu $T/hyp", "bleu reads references: name a file with -r"},
		{"rank" + model + "qe) $T/hyp $T/hyp2", "no reference: name a file with -r, or --source for metrics that read no references"},
		{"rank --source $T/ref" + model + "wmt22) $T/hyp $T/hyp2", "comet reads references: name a file with -r"},
		{"rank --source $T/ref -m bleu" + model + "qe) $T/hyp $T/hyp2", "bleu reads references: name a file with -r"},
		{"rank --source $T/ref" + model + "qe) $T/hyp", "hyp is one system"},
		{"study --human $T/human --source $T/ref" + model + "qe) -m bleu $T/hyp $T/hyp2", "bleu reads references: name a file with -r"},
		// What reads references has no options without.
		{"rank --source $T/ref" + model + "qe) --base wordf $T/hyp $T/hyp2", "--base is of what reads references: name a file with -r, or leave it out"},
		{"rank --source $T/ref" + model + "qe) --difficulty-leave-one-out $T/hyp $T/hyp2", "--difficulty-leave-one-out is of what reads references"},
		{"rank --source $T/ref" + model + "qe) --calibration $T/human $T/hyp $T/hyp2", "--calibration is of what reads references"},
		{"rank --source $T/ref" + model + "qe) --segments $T/s.tsv $T/hyp $T/hyp2", "--segments is of what reads references"},
		{"rank --source $T/ref" + model + "qe,idf) $T/hyp $T/hyp2", `no option of comet "idf"`},
		// As comet-score and comet-compare are called.
		{"score -s $T/ref -t $T/hyp -r $T/ref -m comet", "-s $T/ref: -s is --smooth-method of BLEU: for a file of sources use --source $T/ref"},
		{"rank -m comet -s $T/ref $T/hyp $T/hyp2", "unknown shorthand flag: 's' in -s (for a file of sources use --source FILE)"},
		{"study -s src.en $T/hyp $T/hyp2", "(for a file of sources use --source FILE)"},
		{"select -m comet -s src $T/hyp $T/hyp2", "(for a file of sources use --source FILE)"},
		{"score --source $T/ref -t $T/hyp -r $T/ref -m comet", "-t $T/hyp: -t is --test-set, one of sacreBLEU's: name outputs as arguments, as in mteval score --source SRC -r REF -m comet $T/hyp"},
		{"score -t $T/hyp $T/hyp2", "name outputs as arguments"},
		{"rank --source $T/ref -t $T/hyp $T/hyp2", "unknown shorthand flag: 't' in -t (outputs are named as arguments, without an option)"},
		{"calibrate -m comet $T", `--metrics: no metric "comet": have bleu`},
		{"calibrate --combine comet $T", `--combine: no metric to combine "comet": have bleu`},
		// What has no effect.
		{"score -r $T/ref --source $T/ref $T/hyp", "--source is an option of comet: add -m comet or leave it out"},
		{"score -r $T/ref --source $T/ref" + model + "unified-ref) $T/hyp", "--source $T/ref: none of the metrics reads sources: leave it out"},
		{"score -r $T/ref -m bleu(model=x) $T/hyp", `no option of bleu "model": have tokenize, lowercase`},
		{"score -r $T/ref --source $T/ref" + model + "qe,backend=lexical) $T/hyp", `comet(backend): no backend "lexical": have transformer, libtorch`},
		{"score -r $T/ref --source $T/ref" + model + "qe,dtype=fp16) $T/hyp", "comet(dtype): fp16 is of backend=libtorch: transformer has fp32 and bf16"},
		{"score -r $T/ref -m bertscore(long=error) $T/hyp", "bertscore(long) is an option of backend=transformer"},
		{"score -t wmt24 -l en-de --source $T/ref" + model + "qe) $T/hyp", "--test-set has sources of its own: leave --source out"},
		// Models.
		{"score -r $T/ref --source $T/ref -m comet $T/hyp", "comet(model): model Unbabel/wmt22-comet-da is not on disk"},
		{"score -r $T/ref --source $T/ref -m comet(model=wmt22-comet-da) $T/hyp", "comet(model): wmt22-comet-da is neither a folder nor in the Hugging Face cache, where models of COMET have an owner, as in Unbabel/wmt22-comet-da"},
		{"score -r $T/ref --source $T/ref -m comet(model=$T/alone/model.ckpt) $T/hyp", "comet(model): comet: $T/alone/model.ckpt: no hparams.yaml in $T, where unbabel-comet has it"},
		{"score -r $T/none --source $T/none" + model + "no/such) $T/hyp", "testdata/no/such\" is neither a folder nor a model's name"},
		{"score -r $T/ref --source $T/ref -m comet(model=no/such.ckpt) $T/hyp", "comet(model): comet: stat no/such.ckpt"},
		{"score -r $T/ref -m bertscore(cache=$T/c) $T/hyp", "bertscore(cache) is an option of backend=transformer or libtorch"},
		{"score -r $T/ref --source $T/ref" + model + "no/such) $T/hyp", "comet(model)"},
		{"score -r $T/ref --source $T/ref" + model + "wmt22),comet(model=" + clitest.CometModels + "../testdata/wmt22) $T/hyp", "are both called wmt22"},
		{"score -r $T/ref --source $T/ref -m comet(model=$T/xcomet) $T/hyp", `comet(model): comet: $T/xcomet: hparams.yaml: class_identifier: "xcomet_metric" is not there`},
		{"score -r $T/ref --source $T/ref -m comet(model=$T/bare) $T/hyp", "hparams.yaml: class_identifier: missing"},
		{"score -r $T/ref --source $T/ref -m comet(model=$T/broken) $T/hyp", "$T/broken/checkpoints/model.ckpt"},
		{"score -r $T/ref --source $T/ref" + model + "wmt22,encoder=no/such) $T/hyp", "comet(encoder): model no/such is not on disk"},
		{"score -r $T/ref --source $T/ref" + model + "wmt22,encoder=" + clitest.CometModels + "bert) $T/hyp", "comet(encoder): comet: encoder ../../comet/testdata/bert: transformer: "},
		{"tune -m comet -r $T/ref --human $T/human $T/hyp $T/hyp2", `no metric with parameters "comet"`},
		{"select -n 1 -r $T/ref" + model + "wmt22) --method variance $T/hyp $T/hyp2", "comet: no source"},
		{"select -n 1 --source $T/ref" + model + "wmt22) --method variance $T/hyp $T/hyp2", "comet reads references"},
		{"select -n 1" + model + "qe) --method variance $T/hyp $T/hyp2", "name a file with -r or --source"},
		{"select -n 1 --source $T/short -r $T/ref" + model + "wmt22) --method variance $T/hyp $T/hyp2", "$T/short:3: missing line: the file has 2 lines, $T/ref 3"},
		{"select -n 1 --source $T/ref" + model + "qe) --method diversity:comet $T/hyp $T/hyp2", "--method diversity:comet: comet reads no references"},
		{"select -n 1" + model + "wmt22) --method diversity:comet $T/hyp $T/hyp2", "--method diversity:comet: comet: no source: it reads what was translated: name its file with --source"},
		{"score --num-refs 2 --source $T/ref" + model + "qe) $T/hyp", "--num-refs 2 is of a file of references: name it with -r, or leave it out"},
		{"score -r $T/ref --source $T/ref" + model + "wmt22,cache=$T/ref) $T/hyp", "mteval: comet(cache): cache: "},
		// Texts that are too long, where they stand.
		{"score -r $T/ref --source $T/long" + model + "wmt22,long=error) $T/hyp", "$T/long:2: comet: text is longer than the model takes (the option long=cut scores its beginning)"},
		{"score -r $T/long --source $T/ref" + model + "wmt22,long=error) $T/hyp", "$T/long:2: comet: text is longer"},
		{"score -r $T/ref --source $T/ref" + model + "wmt22,long=error) $T/long", "$T/long:2: comet: text is longer"},
		{"rank -r $T/ref --source $T/ref" + model + "wmt22,long=error) $T/hyp $T/long", "$T/long:2: comet: text is longer"},
		{"select -n 1 --source $T/long" + model + "wmt22,long=error) --method diversity:comet $T/hyp $T/hyp2", "$T/long:2: comet: text is longer"},
		{"select -n 1 --source $T/ref" + model + "wmt22,long=error) --method diversity:comet $T/hyp $T/long", "an output of segment 2: comet: text is longer"},
		{"select -n 1 -r $T/ref --source $T/long" + model + "wmt22,long=error) --method variance $T/hyp $T/hyp2", "$T/long:2: comet: text is longer"},
		{"select -n 1 --source $T/long" + model + "qe,long=error) --method variance $T/hyp $T/hyp2", "$T/long:2: comet: text is longer"},
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, tt.line)...)
		if want := strings.ReplaceAll(tt.want, "$T", dir); status != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s:\nstatus %d, %s%s, want %s", tt.line, status, stdout, stderr, want)
		}
	}
}

// An empty source is a text, sources may come from standard input's file or be compressed, and
// what is cut is told and in the signature.
func TestCOMETSources(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/ref", "one\ntwo\nthree\n")
	clitest.Write(t, dir+"/empty", "\n\n\n")
	clitest.Write(t, dir+"/hyp", "one\n\nthree\n")
	clitest.Write(t, dir+"/human", "hyp\t1\nhyp2\t2\nref\t3\n")
	clitest.Write(t, dir+"/hyp2", "one\ntwo\n3\n")
	clitest.Write(t, dir+"/long", "one\n"+strings.Repeat("bread ", 30)+"\nthree\n")
	clitest.Write(t, dir+"/table", "one\t1\ntwo\t2\nthree\t3\n")
	model := " -m comet(model=" + clitest.CometModels
	for _, tt := range []struct{ line, stderr, stdout string }{
		{"score -r $T/ref --source $T/empty" + model + "wmt22) $T/hyp", "", "|max:24|version:"},
		{"score --source $T/empty" + model + "qe) $T/hyp", "", "nrefs:0|"},
		{"score --source $T/empty" + model + "qe) -i $T/hyp", "", "nrefs:0|"},
		{"score $T/ref -i $T/hyp --source $T/empty" + model + "wmt22)", "", "nrefs:1|"},
		{"score -r $T/ref --source $T/empty" + model + "qe) $T/hyp", "no metric here reads references: they have no part in the scores", "nrefs:0|"},
		{"score -r $T/ref --source $T/empty" + model + "unified) $T/hyp", "unified: hparams.yaml says layer_norm false, and the checkpoint true: that of the checkpoint is taken", "nrefs:1|"},
		{"score --source $T/empty" + model + "unified) $T/hyp", "unified: hparams.yaml says layer_norm false, and the checkpoint true: that of the checkpoint is taken", "nrefs:0|"},
		{"score -r $T/ref" + model + "unified) $T/hyp", "unified: hparams.yaml says layer_norm false, and the checkpoint true: that of the checkpoint is taken", "nrefs:1|"},
		{"score -r $T/ref" + model + "unified-ref) $T/hyp", "", "nrefs:1|"},
		{"score -r $T/ref --source $T/long" + model + "wmt22) $T/hyp", "warning: comet: 1 text is longer than the model's 24 tokens: only its beginning was scored", "|max:24|cut:1|version:"},
		// Different texts count, wherever they stand.
		{"score -r $T/long --source $T/long" + model + "wmt22) $T/long $T/hyp", "comet: 1 text is longer", "|cut:1|version:"},
		{"score --source $T/long" + model + "kiwi) $T/long $T/hyp x=$T/long", "comet: 1 text is longer", "|cut:1|version:"},
		{"score --source $T/table" + model + "qe) $T/hyp", "/table: its lines have a tab, as in a table of 2 columns, and each is scored as one text: give a file of the one column that is the source", "nrefs:0|"},
		{"score -r $T/ref --source $T/ref" + model + "wmt22),comet(model=" + clitest.CometModels + "kiwi) $T/hyp", "", "kiwi: nrefs:0|"},
		{"score -r $T/ref --source $T/ref --format json" + model + "wmt22) $T/hyp", "", `"metric":"comet"`},
		{"rank -r $T/ref --source $T/ref" + model + "wmt22),comet(model=" + clitest.CometModels + "qe) $T/hyp $T/hyp2", "", "qe: nrefs:0|"},
		{"select -n 1 --source $T/ref" + model + "qe) --method variance $T/hyp $T/hyp2", "comet: nrefs:0|", ""},
		{"select -n 1 -r $T/ref --source $T/ref" + model + "wmt22) --method variance $T/hyp $T/hyp2", "comet: nrefs:1|", ""},
		{"select -n 1 --source $T/ref" + model + "wmt22) --method diversity:comet $T/hyp $T/hyp2", "diversity:comet: nrefs:1|", ""},
		{"study -r $T/ref --human $T/human --source $T/long" + model + "wmt22) $T/hyp $T/hyp2 $T/ref", "comet: 1 text is longer", "|max:24|cut:1|version:"},
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, tt.line)...)
		if status != 0 || (stderr == "") != (tt.stderr == "") || !strings.Contains(stderr, tt.stderr) || !strings.Contains(stdout, tt.stdout) {
			t.Errorf("%s:\nstatus %d, %s%s", tt.line, status, stdout, stderr)
		}
	}
}

// Metrics without references rank by what mteval score gives: in the order of the first, or in
// people's.
func TestRankUnreferenced(t *testing.T) {
	dir := t.TempDir()
	rest := " --source $Dsrc.en -m comet(model=" + clitest.CometModels + "qe),comet(model=" + clitest.CometModels + "kiwi) -q $Dsys/*.txt"
	scores := make(map[string]map[string]float64)
	stdout, stderr, status := clitest.Exec(t, clitest.Args("", "score --format tsv --width 12"+rest)...)
	if status != 0 {
		t.Fatal(stderr)
	}
	for _, line := range strings.Split(strings.TrimSpace(stdout), "\n")[1:] {
		cells := strings.Split(line, "\t")
		if scores[cells[0]] == nil {
			scores[cells[0]] = make(map[string]float64)
		}
		x, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		scores[cells[0]][cells[1]] = x
	}
	rest = strings.Replace(rest, " -q", "", 1)
	for _, human := range []string{"", " --human $Dhuman.tsv"} {
		got := clitest.RankOf(t, clitest.Args(dir, "rank"+human+" --html $T/page.html"+rest)...)
		if len(got.Systems) != 5 || len(got.Pairs) != 0 || got.Calibration != nil || got.People != nil || len(got.Signature) != 2 {
			t.Errorf("%s: %+v", human, got)
		}
		for i, s := range got.Systems {
			if s.Group != nil || s.Best != nil || s.Wins != nil || len(s.Scores) != 2 {
				t.Errorf("%+v", s)
			}
			for name, x := range s.Scores {
				if math.Abs(x-scores[s.System][name]) > 1e-9 {
					t.Errorf("%s: %s %v, score says %v", s.System, name, x, scores[s.System][name])
				}
			}
			if i == 0 {
				continue
			}
			if above := got.Systems[i-1]; human == "" && above.Scores["qe"] < s.Scores["qe"] || human != "" && *above.Human < *s.Human {
				t.Errorf("%s%s stands below %s", human, s.System, above.System)
			}
		}
		// Where each output was cut is counted once, and the same texts with each model.
		for _, name := range []string{"qe", "kiwi"} {
			if sig := got.Signature[name]; !strings.HasPrefix(sig, "nrefs:0|") || !strings.Contains(sig, "|cut:") {
				t.Errorf("%s: %s", name, sig)
			}
		}
		page := string(readFile(t, dir+"/page.html"))
		if !strings.Contains(page, "No references, so no difficulty-aware column and no probabilities: the order is that of") || strings.Contains(page, "What people would say") {
			t.Error("the page does not say what is missing")
		}
	}
}

// Scores of segments go into meta by standard input.
func TestCOMETMeta(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr, status := clitest.Exec(t, clitest.Args("", "score --source $Dsrc.en -m comet(model="+clitest.CometModels+"qe) --sentence-level $Dsys/*.txt")...)
	if status != 0 {
		t.Fatal(stderr)
	}
	clitest.Write(t, dir+"/segments.tsv", stdout)
	in, err := os.Open(dir + "/segments.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin = in
	stdout, stderr, status = clitest.Exec(t, clitest.Args("", "meta --level segment --human $Dhuman-segment.tsv --scores - --samples 0")...)
	if status != 0 || !strings.Contains(stdout, "\ncomet ") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}

// A cache on disk gives the same scores, of texts that it has and of others.
func TestCOMETCache(t *testing.T) {
	dir := t.TempDir()
	line := "score -r $Dref.de --source $Dsrc.en --sentence-level -q $Dsys/aspen.txt -m comet(model=" + clitest.CometModels + "wmt22"
	want, _, _ := clitest.Exec(t, clitest.Args("", line+")")...)
	for range 2 {
		if got, stderr, status := clitest.Exec(t, clitest.Args(dir, line+",cache=$T/cache)")...); status != 0 || got != want {
			t.Errorf("status %d, %s", status, stderr)
		}
	}
	if entries, err := os.ReadDir(dir + "/cache"); err != nil || len(entries) == 0 {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

// sacreBLEU's test sets have sources of their own, of all segments or some.
func TestCOMETTestSet(t *testing.T) {
	model, err := filepath.Abs(clitest.CometModels + "wmt22")
	if err != nil {
		t.Fatal(err)
	}
	dir := clitest.SacreFolder(t)
	run := func(line string) string {
		t.Helper()
		stdout, stderr, status := clitest.Exec(t, strings.Fields(line)...)
		if status != 0 {
			t.Fatalf("%s: status %d, %s", line, status, stderr)
		}
		return stdout
	}
	comet := " -b -w 9 -m comet(model=" + model + ")"
	for _, some := range []string{"", " --origlang en", " --subset US"} {
		set := "score -t wmt18 -l en-de" + some
		clitest.Write(t, dir+"/src.txt", run(set+" --echo src"))
		clitest.Write(t, dir+"/ref.txt", run(set+" --echo ref"))
		kept := "north.de"
		if some != "" { // the lines of the segments that are kept
			all, of := strings.Split(run("score -t wmt18 -l en-de --echo ref"), "\n"), strings.Split(run(set+" --echo ref"), "\n")
			hyps := strings.Split(string(readFile(t, "north.de")), "\n")
			var lines []string
			for i, line := range all[:len(all)-1] {
				if slices.Contains(of, line) {
					lines = append(lines, hyps[i])
				}
			}
			kept = dir + "/kept.de"
			clitest.Write(t, kept, strings.Join(lines, "\n")+"\n")
		}
		want := run("score --source src.txt -r ref.txt" + comet + " " + kept)
		if got := run(set + comet + " north.de"); got != want {
			t.Errorf("%s: %s, want %s", set, got, want)
		}
	}
	if got := run("score -t wmt18 -l en-de --detail -m comet(model=" + model + ") north.de"); !strings.Contains(got, "origlang") {
		t.Error(got)
	}
	if got := run("score -t wmt18 -l en-de --detail --origlang en -m comet(model=" + model + ") north.de"); !strings.Contains(got, "origlang") {
		t.Error(got)
	}
	_, stderr, status := clitest.Exec(t, strings.Fields("score -t wmt18 -l en-de -m comet(long=error,model="+model+") north.de")...)
	if status != 2 || !strings.Contains(stderr, "wmt18 en-de (source):1: comet: text is longer") && !strings.Contains(stderr, "wmt18 en-de:1: comet: text is longer") {
		t.Errorf("status %d, %s", status, stderr)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
