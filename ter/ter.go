// Package ter is TER, the translation edit rate (Snover et al., AMTA 2006), as
// sacreBLEU 2.6 computes it after the program tercom: the least number of edits that
// make the reference of the hypothesis, in per cent of the reference's words. An
// edit inserts, deletes or substitutes a word, or shifts a run of words to another
// place.
//
//	TER = 100 · Σ edits / Σ reference words
//
// It is an error rate: 0 is perfect, and it can be above 100. Of several references
// a segment takes the one with the fewest edits, and the mean of their lengths. A
// hypothesis against nothing but empty references has 100, or 0 if it is empty too.
//
// The least number can't be found in reasonable time, so that shifts are searched
// for greedily and within limits, which are part of the metric: a run of words to be
// shifted is at most 10 words long and at most 50 words from its place, 1000 shifts
// are tried in all, and the edit distance is searched for within 25 words of the
// diagonal. The time for a segment is thus linear in its length, by a large factor.
// Where the limit of 1000 ended the search, the result says so: see Detail.Limited
// and Alignment.Limited.
package ter

import (
	"context"
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/tokenize"
)

// Options of TER. The zero value is the field's standard: sacreBLEU's default, words
// between white space without regard to case.
type Options struct {
	// Normalized resolves XML entities and splits off punctuation.
	Normalized bool
	// NoPunct removes punctuation.
	NoPunct bool
	// Asian makes Normalized split Chinese characters apart, and both it and
	// NoPunct know Asian punctuation.
	Asian bool
	// CaseSensitive makes case matter.
	CaseSensitive bool
	// MaxTokens bounds the words of a text; a longer one is an error that wraps
	// mteval.ErrTooLong. Not positive: no bound.
	MaxTokens int
	// Workers bounds the goroutines; 0 is GOMAXPROCS. Results do not depend
	// on it.
	Workers int
}

// Scorer is TER with fixed options. It implements mteval.Scorer; scores are from 0
// up, lower is better. A row is the edits, the mean length of the references, and 1
// if the search for shifts was ended by its limit. The zero value has the zero Options.
type Scorer struct {
	opt Options
	tok tokenize.Tokenizer
	sig mteval.Signature
}

var _ mteval.Scorer = (*Scorer)(nil)

// New returns TER with these options. No options are wrong.
func New(o Options) *Scorer {
	return &Scorer{o, tokenize.Tercom{
		Normalized: o.Normalized, NoPunct: o.NoPunct, Asian: o.Asian, CaseSensitive: o.CaseSensitive,
	}, o.signature()}
}

var standard = New(Options{})

// ready is s, or for the zero value what New makes of zero Options.
func (s *Scorer) ready() *Scorer {
	if s.tok == nil {
		return standard
	}
	return s
}

// width is the length of a row.
const width = 3

// Width is the length of a row.
func (s *Scorer) Width() int { return width }

// Info describes the scorer. The signature has sacreBLEU's fields.
func (s *Scorer) Info() mteval.Info {
	return mteval.Info{Name: "ter", Signature: s.ready().sig, Scale: 100, LowerIsBetter: true}
}

func (o *Options) signature() mteval.Signature {
	choose := func(cond bool, yes, no string) string {
		if cond {
			return yes
		}
		return no
	}
	return mteval.Signature{
		{Key: "case", Abbr: "c", Value: choose(o.CaseSensitive, "mixed", "lc")},
		{Key: "tok", Abbr: "t", Value: "tercom"},
		{Key: "norm", Abbr: "nr", Value: choose(o.Normalized, "yes", "no")},
		{Key: "punct", Abbr: "pn", Value: choose(o.NoPunct, "no", "yes")},
		{Key: "asian", Abbr: "as", Value: choose(o.Asian, "yes", "no")},
	}
}

// Detail is a TER score with its parts.
type Detail struct {
	Score     float64 // from 0 up, lower is better
	Edits     int
	RefLength float64 // words, the mean of several references
	// Limited is the number of segments for which the search for shifts was
	// ended by its limit; a longer search might find fewer edits.
	Limited int
}

// String is sacreBLEU's line, "TER = 48.20".
func (d Detail) String() string { return fmt.Sprintf("TER = %.2f", d.Score) }

// Detail returns the score of a row, or a sum of rows, with its parts. It panics as Score does.
func (s *Scorer) Detail(row []float64) Detail {
	return Detail{Score: s.Score(row), Edits: int(row[0]), RefLength: row[1], Limited: int(row[2])}
}

// Limited returns Detail.Limited: in how many segments the search was ended by its limit, of those
// whose rows were added up in row. It panics as Score does.
func (s *Scorer) Limited(row []float64) int { return s.Detail(row).Limited }

// Score returns the score of a row or a sum of rows.
func (s *Scorer) Score(row []float64) float64 {
	mteval.CheckRow(row, width)
	switch edits, length := row[0], row[1]; {
	case length > 0:
		return 100 * (edits / length)
	case edits > 0:
		return 100
	}
	return 0
}

// Prepare splits the references into words.
func (s *Scorer) Prepare(ctx context.Context, refs [][]string) (mteval.Prepared, error) {
	return s.ready().prepare(ctx, refs)
}
