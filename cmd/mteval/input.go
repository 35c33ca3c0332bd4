package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/ranking"
)

// await returns what f does, or ctx's error as soon as ctx is cancelled: f is for work
// that does not look at ctx itself, and is left to end alone.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	select {
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	case r := <-done:
		return r.v, r.err
	}
}

// read reads a file and says what it changed. It does not wait for a pipe or a terminal
// once ctx is cancelled.
func (a *app) read(ctx context.Context, path string) (*lines.File, error) {
	f, err := await(ctx, func() (*lines.File, error) { return lines.Read(path) })
	if err != nil {
		return nil, err
	}
	if f.BOM {
		a.note("%s: byte order mark removed", path)
	}
	return f, nil
}

// A corpus is what was read of references and outputs.
type corpus struct {
	refs     [][]string
	systems  []mteval.System
	refPaths []string
	paths    map[string]string // of the systems' outputs, by name
	// rows: of a table, in place of lines.
	rows bool
}

// locate names the file and line of the text at which a metric failed, if it is known. The
// systems are those that were scored.
func (c *corpus) locate(metric string, err error, systems []mteval.System) error {
	var at *mteval.SegmentError
	if !errors.As(err, &at) || at.Side == mteval.BothSides {
		return fmt.Errorf("%s: %w", metric, err)
	}
	var path string
	if at.Side == mteval.ReferenceSide {
		path = c.refPaths[min(at.Index, len(c.refPaths)-1)] // one, of a table
	} else {
		path = c.paths[systems[at.Index].Name]
	}
	place := fmt.Sprintf("%s:%d", path, at.Segment+1)
	if c.rows {
		place = fmt.Sprintf("%s: row %d", path, at.Segment+1)
	}
	if errors.Is(err, mteval.ErrTooLong) {
		return fmt.Errorf("%s: %w (--max-tokens)", place, at.Err)
	}
	return fmt.Errorf("%s: %s: %w", place, metric, at.Err)
}

// readCorpus reads references and the systems' outputs, which must have as many
// lines.
func (a *app) readCorpus(ctx context.Context, refPaths, hypPaths []string) (*corpus, error) {
	if len(refPaths) == 0 {
		return nil, errors.New("no reference: name a file with -r")
	}
	stdin := 0
	for _, p := range append(append([]string(nil), refPaths...), hypPaths...) {
		if p == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return nil, errors.New("standard input (-) can be only one of the files")
	}
	var streams [][]string
	var first *lines.File
	// check says where a file stops lining up with the first reference.
	check := func(f *lines.File) error {
		if first == nil {
			first = f
		}
		n, m := len(f.Lines), len(first.Lines)
		switch {
		case n > m:
			return fmt.Errorf("%s:%d: no such line in %s, which has %d lines, not %d", f.Path, m+1, first.Path, m, n)
		case n < m:
			return fmt.Errorf("%s:%d: missing line: the file has %d lines, %s %d", f.Path, n+1, n, first.Path, m)
		}
		return nil
	}
	for _, p := range refPaths {
		f, err := a.read(ctx, p)
		if err != nil {
			return nil, err
		}
		if len(f.Lines) == 0 {
			return nil, fmt.Errorf("%s: no lines in it", p)
		}
		if err := check(f); err != nil {
			return nil, err
		}
		streams = append(streams, f.Lines)
	}
	refs, err := mteval.Segments(streams...)
	if err != nil {
		return nil, err
	}
	c := &corpus{refs: refs, refPaths: refPaths, paths: make(map[string]string)}
	for _, p := range hypPaths {
		name := lines.SystemName(p)
		if before, ok := c.paths[name]; ok {
			return nil, fmt.Errorf("%s and %s are both outputs of a system %s: give one of them another file name", before, p, name)
		}
		c.paths[name] = p
		f, err := a.read(ctx, p)
		if err != nil {
			return nil, err
		}
		if err := check(f); err != nil {
			return nil, err
		}
		c.systems = append(c.systems, mteval.System{Name: name, Hyps: f.Lines})
	}
	return c, nil
}

// finite reads a number that can be calculated with.
func finite(text string) (float64, error) {
	v, err := lines.ParseNumber(text)
	if most := human.AnyScore().Max; err == nil && math.Abs(v) > most {
		return 0, fmt.Errorf("too large to be calculated with: %v is the most", most)
	}
	return v, err
}

// lines are all references and outputs.
func (c *corpus) lines() []string {
	out := slices.Concat(c.refs...)
	for _, s := range c.systems {
		out = append(out, s.Hyps...)
	}
	return out
}

// readHuman reads a file of systems and their human scores, separated by a tab. A
// first line whose second column is no number is a header, unless its first column
// is one of the systems.
func (a *app) readHuman(ctx context.Context, path string, systems []mteval.System) ([]ranking.Human, error) {
	f, err := a.read(ctx, path)
	if err != nil {
		return nil, err
	}
	isSystem := make(map[string]bool)
	for _, s := range systems {
		isSystem[s.Name] = true
	}
	var out []ranking.Human
	line := make(map[string]int)
	for i, l := range f.Lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		cols := strings.Split(l, "\t")
		if len(cols) != 2 {
			return nil, fmt.Errorf("%s:%d: %d columns, want 2 with a tab between: system, score", path, i+1, len(cols))
		}
		name, text := strings.TrimSpace(cols[0]), strings.TrimSpace(cols[1])
		score, err := finite(text)
		if errors.Is(err, lines.ErrNumber) && i == 0 && !isSystem[name] {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: the score of %s is %q, %w", path, i+1, name, text, err)
		}
		if before, ok := line[name]; ok {
			return nil, fmt.Errorf("%s:%d: a second score of %s, which has one on line %d", path, i+1, name, before)
		}
		line[name] = i + 1
		out = append(out, ranking.Human{System: name, Score: score})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no scores in it", path)
	}
	return out, nil
}
