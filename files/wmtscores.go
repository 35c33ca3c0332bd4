package files

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mteval/mteval/internal/grid"
)

// isLanguagePair says whether a field is one such as de-en or en-zh_CN.
func isLanguagePair(field string) bool {
	source, target, ok := strings.Cut(field, "-")
	return ok && isLanguage(source) && isLanguage(target)
}

func isLanguage(code string) bool {
	code, region, has := strings.Cut(code, "_")
	other := func(low, high rune) func(rune) bool { return func(r rune) bool { return r < low || r > high } }
	return (len(code) == 2 || len(code) == 3) && !strings.ContainsFunc(code, other('a', 'z')) &&
		(!has || len(region) == 2 && !strings.ContainsFunc(region, other('A', 'Z')))
}

// wmtSegment returns the column of the segment's number in what metrics were sent to WMT as: metric,
// language pair, test set, in some years domain or reference, system, segment, score, and perhaps more.
// It is −1 if a line is none.
func wmtSegment(fields []string) int {
	if len(fields) < 6 || !isLanguagePair(fields[1]) {
		return -1
	}
	for at := 4; at < len(fields)-1; at++ {
		if _, err := strconv.ParseUint(fields[at], 10, 31); err == nil && (numeric(fields[at+1]) || missing(fields[at+1])) {
			return at
		}
	}
	return -1
}

// parseWMTMetrics reads such a file, of one language pair.
func parseWMTMetrics(s *source) ([]MetricScores, error) {
	type table struct {
		grid   grid.Grid
		values []float64
		at     []int
	}
	var names []string
	tables := make(map[string]*table)
	pair, segment, width := "", 0, 0
	err := rows(s, tabs, func(r *row) error {
		if width == 0 {
			pair, segment, width = r.fields[1], wmtSegment(r.fields), len(r.fields)
		}
		if len(r.fields) != width {
			return r.errorf("%d columns, the line before has %d", len(r.fields), width)
		}
		if err := r.named(0, segment-1, segment); err != nil {
			return err
		}
		if r.fields[1] != pair {
			return r.errorf("the language pair is %s, before it was %s: give a file of one", r.fields[1], pair)
		}
		v, err := r.score(segment+1, "score")
		if err != nil {
			return err
		}
		name := r.fields[0]
		t := tables[name]
		if t == nil {
			t = new(table)
			names, tables[name] = append(names, name), t
		}
		t.grid.Add(r.fields[segment-1], r.fields[segment])
		t.values, t.at = append(t.values, v), append(t.at, r.line)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []MetricScores
	for _, name := range names {
		t := tables[name]
		scores, err := filled(s.name, &t.grid, t.values, t.at)
		var twice *LineError
		if errors.As(err, &twice) {
			twice.Err = fmt.Errorf("%w (of one test set and reference there can be one)", twice.Err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, MetricScores{Name: name, Scores: scores})
	}
	return out, nil
}
