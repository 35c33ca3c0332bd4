// Package bertscore is BERTScore (Zhang et al., ICLR 2020) over any backend of
// package backend: every token is matched, greedily and by cosine similarity,
// with the token of the other side that it is most similar to,
//
//	R = Σ_t w(t) max_h cos(t, h) / Σ_t w(t)      t over the reference
//	P = Σ_h w(h) max_t cos(h, t) / Σ_h w(h)      h over the hypothesis
//	F = (1+β²) P R / (β² P + R)
//
// with w = 1, or the token's inverse document frequency among the references
// (equation of section 3, "Importance Weighting"). A system's score is the mean
// of its segments' F.
//
// Over a backend that says it has no model, such as package lexical, the metric's name is
// "bertscore-lexical" (the backend's after the dash), so that its numbers are not taken for a
// model's.
//
// It follows bert_score 0.3.13: special tokens of a model ([CLS], [SEP]) may be
// matched but weigh nothing; a token that no reference has weighs log(N+1); with
// several references P, R and F are each the best over them, apart; an empty side
// gives 0. It differs where that program is at fault:
//
//   - An empty hypothesis or reference scores 0 with baseline rescaling too
//     (there: −b/(1−b), such as −4). An empty reference is passed over where the
//     segment has another.
//   - Where every token of a side has an IDF of 0, as with one reference, tokens
//     weigh alike (there: NaN).
//   - Scores do not depend on what else is in the batch (there a similarity
//     below 0 can be lifted to 0 by padding).
//   - Where P and R are not both positive or both negative, F is 0.
package bertscore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/backendcheck"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/decimal"
)

// Options of BERTScore. The zero value is bert_score's default: F1, no IDF, no
// rescaling.
type Options struct {
	// Beta is how many times as important recall is as precision in F; 0 is 1.
	Beta float64
	// IDF weighs tokens by their inverse document frequency in the
	// references, log((N+1)/(n+1)) for a token in n of the N references.
	IDF bool
	// Baseline, if not nil, is what each of P, R and F is rescaled with:
	// (x−b)/(1−b).
	Baseline *mteval.PRF
	// OnTruncated is called for every text of which the backend took only
	// the beginning. It must be safe for concurrent use. If it is nil such a
	// text is an error that wraps backend.ErrTruncated, as its score would be
	// silently wrong.
	OnTruncated func(text string)
	// MaxTokens bounds the tokens of a text, as the backend makes them, special ones
	// included; a longer one is an error that wraps mteval.ErrTooLong, before its vectors
	// are made (see backend.Batch). Not positive: no bound. Matching takes time with the
	// product of two texts' lengths, and memory with their sum: at Dim 512 some 2 KiB a
	// token. Above the backend's own limit, Info.MaxTokens, it has no effect: a longer text
	// is cut there before it is counted, and OnTruncated's.
	MaxTokens int
	// Workers bounds the goroutines that match tokens; not positive: GOMAXPROCS.
	// Results do not depend on it.
	Workers int
}

// name is the metric's over a model.
const name = "bertscore"

// Scorer is BERTScore with fixed options over a backend. It implements
// mteval.MatchScorer and mteval.PRFScorer; scores are at most 1, and seldom below
// 0 unless rescaled. A row is P, R, F and 1. It is made with New.
type Scorer struct {
	b    backend.Backend
	info backend.Info // of b, as New found it
	opt  Options
	name string // "": the metric's
	sig  mteval.Signature
}

var (
	_ mteval.MatchScorer = (*Scorer)(nil)
	_ mteval.PRFScorer   = (*Scorer)(nil)
)

// New returns BERTScore with these options over b, which the caller closes when
// done.
func New(b backend.Backend, o Options) (*Scorer, error) {
	if contract.Nil(b) {
		return nil, errors.New("bertscore: no backend: it is nil")
	}
	if o.Beta == 0 {
		o.Beta = 1
	}
	if !(o.Beta > 0) || math.IsInf(o.Beta, 0) {
		return nil, fmt.Errorf("bertscore: Beta %v is not a positive number", o.Beta)
	}
	if p := o.Baseline; p != nil {
		for _, x := range []float64{p.P, p.R, p.F} {
			if math.IsNaN(x) || x >= 1 || math.IsInf(x, 0) {
				return nil, fmt.Errorf("bertscore: baseline %v is not below 1", x)
			}
		}
		copied := *p
		o.Baseline = &copied
	}
	info := b.Info()
	if err := backendcheck.Info(info); err != nil {
		return nil, fmt.Errorf("bertscore: %w", err)
	}
	s := &Scorer{b: b, info: info.Clone(), opt: o}
	if info.ModelFree {
		s.name = name + "-" + info.Name
	}
	s.sig = s.signature()
	return s, nil
}

// Width is the length of a row.
func (s *Scorer) Width() int { return 4 }

// Info describes the scorer. Its name is "bertscore", and over a backend without a model one
// that says so, such as "bertscore-lexical".
func (s *Scorer) Info() mteval.Info {
	return mteval.Info{Name: cmp.Or(s.name, name), Signature: s.sig, Scale: 1}
}

func (s *Scorer) signature() mteval.Signature {
	sig := slices.Clone(s.info.Signature)
	idf := "no"
	if s.opt.IDF {
		idf = "yes"
	}
	sig = append(sig, mteval.Field{Key: "idf", Abbr: "i", Value: idf})
	if s.opt.Beta != 1 {
		sig = append(sig, mteval.Field{Key: "beta", Abbr: "f", Value: decimal.Format(s.opt.Beta)})
	}
	if b := s.opt.Baseline; b != nil {
		v := decimal.Format(b.P) + "," + decimal.Format(b.R) + "," + decimal.Format(b.F)
		sig = append(sig, mteval.Field{Key: "baseline", Abbr: "r", Value: v})
	}
	return sig
}

// Prepare embeds the references.
func (s *Scorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	m, err := s.PrepareMatch(ctx, refs)
	if err != nil {
		return nil, err
	}
	return mteval.PrepareMatched(s, m), nil
}

// AppendMatch appends P, R, F and 1. It panics if m is not of a hypothesis and refs.
func (s *Scorer) AppendMatch(dst []float64, _ int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
	best := mteval.PRF{P: math.Inf(-1), R: math.Inf(-1), F: math.Inf(-1)}
	found := false
	for r, tokens := range refs {
		p, okP := mean(m.Tokens, m.Pairings[r].Hyp)
		q, okR := mean(tokens, m.Pairings[r].Ref)
		if !okP || !okR {
			continue // an empty side
		}
		found = true
		best.P = max(best.P, p)
		best.R = max(best.R, q)
		best.F = max(best.F, mteval.PRF{P: p, R: q}.FBeta(s.opt.Beta))
	}
	if !found {
		return append(dst, 0, 0, 0, 1)
	}
	if b := s.opt.Baseline; b != nil {
		best.P = (best.P - b.P) / (1 - b.P)
		best.R = (best.R - b.R) / (1 - b.R)
		best.F = (best.F - b.F) / (1 - b.F)
	}
	return append(dst, best.P, best.R, best.F, 1)
}

// mean is the weighted mean of the similarities, and whether any token weighs
// something.
func mean(tokens []mteval.Token, links []mteval.Link) (float64, bool) {
	sum, weights := 0.0, 0.0
	for i, t := range tokens {
		w := float64(t.Weight)
		sum += float64(w * float64(links[i].Sim))
		weights += w
	}
	if weights == 0 {
		return 0, false
	}
	return sum / weights, true
}

// Score returns the mean F of the rows that were added up.
func (s *Scorer) Score(row []float64) float64 { return s.PRF(row).F }

// PRF returns the means of P, R and F over the rows that were added up.
func (s *Scorer) PRF(row []float64) mteval.PRF {
	mteval.CheckRow(row, 4)
	n := row[3]
	if n == 0 {
		return mteval.PRF{}
	}
	return mteval.PRF{P: row[0] / n, R: row[1] / n, F: row[2] / n}
}
