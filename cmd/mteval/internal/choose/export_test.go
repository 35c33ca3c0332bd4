package choose

// What tests from outside use.

type (
	CurvesJSON = curvesJSON
)
