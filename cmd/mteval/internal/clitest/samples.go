package clitest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mteval/mteval/internal/shareddata"
)

// CalibrationFolder makes a folder of four systems on n segments, which keep all, five, four and
// three of the six words of a reference. People's scores are in the table's text.
func CalibrationFolder(t *testing.T, dir, ref, human, scores string, n, seed int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "sys"), 0o755); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields("rain snow wind north south river harbour bridge train ferry market winter")
	var refs strings.Builder
	var systems [4]strings.Builder
	for i := range n {
		var line []string
		for k := range 6 {
			line = append(line, words[(i*5+k*(seed+2)+k*k)%len(words)])
		}
		fmt.Fprintln(&refs, strings.Join(line, " "))
		for k := range systems {
			out := append([]string{}, line...)
			for j := range k {
				out[(i+j*seed)%len(out)] = "fog"
			}
			if k > 0 && i%(k+2) == 0 { // not the same difference throughout
				out = append(out, "today")
			}
			fmt.Fprintln(&systems[k], strings.Join(out, " "))
		}
	}
	Write(t, filepath.Join(dir, ref), refs.String())
	for k := range systems {
		Write(t, filepath.Join(dir, "sys", fmt.Sprintf("s%d.txt", k)), systems[k].String())
	}
	Write(t, filepath.Join(dir, human), scores)
}

// CalibrationFolders makes sets of two campaigns and one of its own, in all forms.
func CalibrationFolders(t *testing.T, dir string) {
	t.Helper()
	CalibrationFolder(t, dir+"/one-de-en", "ref.txt", "human.tsv", "s0\t.5\ns1\t.3\ns2\t.2\ns3\t-.6\n", 12, 1)
	CalibrationFolder(t, dir+"/one-en-de", "ref.de", "human-system.tsv", "system\tscore\ns0\t50\ns1\t50\ns2\t20\ns3\tNA\n", 15, 2)
	CalibrationFolder(t, dir+"/two-en-zh", "ref.zh", "human.tsv", "SYS\tRAW.SCR\tZ.SCR\tN\tN.ALL\ns0\t70\t.2\t9\t9\ns1\t80\t.4\t9\t9\ns2\t60\t-.1\t9\t9\ns3\t50\t-.2\t9\t9\n", 12, 3)
	CalibrationFolder(t, dir+"/alone", "ref.de", "human.tsv", "s3\t1\ns0\t4\nother\t7\ns2\t2\ns1\t3\n", 14, 4)
	for _, path := range []string{"one-en-de/ref.de", "one-en-de/sys/s1.txt", "one-en-de/human-system.tsv"} {
		gzipped(t, filepath.Join(dir, path))
	}
}

// gzipped puts a gzipped file, with .gz behind its name, in a file's place.
func gzipped(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(text)
	w.Close()
	Write(t, path+".gz", b.String())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// MetaSample is the folder of the tests of meta.
const MetaSample = "testdata/meta/"

// Wmt23Tree unpacks WMT23's data. MTEVAL_MTME names a folder where it is already.
func Wmt23Tree(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("MTEVAL_MTME"); dir != "" {
		return dir
	}
	path := shareddata.Path(t, "data", "mtme", "mtme-en-de-he-en.tar.xz")
	dir := t.TempDir()
	if out, err := osexec.CommandContext(t.Context(), "tar", "-xJf", path, "-C", dir).CombinedOutput(); err != nil {
		t.Skipf("needs tar and xz: %v %s", err, out)
	}
	return filepath.Join(dir, "mtme-en-de-he-en")
}

// RankSample is a run of rank on the sample data, for Args.
const RankSample = "rank -r $Dref.de --human $Dhuman.tsv $Dsys/*.txt "

// SacreFolder is where commands run: a copy of the texts and of the test sets.
func SacreFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/sacrebleu")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SACREBLEU", filepath.Join(dir, "cache"))
	t.Setenv("NO_COLOR", "1")
	t.Chdir(dir)
	return dir
}

// StreamSample writes the sample data as a table, n times over, and returns its rows.
func StreamSample(t *testing.T, path string, n int) [][]string {
	t.Helper()
	rows := [][]string{{"source", "reference", "hypothesis"}}
	var columns [][]string
	for _, name := range []string{"src.en", "ref.de", "sys/aspen.txt"} {
		data, err := os.ReadFile(Sample + name)
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"))
	}
	for range n {
		for i := range columns[0] {
			rows = append(rows, []string{columns[0][i], columns[1][i], columns[2][i]})
		}
	}
	Write(t, path, TableOf(rows))
	return rows
}

// TableOf writes rows as TSV.
func TableOf(rows [][]string) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.Join(r, "\t") + "\n")
	}
	return b.String()
}

// JudgedFolder makes a folder of --data of three systems on n segments, the first the
// best and the last the worst, with what people said in all forms.
func JudgedFolder(t *testing.T, dir string, n int, seed int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "sys"), 0o755); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields("rain snow wind north south river harbour bridge train ferry market winter")
	word := func(i int) string { return words[(i*5+seed)%len(words)] }
	var ref strings.Builder
	var sys [3]strings.Builder
	var pairs, scores strings.Builder
	pairs.WriteString("pair_id\tsid\tbetter\tworse\n")
	scores.WriteString("system\tsid\tscore\n")
	for i := range n {
		a, b, c, d := word(i), word(2*i+1), word(3*i+2), word(i+7)
		fmt.Fprintf(&ref, "%s %s %s %s today\n", a, b, c, d)
		fmt.Fprintf(&sys[0], "%s %s %s %s today\n", c, d, a, b)
		fmt.Fprintf(&sys[1], "%s %s %s\n", a, b, c)
		fmt.Fprintf(&sys[2], "%s and more of it than that\n", a)
		for k := range 3 {
			fmt.Fprintf(&scores, "s%d\t%d\t%d\n", k, i+1, 90-30*k+i%7)
			for l := range k {
				fmt.Fprintf(&pairs, "0\t%d\ts%d\ts%d\n", i+1, l, k)
			}
		}
	}
	Write(t, filepath.Join(dir, "ref.en"), ref.String())
	for k := range sys {
		Write(t, filepath.Join(dir, "sys", fmt.Sprintf("s%d.txt", k)), sys[k].String())
	}
	Write(t, filepath.Join(dir, "human-segment-darr.tsv"), pairs.String())
	Write(t, filepath.Join(dir, "human-segment.tsv"), scores.String())
	Write(t, filepath.Join(dir, "human-system.tsv"), "system\tscore\ns0\t.5\ns1\t.1\ns2\t-.6\n")
}
