package score_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/cmd/mteval/internal/score"
)

// What scripts read of sacreBLEU they read here: byte for byte, but for the version, chrF's
// beta, which is in no signature there, and the last digits of what it prints whole, where it
// calculates with 32 bits.
func TestSacreBLEUJSON(t *testing.T) {
	data, err := os.ReadFile("testdata/sacrebleu-json.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Cases []struct {
			SacreBLEU, MTEval string
			Systems           []string
			Output            string
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil || len(recorded.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(recorded.Cases), err)
	}
	ref, err := filepath.Abs(clitest.Sample + "ref.de")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(sacreTexts(t))
	replace := strings.NewReplacer("mteval-"+mteval.Version, "2.6.0", "|beta:3", "", " \"beta\": \"3\",\n", "")
	numbers := regexp.MustCompile(`-?\d+\.\d+(e-?\d+)?`)
	for _, c := range recorded.Cases {
		t.Run(c.SacreBLEU, func(t *testing.T) {
			line := append([]string{"score", "-f", "sacrebleu-json", "-r", ref}, slices.Concat(strings.Fields(c.MTEval), c.Systems)...)
			got, stderr, status := clitest.Exec(t, line...)
			if status != 0 || stderr != "" {
				t.Fatalf("status %d, %s", status, stderr)
			}
			got = replace.Replace(got)
			want := c.Output
			if strings.Contains(c.MTEval, "--paired") {
				if d := cmp.Diff(clitest.Decode(t, []byte(want)), clitest.Decode(t, []byte(got)), cmpopts.EquateApprox(1e-5, 0)); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				got, want = numbers.ReplaceAllString(got, "N"), numbers.ReplaceAllString(want, "N")
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// sacreTexts is a folder with the systems of the recorded cases.
func sacreTexts(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for to, from := range map[string]string{
		"aspen": "sys/aspen.txt", "birch": "sys/birch.txt", "cedar": "sys/cedar.txt", "dogwood": "sys/dogwood.txt", "elder": "sys/elder.txt",
		"ref": "ref.de", "Übersetzer-😀": "sys/birch.txt",
	} {
		text, err := os.ReadFile(clitest.Sample + from)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, filepath.Join(dir, to), string(text))
		if to == "ref" {
			clitest.Write(t, filepath.Join(dir, "empty"), strings.Repeat("\n", strings.Count(string(text), "\n")))
		}
	}
	return dir
}

// What sacreBLEU does not have has its shape.
func TestSacreBLEUJSONBeyond(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"-m wordf,cer $Dsys/aspen.txt", []string{"[\n{\n \"name\": \"cer\",\n \"score\": 0.", "},\n{\n \"name\": \"wordf\",\n \"score\": 0."}},
		{"-m bleu --confidence $Dsys/aspen.txt $Dsys/birch.txt", []string{"\"BLEU\": {\n            \"score\": 48.75520481140", "\"p_value\": null,\n            \"mean\": 48.7", "\"ci\": 4."}},
		{"-m bleu --paired ar --paired-n 9 base=$Dsys/aspen.txt $Dsys/birch.txt", []string{`"system": "Baseline: base"`}},
		{"-m bleu --paired ar --paired-n 9 --confidence --confidence-n 9 $Dsys/aspen.txt $Dsys/birch.txt", []string{`"system": "Baseline: ../../examples/data/sys/aspen.txt"`, `"p_value": 0.1`, `"mean": 4`}},
	} {
		got, stderr, status := clitest.Exec(t, clitest.Args("", "score -f sacrebleu-json -r $Dref.de "+tt.line)...)
		if status != 0 || stderr != "" {
			t.Errorf("%s: status %d, %s", tt.line, status, stderr)
		}
		clitest.Decode(t, []byte(got))
		for _, w := range tt.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: there is no %s in\n%s", tt.line, w, got)
			}
		}
	}
}

// Numbers are written as Python's repr: https://docs.python.org/3/tutorial/floatingpoint.html
func TestSacreBLEUNumbers(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0", 30: "30.0", -1.5: "-1.5", 1e-4: "0.0001", 9.999000099990002e-05: "9.999000099990002e-05", 1e15: "1000000000000000.0", 1e16: "1e+16"} {
		var o score.Object
		o.Number("x", x)
		if got := o.String(); got != `{"x":`+want+"}" {
			t.Errorf("%v: %s", x, got)
		}
	}
}
