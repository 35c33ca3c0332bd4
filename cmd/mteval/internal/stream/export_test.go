package stream

// What tests from outside use.

const (
	MostTold = mostTold
)
