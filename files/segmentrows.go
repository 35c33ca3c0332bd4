package files

import (
	"slices"

	"github.com/mteval/mteval/metaeval"
)

// isSegmentRows says whether a header is of a table with a row for each segment and a column for each
// system, as pandas writes it: segments may be its index, which has no name.
func isSegmentRows(header []string) bool {
	return len(header) > 1 && segmentColumn(header) >= 0 && !slices.ContainsFunc(header, numeric)
}

// segmentColumn is the column of segments, −1 where there is none.
func segmentColumn(header []string) int {
	at := headerOf(header).find(segmentNames...)
	if at < 0 && header[0] == "" {
		return 0
	}
	return at
}

// segmentRows is such a table, as far as it is read. Columns of texts are passed over.
type segmentRows struct {
	source     *source
	texts      textColumns
	segment    int // its column
	header     []string
	taken      []int
	items      []string
	at         map[string]int // lines of items
	values     [][]float64    // of each column that is taken
	directions directionsAt
	said       said
}

func parseSegmentRows(s *source, by separator) ([]MetricScores, error) {
	t := &segmentRows{source: s, at: make(map[string]int)}
	if err := rows(s, by, t.row); err != nil {
		return nil, err
	}
	if len(t.items) == 0 {
		return nil, s.empty()
	}
	if len(t.taken) == 1 { // of one system, which has the file's name
		name := t.header[t.taken[0]]
		if name == "score" {
			name = ""
		}
		return []MetricScores{{Name: name, Scores: &metaeval.Scores{Systems: []string{""}, Items: t.items, Values: t.values[0]}, Direction: t.said.direction}}, nil
	}
	scores := &metaeval.Scores{Items: t.items}
	for k, c := range t.taken {
		scores.Systems = append(scores.Systems, t.header[c])
		scores.Values = append(scores.Values, t.values[k]...)
	}
	return []MetricScores{{Scores: scores, Direction: t.said.direction}}, nil
}

func (t *segmentRows) row(r *row) error {
	if t.header == nil {
		t.header, t.segment = slices.Clone(r.fields), segmentColumn(r.fields)
		t.texts = t.source.textColumns(t.header)
		t.source.numbering.index = t.header[t.segment] == ""
		t.directions = directionColumns(t.header)
		return nil
	}
	if len(r.fields) != len(t.header) {
		return r.errorf("%d columns, the header has %d", len(r.fields), len(t.header))
	}
	if err := r.named(t.segment); err != nil {
		return err
	}
	if t.taken == nil {
		if err := t.take(r); err != nil {
			return err
		}
	}
	item := r.fields[t.segment]
	if before, ok := t.at[item]; ok {
		return r.errorf("a second row of segment %s, which has one on line %d", item, before)
	}
	t.at[item] = r.line
	t.texts.add(r, "", item)
	t.items = append(t.items, item)
	for k, c := range t.taken {
		v, err := r.score(c, "score of "+t.header[c])
		if err != nil {
			return err
		}
		t.values[k] = append(t.values[k], v)
	}
	return t.said.take(r, t.directions.of[t.taken[0]])
}

// take chooses the columns that have a score in the first row, or may have one.
func (t *segmentRows) take(r *row) error {
	called := make(map[string]bool)
	for c, field := range r.fields {
		if c != t.segment && !t.directions.are[c] && t.header[c] != "" && (numeric(field) || missing(field)) {
			if called[t.header[c]] {
				return r.errorf("two columns are called %s in the header", t.header[c])
			}
			called[t.header[c]] = true
			t.taken = append(t.taken, c)
		}
	}
	if len(t.taken) == 0 {
		return r.errorf("no column has a number: the header has %q", t.header)
	}
	t.values = make([][]float64, len(t.taken))
	return nil
}
