package compare_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// The first line says nothing that the numbers do not. With 12 segments of whole scores, p-values
// are of 4,096 ways to swap: a difference of one sign on all segments has 2 of them, .0005.
func TestCompareAnswer(t *testing.T) {
	flat := func(score string) string { return strings.Repeat(score+" ", 12) }
	one := func(score string) string { return score + " " + strings.Repeat("5 ", 11) }
	for name, tt := range map[string]struct {
		systems map[string]string // scores
		want    string
	}{
		"two, equal":           {map[string]string{"a": flat("5"), "b": one("5")}, "a and b have the same mean"},
		"two, told":            {map[string]string{"a": flat("5"), "b": flat("4")}, "a is better than b, by 1.0000 (95% 1.0000 to 1.0000, p = 0.0005)"},
		"two, small":           {map[string]string{"a": flat("5e-6"), "b": flat("4e-6")}, "a is better than b, by 1e-06 (95% 1e-06 to 1e-06, p = 0.0005)"},
		"equal but for binary": {map[string]string{"a": ".1 .2 .3", "b": ".3 .2 .1"}, "a and b have the same mean"},
		"all equal":            {map[string]string{"a": flat("5"), "b": flat("5"), "c": flat("5")}, "all 3 systems have the same mean"},
		"best two equal":       {map[string]string{"a": flat("5"), "b": flat("5"), "c": flat("4")}, "a and b have the same mean, and are ahead; a is better than c (p = 0.0015, adjusted for 3 pairs)"},
		"best three equal":     {map[string]string{"a": flat("5"), "b": flat("5"), "c": flat("5"), "d": one("4")}, "a, b and c have the same mean, and are ahead; a is not told apart from d (p = 1.0000, adjusted for 6 pairs)"},
		"one alike":            {map[string]string{"a": flat("5"), "b": one("4"), "c": flat("3")}, "a is ahead, and not told apart from b (p = 1.0000, adjusted for 3 pairs); it is better than c"},
		"all worse":            {map[string]string{"a": flat("5"), "b": flat("4"), "c": flat("3")}, "a is better than b, c (p = 0.0015, adjusted for 3 pairs)"},
		"none told":            {map[string]string{"a": flat("5"), "b": one("4"), "c": one("3")}, "a is ahead, and told apart from none of the 2 others (p = 1.0000, adjusted for 3 pairs)"},
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir() + "/m.tsv"
			var table strings.Builder
			for system, scores := range tt.systems {
				for i, v := range strings.Fields(scores) {
					table.WriteString(system + "\t" + strconv.Itoa(i+1) + "\t" + v + "\n")
				}
			}
			clitest.Write(t, path, table.String())
			if got := clitest.ComparedOf(t, "--scores", path).Metrics[0].Answer; got != "m: "+tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// Metrics that tell the same are told of together.
func TestCompareSummary(t *testing.T) {
	dir := t.TempDir()
	table := func(name string, systems map[string]int) {
		var b strings.Builder
		for system, score := range systems {
			for i := range 12 {
				b.WriteString(system + "\t" + strconv.Itoa(i+1) + "\t" + strconv.Itoa(score) + "\n")
			}
		}
		clitest.Write(t, dir+"/"+name, b.String())
	}
	table("m", map[string]int{"a": 5, "b": 4, "c": 3})
	table("n", map[string]int{"a": 7, "b": 1, "c": 2})
	table("o", map[string]int{"a": 7, "b": 7, "c": 2})
	table("q", map[string]int{"a": 7, "b": 7, "c": 7})
	table("p", map[string]int{"a": 7, "b": 7, "c": 1})
	for _, tt := range []struct {
		scores []string
		want   string
	}{
		{[]string{"m", "n"}, "a has the best m and n. It is significantly better than b and c (p = 0.0015, adjusted for 3 pairs)."},
		{[]string{"m", "o", "n"}, "a has the best m and n. It is significantly better than b and c (p = 0.0015, adjusted for 3 pairs). " +
			"a and b have the same o, which is the best (7.0000), ahead of c (2.0000). a is significantly better than c (p = 0.0015, adjusted for 3 pairs)."},
		{[]string{"o", "p"}, "a and b have the same o and p, which are the best. a is significantly better than c (p = 0.0015, adjusted for 3 pairs)."},
		{[]string{"q"}, "All 3 systems have the same mean by q."},
	} {
		var line []string
		for _, s := range tt.scores {
			line = append(line, "--scores", dir+"/"+s)
		}
		if got := clitest.ComparedOf(t, line...).Answer; got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}
