package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/lines"
)

// A Candidate is one translation of a segment among others.
type Candidate struct {
	Text string
	// Features are the values that a log-linear model weighs.
	Features []float64
	// Score is what the decoder gave it, 0 where the file has none.
	Score float64
}

// NBest is the candidates of every segment.
type NBest struct {
	Name string // of the file
	// Features names the values of each candidate, in order. Values that share a name,
	// as those of a translation model do, have it each; those without one have "".
	Features []string
	Lists    [][]Candidate // by segment
}

// ReadNBest reads n-best lists as Moses, Joshua and Marian write them, a candidate a line:
//
//	0 ||| the text ||| LM0= -20.5 TranslationModel0= -1.5 -2 ||| -4.25
//
// Segments are numbered from 0 without gaps. Further lines of an earlier segment add to its
// list, so that the lists of several runs can stand one after another in a file. Features have
// names (LM0= or LM0: before values, or LM0=-20.5) or none; each line has those of the first,
// and so there are no sparse ones. The score, and fields behind it, may be missing.
func ReadNBest(r io.Reader, name string, o Options) (*NBest, error) {
	return read(r, name, o, table(parseNBest))
}

// OpenNBest is [ReadNBest] of a file.
func OpenNBest(ctx context.Context, path string, o Options) (*NBest, error) {
	return open(ctx, path, o, table(parseNBest))
}

func parseNBest(s *source) (*NBest, error) {
	out := &NBest{Name: s.name}
	var names []string
	width := 0 // of the first line
	var r row
	for first := 0; ; {
		line, n, err := s.next()
		if errors.Is(err, io.EOF) {
			if len(r.fields) < width && s.in.Open() {
				return nil, r.errorf("%d fields, the first line has %d, and no line end behind them: is the file whole?", len(r.fields), width)
			}
			break
		}
		if err != nil {
			return nil, err
		}
		if blank(line) {
			continue
		}
		r = row{path: s.name, line: n}
		for f := range strings.SplitSeq(line, "|||") {
			r.fields = append(r.fields, strings.TrimSpace(f))
		}
		segment, c, found, err := r.candidate(names[:0], len(out.Lists))
		if err != nil {
			return nil, err
		}
		names = found
		if first == 0 {
			first, width, out.Features = n, len(r.fields), cloneAll(names)
		}
		if !slices.Equal(names, out.Features) {
			return nil, r.errorf("%d features (%s), line %d has %d (%s): each line must have the same, so leave sparse ones out",
				len(names), summary(names), first, len(out.Features), summary(out.Features))
		}
		if segment == len(out.Lists) {
			out.Lists = append(out.Lists, nil)
		}
		out.Lists[segment] = append(out.Lists[segment], c)
	}
	if len(out.Lists) == 0 {
		return nil, fmt.Errorf("%s: no candidates in it", s.name)
	}
	return out, nil
}

// candidate reads a line, of one of n segments or the next, and appends its features' names.
func (r *row) candidate(names []string, n int) (int, Candidate, []string, error) {
	var c Candidate
	if len(r.fields) < 3 {
		return 0, c, nil, r.errorf("%d fields, want 3 or more with ||| between: segment, text, features, and the score if there is one", len(r.fields))
	}
	segment, err := strconv.ParseUint(r.fields[0], 10, 31)
	if err != nil {
		return 0, c, nil, r.errorf("the segment is %q, which is no whole number from 0", r.fields[0])
	}
	if int(segment) > n {
		return 0, c, nil, r.errorf("segment %d, and none is numbered %d: segments are numbered from 0 without gaps", segment, n)
	}
	// The line is not kept for the text in it.
	c.Text = strings.Clone(r.fields[1])
	if names, c.Features, err = r.features(names); err != nil {
		return 0, c, nil, err
	}
	if len(r.fields) > 3 {
		if c.Score, err = r.number(3, "score"); err != nil {
			return 0, c, nil, err
		}
	}
	return int(segment), c, names, nil
}

// features reads the values of a line, and appends the name of each.
func (r *row) features(names []string) ([]string, []float64, error) {
	var values []float64
	name, pending := "", false
	for word := range strings.FieldsSeq(r.fields[2]) {
		if n := len(word) - 1; n > 0 && (word[n] == '=' || word[n] == ':') {
			if pending {
				return nil, nil, r.errorf("the feature %s has no value", name)
			}
			name, pending = word[:n], true
			continue
		}
		if i := strings.LastIndexByte(word, '='); i > 0 {
			if pending {
				return nil, nil, r.errorf("the feature %s has no value", name)
			}
			name, word = word[:i], word[i+1:]
		}
		v, err := lines.ParseWithin(word, human.AnyScore().Max)
		if err != nil {
			return nil, nil, r.errorf("a value of the feature %s is %q, %w", name, word, err)
		}
		names, values, pending = append(names, name), append(values, v), false
	}
	if pending {
		return nil, nil, r.errorf("the feature %s has no value", name)
	}
	return names, values, nil
}

func cloneAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.Clone(n)
	}
	return out
}

// summary is names as an error shows them.
func summary(names []string) string {
	const most = 10
	more := ""
	if len(names) > most {
		names, more = names[:most], " …"
	}
	return strings.Join(names, " ") + more
}
