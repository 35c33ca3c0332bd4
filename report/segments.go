package report

import "iter"

// Segments show texts, a card a segment: the references, with how difficult each token is as
// a shade, and below them the outputs of systems, with what is matched, novel and missed. On
// the page text is found, segments are sorted and filtered by their numbers and by systems,
// two systems are set side by side, and #s26 is the address of segment 26. All of this needs
// the page's script, which is in the page; without it the first segments stand there plain.
//
// The page holds each text once, compressed, and each number with the digits that are shown.
type Segments struct {
	Title string
	Text  []string // paragraphs
	// Systems are those whose outputs each segment has, in this order.
	Systems []string
	// Scores are what each output has been given. Outputs are ranked by the first, unless the
	// reader chooses another.
	Scores []ScoreColumn
	// Keys are the numbers of a segment. Segments are given in the order of the first, where
	// there is one.
	Keys []Key
	// All are the segments. They are taken one by one, and once.
	All iter.Seq[Segment]
}

// A ScoreColumn says how scores of outputs are shown.
type ScoreColumn struct {
	Name          string
	Decimals      int // from 0 to 15
	LowerIsBetter bool
}

// A Key is what segments are sorted and filtered by.
type Key struct {
	Name string
	// Ascending: the smallest first.
	Ascending bool
}

// A Segment is what systems made of one source.
type Segment struct {
	Number int // from 1, each once
	// Name is what it is called, such as its place in a document; "" is its number.
	Name       string
	Keys       []float64 // as many as Segments.Keys
	Source     string    // "" is none
	References []Text
	Outputs    []Output // as many as Segments.Systems
}

// A Text is a text with what is known of its tokens. Where no text of a segment has tokens, the
// page compares words: those of outputs with those of the first reference.
type Text struct {
	Text   string
	Tokens []Token // in the order of the text
}

// A Token is a part of a text, with its numbers: from 0 to 1 as a rule, and shown up to ±20, with
// three decimals. A token's index is its place in its text's Tokens.
type Token struct {
	Start, End int // bytes of the text; an empty part is shown as a word of its own
	// Text is the token's own where it isn't what stands there.
	Text string
	// Difficulty is what the token weighs. Similarity is that of its best match on the other
	// side: for a token of References the mean of the outputs.
	Difficulty, Similarity float64
	// Of a token of an output, Share is what it adds to the score, and To its best match: the
	// index of a token of the output's reference, or -1. Novel says that the reference has no
	// such token.
	Share float64
	To    int
	Novel bool
}

// An Output is what a system made of a segment.
type Output struct {
	Text
	Scores []float64 // as many as Segments.Scores; NaN is none
	// Reference is the index of the one that its tokens were matched with.
	Reference int
	// Missed are tokens of that reference that the output lacks.
	Missed []Missed
}

// A Missed token is one of a reference, with what it is to an output that lacks it: see Token.
type Missed struct {
	Index                         int // of the token in its reference
	Difficulty, Similarity, Share float64
	To                            int // a token of the output; -1 is none
}
