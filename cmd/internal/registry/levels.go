package registry

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/dreem"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/internal/sidefile"
	"github.com/mteval/mteval/meteor"
	"github.com/mteval/mteval/multilevel"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tunable"
)

// levelFlags are the options of DREEM, and of metrics with levels.
type levelFlags struct {
	language    string
	model       string
	vectors     string
	autoencoder string
	trees       []string
	parses      []string
	// parseSum and treeSum are checksums of what was read of these.
	parseSum, treeSum uint32
	levels            int
	thresholds        string

	parsed *conllu.Bank  // what bank read
	made   *dreem.Scorer // by newDREEM
}

// add defines the flags; texts are the files that are scored, once they are known.
func (f *levelFlags) add(fs *pflag.FlagSet, texts *[]string) {
	options(fs, "DREEM", []string{"dreem", "multilevel-dreem"}, func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.Text(&f.language, "", "language", languages...), "dreem-language", "language code for DREEM (default --target-language, or en)")
		flags.Var(fs, flags.Input(&f.model), "dreem-model", "model of DREEM, vectors and autoencoder in one (default the one for English)").
			Excludes("has vectors and an autoencoder", "dreem-vectors", "dreem-autoencoder")
		flags.Var(fs, flags.Input(&f.vectors), "dreem-vectors", "word vectors for DREEM, of word2vec, GloVe or fastText")
		flags.Var(fs, flags.Input(&f.autoencoder), "dreem-autoencoder", "autoencoder for DREEM, of the same dimension as --dreem-vectors")
		flags.Var(fs, flags.TextFiles(&f.trees, "TEXT=TREES", texts), "dreem-trees", "bracketed (Penn) trees of the lines of a text file, for DREEM (repeat for references and outputs)")
	})
	flags.Group(fs, "Levels", func(fs *pflag.FlagSet) {
		flags.Var(fs, flags.TextFiles(&f.parses, "TEXT=PARSES", texts), "parses", "dependency parses (CoNLL-U) of the lines of a text file, for levels by triples and DREEM's trees (repeat for references and outputs)").
			For("metric", "multilevel-meteor", "multilevel-dreem", "dreem")
		flags.Var(fs, flags.Int(&f.levels, 3, 1, multilevel.MaxLevels), "levels", "levels of quality of multilevel-meteor and multilevel-dreem").
			For("metric", "multilevel-meteor", "multilevel-dreem")
		flags.Var(fs, flags.Parts(&f.thresholds, "numbers"), "level-thresholds", "thresholds between levels, on the F of words or of words and triples (default the presets' for 3 levels; otherwise equal steps)").
			For("metric", "multilevel-meteor", "multilevel-dreem")
	})
}

// bank reads the parses of --parses, once for all metrics; nil: there are none.
func (f *levelFlags) bank(ctx context.Context, all *Flags) (*conllu.Bank, error) {
	if len(f.parses) == 0 || f.parsed != nil {
		return f.parsed, nil
	}
	b := new(conllu.Bank)
	err := eachPair(ctx, "parses", f.parses, all, func(texts []string, path string) error {
		sentences, err := summed(&f.parseSum, texts, path, conllu.Read)
		if err != nil {
			return err
		}
		return b.Add(texts, sentences, path)
	})
	if err != nil {
		return nil, err
	}
	f.parsed = b
	return b, nil
}

// treebank reads the trees of --dreem-trees; nil: there are none.
func (f *levelFlags) treebank(ctx context.Context, all *Flags) (*dreem.Treebank, error) {
	if len(f.trees) == 0 {
		return nil, nil
	}
	b := new(dreem.Treebank)
	return b, eachPair(ctx, "dreem-trees", f.trees, all, func(texts []string, path string) error {
		trees, err := summed(&f.treeSum, texts, path, dreem.ReadPenn)
		if err != nil {
			return err
		}
		return b.Add(texts, trees, path)
	})
}

// Unsigned returns the options that change scores, or which lines have any, and are in no signature, as
// pairs of flag and value: what becomes of long texts, and checksums of the files of parses and trees,
// as Scorers read them.
func (f *Flags) Unsigned() [][2]string {
	return [][2]string{
		{"--max-tokens", strconv.Itoa(f.maxTokens)}, {"--long", f.long},
		{"--parses", fmt.Sprintf("%08x", f.level.parseSum)}, {"--dreem-trees", fmt.Sprintf("%08x", f.level.treeSum)},
	}
}

// summed reads a file that goes with texts, once, as it may be a pipe, and adds both to a checksum.
func summed[T any](sum *uint32, texts []string, path string, read func(r io.Reader, name string) (T, error)) (T, error) {
	add := func(data []byte) { *sum = crc32.Update(*sum, crc32.IEEETable, data) }
	add(fmt.Appendf(nil, "%q\n", texts))
	return sidefile.Load(path, func(r io.Reader, name string) (T, error) {
		return read(io.TeeReader(r, writer(add)), name)
	})
}

// writer is a function as io.Writer.
type writer func(data []byte)

func (w writer) Write(data []byte) (int, error) {
	w(data)
	return len(data), nil
}

// eachPair takes the lines of TEXT, and the path after it, of each value of a flag. TEXT is a file
// that is scored, or what its output is called, or another file.
func eachPair(ctx context.Context, flag string, values []string, all *Flags, do func(texts []string, path string) error) error {
	for _, v := range values {
		text, path, err := flags.TextAndFile(flag, v, all.Texts)
		if err != nil {
			return err
		}
		o := files.Options{Encoding: all.Encoding}
		if slices.Contains(all.Texts, text) { // and within the limits when it was read to be scored
			o.MaxLine = math.MaxInt64
		}
		if file, ok := all.named[text]; ok {
			text = file
		}
		file, err := files.OpenText(ctx, text, o)
		if err != nil {
			return by(flag, err)
		}
		if err := do(file.Lines, path); err != nil {
			return by(flag, err)
		}
	}
	return nil
}

// newDREEM makes DREEM of the flags, once for all metrics.
func (f *Flags) newDREEM(ctx context.Context) (*dreem.Scorer, error) {
	l := &f.level
	if l.made != nil {
		return l.made, nil
	}
	o := dreem.Options{Language: f.languageOf(l.language), MaxTokens: f.maxTokens}
	if err := f.setTrees(ctx, &o); err != nil {
		return nil, err
	}
	if err := f.setVectors(ctx, &o); err != nil {
		return nil, err
	}
	if o.Vectors == nil && o.Language != "" && o.Language != "en" {
		language, typed := "target-language", f.target
		if l.language != "" {
			language, typed = "dreem-language", l.language
		}
		return nil, fmt.Errorf("--%s %s: DREEM has word vectors of English only: give those of the language with --dreem-vectors or --dreem-model", language, typed)
	}
	s, err := dreem.New(o)
	if err != nil {
		trees := "dreem-trees"
		if len(l.parses) > 0 {
			trees = "parses"
		}
		check := func(o dreem.Options) error { _, err := dreem.New(o); return err }
		return nil, blame(err, o, []given[dreem.Options]{
			{"dreem-autoencoder", func(o *dreem.Options) { o.Autoencoder = nil }}, {trees, func(o *dreem.Options) { o.Trees = nil }},
		}, check)
	}
	if o.Language == "" && l.model == "" && l.vectors == "" {
		f.noteEnglish("dreem", "the word vectors")
	}
	l.made = s
	return s, nil
}

// setTrees takes DREEM's trees from --dreem-trees or --parses.
func (f *Flags) setTrees(ctx context.Context, o *dreem.Options) error {
	bank, err := f.level.bank(ctx, f)
	if err != nil {
		return err
	}
	trees, err := f.level.treebank(ctx, f)
	switch {
	case err != nil:
		return err
	case trees != nil && bank != nil:
		return errors.New("--dreem-trees and --parses both give DREEM's trees: leave one of them out")
	case trees != nil:
		o.Trees = trees
	case bank != nil:
		o.Trees = dreem.FromParser(bank)
	}
	return nil
}

// setVectors reads DREEM's vectors and autoencoder, if flags name some.
func (f *Flags) setVectors(ctx context.Context, o *dreem.Options) (err error) {
	l := &f.level
	if l.model != "" {
		m, err := dreem.OpenModel(l.model)
		if err != nil {
			return by("dreem-model", err)
		}
		o.Vectors, o.Autoencoder = m.Vectors, m.Autoencoder
	}
	if l.vectors != "" {
		// Of a file of gigabytes only the words that are there. A text without a tree is
		// told by who scores it, with its line.
		var keep func(word string) bool
		if f.Lines != nil {
			keep, _ = o.Lookups(ctx, f.Lines)
		}
		if o.Vectors, err = dreem.OpenVectors(l.vectors, dreem.VectorOptions{Keep: keep}); err != nil {
			return by("dreem-vectors", err)
		}
		if n := o.Vectors.Repeated(); n > 0 {
			f.note("%s: %d rows have a word that has a vector before: the first of each counts", l.vectors, n)
		}
	}
	if l.autoencoder != "" {
		o.Autoencoder, err = dreem.OpenAutoencoder(l.autoencoder)
	}
	return by("dreem-autoencoder", err)
}

// languageOf is the code of a metric's own language, or of that of --target-language; "": none
// is given.
func (f *Flags) languageOf(own string) string {
	if own == "" {
		own = languageCode(f.target)
	}
	if code, err := meteor.ParseLanguage(own); own != "" && err == nil {
		return code
	}
	return own // for whoever needs it to be known
}

// withLevels wraps METEOR or DREEM.
func (f *Flags) withLevels(ctx context.Context, name string) (mteval.Scorer, error) {
	bank, err := f.level.bank(ctx, f)
	if err != nil {
		return nil, err
	}
	var parser conllu.Parser // not of a nil bank
	if bank != nil {
		parser = bank
	}
	own := f.level.language
	if name == "meteor" {
		own = f.meteor.language
	}
	o, err := f.level.options(f.languageOf(own), parser)
	if err != nil {
		return nil, err
	}
	o.Lowercase = f.lowercase && parser != nil
	if name == "meteor" {
		base, err := f.newMETEOR(ctx)
		if err != nil {
			return nil, err
		}
		return f.level.new(base, o)
	}
	base, err := f.newDREEM(ctx)
	if err != nil {
		return nil, err
	}
	// DREEM's levels are Table 4's, and its tokens not those of a matcher.
	o.Words = multilevel.WordsBy(tokenize.V13a, true)
	if f.level.levels == 3 {
		for i, w := range dreem.Levels() {
			o.Levels[i].Values = w.Values()
		}
	}
	return f.level.new(base, o)
}

// new makes a metric with levels. What can be wrong is the thresholds.
func (f *levelFlags) new(base tunable.Scorer, o multilevel.Options) (mteval.Scorer, error) {
	s, err := multilevel.New(base, o)
	if err != nil {
		return nil, by("level-thresholds", err)
	}
	return s, nil
}

// options are those of levels for a language, "" is English. A nil parser is a classifier by
// words.
func (f *levelFlags) options(language string, parser conllu.Parser) (o multilevel.Options, err error) {
	o = multilevel.IntoEnglish(parser)
	if language != "" && language != "en" {
		o = multilevel.OutOfEnglish()
		if parser != nil && f.thresholds == "" {
			return o, errors.New("--parses: the thresholds out of English are for levels by words, as the paper has them: set --level-thresholds for triples")
		}
	}
	if n := f.levels; n != 3 {
		o.Levels, o.Thresholds = make([]multilevel.Level, n), nil
		for i := 1; i < n; i++ {
			o.Thresholds = append(o.Thresholds, float64(i)/float64(n))
		}
	}
	if f.thresholds != "" {
		if o.Thresholds, err = numbers(f.thresholds); err != nil {
			return o, fmt.Errorf("--level-thresholds: %w", err)
		}
		o.Parser = parser
	}
	return o, nil
}
