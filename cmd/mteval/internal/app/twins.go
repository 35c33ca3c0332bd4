package app

import "github.com/mteval/mteval/internal/lookalike"

// CheckTwins returns an error for systems that are meant to be one.
var CheckTwins = lookalike.Check
