package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mteval/mteval/cmd/internal/show"
)

// The answers of the commands are sentences, which pages begin with and json has as "answer". What
// a test shows is "significantly better", what it does not show "not told apart".

// MostListed is how many systems a sentence names.
const MostListed = 6

// And joins names as a sentence does.
func And(names []string) string {
	n := len(names)
	if n < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
}

// These names systems that have something in common, or says how many they are.
func These(names []string) string {
	if n := len(names); n > MostListed {
		return fmt.Sprintf("%d systems", n)
	}
	return And(names)
}

// NoneOf names some of so many others behind a "not", or says how many they are.
func NoneOf(names []string, others int) string {
	switch n := len(names); {
	case n <= MostListed:
		return And(names)
	case n == others:
		return fmt.Sprintf("any of the %d others", n)
	default:
		return fmt.Sprintf("%d of the %d others", n, others)
	}
}

// AllOf is NoneOf without the "not".
func AllOf(names []string, others int) string {
	if n := len(names); n > MostListed && n == others {
		return fmt.Sprintf("all %d others", n)
	}
	return NoneOf(names, others)
}

// SomeOf are the first few of what a sentence lists.
func SomeOf(what []string) string {
	if n := len(what); n > MostListed {
		return fmt.Sprintf("%s and %d others", strings.Join(what[:MostListed], ", "), n-MostListed)
	}
	return And(what)
}

// AllSystems says that it is all of them.
func AllSystems(n int) string {
	if n == 2 {
		return "both systems"
	}
	return fmt.Sprintf("all %d systems", n)
}

// Plural chooses a form of a word.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Count is a number of things.
func Count(n int, thing string) string {
	return fmt.Sprintf("%d %s", n, Plural(n, thing, thing+"s"))
}

// Sentence makes one of a line of text.
func Sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

// NotTested follows a difference that no test was asked for.
const NotTested = "Whether that is more than chance was not tested"

// WorthOfTests follows what a significant difference is.
const WorthOfTests = "That says whether other texts would show a difference too, and not whether people would see it."

// Leads says which systems have the best score by some metrics that agree.
func Leads(best, metrics []string) string {
	if len(best) > 1 {
		return fmt.Sprintf("%s have the same %s, which %s the best", These(best), And(metrics), Plural(len(metrics), "is", "are"))
	}
	return fmt.Sprintf("%s has the best %s", best[0], And(metrics))
}

// Ahead follows leads, with the best score and the next system.
func Ahead(score string, lowerIsBetter bool, next, nextScore string) string {
	after := fmt.Sprintf("%s (%s)", next, nextScore)
	if nextScore == score {
		after = next + ", which has as much but for digits that are not shown"
	}
	if lowerIsBetter {
		score += "; less is better"
	}
	return fmt.Sprintf(" (%s), ahead of %s.", score, after)
}

// ComparedOthers are those that a test compared with the best one, with their p-values.
type ComparedOthers struct {
	Names []string
	P     []float64
}

// Add adds one with its p-value.
func (o *ComparedOthers) Add(name string, p float64) {
	o.Names, o.P = append(o.Names, name), append(o.P, p)
}

// AtLeast is the smallest of their p-values, and AtMost the largest, in words: there is one at least.
func (o *ComparedOthers) AtLeast() string { return o.bound("≥", slices.Min(o.P)) }
func (o *ComparedOthers) AtMost() string  { return o.bound("≤", slices.Max(o.P)) }

func (o *ComparedOthers) bound(sign string, p float64) string {
	if slices.Min(o.P) == slices.Max(o.P) {
		sign = "="
	}
	return "p " + sign + " " + show.PValue.Format(p, 0)
}

// ItOf stands for the best system or metric in the next sentence, of several for the first.
func ItOf(best []string) string { return Plural(len(best), "It", best[0]) }

// Tested says than which others the best one is significantly better, and from which it is not told
// apart, as far as there are any. Adjusted says for what p-values are, "" that they are not.
func Tested(best string, worse, alike ComparedOthers, adjusted string) []string {
	others := len(worse.Names) + len(alike.Names)
	better, same := "", ""
	if len(worse.Names) > 0 {
		better = fmt.Sprintf("significantly better than %s (%s", AllOf(worse.Names, others), worse.AtMost())
	}
	if len(alike.Names) > 0 {
		same = fmt.Sprintf("not told apart from %s (%s", NoneOf(alike.Names, others), alike.AtLeast())
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
