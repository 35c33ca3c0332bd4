package study

// What tests from outside use.

type (
	ChanceJSON = chanceJSON
	CurveJSON  = curveJSON
	StudyJSON  = studyJSON
)

var (
	Ranges = ranges
)
