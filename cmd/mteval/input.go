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
	place := fmt.Sprintf("%s:%d", path, at.Segment+1)
	if c.rows {
		place = fmt.Sprintf("%s: row %d", path, at.Segment+1)
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
}

// readTexts reads references and outputs, which must have as many lines.
func (a *app) readTexts(ctx context.Context, t *texts) (*corpus, error) {
	if len(t.refs) == 0 {
		return nil, errors.New("no reference: name a file with -r")
	}
	f, err := files.OpenCorpus(ctx, t.refs, t.outputs, a.reading())
	if err != nil {
		return nil, advise(err)
	}
	return newCorpus(f, t.refs, t.outputs), nil
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
