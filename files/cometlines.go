package files

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/internal/grid"
)

// cometScore is the score of a field of comet-score's lines.
func cometScore(field string) (string, bool) { return strings.CutPrefix(field, "score: ") }

// isComet says whether a line is one that comet-score prints.
func isComet(fields []string) bool {
	if n := len(fields); n < 2 || n > 3 || n == 3 && !strings.HasPrefix(fields[1], "Segment ") {
		return false
	}
	_, ok := cometScore(fields[len(fields)-1])
	return ok
}

// parseComet reads what comet-score prints: a line for each segment and system, and at the end
// one for each system with its mean, which are taken if there are no others. That a file ends
// before them is told by the means.
func parseComet(s *source) ([]MetricScores, error) {
	s.numbering.form = counted
	c := &cometLines{name: s.name}
	if err := rows(s, tabs, c.row); err != nil {
		return nil, err
	}
	p := &c.segments
	if len(p.values) == 0 {
		p = &c.means
	}
	scores, err := filled(s.name, &p.grid, p.values, p.at)
	if err != nil {
		return nil, err
	}
	if err := c.checkEnd(s); err != nil {
		return nil, err
	}
	scores.Systems = cometSystems(scores.Systems)
	return []MetricScores{{Name: cometMetric, Scores: scores, SystemsOnly: p == &c.means}}, nil
}

// cometLines is what comet-score prints, as far as it is read.
type cometLines struct {
	name            string
	segments, means cometPart
	decimals        int // the most that scores are printed with
	// last is the line that was read last: cut says that it is no score, or one with fewer decimals
	// than it should have.
	last int
	cut  bool
}

// A cometPart is the scores of segments, or of systems.
type cometPart struct {
	grid     grid.Grid
	values   []float64
	at       []int // lines
	decimals []int
}

func (p *cometPart) add(system, item string, v float64, line, decimals int) {
	p.grid.Add(system, item)
	p.values, p.at, p.decimals = append(p.values, v), append(p.at, line), append(p.decimals, decimals)
}

// leastDecimals is how many comet-score prints: 3 in its first versions, then 4.
const leastDecimals = 3

func (c *cometLines) row(r *row) error {
	c.last, c.cut = r.line, true
	if mean, ok := strings.CutPrefix(r.fields[0], "System "); ok && len(r.fields) == 1 {
		r.fields = []string{"", mean} // as the first versions print it, of their one system
	}
	if !isComet(r.fields) {
		return nil // such as where the JSON was written
	}
	last := len(r.fields) - 1
	r.fields[last], _ = cometScore(r.fields[last])
	v, err := r.score(last, "score")
	if err != nil {
		return err
	}
	decimals := decimalsOf(r.fields[last])
	c.cut = decimals < max(leastDecimals, c.decimals) && !strings.EqualFold(r.fields[last], "nan")
	c.decimals = max(c.decimals, decimals)
	if last == 1 {
		c.means.add(r.fields[0], "", v, r.line, decimals)
		return nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(r.fields[1], "Segment "), 10, 31)
	if err != nil {
		return r.errorf("%q: comet-score has Segment and a number from 0", r.fields[1])
	}
	c.segments.add(r.fields[0], strconv.FormatUint(n+1, 10), v, r.line, decimals)
	return nil
}

// decimalsOf is how many digits a number has after the point.
func decimalsOf(number string) int {
	_, digits, _ := strings.Cut(number, ".")
	if n := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); n >= 0 {
		return n
	}
	return len(digits)
}

// checkEnd returns an error for lines that end before comet-score's do. Where there is no mean at all,
// such as of lines that were picked from a file, they may be whole.
func (c *cometLines) checkEnd(s *source) error {
	if c.cut && s.in.Open() && (len(c.means.values) == 0 || c.means.at[len(c.means.at)-1] == c.last) {
		return &LineError{c.name, c.last, errors.New("the file ends within this line: want all that comet-score prints, to the means of the systems")}
	}
	systems := c.segments.grid.Systems.Names
	if len(systems) == 0 {
		return nil
	}
	sums, rounded, counts := make([]float64, len(systems)), make([]float64, len(systems)), make([]int, len(systems))
	for k, v := range c.segments.values {
		at := c.segments.grid.Systems.Number(c.systemOf(k))
		sums[at] += v
		rounded[at] += .5 * math.Pow10(-c.segments.decimals[k])
		counts[at]++
	}
	if len(c.means.values) > 0 {
		return c.checkMeans(sums, rounded, counts)
	}
	for k, n := range counts {
		if n != counts[0] {
			return fmt.Errorf("%s: %s has scores of %d segments, %s of %d, and there is no line with a system's mean, which comet-score prints last: is the file whole?", c.name, systems[0], counts[0], systems[k], n)
		}
	}
	if s.note != nil {
		s.note(c.name, "no line with a system's mean, which comet-score prints last: the scores are taken for whole")
	}
	return nil
}

func (c *cometLines) systemOf(k int) string {
	system, _ := c.segments.grid.Of(k)
	return system
}

// checkMeans returns an error for a system whose mean is not there, or is not that of its scores, of which
// rounding may have changed the sum so much.
func (c *cometLines) checkMeans(sums, rounded []float64, counts []int) error {
	systems := c.segments.grid.Systems.Names
	has := make([]bool, len(systems))
	for m, mean := range c.means.values {
		name, _ := c.means.grid.Of(m)
		k := slices.Index(systems, name)
		if name == "" && len(systems) == 1 {
			k = 0
		}
		if k < 0 {
			continue // of a run that printed means alone
		}
		has[k] = true
		of := sums[k] / float64(counts[k])
		// The mean is rounded, too, and is of scores of single precision.
		most := .5*math.Pow10(-c.means.decimals[m]) + rounded[k]/float64(counts[k]) + 1e-6*max(1, math.Abs(of))
		if math.Abs(of-mean) > most {
			return &LineError{c.name, c.means.at[m], fmt.Errorf("the mean of %s is %v, and that of its %d scores above is %.4f: is the file whole?", systems[k], mean, counts[k], of)}
		}
	}
	if k := slices.Index(has, false); k >= 0 {
		return fmt.Errorf("%s: no line with the mean of %s, which comet-score prints after the segments of all systems: is the file whole?", c.name, systems[k])
	}
	return nil
}
