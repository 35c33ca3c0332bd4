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
// perfect, every score is 0, as in the authors' program: the metric then has
// nothing to tell systems apart by. Tokens of weight 0 (a model's special tokens)
// take part in nothing but similarities.
//
// # What it is worth
//
// Read this before you trust a number. In the paper, and here, difficulty sorts
// out systems that are close; it is not a better metric for every set of systems.
// By equation 4 a novel token weighs 1 while a matched, easy one weighs next to
// nothing, so novelty is rewarded: that goes with quality among the best systems,
// and with error among all. With lexical vectors, on the K best systems of WMT19
// English-German (Kendall / Pearson with people, difficulty estimated among them):
//
//	K    BERTScore        paper           normalized
//	6    -.067 / -.148     .600 /  .821   .067 / .049
//	7     .238 /  .320     .238 /  .249   .429 / .419
//	10    .556 /  .718    -.067 / -.146   .378 / .314
//	22    .738 /  .984     .278 /  .815   .790 / .983
//
// So look at the curve over K that package ranking gives, use Normalized for wide
// fields, and remember that on six systems a difference of .13 in Kendall's tau is
// one pair of systems. docs/difficulty.md has more pairs.
package difficulty

import (
	"fmt"
	"math"

	"github.com/mteval/mteval"
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
	if n < 0 || int(n) >= len(novels) {
		return fmt.Sprintf("Novel(%d)", int(n))
	}
	return novels[n]
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
	if s < 0 || int(s) >= len(smoothings) {
		return fmt.Sprintf("Smoothing(%d)", int(s))
	}
	return smoothings[s]
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
	// Novel is the weight of a hypothesis token that the reference lacks.
	Novel Novel
	// Normalize divides by the sum of the weights in place of the number of
	// tokens, so that scores are on the base metric's scale.
	Normalize bool
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
	return nil
}

func (o *Options) signature() mteval.Signature {
	mode := "novel=" + o.Novel.String()
	if o.Normalize {
		mode += ",normalized"
	}
	switch o.Smoothing {
	case NoSmoothing:
	case Power:
		mode += ",power=" + mteval.FormatFloat(o.Exponent)
	default:
		mode += "," + o.Smoothing.String()
	}
	if o.Floor != 0 {
		mode += ",floor=" + mteval.FormatFloat(o.Floor)
	}
	if o.Beta != 1 {
		mode += ",beta=" + mteval.FormatFloat(o.Beta)
	}
	if o.Average == MeanF {
		mode += ",mean-f"
	}
	return mteval.Signature{{Key: "difficulty", Abbr: "da", Value: mode}}
}

// smooth changes the difficulties of a reference's tokens in place. Those of
// tokens that weigh nothing are set to 0 and have no part in it.
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
			if largest < 1e-6 {
				d[i] = 0
			} else {
				d[i] /= largest
			}
		}
		d[i] = max(d[i], o.Floor)
	}
}
