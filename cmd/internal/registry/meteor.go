package registry

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/meteor"
)

// meteorFlags are METEOR's options, with the names of the program's in words.
type meteorFlags struct {
	set           *pflag.FlagSet
	language      string
	newLanguage   string
	task          string
	modules       string
	weights       string
	params        string
	normalize     bool
	lowercase     bool
	noPunct       bool
	characters    bool
	beam          int
	jar           string
	paraphrases   string
	functionWords string
	correct       string
	maxTokens     int

	made *meteor.Scorer // by scorer
}

func (f *meteorFlags) add(fs *pflag.FlagSet) {
	f.set = fs
	flags.Var(fs, flags.Text(&f.language, "", "language", append(meteor.Languages(), "other")...), "meteor-language", "language code for METEOR, or other (default --target-language, or en)")
	flags.Var(fs, flags.Folder(&f.newLanguage, newLanguageFiles), "meteor-new", "folder with function.words and paraphrase.gz of a new language for METEOR").
		Excludes("is of a new language", "meteor-language", "meteor-paraphrases", "meteor-function-words", "meteor-normalize")
	flags.Var(fs, flags.Enum(&f.task, "", "task", "rank", "adq", "hter", "util", "li", "tune", "universal"), "meteor-task", "parameters of METEOR: rank, adq, hter, util, li, tune, universal (default the language's)")
	flags.Var(fs, flags.Parts(&f.modules, "stages", "exact", "stem", "synonym", "paraphrase"), "meteor-modules", "stages of METEOR, in order: exact stem synonym paraphrase (default the language's)")
	flags.Var(fs, flags.Parts(&f.weights, "numbers"), "meteor-weights", "weights of METEOR's stages, in order (default the task's)")
	flags.Var(fs, flags.Parts(&f.params, "numbers"), "meteor-params", "METEOR's alpha, beta, gamma and delta (default the task's)")
	flags.Bool(fs, &f.normalize, "meteor-normalize", "split off punctuation and ignore case in METEOR: for raw text").Excludes("ignores case, too", "meteor-lowercase")
	flags.Bool(fs, &f.lowercase, "meteor-lowercase", "ignore case in METEOR, and do nothing else")
	flags.Bool(fs, &f.noPunct, "meteor-no-punct", "remove punctuation in METEOR, with --meteor-normalize").OptionOf("meteor-normalize")
	flags.Bool(fs, &f.characters, "meteor-characters", "count characters in METEOR's precision and recall")
	flags.Var(fs, flags.Int(&f.beam, 40, 1, math.MaxInt16), "meteor-beam", "partial alignments that METEOR keeps")
	flags.Var(fs, flags.Input(&f.jar), "meteor-jar", "meteor-1.5.jar, to take its lists of words from (default lists of our own)")
	flags.Var(fs, flags.Input(&f.paraphrases), "meteor-paraphrases", "paraphrase table for METEOR, such as paraphrase-en.gz (default none)")
	flags.Var(fs, flags.Input(&f.functionWords), "meteor-function-words", "file of METEOR's function words, one a line")
	flags.Var(fs, flags.Parts(&f.correct, "quirks", "all", "strings", "rewards", "distance", "function-words", "weights-by-module", "all-modules"), "meteor-correct", "quirks of the program to correct in METEOR, with commas between, or all")
}

// languageCode is the language of a tag such as de-AT.
func languageCode(tag string) string {
	code, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return code
}

// newMETEOR makes METEOR of the flags, once for all metrics, as its tables take seconds to read.
func (f *Flags) newMETEOR(ctx context.Context) (*meteor.Scorer, error) {
	m := &f.meteor
	if m.made != nil {
		return m.made, nil
	}
	language := ""
	if m.newLanguage == "" {
		var err error
		if language, err = f.meteorLanguage(); err != nil {
			return nil, err
		}
	}
	s, err := m.scorer(ctx, language)
	if err != nil {
		return nil, err
	}
	if language == "" && m.newLanguage == "" {
		f.noteEnglish("meteor", "the rules")
	}
	if m.newLanguage != "" || !m.normalize {
		f.noteRaw(s.Info().Signature.Get("lang"))
	}
	m.made = s
	return s, nil
}

// meteorLanguage is the language of the flags, "" where none gives one. One that METEOR has
// nothing for is an error, but for texts that come with one: see For.
func (f *Flags) meteorLanguage() (string, error) {
	given, by := f.meteor.language, "--meteor-language"
	if given == "" {
		given, by = languageCode(f.target), "--target-language"
	}
	if given == "" {
		return "", nil
	}
	code, err := meteor.ParseLanguage(given)
	if err != nil {
		return "", fmt.Errorf("%s: %w", by, err)
	}
	switch known := meteor.Languages(); {
	case slices.Contains(known, code) || strings.EqualFold(given, "other"):
	case f.foreign && by == "--target-language":
		f.once("meteor: there is nothing for language %s: only equal words match", given)
	default:
		return "", fmt.Errorf("%s %s: METEOR has nothing for this language: have %s; --meteor-language other matches equal words of any", by, given, strings.Join(known, ", "))
	}
	return given, nil
}

// noteRaw says if texts look raw, with punctuation that becomes a part of words.
func (f *Flags) noteRaw(language string) {
	if !untokenized(f.Lines) {
		return
	}
	do := "add --meteor-normalize"
	if _, err := meteor.New(meteor.Options{Language: language, Normalization: meteor.Full}); err != nil || f.meteor.newLanguage != "" {
		do = "tokenize it, as --meteor-normalize does not know the language"
	}
	f.once("warning: meteor: the text looks raw, and METEOR takes \"word.\" and \"word\" for two words: %s", do)
}

func (f *meteorFlags) scorer(ctx context.Context, language string) (*meteor.Scorer, error) {
	o := meteor.Options{Language: language}
	for _, set := range []func(context.Context, *meteor.Options) error{f.setLanguage, f.setNormalization, f.setTask, f.setParams, f.setFiles} {
		if err := set(ctx, &o); err != nil {
			return nil, err
		}
	}
	o.Beam, o.Characters, o.MaxTokens = f.beam, f.characters, f.maxTokens
	s, err := meteor.New(o)
	if err != nil {
		check := func(o meteor.Options) error { _, err := meteor.New(o); return err }
		return nil, blame(err, o, []given[meteor.Options]{
			{"meteor-modules", func(o *meteor.Options) { o.Modules = nil }}, {"meteor-task", func(o *meteor.Options) { o.Task = "" }},
			{"meteor-weights", func(o *meteor.Options) { o.Weights = nil }}, {"meteor-params", func(o *meteor.Options) { o.Params = nil }},
			{"meteor-normalize", func(o *meteor.Options) { o.Normalization = meteor.Raw }},
			{"meteor-paraphrases", func(o *meteor.Options) { o.Paraphrases = nil }},
		}, check)
	}
	return s, nil
}

// setLanguage takes all options from the folder of a new language, if there is one.
func (f *meteorFlags) setLanguage(ctx context.Context, o *meteor.Options) (err error) {
	if f.newLanguage == "" {
		return nil
	}
	*o, err = meteor.OpenLanguage(ctx, f.newLanguage)
	return by("meteor-new", err)
}

func (f *meteorFlags) setNormalization(_ context.Context, o *meteor.Options) error {
	switch {
	case f.noPunct:
		o.Normalization = meteor.FullNoPunct
	case f.normalize:
		o.Normalization = meteor.Full
	case f.lowercase:
		o.Normalization = meteor.Lower
	}
	return nil
}

// setTask takes what has a name: the task, the stages and the corrections.
func (f *meteorFlags) setTask(_ context.Context, o *meteor.Options) (err error) {
	if f.task != "" {
		if o.Task, err = meteor.ParseTask(strings.ToLower(f.task)); err != nil {
			return fmt.Errorf("--meteor-task: %w", err)
		}
	}
	if f.set.Changed("meteor-modules") {
		if o.Modules, err = meteor.ParseModules(strings.ReplaceAll(strings.ToLower(f.modules), ",", " ")); err != nil {
			return fmt.Errorf("--meteor-modules: %w", err)
		}
	}
	if o.Correct, err = meteor.ParseCorrections(strings.ToLower(f.correct)); err != nil {
		return fmt.Errorf("--meteor-correct: %w", err)
	}
	return nil
}

// setParams takes what is numbers.
func (f *meteorFlags) setParams(_ context.Context, o *meteor.Options) (err error) {
	if f.set.Changed("meteor-weights") {
		if o.Weights, err = numbers(f.weights); err != nil {
			return fmt.Errorf("--meteor-weights: %w", err)
		}
	}
	if f.set.Changed("meteor-params") {
		x, err := numbers(f.params)
		if err == nil && len(x) != 4 {
			err = fmt.Errorf("%d numbers, want alpha, beta, gamma and delta", len(x))
		}
		if err != nil {
			return fmt.Errorf("--meteor-params: %w", err)
		}
		o.Params = &meteor.Params{Alpha: x[0], Beta: x[1], Gamma: x[2], Delta: x[3]}
	}
	return nil
}

// setFiles reads the lists and the table of paraphrases.
func (f *meteorFlags) setFiles(ctx context.Context, o *meteor.Options) (err error) {
	if f.jar != "" {
		if o.Resources, err = meteor.OpenJar(f.jar); err != nil {
			return by("meteor-jar", err)
		}
	}
	if f.functionWords != "" {
		file, err := files.OpenText(ctx, f.functionWords, files.Options{MaxText: maxWords})
		if err != nil {
			return by("meteor-function-words", err)
		}
		o.FunctionWords = slices.DeleteFunc(file.Lines, func(w string) bool { return w == "" })
	}
	if f.paraphrases != "" {
		o.Paraphrases, err = meteor.OpenParaphrases(ctx, f.paraphrases)
	}
	return by("meteor-paraphrases", err)
}

// maxWords bounds a list of function words, in bytes and 16 more a word; METEOR's have some thousands.
const maxWords = 1 << 24

// numbers reads numbers with white space or commas between.
func numbers(s string) ([]float64, error) {
	var out []float64
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' }) {
		x, err := lines.ParseWithin(f, human.AnyScore().Max)
		if err != nil {
			return nil, fmt.Errorf("%q is %w", f, err)
		}
		out = append(out, x)
	}
	return out, nil
}

// newLanguageFiles are those of --meteor-new.
func newLanguageFiles(dir string) []string {
	return []string{filepath.Join(dir, "function.words"), filepath.Join(dir, "paraphrase.gz")}
}
