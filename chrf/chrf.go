// Package chrf is chrF and chrF++ (Popović, WMT 2015 and 2017), as sacreBLEU 2.6
// computes them: the F-score of character n-grams, and of word n-grams for chrF++,
//
//	chrF = 100 · (1+β²) · P · R / (β² · P + R)
//
// with P and R the means of the precisions and recalls of all orders for which both
// sides have n-grams ("effective order"), over the whole corpus. White space does
// not count as a character. Of several references a segment takes the one with the
// highest score.
//
// A segment whose reference is empty counts for nothing, whatever its hypothesis,
// as in sacreBLEU.
package chrf

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/decimal"
)

// Options of chrF. The zero value is the field's standard: chrF2, sacreBLEU's
// default.
type Options struct {
	// CharOrder is the longest character n-gram, 1 to 16; 0 is 6.
	CharOrder int
	// WordOrder is the longest word n-gram, 0 to 16: 0 is chrF, 2 is chrF++.
	WordOrder int
	// Beta is how many times as important recall is as precision; 0 is 2.
	Beta float64
	// Lowercase ignores case.
	Lowercase bool
	// Whitespace makes white space count as a character.
	Whitespace bool
	// EpsSmoothing takes the mean over all orders of their F-scores, with 1e-16
	// where there is no n-gram, as chrF++.py, NLTK and Moses do.
	EpsSmoothing bool
	// MaxTokens bounds the words of a text, between white space; a longer one is an
	// error that wraps mteval.ErrTooLong. Not positive: no bound.
	MaxTokens int
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend
	// on it.
	Workers int
}

const maxOrder = 16

// Scorer is chrF with fixed options. It implements mteval.Scorer; scores are on 0 to
// 100. A row holds for each order, characters first, the n-grams of the hypothesis,
// of the reference, and those that match. The zero value has the zero Options.
type Scorer struct {
	opt   Options
	order int // of characters and words together
	sig   mteval.Signature
}

var _ mteval.Scorer = (*Scorer)(nil)

var standard, _ = New(Options{})

// ready is s, or for the zero value what New makes of zero Options.
func (s *Scorer) ready() *Scorer {
	if s.order == 0 {
		return standard
	}
	return s
}

// New returns chrF with these options, or an error that says which is wrong.
func New(o Options) (*Scorer, error) {
	if o.CharOrder == 0 {
		o.CharOrder = 6
	}
	if o.CharOrder < 1 || o.CharOrder > maxOrder {
		return nil, fmt.Errorf("chrf: CharOrder %d is not in 1 to %d", o.CharOrder, maxOrder)
	}
	if o.WordOrder < 0 || o.WordOrder > maxOrder {
		return nil, fmt.Errorf("chrf: WordOrder %d is not in 0 to %d", o.WordOrder, maxOrder)
	}
	if o.Beta == 0 {
		o.Beta = 2
	}
	if !(o.Beta > 0) || math.IsInf(o.Beta, 0) {
		return nil, fmt.Errorf("chrf: Beta %v is not a positive number", o.Beta)
	}
	s := &Scorer{opt: o, order: o.CharOrder + o.WordOrder}
	s.sig = s.signature()
	return s, nil
}

// Width is the length of a row.
func (s *Scorer) Width() int { return 3 * s.ready().order }

// Info describes the scorer. Its name is "chrf++" where WordOrder is 2, and "chrf"
// otherwise. The signature has sacreBLEU's fields, and beta where it is not 2.
func (s *Scorer) Info() mteval.Info {
	s = s.ready()
	name := "chrf"
	if s.opt.WordOrder == 2 {
		name = "chrf++"
	}
	return mteval.Info{Name: name, Signature: s.sig, Scale: 100}
}

func (s *Scorer) signature() mteval.Signature {
	choose := func(cond bool, yes, no string) string {
		if cond {
			return yes
		}
		return no
	}
	sig := mteval.Signature{
		{Key: "case", Abbr: "c", Value: choose(s.opt.Lowercase, "lc", "mixed")},
		{Key: "eff", Abbr: "e", Value: choose(s.opt.EpsSmoothing, "no", "yes")},
		{Key: "nc", Abbr: "nc", Value: strconv.Itoa(s.opt.CharOrder)},
		{Key: "nw", Abbr: "nw", Value: strconv.Itoa(s.opt.WordOrder)},
		{Key: "space", Abbr: "s", Value: choose(s.opt.Whitespace, "yes", "no")},
	}
	if s.opt.Beta != 2 {
		sig = append(sig, mteval.Field{Key: "beta", Abbr: "b", Value: decimal.Format(s.opt.Beta)})
	}
	return sig
}

// Score returns the score, 0 to 100, of a row or a sum of rows.
func (s *Scorer) Score(row []float64) float64 {
	s = s.ready()
	mteval.CheckRow(row, 3*s.order)
	const eps = 1e-16
	var sum, precisions, recalls, effective float64
	for i := 0; i < len(row); i += 3 {
		hyp, ref, match := row[i], row[i+1], row[i+2]
		p, r := eps, eps
		if hyp > 0 {
			p = match / hyp
		}
		if ref > 0 {
			r = match / ref
		}
		if s.opt.EpsSmoothing {
			if p == 0 && r == 0 {
				sum += eps
			} else {
				sum += mteval.PRF{P: p, R: r}.FBeta(s.opt.Beta)
			}
		} else if hyp > 0 && ref > 0 {
			precisions += p
			recalls += r
			effective++
		}
	}
	if s.opt.EpsSmoothing {
		return min(100, 100*sum/float64(s.order))
	}
	if effective == 0 {
		return 0
	}
	// Rounding can put a perfect score a little above 100.
	return min(100, 100*mteval.PRF{P: precisions / effective, R: recalls / effective}.FBeta(s.opt.Beta))
}

// Prepare counts the references' n-grams.
func (s *Scorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return s.ready().prepare(ctx, refs)
}
