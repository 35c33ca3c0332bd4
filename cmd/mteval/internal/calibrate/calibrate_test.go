package calibrate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/cmd/mteval/internal/calibrate"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
	"github.com/mteval/mteval/internal/race"
	"github.com/mteval/mteval/internal/shareddata"
	"github.com/mteval/mteval/preference"
)

const calibrationArgs = "calibrate $T/one-de-en $T/one-en-de $T/two-en-zh $T/alone "

func TestCalibrate(t *testing.T) {
	dir := t.TempDir()
	clitest.CalibrationFolders(t, dir)
	stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, calibrationArgs+"-o $T/c.json --note judged --html $T/c.html --svg $T/c.svg")...)
	wantNotes := "mteval: $T/one-en-de/human-system.tsv.gz has no score of s3: scored, with a vote in the difficulty, but in no pair\n" +
		"mteval: $T/alone/human.tsv has scores of systems whose outputs are not there: other\n" +
		"mteval: meteor: the rules of English are used: --target-language names another language\n" +
		"mteval: meteor: there is nothing for language zh: only equal words match\n"
	if want := strings.ReplaceAll(wantNotes, "$T", dir); status != 0 || stderr != want {
		t.Fatalf("status %d, %s, want %s", status, stderr, want)
	}
	c, err := preference.Open(dir + "/c.json")
	if err != nil {
		t.Fatal(err)
	}
	wantSets := []preference.Judged{
		{Name: "one-de-en", Campaign: "one", Systems: 4, Segments: 12, Pairs: 6},
		{Name: "one-en-de", Campaign: "one", Systems: 4, Segments: 15, Pairs: 2}, // s0 and s1 tie, s3 has no score
		{Name: "two-en-zh", Campaign: "two", Systems: 4, Segments: 12, Pairs: 6},
		{Name: "alone", Campaign: "alone", Systems: 4, Segments: 14, Pairs: 6},
	}
	if d := cmp.Diff(wantSets, c.Sets); d != "" {
		t.Errorf("sets (-want +got):\n%s", d)
	}
	if c.Note != "judged" || c.HeldOut == nil || c.HeldOut.Pairs != 20 || !strings.Contains(stdout, c.Signature().String()) {
		t.Errorf("note %q, held out %+v, signature %s", c.Note, c.HeldOut, c.Signature())
	}
	// Last digits may differ between processors, and so may the hash.
	clitest.CheckGolden(t, "calibrate.txt", strings.Replace(stdout, c.Hash(), "HASH", 1))
	clitest.CheckXML(t, dir+"/c.html", "How likely people agree with metrics", "By campaign", "two-en-zh", "judged", c.Hash())
	clitest.CheckXML(t, dir+"/c.svg", "calibrated", "all", "confidence")
	// What is written to standard output is the file.
	file, err := os.ReadFile(dir + "/c.json")
	if err != nil {
		t.Fatal(err)
	}
	if stdout, _, _ := clitest.Exec(t, clitest.Args(dir, calibrationArgs+"-o - --note judged")...); stdout != string(file) {
		t.Errorf("with -o - it is %s", stdout)
	}
}

// The terms, and what is recorded, with the signature's number of references and what the
// languages choose.
func TestCalibrateMetrics(t *testing.T) {
	dir := t.TempDir()
	clitest.CalibrationFolders(t, dir)
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, calibrationArgs+"-o $T/c.json")...); status != 0 {
		t.Fatal(stderr)
	}
	c, err := preference.Open(dir + "/c.json")
	if err != nil {
		t.Fatal(err)
	}
	var terms, records []string
	for _, x := range c.Terms {
		terms = append(terms, fmt.Sprint(x.Metric.Name, " ", x.Shape))
		if x.Weight != c.Terms[0].Weight || !(x.Weight > 0) {
			t.Errorf("%s has weight %v", x.Metric.Name, x.Weight)
		}
	}
	values := func(m *preference.Metric, key string) string { return key + "=" + calibrate.Field(m, key) }
	for _, r := range c.Records {
		line := r.Metric.Name + " " + values(&r.Metric, "nrefs")
		for _, key := range []string{"tok", "difficulty", "lang"} {
			if v := calibrate.Field(&r.Metric, key); v != "" {
				line += " " + values(&r.Metric, key)
			}
		}
		records = append(records, line)
	}
	wantTerms := []string{"bertscore-lexical linear", "chrf log", "da-bertscore-lexical log"}
	wantRecords := []string{
		"bertscore-lexical nrefs=1 tok=13a,zh",
		"chrf nrefs=1",
		"da-bertscore-lexical nrefs=1 tok=13a,zh difficulty=novel=one,mean-f,leave-one-out",
		"bertscore-lexical+da nrefs=1 tok=13a,zh difficulty=novel=matched,normalized,plain-if-easy,add-plain,mean-f",
		"da-bertscore-lexical nrefs=1 tok=13a,zh difficulty=novel=matched,normalized,mean-f",
		"da-bertscore-lexical nrefs=1 tok=13a,zh difficulty=novel=one,mean-f",
		"bleu nrefs=1 tok=13a,zh",
		"ter nrefs=1 tok=tercom",
		"meteor nrefs=1 lang=de,en,zh",
	}
	if d := cmp.Diff(wantTerms, terms); d != "" {
		t.Errorf("terms (-want +got):\n%s", d)
	}
	if d := cmp.Diff(wantRecords, records); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
}

// The figures as JSON are those of preference.Validate, each pair counted once.
func TestCalibrateJSON(t *testing.T) {
	dir := t.TempDir()
	clitest.CalibrationFolders(t, dir)
	stdout, _, status := clitest.Exec(t, clitest.Args(dir, calibrationArgs+"-f json --combine ter,chrf -m chrf,bertscore,wer")...)
	if status != 0 {
		t.Fatal(stdout)
	}
	var got calibrate.CalibrationJSON
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	var metrics []string
	for _, m := range got.Metrics {
		metrics = append(metrics, m.Metric)
	}
	want := []string{"bertscore-lexical", "ter", "chrf", "da-bertscore-lexical", "bertscore-lexical+da", "da-bertscore-lexical", "da-bertscore-lexical", "wer"}
	if d := cmp.Diff(want, metrics); d != "" {
		t.Errorf("metrics (-want +got):\n%s", d)
	}
	c := got.Combination
	if got.LeftOut == nil || *got.LeftOut != "campaign" || c == nil || len(got.Terms) != 4 || len(got.Sets) != 4 {
		t.Fatalf("%s", stdout)
	}
	for name, parts := range map[string][]calibrate.PartJSON{"campaigns": c.Campaigns, "bands": c.Bands, "sets": c.Sets} {
		pairs, right := 0, 0.0
		for _, p := range parts {
			pairs += p.Pairs
			if p.Accuracy != nil {
				right += float64(p.Pairs) * *p.Accuracy
			}
			if (p.Pairs == 0) != (p.Accuracy == nil) || (p.Pairs == 0) != (p.LogLoss == nil) {
				t.Errorf("%s: %s has figures of %d pairs: %v", name, p.Name, p.Pairs, p.Accuracy)
			}
		}
		if pairs != 20 || math.Abs(right-20**c.All.Accuracy) > 1e-9 {
			t.Errorf("%s have %d pairs of which %v are right, want 20 and %v", name, pairs, right, 20**c.All.Accuracy)
		}
	}
}

// Of one campaign sets are left out, and of one set nothing is.
func TestCalibrateFew(t *testing.T) {
	dir := t.TempDir()
	clitest.CalibrationFolders(t, dir)
	stdout, _, status := clitest.Exec(t, clitest.Args(dir, "calibrate $T/one-de-en $T/one-en-de -m bleu --html $T/c.html --svg $T/c.svg")...)
	if status != 0 || !strings.Contains(stdout, "each set by what was fitted to the others, as all are of one campaign") {
		t.Errorf("status %d, %s", status, stdout)
	}
	stdout, _, status = clitest.Exec(t, clitest.Args(dir, "calibrate $T/alone -m bleu -o $T/c.json --html $T/c.html --svg $T/c.svg")...)
	if status != 0 || !strings.Contains(stdout, "one set, so nothing could be left out") {
		t.Errorf("status %d, %s", status, stdout)
	}
	clitest.CheckXML(t, dir+"/c.html", "nothing could be left out")
	clitest.CheckXML(t, dir+"/c.svg", "calibrated")
	c, err := preference.Open(dir + "/c.json")
	if err != nil {
		t.Fatal(err)
	}
	if c.HeldOut != nil || len(c.Sets) != 1 {
		t.Errorf("%+v", c)
	}
	stdout, _, status = clitest.Exec(t, clitest.Args(dir, "calibrate $T/alone -m bleu -f json")...)
	var got calibrate.CalibrationJSON
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != 0 || got.LeftOut != nil || got.Combination != nil || got.Hash == "" {
		t.Errorf("%v, status %d, %s", err, status, stdout)
	}
}

// A reference's name goes before --target-language, which is for those that tell no language.
func TestCalibrateLanguage(t *testing.T) {
	dir := t.TempDir()
	clitest.CalibrationFolder(t, dir+"/a-x", "ref.txt", "human.tsv", "s0\t2\ns1\t1\n", 8, 1)
	clitest.CalibrationFolder(t, dir+"/b-x", "ref.de", "human.tsv", "s0\t2\ns1\t1\n", 8, 2)
	_, stderr, status := clitest.Exec(t, clitest.Args(dir, "calibrate $T/a-x $T/b-x --target-language zh -o $T/c.json")...)
	if status != 0 {
		t.Fatal(stderr)
	}
	c, err := preference.Open(dir + "/c.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Records {
		switch r.Metric.Name {
		case "bleu", "bertscore-lexical":
			if got := calibrate.Field(&r.Metric, "tok"); got != "13a,zh" {
				t.Errorf("%s has tokenizers %s", r.Metric.Name, got)
			}
		case "meteor":
			if got := calibrate.Field(&r.Metric, "lang"); got != "de,zh" {
				t.Errorf("languages of METEOR are %s", got)
			}
		}
	}
}

// A model is opened once for all folders, and its vectors are what others take.
func TestCalibrateModel(t *testing.T) {
	dir := t.TempDir()
	clitest.CalibrationFolders(t, dir)
	stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, "calibrate $T/one-de-en $T/alone --base bertscore(backend=transformer,layer=1,model="+clitest.Tiny+") -m bleu -o $T/c.json")...)
	if status != 0 || !strings.Contains(stdout, "12 pairs") {
		t.Fatalf("status %d, %s%s", status, stdout, stderr)
	}
	c, err := preference.Open(dir + "/c.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := calibrate.Field(&c.Terms[0].Metric, "layer"); got != "1" || c.Terms[0].Metric.Name != "bertscore" {
		t.Errorf("%s of layer %s", c.Terms[0].Metric.Name, got)
	}
	// Lexical vectors can't stand in for the model.
	rank := "rank -r $Dref.de $Dsys/elder.txt $Dsys/cedar.txt --calibration $T/c.json "
	_, stderr, status = clitest.Exec(t, clitest.Args(dir, rank)...)
	if want := "--calibration " + dir + "/c.json: it is of bertscore over a model: name it, as in --base 'bertscore(backend=transformer,model=DIR)'\n"; status != 2 || !strings.HasSuffix(stderr, want) {
		t.Errorf("status %d, %s, want %s", status, stderr, want)
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, rank+"--base bertscore(backend=transformer,layer=1,model="+clitest.Tiny+")")...); status != 0 {
		t.Error(stderr)
	}
}

// A calibration in which lexical vectors are called bertscore is not one over a model.
func TestCalibrationRenamed(t *testing.T) {
	dir := t.TempDir()
	clitest.CalibrationFolders(t, dir)
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "calibrate $T/one-de-en $T/alone -m bleu -o $T/c.json")...); status != 0 {
		t.Fatal(stderr)
	}
	text, err := os.ReadFile(dir + "/c.json")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, dir+"/old.json", strings.ReplaceAll(string(text), "bertscore-lexical", "bertscore"))
	for _, options := range []string{"", "--base bertscore(backend=transformer,layer=1,model=" + clitest.Tiny + ")"} {
		_, stderr, status := clitest.Exec(t, clitest.Args(dir, "rank -r $Dref.de $Dsys/elder.txt $Dsys/cedar.txt --calibration $T/old.json "+options)...)
		if want := "--calibration " + dir + "/old.json: its bertscore is over lexical vectors"; status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s, want %s", options, status, stderr, want)
		}
	}
}

func TestCalibrateErrors(t *testing.T) {
	clitest.WithoutModels(t)
	dir := t.TempDir()
	clitest.CalibrationFolders(t, dir)
	folder := func(name string) string {
		clitest.CalibrationFolder(t, filepath.Join(dir, name), "ref.de", "human.tsv", "s0\t2\ns1\t1\n", 5, 1)
		return filepath.Join(dir, name)
	}
	clitest.Write(t, folder("both")+"/human-system.tsv", "s0\t2\ns1\t1\n")
	clitest.Write(t, folder("zipped")+"/human.tsv.gz", "s0\t2\ns1\t1\n")
	clitest.Write(t, folder("equal")+"/human.tsv", "s0\t1\ns1\t1\ns2\tNA\n")
	clitest.Write(t, folder("strange")+"/human.tsv", "x0\t1\nx1\t2\n")
	clitest.Write(t, folder("text")+"/human.tsv", "s0\tgood\ns1\tbad\n")
	clitest.Write(t, folder("short")+"/sys/s1.txt", "one\n")
	clitest.Write(t, folder("languages")+"/ref.en", "one\n")
	clitest.Write(t, folder("twice")+"/sys/s1.out", "a\nb\nc\nd\ne\n")
	clitest.Write(t, folder("long")+"/sys/s2.txt", strings.Repeat("rain ", 9)+"\na\nb\nc\nd\n")
	folder("more/alone")
	blank := folder("blank")
	for i := range 4 {
		clitest.Write(t, fmt.Sprintf("%s/sys/s%d.txt", blank, i), "\n\n\n\n\n")
	}
	for _, err := range []error{
		os.Remove(folder("none") + "/human.tsv"),
		os.Rename(folder("korean")+"/ref.de", dir+"/korean/ref.ko"),
		os.MkdirAll(dir+"/single/sys", 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	clitest.Write(t, dir+"/single/ref.de", "one\n")
	clitest.Write(t, dir+"/single/human.tsv", "a\t1\nb\t2\n")
	clitest.Write(t, dir+"/single/sys/a.txt", "one\n")
	for _, tt := range []struct{ line, want string }{
		{"", "requires at least 1 arg"},
		{"$T/nowhere", "$T/nowhere: no such folder"},
		{"$T/both", "$T/both: human.tsv and human-system.tsv are both people's scores of the systems: leave one of them out"},
		{"$T/zipped", "human.tsv and human.tsv.gz are both people's scores"},
		{"$T/none", "$T/none: no scores of systems by people in it: want human.tsv or human-system.tsv"},
		{"$T/single", "$T/single: one output in it ($T/single/sys/a.txt): want two systems at least"},
		{"$T/alone $T/equal", "$T/equal/human.tsv: no two of the outputs have different scores in it"},
		{"$T/alone $T/strange", "strange/human.tsv: no two of the outputs have different scores in it: its systems are x0, x1, the outputs' s0, s1, s2, s3"},
		{"$T/text", `human.tsv:1: the score of s0 is "good"`},
		{"$T/short", "s1.txt:2: missing line"},
		{"$T/languages", "$T/languages/ref.de and $T/languages/ref.en are not of one language"},
		{"$T/twice", "are both outputs of a system s1"},
		{"$T/long --max-tokens 8", "$T/long/sys/s2.txt:1: "},
		{"$T/blank", "the metrics tell no systems apart that people scored differently"},
		{"$T/korean", "korean: --target-language ko: tokenizer ko-mecab: "},
		{"$T/alone $T/more/alone", "$T/alone and $T/more/alone are both called alone"},
		{"$T/alone --base bleu", `no metric that matches tokens "bleu"`},
		{"$T/alone --combine bleau", `no metric to combine "bleau"`},
		{"$T/alone --combine chrf,bertscore", "--combine bertscore: it is the --base already"},
		{"$T/alone --note x", "--note is an option of --output"},
		{"$T/alone -o - -f json", "--output - prints the calibration in place of the figures"},
		{"$T/alone -o $T/alone/human.tsv", "-o $T/alone/human.tsv: that is also the file of FOLDER"},
		{"$T/alone --svg $T/alone/sys/s0.txt", "--svg $T/alone/sys/s0.txt: that is also the file of FOLDER"},
		{"$T/alone -m bleu(normalized)", `no option of bleu "normalized"`},
		{"$T/alone --base bertscore(backend=transformer)", "alone: bertscore(backend) needs a model"},
	} {
		_, stderr, status := clitest.Exec(t, clitest.Args(dir, "calibrate "+tt.line)...)
		if want := strings.ReplaceAll(tt.want, "$T", dir); status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %q, want %q", tt.line, status, stderr, want)
		}
	}
}

// That a language has no tokenizer is known before other sets are scored, of which the notes of
// their texts tell.
func TestCalibrateLanguageFirst(t *testing.T) {
	dir := t.TempDir()
	clitest.WithoutModels(t)
	clitest.CalibrationFolders(t, dir)
	if err := os.CopyFS(dir+"/korean", os.DirFS(dir+"/alone")); err != nil {
		t.Fatal(err)
	}
	refs, err := filepath.Glob(dir + "/korean/ref.*")
	if err != nil || len(refs) != 1 {
		t.Fatal(refs, err)
	}
	if err := os.Rename(refs[0], dir+"/korean/ref.ko"); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, dir+"/alone/sys/broken.txt", "\xff")
	_, stderr, status := clitest.Exec(t, clitest.Args(dir, "calibrate $T/alone $T/korean")...)
	if status != 2 || !strings.HasPrefix(stderr, "mteval: korean: --target-language ko: tokenizer ko-mecab: ") {
		t.Errorf("status %d, %q", status, stderr)
	}
}

func TestCalibrateInterrupted(t *testing.T) {
	dir := t.TempDir()
	clitest.CalibrationFolders(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stderr strings.Builder
	if status := root.Run(ctx, clitest.Args(dir, "calibrate $T/alone -o $T/c.json"), &strings.Builder{}, &stderr); status != root.Interrupted || stderr.String() != "mteval: interrupted\n" {
		t.Errorf("status %d, %s", status, stderr.String())
	}
	if _, err := os.Stat(dir + "/c.json"); err == nil {
		t.Error("a file was written")
	}
}

// No folder's name forges a row.
func TestCalibrateForged(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a\nbest\t99\x1b[2J-x")
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Skip("the file system does not take the name: ", err)
	}
	clitest.CalibrationFolder(t, name, "ref.de", "human.tsv", "s0\t2\ns1\t1\n", 8, 1)
	clitest.CalibrationFolder(t, dir+"/b", "ref.de", "human.tsv", "s0\t2\ns1\t1\n", 8, 2)
	for _, format := range []string{"text", "json"} {
		stdout, stderr, status := clitest.Exec(t, "calibrate", name, dir+"/b", "-m", "bleu", "-f", format)
		if status != 0 || strings.Contains(stdout+stderr, "\x1b") || strings.Contains(stdout, "\nbest") || !strings.Contains(stdout, `a\nbest\t99\u001b[2J`) {
			t.Errorf("%s: status %d, %q%q", format, status, stdout, stderr)
		}
	}
}

// Two sets of WMT19 by a program of its own, which reads the files and calls the library, and
// nothing of the command.
func TestCalibrateWMT19(t *testing.T) {
	if testing.Short() {
		t.Skip("scores 22 systems, and -short is given")
	}
	if race.Enabled {
		t.Skip("of numbers alone, and long under the race detector; TestCalibrate runs the same code")
	}
	kk, lt := shareddata.Path(t, "data", "wmt19-kk-en"), shareddata.Path(t, "data", "wmt19-lt-en")
	path := filepath.Join(t.TempDir(), "c.json")
	if _, stderr, status := clitest.Exec(t, "calibrate", kk, lt, "-o", path); status != 0 {
		t.Fatal(stderr)
	}
	c, err := preference.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	got := []float64{c.Terms[0].Weight, c.HeldOut.Accuracy, c.HeldOut.LogLoss, c.HeldOut.Brier, c.HeldOut.CalibrationError}
	for _, r := range c.Records {
		got = append(got, r.Weight)
	}
	want := []float64{
		0.11540321106532044, 0.9181818181818182, 0.25517525704122657, 0.07140146398969409, 0.10446588690025073,
		0.1453908125667664, 0.13144471134252572, 0.18068239369798308, 0.15337398378598485, 0.1646847565772271, 0.19362870486826927,
		0.16268338836048823, 0.1320758917245485, 0.1410528266574103,
	}
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-6, 0)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
