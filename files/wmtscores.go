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

// A submission is such a file, of one language pair, as far as it is read.
type submission struct {
	pair           string
	segment, width int
	names          []string
	metrics        map[string]*submittedMetric
}

type submittedMetric struct {
	grid   grid.Grid
	values []float64
	at     []int // lines
}

func parseWMTMetrics(s *source) ([]MetricScores, error) {
	t := &submission{metrics: make(map[string]*submittedMetric)}
	if err := rows(s, tabs, t.row); err != nil {
		return nil, err
	}
	var out []MetricScores
	for _, name := range t.names {
		m := t.metrics[name]
		scores, err := filled(s.name, &m.grid, m.values, m.at)
		var twice *LineError
		if errors.As(err, &twice) {
			twice.Err = fmt.Errorf("%w (of one test set and reference there can be one)", twice.Err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, MetricScores{Name: name, Scores: scores, Direction: HigherIsBetter})
	}
	return out, nil
}

func (t *submission) row(r *row) error {
	if t.width == 0 {
		t.pair, t.segment, t.width = r.fields[1], wmtSegment(r.fields), len(r.fields)
	}
	if len(r.fields) != t.width {
		return r.errorf("%d columns, the line before has %d", len(r.fields), t.width)
	}
	if err := r.named(0, t.segment-1, t.segment); err != nil {
		return err
	}
	if r.fields[1] != t.pair {
		return r.errorf("the language pair is %s, before it was %s: give a file of one", r.fields[1], t.pair)
	}
	v, err := r.score(t.segment+1, "score")
	if err != nil {
		return err
	}
	name := r.fields[0]
	m := t.metrics[name]
	if m == nil {
		m = new(submittedMetric)
		t.names, t.metrics[name] = append(t.names, name), m
	}
	m.grid.Add(r.fields[t.segment-1], r.fields[t.segment])
	m.values, m.at = append(m.values, v), append(m.at, r.line)
	return nil
}
