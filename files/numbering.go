package files

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ErrNumbering is wrapped by errors of files whose numbers of segments can be read in two ways:
// [Options].FirstSegment says which is right.
var ErrNumbering = errors.New("numbers of segments can be read in two ways")

// Segments are what scores are lined up with, so that their numbers of segments mean the same. It is
// the lines of texts, or the segments of another file, or with neither the numbers from 1.
type Segments struct {
	// Name says what they are of, such as a file.
	Name string
	// Lines is how many lines of texts there are, called by their numbers from 1; with 0 there
	// are none, and Items are the names of segments in another file.
	Lines int
	Items []string
	// Texts of the lines, as far as they are known: References of each line, and Outputs by system.
	// Rows of scores that have texts, too, tell by them how they are numbered.
	Sources    []string
	References [][]string
	Outputs    map[string][]string
}

// form says what is known of the numbers of segments in a file.
type form uint8

const (
	tabled  form = iota // as they stand in a table
	counted             // by places in the file, or as its form has it: they are from 1
	metricX             // MetricX's segment_id
)

// A numbering is what a file says of how its segments are numbered.
type numbering struct {
	form   form
	index  bool // pandas' index, which counts from 0
	people bool // people's scores: what they did not judge may be missing
	texts  []rowText
}

// A sheet is the names of segments of a file.
type sheet struct {
	name string
	numbering
	lists []*[]string
}

// withoutPoint are names without .0, if all have it: so pandas writes whole numbers of which some are missing.
func withoutPoint(items []string) []string {
	out := make([]string, len(items))
	for i, item := range items {
		number, ok := strings.CutSuffix(item, ".0")
		if _, err := strconv.ParseUint(number, 10, 31); !ok || err != nil {
			return items
		}
		out[i] = number
	}
	return out
}

// ids are names of segments that are numbers.
type ids struct {
	name string
	numbering
	has      map[int]bool
	min, max int
	told     string // how the number of the first segment is told, where that is not plain
}

// numbersOf returns nil where some name is no number.
func numbersOf(name string, n numbering, lists ...[]string) *ids {
	out := &ids{name: name, numbering: n, has: make(map[int]bool)}
	for k, list := range lists {
		if k > 0 && slices.Equal(list, lists[k-1]) {
			continue
		}
		for _, item := range list {
			n, err := strconv.ParseUint(item, 10, 31)
			if err != nil || strconv.FormatUint(n, 10) != item {
				return nil
			}
			out.has[int(n)] = true
		}
	}
	if len(out.has) == 0 {
		return nil
	}
	first := true
	for n := range out.has {
		if first {
			out.min, out.max, first = n, n, false
		}
		out.min, out.max = min(out.min, n), max(out.max, n)
	}
	return out
}

func (s *ids) zero() bool { return s.min == 0 }

// whole says whether every number is there, from the first on.
func (s *ids) whole() bool { return s.min <= 1 && s.max-s.min+1 == len(s.has) }

// first is the number of the first segment where nothing else is known: 0 if there is such a segment
// or MetricX wrote it, or else 1.
func (s *ids) first() int {
	if s.zero() || s.form == metricX {
		return 0
	}
	return 1
}

// lacksOne says whether a table's numbers may be from 0, without the first of so many segments, as well as
// from 1, without the last.
func (s *ids) lacksOne(segments int) bool {
	return s.form == tabled && !s.people && !s.zero() && s.max < segments && (s.index || s.whole() && s.max == segments-1 && s.max > 1)
}

// beside is first for segments that are lined up with others. Numbers of a table are one more than those of
// another where both have all of them, as many; MetricX's are from 1 if one of them is the number of
// the last of the others, which from 0 it can't be.
func (s *ids) beside(o *ids) (int, error) {
	first := s.first()
	switch {
	case o == nil || s.form == counted:
		return first, nil
	case !o.zero() && o.whole() && s.lacksOne(o.max):
		return 0, s.open(o)
	case o.form == counted && s.form == tabled:
		return first, nil
	case s.form == tabled && o.form == tabled:
		if s.zero() == o.zero() || s.whole() && o.whole() && len(s.has) == len(o.has) {
			return first, nil
		}
		return 0, s.open(o)
	case s.form == tabled || s.zero():
		return first, nil
	}
	last := o.max
	if o.first() == 0 {
		last++
	}
	switch {
	case o.form == metricX:
		if o.zero() && s.whole() && o.whole() && len(s.has) == len(o.has) {
			return 1, nil
		}
		return 0, nil
	case s.max > last:
		return 0, s.open(o)
	case s.max == last:
		return 1, nil
	}
	return 0, nil
}

// open is the error for two numberings that fit in two ways.
func (s *ids) open(o *ids) error {
	return s.ambiguous(o.name, o.min, o.max, o.first())
}

func (s *ids) ambiguous(name string, low, high, first int) error {
	n := max(s.min, 1)
	return fmt.Errorf("%s: its %w: they are %d to %d, and those of %s %d to %d: if its first segment is %d, its %d is %d there, and if it is %d, %d",
		s.name, ErrNumbering, s.min, s.max, name, low, high, first, n, n, 1-first, n+2*first-1)
}

// within returns an error for numbers that are beyond as many lines.
func (s *ids) within(b *Segments, first int) error {
	if last := s.max + 1 - first; last > b.Lines || s.min < first {
		at := s.max
		if s.min < first {
			at = s.min
		}
		return fmt.Errorf("%s: it has a segment %d, and %s has %d segments: numbered from %d they are %d to %d", s.name, at, b.Name, b.Lines, first, first, b.Lines-1+first)
	}
	return nil
}

// lineUp gives segments of several files the numbers that what they are lined up with has: lines of
// texts are from 1, and those of another file as they stand there. Where there is nothing, tables
// keep theirs, unless they are from 0 and others from 1, and MetricX's become such from 1, as comet-score's.
// This is the one place that decides it. A note says which files it changed.
func lineUp(sheets []sheet, o Options) error {
	if f := o.FirstSegment; f != "" && f != "0" && f != "1" {
		return fmt.Errorf("files: first segment %q: want 0 or 1", f)
	}
	all := make([]*ids, len(sheets))
	for k, s := range sheets {
		var lists [][]string
		for _, l := range s.lists {
			*l = withoutPoint(*l)
			lists = append(lists, *l)
		}
		all[k] = numbersOf(s.name, s.numbering, lists...)
	}
	firsts := make([]int, len(sheets))
	for k, s := range all {
		if s == nil {
			continue
		}
		var err error
		if firsts[k], err = s.firstOf(&sheets[k].numbering, all, o); err != nil {
			return err
		}
	}
	target := targetOf(all, firsts, o.Beside)
	for k, s := range all {
		if s == nil {
			continue
		}
		alone := o.Beside == nil || len(o.Beside.Items) == 0
		if s.zero() && firsts[k] == 1 && (alone || target == 0) {
			return fmt.Errorf("%s: it has a segment 0, and its first was said to be 1", s.name)
		}
		if firsts[k] == target {
			continue
		}
		for _, list := range sheets[k].lists {
			*list = renumbered(*list, target-firsts[k])
		}
		if o.Note != nil {
			o.Note(s.name, s.shift(firsts[k], target, o.Beside))
		}
	}
	return nil
}

// firstOf is the number of the first segment in one of the files.
func (s *ids) firstOf(n *numbering, all []*ids, o Options) (int, error) {
	b := o.Beside
	switch {
	case s.form != counted && o.FirstSegment != "":
		first := int(o.FirstSegment[0] - '0')
		if b != nil && b.Lines > 0 {
			return first, s.within(b, first)
		}
		return first, nil
	case b != nil && b.hasTexts():
		if first, told, err := b.byTexts(n, s); told || err != nil {
			s.told = "their texts say that "
			return first, err
		}
	}
	if s.form == metricX && !s.zero() {
		s.told = "there is no segment 0, and as MetricX's "
		return s.metricXFirst(all, b)
	}
	switch {
	case b != nil && b.Lines > 0:
		first := s.first()
		switch {
		case s.lacksOne(b.Lines):
			return 0, s.ambiguous(b.Name, 1, b.Lines, 1)
		case s.form == counted || first == 1: // those beyond the lines are names
			return first, nil
		}
		return first, s.within(b, first)
	case b != nil && len(b.Items) > 0:
		return s.beside(numbersOf(b.Name, numbering{}, b.Items))
	}
	for _, other := range all {
		if other == nil || other == s {
			continue
		}
		if _, err := s.beside(other); err != nil {
			return 0, fmt.Errorf("%w (what is said of the first segment is said of both)", err)
		}
	}
	return s.first(), nil
}

// metricXFirst is firstOf for MetricX's numbers without a 0. All of its files are numbered alike, as far
// as they can be.
func (s *ids) metricXFirst(all []*ids, b *Segments) (int, error) {
	union, from0 := *s, false
	union.has = maps.Clone(s.has)
	for _, other := range all {
		switch {
		case other == nil || other.form != metricX:
		case other.zero():
			from0 = true
			if first, _ := s.beside(other); first == 1 {
				return 1, nil
			}
		default:
			union.min, union.max = min(union.min, other.min), max(union.max, other.max)
			maps.Copy(union.has, other.has)
		}
	}
	if from0 {
		return 0, nil
	}
	switch {
	case b != nil && b.Lines > 0:
		if union.max == b.Lines {
			return 1, nil
		}
		return 0, union.within(b, 0)
	case b != nil && len(b.Items) > 0:
		return union.beside(numbersOf(b.Name, numbering{}, b.Items))
	}
	for _, other := range all {
		if other != nil && other.form != metricX {
			return union.beside(other)
		}
	}
	if union.whole() { // the last is as many as there are
		return 1, nil
	}
	return 0, nil
}

// targetOf is the number that the first segment is to have.
func targetOf(all []*ids, firsts []int, b *Segments) int {
	if b != nil && len(b.Items) > 0 && b.Lines == 0 {
		if o := numbersOf(b.Name, numbering{}, b.Items); o != nil {
			return o.first()
		}
	}
	if b != nil && (b.Lines > 0 || len(b.Items) == 0) {
		return 1
	}
	for k, s := range all {
		if s != nil && (s.form != tabled || firsts[k] == 1) {
			return 1
		}
	}
	return 0
}

// renumbered are names that are numbers, each by so much higher.
func renumbered(items []string, by int) []string {
	out := make([]string, len(items))
	for i, item := range items {
		n, _ := strconv.Atoi(item)
		out[i] = strconv.Itoa(n + by)
	}
	return out
}

// shift says what became of the numbers.
func (s *ids) shift(first, target int, b *Segments) string {
	is := "called " + strconv.Itoa(s.min+target-first)
	switch {
	case b != nil && b.Lines > 0:
		is = fmt.Sprintf("line %d of %s", s.min+target-first, b.Name)
	case b != nil && len(b.Items) > 0:
		is = fmt.Sprintf("segment %d of %s", s.min+target-first, b.Name)
	}
	return fmt.Sprintf("%ssegments are numbered from %d: %d is %s, and so on", s.told, first, s.min, is)
}
