package selection

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/lookalike"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/internal/script"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/tokenize"
)

// A Set is what segments are chosen from.
type Set struct {
	// Segments are the names of the segments, such as their numbers from 1.
	Segments []string
	// Sources, References and Documents are those of each segment; nil: there are none.
	Sources    []string
	References [][]string
	Documents  []string
	// Systems are those to judge, with their outputs; nil: there are scores only.
	Systems []mteval.System
	// Metrics have scores of the segments, and Human people's: see AddMetric and Judge.
	Metrics []metaeval.Metric
	Human   *metaeval.Scores
	// Lengths are the words of each segment, as CountWords counts them; nil: they are not counted.
	Lengths []int
}

// Counted are the texts whose words are counted, sources or else first references, and which of
// the two: "source" or "reference". They are nil if there is no text.
func (s *Set) Counted() ([]string, string) {
	if s.Sources != nil {
		return s.Sources, "source"
	}
	var out []string
	for _, refs := range s.References {
		text := ""
		if len(refs) > 0 {
			text = refs[0]
		}
		out = append(out, text)
	}
	return out, "reference"
}

// CountWords sets Lengths to the words that a tokenizer finds; they stay nil if there is no text. It
// panics if t is nil, as tokenize.Each does.
func (s *Set) CountWords(t tokenize.Tokenizer) {
	lines, _ := s.Counted()
	if lines == nil {
		return
	}
	var buf []byte
	s.Lengths = make([]int, len(lines))
	for i, line := range lines {
		buf = tokenize.Each(buf, t, line, func([]byte) { s.Lengths[i]++ })
	}
}

// Longest are the utilities that prefer segments with many words, the plain rival of all methods.
// They are nil without Lengths.
func (s *Set) Longest() []float64 {
	var out []float64
	for _, n := range s.Lengths {
		out = append(out, float64(n))
	}
	return out
}

// LongWords says how many letters what stands between spaces has on average, if that is so many
// that it may not be words: 15, or four of Chinese or Japanese. Else it is 0.
func LongWords(lines []string) int {
	words, letters, long := 0, 0, 15
	for _, line := range lines {
		for word := range strings.FieldsSeq(line) {
			words++
			letters += utf8.RuneCountInString(word)
		}
	}
	if script.WithoutSpaces(lines) {
		long = 4
	}
	if words > 0 && letters/words >= long {
		return letters / words
	}
	return 0
}

// check refuses texts that are not of the segments.
func (s *Set) check() error {
	length := func(what string, n int) error {
		if n != len(s.Segments) {
			return fmt.Errorf("selection: %s of %d segments, of %d", what, n, len(s.Segments))
		}
		return nil
	}
	var err error
	if s.Sources != nil {
		err = length("sources", len(s.Sources))
	}
	if s.References != nil {
		err = cmp.Or(err, length("references", len(s.References)))
	}
	if s.Documents != nil {
		err = cmp.Or(err, length("documents", len(s.Documents)))
	}
	for _, sys := range s.Systems {
		err = cmp.Or(err, length("outputs of "+sys.Name, len(sys.Hyps)))
	}
	return err
}

// Aligned says how scores fit a set.
type Aligned struct {
	// Silent are the systems of the set without a score, and Others those with scores that are not
	// of the set.
	Silent, Others []string
	// Present of All scores are there.
	Present, All int
}

// AddMetric adds a metric, with its scores in the order of the set's segments and systems. Where the
// set has no segments yet, they are those of the scores. It is an error if scores are of a segment
// that the set has not, or of none of its systems.
func (s *Set) AddMetric(m metaeval.Metric) (Aligned, error) {
	if s.Segments == nil && m.Scores != nil {
		s.Segments = m.Scores.Items
	}
	scores, a, err := s.align("scores of "+m.Name, m.Scores, s.systemNames())
	if err == nil {
		m.Scores = scores
		s.Metrics = append(s.Metrics, m)
	}
	return a, err
}

// align brings scores into the order of the segments, with the given systems, or all if those are nil.
func (s *Set) align(what string, scores *metaeval.Scores, given []string) (*metaeval.Scores, Aligned, error) {
	var a Aligned
	if err := scores.Check(); err != nil {
		return nil, a, fmt.Errorf("%s: %w", what, err)
	}
	if len(s.Segments) == 0 {
		return nil, a, errors.New("selection: a set without segments")
	}
	at := make(map[string]bool, len(s.Segments))
	for _, name := range s.Segments {
		at[name] = true
	}
	for _, item := range scores.Items {
		if !at[item] {
			return nil, a, fmt.Errorf("%s: segment %q is none of the %d that there are, %s to %s", what, item, len(s.Segments), s.Segments[0], s.Segments[len(s.Segments)-1])
		}
	}
	systems := scores.Systems
	if given != nil {
		if err := lookalike.Check(what, scores.Systems, "the outputs", given); err != nil {
			return nil, a, err
		}
		systems = among(given, scores.Systems, true)
		if len(systems) == 0 {
			return nil, a, fmt.Errorf("%s: none of the systems: of %s, and the outputs are of %s", what, names.Few(scores.Systems), names.Few(given))
		}
		a.Silent, a.Others = among(given, systems, false), among(scores.Systems, systems, false)
	}
	out, err := scores.Select(systems, s.Segments)
	if err == nil {
		a.Present, a.All = out.Present(), len(out.Values)
	}
	return out, a, err
}

// among are the names that are, or are not, among those.
func among(all, those []string, are bool) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(those, name) != are })
}

func (s *Set) systemNames() []string {
	var out []string
	for _, sys := range s.Systems {
		out = append(out, sys.Name)
	}
	return out
}

// Judge sets Human to people's scores, more being better, and leaves out of the whole set the
// systems that people did not judge: whoever chooses gives the outputs of those that will be judged.
// The name says in errors whose scores they are. Fewer than two judged systems are an error.
func (s *Set) Judge(name string, human *metaeval.Scores) (Aligned, error) {
	given := s.systemNames()
	if given == nil && len(s.Metrics) > 0 {
		// Those that have scores stand for the systems.
		given = s.Metrics[0].Scores.Systems
	}
	human, a, err := s.align(name, human, given)
	if err != nil {
		return a, err
	}
	var judged []string
	for k, mean := range human.SystemMeans() {
		if mean == mean {
			judged = append(judged, human.Systems[k])
		}
	}
	if len(judged) < 2 {
		return a, fmt.Errorf("%s: people judged %d of the systems, and a ranking is of two or more", name, len(judged))
	}
	if s.Human, err = human.Select(judged, s.Segments); err != nil {
		return a, err
	}
	return a, s.keep(judged)
}

// keep leaves out all systems but these.
func (s *Set) keep(systems []string) error {
	s.Systems = slices.DeleteFunc(slices.Clone(s.Systems), func(sys mteval.System) bool { return !slices.Contains(systems, sys.Name) })
	metrics := slices.Clone(s.Metrics)
	for i, m := range metrics {
		has := among(m.Scores.Systems, systems, true)
		if len(has) == 0 {
			return fmt.Errorf("scores of %s: none of the systems that people judged, %s", m.Name, names.Few(systems))
		}
		var err error
		if metrics[i].Scores, err = m.Scores.Select(has, s.Segments); err != nil {
			return err
		}
	}
	s.Metrics = metrics
	return nil
}
