package files

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/grid"
	"github.com/mteval/mteval/metaeval"
)

// ReadWMTSegments reads WMT's ad-seg-scores, metrics-ad-seg-scores and metrics-ad-doc-scores:
// a table with a header that calls columns SYS, SEGID or SID, RAW.SCR, Z.SCR and N, in any
// order, with tabs, spaces or commas between. Where it has both SEGID and SID, items are
// called by SEGID. A score that is missing is NaN.
func ReadWMTSegments(r io.Reader, name string, o Options) (*human.SegmentScores, error) {
	return read(r, name, o, table(parseWMTSegments))
}

// OpenWMTSegments is [ReadWMTSegments] of a file.
func OpenWMTSegments(ctx context.Context, path string, o Options) (*human.SegmentScores, error) {
	return open(ctx, path, o, table(parseWMTSegments))
}

func parseWMTSegments(s *source) (*human.SegmentScores, error) {
	var t wmtTable
	if err := rows(s, s.separator(), t.row); err != nil {
		return nil, err
	}
	if !t.some {
		return nil, s.empty()
	}
	g := &t.grid
	if err := g.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	out := &human.SegmentScores{
		Raw: metaeval.NewScores(g.Systems.Names, g.Items.Names),
		Z:   metaeval.NewScores(g.Systems.Names, g.Items.Names),
		N:   metaeval.NewScores(g.Systems.Names, g.Items.Names),
	}
	lineOf := make([]int, len(out.N.Values))
	for k, v := range t.scores {
		c := g.At(k)
		if lineOf[c] > 0 {
			return nil, second(s.name, v.line, lineOf[c], g, k)
		}
		out.Raw.Values[c], out.Z.Values[c], out.N.Values[c], lineOf[c] = v.raw, v.z, float64(v.n), v.line
	}
	return out, nil
}

// A wmtTable is a table of segments' scores as far as it is read.
type wmtTable struct {
	header                     header
	system, segment, raw, z, n int // columns

	grid   grid.Grid
	scores []wmtScore
	some   bool // score is not missing
}

type wmtScore struct {
	raw, z  float64
	n, line int
}

func (t *wmtTable) row(r *row) error {
	if t.header.names == nil {
		t.header = headerOf(r.fields)
		return t.header.locate(r, column{&t.system, systemNames}, column{&t.segment, segmentNames},
			column{&t.raw, []string{"raw.scr"}}, column{&t.z, []string{"z.scr"}}, column{&t.n, []string{"n"}})
	}
	if err := t.header.fits(r); err != nil {
		return err
	}
	if err := r.named(t.system, t.segment); err != nil {
		return err
	}
	v := wmtScore{line: r.line}
	var err error
	if v.raw, v.z, err = rawAndZ(r, t.raw, t.z); err != nil {
		return err
	}
	if v.n, err = r.count(t.n, "number of judgements"); err != nil {
		return err
	}
	t.some = t.some || !math.IsNaN(v.raw) || !math.IsNaN(v.z)
	t.grid.Add(r.fields[t.system], r.fields[t.segment])
	t.scores = append(t.scores, v)
	return nil
}

// ReadWMTSystems reads WMT's ad-sys-scores: a table with a header that calls columns SYS,
// RAW.SCR, Z.SCR, N and N.ALL, in any order, with tabs, spaces or commas between. A score that
// is missing is NaN.
func ReadWMTSystems(r io.Reader, name string, o Options) ([]human.SystemScore, error) {
	return read(r, name, o, table(parseWMTSystems))
}

// OpenWMTSystems is [ReadWMTSystems] of a file.
func OpenWMTSystems(ctx context.Context, path string, o Options) ([]human.SystemScore, error) {
	return open(ctx, path, o, table(parseWMTSystems))
}

func parseWMTSystems(s *source) ([]human.SystemScore, error) {
	var h header
	var system, raw, z, n, all int
	var out []human.SystemScore
	some := false
	at := make(map[string]int)
	err := rows(s, s.separator(), func(r *row) error {
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
		v := human.SystemScore{System: r.fields[system]}
		if before, ok := at[v.System]; ok {
			return r.errorf("a second score of system %s, which has one on line %d", v.System, before)
		}
		at[v.System] = r.line
		var err error
		if v.Raw, v.Z, err = rawAndZ(r, raw, z); err != nil {
			return err
		}
		if v.Segments, err = r.count(n, "number of segments"); err != nil {
			return err
		}
		if v.Judgements, err = r.count(all, "number of judgements"); err != nil {
			return err
		}
		some = some || !math.IsNaN(v.Raw) || !math.IsNaN(v.Z)
		out = append(out, v)
		return nil
	})
	if err == nil && !some {
		err = s.empty()
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// rawAndZ are the two scores of WMT's tables.
func rawAndZ(r *row, raw, z int) (float64, float64, error) {
	a, err := r.score(raw, "raw score")
	if err != nil {
		return 0, 0, err
	}
	b, err := r.score(z, "z score")
	return a, b, err
}
