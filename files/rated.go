package files

import (
	"context"
	"io"
)

// A RatedText is an output with people's score of it and the texts that belong to it.
type RatedText struct {
	// System and Segment are names, "" where the file has none.
	System, Segment string
	// Source is "" where the file has none.
	Source, Reference, Hypothesis string
	Score                         float64
}

// ratedScores are the names of the score's column.
var ratedScores = []string{"score", "human_z", "z.scr", "raw.scr"}

// ReadRated reads scores of outputs together with their texts: a table with tabs between
// and a header that calls columns reference, hypothesis and score (or human_z, z.scr,
// raw.scr; the first of these that there is); it may have source, and system and segment
// under the names that ReadScores knows. Other columns are passed over. An empty
// hypothesis is one, and nothing is in quotes.
func ReadRated(r io.Reader, name string, o Options) ([]RatedText, error) {
	return read(r, name, o, table(parseRated))
}

// OpenRated is [ReadRated] of a file.
func OpenRated(ctx context.Context, path string, o Options) ([]RatedText, error) {
	return open(ctx, path, o, table(parseRated))
}

func parseRated(s *source) ([]RatedText, error) {
	var out []RatedText
	var h header
	var reference, hypothesis, score int
	source, system, segment := -1, -1, -1
	err := rows(s, tabs, func(r *row) error {
		if h.names == nil {
			h = headerOf(r.fields)
			source, system, segment = h.find("source"), h.find(systemNames...), h.find(segmentNames...)
			return h.locate(r, column{&reference, []string{"reference"}}, column{&hypothesis, []string{"hypothesis"}}, column{&score, ratedScores})
		}
		if err := h.fits(r); err != nil {
			return err
		}
		v, err := r.number(score, "score")
		if err != nil {
			return err
		}
		field := func(column int) string {
			if column < 0 {
				return ""
			}
			return r.fields[column]
		}
		out = append(out, RatedText{
			System: field(system), Segment: field(segment), Source: field(source),
			Reference: r.fields[reference], Hypothesis: r.fields[hypothesis], Score: v,
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, s.empty()
	}
	return out, nil
}
