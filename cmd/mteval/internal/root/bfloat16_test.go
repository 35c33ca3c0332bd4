package root_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
	"github.com/mteval/mteval/internal/simd"
)

// In bfloat16 scores move a little, signatures say it, and where it gains no time the program
// says that once.
func TestDType(t *testing.T) {
	notes, signed := 1, "|dtype:bf16|"
	if simd.AMX() {
		signed = "|dtype:bf16-amx|"
	}
	if simd.SpeedBF16() == simd.Faster {
		notes = 0
	}
	for name, line := range map[string]string{
		"bertscore": "score -r $Dref.de --width 6 $Dsys/elder.txt -m bertscore(backend=transformer,layer=2,model=" + clitest.Tiny,
		"comet":     "score -r $Dref.de --source $Dref.de --width 6 $Dsys/elder.txt $Dsys/birch.txt -m comet(model=" + clitest.CometModels + "wmt22",
	} {
		score := func(more string) (float64, string, string) {
			stdout, stderr, status := clitest.Exec(t, clitest.Args("", line+more)...)
			_, row, _ := strings.Cut(stdout, "\nelder")
			fields := strings.Fields(row)
			if status != 0 || len(fields) == 0 {
				t.Fatalf("%s%s: status %d: %s%s", line, more, status, stdout, stderr)
			}
			x, err := strconv.ParseFloat(fields[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x, stdout, stderr
		}
		exact, _, stderr := score(",dtype=fp32)")
		if strings.Contains(stderr, "dtype=") {
			t.Errorf("%s: %s", name, stderr)
		}
		got, stdout, stderr := score(",dtype=bf16)")
		if math.Abs(got-exact) > .01 || got == exact {
			t.Errorf("%s: %v, in float32 %v", name, got, exact)
		}
		if !strings.Contains(stdout, signed) {
			t.Errorf("%s: the signature has no %s: %s", name, signed, stdout)
		}
		if n := strings.Count(stderr, "dtype=bf16: "); n != notes {
			t.Errorf("%s: %d notes, want %d: %s", name, n, notes, stderr)
		}
	}
}
