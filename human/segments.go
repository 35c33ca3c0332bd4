package human

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/lines"
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

// ReadSegments reads WMT's ad-seg-scores, metrics-ad-seg-scores and metrics-ad-doc-scores:
// a table with a header that calls columns SYS, SEGID or SID, RAW.SCR, Z.SCR and N, in any
// order, with tabs, spaces or commas between. Where it has both SEGID and SID, items are
// called by SEGID. The file may be gzipped; "-" is standard input.
func ReadSegments(path string) (*SegmentScores, error) {
	f, err := lines.Read(path)
	if err != nil {
		return nil, err
	}
	return parseSegments(f)
}

func parseSegments(f *lines.File) (*SegmentScores, error) {
	var h header
	var system, segment, raw, z, n int
	var g grid
	type scores struct {
		raw, z float64
		n      int
		line   int
	}
	var all []scores
	err := rows(f, separatorOf(f), func(r *row) error {
		if h.names == nil {
			h = headerOf(r.fields)
			return h.locate(r, column{&system, systemNames}, column{&segment, segmentNames},
				column{&raw, []string{"raw.scr"}}, column{&z, []string{"z.scr"}}, column{&n, []string{"n"}})
		}
		if err := h.fits(r); err != nil {
			return err
		}
		if err := r.named(system, segment); err != nil {
			return err
		}
		s := scores{line: r.line}
		var err error
		if s.raw, err = r.number(raw, "raw score"); err != nil {
			return err
		}
		if s.z, err = r.number(z, "z score"); err != nil {
			return err
		}
		if s.n, err = r.count(n, "number of judgements"); err != nil {
			return err
		}
		g.add(r.fields[system], r.fields[segment])
		all = append(all, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, empty(f)
	}
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	out := &SegmentScores{
		Raw: metaeval.NewScores(g.systems.names, g.items.names),
		Z:   metaeval.NewScores(g.systems.names, g.items.names),
		N:   metaeval.NewScores(g.systems.names, g.items.names),
	}
	lineOf := make([]int, len(out.N.Values))
	for k, s := range all {
		c := g.at(k)
		if lineOf[c] > 0 {
			return nil, second(f, s.line, lineOf[c], &g, k)
		}
		out.Raw.Values[c], out.Z.Values[c], out.N.Values[c], lineOf[c] = s.raw, s.z, float64(s.n), s.line
	}
	return out, nil
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

// ReadSystems reads WMT's ad-sys-scores: a table with a header that calls columns SYS,
// RAW.SCR, Z.SCR, N and N.ALL, in any order, with tabs, spaces or commas between.
func ReadSystems(path string) ([]SystemScore, error) {
	f, err := lines.Read(path)
	if err != nil {
		return nil, err
	}
	return parseSystems(f)
}

func parseSystems(f *lines.File) ([]SystemScore, error) {
	var h header
	var system, raw, z, n, all int
	var out []SystemScore
	at := make(map[string]int)
	err := rows(f, separatorOf(f), func(r *row) error {
		if h.names == nil {
			h = headerOf(r.fields)
			return h.locate(r, column{&system, systemNames}, column{&raw, []string{"raw.scr"}},
				column{&z, []string{"z.scr"}}, column{&n, []string{"n"}}, column{&all, []string{"n.all"}})
		}
		if err := h.fits(r); err != nil {
			return err
		}
		if err := r.named(system); err != nil {
			return err
		}
		s := SystemScore{System: r.fields[system]}
		if before, ok := at[s.System]; ok {
			return r.errorf("a second score of system %s, which has one on line %d", s.System, before)
		}
		at[s.System] = r.line
		var err error
		if s.Raw, err = r.number(raw, "raw score"); err != nil {
			return err
		}
		if s.Z, err = r.number(z, "z score"); err != nil {
			return err
		}
		if s.Segments, err = r.count(n, "number of segments"); err != nil {
			return err
		}
		if s.Judgements, err = r.count(all, "number of judgements"); err != nil {
			return err
		}
		out = append(out, s)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = empty(f)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// separatorOf tells by its header how a table's fields are separated.
func separatorOf(f *lines.File) separator {
	switch first := firstLine(f); {
	case strings.Contains(first, "\t"):
		return tabs
	case strings.Contains(first, ","):
		return commas
	}
	return spaces
}
