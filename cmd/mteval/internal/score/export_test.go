package score

// What tests from outside use.

type (
	Object       = object
	ScoreOptions = scoreOptions
)

var (
	Phrase = phrase
)
