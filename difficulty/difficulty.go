// Package difficulty makes a token-matching metric aware of how hard a token is
// to get right (Zhan, Liu, Wong and Chao, "Difficulty-Aware Machine Translation
// Evaluation", ACL 2021). A reference token that most systems miss weighs more:
//
//	d(t)  = 1 − 1/K · Σ_k max_{h ∈ h_k} s(t, h)        (2)
//	DA-R  = 1/|t| · Σ_t d(t) · max_h s(t, h)           (3)
//	DA-P  = 1/|h| · Σ_h d(h) · max_t s(h, t)           (4)
//	DA-F  = 2 · DA-R · DA-P / (DA-R + DA-P)            (5)
//
// over the K systems' hypotheses h_k of a segment with reference t. d(h) is the
// difficulty of the reference token with the same text (the mean over its
// occurrences), and 1 where the reference has none: a novel token.
//
// Difficulty belongs to a set of systems. So there are two steps: Estimate gives
// Weights, which can be saved, and New puts them into a Scorer, whose signature
// names them. Adding a system then changes no old score. Field does both for any
// choice among systems that were matched once.
//
// # Where the paper is silent
//
// Tokens with a weight of their own, an IDF, weigh d·w, and the averages are
// divided by Σ w. With several references difficulty is estimated for each, and a
// segment takes the reference with the highest DA-F. A system without a token to
// match t counts as 0. Similarities below 0, and so difficulties above 1, are
// legal. F of P = R = 0 is 0. Where every weight is 0, as every system is
// perfect, every score is 0: the metric then has nothing to tell systems apart by
// (but see Options.PlainIfEasy). Tokens of weight 0 (a model's special tokens) take
// part in nothing but similarities.
//
// # The released program
//
// The paper's figures come from a program of the authors, which computes something
// else than the equations. Released is its rules:
//
//   - Every similarity x is first rescaled, (x − b)/(1 − b), with the F that BERTScore
//     gives to unrelated sentences as b: see Options.Baseline.
//   - A text that stands in the reference again gives a hypothesis token not the mean of
//     its weights, but (w + next)/2 from left to right, so that the last one counts half.
//   - A smoothing of the reference's weights is applied again to the weights that a
//     hypothesis's tokens get from them.
//   - F of a P and an R of different signs, as high baselines give, is the formula's,
//     which runs off to infinity near P = −R, and not 0.
//
// Its variants are options here: ref_diff is Novel: Matched, range_one is Normalize,
// softmax_norm and max_norm are the smoothings Softmax and Max.
//
// Its values for MiniLM on WMT19 German-English come out to 1e-5, with one exception.
// Where every system has all of a segment right, range_one divides a sum of rounding
// errors by another, which gives 1, or 0 where they happen to add up to 0.
// Options.PlainIfEasy makes it 1 always, so that in 24 of 42 recorded runs over 2,000
// segments the program's precision or recall is lower by one to three segments.
//
// # Leaving a system's own vote out
//
// In the paper a system is one of the K whose outputs say what is difficult, its own
// included. Options.LeaveOneOut takes that vote out. Systems that come later are scored
// with frozen weights, to which they add no vote: save the Weights, and use New.
//
// # Other metrics
//
// Any mteval.MatchScorer will do. Only its tokens, their weights and its links are used,
// and not what it makes of them (BERTScore's baseline, METEOR's penalty for chunks, sums
// over a corpus). Over METEOR, P and R are METEOR's with difficulty, as its tokens weigh
// δ or 1 − δ and a link has its module's weight: a word that all systems have as a synonym
// of weight .8 has difficulty .2. Over the words of package overlap a word's difficulty is
// the share of systems without it.
//
// chrF is no MatchScorer, as a corpus is scored by sums of n-grams and the mean over six
// orders. For one segment it can be written as one, with n-grams of all orders as tokens
// that weigh alike in each order; an n-gram's difficulty is then the share of systems
// that miss it. The example CharacterNGrams is that. Neighbouring n-grams share their
// characters, so one wrong letter makes 21 of them difficult, and the same holds for
// chrF itself; why one would prefer it to words is not known, so it is an example.
//
// For another task examples/speech has recognisers of speech over word alignments.
//
// # What it is worth
//
// Difficulty is evidence on systems that are close, which is what the paper claims. It has a say
// where the plain score has none, and misleads where the plain score is sure: by equation 4 a
// novel token weighs 1 while a matched, easy one weighs next to nothing, so novelty is
// rewarded, which goes with quality among the best systems and with error among all. Combined
// adds up both kinds of evidence, and is the form for ranking systems of any quality.
//
// The share of pairs of systems of which the one with the better score is people's, with
// lexical vectors, for 56 sets of WMT17 to 21 (3,831 pairs; targets but Chinese and Japanese),
// and for the 488 of these pairs whose BERTScore differs by less than two standard errors. A
// score is the mean of segments' F here (MeanF):
//
//	                      all pairs   close ones
//	BERTScore               .8328        .513
//	Combined                .8386        .560
//	Normalized              .8346        .565
//	Paper                   .8031        .562
//	Paper, LeaveOneOut      .8166        .562
//
// Paper as it is, with the F of means, has .7989 and .575. In no campaign is Combined below
// BERTScore. In a single set it can be, and few systems say little: of six, one pair of systems
// is .13 of Kendall's tau. The paper's case is one of the 56, the K best systems of WMT19
// English-German (Kendall / Pearson with people, difficulty estimated among them, each form as
// it is):
//
//	K    BERTScore        Combined         Paper            Normalized
//	6    -.067 / -.148    -.200 / -.083     .600 /  .821   .067 / .048
//	7     .238 /  .320     .143 /  .370     .238 /  .249   .429 / .418
//	11    .514 /  .649     .440 /  .625     .073 / -.068   .367 / .290
//	22    .738 /  .984     .781 /  .986     .278 /  .815   .790 / .983
//
// docs/difficulty.md has the other sets. Package preference makes probabilities of such
// evidence, and package study says how sure a figure is.
package difficulty

import (
	"errors"
	"fmt"
	"math"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/names"
)

// Novel says what a hypothesis token weighs that the reference does not have.
type Novel int

const (
	// One weighs it 1, as the paper does.
	One Novel = iota
	// Matched weighs it as the reference token that it matches best, 1 if it
	// matches none.
	Matched
	// Hardest weighs it as the hardest reference token of its segment.
	Hardest
)

var novels = [...]string{One: "one", Matched: "matched", Hardest: "hardest"}

// String is the name in a signature.
func (n Novel) String() string {
	return names.Of("Novel", novels[:], n)
}

// Smoothing says how the weights of a reference's tokens are changed before they
// are used. None of them changes their order.
type Smoothing int

const (
	// NoSmoothing leaves them as they are, as the paper does.
	NoSmoothing Smoothing = iota
	// Power raises them to the power of Options.Exponent.
	Power
	// Softmax makes them exp(d), divided by their sum.
	Softmax
	// Max divides them by the largest; all are 0 where that is below 1e-6.
	Max
)

var smoothings = [...]string{NoSmoothing: "none", Power: "power", Softmax: "softmax", Max: "max"}

// String is the name in a signature.
func (s Smoothing) String() string {
	return names.Of("Smoothing", smoothings[:], s)
}

// Average says how segments make a system score.
type Average int

const (
	// FOfMeans is F of the mean P and the mean R, as the paper's program has it.
	FOfMeans Average = iota
	// MeanF is the mean of the segments' F, as bert_score has it.
	MeanF
)

// Options of difficulty-aware scoring. The zero value is the paper's.
type Options struct {
	// Released takes the released program's rules in place of the paper's: see
	// the package's comment. It allows the program's variants only, and
	// LeaveOneOut: Novel is One or Matched, Smoothing is not Power, and there are
	// no Beta, Floor, MeanF and AddPlain.
	Released bool
	// Baseline is the b of (x − b)/(1 − b), to which every similarity is
	// rescaled before all else; it is −1 to below 1, and 0 is no rescaling. The
	// released program takes the F of BERTScore's baseline of the model's layer.
	//
	// It has nothing to do with a baseline of the base metric, such as
	// bertscore.Options.Baseline. That one rescales the metric's averages, which
	// are not used here: set both for scores on the same scale.
	Baseline float64
	// LeaveOneOut takes a system's own vote out of the difficulties that its
	// output is scored with. What is scored must then be the outputs of the
	// systems that the weights come from, two at least; another's has no vote
	// to be taken out. Field looks after that.
	LeaveOneOut bool
	// Novel is the weight of a hypothesis token that the reference lacks.
	Novel Novel
	// Normalize divides by the sum of the weights in place of the number of
	// tokens, so that scores are on the base metric's scale.
	Normalize bool
	// PlainIfEasy makes the plain mean of the similarities of a side on which
	// nothing is difficult, as where all systems are perfect: one whose weights
	// are below 1e-6 on average. Without it Normalize makes 0 of weights of
	// exactly 0, and divides by rounding errors where similarities have them. It
	// matters with Normalize only, and not with Max, which makes 0 of them.
	PlainIfEasy bool
	// AddPlain makes each of P and R the mean of the difficulty-aware one and of the plain
	// mean of the same similarities, so that a token's share is half that of its weight and
	// half that of any other. Released does not have it.
	AddPlain bool
	// Beta is how many times as important recall is as precision in F; 0 is 1.
	Beta float64
	// Smoothing of the weights of a reference's tokens, Exponent that of
	// Power, above 0 (0 there is ½).
	Smoothing Smoothing
	Exponent  float64
	// Floor is the least weight that a reference token gets, applied last. It
	// is 0 to 1; 0 is no floor.
	Floor float64
	// Average makes the system score.
	Average Average
}

// Paper returns the paper's choices, the zero value.
func Paper() Options { return Options{} }

// Normalized returns the choices for systems of widely different quality: a novel
// token weighs what it stands for, and scores are on the base metric's scale.
func Normalized() Options { return Options{Novel: Matched, Normalize: true} }

// Combined returns the choices for ranking systems of any quality: what all tokens say and
// what the difficult ones say count alike. P and R are the means of the plain and the
// normalized ones, and a system's score is the mean of its segments' F. On 56 sets of WMT it
// agrees with people on pairs of systems in no campaign less than the plain score, and among
// close systems more: docs/difficulty.md has the figures.
func Combined() Options {
	return Options{Novel: Matched, Normalize: true, PlainIfEasy: true, AddPlain: true, Average: MeanF}
}

// Released returns the choices of the released program, without any of its variants
// and with no baseline.
func Released() Options { return Options{Released: true, PlainIfEasy: true} }

// easy is the mean weight below which rounding errors are what is left.
const easy = 1e-6

// Check says what of the options is out of range or does not go together. New and NewField
// do the same, when what they take is there.
func (o Options) Check() error { return o.check() }

// check also sets what stands for a default.
func (o *Options) check() error {
	if o.Novel < One || o.Novel > Hardest {
		return fmt.Errorf("difficulty: no novel weight %v", o.Novel)
	}
	if o.Average < FOfMeans || o.Average > MeanF {
		return fmt.Errorf("difficulty: no average %d", o.Average)
	}
	if o.Beta == 0 {
		o.Beta = 1
	}
	if !(o.Beta > 0) || math.IsInf(o.Beta, 0) {
		return fmt.Errorf("difficulty: Beta %v is not a positive number", o.Beta)
	}
	switch o.Smoothing {
	case Power:
		if o.Exponent == 0 {
			o.Exponent = .5
		}
		if !(o.Exponent > 0) || math.IsInf(o.Exponent, 0) {
			return fmt.Errorf("difficulty: Exponent %v is not a positive number", o.Exponent)
		}
	case NoSmoothing, Softmax, Max:
		if o.Exponent != 0 {
			return fmt.Errorf("difficulty: smoothing %v takes no exponent", o.Smoothing)
		}
	default:
		return fmt.Errorf("difficulty: no smoothing %v", o.Smoothing)
	}
	if !(o.Floor >= 0 && o.Floor <= 1) {
		return fmt.Errorf("difficulty: Floor %v is not in 0 to 1", o.Floor)
	}
	if !(o.Baseline >= -1 && o.Baseline < 1) {
		return fmt.Errorf("difficulty: Baseline %v is not in −1 to below 1", o.Baseline)
	}
	if o.Released && (o.Novel == Hardest || o.Smoothing == Power || o.Beta != 1 || o.Floor != 0 || o.Average != FOfMeans || o.AddPlain) {
		return errors.New("difficulty: Released has no Hardest, Power, Beta, Floor, MeanF or AddPlain, which the program lacks")
	}
	return nil
}

// checkFunction refuses what is defined for equation 2 only.
func (o *Options) checkFunction(name string) error {
	if name != "" && (o.Released || o.Baseline != 0 || o.LeaveOneOut) {
		return fmt.Errorf("difficulty: Released, Baseline and LeaveOneOut are defined for equation 2, not for function %s", name)
	}
	return nil
}

func (o *Options) signature() mteval.Signature {
	mode := "novel=" + o.Novel.String()
	if o.Released {
		mode = "released," + mode
	}
	if o.Normalize {
		mode += ",normalized"
		if o.PlainIfEasy && o.Smoothing != Max {
			mode += ",plain-if-easy"
		}
	}
	if o.AddPlain {
		mode += ",add-plain"
	}
	switch o.Smoothing {
	case NoSmoothing:
	case Power:
		mode += ",power=" + decimal.Format(o.Exponent)
	default:
		mode += "," + o.Smoothing.String()
	}
	if o.Floor != 0 {
		mode += ",floor=" + decimal.Format(o.Floor)
	}
	if o.Beta != 1 {
		mode += ",beta=" + decimal.Format(o.Beta)
	}
	if o.Average == MeanF {
		mode += ",mean-f"
	}
	if o.Baseline != 0 {
		mode += ",baseline=" + decimal.Format(o.Baseline)
	}
	if o.LeaveOneOut {
		mode += ",leave-one-out"
	}
	return mteval.Signature{{Key: "difficulty", Abbr: "da", Value: mode}}
}

// name is that of the form of a metric.
func (o *Options) name(base string) string {
	if o.AddPlain {
		return base + "+da"
	}
	return "da-" + base
}

// f is the F of a precision and a recall.
func (o *Options) f(p, r float64) float64 {
	if !o.Released {
		return mteval.PRF{P: p, R: r}.FBeta(o.Beta)
	}
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// rescale gives the similarity, or the difficulty, that the baseline makes of one.
func (o *Options) rescale(sim float64) float64 { return (sim - o.Baseline) / (1 - o.Baseline) }

// smooth changes the weights of tokens in place. Those of tokens that weigh nothing
// are set to 0 and have no part in it.
func (o *Options) smooth(d []float64, tokens []mteval.Token) {
	largest, sum := math.Inf(-1), 0.0
	for i, t := range tokens {
		if t.Weight != 0 {
			largest = max(largest, d[i])
		}
	}
	if o.Smoothing == Softmax {
		for i, t := range tokens {
			if t.Weight != 0 {
				sum += math.Exp(d[i] - largest)
			}
		}
	}
	for i, t := range tokens {
		if t.Weight == 0 {
			d[i] = 0
			continue
		}
		switch o.Smoothing {
		case Power:
			d[i] = math.Pow(max(0, d[i]), o.Exponent)
		case Softmax:
			d[i] = math.Exp(d[i]-largest) / sum
		case Max:
			if largest < easy {
				d[i] = 0
			} else {
				d[i] /= largest
			}
		}
		d[i] = max(d[i], o.Floor)
	}
}
