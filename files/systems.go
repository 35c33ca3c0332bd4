package files

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// ReadSystems reads scores of systems, in two columns with a tab between, system and score,
// or in WMT's table ([ReadWMTSystems]), of which it takes the z scores. Of two columns, a first
// row whose second is neither a number nor missing is a header, or whose first is such as
// "system", unless its first is one of the names that are known. The result has one item, "", which stands for all of a system's
// output. A score that is missing is NaN.
func ReadSystems(r io.Reader, name string, known []string, o Options) (*metaeval.Scores, error) {
	return read(r, name, o, systemsParser(known))
}

// OpenSystems is [ReadSystems] of a file.
func OpenSystems(ctx context.Context, path string, known []string, o Options) (*metaeval.Scores, error) {
	return open(ctx, path, o, systemsParser(known))
}

func systemsParser(known []string) parser[*metaeval.Scores] {
	return table(func(s *source) (*metaeval.Scores, error) {
		if strings.Count(s.first, "\t") != 1 && formOf(s.first) == WMTSystems {
			all, err := parseWMTSystems(s)
			if err != nil {
				return nil, err
			}
			return systemScores(all, func(s human.SystemScore) float64 { return s.Z }), nil
		}
		return parseSystems(s, known)
	})
}

// systemScores makes one item of scores of systems.
func systemScores(all []human.SystemScore, score func(human.SystemScore) float64) *metaeval.Scores {
	out := &metaeval.Scores{Items: []string{""}}
	for _, s := range all {
		out.Systems, out.Values = append(out.Systems, s.System), append(out.Values, score(s))
	}
	return out
}

// isSystemHeader says whether the fields of a first row are a header.
func isSystemHeader(name, text string) bool {
	return !numeric(text) && (!missing(text) || slices.Contains(systemNames, strings.ToLower(name)))
}

func parseSystems(s *source, known []string) (*metaeval.Scores, error) {
	out := &metaeval.Scores{Items: []string{""}}
	at := make(map[string]int)
	first, some := true, false
	err := rows(s, tabs, func(r *row) error {
		if len(r.fields) != 2 {
			return r.errorf("%d columns, want 2 with a tab between: system, score", len(r.fields))
		}
		name, text := r.fields[0], r.fields[1]
		header := first && !slices.Contains(known, name) && isSystemHeader(name, text)
		if first = false; header {
			return nil
		}
		v, err := r.score(1, "score of "+name)
		if err != nil {
			return err
		}
		if before, ok := at[name]; ok {
			return r.errorf("a second score of %s, which has one on line %d", name, before)
		}
		at[name] = r.line
		some = some || !math.IsNaN(v)
		out.Systems, out.Values = append(out.Systems, name), append(out.Values, v)
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
