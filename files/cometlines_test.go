package files

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mteval/mteval/internal/shareddata"
)

// printComet are the lines that comet-score prints of systems' scores, with so many decimals.
func printComet(scores [][]float64, decimals int) (lines []string) {
	for i := range scores[0] {
		for k, of := range scores {
			lines = append(lines, fmt.Sprintf("out/%c.txt\tSegment %d\tscore: %.*f", 'a'+k, i, decimals, of[i]))
		}
	}
	for k, of := range scores {
		sum := 0.0
		for _, v := range of {
			sum += v
		}
		lines = append(lines, fmt.Sprintf("out/%c.txt\tscore: %.*f", 'a'+k, decimals, sum/float64(len(of))))
	}
	return lines
}

// What comet-score prints is taken whole, or not at all: means tell, where there are any.
func TestCometCut(t *testing.T) {
	const a, b = "out/a.txt\t", "out/b.txt\t"
	both := a + "Segment 0\tscore: 0.5000\n" + b + "Segment 0\tscore: 0.7000\n" + a + "Segment 1\tscore: 0.6000\n" + b + "Segment 1\tscore: 0.8000\n"
	for name, tt := range map[string]struct{ text, wrong, note string }{
		"whole":                          {both + a + "score: 0.5500\n" + b + "score: 0.7500\n", "", ""},
		"whole, without the last LF":     {both + a + "score: 0.5500\n" + b + "score: 0.7500", "", ""},
		"whole, and where JSON is":       {both + a + "score: 0.5500\n" + b + "score: 0.7500\nPredictions sav", "", ""},
		"means alone":                    {a + "score: 0.5500\n" + b + "score: 0.7500", "", ""},
		"means of another run, too":      {both + a + "score: 0.5500\n" + b + "score: 0.7500\nout/c.txt\tscore: 0.1000\n", "", ""},
		"two runs":                       {a + "Segment 0\tscore: 0.5000\n" + a + "score: 0.5000\n" + b + "Segment 0\tscore: 0.7000\n" + b + "score: 0.7000\n", "", ""},
		"a mean within its digits":       {both + a + "score: 0.5501\n" + b + "score: 0.7499\n", "", ""},
		"no number":                      {a + "Segment 0\tscore: nan\n" + b + "Segment 0\tscore: 0.7000\n" + a + "score: nan\n" + b + "score: 0.7000", "", ""},
		"the first versions":             {a + "Segment 0\tscore: 0.500\n" + a + "Segment 1\tscore: 0.601\nSystem score: 0.551\n", "", ""},
		"no means":                       {both, "", "no line with a system's mean"},
		"no means, without the last LF":  {strings.TrimSuffix(both, "\n"), "", "no line with a system's mean"},
		"within a number":                {strings.TrimSuffix(both, "00\n"), "f:4: the file ends within this line", ""},
		"within a number, one system":    {a + "Segment 0\tscore: 0.7", "f:1: the file ends within this line", ""},
		"within nan":                     {a + "Segment 0\tscore: 0.7000\n" + b + "Segment 0\tscore: na", "f:2: the file ends within this line", ""},
		"within a word":                  {both + a + "Segm", "f:5: the file ends within this line", ""},
		"within a name":                  {both + "out/", "f:5: the file ends within this line", ""},
		"between lines":                  {both + a + "Segment 2\tscore: 0.5000\n", "f: out/a.txt has scores of 3 segments, out/b.txt of 2", ""},
		"a mean missing":                 {both + a + "score: 0.5500\n", "f: no line with the mean of out/b.txt", ""},
		"a mean within its name":         {both + a + "score: 0.5500\nout/b.tx", "f: no line with the mean of out/b.txt", ""},
		"a mean within its number":       {both + a + "score: 0.5500\n" + b + "score: 0.7", "f:6: the file ends within this line", ""},
		"means alone, within one":        {a + "score: 0.5500\n" + b + "score: 0.7", "f:2: the file ends within this line", ""},
		"a mean of others":               {both + a + "score: 0.5500\n" + b + "score: 0.7503\n", "f:6: the mean of out/b.txt is 0.7503, and that of its 2 scores above is 0.7500", ""},
		"the first versions, of others":  {a + "Segment 0\tscore: 0.500\n" + a + "Segment 1\tscore: 0.601\nSystem score: 0.561\n", "f:3: the mean of out/a.txt is 0.561", ""},
		"a second run, cut at its means": {a + "Segment 0\tscore: 0.5000\n" + a + "score: 0.5000\n" + b + "Segment 0\tscore: 0.7000\n", "f: no line with the mean of out/b.txt", ""},
	} {
		var notes []string
		_, err := ReadMetrics(strings.NewReader(tt.text), "f", Options{Note: func(_, what string) { notes = append(notes, what) }})
		if tt.wrong == "" && err != nil || tt.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.wrong)) {
			t.Errorf("%s: %v, want %q", name, err, tt.wrong)
		}
		if got := strings.Join(notes, "; "); err == nil && (tt.note == "" && got != "" || !strings.HasPrefix(got, tt.note)) {
			t.Errorf("%s: notes %q, want %q", name, got, tt.note)
		}
	}
}

// A file that ends before its end is an error, or a note says that it may be one; what is read of one
// that is whole is what was printed.
func TestCometCutAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		systems, n := rapid.IntRange(1, 3).Draw(t, "systems"), rapid.IntRange(1, 5).Draw(t, "segments")
		scores := make([][]float64, systems)
		for k := range scores {
			scores[k] = rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "scores")
		}
		lines := printComet(scores, rapid.SampledFrom([]int{3, 4}).Draw(t, "decimals"))
		text := strings.Join(lines, "\n") + "\n"
		first := len(lines[0]) + 1
		at := rapid.IntRange(first, len(text)).Draw(t, "length")
		noted := false
		got, err := ReadMetrics(strings.NewReader(text[:at]), "f", Options{Note: func(_, _ string) { noted = true }})
		if at >= len(text)-1 { // but for the last LF
			if err != nil || noted {
				t.Fatalf("whole: %v, noted %v", err, noted)
			}
			for k := range scores {
				for i, v := range scores[k] {
					if math.Abs(got[0].Scores.At(k, i)-v) > .0006 {
						t.Fatalf("system %d, segment %d: %v, want %v", k, i, got[0].Scores.At(k, i), v)
					}
				}
			}
			return
		}
		if err != nil || noted {
			return
		}
		t.Fatalf("%d of %d bytes are taken for whole:\n%s", at, len(text), text[:at])
	})
}

// comet-score's output that ends within a number.
func TestCometCutShared(t *testing.T) {
	path := shareddata.Path(t, "cases", "files-3", "comet_trunc2.txt")
	_, err := OpenMetricFiles(t.Context(), []string{path}, Options{})
	if err == nil || err.Error() != path+":18: the file ends within this line: want all that comet-score prints, to the means of the systems" {
		t.Error(err)
	}
}
