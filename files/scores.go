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

func parseScores(s *source) (*metaeval.Scores, error) {
	system, segment, score := 0, 1, 2
	width := 0
	var g grid.Grid
	var values []float64
	var at []int // their lines
	err := rows(s, tabs, func(r *row) error {
		if width == 0 {
			switch width = len(r.fields); {
			case width < 3:
				return r.errorf("%d columns: want system, segment and score with tabs between", width)
			case !missing(r.fields[2]) && !numeric(r.fields[2]):
				var err error
				system, segment, score, err = scoreColumns(r)
				return err
			case width > 3:
				return r.errorf("%d columns and no header: want system, segment and score, or a header that says which they are", width)
			}
		}
		if len(r.fields) != width {
			return r.errorf("%d columns, the line before has %d", len(r.fields), width)
		}
		if err := r.named(system, segment); err != nil {
			return err
		}
		if missing(r.fields[score]) {
			// The system and the segment are there all the same.
			g.Systems.Number(r.fields[system])
			g.Items.Number(r.fields[segment])
			return nil
		}
		v, err := r.number(score, "score")
		if err != nil {
			return err
		}
		g.Add(r.fields[system], r.fields[segment])
		values, at = append(values, v), append(at, r.line)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, s.empty()
	}
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	out := metaeval.NewScores(g.Systems.Names, g.Items.Names)
	lineOf := make([]int, len(out.Values))
	for k, v := range values {
		c := g.At(k)
		if lineOf[c] > 0 {
			return nil, second(s.name, at[k], lineOf[c], &g, k)
		}
		out.Values[c], lineOf[c] = v, at[k]
	}
	return out, nil
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
