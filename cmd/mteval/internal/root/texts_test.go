package root_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// textFiles are files of one or two segments in many forms.
func textFiles(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	var wide []byte
	for _, u := range utf16.Encode([]rune("\ufeffdie Katze saß auf der Matte\nja, so ist es\n")) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for _, dir := range []string{"a", "b"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const (
		ref = "die Katze saß auf der Matte\nja, so ist es\n"
		hyp = "die Katze saß auf einer Matte\nja, so ist das\n"
	)
	for name, text := range map[string]string{
		"ref": ref, "hyp": hyp, "a/sys.txt": ref, "b/sys.txt": hyp, "lr=0.1": hyp,
		"ref.utf16": string(wide), "ref.latin1": strings.ReplaceAll(ref, "ß", "\xdf"), "hyp.latin1": strings.ReplaceAll(hyp, "ß", "\xdf"),
		"table":     "die Katze saß auf der Matte\teine Katze saß auf der Matte\nja, so ist es\tso ist es\n",
		"sometimes": "die Katze\tsaß auf der Matte\nja, so ist es\n",
		"json":      `{"text": "die Katze"}` + "\n" + `{"text": "ja"}` + "\n",
		"braces":    `{"text": "die Katze"}` + "\nja\n",
		"ref.sgm":   `<refset><doc docid="d"><seg id="1">die Katze saß auf der Matte</seg><seg id="2">ja, so ist es</seg></doc></refset>`,
		"bad.xml":   "<dataset>\n<doc>\n",
		"human.tsv": "a/sys\t1\nb/sys\t2\n", "human-twin.tsv": "cafe\u0301\t1\nb\t2\n", "human-both.tsv": "cafe\u0301\t1\ncaf\u00e9\t2\n",
		"human-segment.tsv": "a/sys\t1\t1\na/sys\t2\t2\nb/sys\t1\t2\nb/sys\t2\t1\n",
		"scores.tsv":        "caf\u00e9\t.5\nb\t.4\n",
	} {
		clitest.Write(t, name, text)
	}
}

// What is printed of texts in all forms.
func TestTexts(t *testing.T) {
	textFiles(t)
	want, _, _ := clitest.Exec(t, strings.Fields("score -r ref hyp -m bleu,chrf -w 8")...)
	two, _, _ := clitest.Exec(t, strings.Fields("score -r ref -r ref hyp -m bleu,chrf -w 8")...)
	if !strings.HasPrefix(want, "system  ") || two == want {
		t.Fatal(want, two)
	}
	for _, tt := range []struct{ line, name string }{
		{"-r ref lr=0.1", "lr=0.1"},
		{"-r ref ./lr=0.1", "lr=0.1"},
		{"-r ref mine=hyp", "mine"},
		{"-r ref lr=0.2=hyp", "lr=0.2"},
		{"-r ref mine=lr=0.1", "mine"},
		{"-r ref.sgm hyp", "hyp"},
		{"-r ref.latin1 --encoding latin-1 hyp=hyp.latin1", "hyp"},
		{"-r ref.latin1 --encoding cp1252 hyp=hyp.latin1", "hyp"},
	} {
		stdout, stderr, status := clitest.Exec(t, strings.Fields("score -m bleu,chrf -w 8 "+tt.line)...)
		if got := strings.Join(strings.Fields(stdout), " "); status != 0 || stderr != "" || got != strings.Join(strings.Fields(strings.ReplaceAll(want, "\nhyp", "\n"+tt.name)), " ") {
			t.Errorf("%s: status %d, %q, %s, want\n%s", tt.line, status, stderr, stdout, want)
		}
	}
}

func TestTextWarnings(t *testing.T) {
	textFiles(t)
	for _, tt := range []struct{ line, want string }{
		{"score -r table hyp", "mteval: warning: table: its lines have a tab, as in a table of 2 columns, and each is scored as one text: --num-refs 2 takes each column for a reference\n"},
		{"score -r table -r ref hyp", "mteval: warning: table: its lines have a tab, as in a table of 2 columns, and each is scored as one text: with one reference file, --num-refs 2 takes each column for a reference\n"},
		{"score -r ref table", "mteval: warning: table: its lines have a tab, as in a table of 2 columns, and each is scored as one text: give a file of the one column that is the output\n"},
		{"score -r table --num-refs 2 hyp", ""},
		{"score -r sometimes sometimes", ""},
		{"score -r json hyp", "mteval: warning: json: each line is JSON, and is scored as it stands: give a file of the texts, one a line\n"},
		{"score -r ref json", "mteval: warning: json: each line is JSON, and is scored as it stands: give a file of the texts, one a line\n"},
		{"score -r braces hyp", ""},
		{"rank -r table hyp a/sys.txt", "table of 2 columns"},
		{"study -r table --human human.tsv a/sys.txt b/sys.txt --samples 1", "table of 2 columns"},
		{"tune -r table --human human-segment.tsv a/sys.txt b/sys.txt -m meteor --evaluations 1 --restarts 1 --folds 1 --objective pearson", "table of 2 columns"},
	} {
		_, stderr, _ := clitest.Exec(t, strings.Fields(tt.line)...)
		if exact := strings.HasPrefix(tt.want, "mteval") || tt.want == ""; exact && stderr != tt.want || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: %q, want %q", tt.line, stderr, tt.want)
		}
	}
}

func TestTabs(t *testing.T) {
	for _, tt := range []struct {
		lines []string
		want  int
	}{
		{nil, 0}, {[]string{""}, 0}, {[]string{"a\tb"}, 1}, {[]string{"a\tb", "\t"}, 1}, {[]string{"a\tb", "c"}, 0}, {[]string{"a", "b\tc"}, 0},
		{[]string{"a\t\tb", "\tc\t"}, 0}, {[]string{"a\t\tb", "c\td\t"}, 2}, {[]string{"a\t\tb", "\t"}, 2}, {[]string{"", " ", "\t"}, 0},
		{[]string{"\tint a;", "\treturn a;"}, 0}, {[]string{"a\t", "b\t"}, 0},
		{append(slices.Repeat([]string{"a\tb"}, 9), "", "c"), 1}, {append(slices.Repeat([]string{"a\tb"}, 8), "", "c"), 0},
		{append([]string{"id"}, slices.Repeat([]string{"1\ta\tb"}, 20)...), 2},
	} {
		if got := app.Tabs(tt.lines); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.lines, got, tt.want)
		}
	}
}

func TestTextErrors(t *testing.T) {
	textFiles(t)
	for _, tt := range []struct{ line, want string }{
		{"score -r table --num-refs 3 hyp", "table:1: 2 columns, want 3 with tabs between"},
		{"score -r sometimes --num-refs 2 hyp", "sometimes:2: 1 columns, want 2 with tabs between"},
		{"score -r table -r ref --num-refs 2 hyp", "--num-refs 2 is of one file of references, not 2: leave it out, or give one"},
		{"score -r ref --num-refs 0 hyp", "--num-refs 0: want"},
		{"score -r ref.utf16 hyp", "ref.utf16:1: byte 1 (0xff) is not valid UTF-8: the text begins as UTF-16 does (--encoding NAME, such as utf-16 or latin-1, if it is another)"},
		{"score -r ref hyp.latin1", "hyp.latin1:1: byte 13 (0xdf) is not valid UTF-8 (--encoding NAME, such as utf-16 or latin-1, if it is another)"},
		{"score -r ref --encoding utf-16 hyp", ": bytes that are not valid utf-16"},
		{"score -r ref --encoding klingon hyp", `--encoding: no encoding "klingon": have utf-8, `},
		{"score -r bad.xml hyp", "bad.xml:"},
		{"score -r ref x=nix", "x=nix: no such file, and no nix either, whose name would be x"},
		{"score -r ref =hyp", "=hyp: no name before the ="},
		{"score -r ref x=hyp x=ref", "hyp and ref are both outputs of a system x"},
		{"score -r ref a/sys.txt a/sys.txt", "a/sys.txt and a/sys.txt are both outputs of a system sys"},
		{"score -r - x=-", "standard input (-) can be only one of the files"},
		{"rank -r ref a/sys.txt x=hyp --html hyp", "that is also the file of SYS"},
		{"rank -r ref --human human-twin.tsv caf\u00e9=ref b=hyp", `human-twin.tsv: the system cafe\u0301 looks like caf` + "\u00e9 of the outputs"},
		{"meta --human human-twin.tsv --scores scores.tsv", "metric scores: the system caf\u00e9 looks like cafe\\u0301 of people's scores"},
	} {
		stdout, stderr, status := clitest.Exec(t, strings.Fields(tt.line)...)
		if status != 2 || stdout != "" || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %q, %q, want %q", tt.line, status, stdout, stderr, tt.want)
		}
	}
}

// UTF-16 is read where it is asked for.
func TestUTF16(t *testing.T) {
	textFiles(t)
	stdout, stderr, status := clitest.Exec(t, strings.Fields("score -r ref.utf16 --encoding utf-16 x=ref.utf16 -b")...)
	if status != 0 || stdout != "100.00\n" || stderr != "" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

// Equal names from different folders, and ones that look alike, are told apart everywhere.
func TestSystemsByName(t *testing.T) {
	textFiles(t)
	stdout, stderr, status := clitest.Exec(t, strings.Fields("score -r ref a/sys.txt b/sys.txt hyp caf\u00e9=ref cafe\u0301=hyp -m ter")...)
	if want := "system        ter\na/sys        0.00\nb/sys       20.00\nhyp         20.00\ncaf\u00e9         0.00\ncafe\\u0301  20.00\n"; status != 0 || stderr != "" || !strings.HasPrefix(stdout, want) {
		t.Errorf("status %d, %q, %q, want %q", status, stderr, stdout, want)
	}
	stdout, stderr, status = clitest.Exec(t, strings.Fields("rank -r ref --human human.tsv -m bleu --base wordf a/sys.txt b/sys.txt")...)
	if status != 0 || strings.Contains(stderr, "human.tsv") || !strings.Contains(stdout, "\nb/sys ") {
		t.Errorf("status %d, %q, %q", status, stderr, stdout)
	}
}

// Parses belong to a text by its file or by its name.
func TestParsesByName(t *testing.T) {
	dir := levelsFiles(t)
	t.Chdir(dir)
	run := func(options string) string {
		stdout, _, status := clitest.Exec(t, strings.Fields("score -r ref -m multilevel-meteor -b --parses ref=ref.conllu "+options)...)
		return fmt.Sprint(stdout, status)
	}
	want := run("--parses hyp=hyp.conllu hyp")
	if !strings.HasSuffix(want, "\n0") {
		t.Fatal(want)
	}
	for _, options := range []string{"--parses hyp=hyp.conllu x=hyp", "--parses x=hyp.conllu x=hyp", "--parses x=hyp=hyp.conllu x=hyp", "--parses x=1=hyp.conllu x=1=hyp"} {
		if got := run(options); got != want {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
	}
}
