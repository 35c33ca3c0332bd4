// Package overlap holds the metrics that compare words, or characters, one by one:
// precision, recall and F of the words, and the error rates of speech recognition.
//
//	F    the words in common, each as often as it stands in both (word order does
//	     not matter): P = common / hypothesis, R = common / reference,
//	     F = (1+β²)PR / (β²P + R)
//	WER  word error rate: (S + D + I) / reference words, with the least number of
//	     substitutions, deletions and insertions of words
//	MER  match error rate: (S + D + I) / (H + S + D + I), H the words that match
//	WIL  word information lost: 1 − H/reference words · H/hypothesis words
//	     (both Morris, Maier and Green, Interspeech 2004)
//	CER  WER of characters
//	PER  position-independent error rate: (the longer length − common) / reference
//	     words (Tillmann et al., Eurospeech 1997)
//
// WER, CER and PER have no upper bound: a hypothesis can have more errors than its
// reference has words. An error rate against references without any word is the
// number of insertions, as in jiwer 4, or 0 for an empty hypothesis.
//
// Words are what stands between white space, any of Unicode's; jiwer splits at the
// space (U+0020) only.
//
// Corpus scores are made of the sums over segments. Of several references a segment
// takes the one with the best score of its own. Insertions are words of the
// hypothesis, as in speech recognition; in package ter, as in machine translation,
// they are words of the reference.
package overlap

import (
	"context"
	"fmt"
	"math"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/contract"
	"github.com/mteval/mteval/internal/decimal"
	"github.com/mteval/mteval/internal/editdist"
	"github.com/mteval/mteval/internal/fold"
	"github.com/mteval/mteval/internal/limit"
	"github.com/mteval/mteval/internal/pace"
	"github.com/mteval/mteval/internal/prf"
	"github.com/mteval/mteval/internal/vocab"
	"github.com/mteval/mteval/tokenize"
)

// Options of all metrics here. The zero value takes words between white space, as
// they are.
type Options struct {
	// Tokenizer splits words, for all but CER; nil is tokenize.None.
	Tokenizer tokenize.Tokenizer
	// Lowercase ignores case.
	Lowercase bool
	// MaxTokens bounds the words of a text, between white space for CER; a longer one
	// is an error that wraps mteval.ErrTooLong. Not positive: no bound.
	MaxTokens int
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend on
	// it.
	Workers int
}

// splitter turns lines into symbols.
type splitter struct {
	tok   tokenize.Tokenizer // nil: tokenize.None
	lower bool
	chars bool
	most  int // tokens, if positive
}

func newSplitter(o Options, chars bool) splitter {
	return splitter{o.Tokenizer, o.Lowercase, chars, o.MaxTokens}
}

func (s *splitter) tokenizer() tokenize.Tokenizer {
	if s.tok == nil {
		return tokenize.None
	}
	return s.tok
}

var standard = (&splitter{}).signature()

// orStandard is the signature of a scorer, or for the zero value that of zero Options.
func orStandard(sig mteval.Signature) mteval.Signature {
	if sig == nil {
		return standard
	}
	return sig
}

func (s *splitter) signature() mteval.Signature {
	c, tok := "mixed", s.tokenizer().Name()
	if s.lower {
		c = "lc"
	}
	if s.chars {
		tok = "char"
	}
	return mteval.Signature{{Key: "case", Abbr: "c", Value: c}, {Key: "tok", Abbr: "tok", Value: tok}}
}

// scratch is what one goroutine needs to score a hypothesis.
type scratch struct {
	watch pace.Pace
	lower fold.Line
	text  []byte
	ids   []uint32
	row   [4]float64
	align editdist.Scratch
}

// tokens calls each for the words of a line.
func (s *splitter) tokens(sc *scratch, line string, each func(token []byte)) (err error) {
	if s.lower {
		line = sc.lower.LowerFor(s.tokenizer(), line)
	}
	sc.text, err = limit.Each(&sc.watch, s.most, sc.text, s.tokenizer(), line, each)
	return err
}

// characters appends the characters of a line, without white space around it, as
// symbols. An invalid byte is a symbol of its own.
func (s *splitter) characters(sc *scratch, dst []uint32, line string) ([]uint32, error) {
	if err := limit.Words(line, s.most); err != nil {
		return dst, err
	}
	if s.lower {
		line = sc.lower.Lower(line)
	}
	line = tokenize.Trim(line)
	for next := 0; next < len(line); {
		const part = 1 << 14
		i := next
		for next = min(len(line), i+part); i < next; {
			_, symbol, w := vocab.Character(line[i:])
			dst = append(dst, symbol)
			i += w
		}
		next = i
		if err := sc.watch.Done(4 * part); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// FScorer is the F-score of words with fixed options. It implements
// mteval.PRFScorer and mteval.MatchScorer; scores are on 0 to 1. A row is the words
// in common, those of the hypothesis, and those of the reference. The zero value has the
// zero Options.
type FScorer struct {
	split   splitter
	beta    float64 // 0: 1
	workers int
	sig     mteval.Signature
}

var (
	_ mteval.PRFScorer   = (*FScorer)(nil)
	_ mteval.MatchScorer = (*FScorer)(nil)
)

// FOptions of the F-score of words.
type FOptions struct {
	Options
	// Beta is how many times as important recall is as precision; 0 is 1.
	Beta float64
}

// NewF returns the F-score of words with these options.
func NewF(o FOptions) (*FScorer, error) {
	if o.Beta != 0 && !(o.Beta > 0) || math.IsInf(o.Beta, 0) {
		return nil, fmt.Errorf("overlap: Beta %v is not a positive number", o.Beta)
	}
	if err := contract.Option("Tokenizer", o.Tokenizer); err != nil {
		return nil, fmt.Errorf("overlap: %w", err)
	}
	s := &FScorer{split: newSplitter(o.Options, false), beta: o.Beta, workers: o.Workers}
	s.sig = s.split.signature()
	if beta := s.weight(); beta != 1 {
		s.sig = append(s.sig, mteval.Field{Key: "beta", Abbr: "b", Value: decimal.Format(beta)})
	}
	return s, nil
}

// weight is beta.
func (s *FScorer) weight() float64 {
	if s.beta == 0 {
		return 1
	}
	return s.beta
}

// Width is the length of a row.
func (s *FScorer) Width() int { return prf.Width }

// Info describes the scorer.
func (s *FScorer) Info() mteval.Info {
	return mteval.Info{Name: "wordf", Signature: orStandard(s.sig), Scale: 1}
}

// Score returns F of a row or a sum of rows, 0 to 1.
func (s *FScorer) Score(row []float64) float64 { return s.PRF(row).F }

// PRF returns precision, recall and F of a row or a sum of rows, each 0 to 1, and 0
// where a side has no words.
func (s *FScorer) PRF(row []float64) mteval.PRF { return prf.Of(row, s.weight()) }

// Prepare splits the references into words.
func (s *FScorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return prepare(ctx, &s.split, refs, 3, s.workers, s.fill, s.Score, false)
}

func (s *FScorer) fill(row []float64, p *editdist.Pattern, ids []uint32, sc *scratch) error {
	n, err := p.Common(&sc.watch, ids, &sc.align)
	row[0], row[1], row[2] = float64(n), float64(len(ids)), float64(p.Len())
	return err
}

// AppendMatch appends the row with the reference of the highest F.
func (s *FScorer) AppendMatch(dst []float64, _ int, refs [][]mteval.Token, m *mteval.Matching) []float64 {
	best, score := [3]float64{}, -1.0
	for r, tokens := range refs {
		common := 0.0
		for _, l := range m.Pairings[r].Hyp {
			common += float64(l.Sim)
		}
		row := [3]float64{common, float64(len(m.Tokens)), float64(len(tokens))}
		if f := s.Score(row[:]); f > score {
			best, score = row, f
		}
	}
	return append(dst, best[:]...)
}
