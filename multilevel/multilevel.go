// Package multilevel scores segments with parameters that depend on their quality, after
// Chen, Guo and Kuhn 2015, "Multi-level Evaluation for Machine Translation" (WMT).
//
// A classifier gives a segment an F, which puts it on a level between thresholds: with
// three levels it is low for F ≤ θ1, medium for θ1 < F ≤ θ2, and high above. Then a metric
// with parameters scores it with those of its level. With several references a segment
// has the best score that one of them gives, with the level that it has beside that
// reference. A corpus has the mean of its segments' scores weighted by the lengths of the
// references that were chosen, in words (equation 2).
//
// Any tunable.Scorer can be wrapped, and any mteval.Scorer can be the classifier.
// The paper's is equation 1, F = λ·F_W + (1−λ)·F_D, with F_W over words (NewWordF) and
// F_D over dependency triples (NewTripleF), or F_W alone where there is no parser.
//
// λ, the thresholds, and all parameters on all levels are parameters of the Scorer, so
// that package tune fits them from statistics that are kept.
package multilevel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/mean"
	"github.com/mteval/mteval/internal/rows"
	"github.com/mteval/mteval/tunable"
)

// A Level of quality.
type Level struct {
	// Name is of letters, digits, "-" and "_"; "" is low and high for two levels, low,
	// medium and high for three, and else level1 and so on.
	Name string
	// Values are the metric's parameters on the level, by name. Those that are not here
	// are the metric's own.
	Values map[string]float64
}

// MaxLevels is the largest number of levels, far more than people can tell apart.
const MaxLevels = 100

// Options of the wrapper. The zero value has three levels on which all parameters are the
// metric's own, and the thresholds of into English; the scores of segments are the metric's
// then.
type Options struct {
	// Levels are the levels from low to high, 1 to MaxLevels; nil is three.
	Levels []Level
	// Thresholds on F, one less than levels, each from 0 to the classifier's Scale and
	// none below the one before. nil is, for three levels and no Classifier,
	// IntoEnglish's with or without triples, as Parser says.
	Thresholds []float64
	// Classifier gives F: the score of a hypothesis against one reference. Nil is
	// NewWordF(Words), mixed with NewTripleF(Parser) if there is a parser. It must be
	// one for which more is better. If it is a tunable.Scorer, its parameters are
	// parameters here.
	Classifier mteval.Scorer
	// Words splits texts for the classifier, and for the lengths of references. The
	// zero value is the metric's own tokens (WordsOf), for which it must be a
	// mteval.MatchScorer.
	Words Words
	// Parser gives parses of every hypothesis and reference; nil is a classifier by
	// words only.
	Parser conllu.Parser
	// Lowercase ignores case in triples. Words are as Words has them.
	Lowercase bool
	// Lambda is λ, the weight of words beside triples, at most 1; 0 is .5.
	Lambda float64
}

// Scorer is a metric with levels. It implements tunable.Reducer; its scores are on the
// metric's scale, and the better ones are on the same side.
//
// Of one segment the score is exactly the metric's with the parameters of its level. A
// reference without words weighs nothing, and a segment scores 0 beside it. A text that is
// too long for the metric's option MaxTokens is its error; no other part of a Scorer has a
// bound, as the metric sees texts first.
//
// A row is what equation 2 needs, the segment's score times its weight, as two numbers,
// and the weight, and then for each level whether the segment is on it: see Counts.
type Scorer struct {
	base       tunable.Scorer
	levels     []Level
	scorers    []tunable.Scorer // by level
	thresholds []float64
	classifier mteval.Scorer
	words      Words
	// What the statistics are of: those of the metric, from which each level makes rows of
	// its own, those of the classifier, and at the end the length of the reference.
	ofBase, ofClassifier tunable.Statistics
	reductions           []tunable.Statistics // by level
	info                 func() mteval.Info
}

var _ tunable.Reducer = (*Scorer)(nil)

// New returns base with levels.
func New(base tunable.Scorer, o Options) (*Scorer, error) {
	if err := rows.CheckScorer(base); err != nil {
		return nil, fmt.Errorf("multilevel: %w", err)
	}
	if len(o.Levels) > MaxLevels {
		return nil, fmt.Errorf("multilevel: %d levels: want %d at most", len(o.Levels), MaxLevels)
	}
	s := &Scorer{base: base, levels: named(o.Levels), words: o.Words}
	if err := checkNames(s.levels); err != nil {
		return nil, err
	}
	if s.words.reader == nil {
		m, ok := base.(mteval.MatchScorer)
		if !ok {
			return nil, fmt.Errorf("multilevel: %s does not say what its words are: set Options.Words, to WordsBy of the tokenizer that it has, say", base.Info().Name)
		}
		s.words = WordsOf(m)
		s.words.name = "metric" // the signature has the rest already
	}
	if err := s.setClassifier(&o); err != nil {
		return nil, err
	}
	if err := s.setThresholds(&o); err != nil {
		return nil, err
	}
	for _, level := range s.levels {
		scorer, err := level.of(base)
		if err != nil {
			return nil, err
		}
		s.scorers = append(s.scorers, scorer)
	}
	seen := make(map[string]bool)
	for _, p := range s.Parameters() {
		if seen[p.Name] {
			return nil, fmt.Errorf("multilevel: two parameters are called %s: change the name of a level", p.Name)
		}
		seen[p.Name] = true
	}
	s.finish()
	return s, nil
}

// of is the metric with the level's values.
func (l *Level) of(base tunable.Scorer) (tunable.Scorer, error) {
	params := base.Parameters()
	values := make([]float64, len(params))
	known := 0
	for i, p := range params {
		v, ok := l.Values[p.Name]
		if !ok {
			v = p.Value
		} else {
			known++
		}
		values[i] = v
	}
	if known < len(l.Values) {
		return nil, unknown(base, params, *l)
	}
	s, err := base.WithParameters(values)
	if err != nil {
		return nil, fmt.Errorf("multilevel: level %s: %w", l.Name, err)
	}
	return s, nil
}

// named copies levels, with names.
func named(levels []Level) []Level {
	if levels == nil {
		levels = make([]Level, 3)
	}
	out := slices.Clone(levels)
	for i := range out {
		out[i].Values = maps.Clone(out[i].Values)
		if out[i].Name != "" {
			continue
		}
		switch len(out) {
		case 2:
			out[i].Name = []string{"low", "high"}[i]
		case 3:
			out[i].Name = []string{"low", "medium", "high"}[i]
		default:
			out[i].Name = fmt.Sprintf("level%d", i+1)
		}
	}
	return out
}

func checkNames(levels []Level) error {
	if len(levels) == 0 {
		return errors.New("multilevel: no levels: want one at least")
	}
	for i, l := range levels {
		if strings.Trim(strings.ToLower(l.Name), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return fmt.Errorf("multilevel: a level is called %q: want letters, digits, - and _", l.Name)
		}
		for _, before := range levels[:i] {
			if before.Name == l.Name {
				return fmt.Errorf("multilevel: two levels are called %s", l.Name)
			}
		}
	}
	return nil
}

// unknown is the error for a value that no parameter has the name of.
func unknown(base tunable.Scorer, params []tunable.Parameter, level Level) error {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(level.Values)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("multilevel: level %s: %s has no parameter %q: have %s", level.Name, base.Info().Name, name, strings.Join(names, ", "))
		}
	}
	return fmt.Errorf("multilevel: %s has several parameters of one name: %s", base.Info().Name, strings.Join(names, ", "))
}

// setClassifier chooses the classifier.
func (s *Scorer) setClassifier(o *Options) error {
	if err := contract.Option("Classifier", o.Classifier); err != nil {
		return fmt.Errorf("multilevel: %w", err)
	}
	s.classifier = o.Classifier
	switch {
	case s.classifier == nil:
		if o.Parser == nil && (o.Lambda != 0 || o.Lowercase) {
			return errors.New("multilevel: Lowercase and Lambda are for triples, which need a Parser")
		}
		if !(o.Lambda >= 0 && o.Lambda <= 1) {
			return fmt.Errorf("multilevel: Lambda is %v, not from 0 to 1", o.Lambda)
		}
		var err error
		if s.classifier, err = s.defaultClassifier(o); err != nil {
			return err
		}
	case o.Parser != nil || o.Lambda != 0 || o.Lowercase:
		return errors.New("multilevel: Parser, Lowercase and Lambda are for the classifier that there is without Classifier: leave them out")
	}
	if info := s.classifier.Info(); info.LowerIsBetter {
		return fmt.Errorf("multilevel: %s can't be the classifier: less of it is better", info.Name)
	}
	return nil
}

// defaultClassifier is equation 1, or its part by words where there is no parser.
func (s *Scorer) defaultClassifier(o *Options) (mteval.Scorer, error) {
	words, err := NewWordF(s.words)
	if err != nil || o.Parser == nil {
		return words, err
	}
	triples, err := NewTripleF(o.Parser, o.Lowercase)
	if err != nil {
		return nil, err
	}
	lambda := o.Lambda
	if lambda == 0 {
		lambda = .5
	}
	return NewMix(words, triples, lambda)
}

func (s *Scorer) setThresholds(o *Options) error {
	s.thresholds = slices.Clone(o.Thresholds)
	if o.Thresholds == nil && len(s.levels) > 1 {
		if o.Classifier != nil || len(s.levels) != 3 {
			return fmt.Errorf("multilevel: no thresholds for %d levels: set Options.Thresholds; function Thresholds finds them for shares of data", len(s.levels))
		}
		s.thresholds = IntoEnglish(o.Parser).Thresholds
	}
	if len(s.thresholds) != len(s.levels)-1 {
		return fmt.Errorf("multilevel: %d thresholds for %d levels: want %d", len(s.thresholds), len(s.levels), len(s.levels)-1)
	}
	if err := s.checkThresholds(s.thresholds); err != nil {
		return err
	}
	if !slices.IsSorted(s.thresholds) {
		return fmt.Errorf("multilevel: thresholds %v: each must be as large as the one before", s.thresholds)
	}
	return nil
}

func (s *Scorer) checkThresholds(thresholds []float64) error {
	most := s.classifier.Info().Scale
	for i, v := range thresholds {
		if !(v >= 0 && v <= most) {
			return fmt.Errorf("multilevel: theta%d is %v, not from 0 to %v", i+1, v, most)
		}
	}
	return nil
}

// finish sets what follows from the rest.
func (s *Scorer) finish() {
	s.reductions = make([]tunable.Statistics, len(s.scorers))
	for i, scorer := range s.scorers {
		s.reductions[i] = tunable.StatisticsOf(scorer)
	}
	s.ofBase, s.ofClassifier = tunable.StatisticsOf(s.base), tunable.StatisticsOf(s.classifier)
	s.info = sync.OnceValue(func() mteval.Info {
		info := s.base.Info()
		info.Name = "multilevel-" + info.Name
		info.Signature = s.signature()
		return info
	})
}

// made is an error for a scorer that New did not make.
func (s *Scorer) made() error {
	if s.base == nil {
		return errors.New("multilevel: a Scorer that New did not make")
	}
	return nil
}

// Width is the length of a row.
func (s *Scorer) Width() int { return mean.Width + len(s.levels) }

// Info describes the scorer. In the signature of the metric what differs between levels is
// given for each, from low to high, with slashes between.
func (s *Scorer) Info() mteval.Info {
	if s.made() != nil {
		return mteval.Info{}
	}
	return s.info()
}

func (s *Scorer) signature() mteval.Signature {
	signatures := make([]mteval.Signature, len(s.scorers))
	for i, scorer := range s.scorers {
		signatures[i] = scorer.Info().Signature
	}
	var out mteval.Signature
	for _, of := range signatures {
		for _, f := range of {
			if out.Get(f.Key) != "" {
				continue
			}
			values := make([]string, len(signatures))
			for i, other := range signatures {
				if values[i] = other.Get(f.Key); values[i] == "" {
					values[i] = "none"
				}
			}
			if len(slices.Compact(slices.Clone(values))) == 1 {
				values = values[:1]
			}
			f.Value = strings.Join(values, "/")
			out = append(out, f)
		}
	}
	var names, thetas []string
	for _, l := range s.levels {
		names = append(names, l.Name)
	}
	for _, v := range s.thresholds {
		thetas = append(thetas, decimal.Format(v))
	}
	if len(thetas) == 0 {
		thetas = []string{"none"}
	}
	return append(out,
		mteval.Field{Key: "levels", Abbr: "lv", Value: strings.Join(names, ",")},
		mteval.Field{Key: "thetas", Abbr: "th", Value: strings.Join(thetas, ",")},
		mteval.Field{Key: "classifier", Abbr: "cl", Value: describe(s.classifier.Info())},
		mteval.Field{Key: "length", Abbr: "le", Value: s.words.name},
	)
}

// describe is a metric with its signature as the value of a field.
func describe(info mteval.Info) string {
	return info.Name + "(" + strings.NewReplacer("|", ",", ":", "=").Replace(info.Signature.String()) + ")"
}

// Parameters returns those of the classifier, if it has any, such as "lambda"; then
// "theta1" and so on, the thresholds; then the metric's on each level from low to high, by
// the names of level and parameter, such as "low.alpha".
func (s *Scorer) Parameters() []tunable.Parameter {
	if s.made() != nil {
		return nil
	}
	var out []tunable.Parameter
	if c, ok := s.classifier.(tunable.Scorer); ok {
		out = append(out, c.Parameters()...)
	}
	most := s.classifier.Info().Scale
	for i, v := range s.thresholds {
		out = append(out, tunable.Parameter{Name: fmt.Sprintf("theta%d", i+1), Value: v, Max: most})
	}
	for i, scorer := range s.scorers {
		for _, p := range scorer.Parameters() {
			p.Name = s.levels[i].Name + "." + p.Name
			out = append(out, p)
		}
	}
	return out
}

// WithParameters returns the scorer with other values of Parameters. Thresholds can be in
// any order, as an optimiser has them: how many of them F is above is the level.
func (s *Scorer) WithParameters(values []float64) (tunable.Scorer, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	classifier, _ := s.classifier.(tunable.Scorer)
	n, each := 0, len(s.base.Parameters())
	if classifier != nil {
		n = len(classifier.Parameters())
	}
	if want := n + len(s.thresholds) + len(s.levels)*each; len(values) != want {
		return nil, fmt.Errorf("multilevel: %d values for %d parameters", len(values), want)
	}
	out := *s
	if classifier != nil {
		c, err := classifier.WithParameters(values[:n])
		if err != nil {
			return nil, fmt.Errorf("multilevel: classifier: %w", err)
		}
		out.classifier = c
	}
	values = values[n:]
	out.thresholds = slices.Clone(values[:len(s.thresholds)])
	if err := out.checkThresholds(out.thresholds); err != nil {
		return nil, err
	}
	values = values[len(s.thresholds):]
	out.scorers = make([]tunable.Scorer, len(s.scorers))
	for i, scorer := range s.scorers {
		other, err := scorer.WithParameters(values[i*each : (i+1)*each])
		if err != nil {
			return nil, fmt.Errorf("multilevel: level %s: %w", s.levels[i].Name, err)
		}
		out.scorers[i] = other
	}
	out.finish()
	return &out, nil
}

// Statistics are those of the metric, those of the classifier, and the reference's length
// in words.
func (s *Scorer) Statistics() tunable.Statistics { return (*statistics)(s) }

// statistics are a Scorer's before its parameters.
type statistics Scorer

func (s *statistics) Width() int {
	if s.base == nil {
		return 0
	}
	return s.ofBase.Width() + s.ofClassifier.Width() + 1
}

// AppendRow appends the row of a hypothesis with these statistics. It allocates nothing
// but room in dst, of which the metric's own row and the classifier's need some.
func (s *statistics) AppendRow(dst, statistics []float64) []float64 {
	if s.base == nil {
		panic("multilevel: the Scorer was not made by New")
	}
	mteval.CheckRow(statistics, s.Width())
	ofBase, last := s.ofBase.Width(), len(statistics)-1
	level, dst := s.level(dst, statistics[ofBase:last])
	n := len(dst)
	dst = s.reductions[level].AppendRow(dst, statistics[:ofBase])
	score := s.scorers[level].Score(dst[n:])
	dst = mean.Append(dst[:n], statistics[last], score)
	for i := range s.levels {
		on := 0.0
		if i == level {
			on = 1
		}
		dst = append(dst, on)
	}
	return dst
}

// level is the level of a hypothesis with these statistics of the classifier. It returns dst
// for the room that was made in it.
func (s *statistics) level(dst, statistics []float64) (int, []float64) {
	n := len(dst)
	dst = s.ofClassifier.AppendRow(dst, statistics)
	f := s.classifier.Score(dst[n:])
	level := 0
	for _, theta := range s.thresholds {
		if f > theta {
			level++
		}
	}
	return level, dst[:n]
}

// Score returns the mean of the segments whose rows were added up in row, weighted by the
// lengths of their references.
func (s *Scorer) Score(row []float64) float64 {
	mteval.CheckRow(row, mean.Width+len(s.levels))
	return mean.Of(row[:mean.Width])
}

// Levels returns the names of the levels, from low to high.
func (s *Scorer) Levels() []string {
	out := make([]string, len(s.levels))
	for i, l := range s.levels {
		out[i] = l.Name
	}
	return out
}

// Counts returns how many segments are on each level, from low to high, of those whose
// rows were added up in row. It panics as Score does.
func (s *Scorer) Counts(row []float64) []int {
	mteval.CheckRow(row, mean.Width+len(s.levels))
	out := make([]int, len(s.levels))
	for i, n := range row[mean.Width:] {
		out[i] = int(n)
	}
	return out
}

// Prepare does the metric's and the classifier's work on the references.
func (s *Scorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	return tunable.PrepareBest(ctx, s, s.Statistics(), refs)
}

// Prepare does the metric's and the classifier's work on one reference a segment.
func (s *statistics) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	if err := (*Scorer)(s).made(); err != nil {
		return nil, err
	}
	// The metric is first, so that what it does not take is not worked on.
	base, err := s.ofBase.Prepare(ctx, refs)
	if err != nil {
		return nil, err
	}
	j := &rowJoin{lengths: make([]float64, len(refs))}
	err = readAll(ctx, s.words.reader, refs, func(text int, _ []byte) { j.lengths[text]++ })
	if err != nil {
		return nil, err
	}
	classes, err := s.ofClassifier.Prepare(ctx, refs)
	if err != nil {
		return nil, err
	}
	j.parts, j.widths = []mteval.Prepared{base, classes}, []int{s.ofBase.Width(), s.ofClassifier.Width()}
	return j, nil
}
