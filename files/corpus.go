package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/wmtxml"
)

// A Corpus is references and systems' outputs that line up, and sources where they were asked
// for.
type Corpus struct {
	// Refs[i] are the references of segment i, in the order of the files and of the columns or
	// texts in them. Those that are missing are not among them. Where no references were given
	// beside sources there are none of any segment.
	Refs [][]string
	// Sources[i] is what segment i translates; nil: no sources were given.
	Sources []string
	// Systems are called as their files, or as who gave the files calls them: see [Outputs]. Those
	// of columns are System 1 and so on, and those of a file with several as they are there, if they
	// have names.
	Systems []mteval.System
	// Table is the file whose rows have the texts of a segment each, where texts have no files of
	// their own: their places are its rows, from 1 behind its header. "": there is none.
	Table string

	refs, outputs []*stream // of systems by their place
	source        *stream
	present       [][]int // the numbers of the streams that Refs[i] are of; nil: all are there
	numbers       []int   // of segments, in a corpus of which some were left out; nil: from 1
}

// CorpusOptions are options of [OpenCorpus]. The zero value is the standard.
type CorpusOptions struct {
	Options
	// RefColumns is how many references each line of the file of references has, with tabs
	// between, as sacreBLEU's --num-refs: see [Text.Columns]. 0 and 1 are one. Of several, there
	// must be one file.
	RefColumns int
	// SkipEmptyRefs takes a reference that is blank for a missing one where the segment has
	// another, as sacreBLEU's library does with None. Otherwise it is an empty reference, as of
	// sacreBLEU's program. Where all are blank the first stays.
	SkipEmptyRefs bool
	// SystemColumns takes the one output for a table of several: a system in each column, as
	// sacreBLEU reads standard input. All lines must have as many.
	SystemColumns bool
	// Source is a file of sources, as many as references, "" for none, and SourceText sources
	// that were read, in its place. Beside them there may be no references.
	Source     string
	SourceText *Text
}

func (o *CorpusOptions) sourced() bool { return o.Source != "" || o.SourceText != nil }

// OpenCorpus reads references and systems' outputs, one or more files of references and any
// number of outputs, as [Outputs] takes them, all with as many segments. One of them may be
// standard input. The error names the line where a file stops lining up with the first.
//
// Files may be WMT's SGML and XML ([OpenText]) with several references, of which segments of XML
// can lack some, or several systems.
func OpenCorpus(ctx context.Context, refs, outputs []string, o CorpusOptions) (*Corpus, error) {
	if len(refs) == 0 && !o.sourced() {
		return nil, errNoReferences
	}
	if o.RefColumns > 1 && len(refs) > 1 {
		return nil, fmt.Errorf("%d columns of references are of one file, not %d: leave the columns out, or give one file", o.RefColumns, len(refs))
	}
	c := &corpusReader{CorpusOptions: o, ctx: ctx}
	systems, err := c.outputs(refs, outputs)
	if err != nil {
		return nil, err
	}
	for _, path := range refs {
		c.addRefs(func() ([]*stream, error) { return c.open(path, wmtxml.Reference) })
	}
	c.addSource()
	c.openSystems(systems, outputs)
	return c.corpus()
}

// OpenOutputs is [OpenCorpus] with references that were read.
func OpenOutputs(ctx context.Context, refs []*Text, outputs []string, o CorpusOptions) (*Corpus, error) {
	if len(refs) == 0 && !o.sourced() {
		return nil, errNoReferences
	}
	if slices.Contains(refs, nil) {
		return nil, errNilText
	}
	c := &corpusReader{CorpusOptions: o, ctx: ctx}
	systems, err := c.outputs(nil, outputs)
	if err != nil {
		return nil, err
	}
	for _, t := range refs {
		c.addRefs(t.stream)
	}
	c.addSource()
	c.openSystems(systems, outputs)
	return c.corpus()
}

var errNilText = errors.New("files: a Text of references or outputs is nil")

// NewCorpus is [OpenCorpus] of texts that were read.
func NewCorpus(refs, outputs []*Text) (*Corpus, error) {
	if len(refs) == 0 {
		return nil, errNoReferences
	}
	systems := make([]Output, len(outputs))
	if slices.Contains(refs, nil) || slices.Contains(outputs, nil) {
		return nil, errNilText
	}
	for i, t := range outputs {
		systems[i].Path = t.Name
	}
	if err := name(systems); err != nil {
		return nil, err
	}
	c := new(corpusReader)
	for _, t := range refs {
		c.addRefs(t.stream)
	}
	for i, t := range outputs {
		c.addSystems(systems[i].Name, t.stream)
	}
	return c.corpus()
}

var errNoReferences = errors.New("files: no references")

// A corpusReader reads texts one after the other, until one has an error.
type corpusReader struct {
	CorpusOptions
	ctx   context.Context
	out   Corpus
	first *stream
	named map[string]bool // systems
	err   error
}

// outputs are those of arguments, of which one, or a reference, may be standard input.
func (c *corpusReader) outputs(refs, args []string) ([]Output, error) {
	systems, err := Outputs(args)
	if err != nil {
		return nil, err
	}
	if c.SystemColumns && len(systems) != 1 {
		return nil, fmt.Errorf("files: columns of systems are of one output, not %d", len(systems))
	}
	stdin := 0
	refs = append(slices.Clip(refs), c.Source)
	for _, o := range systems {
		refs = append(refs, o.Path)
	}
	for _, path := range refs {
		if path == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return nil, errors.New("standard input (-) can be only one of the files")
	}
	return systems, nil
}

// open reads the texts of a file.
func (c *corpusReader) open(path string, as wmtxml.Kind) ([]*stream, error) {
	return open(c.ctx, path, c.Options, parseStreams(as))
}

// openSystems adds outputs, of arguments.
func (c *corpusReader) openSystems(systems []Output, args []string) {
	for i, o := range systems {
		c.addSystems(o.Name, func() ([]*stream, error) {
			if !c.SystemColumns {
				all, err := c.open(o.Path, wmtxml.Output)
				if err == nil && len(all) > 1 && o.Path != args[i] {
					err = fmt.Errorf("%s: %d systems in it, not one to be called %s: give it without the name", o.Path, len(all), o.Name)
				}
				return all, err
			}
			t, err := OpenText(c.ctx, o.Path, c.Options)
			if err != nil {
				return nil, err
			}
			return systemColumns(t)
		})
	}
}

// stream is a text that has no other beside it.
func (t *Text) stream() ([]*stream, error) { return []*stream{{Text: t}}, nil }

// get reads texts and sees that they line up.
func (c *corpusReader) get(read func() ([]*stream, error)) []*stream {
	if c.err != nil {
		return nil
	}
	var all []*stream
	if all, c.err = read(); c.err != nil {
		return nil
	}
	for _, s := range all {
		if c.first == nil {
			if c.first = s; len(s.Lines) == 0 {
				c.err = fmt.Errorf("%s: no lines in it", s.Name)
				return nil
			}
		}
		if c.err = s.alike(c.first); c.err != nil {
			return nil
		}
	}
	return all
}

// addRefs adds the references of a file.
func (c *corpusReader) addRefs(read func() ([]*stream, error)) {
	for _, s := range c.get(read) {
		if c.RefColumns < 2 {
			c.out.refs = append(c.out.refs, s)
			continue
		}
		columns, err := s.Columns(c.RefColumns)
		if err != nil {
			c.err = err
			return
		}
		for _, t := range columns {
			c.out.refs = append(c.out.refs, &stream{Text: t})
		}
	}
}

// addSource adds the sources, if there are any.
func (c *corpusReader) addSource() {
	var all []*stream
	switch {
	case c.SourceText != nil:
		all = c.get(c.SourceText.stream)
	case c.Source != "":
		all = c.get(func() ([]*stream, error) { return c.open(c.Source, wmtxml.Source) })
	}
	if len(all) > 0 && c.err == nil {
		c.out.source, c.out.Sources = all[0], all[0].Lines
		c.err = all[0].whole()
	}
}

// addSystems adds the output or outputs of a file.
func (c *corpusReader) addSystems(name string, read func() ([]*stream, error)) {
	all := c.get(read)
	for _, s := range all {
		name := name
		if (len(all) > 1 || c.SystemColumns) && s.of != "" {
			name = s.of
		}
		if c.err = s.whole(); c.err != nil {
			return
		}
		if c.named[name] {
			c.err = fmt.Errorf("%s: there is another output of a system %s: give it another name, NAME=PATH", s.Name, name)
			return
		}
		if c.named == nil {
			c.named = make(map[string]bool)
		}
		c.named[name] = true
		c.out.Systems = append(c.out.Systems, mteval.System{Name: name, Hyps: s.Lines})
		c.out.outputs = append(c.out.outputs, s)
	}
}

// corpus is what was read.
func (c *corpusReader) corpus() (*Corpus, error) {
	if c.err != nil {
		return nil, c.err
	}
	var lines [][]string
	holes := false
	for _, s := range c.out.refs {
		lines = append(lines, s.Lines)
		holes = holes || slices.Contains(s.gone, true)
	}
	if len(lines) == 0 {
		c.out.Refs = make([][]string, len(c.out.Sources))
		return &c.out, nil
	}
	var err error
	if c.out.Refs, err = mteval.Segments(lines...); err != nil {
		return nil, err
	}
	if holes || c.SkipEmptyRefs && len(lines) > 1 {
		c.leaveOut()
	}
	return &c.out, nil
}

// leaveOut leaves out the references that are missing.
func (c *corpusReader) leaveOut() {
	c.out.present = make([][]int, len(c.out.Refs))
	for i, all := range c.out.Refs {
		var kept []string
		for k, s := range c.out.refs {
			missing := s.gone != nil && s.gone[i] || c.SkipEmptyRefs && strings.TrimSpace(all[k]) == ""
			if !missing {
				kept, c.out.present[i] = append(kept, all[k]), append(c.out.present[i], k)
			}
		}
		if len(kept) == 0 {
			kept, c.out.present[i] = all[:1:1], []int{0}
		}
		c.out.Refs[i] = kept
	}
}

// Keep returns a corpus of the segments of which keep is true, which knows where they stood: as
// many values as there are segments, else it is an error.
func (c *Corpus) Keep(keep []bool) (*Corpus, error) {
	if n := len(c.Refs); len(keep) != n {
		return nil, fmt.Errorf("files: %d values that say which of %d segments to keep", len(keep), n)
	}
	var numbers []int
	for i, yes := range keep {
		if yes {
			numbers = append(numbers, c.Number(i))
		}
	}
	kept := &Corpus{Refs: chosen(c.Refs, keep), Sources: chosen(c.Sources, keep), Table: c.Table, numbers: numbers, present: chosen(c.present, keep)}
	for _, s := range c.Systems {
		kept.Systems = append(kept.Systems, mteval.System{Name: s.Name, Hyps: chosen(s.Hyps, keep)})
	}
	for _, s := range c.refs {
		kept.refs = append(kept.refs, s.keep(keep))
	}
	for _, s := range c.outputs {
		kept.outputs = append(kept.outputs, s.keep(keep))
	}
	if c.source != nil {
		kept.source = c.source.keep(keep)
	}
	return kept, nil
}

// chosen are the values that are kept, nil of nil.
func chosen[T any](values []T, keep []bool) []T {
	if values == nil {
		return nil
	}
	out := []T{}
	for i, v := range values {
		if i < len(keep) && keep[i] {
			out = append(out, v)
		}
	}
	return out
}

// keep is the text without the segments that are left out, as far as their places go.
func (s *stream) keep(keep []bool) *stream {
	at := s.at
	if at == nil {
		at = make([]int, len(keep))
		for i := range at {
			at[i] = i + 1
		}
	}
	return &stream{Text: &Text{Name: s.Name}, at: chosen(at, keep)}
}

// Number is that of a segment in the texts that were read, from 1, also where some were left out.
func (c *Corpus) Number(segment int) int {
	if c.numbers != nil && segment >= 0 && segment < len(c.numbers) {
		return c.numbers[segment]
	}
	return segment + 1
}

// Lines are all references and outputs.
func (c *Corpus) Lines() []string {
	out := slices.Concat(c.Refs...)
	for _, s := range c.Systems {
		out = append(out, s.Hyps...)
	}
	return out
}

// row is the place of a segment in the table.
func (c *Corpus) row(segment int) string {
	return fmt.Sprintf("%s: row %d", c.Table, c.Number(segment))
}

// RefPlace says where a reference stands, as file:line: Refs[segment][k], "" if there is none, or
// of a corpus that was not read here.
func (c *Corpus) RefPlace(segment, k int) string {
	if segment < 0 || segment >= len(c.Refs) || k < 0 || k >= len(c.Refs[segment]) {
		return ""
	}
	if c.Table != "" {
		return c.row(segment)
	}
	if c.present != nil {
		k = c.present[segment][k]
	}
	if k >= len(c.refs) {
		return ""
	}
	return c.refs[k].place(segment)
}

// SourcePlace says where the source of a segment stands, as file:line, "" of a corpus without.
func (c *Corpus) SourcePlace(segment int) string {
	if c.Table != "" && segment >= 0 && segment < len(c.Sources) {
		return c.row(segment)
	}
	if c.source == nil {
		return ""
	}
	return c.source.place(segment)
}

// HypPlace says where the output of a system for a segment stands, as file:line, "" of a system
// that was not read here.
func (c *Corpus) HypPlace(system string, segment int) string {
	for k, s := range c.Systems {
		if s.Name == system && c.Table != "" {
			return c.row(segment)
		}
		if s.Name == system && k < len(c.outputs) {
			return c.outputs[k].place(segment)
		}
	}
	return ""
}

// alike says where a text stops lining up with the first.
func (s *stream) alike(first *stream) error {
	n, m := len(s.Lines), len(first.Lines)
	unit := "lines"
	if s.at != nil || first.at != nil {
		unit = "segments"
	}
	switch {
	case n != m && unit == "segments":
		return fmt.Errorf("%s: %d segments, %s has %d", s.Name, n, first.Name, m)
	case n > m:
		return &LineError{s.Name, m + 1, fmt.Errorf("no such line in %s, which has %d lines, not %d", first.Name, m, n)}
	case n < m:
		return &LineError{s.Name, n + 1, fmt.Errorf("missing line: the file has %d lines, %s %d", n, first.Name, m)}
	}
	return s.sameOrder(first)
}
