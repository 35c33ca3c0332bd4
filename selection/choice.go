package selection

import (
	"fmt"
	"slices"
	"strings"
)

// A Budget of Set.Choose.
type Budget struct {
	// Segments and Words are those of Options; words need the Lengths of the set.
	Segments, Words int
	// Whole has the documents of the set chosen whole.
	Whole bool
	// Chosen are names of segments that were chosen before, and are left out now.
	Chosen []string
}

// A Choice is what was chosen of a set. The segments are by index.
type Choice struct {
	Utilities []float64 // of all segments
	Segments  []int     // none, if nothing was left or fits the budget
	LeftOut   LeftOut
	// Words of the chosen segments, and of AllWords; 0 without Lengths.
	Words, AllWords int
	// Documents are those of the chosen segments, each once, if the set has documents.
	Documents []string
	// Outputs of the systems are to be judged, one that several gave being one of Different.
	Outputs, Different int
	// Level says that all segments have the same utility, so that the first were chosen.
	Level bool
}

// LeftOut counts the segments that could not be chosen.
type LeftOut struct {
	Before   int // chosen before
	Blank    int // without any output
	Repeated int // with the same source, or else references, and outputs as another
}

// Choose chooses segments by utilities, as the function does. It leaves out those that were chosen
// before, those without any output, and those that repeat another: but of whole documents
// repetitions stay, as they are read in their place, and without sources and references there is
// no telling them, as "Yes." is right for more than one source.
func (s *Set) Choose(utilities []float64, b Budget) (*Choice, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if len(utilities) != len(s.Segments) {
		return nil, fmt.Errorf("selection: utilities of %d segments, of %d", len(utilities), len(s.Segments))
	}
	c := &Choice{Utilities: utilities, Level: len(utilities) > 1 && slices.Min(utilities) == slices.Max(utilities)}
	o := Options{Segments: b.Segments, Words: b.Words, Lengths: s.Lengths, Skip: s.skip(b, &c.LeftOut)}
	if b.Whole {
		o.Documents = s.Documents
	}
	var err error
	if c.Segments, err = Choose(utilities, o); err != nil {
		return nil, err
	}
	for _, n := range s.Lengths {
		c.AllWords += n
	}
	seen := make(map[string]bool)
	for _, i := range c.Segments {
		if s.Lengths != nil {
			c.Words += s.Lengths[i]
		}
		if s.Documents != nil && !seen[s.Documents[i]] {
			seen[s.Documents[i]] = true
			c.Documents = append(c.Documents, s.Documents[i])
		}
		different := make(map[string]bool)
		for _, sys := range s.Systems {
			different[sys.Hyps[i]] = true
		}
		c.Outputs, c.Different = c.Outputs+len(s.Systems), c.Different+len(different)
	}
	return c, nil
}

// skip says which segments can't be chosen, and counts them.
func (s *Set) skip(b Budget, left *LeftOut) []bool {
	before := make(map[string]bool)
	for _, name := range b.Chosen {
		before[name] = true
	}
	out := make([]bool, len(s.Segments))
	for i, name := range s.Segments {
		if out[i] = before[name]; out[i] {
			left.Before++
		}
	}
	if s.Systems == nil {
		return out
	}
	tell := !b.Whole && (s.Sources != nil || s.References != nil)
	// What was chosen before stands for its repetitions, too.
	seen := make(map[string]bool)
	for i, old := range out {
		if old {
			texts, _ := s.texts(i)
			seen[texts] = true
		}
	}
	for i, old := range out {
		if old {
			continue
		}
		texts, blank := s.texts(i)
		switch {
		case blank:
			out[i] = true
			left.Blank++
		case seen[texts] && tell:
			out[i] = true
			left.Repeated++
		}
		seen[texts] = seen[texts] || !out[i]
	}
	return out
}

// texts are the source and outputs of a segment as one text, and whether there is no output to
// judge.
func (s *Set) texts(i int) (all string, blank bool) {
	blank = true
	var b strings.Builder
	if s.Sources != nil {
		b.WriteString(s.Sources[i])
	} else if s.References != nil {
		b.WriteString(strings.Join(s.References[i], "\n"))
	}
	for _, sys := range s.Systems {
		blank = blank && strings.TrimSpace(sys.Hyps[i]) == ""
		b.WriteString("\n" + sys.Hyps[i])
	}
	return b.String(), blank
}
