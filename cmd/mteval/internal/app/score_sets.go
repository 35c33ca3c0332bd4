package app

import (
	"github.com/mteval/mteval/files"
	"github.com/mteval/mteval/testsets"
)

// A TestSet is what there is to score against.
type TestSet struct {
	Data   *testsets.Data
	Refs   []*files.Text
	Source *files.Text // nil: not asked for
	Keep   []bool      // nil: all segments
}
