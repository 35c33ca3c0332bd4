package scorertest

import (
	"github.com/mteval/mteval"
	"github.com/mteval/mteval/internal/kit"
)

// A rule of the contract. The kit's own tests see to it that for each there is a
// scorer that breaks it and is found.
type rule int

const (
	noPanic rule = iota

	infoName
	infoWidth
	infoScale
	infoSignature
	infoSame
	infoAllocates

	prepareFails
	prepareLen
	prepareNoReference
	prepareZero
	prepareInput
	prepareKeeps
	prepareOthers
	prepareCancelled

	callFails
	callBatch
	callNilSegs
	callInput
	callKeeps
	callLength
	callSegment
	callCancelled
	callConcurrent

	rowWidth
	rowFinite
	dstPrefix
	dstSpare
	dstOnError

	scoreFinite
	scorePure
	scoreRow
	scorePanics
	scoreAllocates
	corpusSum
	systemsRows

	prfScore
	prfFinite
	prfPure
	prfPanics

	refTokens
	refTokensSame
	tokenSpan
	tokenWeight
	matchShape
	matchTo
	matchSim
	matchNone
	matchSpans
	matchReuse
	matchEarlier
	matchRow
	matchAppends
	matchInput
	matchTable

	paramValues
	paramSame
	paramRows
	paramErrors
	keepRows

	statistics
	reduceRow
	reducePure
	reduceAppends
	reduceAllocates

	sourceInputs
	sourceInput
	sourceNone
	sourceLength
	sourceReferences

	aggregateMean
	aggregateWeights
	aggregateKeeps
	aggregateErrors

	pairsFails
	pairsRow
	pairsAppends
	pairsIndex
	pairsCancelled
	pairsConcurrent
	pairsKeeps
	pairsAgain
	setCancelled

	symmetricScores

	variantInfo
	variantRows

	numRules
)

// Names of methods under which the same rules are checked.
var (
	prepares = []string{"Prepare", "PrepareMatch", aggregatePrepare, statisticsPrepare}
	calls    = []string{"Append", "Match", aggregateAppend, statisticsAppend}
)

// ruleTable says what each rule is, as what must hold, and where it is checked.
var ruleTable = [numRules]struct {
	text  string
	where []string
}{
	noPanic: {"must not panic", nil}, // anywhere

	infoName:      {"Name must be a lower-case name without white space", []string{"Info"}},
	infoWidth:     {"must be above 0", []string{"Width"}},
	infoScale:     {"Scale must be a finite number above 0", []string{"Info"}},
	infoSignature: {"signature fields must have a key and a value, without the characters that separate them", []string{"Info"}},
	infoSame:      {"must return the same value every time", []string{"Info", "Width", "Inputs", "Symmetric"}},
	infoAllocates: {"must not allocate: keep the signature in the scorer or a variable", []string{"Info"}},

	prepareFails:       {"must take references that are as they should be", prepares},
	prepareLen:         {"Len of what it returns must be the number of segments", prepares},
	prepareNoReference: {"a segment without a reference must be a *SegmentError that wraps ErrNoReference", prepares[:3]},
	prepareZero:        {"must take zero segments", prepares},
	prepareInput:       {"must not change refs", prepares},
	prepareKeeps:       {"must keep neither refs nor a slice in it", prepares},
	prepareOthers:      {"must leave alone what it returned before", prepares},
	prepareCancelled:   {"must return ctx's error when ctx is cancelled, or be done", prepares},

	callFails:      {"must take hypotheses that are as they should be", calls},
	callBatch:      {"what it gives must depend on the hypothesis and its segment only, not on the others in the call, their order and their number", calls},
	callNilSegs:    {"segs nil must stand for segments 0, 1, 2 and so on", calls},
	callInput:      {"must not change segs or hyps", calls},
	callKeeps:      {"must not keep segs or hyps", calls},
	callLength:     {"numbers of hypotheses and segments that differ must be ErrLength", calls},
	callSegment:    {"a segment out of range must be ErrSegment", calls},
	callCancelled:  {"must return ctx's error when ctx is cancelled, or be done", calls},
	callConcurrent: {"must be safe for concurrent use", calls},

	rowWidth:   {"must append one row of Width numbers for each hypothesis", []string{"Append"}},
	rowFinite:  {"rows must be finite", []string{"Append", aggregateAppend}},
	dstPrefix:  {"must keep what dst holds, and append after it", []string{"Append"}},
	dstSpare:   {"what lies behind the length of dst must not matter", []string{"Append"}},
	dstOnError: {"must return dst as it was on error", []string{"Append"}},

	scoreFinite:    {"must be finite for a sum of rows, one and none included", []string{"Score"}},
	scorePure:      {"must return the same for the same row", []string{"Score"}},
	scoreRow:       {"must not change the row", []string{"Score"}},
	scorePanics:    {"must panic for a row that is not Width long", []string{"Score"}},
	scoreAllocates: {"must not allocate", []string{"Score"}},
	corpusSum:      {"must have the rows of Append and the score of their sum", []string{"Corpus"}},
	systemsRows:    {"must have the rows that Corpus has for each system", []string{"Systems"}},

	prfScore:  {"F must be what Score returns", []string{"PRF"}},
	prfFinite: {"must be finite for a sum of rows, one and none included", []string{"PRF"}},
	prfPure:   {"must return the same for the same row, and not change it", []string{"PRF"}},
	prfPanics: {"must panic for a row that is not Width long", []string{"PRF"}},

	refTokens:     {"must return the tokens of each reference of the segment", []string{"RefTokens"}},
	refTokensSame: {"must return the same tokens every time", []string{"RefTokens"}},
	tokenSpan:     {"Start and End of tokens must be in order and inside the text, or both 0", []string{"RefTokens", "Match"}},
	tokenWeight:   {"weights of tokens must be finite and not negative", []string{"RefTokens", "Match"}},
	matchShape:    {"must set one Pairing for each reference, with one Link for each token", []string{"Match"}},
	matchTo:       {"To must be the index of a token that weighs something, or -1", []string{"Match"}},
	matchSim:      {"Sim must be finite and at most 1", []string{"Match"}},
	matchNone:     {"a token must be matched by none, with Sim 0, where the other side has no token", []string{"Match"}},
	matchSpans:    {"Spans must be runs of tokens on both sides, in the order of the reference, that share no token", []string{"Match"}},
	matchReuse:    {"what out held before must not matter", []string{"Match"}},
	matchEarlier:  {"must leave alone the matchings of earlier calls", []string{"Match"}},
	matchRow:      {"the row of a matching must be the row of Append", []string{"AppendMatch"}},
	matchAppends:  {"must append one row of Width numbers after what dst holds", []string{"AppendMatch"}},
	matchInput:    {"must not change the matching or the references", []string{"AppendMatch"}},
	matchTable:    {"the table of matchings must have the rows of Systems", []string{"MatchSystems"}},

	paramValues: {"must return parameters with different names and values within their ranges, the same every time", []string{"Parameters"}},
	paramSame:   {"the scorer with the values that it has must have the same Info and scores", []string{"WithParameters"}},
	paramRows:   {"the row against one reference, or its statistics, must not depend on the parameters", []string{"WithParameters"}},
	paramErrors: {"another number of values, or one out of range, must be an error", []string{"WithParameters"}},
	keepRows:    {"must give the rows of Append", []string{"Keep"}},

	statistics:      {"must append Width finite numbers for each hypothesis", []string{statisticsAppend}},
	reduceRow:       {"the row of statistics must be the row of Append against one reference", []string{"AppendRow"}},
	reducePure:      {"must return the same for the same statistics, and not change them", []string{"AppendRow"}},
	reduceAppends:   {"must append one row of Width numbers after what dst holds, and what lies behind must not matter", []string{"AppendRow"}},
	reduceAllocates: {"must not allocate where dst has room", []string{"AppendRow"}},

	sourceInputs:     {"must say that sources are read, or else that references are Required", []string{"Inputs"}},
	sourceInput:      {"must not change sources", []string{prepareSources}},
	sourceNone:       {"must be an error that wraps ErrNoSource where sources are Required, and none where they are not; where they are Unused they must not matter", []string{"Prepare", prepareSources}},
	sourceLength:     {"numbers of sources and references that differ must be ErrLength", []string{prepareSources}},
	sourceReferences: {"a segment without a reference must be ErrNoReference where references are Required, else none, and references that are Unused must not matter", []string{prepareSources}},

	aggregateMean:    {"of one reference, or of equal ones, must be what Prepare is of it, to a hundred-thousandth", []string{aggregatePrepare}},
	aggregateWeights: {"only the ratios of weights may matter, nil weights must be equal ones, and a reference of weight 0 must not matter", []string{aggregatePrepare}},
	aggregateKeeps:   {"must neither change nor keep weights", []string{aggregatePrepare}},
	aggregateErrors:  {"another number of weights, one that is negative or not finite, or all 0 must be an error", []string{aggregatePrepare}},

	pairsFails:      {"must take texts that are as they should be", []string{pairsSet}},
	pairsRow:        {"must give the row of Prepare and Append to the last bit, whichever texts are asked for, and not change hyps", []string{pairsAppend}},
	pairsAppends:    {"must keep what dst holds, append after it, and what lies behind must not matter", []string{pairsAppend}},
	pairsIndex:      {"a text that is not there must be an error that leaves dst as it was", []string{pairsAppend}},
	pairsCancelled:  {"must return ctx's error when ctx is cancelled, and dst as it was, or be done", []string{pairsAppend}},
	pairsConcurrent: {"must be safe for concurrent use", []string{pairsAppend}},
	pairsKeeps:      {"must neither change nor keep texts", []string{pairsSet}},
	pairsAgain:      {"must take other texts, or none, in place of those before, whatever else other Pairs have", []string{pairsSet}},
	setCancelled:    {"must return ctx's error when ctx is cancelled and have no text then, or be done, and be as new after another Set", []string{pairsSet}},

	symmetricScores: {"where it is true, a sentence score must be the same to the last bit with the texts the other way round", []string{"Symmetric"}},

	variantInfo: {"must have the same Info", []string{"Variants"}},
	variantRows: {"must give the same rows and matchings to the last bit", []string{"Variants"}},
}

// String says the rule.
func (r rule) String() string { return ruleTable[r].text }

// A tester holds the scorer under test and what was found.
type tester struct {
	s     mteval.Scorer
	info  mteval.Info
	width int
	hyps  []string
	refs  [][]string
	only  bool
	pairs []pair

	// What the scorer gave for each of pairs in a call of its own: all else
	// is compared with it.
	rows       [][]float64
	rowsBroken bool // see side
	matchings  []mteval.Matching

	kit.Findings[rule]
}
