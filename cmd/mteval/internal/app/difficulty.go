package app

import (
	"fmt"
	"strings"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/difficulty"
)

// DifficultyModes are the names of DifficultyMode.
var DifficultyModes = []string{"combined", "paper", "normalized", "released"}

// DifficultyMode returns the options that a mode stands for.
func DifficultyMode(mode string) difficulty.Options {
	switch mode {
	case "combined":
		return difficulty.Combined()
	case "normalized":
		return difficulty.Normalized()
	case "released":
		return difficulty.Released()
	}
	return difficulty.Paper()
}

// Matchers are the metrics that match tokens.
var Matchers = []string{"bertscore", "bertscore-lexical", "wordf", "meteor"}

// Matching is a scorer that must match tokens, for by.
func Matching(s mteval.Scorer, by string) (mteval.MatchScorer, error) {
	ms, ok := s.(mteval.MatchScorer)
	if !ok {
		return nil, fmt.Errorf("%s: it does not match tokens: have %s", by, strings.Join(Matchers, ", "))
	}
	return ms, nil
}
