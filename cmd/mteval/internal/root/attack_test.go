//go:build linux

package root_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/root"
)

// An attack is a run of the command that was built, with what it must not do. In its line $A
// is the folder of the files that all share, $T one of its own, $D the sample data, and $F and
// $E are forgedFile and forgedEnd.
type attack struct {
	name, line string
	status     int
	stderr     string // in standard error
	mebi       int    // MiB that it may have in memory at once
	// signal is sent once it runs for a while.
	signal syscall.Signal
	stdout string // a file to write to
	// check looks at the result.
	check func(t *testing.T, dir, stdout, stderr string)
}

const (
	// addresses is how much memory a process may ask for, in KiB. Go's runtime asks for
	// more than it uses.
	addresses = 4 << 20
	// deadline is more than any attack takes on a busy machine.
	deadline = 2 * time.Minute
)

// Names with line ends, tabs, and what moves a terminal's cursor or turns its text around.
const (
	forgedEnd  = "\n\x1b[2J\u202e\u009b"
	forgedFile = "forged" + forgedEnd + "/s1\nbest\t100"
)

// Hostile input ends with a message and bounded memory, or is scored. The command runs in a
// process of its own with little memory, whose peak is read.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute, and -short is given")
	}
	shared := attackFiles(t)
	command := filepath.Join(shared, "mteval")
	if out, err := osexec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := osexec.Command("sh", "-c", fmt.Sprintf("ulimit -v %d && exec %s --version", addresses, command)).CombinedOutput(); err != nil {
		t.Skipf("no process with a limit of memory here: %v: %s", err, out)
	}
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			a.run(t, command, shared)
		})
	}
}

func (a attack) run(t *testing.T, command, shared string) {
	dir := t.TempDir()
	for _, name := range []string{"pipe", "pipe2"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	peakFile := filepath.Join(dir, "peak")
	line := []string{"-test.run=^TestAttackProcess$", "--", "-c", fmt.Sprintf(`ulimit -v %d && exec "$0" "$@"`, addresses), command}
	for _, word := range clitest.Args(dir, a.line) {
		line = append(line, strings.NewReplacer("$A", shared, "$F", forgedFile, "$E", forgedEnd).Replace(word))
	}
	c := osexec.Command(os.Args[0], line...)
	c.Env = append(os.Environ(), "MTEVAL_ATTACK="+peakFile, fmt.Sprintf("MTEVAL_SIGNAL=%d", a.signal))
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if a.stdout != "" {
		f, err := os.OpenFile(a.stdout, os.O_WRONLY, 0)
		if err != nil {
			t.Skip("there is no such device here: ", err)
		}
		defer f.Close()
		c.Stdout = f
	}
	err := c.Run()
	if exit := (*osexec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := c.ProcessState.ExitCode(); got != a.status {
		t.Errorf("status %d, want %d (255: it did not end): %.1000s", got, a.status, stderr.String())
	}
	if !strings.Contains(stderr.String(), strings.NewReplacer("$A", shared, "$T", dir).Replace(a.stderr)) {
		t.Errorf("standard error is %.1000q, want %s", stderr.String(), a.stderr)
	}
	if a.status != 0 && stdout.Len() > 0 {
		t.Errorf("printed %.1000s", stdout.String())
	}
	text, err := os.ReadFile(peakFile)
	if err != nil {
		t.Fatal(err)
	}
	peak, err := strconv.Atoi(string(text))
	if err != nil || peak > a.mebi {
		t.Errorf("%s MiB of memory, want %d at most", text, a.mebi)
	}
	t.Logf("%d MiB of memory; %.300s", peak, stderr.String())
	if a.check != nil {
		a.check(t, dir, stdout.String(), stderr.String())
	}
}

// TestAttackProcess is the process that runs the command for an attack. Linux counts among a
// program's memory that of the process which started it, here one of little memory.
func TestAttackProcess(t *testing.T) {
	peakFile := os.Getenv("MTEVAL_ATTACK")
	if peakFile == "" {
		t.Skip("TestAttacks runs it")
	}
	c := osexec.Command("sh", flag.Args()...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(deadline, func() { c.Process.Kill() })
	if n, _ := strconv.Atoi(os.Getenv("MTEVAL_SIGNAL")); n != 0 {
		time.AfterFunc(time.Second, func() { c.Process.Signal(syscall.Signal(n)) })
	}
	c.Wait()
	peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	if err := os.WriteFile(peakFile, []byte(strconv.FormatInt(int64(peak), 10)), 0o644); err != nil {
		t.Fatal(err)
	}
	os.Exit(c.ProcessState.ExitCode())
}

func attacks() []attack {
	var out []attack
	add := func(as ...attack) { out = append(out, as...) }
	// Texts of 20,000 words, of other words and of the same, and of one word.
	for _, m := range []string{"bleu", "chrf", "ter", "wordf", "wer", "mer", "wil", "cer", "per", "meteor", "dreem", "multilevel-meteor"} {
		add(attack{name: m + " of long texts", line: "score -r $A/long -m " + m + " $A/other $A/same $A/one", mebi: 300})
	}
	add(attack{name: "bertscore of long texts", line: "score -r $A/long5 -m bertscore $A/other5", mebi: 300})
	// Of 200,000 words.
	for _, m := range []string{"bleu", "chrf", "ter", "wer", "mer", "wil", "cer", "meteor", "multilevel-dreem", "bertscore"} {
		add(attack{name: m + " of texts that are too long", line: "score -r $A/huge -m " + m + " $A/huge2", status: 2, mebi: 700,
			stderr: "mteval: $A/huge:2: text is too long: "})
	}
	// A line of tokens of a byte each, in every command.
	const tooLong = "$A/dots:2: text is too long: 1500000 tokens, more than the limit of 100000 (--max-tokens)\n"
	for _, line := range []string{
		"score -r $A/short2 -m bertscore-lexical $A/dots", "score -r $A/dots -m bertscore(idf) $A/s1", "score -r $A/short2 -m dreem $A/dots",
		"rank -r $A/short2 $A/dots $A/s1", "rank -r $A/dots $A/s1 $A/s2", "study -r $A/short2 -m bertscore --human $A/human3.tsv huge2=$A/dots $A/s1 $A/s2",
		"select -r $A/short2 -n 1 --method difficulty $A/dots $A/s1",
	} {
		add(attack{name: "dots: " + line, line: line, status: 2, mebi: 150, stderr: tooLong})
	}
	add(attack{name: "dots in a stream", line: "stream --no-header --hypothesis 1 -r 1 -m bertscore-lexical -o $T/out.tsv $A/dots", status: 2, mebi: 150,
		stderr: "$A/dots:2: bertscore-lexical: reference: text is too long: 1500000 tokens, more than the limit of 100000 (--max-tokens)"})
	for _, m := range []string{"bleu", "ter", "wer", "mer", "wil", "cer", "meteor", "chrf"} {
		add(attack{name: m + " of equal texts that are too long", line: "score -r $A/huge -m " + m + " --max-tokens 0 $A/huge", mebi: 300})
	}
	add(
		attack{name: "an output that is too long", line: "rank -r $A/short2 -m bleu --base wordf --max-tokens 150000 $A/huge2 $A/s1", status: 2, mebi: 600,
			stderr: "mteval: $A/huge2:2: text is too long: 200000 tokens, more than the limit of 150000 (--max-tokens)\n"},
		attack{name: "an output that is too long, of three", line: "study -r $A/short2 -m wordf --human $A/human3.tsv $A/huge2 $A/s1 $A/s2", status: 2, mebi: 300,
			stderr: "mteval: $A/huge2:2: text is too long: 200000 tokens, more than the limit of 100000 (--max-tokens)\n"},
		attack{name: "too long a text to tune with", line: "tune -r $A/short2 --human $A/human3.tsv --objective system-pearson $A/s1 $A/huge2 $A/s2", status: 2, mebi: 300,
			stderr: "mteval: $A/huge2:2: text is too long: 200000 tokens, more than the limit of 100000 (--max-tokens)\n"},
	)
	// Numbers that no one means.
	for _, v := range []string{"4611686018427387904", "-9223372036854775808", "1000000000"} {
		for flag, line := range map[string]string{
			"--width": "score -r $Dref.de $Dsys/aspen.txt", "--confidence-n": "score -r $Dref.de --confidence $Dsys/aspen.txt",
			"--paired-n":        "score -r $Dref.de --paired ar $Dsys/aspen.txt $Dsys/birch.txt",
			"--chrf-char-order": "score -r $Dref.de -m chrf $Dsys/aspen.txt", "--chrf-word-order": "score -r $Dref.de -m chrf $Dsys/aspen.txt",
			"bleu(max-ngram-order": "score -r $Dref.de $Dsys/aspen.txt", "meteor(beam": "score -r $Dref.de $Dsys/aspen.txt",
			"multilevel-meteor(levels": "score -r $Dref.de $Dsys/aspen.txt", "--top": "rank -r $Dref.de --human $Dhuman.tsv $Dsys/*.txt",
			"--samples": "study -r $Dref.de --human $Dhuman.tsv $Dsys/*.txt", "--folds": "tune --data $A/judged", "--restarts": "tune --data $A/judged",
			"--evaluations": "tune --data $A/judged",
			"bertscore(backend=transformer,model=../../backend/transformer/testdata/bert,layer": "score -r $Dref.de $Dsys/aspen.txt",
		} {
			given := flag + " " + v
			if strings.Contains(flag, "(") { // an option of a metric
				given = "-m " + flag + "=" + v + ")"
			}
			add(attack{name: flag + " " + v, line: line + " " + given, status: 2, mebi: 150, stderr: v})
		}
	}
	// Outputs over inputs, and where nothing can be written.
	add(
		attack{name: "page over scores", line: "meta --human $A/human3.tsv --scores $A/human3.tsv --html $A/human3.tsv", status: 2, mebi: 100, stderr: "that is also the file of --human"},
		attack{name: "parameters over a reference", line: "tune --data $A/judged -o $A/judged/ref.en", status: 2, mebi: 100, stderr: "that is also the file of --data"},
		attack{name: "page over a model", line: "rank -r $Dref.de --base bertscore(backend=transformer,model=../../backend/transformer/testdata/bert) --html ../../backend/transformer/testdata/bert/vocab.txt $Dsys/aspen.txt $Dsys/birch.txt",
			status: 2, mebi: 100, stderr: "that is also the file of bertscore(model)"},
		attack{name: "no folder", line: "rank -r $Dref.de --html $T/no/page.html $Dsys/aspen.txt $Dsys/birch.txt", status: 1, mebi: 100, stderr: "--html: write $T/no/page.html: "},
		attack{name: "a folder", line: "tune --data $A/judged -o $T", status: 1, mebi: 100, stderr: "-o: write $T: "},
		attack{name: "full device", line: "score -r $Dref.de $Dsys/aspen.txt", stdout: "/dev/full", status: 1, mebi: 100, stderr: "no space left"},
		attack{name: "full device, page", line: "rank -r $Dref.de --html /dev/full $Dsys/aspen.txt $Dsys/birch.txt", status: 1, mebi: 150, stderr: "write /dev/full: no space left"},
		attack{name: "full device, help", line: "--help", stdout: "/dev/full", status: 1, mebi: 100, stderr: "no space left"},
		attack{name: "full device, version", line: "--version", stdout: "/dev/full", status: 1, mebi: 100, stderr: "no space left"},
		attack{name: "page to standard output", line: "rank -r $Dref.de --html /dev/stdout $Dsys/aspen.txt $Dsys/birch.txt", mebi: 150,
			check: func(t *testing.T, _, stdout, _ string) {
				if !strings.HasPrefix(stdout, "<!") || !strings.Contains(stdout, "\nbertscore-lexical: ") {
					t.Errorf("%.300s", stdout)
				}
			}},
	)
	// Names that forge.
	for _, format := range []string{"text", "tsv", "latex", "json", "sacrebleu-json"} {
		add(attack{name: "forged name, " + format, line: "score -r $A/short2 --format " + format + " $A/$F $A/s1", mebi: 100,
			check: func(t *testing.T, _, stdout, _ string) {
				if strings.ContainsAny(stdout, "\x1b\u202e") || strings.Contains(stdout, "\nbest") || strings.Contains(stdout, "best\t") {
					t.Errorf("%q", stdout)
				}
			}})
	}
	add(attack{name: "forged name, error", line: "score -r $A/short2 $A/no$E", status: 2, mebi: 100, stderr: `no\n\u001b[2J\u202e\u009b: no such file`})
	// Signals while it waits or works.
	for _, line := range []string{
		"score -r $T/pipe $Dsys/aspen.txt", "score -r $Dref.de -m meteor --parameters $T/pipe $Dsys/aspen.txt",
		"score -r $Dref.de -m dreem(vectors=$T/pipe) $Dsys/aspen.txt", "rank -r $Dref.de --html $T/pipe $Dsys/aspen.txt $Dsys/birch.txt",
		"meta --human-format systems --human $T/pipe --scores $A/human3.tsv",
		"score -r $A/long -m bertscore $A/other", "score -r $A/huge -m ter,cer,mer --max-tokens 0 $A/huge2",
		"score -r $A/long -m meteor,chrf --max-tokens 0 $A/words $A/huge1",
		"tune --data $A/judged --restarts 10000 --evaluations 1000000",
		"study -r $Dref.de --human $Dhuman.tsv --samples 1000000 $Dsys/aspen.txt $Dsys/birch.txt $Dsys/cedar.txt $Dsys/elder.txt",
	} {
		add(attack{name: "interrupted " + line, line: line, signal: syscall.SIGINT, status: root.Interrupted, mebi: 900, stderr: "mteval: interrupted\n"})
	}
	add(attack{name: "terminated", line: "score -r $A/long -m bertscore $A/other", signal: syscall.SIGTERM, status: root.Interrupted, mebi: 300, stderr: "mteval: interrupted\n"},
		attack{name: "interrupted with a page", line: "rank -r $Dref.de --segments $T/out.tsv --html $T/pipe $Dsys/aspen.txt $Dsys/birch.txt", signal: syscall.SIGINT, status: root.Interrupted, mebi: 200,
			check: func(t *testing.T, dir, _, _ string) {
				entries, err := os.ReadDir(dir)
				if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".tmp") }) {
					t.Errorf("%v, %v", entries, err)
				}
			}})
	// Files that ask for more than they are.
	const model = "score -r $A/short2 -m bertscore(backend=transformer,layer=1,model=$A/"
	add(
		attack{name: "vectors", line: "score -r $A/short2 -m dreem(vectors=$A/vectors.txt) $A/s1", mebi: 100, stderr: "$A/vectors.txt: 2 rows"},
		attack{name: "vectors that expand", line: "score -r $A/short2 -m dreem(vectors=$A/zeros.gz) $A/s1", status: 2, mebi: 300, stderr: "zeros.gz"},
		attack{name: "paraphrases that expand", line: "score -r $A/short2 -m meteor(paraphrases=$A/zeros.gz) $A/s1", status: 2, mebi: 300, stderr: "zeros.gz"},
		attack{name: "a jar that expands", line: "score -r $A/short2 -m meteor(jar=$A/zeros.jar) $A/s1", status: 2, mebi: 300, stderr: "zeros.jar"},
		attack{name: "function words that expand", line: "score -r $A/short2 -m meteor(function-words=$A/zeros.gz) $A/s1", status: 2, mebi: 200, stderr: "zeros.gz:1: too large to be read: a line of more than 16777216 bytes"},
		attack{name: "endless function words", line: "score -r $A/short2 -m meteor(function-words=/dev/zero) $A/s1", status: 2, mebi: 200, stderr: "/dev/zero:1: too large to be read: a line of more than 16777216 bytes"},
		attack{name: "endless parses", line: "score -r $A/short2 -m multilevel-meteor --parses $A/s1=/dev/zero $A/s1", status: 2, mebi: 100, stderr: "/dev/zero:1: a line of more than"},
		attack{name: "endless parameters", line: "score -r $A/short2 -m meteor --parameters /dev/zero $A/s1", status: 2, mebi: 200, stderr: "/dev/zero: more than"},
		attack{name: "a parameter without a value", line: "score -r $A/short2 -m meteor --parameters $A/novalue.json $A/s1", status: 2, mebi: 100, stderr: "novalue.json:"},
		attack{name: "a normalizer that expands", line: model + "prepend) $A/s1", status: 2, mebi: 700, stderr: "prepend/tokenizer.json"},
		attack{name: "a template that is too long", line: model + "template) $A/s1", status: 2, mebi: 100, stderr: "template: the tokenizer puts 600 special pieces"},
		attack{name: "tensors that overlap", line: model + "overlap) $A/s1", status: 2, mebi: 150, stderr: "overlap/model.safetensors"},
		attack{name: "a model that calls", line: model + "calls) $A/s1", status: 2, mebi: 100, stderr: `calls/pytorch_model.bin: byte 47: instruction 0x63: names "posix.system", which is no part of a model's weights, and is refused`},
		attack{name: "a model without end", line: model + "doubles) $A/s1", status: 2, mebi: 300, stderr: "doubles/pytorch_model.bin: more than"},
		attack{name: "a large index", line: model + "index) $A/s1", status: 2, mebi: 400, stderr: "index/model"},
		attack{name: "a word of 50 MB", line: model + "vocab) $A/s1", status: 2, mebi: 500, stderr: "vocab/vocab.txt"},
		attack{name: "scores of 1e308", line: "rank -r $A/short2 --human $A/large.tsv $A/s1 $A/s2 $A/s3", status: 2, mebi: 100, stderr: `large.tsv:1: the score of s1 is "1e308", too large`},
	)
	const learned = "score -r $A/short2 --source $A/short2 -m comet(model="
	add(
		attack{name: "comet of long texts", line: "score -r $A/long --source $A/other -m comet(model=" + clitest.CometModels + "wmt22) $A/same", mebi: 200, stderr: "longer than the model's 24 tokens"},
		attack{name: "cometkiwi of long texts", line: "score --source $A/huge -m comet(model=" + clitest.CometModels + "kiwi) $A/huge2", mebi: 300, stderr: "longer than the model's 24+26 tokens"},
		attack{name: "endless sources", line: "score -r $A/short2 --source /dev/zero -m comet(model=" + clitest.CometModels + "wmt22) $A/s1", status: 2, mebi: 400, stderr: "/dev/zero:1: too large to be read"},
		attack{name: "interrupted sources", line: "score -r $A/short2 --source $T/pipe -m comet(model=" + clitest.CometModels + "wmt22) $A/s1", signal: syscall.SIGINT, status: root.Interrupted, mebi: 100, stderr: "mteval: interrupted\n"},
		attack{name: "a checkpoint that calls", line: learned + "$A/comet-calls) $A/s1", status: 2, mebi: 100, stderr: "is refused"},
		attack{name: "a checkpoint that is cut", line: learned + "$A/comet-cut) $A/s1", status: 2, mebi: 100, stderr: "comet-cut/checkpoints/model.ckpt"},
		attack{name: "a checkpoint of zeros", line: learned + "$A/comet-zeros) $A/s1", status: 2, mebi: 100, stderr: "comet-zeros/checkpoints/model.ckpt"},
		attack{name: "settings that expand", line: learned + "$A/comet-yaml) $A/s1", status: 2, mebi: 200, stderr: "comet-yaml/hparams.yaml"},
		attack{name: "settings that are too large", line: learned + "$A/comet-large) $A/s1", status: 2, mebi: 100, stderr: "comet-large/hparams.yaml"},
		attack{name: "an encoder elsewhere", line: learned + "$A/comet-away) $A/s1", status: 2, mebi: 100, stderr: "encoder"},
		attack{name: "page over a checkpoint", line: "rank -r $Dref.de --source $Dsrc.en -m comet(model=" + clitest.CometModels + "wmt22) --html " + clitest.CometModels + "wmt22/checkpoints/model.ckpt $Dsys/aspen.txt $Dsys/birch.txt",
			status: 2, mebi: 100, stderr: "that is also the file of comet(model)"},
		attack{name: "page over sources", line: "rank -r $Dref.de --source $A/short2 -m comet(model=" + clitest.CometModels + "wmt22) --html $A/short2 $Dsys/aspen.txt $Dsys/birch.txt",
			status: 2, mebi: 100, stderr: "that is also the file of --source"},
	)
	// Texts and tables that do not end, or hold a thousand times what they are.
	for _, line := range []string{
		"score -r $F $A/s1", "score -r $A/short2 $F", "rank -r $A/short2 --human $F $A/s1 $A/s2", "study -r $A/short2 --human $F $A/s1 $A/s2 $A/s3",
		"meta --human $F --scores $A/human3.tsv", "meta --human-system $F --scores $A/human3.tsv", "meta --human $A/human3.tsv --scores $F",
		"tune -m meteor --objective pearson --data $F", "tune -m meteor -r $A/short2 --human $F $A/s1 $A/s2",
		"score -r $A/short2 -m multilevel-meteor --parses $F=$A/s1 $A/s1",
	} {
		for _, file := range []string{"/dev/zero", "$A/zeros.gz"} {
			line := strings.ReplaceAll(line, "$F", file)
			add(attack{name: "endless " + line, line: line, status: 2, mebi: 400, stderr: file + ":1: too large to be read: a line of more than 67108864 bytes"})
		}
		if !strings.Contains(line, "--parses") {
			add(attack{name: "limited " + line, line: strings.ReplaceAll(line, "$F", "/dev/zero") + " --max-line 1000", status: 2, mebi: 100,
				stderr: "/dev/zero:1: too large to be read: a line of more than 1000 bytes (--max-line)\n"})
		}
	}
	add(attack{name: "lines that expand", line: "score -r $A/yes.gz $A/s1", status: 2, mebi: 1200, stderr: "it expands to more than 100 times its size"})
	return out
}

// attackFiles writes the files of attacks that can be shared.
func attackFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	words := func(n, step int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "w%d ", i*step%(n+7))
		}
		return b.String() + "\n"
	}
	tiny := func(name string) []byte {
		data, err := os.ReadFile("../../backend/transformer/testdata/bert/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, text := range map[string]string{
		"long": words(20_000, 3), "other": words(20_000, 7), "same": words(20_000, 3), "one": strings.Repeat("a ", 20_000) + "\n",
		"long5": words(5_000, 3), "other5": words(5_000, 7), "words": strings.Repeat("a", 20_000) + "\n", "huge1": words(200_000, 3),
		"dots": "short\n" + strings.Repeat(".", 1_500_000) + "\n",
		"huge": "short\n" + words(200_000, 3), "huge2": "short\n" + words(200_000, 7),
		"short2": "one two three\nfour five six\n", "s1": "one two three\nfour five\n", "s2": "one two\nfour five\n", "s3": "one\nfour\n",
		forgedFile:   "one two three\nfour five six\n",
		"human3.tsv": "s1\t1\ns2\t2\nhuge2\t3\n", "large.tsv": "s1\t1e308\ns2\t1\ns3\t2\n",
		"vectors.txt":     "\ufeffone 1 2 3\ntwo 1 3 2\none 9 9 9\ntwo 9 9 9\nthree 3 2 1\n",
		"novalue.json":    `{"version": 1, "metric": "meteor", "parameters": [{"name": "alpha", "start": 1, "fitted": true}], "figures": {}}`,
		"vocab/vocab.txt": string(tiny("vocab.txt")) + strings.Repeat("a", 50_000_000) + "\n",
		"index/model.safetensors.index.json": `{"weight_map": {"a": "model-0.safetensors"` + func() string {
			var b strings.Builder
			for i := range 300_000 {
				fmt.Fprintf(&b, `,"t%d":"model-%d.safetensors"`, i, i%7)
			}
			return b.String()
		}() + "}}",
	} {
		clitest.Write(t, file(name), text)
	}
	clitest.JudgedFolder(t, filepath.Join(dir, "judged"), 20, 1)
	// Programs in the form of PyTorch before 1.6, after its magic number, version and sizes.
	const torch = "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}X\r\x00\x00\x00little_endian\x88s.\x80\x02"
	clitest.Write(t, file("calls/pytorch_model.bin"), torch+"cposix\nsystem\nX\x02\x00\x00\x00ls\x85R.\x80\x02].")
	clitest.Write(t, file("doubles/pytorch_model.bin"), torch+"N"+strings.Repeat("2\x86", 90)+".\x80\x02].")
	for _, folder := range []string{"calls", "doubles"} {
		clitest.Write(t, file(folder+"/config.json"), string(tiny("config.json")))
	}
	for _, folder := range []string{"prepend", "template", "overlap", "index", "vocab"} {
		for _, name := range []string{"config.json", "model.safetensors", "vocab.txt"} {
			if path := file(folder + "/" + name); !(folder == "vocab" && name == "vocab.txt") && !(folder == "index" && name == "model.safetensors") {
				clitest.Write(t, path, string(tiny(name)))
			}
		}
	}
	cometFiles(t, file)
	vocab := make(map[string]int)
	for i, w := range strings.Fields(string(tiny("vocab.txt"))) {
		vocab[w] = i
	}
	tokenizer := func(name string, normalizer, template any) {
		data, err := json.Marshal(map[string]any{
			"model":      map[string]any{"type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
			"normalizer": normalizer, "pre_tokenizer": map[string]any{"type": "BertPreTokenizer"}, "post_processor": template,
		})
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, file(name+"/tokenizer.json"), string(data))
	}
	var prepends, pieces []any
	for range 50 {
		prepends = append(prepends, map[string]any{"type": "Prepend", "prepend": strings.Repeat("a", 1_000_000)})
	}
	for range 600 {
		pieces = append(pieces, map[string]any{"SpecialToken": map[string]any{"id": "[CLS]", "type_id": 0}})
	}
	pieces = append(pieces, map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}})
	tokenizer("prepend", map[string]any{"type": "Sequence", "normalizers": prepends}, nil)
	tokenizer("template", nil, map[string]any{"type": "TemplateProcessing", "single": pieces, "pair": pieces,
		"special_tokens": map[string]any{"[CLS]": map[string]any{"id": "[CLS]", "ids": []int{vocab["[CLS]"]}, "tokens": []string{"[CLS]"}}}})

	// 2,400 tensors of the same 4 MB, which are 9.8 GB.
	const size = 4 << 20
	tensors := make(map[string]any)
	for i := range 2400 {
		tensors[fmt.Sprintf("t%d", i)] = map[string]any{"dtype": "F32", "shape": []int{size / 4}, "data_offsets": []int{0, size}}
	}
	header, err := json.Marshal(tensors)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, file("overlap/model.safetensors"), string(binary.LittleEndian.AppendUint64(nil, uint64(len(header))))+string(header)+strings.Repeat("\x00", size))

	// Zeros, 2 GiB of them in some MB, as gzip and as an entry of a jar.
	zeros := make([]byte, 1<<24)
	var part bytes.Buffer
	z, err := gzip.NewWriterLevel(&part, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(zeros)
	z.Close()
	clitest.Write(t, file("zeros.gz"), strings.Repeat(part.String(), 128))
	part.Reset()
	z.Reset(&part)
	z.Write(bytes.Repeat([]byte("y\n"), len(zeros)/2))
	z.Close()
	clitest.Write(t, file("yes.gz"), strings.Repeat(part.String(), 128))
	part.Reset()
	d, err := flate.NewWriter(&part, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	d.Write(zeros)
	d.Flush()
	block := part.String()
	part.Reset()
	d.Reset(&part)
	d.Close()
	jar(t, file("zeros.jar"), strings.Repeat(block, 128)+part.String(), 128<<24)
	return dir
}

// cometFiles writes models of COMET's that are none.
func cometFiles(t *testing.T, file func(name string) string) {
	t.Helper()
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	yaml, checkpoint := read(clitest.CometModels+"wmt22/hparams.yaml"), read(clitest.CometModels+"wmt22/checkpoints/model.ckpt")
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for name, files := range map[string][2]string{
		"comet-calls": {yaml, read("../../internal/torchfile/testdata/refused-call.pt")},
		"comet-cut":   {yaml, checkpoint[:len(checkpoint)-100]},
		"comet-zeros": {yaml, strings.Repeat("\x00", 1<<20)},
		"comet-yaml":  {bomb + yaml, checkpoint},
		"comet-large": {yaml + "x: " + strings.Repeat("a", 2<<20) + "\n", checkpoint},
		// Its encoder, xlmr, is not beside it.
		"comet-away": {yaml, checkpoint},
	} {
		clitest.Write(t, file(name+"/hparams.yaml"), files[0])
		clitest.Write(t, file(name+"/checkpoints/model.ckpt"), files[1])
	}
}

// jar writes an archive whose lists are all the same compressed data, of that size.
func jar(t *testing.T, path, data string, size uint64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for _, name := range []string{"function/czech.words", "function/danish.words", "function/english.words"} {
		entry, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, CompressedSize64: uint64(len(data)), UncompressedSize64: size})
		if err == nil {
			_, err = io.WriteString(entry, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}
