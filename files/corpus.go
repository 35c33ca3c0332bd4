package files

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mteval/mteval"
)

// A Corpus is references and systems' outputs that line up.
type Corpus struct {
	// Refs[i] are the references of segment i, in the order of the files.
	Refs [][]string
	// Systems are called as their files: see [SystemName].
	Systems []mteval.System
}

// OpenCorpus reads references and systems' outputs, one or more files of references and any
// number of outputs, all with as many lines. One of them may be standard input. The error
// names the line where a file stops lining up with the first.
func OpenCorpus(ctx context.Context, refs, outputs []string, o Options) (*Corpus, error) {
	return newCorpus(refs, outputs, func(path string) (*Text, error) { return OpenText(ctx, path, o) })
}

// NewCorpus is [OpenCorpus] of texts that were read.
func NewCorpus(refs, outputs []*Text) (*Corpus, error) {
	var names [2][]string
	var all []*Text
	for i, texts := range [][]*Text{refs, outputs} {
		for _, t := range texts {
			names[i], all = append(names[i], t.Name), append(all, t)
		}
	}
	return newCorpus(names[0], names[1], func(string) (*Text, error) {
		t := all[0]
		all = all[1:]
		return t, nil
	})
}

// newCorpus takes the names of files and a function that is called for each in order.
func newCorpus(refs, outputs []string, text func(name string) (*Text, error)) (*Corpus, error) {
	if len(refs) == 0 {
		return nil, errors.New("files: no references")
	}
	stdin := 0
	for _, name := range slices.Concat(refs, outputs) {
		if name == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return nil, errors.New("standard input (-) can be only one of the files")
	}
	l := &lineUp{text: text}
	var streams [][]string
	for _, name := range refs {
		lines, err := l.next(name)
		if err != nil {
			return nil, err
		}
		streams = append(streams, lines)
	}
	var c Corpus
	var err error
	if c.Refs, err = mteval.Segments(streams...); err != nil {
		return nil, err
	}
	of := make(map[string]string)
	for _, name := range outputs {
		system := SystemName(name)
		if before, ok := of[system]; ok {
			return nil, fmt.Errorf("%s and %s are both outputs of a system %s: give one of them another file name", before, name, system)
		}
		of[system] = name
		hyps, err := l.next(name)
		if err != nil {
			return nil, err
		}
		c.Systems = append(c.Systems, mteval.System{Name: system, Hyps: hyps})
	}
	return &c, nil
}

// lineUp gets texts that have as many lines as the first of them.
type lineUp struct {
	text  func(name string) (*Text, error)
	first *Text
}

func (l *lineUp) next(name string) ([]string, error) {
	t, err := l.text(name)
	if err != nil {
		return nil, err
	}
	if l.first == nil {
		if l.first = t; len(t.Lines) == 0 {
			return nil, fmt.Errorf("%s: no lines in it", name)
		}
	}
	return t.Lines, alike(t, l.first)
}

// alike says where a text stops lining up with the first.
func alike(t, first *Text) error {
	n, m := len(t.Lines), len(first.Lines)
	switch {
	case n > m:
		return &LineError{t.Name, m + 1, fmt.Errorf("no such line in %s, which has %d lines, not %d", first.Name, m, n)}
	case n < m:
		return &LineError{t.Name, n + 1, fmt.Errorf("missing line: the file has %d lines, %s %d", n, first.Name, m)}
	}
	return nil
}
