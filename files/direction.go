package files

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
)

// A Direction says whether more or less of a metric is better.
type Direction int

const (
	// Unsaid is that of a metric of which the file does not say it.
	Unsaid Direction = iota
	HigherIsBetter
	LowerIsBetter
)

// directionColumn is what a column or a field of JSON is called that says whether less of a metric
// is better, true or false. In a table with a column for each metric it stands behind the metric's
// name and a _.
const directionColumn = "lower_is_better"

func (d Direction) String() string {
	switch d {
	case HigherIsBetter:
		return "more is better"
	case LowerIsBetter:
		return "less is better"
	}
	return "nothing says whether less is better"
}

// directionOf is that of what such a field says.
func directionOf(lowerIsBetter bool) Direction {
	if lowerIsBetter {
		return LowerIsBetter
	}
	return HigherIsBetter
}

// Directions are what the caller knows of metrics: the names of those of which less is better,
// and of those of which more is.
type Directions struct{ Lower, Higher []string }

// Metrics returns the metrics with their directions. Of each it is what the caller says, or else
// what the file says or its form has a rule for (the Direction of [MetricScores]), or else it is
// told by the metric's name: less is better of TER, WER, CER, MER, WIL, PER, CDER, EED, CharacTER,
// MetricX and their kin, with a version, a size or a reference behind the name, and more of all
// others.
//
// One of these names, or error, loss or distance, that is only a word of a name does not tell:
// 1-TER is no error metric. Where nothing else says it, that is a [DirectionError]. A table called
// as a file of mt-metrics-eval, such as TER-refA, whose scores are below 0 on the whole has the
// error metric negated, as it is there. To name a metric twice, or one that there is not, is an
// error.
func (d Directions) Metrics(ms []MetricScores) ([]metaeval.Metric, error) {
	var all, open []string
	out := make([]metaeval.Metric, len(ms))
	for i, m := range ms {
		out[i] = metaeval.Metric{Name: m.Name, Scores: m.Scores}
		all = append(all, m.Name)
		switch d.of(m) {
		case LowerIsBetter:
			out[i].LowerIsBetter = true
		case Unsaid:
			open = append(open, m.Name)
		}
	}
	for _, name := range slices.Concat(d.Lower, d.Higher) {
		if slices.Contains(d.Lower, name) && slices.Contains(d.Higher, name) {
			return nil, fmt.Errorf("files: metric %s: less of it can't be better and more, too", name)
		}
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("files: no metric %s: have %s", name, names.Few(all))
		}
	}
	if len(open) > 0 {
		return nil, &DirectionError{open}
	}
	return out, nil
}

// of is the direction of a metric, Unsaid where nothing tells it.
func (d Directions) of(m MetricScores) Direction {
	switch {
	case slices.Contains(d.Lower, m.Name):
		return LowerIsBetter
	case slices.Contains(d.Higher, m.Name):
		return HigherIsBetter
	}
	if told := m.told(); told != Unsaid {
		return told
	}
	if mayBeError(m.Name) {
		return Unsaid
	}
	return HigherIsBetter
}

// told is the direction that the file says, or else the name of an error metric.
func (m *MetricScores) told() Direction {
	switch {
	case m.Direction != Unsaid || !isErrorMetric(m.Name):
		return m.Direction
	case isTreeMetric(m.Name) && isNegated(m.Scores):
		return HigherIsBetter
	}
	return LowerIsBetter
}

// isNegated says whether scores are below 0 on the whole, which no error metric's are unless they
// are negated.
func isNegated(s *metaeval.Scores) bool {
	if s == nil {
		return false
	}
	sum := 0.0
	for _, v := range s.Values {
		if !math.IsNaN(v) {
			sum += v
		}
	}
	return sum < 0
}

// A DirectionError is of metrics of which nothing says whether more or less is better, where
// their names look like those of error metrics.
type DirectionError struct{ Metrics []string }

func (e *DirectionError) Error() string {
	return fmt.Sprintf("%s: by its name it may be an error metric, or the opposite of one: say whether less is better or more", names.Few(e.Metrics))
}

// isWMTTable says whether a header is that of WMT's tables of segments, in which error metrics are
// negated.
func isWMTTable(header []string) bool {
	return slices.Contains(header, "SYS") && slices.Contains(header, "SCORE") && (slices.Contains(header, "SEGID") || slices.Contains(header, "SID"))
}

// isTreeFile says whether a file has the name of one of mt-metrics-eval's, in which more is better.
func isTreeFile(name string) bool {
	name = strings.TrimSuffix(filepath.Base(name), ".gz")
	return strings.HasSuffix(name, ".seg.score") || strings.HasSuffix(name, ".sys.score")
}

// directionColumns are for each column of a header the one that says the direction of the metric that
// it is of, −1 where none does: one that is called as it and directionColumn, or that alone.
func directionColumns(header []string) directionsAt {
	at := make(map[string]int)
	for c, name := range header {
		at[name] = c
	}
	all := headerOf(header).find(directionColumn)
	out := directionsAt{make([]int, len(header)), make(map[int]bool)}
	for c, name := range header {
		own, ok := at[name+"_"+directionColumn]
		if !ok {
			own = all
		}
		if out.of[c] = own; own >= 0 {
			out.are[own] = true
		}
	}
	return out
}

// directionsAt are the columns of a header that say directions.
type directionsAt struct {
	of  []int // of each column the one that says its, or −1
	are map[int]bool
}

// said is what the rows of a table say of a metric, if they do.
type said struct {
	direction Direction
	line      int // that said it
}

// take reads the field of a column that says it; −1 is none. An empty one says nothing.
func (d *said) take(r *row, column int) error {
	if column < 0 || missing(r.fields[column]) {
		return nil
	}
	var is Direction
	switch strings.ToLower(r.fields[column]) {
	case "true":
		is = LowerIsBetter
	case "false":
		is = HigherIsBetter
	default:
		return r.errorf("%s is %q: want true or false", directionColumn, r.fields[column])
	}
	if before := d.line; !d.is(is, r.line) {
		return r.errorf("%s is %s, and for the same metric on line %d it is not", directionColumn, r.fields[column], before)
	}
	return nil
}

// is notes a direction, and returns whether it is that of before.
func (d *said) is(direction Direction, line int) bool {
	same := d.direction == Unsaid || d.direction == direction
	*d = said{direction, line}
	return same
}
