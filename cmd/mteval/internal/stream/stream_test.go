package stream_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/score"
	streamcmd "github.com/mteval/mteval/cmd/mteval/internal/stream"
	"github.com/mteval/mteval/stream"
)

// stream gives a line the scores that score gives it, and all lines those of score for a system.
func TestStream(t *testing.T) {
	dir := t.TempDir()
	rows := clitest.StreamSample(t, dir+"/in.tsv", 1)
	for _, tt := range []struct {
		options string
		metrics []string
		more    string // of score
	}{
		{"-m bleu,chrf++,ter,wordf", []string{"bleu", "chrf++", "ter", "wordf"}, ""},
		{"-m bleu(lowercase,tokenize=intl,smooth-method=floor),wer(lowercase)", []string{"bleu", "wer"}, ""},
		{"-m meteor,bertscore --target-language de", []string{"meteor", "bertscore-lexical"}, ""},
		{"-m bertscore(backend=transformer,model=../../backend/transformer/testdata/bert,layer=1)", []string{"bertscore"}, ""},
		{"-m comet(model=../../comet/testdata/wmt22),chrf", []string{"comet-wmt22", "chrf"}, "--source $Dsrc.en"},
		{"-m comet(model=../../comet/testdata/kiwi)", []string{"comet-kiwi"}, "--source $Dsrc.en"},
	} {
		scored2 := "score -r $Dref.de $Dsys/aspen.txt --quiet " + tt.more + " " + tt.options
		want, stderr, status := clitest.Exec(t, clitest.Args(dir, scored2+" --sentence-level --format tsv")...)
		if status != 0 {
			t.Fatal(stderr)
		}
		segments := make(map[string][]string)
		var metrics []string
		for line := range strings.Lines(want) {
			cells := strings.Split(strings.TrimSpace(line), "\t")
			if cells[0] == "system" {
				continue
			}
			if segments[cells[1]] == nil {
				metrics = append(metrics, cells[1])
			}
			segments[cells[1]] = append(segments[cells[1]], cells[3])
		}
		if len(metrics) != len(tt.metrics) {
			t.Errorf("%s: %v", tt.options, metrics)
		}
		wanted := make([][]string, len(rows))
		for i := range wanted {
			wanted[i] = append([]string{}, rows[i]...)
			for _, m := range metrics {
				if i == 0 {
					wanted[i] = append(wanted[i], m)
				} else {
					wanted[i] = append(wanted[i], segments[m][i-1])
				}
			}
		}
		got, stderr, status := clitest.Exec(t, clitest.Args(dir, "stream $T/in.tsv --totals $T/totals.json "+tt.options)...)
		if status != 0 || !strings.Contains(stderr, "mteval: 48 lines, 48 written\n") {
			t.Fatalf("%s: status %d, %s", tt.options, status, stderr)
		}
		if d := cmp.Diff(clitest.TableOf(wanted), got); d != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.options, d)
		}
		want, _, _ = clitest.Exec(t, clitest.Args(dir, scored2+" --format json")...)
		var all score.JSON
		var totals stream.Totals
		data, err := os.ReadFile(dir + "/totals.json")
		if err := errors.Join(err, json.Unmarshal([]byte(want), &all), json.Unmarshal(data, &totals)); err != nil {
			t.Fatal(err)
		}
		for m, r := range all.Results {
			// COMET's tells how many texts were cut, which stream says on standard error.
			sig := strings.Replace(r.Signature, cutField(r.Signature), "", 1)
			if g := totals.Results[m]; g.Score != r.Score || g.Signature != sig || g.Segments != 48 {
				t.Errorf("%s: %+v, want %v, %s", tt.options, g, r.Score, sig)
			}
		}
	}
}

// cutField is the field of a signature with how many texts were cut, if there is one.
func cutField(signature string) string {
	for f := range strings.SplitSeq(signature, "|") {
		if strings.HasPrefix(f, "cut:") {
			return f + "|"
		}
	}
	return ""
}

func TestStreamLines(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/in.jsonl", `{"mt":"a b","refs":["a c","a b"],"src":"x"}`+"\n"+`{"mt":"","refs":"a","src":"x"}`+"\n")
	clitest.Write(t, dir+"/in.tsv", "1\ta b c d e\ta b c d e\n2\tx\ta b\n3\ty\n")
	for _, tt := range []struct{ line, want, stderr string }{
		{"-m ter --hypothesis mt -r refs $T/in.jsonl", `{"mt":"a b","refs":["a c","a b"],"src":"x","ter":0}` + "\n" + `{"mt":"","refs":"a","src":"x","ter":100}` + "\n", "nrefs:var|case:lc"},
		{"-m ter -w 1 --hypothesis mt -r refs --source src --filter hyp_src_ratio>=2 $T/in.jsonl", `{"mt":"a b","refs":["a c","a b"],"src":"x","ter":0.0}` + "\n", "2 lines, 1 written\n"},
		{"--no-header --hypothesis 2 -r 3 --on-error skip -w 2 $T/in.tsv", "1\ta b c d e\ta b c d e\t100.00\n2\tx\ta b\t0.00\n", "$T/in.tsv:3: 2 columns, where the first line has 3\nmteval: 3 lines, 2 written, 1 with errors\n"},
		{"--no-header --hypothesis 2 -r 3 --on-error skip -w 2 --id 1 --max-tokens 2 $T/in.tsv", "2\tx\ta b\t0.00\n", "$T/in.tsv:1: 1: bleu: reference: text is too long: 5 tokens, more than the limit of 2 (--max-tokens)\n"},
		{"--no-header --hypothesis 2 -r 2 -m wer --shard 2/2 --on-error skip $T/in.tsv", "2\tx\ta b\t0.000000\n", "1 line, 1 written\n"},
		{"--no-header --hypothesis 2 -r 3 --on-error skip --filter bleu>50||hyp_len<1 $T/in.tsv", "1\ta b c d e\ta b c d e\t100.000000\n", "bleu of those kept: 100.00 ("},
	} {
		stdout, stderr, status := clitest.Exec(t, append([]string{"stream"}, clitest.Args(dir, tt.line)...)...)
		if status != 0 || !strings.Contains(stderr, strings.ReplaceAll(tt.stderr, "$T", dir)) {
			t.Errorf("%s: status %d, %s", tt.line, status, stderr)
		}
		if d := cmp.Diff(tt.want, stdout); d != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.line, d)
		}
	}
	if _, stderr, _ := clitest.Exec(t, clitest.Args(dir, "stream -q --no-header --hypothesis 2 -r 3 --on-error skip $T/in.tsv")...); stderr != "mteval: "+dir+"/in.tsv:3: 2 columns, where the first line has 3\n" {
		t.Errorf("--quiet: %s", stderr)
	}
	clitest.Write(t, dir+"/bad.tsv", "hypothesis\treference\n"+strings.Repeat("a\n", 150)+"a\tb\n")
	if _, stderr, _ := clitest.Exec(t, clitest.Args(dir, "stream --on-error skip $T/bad.tsv")...); strings.Count(stderr, "bad.tsv:") != streamcmd.MostTold || !strings.Contains(stderr, "more lines with errors are only counted\nmteval: 151 lines, 1 written, 150 with errors\n") {
		t.Errorf("many errors: %s", stderr)
	}
	clitest.Write(t, dir+"/bad.tsv", "hypothesis\treference\na\n\xff\tb\n")
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "stream -q --on-error skip $T/bad.tsv")...); status != 2 || !strings.HasSuffix(stderr, "no line could be scored: all 2 have errors\n") {
		t.Errorf("two errors: status %d, %s", status, stderr)
	}
	// All have the same.
	clitest.Write(t, dir+"/bad.jsonl", strings.Repeat(`{"hypothesis":"a","ref":"a"}`+"\n", 3))
	for _, way := range []string{"skip", "null"} {
		_, stderr, status := clitest.Exec(t, clitest.Args(dir, "stream --on-error "+way+" $T/bad.jsonl -o $T/none --totals $T/none.json")...)
		if status != 2 || !strings.HasSuffix(stderr, "mteval: "+dir+"/bad.jsonl: no line could be scored: all 3 have the same error: no field reference\n") {
			t.Errorf("%s: status %d, %s", way, status, stderr)
		}
		for name := range clitest.Snapshot(t, dir) {
			if strings.HasPrefix(name, dir+"/none") {
				t.Errorf("%s: %s is there", way, name)
			}
		}
	}
}

func TestStreamErrors(t *testing.T) {
	dir := t.TempDir()
	clitest.StreamSample(t, dir+"/in.tsv", 1)
	clitest.Write(t, dir+"/bad.tsv", "hypothesis\treference\na\n")
	clitest.Write(t, dir+"/totals.json", "{}")
	clitest.Write(t, dir+"/bad.zst", "\x28\xb5\x2f\xfdxxxxxxxxxxxxxxxxx")
	for line, want := range map[string]string{
		"$T/none.tsv":                           "$T/none.tsv: no such file or directory",
		"$T/bad.tsv":                            "$T/bad.tsv:2: 1 columns, where the first line has 2",
		"$T/bad.zst":                            "$T/bad.zst:1: damaged zstd data: ",
		"--max-line 50 $T/in.tsv":               "$T/in.tsv:2: too large to be read: a line of more than 50 bytes (--max-line)",
		"--hypothesis hyp $T/in.tsv":            `$T/in.tsv:1: the header has no column "hyp" (did you mean hypothesis?): it has source, reference, hypothesis`,
		"-m bertscore(idf) $T/in.tsv":           "idf is of all references together, and stream sees a part of them at a time",
		"--no-header $T/in.tsv":                 "--hypothesis hypothesis: with --no-header columns are numbers from 1",
		"--no-header --hypothesis 1 $T/in.tsv":  "--reference reference: with --no-header columns are numbers from 1",
		"--filter $env $T/in.tsv":               "--filter at character 1: want numbers, variables, operators and functions",
		"--shard 3/2 $T/in.tsv":                 "--shard 3/2: want i/n, such as 2/8, with i from 1 to n",
		"--shard 1 $T/in.tsv":                   "--shard 1: want i/n",
		"--on-error x $T/in.tsv":                `--on-error: no way "x": have fail, skip, null`,
		"--filter bleuu>1 $T/in.tsv":            "--filter at character 1: unknown name bleuu (variables: bleu, hyp_len, ref_len, len_ratio; functions: abs, ceil, floor, max, min, round)",
		"--filter bleu $T/in.tsv":               "--filter: expected bool, but got float64 (variables:",
		"--filter bleu> $T/in.tsv":              "--filter at character 5: unexpected token EOF",
		"--filter bleu%2==0 $T/in.tsv":          "--filter at character 5: invalid operation: %",
		"--filter all(1..9,#>bleu) $T/in.tsv":   "--filter at character 6: invalid operation: ..",
		"--filter bleu==\"a\" $T/in.tsv":        "--filter at character 5: invalid operation: ==",
		"--filter len(\"a\")>bleu $T/in.tsv":    "--filter at character 1: unknown name len",
		"--resume $T/in.tsv":                    "--resume is an option of --output",
		"$T/in.tsv $T/in.tsv":                   "accepts at most 1 arg(s), received 2",
		"$T/in.tsv -o $T/in.tsv":                "-o $T/in.tsv: that is also the file of FILE; it would be overwritten",
		"$T/in.tsv -o $T/x --totals $T/x":       "--totals $T/x: that is also the file of -o; one would overwrite the other",
		"$T/in.tsv -o $T/x --totals $T/x.part":  "-o $T/x.part: that is also the file of --totals; one would overwrite the other",
		"$T/in.tsv -o /dev/null --resume":       "--resume: /dev/null is no file that could be gone on with",
		"--add-totals $T/totals.json $T/in.tsv": "--add-totals reads no lines: leave $T/in.tsv out",
		"--add-totals $T/totals.json":           `$T/totals.json: field format: "", want "mteval stream totals 1": it is another file, or of another version of mteval`,
		"--add-totals $T/in.tsv":                "$T/in.tsv:1: not JSON",
		"--add-totals $T/totals.json -o $T/x":   "--add-totals",
		"-m comet(model=../../comet/testdata/wmt22) --source x $T/in.tsv": `$T/in.tsv:1: the header has no column "x"`,
	} {
		stdout, stderr, status := clitest.Exec(t, append([]string{"stream"}, clitest.Args(dir, line)...)...)
		if want = strings.ReplaceAll(want, "$T", dir); status != 2 || stdout != "" || !strings.HasPrefix(stderr, "mteval: "+want) {
			t.Errorf("%s: status %d, %q, want %s", line, status, stderr, want)
		}
	}
}

// Input and output may be compressed, whatever the input's name is.
func TestStreamCompressed(t *testing.T) {
	dir := t.TempDir()
	clitest.StreamSample(t, dir+"/in", 20) // several blocks
	plain, err := os.ReadFile(dir + "/in")
	if err != nil {
		t.Fatal(err)
	}
	want, stderr, status := clitest.Exec(t, "stream", "-m", "chrf", dir+"/in")
	if status != 0 {
		t.Fatal(stderr)
	}
	var gz, zst bytes.Buffer
	z := gzip.NewWriter(&gz)
	z.Write(plain)
	z.Close()
	e, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	e.Write(plain)
	e.Close()
	clitest.Write(t, dir+"/gz", gz.String())
	clitest.Write(t, dir+"/zst", zst.String())
	// As pzstd and zstd --patch write it, something to pass over comes first.
	clitest.Write(t, dir+"/passed", "\x50\x2a\x4d\x18\x02\x00\x00\x00xx"+zst.String())
	for _, in := range []string{"in", "gz", "zst", "passed"} {
		for _, out := range []string{"out", "out.gz", "out.zst"} {
			path := filepath.Join(dir, out)
			if _, stderr, status := clitest.Exec(t, "stream", "-m", "chrf", dir+"/"+in, "-o", path); status != 0 {
				t.Fatal(stderr)
			}
			if got := unpack(t, path); got != want {
				t.Errorf("%s to %s: %d bytes, want %d", in, out, len(got), len(want))
			}
		}
	}
	for _, out := range []string{"none.gz", "none.zst"} {
		clitest.Write(t, dir+"/none", "")
		if _, stderr, status := clitest.Exec(t, "stream", "--format", "jsonl", dir+"/none", "-o", dir+"/"+out); status != 0 || unpack(t, dir+"/"+out) != "" {
			t.Errorf("%s: status %d, %s", out, status, stderr)
		}
	}
	// Data that are cut short.
	for _, name := range []string{"gz", "zst"} {
		data, _ := os.ReadFile(dir + "/" + name)
		clitest.Write(t, dir+"/cut", string(data[:len(data)-20]))
		if _, stderr, status := clitest.Exec(t, "stream", "-m", "chrf", dir+"/cut", "-o", dir+"/cut.out"); status != 2 || !strings.Contains(stderr, "damaged") {
			t.Errorf("%s, cut: status %d, %s", name, status, stderr)
		}
		if _, err := os.Stat(dir + "/cut.out"); err == nil {
			t.Errorf("%s, cut: there is an output", name)
		}
		os.Remove(dir + "/cut.out.part")
		os.Remove(dir + "/cut.out.progress")
	}
}

// unpack reads a file that may be compressed, as its name tells.
func unpack(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	switch filepath.Ext(path) {
	case ".gz":
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	case ".zst":
		z, err := zstd.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		r = z
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(path, err)
	}
	return string(data)
}

// The totals of shards are those of the whole.
func TestStreamAddTotals(t *testing.T) {
	dir := t.TempDir()
	clitest.StreamSample(t, dir+"/in.tsv", 1)
	const options = "-m bleu,chrf,ter --filter bleu>30 --totals $T/"
	run := func(line string) {
		t.Helper()
		if _, stderr, status := clitest.Exec(t, append([]string{"stream"}, clitest.Args(dir, line)...)...); status != 0 {
			t.Fatal(stderr)
		}
	}
	run(options + "whole $T/in.tsv")
	add := options + "sum"
	for i := range 3 {
		run(fmt.Sprintf("%sshard%d --shard %d/3 $T/in.tsv", options, i, i+1))
		add += fmt.Sprintf(" --add-totals $T/shard%d", i)
	}
	run(add)
	files := clitest.Snapshot(t, dir)
	if d := cmp.Diff(files[dir+"/whole"], files[dir+"/sum"]); d != "" || files[dir+"/sum"] == "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	run("-m bleu,chrf,ter --filter bleu>30 --totals $T/half1 --shard 1/2 $T/in.tsv")
	run("-m bleu,chrf,ter --totals $T/open1 --shard 2/3 $T/in.tsv")
	in, err := os.ReadFile(dir + "/in.tsv")
	if err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, dir+"/other.tsv", strings.Replace(string(in), "a", "b", 1))
	run("-m bleu,chrf,ter --filter bleu>30 --totals $T/other1 --shard 2/3 $T/other.tsv")
	clitest.Write(t, dir+"/changed1", strings.Replace(files[dir+"/shard1"], `"written":`, `"written":1`, 1))
	for line, want := range map[string]string{
		"$T/shard0 $T/shard1":                     "stream: totals of all 3 shards are needed, and there are none of 3",
		"$T/shard1":                               "stream: totals of all 3 shards are needed, and there are none of 1, 3",
		"$T/shard0 $T/shard0 $T/shard1":           "$T/shard0 and $T/shard0 are both shard 1 of 3",
		"$T/shard0 $T/shard1 $T/shard1 $T/shard2": "$T/shard1 and $T/shard1 are both shard 2 of 3",
		"$T/shard0 $T/half1":                      "$T/shard0 is one of 3 shards, and $T/half1 one of 2",
		"$T/shard0 $T/other1 $T/shard2":           "$T/shard0 and $T/other1: another input: they are not of the same lines",
		"$T/shard0 $T/open1 $T/shard2":            `$T/open1: other options: the filter was "", and is "bleu>30"`,
		"$T/shard0 $T/changed1 $T/shard2":         "$T/changed1: field written: 1",
		"bleu(tokenize=intl) $T/shard0":           `$T/shard0: other options: bleu was "nrefs:0|case:mixed|eff:yes|tok:13a|`,
		"$T/whole $T/whole":                       "$T/whole and $T/whole are both shard 1 of 1",
		"$T/shard0 $T/shard1 $T/shard2 $T/none":   "stat $T/none: no such file or directory",
	} {
		options := "stream -m bleu,chrf,ter --filter bleu>30 --totals $T/wrong"
		for _, word := range strings.Fields(line) {
			if strings.HasPrefix(word, "$T/") {
				options += " --add-totals " + word
			} else {
				options = strings.Replace(options, "bleu", word, 1)
			}
		}
		_, stderr, status := clitest.Exec(t, clitest.Args(dir, options)...)
		if want = "mteval: " + strings.ReplaceAll(want, "$T", dir); status != 2 || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: status %d, %s, want %s", line, status, stderr, want)
		}
		if _, err := os.Stat(dir + "/wrong"); err == nil {
			t.Fatalf("%s: there are totals", line)
		}
	}
}

// What no run of ours left beside an output is not touched, and --resume is not advised where it does
// not help.
func TestStreamNotOurs(t *testing.T) {
	dir := t.TempDir()
	clitest.StreamSample(t, dir+"/in.tsv", 1)
	clitest.Write(t, dir+"/out.part", "my notes\n")
	clitest.Write(t, dir+"/target", "my other notes\n")
	for at, to := range map[string]string{"link.part": "target", "gone.part": "nothing", "note.progress": "target"} {
		if err := os.Symlink(to, dir+"/"+at); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	if err := os.Mkdir(dir+"/folder.part", 0o755); err != nil {
		t.Fatal(err)
	}
	before := clitest.Snapshot(t, dir)
	for name, want := range map[string]string{
		"out":    "$T/out.part: there is no $T/out.progress that says what this file is, so it stays as it is: move or remove it, or write to another path\n",
		"link":   "$T/link.part: is no regular file: remove it, or write to another path\n",
		"gone":   "$T/gone.part: is no regular file: remove it, or write to another path\n",
		"note":   "$T/note.progress: is no regular file: remove it, or write to another path\n",
		"folder": "$T/folder.part: is no regular file: remove it, or write to another path\n",
	} {
		for _, resume := range []string{"", " --resume"} {
			_, stderr, status := clitest.Exec(t, clitest.Args(dir, "stream $T/in.tsv -o $T/"+name+resume)...)
			if status != 2 || !strings.HasSuffix(stderr, strings.ReplaceAll(want, "$T", dir)) {
				t.Errorf("%s%s: status %d, %s, want %s", name, resume, status, stderr, want)
			}
		}
	}
	if d := cmp.Diff(before, clitest.Snapshot(t, dir)); d != "" {
		t.Errorf("files are changed:\n%s", d)
	}
}

// The layout is told by all of the first line, and by what stands behind white space.
func TestStreamBeginnings(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 300_000)
	object := `{"hypothesis":"a b c d","reference":"a b c d"}`
	for _, tt := range []struct{ name, options, in, want, err string }{
		{"a long first line", "--no-header --hypothesis 1 -r 3 --on-error skip", "a\t" + long + "\ta\nb\tx\tb\n", "a\t" + long + "\ta\t100.000000\nb\tx\tb\t100.000000\n", ""},
		{"more columns behind", "--no-header --hypothesis 1 -r 2 --on-error skip", "a\ta\t" + long + "\tx\nb\tb\t\ty\n", "a\ta\t" + long + "\tx\t100.000000\nb\tb\t\ty\t100.000000\n", ""},
		{"a long header", "", "hypothesis\t" + long + "\treference\na\t\ta\n", "hypothesis\t" + long + "\treference\tchrf\na\t\ta\t100.000000\n", ""},
		{"a long first object", "", `{"x":"` + long + `",` + object[1:] + "\n", `{"x":"` + long + `",` + object[1:len(object)-1] + `,"chrf":100}` + "\n", ""},
		{"much space before an object", "", strings.Repeat(" ", 300_000) + object, strings.Repeat(" ", 300_000) + object[:len(object)-1] + `,"chrf":100}`, ""},
		{"an empty line before objects", "--on-error skip", "\n" + object, object[:len(object)-1] + `,"chrf":100}`, ""},
		{"an empty line before objects, fail", "", "\n" + object, "", "$T/in:1: the line is empty, and no JSON object"},
		{"many empty lines before objects", "--on-error skip", strings.Repeat(" \t\r\n", 100_000) + object, object[:len(object)-1] + `,"chrf":100}`, ""},
		{"a byte order mark and an empty line", "--on-error skip", "\ufeff\n" + object + "\n", "\ufeff" + object[:len(object)-1] + `,"chrf":100}` + "\n", ""},
		{"two byte order marks", "", "\ufeff\ufeff" + object + "\n", "", "$T/in:1: not JSON: invalid character 'ï'"},
		{"an empty line before a header", "--on-error skip", "\nhypothesis\treference\na\ta\n", "", "$T/in:1: the line is blank, where a table has its header"},
		{"no header, and a brace first", "--no-header --hypothesis 1 -r 2", "{0} files\t{0} files\n", "{0} files\t{0} files\t100.000000\n", ""},
		{"a header beyond the limit", "--max-line 1000 --on-error skip", "hypothesis\t" + long + "\treference\na\t\ta\n", "", "$T/in:1: too large to be read: a first line of more than 1000 bytes, which says what the columns are (--max-line)"},
		{"white space beyond the limit", "--max-line 1000 --on-error skip", strings.Repeat("\n", 3000) + object, "", "$T/in: too large to be read: it begins with more than 1000 bytes of white space"},
		{"a first object beyond the limit", "--max-line 1000 --on-error skip", `{"x":"` + long + "\"}\n" + object, object[:len(object)-1] + `,"chrf":100}`, ""},
	} {
		clitest.Write(t, dir+"/in", tt.in)
		got, stderr, status := clitest.Exec(t, clitest.Args(dir, "stream -m chrf $T/in "+tt.options)...)
		if want := strings.ReplaceAll(tt.err, "$T", dir); want != "" {
			if status != 2 || got != "" || !strings.HasPrefix(stderr, "mteval: "+want) {
				t.Errorf("%s: status %d, %.300s, want %s", tt.name, status, stderr, want)
			}
			continue
		}
		if status != 0 || got != tt.want {
			t.Errorf("%s: status %d, %.300s, %d bytes, want %d", tt.name, status, stderr, len(got), len(tt.want))
		}
	}
}

// Trees are read once, so that they may come by a pipe, and a later run knows which they were.
func TestStreamTrees(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/text", "a b c\n")
	clitest.Write(t, dir+"/left", "(S (X (A a) (B b)) (C c))\n")
	clitest.Write(t, dir+"/right", "(S (A a) (X (B b) (C c)))\n")
	clitest.Write(t, dir+"/in.tsv", "hypothesis\treference\na b c\ta b c\na b c\ta b c\n")
	for shard, trees := range []string{"left", "right"} {
		line := fmt.Sprintf("stream -q -m dreem(trees=$T/text=$T/%s) --shard %d/2 --totals $T/%[2]d.json $T/in.tsv", trees, shard+1)
		if _, stderr, status := clitest.Exec(t, clitest.Args(dir, line)...); status != 0 {
			t.Fatalf("%s: status %d, %s", line, status, stderr)
		}
	}
	if _, stderr, status := clitest.Exec(t, clitest.Args(dir, "stream -m dreem(trees=$T/text=$T/left) --add-totals $T/1.json --add-totals $T/2.json")...); status != 2 || !strings.Contains(stderr, "other options: trees was ") {
		t.Errorf("other trees: status %d, %s", status, stderr)
	}
}
