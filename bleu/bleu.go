// Package bleu is BLEU (Papineni et al., ACL 2002), as sacreBLEU 2.6 computes
// it:
//
//	BLEU = 100 · BP · exp( Σₙ λₙ log pₙ / Σₙ λₙ ),   n = 1 … N, λₙ = 1
//	BP   = 1 where the output is at least as long as the reference,
//	       else exp(1 − reference length / output length)
//
// pₙ is the share of the output's n-grams that a reference of the segment has,
// each counted at most as often as it occurs in one reference, over the whole
// corpus. The reference length of a segment is the closest one to the output's
// (the shorter of two as close).
//
// A sentence score is the score of one row. A sentence of fewer tokens than the
// longest n-gram, four by default, scores 0, as does a corpus of such, unless
// Options.EffectiveOrder is set or AddK adds to the counts.
package bleu

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/tokenize"
)

// Smoothing says what becomes of an n-gram order without a match (Chen and
// Cherry, WMT 2014).
type Smoothing int

const (
	// Exp halves the precision for every order in a row without a match, as
	// mteval-v13a does. It is the standard.
	Exp Smoothing = iota
	// NoSmoothing leaves such a precision, and so the score, at 0.
	NoSmoothing
	// Floor puts a small value (0.1 unless set) in place of a match count of 0.
	Floor
	// AddK adds a value (1 unless set) to matches and totals of all orders but
	// the first.
	AddK
)

var smoothings = [...]string{Exp: "exp", NoSmoothing: "none", Floor: "floor", AddK: "add-k"}

// String is sacreBLEU's name of the method.
func (s Smoothing) String() string {
	return names.Of("Smoothing", smoothings[:], s)
}

// ParseSmoothing returns the method of this name: exp, none, floor or add-k.
func ParseSmoothing(name string) (Smoothing, error) {
	for s, n := range smoothings {
		if n == name {
			return Smoothing(s), nil
		}
	}
	return 0, fmt.Errorf("bleu: no smoothing method %q: have exp, none, floor, add-k", name)
}

// Options of BLEU. The zero value is the field's standard: sacreBLEU's default.
type Options struct {
	// Tokenizer: nil is tokenize.V13a.
	Tokenizer tokenize.Tokenizer
	// Lowercase ignores case.
	Lowercase bool
	// MaxOrder is the longest n-gram, 1 to 16; 0 is 4.
	MaxOrder int
	// Smoothing of orders without a match.
	Smoothing Smoothing
	// SmoothValue is the value that Floor and AddK work with, 0 to 1e6; nil is
	// 0.1 and 1. Other methods take none.
	SmoothValue *float64
	// Weights are the λₙ of the orders in exp(Σ λₙ log pₙ / Σ λₙ), one for each
	// order, none negative, not all 0; nil is 1 each.
	Weights []float64
	// EffectiveOrder leaves out of the mean the orders for which the output
	// is too short. It is meant for sentences.
	EffectiveOrder bool
	// MaxTokens bounds the tokens of a text; a longer one is an error that wraps
	// mteval.ErrTooLong. Not positive: no bound.
	MaxTokens int
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend
	// on it.
	Workers int
}

const (
	maxOrder       = 16
	maxSmoothValue = 1e6
	maxWeight      = 1e6
)

// Scorer is BLEU with fixed options. It implements mteval.Scorer; scores are on
// 0 to 100. A row is the output's length, the reference length, the matches of
// each order, and the output's n-grams of each order. The zero value has the zero
// Options.
type Scorer struct {
	tok       tokenize.Tokenizer
	lower     bool
	order     int
	smooth    Smoothing
	value     float64
	weights   []float64 // nil: 1 each
	effective bool
	maxTokens int // no bound if not positive
	workers   int
	sig       mteval.Signature
}

// New returns BLEU with these options, or an error that says which is wrong.
func New(o Options) (*Scorer, error) {
	if err := contract.Option("Tokenizer", o.Tokenizer); err != nil {
		return nil, fmt.Errorf("bleu: %w", err)
	}
	s := &Scorer{
		tok: o.Tokenizer, lower: o.Lowercase, order: o.MaxOrder, smooth: o.Smoothing,
		effective: o.EffectiveOrder, maxTokens: o.MaxTokens, workers: o.Workers,
	}
	if s.tok == nil {
		s.tok = tokenize.V13a
	}
	if s.order == 0 {
		s.order = 4
	}
	if s.order < 1 || s.order > maxOrder {
		return nil, fmt.Errorf("bleu: MaxOrder %d is not in 1 to %d", o.MaxOrder, maxOrder)
	}
	if o.Weights != nil {
		sum := 0.0
		for _, w := range o.Weights {
			if !(w >= 0 && w <= maxWeight) {
				return nil, fmt.Errorf("bleu: weight %v is not in 0 to %g", w, maxWeight)
			}
			sum += w
		}
		if len(o.Weights) != s.order || !(sum > 0) {
			return nil, fmt.Errorf("bleu: %d weights with sum %v for %d orders: want one for each, not all 0", len(o.Weights), sum, s.order)
		}
		s.weights = slices.Clone(o.Weights)
	}
	switch s.smooth {
	case Exp, NoSmoothing:
		if o.SmoothValue != nil {
			return nil, fmt.Errorf("bleu: smoothing %v takes no value", s.smooth)
		}
	case Floor:
		s.value = 0.1
	case AddK:
		s.value = 1
	default:
		return nil, fmt.Errorf("bleu: no smoothing %v", s.smooth)
	}
	if o.SmoothValue != nil {
		s.value = *o.SmoothValue
		if !(s.value >= 0 && s.value <= maxSmoothValue) {
			return nil, fmt.Errorf("bleu: SmoothValue %v is not in 0 to %g", s.value, maxSmoothValue)
		}
	}
	s.sig = s.signature()
	return s, nil
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

// Width is the length of a row.
func (s *Scorer) Width() int { return 2 + 2*s.ready().order }

// Info describes the scorer. The signature has sacreBLEU's fields.
func (s *Scorer) Info() mteval.Info {
	return mteval.Info{Name: "bleu", Signature: s.ready().sig, Scale: 100}
}

func (s *Scorer) signature() mteval.Signature {
	choose := func(cond bool, yes, no string) string {
		if cond {
			return yes
		}
		return no
	}
	smooth := s.smooth.String()
	if s.smooth == Floor || s.smooth == AddK {
		// Two decimals as in sacreBLEU, where they tell the value.
		value := strconv.FormatFloat(s.value, 'f', 2, 64)
		if x, _ := strconv.ParseFloat(value, 64); x != s.value {
			value = decimal.Format(s.value)
		}
		smooth += "[" + value + "]"
	}
	sig := mteval.Signature{
		{Key: "case", Abbr: "c", Value: choose(s.lower, "lc", "mixed")},
		{Key: "eff", Abbr: "e", Value: choose(s.effective, "yes", "no")},
		{Key: "tok", Abbr: "tok", Value: s.tok.Name()},
		{Key: "smooth", Abbr: "s", Value: smooth},
	}
	if s.order != 4 {
		sig = append(sig, mteval.Field{Key: "order", Abbr: "o", Value: fmt.Sprint(s.order)})
	}
	if s.weights != nil {
		var w []string
		for _, x := range s.weights {
			w = append(w, decimal.Format(x))
		}
		sig = append(sig, mteval.Field{Key: "weights", Abbr: "w", Value: strings.Join(w, ",")})
	}
	return sig
}

// Prepare counts the references' n-grams.
func (s *Scorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return s.ready().prepare(ctx, refs)
}
