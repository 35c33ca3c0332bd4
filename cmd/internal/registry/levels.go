package registry

import (
	"context"
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

// dreemOptions are those of DREEM.
type dreemOptions struct {
	language    string
	model       string
	vectors     string
	autoencoder string
	trees       []string
}

// levelOptions are those of metrics with levels.
type levelOptions struct {
	number     int
	thresholds string
	lowercase  bool
}

func defineDREEM(s *spec, f *Flags, fs *pflag.FlagSet) {
	d := &s.dreem
	flags.Var(fs, flags.Text(&d.language, "", "language", languages...), "language", "language code (default --target-language, or en)")
	flags.Var(fs, flags.Input(&d.model), "model", "vectors and autoencoder in one file (default the one for English)").
		Excludes("has vectors and an autoencoder", "vectors", "autoencoder")
	flags.Var(fs, flags.Input(&d.vectors), "vectors", "word vectors, of word2vec, GloVe or fastText")
	flags.Var(fs, flags.Input(&d.autoencoder), "autoencoder", "autoencoder, of the same dimension as the vectors")
	flags.Var(fs, flags.TextFiles(&d.trees, "TEXT=TREES", &f.Texts), "trees", "bracketed (Penn) trees of the lines of a text file, in place of --parses (repeat for references and outputs)")
}

// withLevels are the options of a metric with those of its levels.
func withLevels(define func(s *spec, f *Flags, fs *pflag.FlagSet)) func(s *spec, f *Flags, fs *pflag.FlagSet) {
	return func(s *spec, f *Flags, fs *pflag.FlagSet) {
		define(s, f, fs)
		flags.Var(fs, flags.Int(&s.levels.number, 3, 1, multilevel.MaxLevels), "levels", "levels of quality")
		flags.Var(fs, flags.Parts(&s.levels.thresholds, "numbers"), "thresholds", "thresholds between levels, on the F of words or of words and triples (default the presets' for 3 levels; otherwise equal steps)")
		flags.Bool(fs, &s.levels.lowercase, "triples-lowercase", "ignore case in levels by triples, those of --parses")
	}
}

// parsed reads the parses of --parses, once for all metrics; nil: there are none.
func (f *Flags) parsed(ctx context.Context) (*conllu.Bank, error) {
	if len(f.parses) == 0 || f.bank != nil {
		return f.bank, nil
	}
	b := new(conllu.Bank)
	err := f.eachPair(ctx, "--parses", f.parses, func(texts []string, path string) error {
		sentences, err := summed(&f.parseSum, texts, path, conllu.Read)
		if err != nil {
			return err
		}
		return b.Add(texts, sentences, path)
	})
	if err != nil {
		return nil, err
	}
	f.bank = b
	return b, nil
}

// treebank reads DREEM's trees; nil: there are none.
func (f *Flags) treebank(ctx context.Context, s *spec) (*dreem.Treebank, error) {
	if len(s.dreem.trees) == 0 {
		return nil, nil
	}
	b := new(dreem.Treebank)
	return b, f.eachPair(ctx, s.option("trees"), s.dreem.trees, func(texts []string, path string) error {
		trees, err := summed(&f.treeSum, texts, path, dreem.ReadPenn)
		if err != nil {
			return err
		}
		return b.Add(texts, trees, path)
	})
}

// Unsigned returns the options that change scores, or which lines have any, and are in no signature, as
// pairs of name and value: what becomes of long texts, and checksums of the files of parses and trees,
// as Scorers read them.
func (f *Flags) Unsigned() [][2]string {
	out := [][2]string{
		{"--max-tokens", strconv.Itoa(f.maxTokens)},
		{"--parses", fmt.Sprintf("%08x", f.parseSum)}, {"trees", fmt.Sprintf("%08x", f.treeSum)},
	}
	for _, s := range f.asked {
		if s.model.long != "" {
			out = append(out, [2]string{s.called() + ": long", s.model.long})
		}
	}
	return out
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
func (f *Flags) eachPair(ctx context.Context, flag string, values []string, do func(texts []string, path string) error) error {
	for _, v := range values {
		text, path, err := flags.TextAndFile(flag, v, f.Texts)
		if err != nil {
			return err
		}
		o := files.Options{Encoding: f.Encoding}
		if slices.Contains(f.Texts, text) { // and within the limits when it was read to be scored
			o.MaxLine = math.MaxInt64
		}
		if file, ok := f.named[text]; ok {
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

// newDREEM makes DREEM, once for all metrics of these options.
func newDREEM(ctx context.Context, f *Flags, s *spec, _ *Backend) (mteval.Scorer, error) {
	d, key := &s.dreem, fmt.Sprintf("dreem %q", s.dreem)
	if made := f.made[key]; made != nil {
		return made, nil
	}
	o := dreem.Options{Language: f.languageOf(d.language), MaxTokens: f.maxTokens}
	if err := f.setTrees(ctx, s, &o); err != nil {
		return nil, err
	}
	if err := f.setVectors(ctx, s, &o); err != nil {
		return nil, err
	}
	if o.Vectors == nil && o.Language != "" && o.Language != "en" {
		language, typed := "--target-language", f.target
		if d.language != "" {
			language, typed = s.option("language"), d.language
		}
		return nil, fmt.Errorf("%s %s: DREEM has word vectors of English only: give those of the language with %s or %s", language, typed, s.option("vectors"), s.option("model"))
	}
	scorer, err := dreem.New(o)
	if err != nil {
		trees := s.option("trees")
		if len(f.parses) > 0 {
			trees = "--parses"
		}
		check := func(o dreem.Options) error { _, err := dreem.New(o); return err }
		return nil, blame(err, o, []given[dreem.Options]{
			{s.option("autoencoder"), func(o *dreem.Options) { o.Autoencoder = nil }}, {trees, func(o *dreem.Options) { o.Trees = nil }},
		}, check)
	}
	if o.Language == "" && d.model == "" && d.vectors == "" {
		f.noteEnglish("dreem", "the word vectors")
	}
	f.made[key] = scorer
	return scorer, nil
}

// setTrees takes DREEM's trees from its option or --parses.
func (f *Flags) setTrees(ctx context.Context, s *spec, o *dreem.Options) error {
	bank, err := f.parsed(ctx)
	if err != nil {
		return err
	}
	trees, err := f.treebank(ctx, s)
	switch {
	case err != nil:
		return err
	case trees != nil && bank != nil:
		return fmt.Errorf("%s and --parses both give DREEM's trees: leave one of them out", s.option("trees"))
	case trees != nil:
		o.Trees = trees
	case bank != nil:
		o.Trees = dreem.FromParser(bank)
	}
	return nil
}

// setVectors reads DREEM's vectors and autoencoder, if options name some.
func (f *Flags) setVectors(ctx context.Context, s *spec, o *dreem.Options) (err error) {
	d := &s.dreem
	if d.model != "" {
		m, err := dreem.OpenModel(d.model)
		if err != nil {
			return s.by("model", err)
		}
		o.Vectors, o.Autoencoder = m.Vectors, m.Autoencoder
	}
	if d.vectors != "" {
		// Of a file of gigabytes only the words that are there. A text without a tree is
		// told by who scores it, with its line.
		var keep func(word string) bool
		if f.Lines != nil {
			keep, _ = o.Lookups(ctx, f.Lines)
		}
		if o.Vectors, err = dreem.OpenVectors(d.vectors, dreem.VectorOptions{Keep: keep}); err != nil {
			return s.by("vectors", err)
		}
		if n := o.Vectors.Repeated(); n > 0 {
			f.note("%s: %d rows have a word that has a vector before: the first of each counts", d.vectors, n)
		}
	}
	if d.autoencoder != "" {
		o.Autoencoder, err = dreem.OpenAutoencoder(d.autoencoder)
	}
	return s.by("autoencoder", err)
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

// newLevels wraps METEOR or DREEM.
func newLevels(ctx context.Context, f *Flags, s *spec, _ *Backend) (mteval.Scorer, error) {
	bank, err := f.parsed(ctx)
	if err != nil {
		return nil, err
	}
	var parser conllu.Parser // not of a nil bank
	if bank != nil {
		parser = bank
	}
	newBase, own := newDREEM, s.dreem.language
	isMETEOR := s.name == "multilevel-meteor"
	if isMETEOR {
		newBase, own = newMETEOR, s.meteor.language
	}
	o, err := s.levelOptions(f.languageOf(own), parser)
	if err != nil {
		return nil, err
	}
	o.Lowercase = s.levels.lowercase && parser != nil
	base, err := newBase(ctx, f, s, nil)
	if err != nil {
		return nil, err
	}
	if !isMETEOR {
		// DREEM's levels are Table 4's, and its tokens not those of a matcher.
		o.Words = multilevel.WordsBy(tokenize.V13a, true)
		if s.levels.number == 3 {
			for i, w := range dreem.Levels() {
				o.Levels[i].Values = w.Values()
			}
		}
	}
	scorer, err := multilevel.New(base.(tunable.Scorer), o)
	if err != nil { // nothing else can be wrong
		return nil, s.by("thresholds", err)
	}
	return scorer, nil
}

// levelOptions are those of levels for a language, "" is English. A nil parser is a classifier by
// words.
func (s *spec) levelOptions(language string, parser conllu.Parser) (o multilevel.Options, err error) {
	o = multilevel.IntoEnglish(parser)
	if language != "" && language != "en" {
		o = multilevel.OutOfEnglish()
		if parser != nil && s.levels.thresholds == "" {
			return o, fmt.Errorf("--parses: the thresholds out of English are for levels by words, as the paper has them: set %s for triples", s.option("thresholds"))
		}
	}
	if n := s.levels.number; n != 3 {
		o.Levels, o.Thresholds = make([]multilevel.Level, n), nil
		for i := 1; i < n; i++ {
			o.Thresholds = append(o.Thresholds, float64(i)/float64(n))
		}
	}
	if s.levels.thresholds != "" {
		if o.Thresholds, err = numbers(s.levels.thresholds); err != nil {
			return o, s.by("thresholds", err)
		}
		o.Parser = parser
	}
	return o, nil
}
