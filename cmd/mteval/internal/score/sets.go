package score

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/testsets"
)

// setOptions are the flags of sacreBLEU's test sets.
type setOptions struct {
	Name, pair       string
	origlang, subset string
	detail           bool

	// What is asked for in place of scores.
	list, citation bool
	download       string
	echo           []string
}

func (o *setOptions) add(fs *pflag.FlagSet) {
	flags.Group(fs, "Test sets", func(fs *pflag.FlagSet) {
		flags.VarP(fs, flags.PartsOf(&o.Name, "set", testsets.Names), "test-set", "t", "test set of sacreBLEU to score against, downloaded where it is not in its folder (several with commas between)")
		flags.VarP(fs, flags.Text(&o.pair, "", "pair"), "language-pair", "l", "source and target language, such as en-de; the target is also that of --target-language")
		flags.Var(fs, flags.Text(&o.origlang, "", "language"), "origlang", "only documents that were written in a language; non-en: in any other").OptionOf("test-set")
		flags.Var(fs, flags.Text(&o.subset, "", "pattern"), "subset", "only documents whose domain, or sacreBLEU's annotation, matches a regular expression").OptionOf("test-set")
		flags.BoolP(fs, &o.detail, "detail", "d", "also score each original language and domain of the test set").OptionOf("test-set").Excludes("is of systems", "sentence-level", "score-only")
		flags.Bool(fs, &o.list, "list", "print the test sets, those of -l, or the language pairs and texts of -t, and end")
		flags.Var(fs, flags.Repeated(&o.echo, "text"), "echo", "print texts of the test set, such as src, ref, docid or all, and end (--echo src ref: with tabs between)").OptionOf("test-set")
		flags.Var(fs, flags.PartsOf(&o.download, "set", testsets.Names), "download", "download a test set, for -l or all its language pairs, and end")
		flags.Bool(fs, &o.citation, "citation", "print what to cite for the test set, in BibTeX, and end").OptionOf("test-set")
	})
}

// asked is the flag that asks for something in place of scores, "" for none.
func (o *setOptions) asked() string {
	switch {
	case o.download != "":
		return "--download"
	case o.list:
		return "--list"
	case o.citation:
		return "--citation"
	case len(o.echo) > 0:
		return "--echo"
	}
	return ""
}

// names are those of the test sets.
func (o *setOptions) names() []string { return strings.Split(o.Name, ",") }

// tellSets does what is asked for in place of scores.
func tellSets(ctx context.Context, a *app.App, o *setOptions, texts []string) error {
	if len(texts) > 0 {
		return fmt.Errorf("%s is all that is done, and no text is read: leave %s out", o.asked(), texts[0])
	}
	var b strings.Builder
	var err error
	switch at, done := sacreBLEU(a); o.asked() {
	case "--download":
		defer done()
		err = download(ctx, a, o, at)
	case "--list":
		defer done()
		err = o.writeList(ctx, &b, at)
	case "--citation":
		err = cite(a, &b, o)
	case "--echo":
		defer done()
		err = o.writeTexts(ctx, &b, at)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(a.Stdout, b.String())
	return err
}

// sacreBLEU is its folder. Downloads show their progress, which done ends.
func sacreBLEU(a *app.App) (o testsets.Options, done func()) {
	var of string
	var report func(done, total int64)
	clear := func() {}
	o.Note = func(what string) {
		clear() // it is drawn again with the next bytes
		a.Tell("%s", what)
	}
	o.Progress = func(url string, done, total int64) {
		if of != url {
			clear()
			of = url
			report, clear = a.BytesBar(path.Base(url))
		}
		if report != nil {
			report(done, total)
		}
	}
	return o, func() { clear() }
}

func download(ctx context.Context, a *app.App, o *setOptions, at testsets.Options) error {
	for name := range strings.SplitSeq(o.download, ",") {
		s, err := testsets.Find(name)
		if err != nil {
			return err
		}
		texts, err := s.Download(ctx, o.pair, at)
		if err != nil {
			return err
		}
		for _, file := range texts {
			a.Note("%s: %s", name, file)
		}
	}
	return nil
}

// writeList writes a line for each test set, or for each language pair of those that are named.
func (o *setOptions) writeList(ctx context.Context, b *strings.Builder, at testsets.Options) error {
	if o.Name == "" {
		names := testsets.Names()
		if o.pair != "" {
			names = testsets.NamesOf(o.pair)
		}
		if len(names) == 0 {
			return fmt.Errorf("--language-pair %s: no test set has it", o.pair)
		}
		for _, name := range names {
			s, err := testsets.Find(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "%-30s: %s\n", name, s.Description)
		}
		return nil
	}
	for _, name := range o.names() {
		s, err := testsets.Find(name)
		if err != nil {
			return err
		}
		pairs := s.Pairs()
		if o.pair != "" {
			pairs = []string{o.pair}
		}
		for _, pair := range pairs {
			fields, err := s.Fields(ctx, pair, at)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "%s: %s\n", pair, strings.Join(fields, ", "))
		}
	}
	return nil
}

func cite(a *app.App, b *strings.Builder, o *setOptions) error {
	for _, name := range o.names() {
		s, err := testsets.Find(name)
		if err != nil {
			return err
		}
		if s.Citation == "" {
			a.Note("warning: nothing is known to cite for %s", name)
			continue
		}
		b.WriteString(strings.TrimRight(s.Citation, "\n") + "\n")
	}
	return nil
}

// writeTexts writes texts of the test sets side by side, and those of several sets behind one
// another, each with the texts that it has.
func (o *setOptions) writeTexts(ctx context.Context, b *strings.Builder, at testsets.Options) error {
	if err := o.paired(); err != nil {
		return err
	}
	for _, name := range o.names() {
		d, err := testsets.Open(name, o.pair, at)
		if err != nil {
			return err
		}
		columns, err := d.Columns(ctx, o.echo...)
		if err != nil {
			return err
		}
		keep, err := o.keep(ctx, d)
		if err != nil {
			return err
		}
		for i := range columns[0] {
			if keep != nil && !keep[i] {
				continue
			}
			for k, column := range columns {
				if k > 0 {
					b.WriteByte('\t')
				}
				b.WriteString(column[i])
			}
			b.WriteByte('\n')
		}
	}
	return nil
}

// paired is an error where no language pair is given.
func (o *setOptions) paired() error {
	if o.pair != "" {
		return nil
	}
	s, err := testsets.Find(o.names()[0])
	if err != nil {
		return err
	}
	return fmt.Errorf("--test-set %s: of which language pair? Type -l and one of %s", o.Name, strings.Join(s.Pairs(), ", "))
}

// keep says which segments --origlang and --subset keep, nil: all.
func (o *setOptions) keep(ctx context.Context, d *testsets.Data) ([]bool, error) {
	if o.origlang == "" && o.subset == "" {
		return nil, nil
	}
	return d.Keep(ctx, o.origlang, o.subset)
}

// open opens the test sets, nil if none is named, with their sources if these are read or shown.
func (o *setOptions) open(ctx context.Context, a *app.App, sources bool) (*app.TestSet, error) {
	if o.Name == "" {
		return nil, nil
	}
	if err := o.paired(); err != nil {
		return nil, err
	}
	at, done := sacreBLEU(a)
	defer done()
	d, err := testsets.Open(o.Name, o.pair, at)
	if err != nil {
		return nil, err
	}
	t := &app.TestSet{Data: d}
	refs, err := d.References(ctx)
	if err != nil {
		return nil, err
	}
	for i, lines := range refs {
		name := o.Name + " " + o.pair
		if len(refs) > 1 {
			name += fmt.Sprintf(" (reference %d)", i+1)
		}
		t.Refs = append(t.Refs, &files.Text{Name: name, Lines: lines})
	}
	if sources {
		lines, err := d.Field(ctx, "src")
		if err != nil {
			return nil, err
		}
		t.Source = &files.Text{Name: o.Name + " " + o.pair + " (source)", Lines: lines}
	}
	if t.Keep, err = o.keep(ctx, d); err != nil {
		return nil, err
	}
	return t, nil
}

// readScored reads what is scored: all of it, and what is left of it by --origlang and
// --subset.
func readScored(ctx context.Context, a *app.App, t *app.Texts, o *scoreOptions) (all, kept *files.Corpus, err error) {
	if t.Set, err = o.Sets.open(ctx, a, registry.Has(o.metrics, "comet") || o.html != ""); err != nil {
		return nil, nil, err
	}
	all, err = a.ReadTexts(ctx, t)
	switch {
	case err != nil && t.Columns && t.Set == nil:
		return nil, nil, fmt.Errorf("%w (without -r and -i, arguments are references, and outputs come from standard input)", err)
	case err != nil:
		return nil, nil, err
	case t.Set == nil || t.Set.Keep == nil:
		return all, all, nil
	case !slices.Contains(t.Set.Keep, true):
		return nil, nil, fmt.Errorf("%s %s: no document is as --origlang and --subset ask for: --detail without them tells which there are", o.Sets.Name, o.Sets.pair)
	}
	kept, err = all.Keep(t.Set.Keep)
	return all, kept, err
}
