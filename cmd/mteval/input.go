package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/ranking"
)

// inputFlags adds the flags of all commands that read texts or tables.
func (a *app) inputFlags(fs *pflag.FlagSet) {
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Int(&a.maxLine, files.MaxLine, 1, math.MaxInt), "max-line", "longest line of a text or table, in bytes; a whole file may be 16 times as large, and 1 GiB in any case")
	})
}

// reading are the options by which the command reads: it says what was changed.
func (a *app) reading() files.Options {
	return files.Options{
		MaxLine: int64(a.maxLine),
		Note:    func(name, what string) { a.note("%s: %s", name, what) },
	}
}

// advise adds the flag that helps to the error of a file that is too large.
func advise(err error) error {
	if errors.Is(err, files.ErrTooLarge) {
		return fmt.Errorf("%w (--max-line)", err)
	}
	return err
}

// A corpus is what was read of references and outputs.
type corpus struct {
	*files.Corpus
	refPaths []string
	paths    map[string]string // of the systems' outputs, by name
	// rows: of a table, in place of lines.
	rows bool
	// at are the lines of the segments in the files, from 0, if some were left out.
	at []int
}

// locate names the file and line of the text at which a metric failed, if it is known. The
// systems are those that were scored.
func (c *corpus) locate(metric string, err error, systems []mteval.System) error {
	var at *mteval.SegmentError
	if !errors.As(err, &at) || at.Side == 0 {
		return fmt.Errorf("%s: %w", metric, err)
	}
	var path string
	if at.Side == mteval.ReferenceSide {
		path = c.refPaths[min(at.Index, len(c.refPaths)-1)] // one, of a table
	} else {
		path = c.paths[systems[at.Index].Name]
	}
	line := at.Segment
	if c.at != nil {
		line = c.at[line]
	}
	place := fmt.Sprintf("%s:%d", path, line+1)
	if c.rows {
		place = fmt.Sprintf("%s: row %d", path, line+1)
	}
	if errors.Is(err, mteval.ErrTooLong) {
		return fmt.Errorf("%s: %w (--max-tokens)", place, at.Err)
	}
	return fmt.Errorf("%s: %s: %w", place, metric, at.Err)
}

// texts say which references and outputs to read, and how.
type texts struct {
	refs    []string // files
	outputs []string // files, "-" being standard input
	set     *testSet // in place of refs
	// columns: standard input has a system in each column.
	columns bool
}

// readTexts reads references and outputs, which must have as many lines.
func (a *app) readTexts(ctx context.Context, t *texts) (*corpus, error) {
	if t.set != nil {
		return a.readOutputs(ctx, t)
	}
	if len(t.refs) == 0 {
		return nil, errors.New("no reference: name a file with -r")
	}
	f, err := files.OpenCorpus(ctx, t.refs, t.outputs, a.reading())
	if err != nil {
		return nil, advise(err)
	}
	return newCorpus(f, t.refs, t.outputs), nil
}

// readOutputs reads outputs, which must have as many lines as a test set.
func (a *app) readOutputs(ctx context.Context, t *texts) (*corpus, error) {
	var refs []string
	var outputs []*files.Text
	for _, r := range t.set.refs {
		refs = append(refs, r.Name)
	}
	for _, path := range t.outputs {
		text, err := files.OpenText(ctx, path, a.reading())
		if err != nil {
			return nil, advise(err)
		}
		outputs = append(outputs, text)
	}
	f, err := files.NewCorpus(t.set.refs, outputs)
	if err != nil {
		return nil, err
	}
	return newCorpus(f, refs, t.outputs), nil
}

// keep leaves out the segments of which it is told false.
func (c *corpus) keep(segments []bool) *corpus {
	kept := *c
	kept.Corpus, kept.at = new(files.Corpus), []int{}
	for i, yes := range segments {
		if yes {
			kept.Refs, kept.at = append(kept.Refs, c.Refs[i]), append(kept.at, i)
		}
	}
	for _, s := range c.Systems {
		out := mteval.System{Name: s.Name}
		for _, i := range kept.at {
			out.Hyps = append(out.Hyps, s.Hyps[i])
		}
		kept.Systems = append(kept.Systems, out)
	}
	return &kept
}

func newCorpus(f *files.Corpus, refPaths, hypPaths []string) *corpus {
	c := &corpus{Corpus: f, refPaths: refPaths, paths: make(map[string]string)}
	for k, s := range f.Systems {
		c.paths[s.Name] = hypPaths[k]
	}
	return c
}

// lines are all references and outputs.
func (c *corpus) lines() []string {
	out := slices.Concat(c.Refs...)
	for _, s := range c.Systems {
		out = append(out, s.Hyps...)
	}
	return out
}

// readHuman reads a file of systems and their human scores. A system without a score is left
// out.
func (a *app) readHuman(ctx context.Context, path string, systems []mteval.System) ([]ranking.Human, error) {
	scores, err := files.OpenSystems(ctx, path, systemNames(systems), a.reading())
	if err != nil {
		return nil, advise(err)
	}
	return ranking.HumanOf(scores), nil
}
