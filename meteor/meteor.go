// Package meteor is METEOR 1.5 (Denkowski and Lavie, WMT 2014), the score of the program
// meteor-1.5.jar to the last digit.
//
// The words of the hypothesis and the reference are aligned, each with one other at most:
// equal words, words with equal stems, words that share a synset of WordNet, and phrases
// of a paraphrase table. Of all alignments the one is searched for that matches the most
// words in the fewest chunks, runs of words that are in the same order on both sides. The score is
// a mean of precision and recall, in which content words and function words and the
// stages have their own weights, less a penalty for the chunks: see Params.
//
// The program has quirks, of which some change most scores. They are part of what
// a published number means, so that the zero value of Options has them all; Corrections
// has a switch for each.
//
// What a number can be compared with is in the signature: the program's evaluation ID
// ("program:meteor-1.5-wo-en-norm-…") if the program gives the same number, and
// "program:none" if not, because the lists of function words, abbreviations and synonyms
// are not the program's or it knows no such setting. The lists of METEOR are under a
// licence of their own (LGPL), so that those of this package are not copies: see
// DefaultResources. OpenJar takes the program's from its jar, OpenParaphrases its
// paraphrases; without a table there is no paraphrase stage.
//
// NLTK's meteor_score, and with it that of Hugging Face's evaluate, is another metric: the
// METEOR of 2007 with α .9, β 3 and γ .5, without weights for stages or words, without
// paraphrases, with the original Porter stemmer, a greedy alignment, and no score of a corpus. On WMT's
// news the two differ by some 0.2. Its parameters here would not give its numbers, so
// that there is no preset for it.
package meteor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/stem"
	"github.com/mteval/mteval/internal/wordnet"
	"github.com/mteval/mteval/tunable"
)

// Options of METEOR. The zero value is what the program does for English text that is
// tokenized already, but for the lists and the paraphrases, which it brings along.
type Options struct {
	// Language is the ISO 639 code of the language, the program's code or its
	// English name; "" is English, and "other" any. One that has neither modules nor
	// parameters of its own has the stages Exact, and Stem if there is a stemmer,
	// with the parameters of LangIndep.
	Language string
	// Task chooses parameters and weights; "" is Rank if the language has it, else
	// LangIndep.
	Task Task
	// Modules are the stages, in order; nil is the language's, without Paraphrase if
	// there is no table.
	Modules []Module
	// Weights are those of the modules, by place; nil is the task's. Each is from 0 to
	// 1. Where there are fewer, the last modules have 0, as in the program.
	Weights []float64
	// Params are the parameters of the score; nil is the task's.
	Params *Params
	// Normalization is what is done to lines: nothing, by default. Raw text is meant
	// for Full. The program knows Full for English, Czech, German, Spanish, French and
	// Russian; for others it is an error.
	Normalization Normalization
	// Characters counts a word as its number of characters in precision and recall.
	Characters bool
	// Beam is the number of partial alignments that are kept; 0 is 40. A search takes 24
	// bytes times the beam for each word of the reference that has a choice, and ends in an
	// error that wraps mteval.ErrTooLong where that would be more than 800 MB.
	Beam int
	// Resources are the lists; nil is DefaultResources.
	Resources *Resources
	// FunctionWords, if not nil, takes the place of the list of function words.
	FunctionWords []string
	// Paraphrases is the table of the stage Paraphrase.
	Paraphrases *Paraphrases
	// Correct turns quirks of the program off.
	Correct Corrections
	// MaxTokens bounds the tokens of a text; a longer one is an error that wraps
	// mteval.ErrTooLong. Not positive: no bound.
	MaxTokens int
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on it.
	Workers int
}

// Corrections turn quirks of the program off, each on its own. The zero value is what the
// program does.
type Corrections struct {
	// Strings compares words and stems by their letters. The program compares a
	// hash of 32 bits, which some words share ("variants", "gelato").
	Strings bool
	// Rewards lets every match count in the search. The program drops the half that
	// a match of single words that are not equal adds, so that such a match is made only where
	// it breaks no chunk.
	Rewards bool
	// Distance adds the distance that a match moves a word to the alignment with
	// that match. The program adds it to those that are made after it.
	Distance bool
	// FunctionWords takes the function words of the language. The program takes the
	// English ones for all.
	FunctionWords bool
	// WeightsByModule gives modules that are chosen with Modules the weights that the task has for
	// them. The program takes weights by place.
	WeightsByModule bool
	// AllModules aligns equal texts with all modules. The program takes the first
	// alone, which leaves them without a match if it is not Exact.
	AllModules bool
}

// names lists the corrections that are on.
func (c Corrections) names() []string {
	var out []string
	for _, f := range correctionFields(&c) {
		if *f.on {
			out = append(out, f.name)
		}
	}
	return out
}

type correction struct {
	name string
	on   *bool
}

func correctionFields(c *Corrections) []correction {
	return []correction{
		{"strings", &c.Strings}, {"rewards", &c.Rewards}, {"distance", &c.Distance},
		{"function-words", &c.FunctionWords}, {"weights-by-module", &c.WeightsByModule}, {"all-modules", &c.AllModules},
	}
}

// ParseCorrections reads names of corrections with commas between, or "all".
func ParseCorrections(s string) (Corrections, error) {
	var c Corrections
	fields := correctionFields(&c)
	for _, name := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' }) {
		found := name == "all"
		for _, f := range fields {
			if name == "all" || name == f.name {
				*f.on, found = true, true
			}
		}
		if !found {
			var names []string
			for _, f := range fields {
				names = append(names, f.name)
			}
			return c, fmt.Errorf("meteor: no correction %q: have %s, all", name, strings.Join(names, ", "))
		}
	}
	return c, nil
}

// Scorer is METEOR with fixed options. It implements mteval.MatchScorer and
// tunable.Scorer; scores are on 0 to 1. A row is the program's 23 statistics: see
// Statistics.
type Scorer struct {
	opt         Options
	language    string
	task        Task
	modules     []Module
	weights     [maxModules]float64
	params      Params
	beam        int
	hash        func(string) uint64
	stem        func(string) string
	split       splitter
	function    wordList
	synonyms    *wordnet.Table
	paraphrases *Paraphrases
	sig         func() mteval.Signature // made once, when it is asked for
	pool        *sync.Pool              // of *scratch; of all scorers that differ in parameters only
}

var (
	_ mteval.MatchScorer = (*Scorer)(nil)
	_ tunable.Scorer     = (*Scorer)(nil)
)

// New returns METEOR with these options. It is an error if the language has no
// stemmer, synonyms or normalization that is asked for, or the paraphrase stage no table.
func New(o Options) (*Scorer, error) {
	language, err := ParseLanguage(o.Language)
	if err != nil {
		return nil, err
	}
	s := &Scorer{opt: o, language: language, hash: javaHash, beam: o.Beam}
	s.opt.FunctionWords = slices.Clone(o.FunctionWords)
	if s.opt.Resources == nil {
		s.opt.Resources = DefaultResources()
	}
	if s.opt.Resources.function == nil {
		return nil, errors.New("meteor: Options.Resources has no lists: see DefaultResources and OpenJar")
	}
	if t := o.Paraphrases; t != nil && t.ends == nil {
		return nil, errors.New("meteor: Options.Paraphrases has no table: see OpenParaphrases")
	}
	if o.Correct.Strings {
		s.hash = stringHash
	}
	if s.beam == 0 {
		s.beam = 40
	}
	if s.beam < 1 || s.beam > maxBeam {
		return nil, fmt.Errorf("meteor: Beam %d is not from 1 to %d", o.Beam, maxBeam)
	}
	if err := s.setModules(); err != nil {
		return nil, err
	}
	if err := s.setTask(); err != nil {
		return nil, err
	}
	if err := s.setLists(); err != nil {
		return nil, err
	}
	s.pool = &sync.Pool{New: func() any {
		sc := new(scratch)
		sc.dict.s = s
		return sc
	}}
	s.sig = sync.OnceValue(s.signature)
	return s, nil
}

// made is an error for a scorer that New did not make.
func (s *Scorer) made() error {
	if s.pool == nil {
		return errors.New("meteor: a Scorer that New did not make")
	}
	return nil
}

// languageModules are the stages that a language has.
func (s *Scorer) languageModules() []Module {
	switch s.language {
	case "en":
		return []Module{Exact, Stem, Synonym, Paraphrase}
	case "de", "fr", "es", "ru":
		return []Module{Exact, Stem, Paraphrase}
	case "cs":
		return []Module{Exact, Paraphrase}
	}
	if stem.For(s.language) != nil {
		return []Module{Exact, Stem}
	}
	return []Module{Exact}
}

// setModules chooses the stages and finds what they need.
func (s *Scorer) setModules() error {
	s.modules = slices.Clone(s.opt.Modules)
	if s.modules == nil {
		s.modules = s.languageModules()
		if s.opt.Task == Universal {
			s.modules = []Module{Exact, Paraphrase}
		}
		if s.opt.Paraphrases == nil {
			s.modules = slices.DeleteFunc(s.modules, func(m Module) bool { return m == Paraphrase })
		}
	}
	if len(s.modules) == 0 || len(s.modules) > maxModules {
		return fmt.Errorf("meteor: %d modules, not 1 to %d", len(s.modules), maxModules)
	}
	for i, m := range s.modules {
		if slices.Contains(s.modules[:i], m) {
			return fmt.Errorf("meteor: module %s is named twice", m)
		}
		switch m {
		case Exact:
		case Stem:
			if s.stem = stem.For(s.language); s.stem == nil {
				return fmt.Errorf("meteor: there is no stemmer for language %s: leave module stem out", s.language)
			}
		case Synonym:
			if s.language != "en" {
				return fmt.Errorf("meteor: there are synonyms for English only, not for language %s: leave module synonym out", s.language)
			}
			s.synonyms = s.opt.Resources.synonyms()
		case Paraphrase:
			if s.paraphrases = s.opt.Paraphrases; s.paraphrases == nil {
				return errors.New("meteor: module paraphrase needs a table: see OpenParaphrases")
			}
		default:
			return fmt.Errorf("meteor: no module %q: have %s", m, join(allModules, ", "))
		}
	}
	if s.opt.Paraphrases != nil && s.paraphrases == nil {
		return errors.New("meteor: there is a paraphrase table, but module paraphrase is not among the modules")
	}
	return nil
}

// setTask chooses parameters and weights.
func (s *Scorer) setTask() error {
	s.task = s.opt.Task
	if s.task == "" {
		s.task = LangIndep
		if _, ok := ranked[s.language]; ok {
			s.task = Rank
		}
	} else if _, err := ParseTask(string(s.task)); err != nil {
		return err
	}
	p, ok := presetOf(s.language, s.task)
	if !ok && (s.opt.Params == nil || s.opt.Weights == nil) {
		return fmt.Errorf("meteor: task %s has no parameters for language %s, so that every score would be 0: use %s, or set Params and Weights", s.task, s.language, LangIndep)
	}
	s.params = p.params
	if s.opt.Params != nil {
		s.params = *s.opt.Params
	}
	if err := s.params.check(); err != nil {
		return err
	}
	weights := p.weights
	if s.opt.Correct.WeightsByModule && s.opt.Weights == nil {
		all := s.languageModules()
		if s.task == Universal {
			all = []Module{Exact, Paraphrase}
		}
		weights = make([]float64, len(s.modules))
		for i, m := range s.modules {
			if at := slices.Index(all, m); at >= 0 && at < len(p.weights) {
				weights[i] = p.weights[at]
			}
		}
	}
	if s.opt.Weights != nil {
		weights = s.opt.Weights
		if len(weights) > len(s.modules) {
			return fmt.Errorf("meteor: %d weights for %d modules", len(weights), len(s.modules))
		}
	}
	copy(s.weights[:len(s.modules)], weights)
	for i, w := range s.weights {
		if !(w >= 0 && w <= 1) {
			return fmt.Errorf("meteor: weight %d is %v, not from 0 to 1", i+1, w)
		}
	}
	return nil
}

// setLists chooses what words are looked up in.
func (s *Scorer) setLists() error {
	r := s.opt.Resources
	s.split.norm = s.opt.Normalization
	if s.split.norm < 0 || s.split.norm >= noMoreNormal {
		return fmt.Errorf("meteor: no normalization %d", s.split.norm)
	}
	if s.split.norm >= Full {
		p, ok := r.prefixes[s.language]
		if !ok {
			return fmt.Errorf("meteor: there is no normalization for language %s: tokenize the text and take Lower or Raw", s.language)
		}
		s.split.prefixes, s.split.english, s.split.french = p, s.language == "en", s.language == "fr"
	}
	s.function = r.function["en"]
	if s.opt.Correct.FunctionWords {
		s.function = r.function[s.language]
	}
	if s.opt.FunctionWords != nil {
		s.function = hashedWordList(s.opt.FunctionWords)
	}
	return nil
}

// Width is the length of a row.
func (s *Scorer) Width() int { return width }

// Info describes the scorer.
func (s *Scorer) Info() mteval.Info {
	if s.made() != nil {
		return mteval.Info{}
	}
	return mteval.Info{Name: "meteor", Signature: s.sig(), Scale: 1}
}

// EvaluationID is the program's name for the setting, such as
// "meteor-1.5-wo-en-norm-0.85_0.2_0.6_0.75-ex_st_sy_pa-1.0_0.6_0.8_0.6". It does not tell
// whether the lists are the program's.
func (s *Scorer) EvaluationID() string {
	unit := "wo"
	if s.opt.Characters {
		unit = "ch"
	}
	short := make([]string, len(s.modules))
	for i, m := range s.modules {
		short[i] = string(m[:2])
	}
	p := s.params
	return strings.Join([]string{
		program, unit, shortName(s.language), s.split.norm.String(),
		javaFloats([]float64{p.Alpha, p.Beta, p.Gamma, p.Delta}, "_"),
		strings.Join(short, "_"), javaFloats(s.weights[:len(s.modules)], "_"),
	}, "-")
}

// isProgram says whether the program gives the same scores, with its jar and the English
// paraphrase table that comes with it.
func (s *Scorer) isProgram() bool {
	_, known := jarNames[s.language]
	return (known || s.language == other) && s.opt.Correct == Corrections{} && s.function.name == program &&
		(s.split.norm < Full || s.opt.Resources.name == program) &&
		(s.synonyms == nil || s.opt.Resources.name == program) &&
		(s.paraphrases == nil || s.paraphrases.name == program+"-en" && s.language == "en")
}

func (s *Scorer) signature() mteval.Signature {
	or := func(cond bool, value string) string {
		if cond {
			return value
		}
		return "none"
	}
	unit := "word"
	if s.opt.Characters {
		unit = "char"
	}
	p := s.params
	numbers := func(x ...float64) string {
		out := make([]string, len(x))
		for i, v := range x {
			out[i] = decimal.Format(v)
		}
		return strings.Join(out, ",")
	}
	synonyms := "none"
	if s.synonyms != nil {
		synonyms = "wordnet-3.0" // the package's own table is the program's
		if r := s.opt.Resources; r.name != program && r != DefaultResources() {
			synonyms = r.name
		}
	}
	table := "none"
	if s.paraphrases != nil {
		table = s.paraphrases.name
	}
	corrections := s.opt.Correct.names()
	return mteval.Signature{
		{Key: "program", Abbr: "p", Value: or(s.isProgram(), s.EvaluationID())},
		{Key: "lang", Abbr: "l", Value: s.language},
		{Key: "norm", Abbr: "nr", Value: s.split.norm.String()},
		{Key: "modules", Abbr: "m", Value: join(s.modules, ",")},
		{Key: "weights", Abbr: "w", Value: numbers(s.weights[:len(s.modules)]...)},
		{Key: "params", Abbr: "pr", Value: numbers(p.Alpha, p.Beta, p.Gamma, p.Delta)},
		{Key: "unit", Abbr: "u", Value: unit},
		{Key: "fwords", Abbr: "fw", Value: s.function.name},
		{Key: "prefixes", Abbr: "px", Value: or(s.split.norm >= Full, s.opt.Resources.name)},
		{Key: "synonyms", Abbr: "sy", Value: synonyms},
		{Key: "paraphrases", Abbr: "pa", Value: table},
		{Key: "beam", Abbr: "b", Value: fmt.Sprint(s.beam)},
		{Key: "corrected", Abbr: "c", Value: or(len(corrections) > 0, strings.Join(corrections, ","))},
	}
}

// Parameters returns alpha, beta, gamma, delta and the weights of the modules.
func (s *Scorer) Parameters() []tunable.Parameter {
	p := s.params
	out := []tunable.Parameter{
		{Name: "alpha", Value: p.Alpha, Max: 1}, {Name: "beta", Value: p.Beta, Max: math.Inf(1)},
		{Name: "gamma", Value: p.Gamma, Max: 1}, {Name: "delta", Value: p.Delta, Max: 1},
	}
	for i, m := range s.modules {
		out = append(out, tunable.Parameter{Name: string(m), Value: s.weights[i], Max: 1})
	}
	return out
}

// WithParameters returns the scorer with other values of Parameters. The rows of one
// hypothesis against one reference stay as they are.
func (s *Scorer) WithParameters(values []float64) (tunable.Scorer, error) {
	if len(values) != 4+len(s.modules) {
		return nil, fmt.Errorf("meteor: %d values for %d parameters", len(values), 4+len(s.modules))
	}
	return s.With(Params{values[0], values[1], values[2], values[3]}, values[4:])
}

// With returns the scorer with other parameters and weights of the modules.
func (s *Scorer) With(p Params, weights []float64) (*Scorer, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	c := *s
	c.opt.Params, c.opt.Weights = &p, slices.Clone(weights)
	c.weights = [maxModules]float64{}
	if err := c.setTask(); err != nil {
		return nil, err
	}
	c.sig = sync.OnceValue(c.signature)
	return &c, nil
}

// Prepare splits the references into words and looks those up.
func (s *Scorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return s.prepare(ctx, refs)
}
