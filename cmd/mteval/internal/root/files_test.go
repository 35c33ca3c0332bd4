package root_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// No output may be an input or another output, under whatever name.
func TestOverwrite(t *testing.T) {
	dir := levelsFiles(t)
	clitest.JudgedFolder(t, dir+"/one", 8, 1)
	clitest.JudgedFolder(t, dir+"/two", 8, 2)
	for name, text := range map[string]string{
		"human.tsv": "hyp\t1\n", "system.tsv": "hyp\t1\nb\t2\nc\t3\n", "base.csv": "LAYER,P,R,F\n0,0,0,0\n", "p.json": "{}",
		"one/src.en": "", "a=b": levelsRef, "a=b.conllu": levelsRefParses,
	} {
		clitest.Write(t, dir+"/"+name, text)
	}
	for _, err := range []error{
		os.Mkdir(dir+"/new", 0o755), os.WriteFile(dir+"/new/function.words", nil, 0o644), os.WriteFile(dir+"/new/paraphrase.gz", nil, 0o644),
		os.Mkdir(dir+"/model", 0o755), os.WriteFile(dir+"/model/config.json", nil, 0o644), os.WriteFile(dir+"/model/model.safetensors", nil, 0o644),
		os.Mkdir(dir+"/model[1]", 0o755), os.WriteFile(dir+"/model[1]/config.json", nil, 0o644),
		os.Symlink("human.tsv", dir+"/link"), os.Link(dir+"/ref", dir+"/hard"),
	} {
		if err != nil {
			t.Skip("no links here: ", err)
		}
	}
	before := clitest.Snapshot(t, dir)
	const rank = "rank -r $T/ref --base wordf $T/hyp "
	for _, tt := range []struct{ line, by string }{
		{rank + "--html $T/ref", "-r"},
		{rank + "--html $T/hard", "-r ($T/ref)"},
		{rank + "--html $T/one/../hyp", "SYS ($T/hyp)"},
		{rank + "--segments-format tsv --segments $T/hyp", "SYS"},
		{rank + "--human $T/human.tsv --html $T/link", "--human ($T/human.tsv)"},
		{rank + "--html $T/x.tsv --segments $T/x.tsv", "--segments"},
		{rank + "-m dreem --parses $T/ref=$T/ref.conllu --html $T/ref.conllu", "--parses"},
		{rank + "-m dreem --parses $T/a=b=$T/a=b.conllu --html $T/a=b.conllu", "--parses"},
		{rank + "-m dreem --parses $T/a=b=$T/a=b.conllu --html $T/a=b", "--parses"},
		{rank + "-m dreem(trees=$T/ref=$T/ref.penn) --html $T/ref.penn", "dreem(trees)"},
		{rank + "-m dreem(vectors=$T/nan.vec) --html $T/nan.vec", "dreem(vectors)"},
		{rank + "-m dreem(autoencoder=$T/nan.vec) --html $T/nan.vec", "dreem(autoencoder)"},
		{rank + "-m dreem(model=$T/nan.vec) --html $T/nan.vec", "dreem(model)"},
		{rank + "-m meteor(jar=$T/nan.vec) --html $T/nan.vec", "meteor(jar)"},
		{rank + "-m meteor(paraphrases=$T/nan.vec) --html $T/nan.vec", "meteor(paraphrases)"},
		{rank + "-m meteor(function-words=$T/nan.vec) --html $T/nan.vec", "meteor(function-words)"},
		{rank + "-m meteor(new=$T/new) --html $T/new/paraphrase.gz", "meteor(new)"},
		{rank + "-m meteor --parameters $T/p.json --html $T/p.json", "--parameters"},
		{rank + "-m bertscore(baseline=$T/base.csv) --html $T/base.csv", "bertscore(baseline)"},
		{rank + "-m bertscore(backend=transformer,model=$T/model) --html $T/model/config.json", "bertscore(model)"},
		{rank + "-m bertscore(backend=transformer,model=$T/model[1]) --html $T/model[1]/config.json", "bertscore(model)"},
		{"score -r $T/ref --html $T/ref $T/hyp", "-r"},
		{"score -r $T/ref --html $T/hyp $T/hyp", "HYP"},
		{"score -r $T/ref --html $T/hyp a=$T/hyp", "HYP"},
		{"score $T/ref -i $T/hyp --html $T/ref", "REF"},
		{"score $T/ref -i $T/hyp --html $T/hyp", "-i"},
		{"score -r $T/ref --source $T/source --html $T/source $T/hyp", "--source"},
		{"score -r $T/ref --paired bs --calibration $T/p.json --html $T/p.json $T/hyp $T/one/ref.en", "--calibration"},
		{"study -r $T/ref --human $T/human.tsv --html $T/ref $T/hyp", "-r"},
		{"study -r $T/ref --human $T/human.tsv --html $T/human.tsv $T/hyp", "--human"},
		{"study -r $T/ref --human $T/human.tsv --html $T/hyp $T/hyp", "SYS"},
		{"meta --human $T/system.tsv --scores $T/human.tsv --html $T/system.tsv", "--human"},
		{"meta --human-system $T/system.tsv --scores $T/human.tsv --html $T/system.tsv", "--human-system"},
		{"meta --human $T/system.tsv --scores $T/human.tsv --html $T/link", "--scores ($T/human.tsv)"},
		{"calibrate $T/one $T/two -o $T/one/ref.en", "FOLDER"},
		{"calibrate $T/one $T/two --html $T/two/sys/s2.txt", "FOLDER"},
		{"calibrate $T/one $T/two --svg $T/two/human-system.tsv", "FOLDER"},
		{"calibrate $T/one $T/two -o $T/one/src.en", "FOLDER"},
		{"calibrate $T/one $T/two -o $T/two/human-segment.tsv", "FOLDER"},
		{"calibrate $T/one $T/two -o $T/x --svg $T/x", "-o"},
		{"tune -r $T/one/ref.en --human $T/one/human-segment.tsv $T/one/sys/s0.txt -o $T/one/ref.en", "-r"},
		{"tune -r $T/one/ref.en --human $T/one/human-segment.tsv $T/one/sys/s0.txt -o $T/one/sys/s0.txt", "SYS"},
		{"tune -r $T/one/ref.en --human $T/one/human-segment.tsv $T/one/sys/s0.txt -o $T/one/human-segment.tsv", "--human"},
		{"tune --data $T/one -o $T/one/human-segment-darr.tsv", "--data"},
		{"tune --data $T/one -o $T/one/ref.en", "--data"},
		{"tune --data $T/one --html $T/one/ref.en", "--data"},
		{"tune --data $T/one -o $T/x --html $T/x", "-o"},
		{"tune --data $T/one --objective pearson -o $T/one/human-segment-darr.tsv", "--data"},
		{"tune --data $T/one -o $T/one/src.en", "--data"},
		{"tune --data $T/one --test $T/two -o $T/two/sys/s2.txt", "--test"},
		{"tune --objective pearson --data $T/human.tsv -o $T/link", "--data ($T/human.tsv)"},
		{"tune --data $T/one --parameters $T/p.json -o $T/p.json", "--parameters"},
	} {
		stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, tt.line)...)
		if want := "that is also the file of " + strings.ReplaceAll(tt.by, "$T", dir) + ";"; tt.by != "--parameters" && !strings.Contains(stderr, want) || status != 2 || stdout != "" {
			t.Errorf("%s: status %d, %q, want %s", tt.line, status, stderr, want)
		}
		if d := cmp.Diff(before, clitest.Snapshot(t, dir)); d != "" {
			t.Fatalf("%s: files changed:\n%s", tt.line, d)
		}
	}
}

// An output that can't be written is status 1, told before the work, and leaves all as it was.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	clitest.JudgedFolder(t, dir+"/one", 8, 1)
	clitest.Write(t, dir+"/readonly", "old")
	clitest.StreamSample(t, dir+"/in.tsv", 1)
	if err := os.Chmod(dir+"/readonly", 0o444); err != nil {
		t.Fatal(err)
	}
	before := clitest.Snapshot(t, dir)
	commands := []string{
		clitest.RankSample + "--html", clitest.RankSample + "--segments-format tsv --segments",
		"meta --human $Dhuman.tsv --scores " + clitest.MetaSample + "systems.tsv --html", "tune --data $T/one -o",
		"score -r $Dref.de $Dsys/aspen.txt --html", "study -r $Dref.de --human $Dhuman.tsv -m chrf --samples 20 $Dsys/*.txt --html", "tune --data $T/one --html",
		"calibrate $T/one -m bleu -o", "calibrate $T/one -m bleu --html", "calibrate $T/one -m bleu --svg",
		"stream $T/in.tsv -o",
	}
	for _, line := range commands {
		targets := []string{"$T", "$T/no/such", "$T/readonly/x", "$T/" + strings.Repeat("x", 300)}
		if os.Getuid() != 0 {
			targets = append(targets, "$T/readonly")
		}
		if runtime.GOOS == "linux" {
			targets = append(targets, "/dev/full", "/proc/x")
		}
		for _, target := range targets {
			// A device is not opened before it is written, after the work.
			if target == "/dev/full" && strings.HasPrefix(line, "tune") {
				continue
			}
			stdout, stderr, status := clitest.Exec(t, clitest.Args(dir, line+" "+target)...)
			if status != 1 || stdout != "" || !strings.Contains(stderr, "write "+strings.ReplaceAll(target, "$T", dir)+": ") {
				t.Errorf("%s %s: status %d, %q, %q", line, target, status, stdout, stderr)
			}
		}
	}
	if d := cmp.Diff(before, clitest.Snapshot(t, dir)); d != "" {
		t.Errorf("files changed:\n%s", d)
	}
}

// The texts are named as they are where they are scored.
func TestEqualsInPath(t *testing.T) {
	dir := levelsFiles(t)
	t.Chdir(dir)
	clitest.Write(t, "lr=0.1.txt", levelsHyp)
	clitest.Write(t, "lr.conllu", levelsHypParses)
	want, _, _ := clitest.Exec(t, "score", "-r", "ref", "-m", "multilevel-meteor", "-b", "--parses", "ref=ref.conllu", "--parses", "hyp=hyp.conllu", "hyp")
	got, stderr, status := clitest.Exec(t, "score", "-r", "ref", "-m", "multilevel-meteor", "-b", "--parses", "ref=ref.conllu", "--parses", "lr=0.1.txt=lr.conllu", "lr=0.1.txt")
	if status != 0 || got != want || want == "" {
		t.Errorf("status %d, %q, %q, want %q", status, got, stderr, want)
	}
}
