package files

import (
	"math"
	"slices"

	"github.com/mteval/mteval/internal/grid"
)

// segmentColumns is a table with a row for each output and a column for each metric, as far as it
// is read. Columns of texts are passed over.
type segmentColumns struct {
	system, segment int // columns
	header          []string
	started         bool // with the header
	taken           []int
	texts           textColumns
	grid            grid.Grid
	values          [][]float64 // of each column that is taken
	at              []int       // lines
	directions      directionsAt
	said            []said // of each column
}

func parseSegmentColumns(s *source, by separator, system, segment int, header []string) ([]MetricScores, error) {
	t := &segmentColumns{system: system, segment: segment, header: header, directions: directionColumns(header), texts: s.textColumns(header), said: make([]said, len(header))}
	if err := rows(s, by, t.row); err != nil {
		return nil, err
	}
	var out []MetricScores
	called := make(map[string]bool)
	for k, c := range t.taken {
		if called[header[c]] {
			return nil, twoColumns(s, header[c])
		}
		if !slices.ContainsFunc(t.values[k], func(v float64) bool { return !math.IsNaN(v) }) {
			continue
		}
		scores, err := filled(s.name, &t.grid, t.values[k], t.at)
		if err != nil {
			return nil, err
		}
		called[header[c]] = true
		out = append(out, MetricScores{Name: header[c], Scores: scores, Direction: t.said[c].direction})
	}
	if len(out) == 0 {
		return nil, s.empty()
	}
	return out, nil
}

func (t *segmentColumns) row(r *row) error {
	if !t.started {
		t.started = true
		return nil
	}
	if len(r.fields) != len(t.header) {
		return r.errorf("%d columns, the header has %d", len(r.fields), len(t.header))
	}
	if err := r.named(t.system, t.segment); err != nil {
		return err
	}
	if t.at == nil {
		if err := t.take(r); err != nil {
			return err
		}
	}
	for k, c := range t.taken {
		v, err := r.score(c, t.header[c])
		if err != nil {
			return err
		}
		t.values[k] = append(t.values[k], v)
		if err := t.said[c].take(r, t.directions.of[c]); err != nil {
			return err
		}
	}
	t.texts.add(r, r.fields[t.system], r.fields[t.segment])
	t.grid.Add(r.fields[t.system], r.fields[t.segment])
	t.at = append(t.at, r.line)
	return nil
}

// take chooses the columns that have a score in the first row, or may have one.
func (t *segmentColumns) take(r *row) error {
	for c, field := range r.fields {
		if c != t.system && c != t.segment && t.header[c] != "" && !t.directions.are[c] && (numeric(field) || missing(field)) {
			t.taken = append(t.taken, c)
		}
	}
	if len(t.taken) == 0 {
		return r.errorf("no column has a number: the header has %q", t.header)
	}
	t.values = make([][]float64, len(t.taken))
	return nil
}
