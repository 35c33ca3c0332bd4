package dreem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/fold"
	"github.com/mteval/mteval/internal/mean"
	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tunable"
)

// PartWeights of the four parts, each 0 to 1; how large they are together does not matter.
type PartWeights struct {
	OneHot float64 // w1, tokens
	Word   float64 // w2, the mean of word vectors
	Greedy float64 // w3, the autoencoder over adjacent pairs
	Tree   float64 // w4, the autoencoder over trees
}

// Low, Medium and High are the weights that Table 4 of Chen, Guo and Kuhn 2015 has for
// translations on these levels of quality.
var (
	Low    = PartWeights{.23, .42, .18, .17}
	Medium = PartWeights{.11, .42, .20, .27}
	High   = PartWeights{.05, .40, .20, .35}
)

// Levels are the weights on three levels of quality, low, medium and high: those of Table 4.
func Levels() []PartWeights { return []PartWeights{Low, Medium, High} }

// Values are the weights by the names of their parameters, as package multilevel takes them for
// a level.
func (w PartWeights) Values() map[string]float64 {
	out := make(map[string]float64, parts)
	for i, v := range w.list() {
		out[partNames[i]] = v
	}
	return out
}

// partNames are the parameters that are weights of parts, in the order of PartWeights.
var partNames = [parts]string{"one-hot", "word", "greedy", "tree"}

// list has the weights in the order of the parts.
func (w PartWeights) list() [parts]float64 { return [parts]float64{w.OneHot, w.Word, w.Greedy, w.Tree} }

// Plain are the weights of DREEM without levels, for which the paper has none, and
// PlainAlpha its α. Both were tuned, together with the English model that comes with the
// package, on the judged pairs of segments of WMT19's lt-en, gu-en and kk-en.
var Plain = PartWeights{1, 1, .25, .25}

// PlainAlpha is α of DREEM without levels, see Plain.
const PlainAlpha = 3

// Unknown says what stands for a word without a vector.
type Unknown uint8

const (
	// Skip leaves the word out, if no vector can be made of its pieces.
	Skip Unknown = iota
	// Substitute takes the vector that the file has for unknown words (<unk>, <UNK>,
	// [UNK], UNK or unk, the first of them that is there), or else the mean of all.
	Substitute
)

// Options of the metric. The zero value is for English, with the vectors and the
// autoencoder that come with the package, and without trees.
type Options struct {
	// Language is the language of the texts, an ISO 639-1 code; "" is "en". Only
	// English can go without Vectors.
	Language string
	// Vectors are the word vectors; nil is those of English.
	Vectors *Vectors
	// Autoencoder is for vectors of the dimension of Vectors. With Vectors, nil leaves
	// out the parts that need one; without, nil is that of English.
	Autoencoder *Autoencoder
	// Trees gives the trees of every hypothesis and reference; nil leaves out the tree
	// part. It needs an autoencoder.
	Trees TreeSource
	// Weights of the parts; those all 0 are Plain.
	Weights PartWeights
	// Alpha is α, .05 to 20; 0 is PlainAlpha.
	Alpha float64
	// Tokenizer splits words; nil is tokenize.V13a. Trees have words of their own.
	Tokenizer tokenize.Tokenizer
	// KeepCase keeps upper case, for vectors that have it.
	KeepCase bool
	// Unknown says what stands for a word without a vector.
	Unknown Unknown
	// MaxTokens bounds the tokens of a text; a longer one is an error that wraps
	// mteval.ErrTooLong. Not positive: no bound.
	MaxTokens int
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on it.
	Workers int
}

func (o *Options) checkInterfaces() error {
	if err := contract.Option("Tokenizer", o.Tokenizer); err != nil {
		return fmt.Errorf("dreem: %w", err)
	}
	if err := contract.Option("Trees", o.Trees); err != nil {
		return fmt.Errorf("dreem: %w", err)
	}
	return nil
}

// Lookups returns a function for VectorOptions.Keep that knows the words for which a scorer
// with these options looks for vectors in these texts: their tokens, and the words of their
// trees. Vectors need not be there yet.
func (o Options) Lookups(ctx context.Context, texts []string) (func(word string) bool, error) {
	if err := o.checkInterfaces(); err != nil {
		return nil, err
	}
	if o.Tokenizer == nil {
		o.Tokenizer = tokenize.V13a
	}
	words := make(map[string]bool)
	var buf []byte
	var lower fold.Line
	for _, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		buf = o.Tokenizer.Append(buf[:0], o.lower(&lower, text))
		for at := 0; ; {
			start, end, ok := tokenize.Next(buf, at)
			if !ok {
				break
			}
			if at = end; !words[string(buf[start:end])] {
				words[string(buf[start:end])] = true
			}
		}
		if o.Trees == nil {
			continue
		}
		trees, err := o.Trees.Trees(ctx, text)
		if err != nil {
			return nil, err
		}
		for _, t := range trees {
			for _, w := range t.Words {
				words[strings.Clone(o.fold(&lower, w))] = true
			}
		}
	}
	return func(word string) bool { return words[word] }, nil
}

// lower is a text for the tokenizer, as the vectors of its words are looked up, until the next
// one.
func (o *Options) lower(lower *fold.Line, line string) string {
	if o.KeepCase {
		return line
	}
	return lower.LowerFor(o.Tokenizer, line)
}

// fold is a word of a tree as it is looked up, until the next one.
func (o *Options) fold(lower *fold.Line, word string) string {
	if o.KeepCase {
		return word
	}
	return lower.Lower(word)
}

// Scorer is DREEM with fixed options. It implements tunable.Reducer; scores are from 0 to
// 1. A row is as equation 2 needs it: the segment's score times its reference's length in
// tokens, as two numbers, and that length.
type Scorer struct {
	o       Options
	unknown []float32
	sig     func() mteval.Signature // made once, when it is asked for
}

var _ tunable.Reducer = (*Scorer)(nil)

// New returns the metric with these options.
func New(o Options) (*Scorer, error) {
	if o.Language == "" {
		o.Language = "en"
	}
	if o.Vectors == nil {
		if o.Language != "en" {
			return nil, fmt.Errorf("dreem: no word vectors for language %q: only English has some of its own; give Options.Vectors a file in the format of word2vec, GloVe or fastText, see OpenVectors", o.Language)
		}
		if o.Autoencoder != nil {
			return nil, fmt.Errorf("dreem: an autoencoder without the vectors that it was trained with: set Options.Vectors too")
		}
		m, err := English()
		if err != nil {
			return nil, err
		}
		o.Vectors, o.Autoencoder = m.Vectors, m.Autoencoder
	}
	if o.Vectors.dim == 0 {
		return nil, errors.New("dreem: Options.Vectors has no vectors: read some with OpenVectors")
	}
	if a := o.Autoencoder; a != nil && a.dim != o.Vectors.dim {
		return nil, fmt.Errorf("dreem: an autoencoder for vectors of %d numbers, and vectors of %d", a.dim, o.Vectors.dim)
	}
	if err := o.checkInterfaces(); err != nil {
		return nil, err
	}
	if o.Trees != nil && o.Autoencoder == nil {
		return nil, fmt.Errorf("dreem: trees without an autoencoder, which the tree part needs")
	}
	if o.Unknown > Substitute {
		return nil, fmt.Errorf("dreem: unknown option Unknown %d", o.Unknown)
	}
	if o.Weights == (PartWeights{}) {
		o.Weights = Plain
	}
	if o.Alpha == 0 {
		o.Alpha = PlainAlpha
	}
	if o.Tokenizer == nil {
		o.Tokenizer = tokenize.V13a
	}
	s := &Scorer{o: o}
	if o.Unknown == Substitute {
		s.unknown = o.Vectors.unknown
	}
	s.sig = sync.OnceValue(s.signature)
	return s, checkParameters(s.Parameters())
}

// made is an error for a scorer that New did not make.
func (s *Scorer) made() error {
	if s.o.Vectors == nil {
		return errors.New("dreem: a Scorer that New did not make")
	}
	return nil
}

func checkParameters(ps []tunable.Parameter) error {
	for _, p := range ps {
		if !(p.Value >= p.Min && p.Value <= p.Max) {
			return fmt.Errorf("dreem: %s is %v, not from %v to %v", p.Name, p.Value, p.Min, p.Max)
		}
	}
	return nil
}

// Ranges of the parameters, no wider than makes sense: tuning searches them.
const (
	minAlpha, maxAlpha = .05, 20
	maxWeight          = 1
)

// Parameters returns α and the weights of the parts, "one-hot", "word", "greedy", "tree".
func (s *Scorer) Parameters() []tunable.Parameter {
	out := []tunable.Parameter{{Name: "alpha", Value: s.o.Alpha, Min: minAlpha, Max: maxAlpha}}
	for i, v := range s.o.Weights.list() {
		out = append(out, tunable.Parameter{Name: partNames[i], Value: v, Max: maxWeight})
	}
	return out
}

// WithParameters returns the scorer with other values, in the order of Parameters. With
// all weights 0, all scores are 0.
func (s *Scorer) WithParameters(values []float64) (tunable.Scorer, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	ps := s.Parameters()
	if len(values) != len(ps) {
		return nil, fmt.Errorf("dreem: %d values for %d parameters", len(values), len(ps))
	}
	for i := range ps {
		ps[i].Value = values[i]
	}
	if err := checkParameters(ps); err != nil {
		return nil, err
	}
	t := *s
	t.o.Alpha, t.o.Weights = values[0], PartWeights{values[1], values[2], values[3], values[4]}
	t.sig = sync.OnceValue(t.signature)
	return &t, nil
}

// Width is the length of a row.
func (s *Scorer) Width() int { return mean.Width }

// Info describes the scorer. The signature holds the start of the hashes of vectors and
// autoencoder. What trees there are it cannot say.
func (s *Scorer) Info() mteval.Info {
	if s.made() != nil {
		return mteval.Info{}
	}
	return mteval.Info{Name: "dreem", Signature: s.sig(), Scale: 1}
}

func (s *Scorer) signature() mteval.Signature {
	field := func(key, abbr, value string) mteval.Field { return mteval.Field{Key: key, Abbr: abbr, Value: value} }
	yes := func(b bool, is, not string) string {
		if b {
			return is
		}
		return not
	}
	rae := "none"
	if s.o.Autoencoder != nil {
		rae = s.o.Autoencoder.hash[:12]
	}
	var weights []string
	for _, v := range s.o.Weights.list() {
		weights = append(weights, decimal.Format(v))
	}
	return mteval.Signature{
		field("case", "c", yes(s.o.KeepCase, "mixed", "lc")),
		field("tok", "tok", s.o.Tokenizer.Name()),
		field("vectors", "v", s.o.Vectors.hash[:12]),
		field("rae", "r", rae),
		field("trees", "t", yes(s.o.Trees != nil, "yes", "no")),
		field("oov", "o", yes(s.o.Unknown == Skip, "skip", "substitute")),
		field("alpha", "a", decimal.Format(s.o.Alpha)),
		field("weights", "w", strings.Join(weights, ",")),
	}
}

// Score returns the mean of the segments whose rows were added up in row, 0 to 1.
func (s *Scorer) Score(row []float64) float64 {
	mteval.CheckRow(row, mean.Width)
	return min(1, max(0, mean.Of(row)))
}

// The statistics of a hypothesis and a reference: the cosine of each part, absent where
// the part is, and the numbers of tokens.
const (
	parts       = 4
	hypLength   = parts
	refLength   = parts + 1
	nStatistics = parts + 2
	absent      = -2
)

// Statistics are those of a hypothesis and one reference: the cosines of the four parts in
// the order of Weights, from −1 to 1 and −2 for a part that is left out, and the lengths of
// hypothesis and reference in tokens.
func (s *Scorer) Statistics() tunable.Statistics { return (*statistics)(s) }

// statistics are a Scorer's before its parameters.
type statistics Scorer

func (s *statistics) Width() int { return nStatistics }

func (s *statistics) AppendRow(dst, statistics []float64) []float64 {
	mteval.CheckRow(statistics, nStatistics)
	return mean.Append(dst, statistics[refLength], (*Scorer)(s).segment(statistics))
}

// segment is the score of a segment, equations 7 to 10.
func (s *Scorer) segment(statistics []float64) float64 {
	t, r := statistics[hypLength], statistics[refLength]
	if t == 0 || r == 0 {
		return 0
	}
	weights := s.o.Weights.list()
	top := 0.0
	for i, c := range statistics[:parts] {
		if c != absent {
			top = max(top, weights[i])
		}
	}
	if top == 0 {
		return 0
	}
	num, den := 0.0, 0.0
	for i, c := range statistics[:parts] {
		if c != absent {
			w := weights[i] / top // so that squares are not lost
			num += w * w * c
			den += w * w
		}
	}
	if !(num > 0) {
		return 0
	}
	return math.Pow(min(1, num/den), s.o.Alpha) * math.Exp(1-max(t, r)/min(t, r))
}

// Prepare makes the representations of the references.
func (s *Scorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	if err := mteval.CheckReferences(refs); err != nil {
		return nil, err
	}
	return s.prepare(ctx, refs, false)
}

// Prepare makes the representations of one reference a segment.
func (s *statistics) Prepare(ctx context.Context, refs []string) (mteval.Prepared, error) {
	single, err := mteval.Segments(refs)
	if err != nil {
		return nil, err
	}
	return (*Scorer)(s).prepare(ctx, single, true)
}
