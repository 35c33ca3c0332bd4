package multilevel

import (
	"errors"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/conllu"
	"github.com/mteval/mteval/internal/contract"
)

// NewTripleF returns F_D, the F of dependency triples: relation, governor and dependent of
// each word. Relations and words are as the parser has them; lower ignores the words'
// case. A root is a triple too, with no word as its governor, so that every text with a
// word has triples; F is 0 where a side has none. It is an error if there is no parser.
func NewTripleF(p conllu.Parser, lower bool) (*F, error) {
	if contract.Nil(p) {
		return nil, errors.New("multilevel: triples without a parser")
	}
	c := "mixed"
	if lower {
		c = "lc"
	}
	return newF("triplef", mteval.Signature{{Key: "case", Abbr: "c", Value: c}}, &tripleReader{p: p, lower: lower}), nil
}
