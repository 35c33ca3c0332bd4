// Package conllu holds dependency parses.
package conllu

// A Word of a sentence.
type Word struct {
	Form     string
	Head     int // 1-based place of the governor among Words, 0 for the root
	Relation string
}

// A Sentence with its parse.
type Sentence struct {
	Words []Word
	Line  int // where it starts in its file
}
