package human

import (
	"math"
	"slices"

	"github.com/mteval/mteval/metaeval"
)

// SegmentScores are direct assessments averaged by segment, or by document, as WMT publishes
// them. Raw, Z and N have the same systems and items.
type SegmentScores struct {
	// Raw has the means of the scores from 0 to 100, and Z those of standardised ones.
	Raw, Z *metaeval.Scores
	// N has how many judgements are behind a score.
	N *metaeval.Scores
}

// A SystemScore is a system's score as WMT publishes it.
type SystemScore struct {
	System string
	// Raw and Z are the means over segments of the mean scores of segments.
	Raw, Z float64
	// Segments is how many segments are behind them, and Judgements how many judgements.
	Segments, Judgements int
}

// SystemScores returns the scores of the systems, in their order. A system without any
// segment is left out. There are none where Raw, Z and N are not of the same systems and
// items, or lack values. A number of judgements that is missing or below 0 counts as 0.
func (s *SegmentScores) SystemScores() []SystemScore {
	for _, scores := range []*metaeval.Scores{s.Raw, s.Z, s.N} {
		if scores.Check() != nil || !slices.Equal(scores.Systems, s.Raw.Systems) || !slices.Equal(scores.Items, s.Raw.Items) {
			return nil
		}
	}
	raw, z := s.Raw.SystemMeans(), s.Z.SystemMeans()
	var out []SystemScore
	for k, name := range s.Raw.Systems {
		t := SystemScore{System: name, Raw: raw[k], Z: z[k]}
		for i := range s.Raw.Items {
			if !math.IsNaN(s.Raw.At(k, i)) {
				t.Segments++
				if n := s.N.At(k, i); n > 0 && n < 1<<31 {
					t.Judgements += int(n)
				}
			}
		}
		if t.Segments > 0 {
			out = append(out, t)
		}
	}
	return out
}
