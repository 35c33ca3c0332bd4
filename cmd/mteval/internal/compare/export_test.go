package compare

// What tests from outside use.

const (
	MostOnPage = mostOnPage
)

type (
	CompareTexts = compareTexts
)
