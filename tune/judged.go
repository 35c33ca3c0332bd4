package tune

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/lookalike"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/metaeval"
)

// readJudged reads references, outputs and what people said of them.
func (s *FileSet) readJudged(ctx context.Context, o SetOptions) error {
	var err error
	if s.Corpus, err = files.OpenCorpus(ctx, s.Files.Refs, s.Files.Outputs, o.CorpusOptions); err != nil {
		return err
	}
	s.Refs, s.Systems = s.Corpus.Refs, slices.Clone(s.Corpus.Systems)
	o.Encoding = "" // of texts
	if len(s.Files.Refs) > 0 {
		o.Beside = &files.Segments{Name: s.Files.Refs[0], Lines: len(s.Refs)}
	}
	people, err := files.OpenPeople(ctx, s.Files.Human, files.PeopleOptions{Options: o.Options})
	if err != nil {
		return err
	}
	j := &judgement{FileSet: s, o: o, people: people, at: make(map[string]int, len(s.Systems))}
	for k, sys := range s.Systems {
		j.at[sys.Name] = k
	}
	switch {
	case o.Objective.ofSystems():
		return j.addSystems(ctx)
	case people.SystemScores(false) != nil:
		return j.errorf("has scores of systems: objective %s needs those of segments", o.Objective)
	case o.Objective == Pearson:
		return j.addScores(ctx)
	}
	return j.addPairs(ctx)
}

// A judgement is what people said of a set's texts, that is added to it.
type judgement struct {
	*FileSet
	o      SetOptions
	people *files.People
	at     map[string]int // the systems, by name
}

// errorf is an error of all of the file of what people said.
func (j *judgement) errorf(format string, args ...any) error {
	return fmt.Errorf("%s %w", j.Files.Human, fmt.Errorf(format, args...))
}

func (j *judgement) note(name, format string, args ...any) {
	if j.o.Note != nil {
		j.o.Note(name, fmt.Sprintf(format, args...))
	}
}

// places says where systems and segments of people's are.
func (j *judgement) places(ctx context.Context, names, items []string) (system, segment []int, err error) {
	for _, name := range names {
		k, ok := j.at[name]
		if !ok {
			return nil, nil, j.lineError(ctx, name, j.unknown(name))
		}
		system = append(system, k)
	}
	for _, item := range items {
		n, err := strconv.Atoi(item)
		if err != nil || n < 1 || n > len(j.Refs) {
			return nil, nil, j.lineError(ctx, item, fmt.Errorf("segment %s is not the number of a line of %s, from 1 to %d", item, j.Files.Refs[0], len(j.Refs)))
		}
		segment = append(segment, n-1)
	}
	return system, segment, nil
}

// unknown is the error of a system without an output.
func (j *judgement) unknown(name string) error {
	if twin, ok := lookalike.Twin(name, slices.Collect(maps.Keys(j.at))); ok {
		return fmt.Errorf("system %s has no output here, %s has, which looks like it: write both in the same characters (NFC, NFD)", lookalike.Spell(name), lookalike.Spell(twin))
	}
	return fmt.Errorf("system %s has no output here", name)
}

// addSystems adds scores of systems.
func (j *judgement) addSystems(ctx context.Context) error {
	segments, _ := j.people.SegmentScores(true)
	scores := j.people.SystemScores(true)
	if scores == nil {
		scores = segments
	}
	if scores == nil {
		return j.errorf("has pairs: objective %s needs scores of systems", j.o.Objective)
	}
	system, _, err := j.places(ctx, scores.Systems, nil)
	if err != nil {
		return err
	}
	j.SystemScores = slices.Repeat([]float64{math.NaN()}, len(j.Systems))
	for k, v := range scores.SystemMeans() {
		j.SystemScores[system[k]] = v
	}
	if segments == nil {
		return nil
	}
	_, segment, err := j.places(ctx, nil, segments.Items)
	if err != nil {
		name, line := j.Files.Human, (*files.LineError)(nil)
		if errors.As(err, &line) {
			name = fmt.Sprintf("%s:%d", name, line.Line)
		}
		j.note(name, "%v: the metric's scores are of all segments", errors.Unwrap(err))
		return nil
	}
	j.keepJudged(segments, segment)
	return nil
}

// addScores adds scores of segments.
func (j *judgement) addScores(ctx context.Context) error {
	scores, _ := j.people.SegmentScores(false)
	if scores == nil {
		return j.errorf("has pairs: objective pearson needs scores of segments")
	}
	system, segment, err := j.places(ctx, scores.Systems, scores.Items)
	if err != nil {
		return err
	}
	n := len(j.Refs)
	j.Scores = slices.Repeat([]float64{math.NaN()}, len(j.Systems)*n)
	for k := range system {
		for i := range segment {
			j.Scores[system[k]*n+segment[i]] = scores.At(k, i)
		}
	}
	return nil
}

// addPairs adds pairs, of scores of segments if people gave these.
func (j *judgement) addPairs(ctx context.Context) error {
	pairs, err := j.pairs()
	if err != nil {
		return err
	}
	system, segment, err := j.places(ctx, pairs.Systems, pairs.Items)
	if err != nil {
		return err
	}
	for _, c := range pairs.Pairs {
		c.A, c.B, c.Item = system[c.A], system[c.B], segment[c.Item]
		j.Pairs = append(j.Pairs, c)
	}
	return nil
}

func (j *judgement) pairs() (*human.Pairs, error) {
	if pairs := j.people.Pairs; pairs != nil {
		if j.o.Threshold != nil {
			return nil, j.errorf("has pairs: leave the threshold out")
		}
		return pairs, nil
	}
	threshold := float64(metaeval.DARRThreshold)
	if j.o.Threshold != nil {
		threshold = *j.o.Threshold
	}
	scores, _ := j.people.SegmentScores(false)
	r, err := metaeval.DARR(scores, threshold, metaeval.DARROptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Files.Human, err)
	}
	return &human.Pairs{Systems: scores.Systems, Items: scores.Items, Pairs: r.Pairs}, nil
}

// keepJudged leaves out of the set the segments of which people judged no output. The segments
// of scores are given.
func (j *judgement) keepJudged(scores *metaeval.Scores, segment []int) {
	judged := make([]int, len(j.Refs)) // outputs
	systems := 0
	for k, mean := range scores.SystemMeans() {
		if math.IsNaN(mean) {
			continue
		}
		systems++
		for i, at := range segment {
			if !math.IsNaN(scores.At(k, i)) {
				judged[at]++
			}
		}
	}
	kept := Set{Systems: make([]mteval.System, len(j.Systems))}
	same := true
	for i, n := range judged {
		if n == 0 {
			continue
		}
		same = same && n == systems
		kept.Refs = append(kept.Refs, j.Refs[i])
		for k, sys := range j.Systems {
			kept.Systems[k].Hyps = append(kept.Systems[k].Hyps, sys.Hyps[i])
		}
	}
	n := len(j.Refs)
	for k := range j.Systems {
		j.Systems[k].Hyps = kept.Systems[k].Hyps
	}
	path := j.Files.Human
	if j.Refs = kept.Refs; len(j.Refs) < n {
		j.note(path, "people judged outputs for %d of %d segments: the metric's scores of systems are of these", len(j.Refs), n)
	}
	if !same {
		j.note(path, "warning: not all systems were judged on the same segments: the metric's scores are of all of these, people's of those that they judged")
	}
}

// lineError says on which line of what people said a field stands first, if the file can be
// read again.
func (j *judgement) lineError(ctx context.Context, field string, what error) error {
	path := j.Files.Human
	if !sidefile.Once(path) {
		if line := lineOf(ctx, path, field, j.o.Options); line > 0 {
			return &files.LineError{Path: path, Line: line, Err: what}
		}
	}
	return fmt.Errorf("%s: %w", path, what)
}

// lineOf is the number of the first line of a table that has a field, 0 if none is found.
func lineOf(ctx context.Context, path, field string, o files.Options) int {
	o.Note = nil // who read it before told
	f, err := files.OpenText(ctx, path, o)
	if err != nil {
		return 0
	}
	return 1 + slices.IndexFunc(f.Lines, func(l string) bool {
		return slices.Contains(strings.FieldsFunc(l, func(r rune) bool { return strings.ContainsRune("\t ,\"", r) }), field)
	})
}
