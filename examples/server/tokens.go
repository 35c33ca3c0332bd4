package main

import (
	"fmt"

	"github.com/mteval/mteval"
	"github.com/mteval/mteval/tokenize"
)

// splitters say what tokens these metrics count against -max-tokens.
var splitters = map[string]struct {
	tokenizer tokenize.Tokenizer
	trim      bool // white space at the end of a text is taken off first, as sacreBLEU does
}{
	"bleu":              {tokenize.V13a, true},
	"chrf":              {tokenize.None, false},
	"chrf++":            {tokenize.None, false},
	"ter":               {tokenize.Tercom{}, true},
	"wer":               {tokenize.None, false},
	"bertscore-lexical": {tokenize.V13a, false},
}

// checkTokens is the error of a text of more tokens than most, as its metric has it. The metric
// itself would come to the text after it has scored others, when the request's time may be over.
// Of metrics that are not in splitters it is left to them.
func checkTokens(metrics []metric, r *request, most int) error {
	var buf []byte
	for _, m := range metrics {
		s, ok := splitters[m.name]
		if !ok {
			continue
		}
		check := func(text string, at mteval.SegmentError) error {
			if len(text) <= most {
				return nil
			}
			if s.trim {
				text = tokenize.TrimRight(text)
			}
			n := 0
			buf = tokenize.Each(buf, s.tokenizer, text, func([]byte) { n++ })
			if n <= most {
				return nil
			}
			at.Err = fmt.Errorf("%w: %d tokens, more than the limit of %d", mteval.ErrTooLong, n, most)
			return fmt.Errorf("%s: %w", m.name, &at)
		}
		for i, refs := range r.references {
			for k, text := range refs {
				if err := check(text, mteval.SegmentError{Segment: i, Side: mteval.ReferenceSide, Index: k}); err != nil {
					return err
				}
			}
		}
		for i, text := range r.hypotheses {
			if err := check(text, mteval.SegmentError{Segment: i, Side: mteval.HypothesisSide}); err != nil {
				return err
			}
		}
	}
	return nil
}
