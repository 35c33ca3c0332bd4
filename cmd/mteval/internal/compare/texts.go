package compare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/cmd/internal/registry"
	"github.com/mteval/mteval/cmd/mteval/internal/app"
	"github.com/mteval/mteval/compare"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/metaeval"
)

// compareTextOptions are the flags of compare that are of texts and of groups of segments.
type compareTextOptions struct {
	source, reference string
	outputs           []string
	by                []string
	documents, corpus string
	labels            []string
	tokenizer         string
}

// compareGroups are what --by can be.
var compareGroups = []string{"length", "frequency", "domain", "document"}

func (o *compareTextOptions) add(fs *pflag.FlagSet) {
	named := func(arg string) []string { return app.OutputPaths([]string{arg}) }
	flags.Var(fs, flags.List(&o.by, nil, "group", compareGroups...), "by", "groups of segments to compare on: "+strings.Join(compareGroups, ", "))
	flags.Var(fs, flags.NamingPairs(&o.labels, "file", named), "labels", "file of a label for each segment to group by, or NAME=FILE (repeat for several)")
	flags.Var(fs, flags.Input(&o.documents), "documents", "file of domain, tab, document for each segment, as in mt-metrics-eval, or of documents alone")
	flags.VarP(fs, flags.Input(&o.reference), "reference", "r", "file of the reference")
	flags.Var(fs, flags.Input(&o.source), "source", "file of the source")
	flags.Var(fs, flags.NamingPairs(&o.outputs, "file", named), "outputs", "file of a system's outputs, or NAME=FILE (repeat for several systems)")
	flags.Var(fs, flags.Input(&o.corpus), "corpus", "text to count words in for --by frequency, such as the training data")
	flags.Var(fs, flags.Enum(&o.tokenizer, "none", "tokenizer", registry.PlainTokenizers...), "tokenize", "how words are told apart for --by: none (at spaces), 13a, intl, zh, char, ja-mecab")
}

// compareTexts are the texts and labels beside scores, "" and nil where there are none. All have a
// line for each segment.
type compareTexts struct {
	source, reference  []string
	outputs            map[string][]string
	outputNames        []string
	domains, documents []string
	labels             []compareLabels
	Lines              int    // of each; -1: there is no text
	First              string // file that has so many
	warnings           []string
	read               files.Options // how texts are
}

type compareLabels struct {
	name  string
	lines []string
}

func readCompareTexts(ctx context.Context, a *app.App, o *compareTextOptions) (*compareTexts, error) {
	read := a.Reading()
	read.Encoding = a.Texts.Encoding
	t := &compareTexts{outputs: make(map[string][]string), Lines: -1, read: read}
	var err error
	if t.source, err = t.open(ctx, o.source, read); err != nil {
		return nil, err
	}
	if t.reference, err = t.open(ctx, o.reference, read); err != nil {
		return nil, err
	}
	outputs, err := files.Outputs(o.outputs)
	if err != nil {
		return nil, err
	}
	for _, out := range outputs {
		if t.outputs[out.Name], err = t.open(ctx, out.Path, read); err != nil {
			return nil, err
		}
		t.outputNames = append(t.outputNames, out.Name)
	}
	labels, err := files.Outputs(o.labels)
	if err != nil {
		return nil, err
	}
	for _, l := range labels {
		lines, err := t.open(ctx, l.Path, read)
		if err != nil {
			return nil, err
		}
		t.labels = append(t.labels, compareLabels{l.Name, lines})
	}
	return t, t.openDocuments(ctx, o.documents, read)
}

// openDocuments reads domains and documents, or documents alone.
func (t *compareTexts) openDocuments(ctx context.Context, path string, o files.Options) error {
	lines, err := t.open(ctx, path, o)
	if err != nil {
		return err
	}
	t.domains, t.documents, err = (&files.Text{Name: path, Lines: lines}).Documents()
	return err
}

// open reads a text, which must have as many lines as those before.
func (t *compareTexts) open(ctx context.Context, path string, o files.Options) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	text, err := files.OpenText(ctx, path, o)
	if err != nil {
		return nil, app.AdviseTexts(err)
	}
	if t.Lines < 0 {
		t.Lines, t.First = len(text.Lines), path
	}
	if n := len(text.Lines); n != t.Lines {
		return nil, fmt.Errorf("%s has %d lines, %s %d: each must have a line for each segment", path, n, t.First, t.Lines)
	}
	return text.Lines, nil
}

// segments are the lines, nil if there are none.
func (t *compareTexts) segments() *files.Segments {
	if t.Lines <= 0 {
		return nil
	}
	out := &files.Segments{Name: t.First, Lines: t.Lines, Sources: t.source, Outputs: t.outputs}
	for i := range t.reference {
		out.References = append(out.References, t.reference[i:i+1])
	}
	return out
}

// Place returns the line of each segment: that of its number, from 1, or where some segment has another
// name or number, that of its place among the scores.
func (t *compareTexts) Place(metric string, items []string) ([]int, error) {
	out := make([]int, len(items))
	numbered := true
	for i, item := range items {
		n, err := strconv.Atoi(item)
		numbered = numbered && err == nil && n >= 1 && n <= t.Lines && strconv.Itoa(n) == item
		out[i] = n - 1
	}
	switch {
	case numbered:
		return out, nil
	case len(items) == t.Lines:
		for i := range out {
			out[i] = i
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s has %d lines, and %s scores of %d segments, such as %s: a text or file of labels must have a line for each segment", t.First, t.Lines, metric, len(items), items[len(items)-1])
}

// groupings are those that are asked for, of each metric.
func (t *compareTexts) groupings(ctx context.Context, o *compareTextOptions, metrics []metaeval.Metric) ([][]compare.Grouping, error) {
	columns, err := t.columns(ctx, o)
	if err != nil {
		return nil, err
	}
	out := make([][]compare.Grouping, len(metrics))
	for k, m := range metrics {
		if t.Lines < 0 {
			continue
		}
		at, err := t.Place(m.Name, m.Scores.Items)
		if err != nil {
			return nil, err
		}
		for _, c := range columns {
			g, err := c.grouping(m.Scores.Items, at)
			if err != nil {
				return nil, err
			}
			out[k] = append(out[k], g)
		}
	}
	return out, nil
}

// A groupColumn has a label or a number for each line.
type groupColumn struct {
	name    string
	labels  []string
	numbers []float64
	cuts    []float64
}

func (c *groupColumn) grouping(items []string, at []int) (compare.Grouping, error) {
	if c.labels == nil {
		numbers := make([]float64, len(items))
		for i, line := range at {
			numbers[i] = c.numbers[line]
		}
		return compare.Ranges(c.name, items, numbers, c.cuts)
	}
	g := compare.Grouping{Name: c.name, Labels: make(map[string]string, len(items))}
	seen := make(map[string]bool)
	for _, label := range c.labels {
		if label != "" && !seen[label] {
			seen[label] = true
			g.Order = append(g.Order, label)
		}
	}
	for i, line := range at {
		if label := c.labels[line]; label != "" {
			g.Labels[items[i]] = label
		}
	}
	return g, nil
}

// columns are those of --by and --labels.
func (t *compareTexts) columns(ctx context.Context, o *compareTextOptions) ([]groupColumn, error) {
	var out []groupColumn
	for _, by := range o.by {
		c := groupColumn{name: by}
		var err error
		switch by {
		case "length":
			c.cuts = compare.LengthCuts()
			err = t.lengths(o, &c)
		case "frequency":
			c.cuts = compare.FrequencyCuts()
			err = t.frequencies(ctx, o, &c)
		case "domain":
			c.labels = t.domains
		case "document":
			c.labels = t.documents
		}
		if err != nil {
			return nil, err
		}
		if c.labels == nil && c.numbers == nil {
			return nil, fmt.Errorf("--by %s needs --documents FILE, with a domain, a tab and a document for each segment", by)
		}
		out = append(out, c)
	}
	for _, l := range t.labels {
		out = append(out, groupColumn{name: l.name, labels: l.lines})
	}
	return out, nil
}

// text is the one whose words are counted, and what it is.
func (t *compareTexts) text() ([]string, string) {
	if t.reference != nil {
		return t.reference, "the reference"
	}
	return t.source, "the source"
}

func (t *compareTexts) lengths(o *compareTextOptions, c *groupColumn) error {
	split, err := t.splitter(o)
	if err != nil {
		return err
	}
	if text, of := t.text(); text != nil {
		c.name, c.numbers = "length of "+of+", in "+t.words(o), compare.Words(split(text))
		return nil
	}
	if len(t.outputNames) == 0 {
		return errors.New("--by length needs a text to count words in: give -r FILE, --source FILE, or --outputs FILE")
	}
	var outputs [][]string
	for _, name := range t.outputNames {
		outputs = append(outputs, split(t.outputs[name]))
	}
	c.name = "mean length of the outputs, in " + t.words(o)
	c.numbers, err = compare.MeanWords(outputs)
	return err
}

func (t *compareTexts) frequencies(ctx context.Context, o *compareTextOptions, c *groupColumn) error {
	text, of := t.text()
	if text == nil {
		return errors.New("--by frequency needs a text whose words are looked up: give -r FILE or --source FILE")
	}
	split, err := t.splitter(o)
	if err != nil {
		return err
	}
	text = split(text)
	corpus, where := text, "itself"
	if o.corpus != "" {
		text, err := files.OpenText(ctx, o.corpus, t.read)
		if err != nil {
			return app.AdviseTexts(err)
		}
		corpus, where = split(text.Lines), o.corpus
	}
	c.name = "frequency of the rarest word of " + of + " in " + where
	c.numbers = compare.RarestWords(text, corpus)
	return nil
}

// words says what is counted.
func (t *compareTexts) words(o *compareTextOptions) string {
	if o.tokenizer == "none" {
		return "words"
	}
	return "tokens of " + o.tokenizer
}

// splitter returns what puts spaces between words, and warns of texts that have hardly any.
func (t *compareTexts) splitter(o *compareTextOptions) (func([]string) []string, error) {
	if o.tokenizer == "none" {
		return func(texts []string) []string {
			if w := wordless(texts); w != "" && !slices.Contains(t.warnings, w) {
				t.warnings = append(t.warnings, w)
			}
			return texts
		}, nil
	}
	tok, err := registry.PlainTokenizer(o.tokenizer)
	if err != nil {
		return nil, err
	}
	return func(texts []string) []string {
		out := make([]string, len(texts))
		for i, text := range texts {
			out[i] = string(tok.Append(nil, text))
		}
		return out
	}, nil
}

// wordless is a warning of texts that are written without spaces between words.
func wordless(texts []string) string {
	words, letters := 0, 0
	for _, t := range texts {
		words += len(strings.Fields(t))
		letters += utf8.RuneCountInString(t)
	}
	if letters < 20*max(words, 1) {
		return ""
	}
	return "the texts have hardly any spaces, at which words are told apart: --tokenize zh, ja-mecab or char counts others"
}
