package rank

// What tests from outside use.

type (
	Number     = number
	SystemJSON = systemJSON
)

var (
	Share = share
)
