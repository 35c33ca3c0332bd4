package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/ranking"
	"github.com/mteval/mteval/scoring"
)

// InputFlags adds the flags of all commands that read texts or tables.
func (a *App) InputFlags(fs *pflag.FlagSet) {
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Int(&a.MaxLine, files.MaxLine, 1, math.MaxInt), "max-line", "longest line of a text or table, in bytes; a whole file may be 16 times as large, and 1 GiB in any case")
	})
}

// rank.segmentFlags adds the flag of all commands that read metrics' scores of segments.
func (a *App) SegmentFlags(fs *pflag.FlagSet) {
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Enum(&a.firstSegment, "", "number", "0", "1"), "first-segment", "number that files of --scores give their first segment: 0, 1 (default: told by them)")
	})
}

// textOptions are the flags of all commands that read texts.
type textOptions struct {
	Encoding  string
	numRefs   int
	skipEmpty bool
}

// TextFlags adds the flags of all commands that read texts.
func (a *App) TextFlags(fs *pflag.FlagSet) {
	o := &a.Texts
	flags.Group(fs, "Input", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.Name(&o.Encoding, "encoding", files.IsEncoding, files.Encodings()...), "encoding", "e", "encoding of references, sources and outputs, such as utf-16, latin-1, windows-1251, shift_jis")
		flags.Var(fs, flags.Int(&o.numRefs, 1, 1, 1<<16), "num-refs", "references in each line of the reference file, with tabs between")
		flags.Bool(fs, &o.skipEmpty, "skip-empty-refs", "an empty line in one of several references is a missing one, not an empty one")
	})
}

// Reading are the options by which the command reads: it says what was changed.
func (a *App) Reading() files.Options {
	return files.Options{
		MaxLine: int64(a.MaxLine), FirstSegment: a.firstSegment,
		Note: func(name, what string) { a.Note("%s: %s", name, what) },
	}
}

// ReadingTexts is reading for references and outputs.
func (a *App) ReadingTexts() files.CorpusOptions {
	o := files.CorpusOptions{Options: a.Reading(), RefColumns: a.Texts.numRefs, SkipEmptyRefs: a.Texts.skipEmpty}
	o.Encoding = a.Texts.Encoding
	return o
}

// Advise adds the flag that helps to the error of a file that is too large, or can be read in two ways.
func Advise(err error) error {
	if errors.Is(err, files.ErrNumbering) {
		return fmt.Errorf("%w (--first-segment)", err)
	}
	if errors.Is(err, files.ErrTooLarge) {
		return fmt.Errorf("%w (--max-line)", err)
	}
	return err
}

// AdviseTexts is advise for references and outputs.
func AdviseTexts(err error) error {
	if errors.Is(err, files.ErrEncoding) {
		return fmt.Errorf("%w (--encoding NAME, such as utf-16 or latin-1, if it is another)", err)
	}
	return Advise(err)
}

// AdviseMetric is the message of an error, with the flags that help where a metric can't score.
func AdviseMetric(err error) string {
	var missing *scoring.MissingError
	var at *scoring.TextError
	switch {
	case errors.As(err, &missing) && missing.Sources && missing.References:
		return instead(err, missing, missing.Error()+": name files with --source or -r")
	case errors.As(err, &missing) && missing.Sources:
		return instead(err, missing, missing.Error()+": name its file with --source")
	case errors.As(err, &missing):
		return instead(err, missing, missing.Error()+": name a file with -r")
	case errors.As(err, &at) && errors.Is(at.Err, mteval.ErrTooLong):
		return instead(err, at, fmt.Sprintf("%s: %v (--max-tokens)", at.Place, at.Err))
	case errors.As(err, &at) && errors.Is(at.Err, backend.ErrTruncated):
		return instead(err, at, fmt.Sprintf("%s: %s: text is longer than the model takes (the option long=cut scores its beginning)", at.Place, at.Metric))
	}
	return err.Error()
}

// instead is the message of an error with a text in place of that of a part of it.
func instead(err, part error, text string) string {
	return strings.Replace(err.Error(), part.Error(), text, 1)
}

// Texts say which references and outputs to read, and how.
type Texts struct {
	Refs    []string // files
	Outputs []string // files, "-" being standard input, or NAME=PATH
	Source  string   // a file, "": none
	Set     *TestSet // in place of refs and source
	// columns: the one output has a system in each column.
	Columns bool
}

// ReadTexts reads references, sources and outputs, which must have as many lines, and warns of what may not
// be what it was taken for.
func (a *App) ReadTexts(ctx context.Context, t *Texts) (*files.Corpus, error) {
	if len(t.Refs) == 0 && t.Set == nil && t.Source == "" {
		return nil, errors.New("no reference: name a file with -r, or --source for metrics that read no references")
	}
	if a.Texts.numRefs > 1 && t.Set != nil {
		return nil, errors.New("--num-refs is of a file of references: leave it out, as the test set has its own")
	}
	if a.Texts.numRefs > 1 && len(t.Refs) > 1 {
		return nil, fmt.Errorf("--num-refs %d is of one file of references, not %d: leave it out, or give one", a.Texts.numRefs, len(t.Refs))
	}
	if a.Texts.numRefs > 1 && len(t.Refs) == 0 {
		return nil, fmt.Errorf("--num-refs %d is of a file of references: name it with -r, or leave it out", a.Texts.numRefs)
	}
	o := a.ReadingTexts()
	o.SystemColumns, o.Source = t.Columns, t.Source
	var f *files.Corpus
	var err error
	if t.Set != nil {
		o.SourceText = t.Set.Source
		f, err = files.OpenOutputs(ctx, t.Set.Refs, t.Outputs, o)
	} else {
		f, err = files.OpenCorpus(ctx, t.Refs, t.Outputs, o)
	}
	if err != nil {
		return nil, AdviseTexts(err)
	}
	a.WarnTexts(f)
	return f, nil
}

// OutputPaths are the files of outputs that may be NAME=PATH. What is wrong with them is told by
// who opens them.
func OutputPaths(outputs []string) []string {
	all, err := files.Outputs(outputs)
	if err != nil {
		return outputs
	}
	var out []string
	for _, o := range all {
		out = append(out, o.Path)
	}
	return out
}

// ReadHuman reads a file of systems and their human scores. A system without a score is left
// out.
func (a *App) ReadHuman(ctx context.Context, path string, systems []mteval.System) ([]ranking.Human, error) {
	human, err := scoring.OpenHuman(ctx, path, systems, a.Reading())
	return human, Advise(err)
}
