package main

import (
	"fmt"
	"slices"

	"github.com/mteval/mteval/internal/lookalike"
)

// checkTwins returns an error for a system of a file that is none of those that are known, while
// one is that is shown alike: both are meant to be one, which nothing else would say.
func checkTwins(file string, systems []string, where string, known []string) error {
	for _, name := range systems {
		if slices.Contains(known, name) {
			continue
		}
		if twin, ok := lookalike.Twin(name, known); ok && !slices.Contains(systems, twin) {
			return fmt.Errorf("%s: the system %s looks like %s of %s, and is in other characters (NFC, NFD): write both in the same", file, lookalike.Spell(name), lookalike.Spell(twin), where)
		}
	}
	return nil
}
