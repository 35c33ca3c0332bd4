package main

import (
	"fmt"
	"slices"
	"strings"
)

// The answers of the commands are sentences, which pages begin with and json has as "answer". What
// a test shows is "significantly better", what it does not show "not told apart".

// mostListed is how many systems a sentence names.
const mostListed = 6

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

// someOf are the first few of what a sentence lists.
func someOf(what []string) string {
	if n := len(what); n > mostListed {
		return fmt.Sprintf("%s and %d others", strings.Join(what[:mostListed], ", "), n-mostListed)
	}
	return and(what)
}

// allSystems says that it is all of them.
func allSystems(n int) string {
	if n == 2 {
		return "both systems"
	}
	return fmt.Sprintf("all %d systems", n)
}

// plural chooses a form of a word.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// count is a number of things.
func count(n int, thing string) string {
	return fmt.Sprintf("%d %s", n, plural(n, thing, thing+"s"))
}

// sentence makes one of a line of text.
func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

// notTested follows a difference that no test was asked for.
const notTested = "Whether that is more than chance was not tested"

// worthOfTests follows what a significant difference is.
const worthOfTests = "That says whether other texts would show a difference too, and not whether people would see it."

// leads says which systems have the best score by some metrics that agree.
func leads(best, metrics []string) string {
	if len(best) > 1 {
		return fmt.Sprintf("%s have the same %s, which %s the best", these(best), and(metrics), plural(len(metrics), "is", "are"))
	}
	return fmt.Sprintf("%s has the best %s", best[0], and(metrics))
}

// ahead follows leads, with the best score and the next system.
func ahead(score string, lowerIsBetter bool, next, nextScore string) string {
	after := fmt.Sprintf("%s (%s)", next, nextScore)
	if nextScore == score {
		after = next + ", which has as much but for digits that are not shown"
	}
	if lowerIsBetter {
		score += "; less is better"
	}
	return fmt.Sprintf(" (%s), ahead of %s.", score, after)
}

// comparedOthers are those that a test compared with the best one, with their p-values.
type comparedOthers struct {
	names []string
	p     []float64
}

func (o *comparedOthers) add(name string, p float64) {
	o.names, o.p = append(o.names, name), append(o.p, p)
}

func (o *comparedOthers) atLeast() string { return o.bound("≥", slices.Min(o.p)) }
func (o *comparedOthers) atMost() string  { return o.bound("≤", slices.Max(o.p)) }

func (o *comparedOthers) bound(sign string, p float64) string {
	if slices.Min(o.p) == slices.Max(o.p) {
		sign = "="
	}
	return "p " + sign + " " + smallP(p)
}

// itOf stands for the best system or metric in the next sentence, of several for the first.
func itOf(best []string) string { return plural(len(best), "It", best[0]) }

// tested says than which others the best one is significantly better, and from which it is not told
// apart, as far as there are any. Adjusted says for what p-values are, "" that they are not.
func tested(best string, worse, alike comparedOthers, adjusted string) []string {
	others := len(worse.names) + len(alike.names)
	better, same := "", ""
	if len(worse.names) > 0 {
		better = fmt.Sprintf("significantly better than %s (%s", allOf(worse.names, others), worse.atMost())
	}
	if len(alike.names) > 0 {
		same = fmt.Sprintf("not told apart from %s (%s", noneOf(alike.names, others), alike.atLeast())
	}
	end := ")."
	if adjusted != "" {
		end = ", adjusted for " + adjusted + ")."
	}
	switch {
	case others == 0:
		return nil
	case better != "" && same != "":
		return []string{best + " is " + better + "), but " + same + end}
	}
	return []string{best + " is " + better + same + end}
}
