package score_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/score"
)

// Which references and outputs a command line names.
func TestForm(t *testing.T) {
	for _, tt := range []struct {
		refs, inputs, set, args string
		terminal                bool
		want                    string // references | outputs, or the error
	}{
		{refs: "r", args: "a b", want: "r | a b"},
		{refs: "r", args: "-", want: "r | -"},
		{refs: "r s", inputs: "a b", want: "r s | a b"},
		{refs: "r", inputs: "a", args: "b", want: "arguments are outputs, and so is what -i names: give all of them one way (b)"},
		{refs: "r", want: "no output: name files, or - for standard input"},
		{set: "wmt18", args: "a b", want: " | a b"},
		{set: "wmt18", inputs: "a b", want: " | a b"},
		{set: "wmt18", want: " | columns of -"},
		{set: "wmt18", inputs: "a", args: "b", want: "give all of them one way (b)"},
		{set: "wmt18", refs: "r", args: "a", want: "--test-set has references of its own: leave -r out"},
		{set: "wmt18", terminal: true, want: "no output: name files, or have them in standard input, which is a terminal"},
		{args: "r s", inputs: "a b", want: "r s | a b"},
		{args: "r", inputs: "-", want: "r | -"},
		{args: "r", want: "r | columns of -"},
		{args: "r s", want: "r s | columns of -"},
		{args: "r", terminal: true, want: "type mteval score -r REF r where r is an output, or mteval score r -i OUTPUT where it is a reference"},
		{inputs: "a", want: "no reference: name a file with -r, or a test set with -t"},
		{want: "no reference"},
		{terminal: true, want: "no reference"},
	} {
		o := score.ScoreOptions{Refs: strings.Fields(tt.refs), Inputs: strings.Fields(tt.inputs)}
		o.Sets.Name = tt.set
		form, err := o.Form(strings.Fields(tt.args), tt.terminal)
		if err != nil {
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v: %v", tt, err)
			}
			continue
		}
		got := strings.Join(form.Refs, " ") + " | "
		if form.Columns {
			got += "columns of "
		}
		if got += strings.Join(form.Outputs, " "); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

// SACREBLEU_FORMAT is in place of formats that both programs have, where one is printed.
func TestEnvironment(t *testing.T) {
	clitest.SacreFolder(t)
	const (
		json  = `"verbose_score"`
		latex = `\begin{tabular}`
		text  = "Parts of bleu"
		ours  = `"results":[`
	)
	for _, tt := range []struct{ format, args, want string }{
		{"json", "", json},
		{"JSON", "-f text", json},
		{"json", "-f json", json},
		{"json", "-f latex", json},
		{"latex", "-f json", latex},
		{"text", "-f json", text},
		{"text", "-f sacrebleu-json", json},
		{"latex", "-f tsv", "system\tmetric"},
		{"yaml", "-f json", ours},
		{"", "-f json", ours},
		{"tsv", "", text},
		{"json", "-sl", "north\tbleu\t1\t"},
		{"latex", "-b", "69.92\n"},
		{"latex", "-b -f text", "69.92\n"},
	} {
		t.Setenv("SACREBLEU_FORMAT", tt.format)
		stdout, stderr, status := clitest.Exec(t, strings.Fields("score ref.de -i north.de "+tt.args)...)
		if status != 0 || !strings.Contains(stdout, tt.want) {
			t.Errorf("%q %s: status %d, %.100q, %s", tt.format, tt.args, status, stdout, stderr)
		}
	}
	t.Setenv("SACREBLEU_FORMAT", "")
	for _, tt := range []struct{ seed, args, want string }{
		{"7", "-ci", "seed:7|"},
		{"7", "-ci --seed 9", "seed:9|"},
		{"", "-ci", "seed:12345|"},
		{"none", "", text}, // no samples
		{"none", "-ci", `SACREBLEU_SEED is "none", and a seed is a whole number from 1 up: type --seed N`},
		{"0", "-ci", `SACREBLEU_SEED is "0"`},
	} {
		t.Setenv("SACREBLEU_SEED", tt.seed)
		stdout, stderr, _ := clitest.Exec(t, strings.Fields("score ref.de -i north.de -cin 10 "+tt.args)...)
		if tt.args == "" {
			stdout, stderr, _ = clitest.Exec(t, "score", "ref.de", "-i", "north.de")
		}
		if !strings.Contains(stdout+stderr, tt.want) {
			t.Errorf("%q %s: %s%s", tt.seed, tt.args, stdout, stderr)
		}
	}
}

// A metric behind -m is one, unless a file is called so.
func TestMetricsBehind(t *testing.T) {
	clitest.SacreFolder(t)
	if err := os.Mkdir("chrf", 0o755); err != nil { // a folder is no output
		t.Fatal(err)
	}
	stdout, stderr, status := clitest.Exec(t, strings.Fields("score ref.de -b -m bleu chrf -i north.de")...)
	if status != 0 || strings.Count(stdout, "\n") != 2 {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
	clitest.Write(t, "ter", "")
	_, stderr, status = clitest.Exec(t, strings.Fields("score ref.de -b -m bleu chrf ter -i north.de")...)
	if want := "mteval: -m bleu chrf ter: ter is a metric, and a file: type -m bleu,chrf,ter for the metric, or ./ter for the file\n"; status != 2 || stderr != want {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, stderr, status = clitest.Exec(t, strings.Fields("score ref.de -b -m bleu,chrf,ter -i north.de")...); status != 0 {
		t.Error(stderr)
	}
	// What is neither is told as both.
	for word, want := range map[string]string{
		"blue":  "mteval: -m bleu blue: no file blue, and no metric (did you mean bleu?): there are bleu, chrf, ",
		"gemba": "mteval: -m bleu gemba: no file gemba, and no metric: there are bleu, chrf, ",
		"no.de": "mteval: no.de: no such file or directory\n",
		"d/no":  "mteval: d/no: no such file or directory\n",
		"":      "mteval: argument 1 is empty\n",
	} {
		_, stderr, status = clitest.Exec(t, "score", "-r", "ref.de", "-m", "bleu", word)
		if status != 2 || !strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, %s", word, status, stderr)
		}
	}
}

// The first system is tested against once, as in sacreBLEU, though it comes again among others.
func TestBaselineAgain(t *testing.T) {
	clitest.SacreFolder(t)
	const note = " is what the others are tested against: it is passed over where it comes again\n"
	for _, tt := range []struct{ line, systems, stderr string }{
		{"ref.de -i north.de east.de north.de south.de -pbs", "north east south", "mteval: north.de" + note},
		{"-r ref.de --paired bs north.de ./north.de south.de", "north south", "mteval: ./north.de" + note},
		{"-r ref.de --paired bs base=north.de north.de south.de -q", "base south", ""},
		{"-r ref.de --paired bs north.de again=north.de", "north again", ""},
		{"-r ref.de --paired bs north.de south.de south.de", "", "mteval: south.de and south.de are both outputs of a system south"},
		{"-r ref.de north.de north.de", "", "mteval: north.de and north.de are both outputs of a system north"},
	} {
		stdout, stderr, _ := clitest.Exec(t, strings.Fields("score -f tsv "+tt.line)...)
		var systems []string
		for line := range strings.Lines(stdout) {
			if name, _, _ := strings.Cut(line, "\t"); name != "system" {
				systems = append(systems, name)
			}
		}
		if got := strings.Join(systems, " "); got != tt.systems || !strings.HasPrefix(stderr, tt.stderr) || tt.stderr == "" && stderr != "" {
			t.Errorf("%s: %s, stderr %s", tt.line, got, stderr)
		}
	}
}

// sacreBLEU's -V asks score, and what answers is the program.
func TestVersion(t *testing.T) {
	for _, line := range []string{"--version", "score -V", "score --version"} {
		stdout, stderr, status := clitest.Exec(t, strings.Fields(line)...)
		if status != 0 || stderr != "" || stdout != "mteval version "+mteval.Version+"\n" {
			t.Errorf("%s: status %d, %q, %q", line, status, stdout, stderr)
		}
	}
}

// What clashes, and what options say of each other.
func TestSacreBLEUErrors(t *testing.T) {
	clitest.SacreFolder(t)
	for _, tt := range []struct{ line, want string }{
		{"ref.de -i north.de south.de -pbs -par", "--paired-ar: --paired is bs already: give one of them"},
		{"ref.de -i north.de south.de -pbsn 5", "--paired-bs-n is an option of --paired"},
		{"ref.de -i north.de south.de -pbs -pbsn 5 --paired-n 6", "--paired-bs-n is --paired-n: leave --paired-n out"},
		{"ref.de -i north.de -f json -w 3", "--width: numbers are whole in json; those of --format sacrebleu-json"},
		{"ref.de -i north.de -l de", "--language-pair de: want two languages, such as en-de"},
		{"ref.de -i north.de -l en-", "--language-pair en-: want two languages"},
		{"ref.de", "-:1: missing line: the file has 0 lines, ref.de 14 (without -r and -i, arguments are references, and outputs come from standard input)"},
		{"ref.de -i north.de --origlang en", "--origlang is an option of --test-set"},
		{"ref.de -i north.de -d", "--detail is an option of --test-set"},
		{"--echo src", "--echo is an option of --test-set"},
		{"--citation", "--citation is an option of --test-set"},
		{"-t wmt18 -l en-de -d -f tsv north.de", "--detail: no format tsv: have text, json"},
		{"-t wmt18 -l en-de -d -sl north.de", "--detail is of systems: leave --sentence-level out"},
		{"-t wmt18 north.de", "--test-set wmt18: of which language pair? Type -l and one of cs-en, de-en"},
		{"-t wmt18 -l en-xx north.de", `test set wmt18 has no language pair "en-xx": it has cs-en`},
		{"-t wmt81 -l en-de north.de", `no test set is called "wmt81"`},
		{"-t wmt18 -l en-de --origlang fr north.de", "wmt18 en-de: no document is as --origlang and --subset ask for"},
		{"-t wmt18 -l en-de -nr 2 north.de", "--num-refs is of a file of references"},
		{"-t wmt18 -l en-de few.de", "few.de:6: missing line: the file has 5 lines, wmt18 en-de 14"},
		// The places are those in the whole test set.
		{"-t wmt18 -l en-de --subset sport --max-tokens 8 -m ter north.de", "wmt18 en-de:6: text is too long"},
		{"-t wmt18 -l en-de --list extra", "--list is all that is done, and no text is read: leave extra out"},
		{"--list -l en-xx", "--language-pair en-xx: no test set has it"},
		{"-t wmt18 -l en-de --echo nothing", `"nothing"`},
		{"-tok", "flag needs an argument: --tokenize"},
	} {
		stdout, stderr, status := clitest.Exec(t, append([]string{"score"}, strings.Fields(tt.line)...)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q; want %q", tt.line, status, stdout, stderr, tt.want)
		}
	}
}

// --quiet leaves warnings and errors.
func TestQuiet(t *testing.T) {
	clitest.SacreFolder(t)
	data, err := os.ReadFile("north.de")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, "mark.de", "\ufeff"+string(data))
	for _, tt := range []struct{ args, want string }{
		{"", "mteval: mark.de: "},
		{"-q", ""},
		{"-q -l en-zh -tok none", "mteval: warning: the usual tokenizers of BLEU for zh are zh and flores200, not none\n"},
		{"-q -m meteor", "mteval: warning: meteor: the rules of English are used, and ref.de is of language de by its name"},
		{"--quiet -w 99", "mteval: --width 99"},
	} {
		_, stderr, _ := clitest.Exec(t, strings.Fields("score ref.de -i mark.de "+tt.args)...)
		if !strings.HasPrefix(stderr, tt.want) || tt.want == "" && stderr != "" {
			t.Errorf("%s: %q, want %q", tt.args, stderr, tt.want)
		}
	}
}

// Test sets whose texts are in sacreBLEU's folder.
func TestTestSets(t *testing.T) {
	clitest.SacreFolder(t)
	for _, tt := range []struct{ line, want string }{
		{"--list", "wmt24                         : WMT 2024, general task\n"},
		{"--list -l en-is", "wmt21/dev "},
		{"--list -t wmt18 -l en-de", "en-de: src, ref, docid, genre, origlang\n"},
		{"--list -t wmt17,wmt18 -l en-de", "en-de: src, ref, docid, genre, origlang\nen-de: src, ref"},
		{"-t wmt18 --cite", "@inproceedings{"},
		{"-t wmt18 -l en-de --subset US.crime --echo docid", "rt.com.68098\n"},
		{"-t wmt18 -l en-de -d -f json north.de", `"parts":[{"origlang":"de","segments":4,"score":59.4667`},
		{"-t wmt18 -l en-de -d -ol en -f json north.de", `"parts":[{"origlang":"en","segments":10,"score":74.2559`},
	} {
		stdout, stderr, status := clitest.Exec(t, append([]string{"score"}, strings.Fields(tt.line)...)...)
		if status != 0 || stderr != "" || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: status %d, %q, %s", tt.line, status, stdout, stderr)
		}
	}
	// Nothing but the cache is looked at, and nothing is written.
	if entries, err := filepath.Glob("cache/*/*"); err != nil || len(entries) != 12 {
		t.Errorf("%v: %q", err, entries)
	}
}

// Shells complete the names of test sets, and options in sacreBLEU's spelling.
func TestCompleteTestSets(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"score -t wmt2", "wmt20"},
		{"score --download mtedx", "mtedx/test"},
		{"score -tok ja", "ja-mecab"},
		{"score -lc -s ", "add-k"},
	} {
		stdout, stderr, status := clitest.Exec(t, strings.Split("__completeNoDesc "+tt.line, " ")...)
		if status != 0 || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: status %d, %s%s", tt.line, status, stdout, stderr)
		}
	}
}
