package main

import (
	"fmt"
	"strings"
)

// The answers of the commands are sentences, which pages begin with and json has as "answer".

// and joins names as a sentence does.
func and(names []string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}

// these names systems that have something in common, or says how many they are.
func these(names []string) string {
	if n := len(names); n > mostListed {
		return fmt.Sprintf("%d systems", n)
	}
	return and(names)
}

// noneOf names some of so many others behind a "not", or says how many they are.
func noneOf(names []string, others int) string {
	switch n := len(names); {
	case n <= mostListed:
		return and(names)
	case n == others:
		return fmt.Sprintf("any of the %d others", n)
	default:
		return fmt.Sprintf("%d of the %d others", n, others)
	}
}

// allOf is noneOf without the "not".
func allOf(names []string, others int) string {
	if n := len(names); n > mostListed && n == others {
		return fmt.Sprintf("all %d others", n)
	}
	return noneOf(names, others)
}

// plural chooses a form of a word.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
