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
	// Systems are those whose outputs each segment has, in this order.
	Systems []string
	// Scores are what each output has been given.
	Scores []ScoreColumn
	// Keys are the numbers of a segment. Segments are given in the order of the first, where
	// there is one.
	Keys []Key
	// All are the segments.
	All iter.Seq[Card]
}

// A ScoreColumn says how scores of outputs are shown.
type ScoreColumn struct {
	Name          string
	Decimals      int
	LowerIsBetter bool
}

// A Card is a segment.
type Card struct {
	Number     int       // from 1, each once
	Keys       []float64 // as many as Segments.Keys
	Source     string    // "" is none
	References []Text
	Outputs    []Output // as many as Segments.Systems
}

// A Text is a text with what is known of its tokens. Without tokens its words are compared with
// the other side's by the page.
type Text struct {
	Text   string
	Tokens []Span
}

// A Span is a token: which part of the text, and its numbers, from 0 to 1.
type Span struct {
	Start, End int // bytes of the text
	// Text is the token's own where it isn't what stands there.
	Text string
	// Difficulty is what the token weighs, Similarity that of its best match on the other
	// side, and Share what it adds to the score.
	Difficulty, Similarity, Share float64
	// To is that match: a token of the output's reference, or of the output for one that it
	// lacks; -1 is none. For a token of References it is not read.
	To int
	// Alone says that the other side has no such token: it is novel in an output, and missed
	// in a reference, by all outputs.
	Alone bool
	// Missed is how many outputs lack a token of References, and Met how many there are.
	Missed, Met int
}

// An Output is what a system made of a segment.
type Output struct {
	Text
	Scores []float64 // as many as Segments.Scores; NaN is none
	// Reference is the index of the one that its tokens were matched with.
	Reference int
	// Missed are tokens of that reference that the output lacks.
	Missed []Span
}
