package files

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/metaeval"
)

// numbered are the names of segments that are called by their numbers, from 1.
func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i + 1)
	}
	return out
}

// parseNumbers reads scores of one system, one a line. As lines are segments, none may be blank
// but those at the end.
func parseNumbers(s *source) ([]MetricScores, error) {
	s.numbering.form = counted
	var values []float64
	for gap := 0; ; {
		line, n, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if blank(line) {
			gap = n
			continue
		}
		if gap > 0 && len(values) > 0 {
			return nil, &LineError{s.name, gap, errors.New("a blank line among scores, a line each: write NA for a score that is missing")}
		}
		r := row{s.name, n, []string{strings.TrimSpace(line)}}
		s.end.add(r.fields[0], n)
		v, err := r.score(0, "score")
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	if !slices.ContainsFunc(values, func(v float64) bool { return !math.IsNaN(v) }) {
		return nil, s.empty()
	}
	return []MetricScores{{Scores: &metaeval.Scores{Systems: []string{""}, Items: numbered(len(values)), Values: values}}}, nil
}

// parseBlocks reads two columns, system and score. Where systems stand more than once they are
// scores of segments in order, as mt-metrics-eval has them, and each system must have as many.
func parseBlocks(s *source) ([]MetricScores, error) {
	s.numbering.form = counted
	by := make(map[string][]float64)
	lineOf := make(map[string][]int)
	var names []string
	err := rows(s, tabs, func(r *row) error {
		if len(r.fields) != 2 {
			return r.errorf("%d columns, want 2 with a tab between: system, score", len(r.fields))
		}
		name := r.fields[0]
		if len(names) == 0 && r.line == s.at && isSystemHeader(name, r.fields[1]) {
			return nil
		}
		v, err := r.score(1, "score of "+name)
		if err != nil {
			return err
		}
		if by[name] == nil {
			names = append(names, name)
		}
		by[name], lineOf[name] = append(by[name], v), append(lineOf[name], r.line)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(names, func(n string) bool { return slices.ContainsFunc(by[n], func(v float64) bool { return !math.IsNaN(v) }) }) {
		return nil, s.empty()
	}
	most := slices.MaxFunc(names, func(a, b string) int { return len(by[a]) - len(by[b]) })
	n := len(by[most])
	out := &metaeval.Scores{Systems: names, Items: numbered(n)}
	for _, name := range names {
		if short := len(by[name]); short < n {
			at := lineOf[most]
			return nil, &LineError{s.name, at[short], fmt.Errorf("a second score of %s, which has one on line %d: for scores of segments in order each system must have as many, and %s has %d, %s %d", most, at[short-1], most, n, name, short)}
		}
		out.Values = append(out.Values, by[name]...)
	}
	if n == 1 {
		out.Items[0] = ""
	}
	is := Unsaid
	if isTreeFile(s.name) {
		is = HigherIsBetter
	}
	return []MetricScores{{Scores: out, SystemsOnly: n == 1, Direction: is}}, nil
}
