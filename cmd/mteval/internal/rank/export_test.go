package rank

// What tests from outside use.

type (
	Number     = number
	SystemJSON = systemJSON
)
