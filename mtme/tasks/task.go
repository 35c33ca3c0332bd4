package tasks

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mteval/mteval/internal/names"
	"github.com/mteval/mteval/metaeval"
	"github.com/mteval/mteval/mtme"
)

// A Level says what a task compares.
type Level int

const (
	// System compares scores of systems; in a domain, their scores of it.
	System Level = iota
	// Segment compares scores of segments.
	Segment
	// Document compares means over the segments of a document that people judged.
	Document
)

var levels = [...]string{System: "system", Segment: "segment", Document: "document"}

// String is "system", "segment" or "document".
func (l Level) String() string { return names.Of("Level", levels[:], l) }

// A Task is a measure of agreement with people.
type Task struct {
	// Set is a test set, such as wmt23; "" is the only one of the tree.
	Set string
	// LanguagePairs is one, or for PairwiseAccuracy some.
	LanguagePairs []string
	Level         Level
	// Domain takes only what is of one.
	Domain  string
	Measure Measure
	// Grouping of segments, or documents. AccEq and the like have none at system level.
	Grouping metaeval.Grouping
	// Human is the kind of people's scores, such as mqm; "" is that of the set's own task.
	Human string
	// Rules say which systems and metrics are compared; nil: those of the set's own task.
	Rules *mtme.Rules
	// Systems of a language pair, of which only these are compared, in this order; where it
	// has none, all that the rules leave, sorted. Coins, and with them soft pairwise accuracy,
	// depend on the order by a little.
	Systems map[string][]string
	// Weight in the average, of which the sum over tasks is made 1; 0 is 1.
	Weight float64
}

// WMT23 returns the tasks of WMT23: pairwise accuracy over all language pairs, and for each
// Pearson's correlation of systems and of segments, and acc_eq by item. No pairs are those of
// its metrics task: en-de, he-en and zh-en. The accuracy weighs as much as there are pairs,
// the others 1 each.
func WMT23(languagePairs ...string) []Task {
	lps := pairsOf23(languagePairs)
	out := []Task{{Set: "wmt23", LanguagePairs: lps, Weight: float64(len(lps))}}
	for _, lp := range lps {
		of := Task{Set: "wmt23", LanguagePairs: []string{lp}, Measure: Pearson, Weight: 1}
		out = append(out, of)
		of.Level = Segment
		out = append(out, of)
		of.Measure, of.Grouping = AccEq, metaeval.ByItem
		out = append(out, of)
	}
	return out
}

// WMT24OnWMT23 returns the tasks of WMT24 with WMT23's data: for each language pair soft
// pairwise accuracy of systems, and acc_eq by item, with equal weights.
func WMT24OnWMT23(languagePairs ...string) []Task {
	var out []Task
	for _, lp := range pairsOf23(languagePairs) {
		of := Task{Set: "wmt23", LanguagePairs: []string{lp}, Weight: 1}
		of.Measure = SoftPairwiseAccuracy
		out = append(out, of)
		of.Level, of.Measure, of.Grouping = Segment, AccEq, metaeval.ByItem
		out = append(out, of)
	}
	return out
}

func pairsOf23(given []string) []string {
	if len(given) == 0 {
		given = []string{"en-de", "he-en", "zh-en"}
	}
	return slices.Compact(slices.Sorted(slices.Values(given)))
}

// String says what a task is, such as "en-de segment acc_eq by item".
func (t Task) String() string {
	out := []string{strings.Join(t.LanguagePairs, ",")}
	if t.Domain != "" {
		out = append(out, t.Domain)
	}
	out = append(out, t.Level.String(), t.Measure.String())
	if t.Grouping != metaeval.NoGrouping {
		out = append(out, "by "+t.Grouping.String())
	}
	return strings.Join(out, " ")
}

// check is an error that names the field.
func (t Task) check() error {
	switch {
	case len(t.LanguagePairs) == 0:
		return errors.New("language_pairs: there is none")
	case len(t.LanguagePairs) > 1 && t.Measure != PairwiseAccuracy:
		return fmt.Errorf("language_pairs: %s is of one, only %s is of several together", t.Measure, PairwiseAccuracy)
	case t.Level < 0 || int(t.Level) >= len(levels):
		return fmt.Errorf("level: there is no %v", t.Level)
	case t.Measure < 0 || int(t.Measure) >= len(measures):
		return fmt.Errorf("measure: there is no %v", t.Measure)
	case t.Grouping < metaeval.NoGrouping || t.Grouping > metaeval.BySystem:
		return fmt.Errorf("group: there is no %v", t.Grouping)
	case !(t.Weight >= 0) || math.IsInf(t.Weight, 0):
		return fmt.Errorf("weight: %v is none: it is a number above 0", t.Weight)
	}
	for i, lp := range t.LanguagePairs {
		if slices.Contains(t.LanguagePairs[:i], lp) {
			return fmt.Errorf("language_pairs: %s stands twice", lp)
		}
	}
	return t.checkMeasure()
}

func (t Task) checkMeasure() error {
	switch t.Measure {
	case PairwiseAccuracy, SoftPairwiseAccuracy:
		if t.Level != System {
			return fmt.Errorf("level: %s is of systems, not of %ss", t.Measure, t.Level)
		}
	case AccEq, AccEqExact, DifferencePearson:
		if t.Level == System {
			return fmt.Errorf("level: %s is of segments or documents, not of systems", t.Measure)
		}
	}
	switch {
	case t.Level == System && t.Grouping != metaeval.NoGrouping:
		return fmt.Errorf("group: %s is of segments or documents, not of systems", t.Grouping)
	case t.Measure == DifferencePearson && t.Grouping != metaeval.ByItem:
		return fmt.Errorf("group: %s is by item", t.Measure)
	}
	return nil
}

// weights of tasks, whose sum is 1.
func weights(all []Task) []float64 {
	out, sum := make([]float64, len(all)), 0.0
	for i, t := range all {
		if out[i] = t.Weight; out[i] == 0 {
			out[i] = 1
		}
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// Weigh sets the weights such that all tasks with the same first property weigh as much as
// those with any other, among them those with the same second one, and so on; tasks that have
// all in common weigh the same. So mt-metrics-eval weighs by language pair, and then by level. It
// panics if a property is nil.
func Weigh(tasks []Task, properties ...func(Task) string) {
	all := make([]int, len(tasks))
	for i := range all {
		all[i] = i
	}
	spread(tasks, all, 1, properties)
}

// spread spreads a weight over some of the tasks.
func spread(tasks []Task, some []int, weight float64, properties []func(Task) string) {
	if len(properties) == 0 {
		for _, i := range some {
			tasks[i].Weight = weight / float64(len(some))
		}
		return
	}
	with := map[string][]int{}
	for _, i := range some {
		value := properties[0](tasks[i])
		with[value] = append(with[value], i)
	}
	for _, these := range with {
		spread(tasks, these, weight/float64(len(with)), properties[1:])
	}
}
