package human

import "github.com/mteval/mteval/internal/lines"

// A Rated is an output with people's score of it and the texts that belong to it.
type Rated struct {
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
// hypothesis is one, and nothing is in quotes. The file may be gzipped; "-" is standard
// input.
func ReadRated(path string) ([]Rated, error) {
	f, err := lines.Read(path)
	if err != nil {
		return nil, err
	}
	return parseRated(f)
}

func parseRated(f *lines.File) ([]Rated, error) {
	var out []Rated
	var h header
	var reference, hypothesis, score int
	source, system, segment := -1, -1, -1
	err := rows(f, tabs, func(r *row) error {
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
		out = append(out, Rated{
			System: field(system), Segment: field(segment), Source: field(source),
			Reference: r.fields[reference], Hypothesis: r.fields[hypothesis], Score: v,
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, empty(f)
	}
	return out, nil
}
