package main

import "github.com/mteval/mteval/internal/lookalike"

// checkTwins returns an error for systems that are meant to be one.
var checkTwins = lookalike.Check
