package root_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// recorded is what scripts/record_references.py writes.
type recorded struct {
	Hyps    []string
	Streams [][]string
	Cases   []struct {
		Streams                 int
		Empty, Missing, Columns map[string]float64
		Sentences               map[string][]float64
		NRefs                   map[string]string
	}
}

// scores are the numbers at the ends of lines.
func scores(t *testing.T, stdout string) []float64 {
	t.Helper()
	var out []float64
	for line := range strings.Lines(stdout) {
		fields := strings.Fields(line)
		var v float64
		if _, err := fmt.Sscan(fields[len(fields)-1], &v); err != nil {
			t.Fatal(stdout, err)
		}
		out = append(out, v)
	}
	return out
}

// Empty references count as in sacreBLEU's program, missing ones as in its library.
func TestReferences(t *testing.T) {
	data, err := os.ReadFile("testdata/references.json")
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	clitest.Write(t, "hyp", strings.Join(r.Hyps, "\n")+"\n")
	if len(r.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range r.Cases {
		refs := ""
		var table, blanks strings.Builder
		for k, s := range r.Streams[:c.Streams] {
			clitest.Write(t, fmt.Sprint("ref", k), strings.Join(s, "\n")+"\n")
			refs += fmt.Sprint("-r ref", k, " ")
		}
		for i := range r.Hyps {
			for k, s := range r.Streams[:c.Streams] {
				text, tab := s[i], "\t"
				if k == c.Streams-1 {
					tab = "\n"
					if strings.TrimSpace(text) == "" {
						text = "." // as recorded
					}
				}
				table.WriteString(text + tab)
				blanks.WriteString(strings.TrimSpace(s[i]) + tab)
			}
		}
		clitest.Write(t, "table", table.String())
		clitest.Write(t, "blanks", blanks.String())
		columns := fmt.Sprintf("-r table --num-refs %d ", c.Streams)
		skip := fmt.Sprintf("-r blanks --skip-empty-refs --num-refs %d ", c.Streams)
		for metric := range c.Empty {
			for _, tt := range []struct {
				options string
				want    []float64
			}{
				{refs, []float64{c.Empty[metric]}},
				{strings.ReplaceAll(columns, "table", "blanks"), []float64{c.Empty[metric]}},
				{columns, []float64{c.Columns[metric]}},
				{refs + "--skip-empty-refs ", []float64{c.Missing[metric]}},
				{skip, []float64{c.Missing[metric]}},
				{refs + "--skip-empty-refs --sentence-level ", c.Sentences[metric]},
			} {
				line := "score " + tt.options + "-w 10 -m " + metric + " hyp"
				if len(tt.want) == 1 {
					line += " -b"
				}
				stdout, stderr, status := clitest.Exec(t, strings.Fields(line)...)
				if d := cmp.Diff(tt.want, scores(t, stdout), cmpopts.EquateApprox(0, 1e-9)); status != 0 || d != "" {
					t.Errorf("%s: status %d, %s (-want +got):\n%s", line, status, stderr, d)
				}
				if warned := strings.Contains(stderr, "--skip-empty-refs: they are missing"); warned == strings.Contains(line, "skip") {
					t.Errorf("%s: %q", line, stderr)
				}
			}
			stdout, _, _ := clitest.Exec(t, strings.Fields("score "+skip+"-m "+metric+" hyp")...)
			if want := metric + ": nrefs:" + c.NRefs[metric] + "|"; !strings.Contains(stdout, want) {
				t.Errorf("%s: %s, want %s", metric, stdout, want)
			}
		}
	}
}

// A segment without any reference keeps an empty one.
func TestNoReferenceAtAll(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "a", "one two three four\n\n")
	clitest.Write(t, "b", "\n \n")
	clitest.Write(t, "hyp", "one two three four\nfive\n")
	stdout, stderr, status := clitest.Exec(t, strings.Fields("score -r a -r b --skip-empty-refs -m ter -w 4 --sentence-level hyp")...)
	// TER against an empty reference is 100.
	if want := "hyp\tter\t1\t0.0000\nhyp\tter\t2\t100.0000\n"; status != 0 || stderr != "" || stdout != want {
		t.Errorf("status %d, %q, %q, want %q", status, stdout, stderr, want)
	}
}
