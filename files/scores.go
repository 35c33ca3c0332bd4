package files

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/mteval/mteval/internal/grid"
	"github.com/mteval/mteval/metaeval"
)

// ReadScores reads the scores of systems on segments, people's or a metric's, from a
// plain table: lines of system, segment and score with tabs between, more columns if a
// header says which is which. The file may be gzipped; "-" is standard input.
//
// A first line whose third column is neither a number nor a missing score is a header.
// It calls the columns system (or sys, sys_id), segment (or segid, seg_id, sid, seg,
// item) and score, in any order and case; where there are three columns and one is
// called otherwise, it is the score. Columns beyond these are passed over.
//
// A score that is empty, NA, NaN or None is missing. Systems and segments are in the order
// in which they come. Two scores of a system on a segment, and a score that is not
// finite, are errors.
func ReadScores(r io.Reader, name string, o Options) (*metaeval.Scores, error) {
	return read(r, name, o, table(parseScores))
}

// OpenScores is [ReadScores] of a file.
func OpenScores(ctx context.Context, path string, o Options) (*metaeval.Scores, error) {
	return open(ctx, path, o, table(parseScores))
}

func parseScores(s *source) (*metaeval.Scores, error) { return parseScoresBy(s, tabs) }

func parseScoresBy(s *source, by separator) (*metaeval.Scores, error) {
	t := &scoreTable{source: s, segment: 1, score: 2}
	if err := rows(s, by, t.row); err != nil {
		return nil, err
	}
	if len(t.values) == 0 {
		return nil, s.empty()
	}
	if err := t.grid.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	out := metaeval.NewScores(t.grid.Systems.Names, t.grid.Items.Names)
	lineOf := make([]int, len(out.Values))
	for k, v := range t.values {
		c := t.grid.At(k)
		if lineOf[c] > 0 {
			return nil, second(s.name, t.lines[k], lineOf[c], &t.grid, k)
		}
		out.Values[c], lineOf[c] = v, t.lines[k]
	}
	return out, nil
}

// A scoreTable is a table of scores as far as it is read.
type scoreTable struct {
	source                 *source
	texts                  textColumns
	system, segment, score int // columns
	width                  int
	grid                   grid.Grid
	values                 []float64
	lines                  []int // of the values
}

func (t *scoreTable) row(r *row) error {
	if t.width == 0 {
		switch t.width = len(r.fields); {
		case t.width < 3:
			return r.errorf("%d columns: want system, segment and score with tabs between", t.width)
		case !missing(r.fields[2]) && !numeric(r.fields[2]):
			var err error
			t.system, t.segment, t.score, err = scoreColumns(r)
			t.texts = t.source.textColumns(r.fields)
			return err
		case t.width > 3:
			return r.errorf("%d columns and no header: want system, segment and score, or a header that says which they are", t.width)
		}
	}
	if len(r.fields) != t.width {
		return r.errorf("%d columns, the line before has %d", len(r.fields), t.width)
	}
	if err := r.named(t.system, t.segment); err != nil {
		return err
	}
	t.texts.add(r, r.fields[t.system], r.fields[t.segment])
	if missing(r.fields[t.score]) {
		// The system and the segment are there all the same.
		t.grid.Systems.Number(r.fields[t.system])
		t.grid.Items.Number(r.fields[t.segment])
		return nil
	}
	v, err := r.number(t.score, "score")
	if err != nil {
		return err
	}
	t.grid.Add(r.fields[t.system], r.fields[t.segment])
	t.values, t.lines = append(t.values, v), append(t.lines, r.line)
	return nil
}

// second is the error for two scores of the same output.
func second(name string, line, before int, g *grid.Grid, k int) error {
	system, item := g.Of(k)
	return &LineError{name, line, fmt.Errorf("a second score of system %s on segment %s, which has one on line %d", system, item, before)}
}

// scoreColumns finds the columns by their header.
func scoreColumns(r *row) (system, segment, score int, err error) {
	h := headerOf(r.fields)
	if h.find(systemNames...) < 0 {
		return 0, 0, 0, r.errorf("the third column is %q, which is no finite number in decimal notation, and as a header the line has no column called %s", r.fields[2], strings.Join(systemNames, " or "))
	}
	if err = h.locate(r, column{&system, systemNames}, column{&segment, segmentNames}); err != nil {
		return 0, 0, 0, err
	}
	score = h.find("score")
	if score < 0 && len(h.names) == 3 {
		score = 3 - system - segment
	}
	if score < 0 {
		_, err = h.need(r, "score")
	}
	return system, segment, score, err
}
