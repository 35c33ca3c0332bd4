package rank_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/mteval/mteval/cmd/mteval/internal/clitest"
)

// The table has the numbers of the JSON, and nothing where there is no human score.
func TestRankTSV(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, dir+"/human.tsv", "aspen\t2\nbirch\t2.5\ndogwood\t-1\n")
	for _, options := range []string{"", "--human $T/human.tsv"} {
		line := clitest.Args(dir, "rank -r $Dref.de -m chrf++,ter "+options+" $Dsys/*.txt")
		want := clitest.RankOf(t, line...)
		text, _, status := clitest.Exec(t, append(line, "--format", "tsv")...)
		rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if status != 0 || len(rows) != 1+len(want.Systems) {
			t.Fatalf("%s: status %d, %d rows", options, status, len(rows))
		}
		header := strings.Split(rows[0], "\t")
		pairs := pairsOf(t, want)
		for i, s := range want.Systems {
			cells := make(map[string]string)
			fields := strings.Split(rows[i+1], "\t")
			if len(fields) != len(header) {
				t.Fatalf("%s: %d cells, %d columns", options, len(fields), len(header))
			}
			for c, h := range header {
				cells[h] = fields[c]
			}
			check := func(column string, want *float64) {
				t.Helper()
				got, err := strconv.ParseFloat(cells[column], 64)
				if want == nil && cells[column] != "" || want != nil && (err != nil || math.Abs(got-*want) > 1e-6) {
					t.Errorf("%s: %s of %s is %q", options, column, s.System, cells[column])
				}
			}
			whole := func(n int) *float64 { x := float64(n); return &x }
			if cells["system"] != s.System {
				t.Errorf("%s: row %d is of %s, want %s", options, i+1, cells["system"], s.System)
			}
			check("group", whole(*s.Group))
			check("best", s.Best)
			if i+1 < len(want.Systems) {
				p := pairs[[2]string{s.System, want.Systems[i+1].System}]
				check("above_next", &p)
			} else {
				check("above_next", nil)
			}
			for m, score := range s.Scores {
				check(m, &score)
				check(m+"_rank", whole(s.Ranks[m]))
				if options == "" {
					continue
				}
				if d, ok := s.Differences[m]; ok {
					check(m+"_difference", whole(d))
				} else {
					check(m+"_difference", nil)
				}
			}
			if options != "" {
				check("human", s.Human)
				if s.HumanRank != nil {
					check("human_rank", whole(*s.HumanRank))
				} else {
					check("human_rank", nil)
				}
			}
		}
	}
}
