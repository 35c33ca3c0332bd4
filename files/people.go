package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/metaeval"
)

// A Form is one in which people's scores come.
type Form string

// The forms.
const (
	SegmentTable Form = "scores"       // of segments: [ReadScores]
	SystemTable  Form = "systems"      // [ReadSystems]
	WMTSegments  Form = "wmt-segments" // [ReadWMTSegments]
	WMTSystems   Form = "wmt-systems"  // [ReadWMTSystems]
	PairTable    Form = "pairs"        // [ReadPairs]
)

// Forms returns all of them.
func Forms() []Form { return []Form{SegmentTable, SystemTable, WMTSegments, WMTSystems, PairTable} }

// Title says in words what a file of the form has.
func (f Form) Title() string {
	switch f {
	case SegmentTable:
		return "scores of segments"
	case SystemTable:
		return "scores of systems"
	case WMTSegments:
		return "WMT's scores of segments"
	case WMTSystems:
		return "WMT's scores of systems"
	}
	return string(f)
}

// TwoScores says whether scores of the form are two each, raw and z.
func (f Form) TwoScores() bool { return f == WMTSegments || f == WMTSystems }

// ErrSingleJudges is wrapped by the error of [ReadPeople] for judgements of single people.
var ErrSingleJudges = errors.New("judgements of single judges: give averages of them, as package human makes")

// PeopleOptions are options of [ReadPeople].
type PeopleOptions struct {
	Options
	// Form of the file; "" is told by its first line.
	Form Form
	// Pair is the language pair to read of a file of pairs with several: see [ReadPairs].
	Pair string
}

// People is what a file says of systems. Which of the others than Form is set is told by Form.
type People struct {
	Form     Form
	Scores   *metaeval.Scores     // SegmentTable, or SystemTable, with one item
	Segments *human.SegmentScores // WMTSegments
	Systems  []human.SystemScore  // WMTSystems
	Pairs    *human.Pairs         // PairTable
}

// SegmentScores returns the scores of segments, the z scores if those are wanted and there are
// two, and how many judgements each rests on, nil if that is not known. Both are nil where the
// file has none of segments.
func (p *People) SegmentScores(z bool) (scores, judgements *metaeval.Scores) {
	switch {
	case p.Form == SegmentTable:
		return p.Scores, nil
	case p.Segments == nil:
		return nil, nil
	case z:
		return p.Segments.Z, p.Segments.N
	}
	return p.Segments.Raw, p.Segments.N
}

// SystemScores returns the scores of systems, the z scores if those are wanted and there are
// two, on one item, "". Systems whose score is missing are left out. It is nil where the file
// has none of systems.
func (p *People) SystemScores(z bool) *metaeval.Scores {
	switch p.Form {
	case SystemTable:
		return withScore(p.Scores)
	case WMTSystems:
		return withScore(systemScores(p.Systems, func(s human.SystemScore) float64 {
			if z {
				return s.Z
			}
			return s.Raw
		}))
	}
	return nil
}

// withScore leaves out the systems whose score is missing.
func withScore(s *metaeval.Scores) *metaeval.Scores {
	out := &metaeval.Scores{Items: s.Items}
	for k, v := range s.Values {
		if !math.IsNaN(v) {
			out.Systems, out.Values = append(out.Systems, s.Systems[k]), append(out.Values, v)
		}
	}
	return out
}

// ReadPeople reads people's scores of systems or segments, or their pairs, in any of the forms.
func ReadPeople(r io.Reader, name string, o PeopleOptions) (*People, error) {
	return read(r, name, o.Options, o.parser())
}

// OpenPeople is [ReadPeople] of a file.
func OpenPeople(ctx context.Context, path string, o PeopleOptions) (*People, error) {
	return open(ctx, path, o.Options, o.parser())
}

func (o PeopleOptions) parser() parser[*People] {
	return table(func(s *source) (*People, error) {
		p := &People{Form: o.Form}
		if p.Form == "" {
			if p.Form = formOf(s.first); p.Form == "" {
				return nil, fmt.Errorf("%s: %w", s.name, ErrSingleJudges)
			}
		}
		var err error
		switch p.Form {
		case SegmentTable:
			p.Scores, err = parseScores(s)
		case SystemTable:
			p.Scores, err = parseSystems(s, nil)
		case WMTSegments:
			p.Segments, err = parseWMTSegments(s)
		case WMTSystems:
			p.Systems, err = parseWMTSystems(s)
		case PairTable:
			p.Pairs, err = parsePairs(s, o.Pair)
		default:
			err = fmt.Errorf("files: no form %q", p.Form)
		}
		if err != nil {
			return nil, err
		}
		if err := s.checkCut(false); err != nil {
			return nil, err
		}
		return p, lineUp([]sheet{p.sheet(s)}, Options{Beside: o.Beside, Note: s.note})
	})
}

// sheet is the names of segments.
func (p *People) sheet(s *source) sheet {
	out := sheet{name: s.name, numbering: s.numbering}
	out.people = true
	switch {
	case p.Form == SegmentTable:
		out.lists = append(out.lists, &p.Scores.Items)
	case p.Segments != nil:
		for _, of := range []*metaeval.Scores{p.Segments.Raw, p.Segments.Z, p.Segments.N} {
			out.lists = append(out.lists, &of.Items)
		}
	case p.Pairs != nil:
		out.lists = append(out.lists, &p.Pairs.Items)
	}
	return out
}

// formOf tells by its first line what a file is, "" for judgements of single people.
func formOf(line string) Form {
	fields := strings.FieldsFunc(strings.ToLower(line), func(r rune) bool { return strings.ContainsRune("\t ,\"", r) })
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(fields, n) })
	}
	hasOne := func(names []string) bool { return slices.ContainsFunc(names, func(n string) bool { return has(n) }) }
	switch {
	case has("raw.scr", "z.scr", "n.all"):
		return WMTSystems
	case has("raw.scr", "z.scr"):
		return WMTSegments
	case has("better", "worse"), has("a", "b", "result"):
		return PairTable
	case hasOne([]string{"judge", "rater", "workerid", "judgeid", "severity"}):
		return ""
	case strings.Count(line, "\t") == 1:
		return SystemTable
	}
	return SegmentTable // whose reader says what is wrong with it
}
