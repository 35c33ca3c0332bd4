package registry

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/cmd/internal/flags"
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/human"
	"github.com/mteval/mteval/internal/lines"
	"github.com/mteval/mteval/meteor"
)

// meteorOptions are METEOR's options, with the names of the program's in words.
type meteorOptions struct {
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
}

func defineMETEOR(s *spec, _ *Flags, fs *pflag.FlagSet) {
	m := &s.meteor
	flags.Var(fs, flags.Text(&m.language, "", "language", append(meteor.Languages(), "other")...), "language", "language code, or other (default --target-language, or en)")
	flags.Var(fs, flags.Folder(&m.newLanguage, newLanguageFiles), "new", "folder with function.words and paraphrase.gz of a new language").
		Excludes("is of a new language", "language", "paraphrases", "function-words", "normalize")
	flags.Var(fs, flags.Enum(&m.task, "", "task", "rank", "adq", "hter", "util", "li", "tune", "universal"), "task", "parameters: rank, adq, hter, util, li, tune, universal (default the language's)")
	flags.Var(fs, flags.Parts(&m.modules, "stages", "exact", "stem", "synonym", "paraphrase"), "modules", "stages, in order: exact stem synonym paraphrase (default the language's)")
	flags.Var(fs, flags.Parts(&m.weights, "numbers"), "weights", "weights of the stages, in order (default the task's)")
	flags.Var(fs, flags.Parts(&m.params, "numbers"), "params", "alpha, beta, gamma and delta (default the task's)")
	flags.Bool(fs, &m.normalize, "normalize", "split off punctuation and ignore case: for raw text").Excludes("ignores case, too", "lowercase")
	flags.Bool(fs, &m.lowercase, "lowercase", "ignore case, and do nothing else")
	flags.Bool(fs, &m.noPunct, "no-punct", "remove punctuation, with normalize").OptionOf("normalize")
	flags.Bool(fs, &m.characters, "characters", "count characters in precision and recall")
	flags.Var(fs, flags.Int(&m.beam, 40, 1, math.MaxInt16), "beam", "partial alignments that are kept")
	flags.Var(fs, flags.Input(&m.jar), "jar", "meteor-1.5.jar, to take its lists of words from (default lists of our own)")
	flags.Var(fs, flags.Input(&m.paraphrases), "paraphrases", "paraphrase table, such as paraphrase-en.gz (default none)")
	flags.Var(fs, flags.Input(&m.functionWords), "function-words", "file of function words, one a line")
	flags.Var(fs, flags.Parts(&m.correct, "quirks", "all", "strings", "rewards", "distance", "function-words", "weights-by-module", "all-modules"), "correct", "quirks of the program to correct, with commas or spaces between, or all")
}

// languageCode is the language of a tag such as de-AT.
func languageCode(tag string) string {
	code, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return code
}

// newMETEOR makes METEOR, once for all metrics of these options, as its tables take seconds to read.
func newMETEOR(ctx context.Context, f *Flags, s *spec, _ *Backend) (mteval.Scorer, error) {
	m, key := &s.meteor, fmt.Sprintf("meteor %+v", s.meteor)
	if made := f.made[key]; made != nil {
		return made, nil
	}
	language := ""
	if m.newLanguage == "" {
		var err error
		if language, err = f.meteorLanguage(s); err != nil {
			return nil, err
		}
	}
	scorer, err := f.meteor(ctx, s, language)
	if err != nil {
		return nil, err
	}
	if language == "" && m.newLanguage == "" {
		f.noteEnglish("meteor", "the rules")
	}
	if m.newLanguage != "" || !m.normalize {
		f.noteRaw(s, scorer.Info().Signature.Get("lang"))
	}
	f.made[key] = scorer
	return scorer, nil
}

// meteorLanguage is the language of the options, "" where none gives one. One that METEOR has
// nothing for is an error, but for texts that come with one: see For.
func (f *Flags) meteorLanguage(s *spec) (string, error) {
	given, by := s.meteor.language, s.option("language")
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
		return "", fmt.Errorf("%s %s: METEOR has nothing for this language: have %s; %s(language=other) matches equal words of any", by, given, strings.Join(known, ", "), s.name)
	}
	return given, nil
}

// noteRaw says if texts look raw, with punctuation that becomes a part of words.
func (f *Flags) noteRaw(s *spec, language string) {
	if !untokenized(f.Lines) {
		return
	}
	do := "write " + s.option("normalize")
	if _, err := meteor.New(meteor.Options{Language: language, Normalization: meteor.Full}); err != nil || s.meteor.newLanguage != "" {
		do = "tokenize it, as " + s.option("normalize") + " does not know the language"
	}
	f.once("warning: meteor: the text looks raw, and METEOR takes \"word.\" and \"word\" for two words: %s", do)
}

func (f *Flags) meteor(ctx context.Context, s *spec, language string) (*meteor.Scorer, error) {
	o := meteor.Options{Language: language}
	for _, set := range []func(context.Context, *meteor.Options) error{s.setLanguage, s.setNormalization, s.setTask, s.setParams, s.setFiles} {
		if err := set(ctx, &o); err != nil {
			return nil, err
		}
	}
	o.Beam, o.Characters, o.MaxTokens = s.meteor.beam, s.meteor.characters, f.maxTokens
	scorer, err := meteor.New(o)
	if err != nil {
		check := func(o meteor.Options) error { _, err := meteor.New(o); return err }
		return nil, blame(err, o, []given[meteor.Options]{
			{s.option("modules"), func(o *meteor.Options) { o.Modules = nil }}, {s.option("task"), func(o *meteor.Options) { o.Task = "" }},
			{s.option("weights"), func(o *meteor.Options) { o.Weights = nil }}, {s.option("params"), func(o *meteor.Options) { o.Params = nil }},
			{s.option("normalize"), func(o *meteor.Options) { o.Normalization = meteor.Raw }},
			{s.option("paraphrases"), func(o *meteor.Options) { o.Paraphrases = nil }},
		}, check)
	}
	return scorer, nil
}

// setLanguage takes all options from the folder of a new language, if there is one.
func (s *spec) setLanguage(ctx context.Context, o *meteor.Options) (err error) {
	if s.meteor.newLanguage == "" {
		return nil
	}
	*o, err = meteor.OpenLanguage(ctx, s.meteor.newLanguage)
	return s.by("new", err)
}

func (s *spec) setNormalization(_ context.Context, o *meteor.Options) error {
	switch {
	case s.meteor.noPunct:
		o.Normalization = meteor.FullNoPunct
	case s.meteor.normalize:
		o.Normalization = meteor.Full
	case s.meteor.lowercase:
		o.Normalization = meteor.Lower
	}
	return nil
}

// setTask takes what has a name: the task, the stages and the corrections.
func (s *spec) setTask(_ context.Context, o *meteor.Options) (err error) {
	if s.meteor.task != "" {
		if o.Task, err = meteor.ParseTask(strings.ToLower(s.meteor.task)); err != nil {
			return s.by("task", err)
		}
	}
	if s.meteor.modules != "" {
		if o.Modules, err = meteor.ParseModules(strings.ReplaceAll(strings.ToLower(s.meteor.modules), ",", " ")); err != nil {
			return s.by("modules", err)
		}
	}
	if o.Correct, err = meteor.ParseCorrections(strings.Join(strings.Fields(strings.ToLower(s.meteor.correct)), ",")); err != nil {
		return s.by("correct", err)
	}
	return nil
}

// setParams takes what is numbers.
func (s *spec) setParams(_ context.Context, o *meteor.Options) (err error) {
	if s.meteor.weights != "" {
		if o.Weights, err = numbers(s.meteor.weights); err != nil {
			return s.by("weights", err)
		}
	}
	if s.meteor.params != "" {
		x, err := numbers(s.meteor.params)
		if err == nil && len(x) != 4 {
			err = fmt.Errorf("%d numbers, want alpha, beta, gamma and delta", len(x))
		}
		if err != nil {
			return s.by("params", err)
		}
		o.Params = &meteor.Params{Alpha: x[0], Beta: x[1], Gamma: x[2], Delta: x[3]}
	}
	return nil
}

// setFiles reads the lists and the table of paraphrases.
func (s *spec) setFiles(ctx context.Context, o *meteor.Options) (err error) {
	if s.meteor.jar != "" {
		if o.Resources, err = meteor.OpenJar(s.meteor.jar); err != nil {
			return s.by("jar", err)
		}
	}
	if s.meteor.functionWords != "" {
		file, err := files.OpenText(ctx, s.meteor.functionWords, files.Options{MaxText: maxWords})
		if err != nil {
			return s.by("function-words", err)
		}
		o.FunctionWords = slices.DeleteFunc(file.Lines, func(w string) bool { return w == "" })
	}
	if s.meteor.paraphrases != "" {
		o.Paraphrases, err = meteor.OpenParaphrases(ctx, s.meteor.paraphrases)
	}
	return s.by("paraphrases", err)
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

// newLanguageFiles are those of the option new.
func newLanguageFiles(dir string) []string {
	return []string{filepath.Join(dir, "function.words"), filepath.Join(dir, "paraphrase.gz")}
}
