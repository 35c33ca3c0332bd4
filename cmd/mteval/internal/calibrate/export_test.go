package calibrate

// What tests from outside use.

type (
	CalibrationJSON = calibrationJSON
	PartJSON        = partJSON
)

var (
	Field = field
)
