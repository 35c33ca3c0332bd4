package backendtest

import (
	"github.com/mteval/mteval/backend"
	"github.com/mteval/mteval/internal/kit"
)

// A rule of the contract. The kit's own tests see to it that for each there is a
// backend that breaks it and is found.
type rule int

const (
	noPanic rule = iota

	infoName
	infoDim
	infoMax
	infoSignature
	infoSame

	embedFails
	embedInput
	batchShape
	truncatedList
	maxTokens
	tokenSpan
	tokenWeight
	vectorFinite
	emptyText
	embedAlone
	embedDirty
	embedEarlier
	embedReuse
	embedZero
	embedLimit
	embedLimitLate
	embedCancelled
	embedConcurrent
	embedClosed

	matchFails
	matchTokens
	matchLinks
	matchWrong
	matchLimit

	openAgain
	closeFails
	closeAgain
	closeInUse

	// Those of encoders, which beside them keep those of Info, open and Close.
	infoEncoder

	tokenizeFails
	tokenizeInput
	tokenizeShape
	tokenizeSpecial
	tokenizeCut
	tokenizeAlone
	tokenizeEarlier
	tokenizeWrong
	tokenizeCancelled
	tokenizeConcurrent
	tokenizeClosed

	poolFails
	poolInput
	poolOutside
	poolAgain
	poolDirty
	poolAlone
	poolFinite
	poolMix
	poolNorm
	poolPooling
	poolPadding
	poolWrong
	poolCancelled
	poolConcurrent
	poolClosed

	numRules
)

// ruleTable says what each rule is, as what must hold, and where it is checked.
var ruleTable = [numRules]struct{ text, where string }{
	noPanic: {"must not panic", "Embed"}, // and elsewhere

	infoName:      {"Name must not be empty", "Info"},
	infoDim:       {"Dim must be above 0", "Info"},
	infoMax:       {"MaxTokens must not be negative", "Info"},
	infoSignature: {"the signature must have fields, with a key and a value each, without the characters that separate them", "Info"},
	infoSame:      {"must return the same value every time, after Close too", "Info"},

	embedFails:      {"must take any texts", "Embed"},
	embedInput:      {"must not change texts", "Embed"},
	batchShape:      {"Dim, Offsets, Tokens and Data must fit each other and the number of texts", "Embed"},
	truncatedList:   {"Truncated must list the texts of which only the beginning is there, in order, and no others", "Embed"},
	maxTokens:       {"a text must have at most MaxTokens tokens", "Embed"},
	tokenSpan:       {"Start and End of tokens must be in order and inside the text, or both 0", "Embed"},
	tokenWeight:     {"the weight of a token must be 0 or 1", "Embed"},
	vectorFinite:    {"vectors must be finite", "Embed"},
	emptyText:       {"an empty text must have no token but special ones, of weight 0", "Embed"},
	embedAlone:      {"what a text gets must not depend on the others in the call, their order and their number", "Embed"},
	embedDirty:      {"what dst held before must not matter", "Embed"},
	embedEarlier:    {"must leave alone the batches of earlier calls", "Embed"},
	embedReuse:      {"must use the memory in dst where it is large enough", "Embed"},
	embedZero:       {"must set dst to no text for no text", "Embed"},
	embedLimit:      {"a text of more tokens than dst.MaxTokens must be an error that wraps a *TextError of it and mteval.ErrTooLong, and no other text", "Embed"},
	embedLimitLate:  {"must make no vectors of a text of more tokens than dst.MaxTokens", "Embed"},
	embedCancelled:  {"must return ctx's error when ctx is cancelled, or be done", "Embed"},
	embedConcurrent: {"must be safe for concurrent use", "Embed"},
	embedClosed:     {"must return ErrClosed after Close", "Embed"},

	matchFails:  {"must take any texts", "Match"},
	matchTokens: {"must set dst as Embed does, but for Data, left empty", "Match"},
	matchLinks:  {"must give the links by cosine of the vectors that Embed gives", "Match"},
	matchLimit:  {"a text of more tokens than dst.MaxTokens must be an error that wraps a *TextError of it and mteval.ErrTooLong, and no other text", "Match"},
	matchWrong:  {"pairs out of range, or of another number than out has room for, must be an error", "Match"},

	openAgain:  {"a second one with the same signature must give the same", "open"},
	closeFails: {"must not fail", "Close"},
	closeAgain: {"calls after the first must do nothing and return nil", "Close"},
	closeInUse: {"must let other calls finish, or make them fail with ErrClosed", "Close"},

	infoEncoder: {"MaxTokens must be at least 3, Kind not empty, Layers above 0, Positions not negative, Pad an id or -1", "Info"},

	tokenizeFails:      {"must take any texts", "Tokenize"},
	tokenizeInput:      {"must not change texts", "Tokenize"},
	tokenizeShape:      {"must give a sequence for each text, of at most as many tokens as asked for", "Tokenize"},
	tokenizeSpecial:    {"the special tokens must be around each text, one that is empty or cut too", "Tokenize"},
	tokenizeCut:        {"of a text of more tokens than asked for, and of no other, the beginning must be taken, so that there are as many, and Cut set", "Tokenize"},
	tokenizeAlone:      {"what a text gets must not depend on the others in the call, their order and their number, nor on earlier calls", "Tokenize"},
	tokenizeEarlier:    {"must leave alone what earlier calls gave", "Tokenize"},
	tokenizeWrong:      {"fewer tokens than 3, or more than MaxTokens, must be an error", "Tokenize"},
	tokenizeCancelled:  {"must return ctx's error when ctx is cancelled, or be done", "Tokenize"},
	tokenizeConcurrent: {"must be safe for concurrent use", "Tokenize"},
	tokenizeClosed:     {"must return ErrClosed after Close", "Tokenize"},

	poolFails:      {"must take any sequences of Tokenize's, and none", "Pool"},
	poolInput:      {"must not change sequences and weights", "Pool"},
	poolOutside:    {"must not write beside dst", "Pool"},
	poolAgain:      {"must give the same every time, whatever becomes of what earlier calls were given", "Pool"},
	poolDirty:      {"what dst held before must not matter", "Pool"},
	poolAlone:      {"a sequence's vector must not depend on the others in the call, their order and their number", "Pool"},
	poolFinite:     {"vectors must be finite, else it must be an error", "Pool"},
	poolMix:        {"a vector must be the sum of those of the layers, multiplied by the weights", "Pool"},
	poolNorm:       {"with Norm, a layer's numbers must have mean 0 and variance 1 over all tokens and places", "Pool"},
	poolPooling:    {"First, Average and Largest must be what they are called", "Pool"},
	poolPadding:    {"padding must be left out of Average and Largest", "Pool"},
	poolWrong:      {"wrong room, weights, poolings, ids and numbers of tokens must be errors", "Pool"},
	poolCancelled:  {"must return ctx's error when ctx is cancelled, or be done", "Pool"},
	poolConcurrent: {"must be safe for concurrent use", "Pool"},
	poolClosed:     {"must return ErrClosed after Close", "Pool"},
}

// String says the rule.
func (r rule) String() string { return ruleTable[r].text }

// A tester holds the backend under test and what was found.
type tester struct {
	b         backend.Backend
	info      backend.Info
	tolerance float64
	texts     []string
	long      []int  // the long ones among texts, the last ones
	want      []item // what each text got in a call of its own

	kit.Findings[rule]
}
